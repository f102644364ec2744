"""Does CM Theorem 5.2 hold for δ > 0? Though one of n sees a difference, 1 - (1-δ)^n is lost.

Run: antiphon conjecture examples/conjectures/first_pairs.py:CLAIM
"""

from fractions import Fraction

from antiphon.conjectures import ONE_SIDED, Conjecture, ListedPairs, SparsePattern

DELTA = Fraction(1, 10)
CLAIM = Conjecture(SparsePattern(epsilon=0, delta=DELTA, creations=2, sparse=1), DELTA)

CONSISTENT = SparsePattern(
    epsilon=0, delta=DELTA, creations=2, sparse=1, first_pair_consistent=True,
    inner=ListedPairs(ONE_SIDED, at_first=True),
)  # fmt: skip
TRUE_CLAIM = Conjecture(CONSISTENT, DELTA)
"""Theorem 5.5."""
