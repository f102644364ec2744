"""Two mechanisms, of claims that differ: may only the larger ε count, and both δ?

They may not, for ε adds up: CM Theorem 4.10 has the curve that is right, and it is attained.
Run: antiphon conjecture examples/conjectures/fixed_claims.py:CLAIM
"""

from fractions import Fraction

import antiphon as ap
from antiphon.conjectures import AnyMechanism, Conjecture, GamePattern

CLAIMS = [(ap.Log(2), Fraction(1, 10)), (ap.Log(3), Fraction(1, 5))]


def game(first, second):
    """Both may be asked at any time."""
    return ap.PrivacyGame(ap.ExtConComp(), ap.composition.fixed_mechanisms([first, second]))


PARTS = tuple(AnyMechanism(epsilon=epsilon, delta=delta) for epsilon, delta in CLAIMS)
PATTERN = GamePattern(parts=PARTS, compose=game, rounds=6)
CLAIM = Conjecture(PATTERN, 1 - Fraction(9, 10) * Fraction(4, 5), ap.Log(3))
TRUE_CLAIM = Conjecture(PATTERN, ap.composition.accounting.optimal(CLAIMS))
"""At ε = 0."""
