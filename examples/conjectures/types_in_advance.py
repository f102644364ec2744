"""Is a mechanism's type fixed in advance? An adversary that chooses how it is tossed gains more.

7/8 is the least upper bound if each mechanism is one of two kinds from the start. With e^ε = 4 the
truth is 253/288: three rounds, two of them public.
Run: antiphon conjecture examples/conjectures/types_in_advance.py:CLAIM --seconds 600
"""

from fractions import Fraction

import antiphon as ap
from antiphon.conjectures import TWO_PUBLIC, Conjecture, ListedPairs, SparsePattern

PATTERN = SparsePattern(
    epsilon=ap.Log(4), delta=Fraction(1, 4), creations=3, sparse=2,
    inner=ListedPairs(TWO_PUBLIC, at_last=True),
)  # fmt: skip
CLAIM = Conjecture(PATTERN, Fraction(7, 8), rounds=3, answers=2)
