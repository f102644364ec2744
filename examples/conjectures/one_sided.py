"""Is Theorem S true of an f' that has no symmetry? It is not: 25/32 is lost, and it says 23/32.

Run: antiphon conjecture examples/conjectures/one_sided.py:CLAIM
"""

from fractions import Fraction

import antiphon as ap
from antiphon.conjectures import BOTH_SIDES, Conjecture, ListedPairs, SparsePattern

LOSSES = {0: Fraction(0), 1: Fraction(1, 3), 2: Fraction(1, 3)}
"""d_k of k randomized responses with e^ε = 2 at ε = 0."""


def theorem_s(creations: int, sparse: int) -> Fraction:
    """1 - (1 - δ)^n (1 - d_k), with δ = 1/4."""
    return 1 - Fraction(3, 4) ** creations * (1 - LOSSES[sparse])


ONE_SIDED = SparsePattern(epsilon=ap.Log(2), delta=Fraction(1, 4), creations=3, sparse=2)
CLAIM = Conjecture(ONE_SIDED, theorem_s(3, 2))

SYMMETRIC = SparsePattern(
    epsilon=ap.Log(2), delta=Fraction(1, 4), creations=3, sparse=2, inner=ListedPairs(BOTH_SIDES)
)
TRUE_CLAIM = Conjecture(SYMMETRIC, theorem_s(3, 2))
