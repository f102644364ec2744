"""Do k of n mechanisms cost k Rényi divergences? Not without first-pair consistency.

At α = 2, with e^D = 89/80 each and k = 1: of two mechanisms the truth is 1 + 2·9/80.
Run: antiphon conjecture examples/conjectures/sparse_renyi.py:CLAIM
"""

from fractions import Fraction

from antiphon.conjectures import Conjecture, SparseRenyi

MOMENT = Fraction(89, 80)
PATTERN = SparseRenyi(order=2, moment=MOMENT, creations=2, sparse=1)
CLAIM = Conjecture(PATTERN, MOMENT)
TRUE_CLAIM = Conjecture(PATTERN, 1 + 2 * (MOMENT - 1))
