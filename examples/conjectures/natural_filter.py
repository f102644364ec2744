"""Is it a filter to go on while what was charged, as if fixed in advance, stays within (ε, δ)?

No: which claims come next may depend on what was heard. At ε = ln 2, where each path of charges is
within 1/4, 53/180 is lost. Which claims, and on which path, is sought in a grid.
Run: antiphon conjecture examples/conjectures/natural_filter.py:CLAIM
"""

from fractions import Fraction

import antiphon as ap
from antiphon.composition.filters.concentrated import ConcentratedFilter
from antiphon.conjectures import Conjecture, FilterPattern
from antiphon.selfcheck.theorems.adaptive_choice import TightCurveFilter

GRID = [(ap.Log(Fraction(q, 4)), 0) for q in (5, 6, 8, 10, 12, 16)]
NATURAL = FilterPattern(budget=TightCurveFilter(ap.Log(2), Fraction(1, 4)), claims=GRID)
CLAIM = Conjecture(NATURAL, Fraction(1, 4), ap.Log(2))

VALID = FilterPattern(budget=ConcentratedFilter(rho=Fraction(9, 10)), claims=GRID)
CURVE = ap.guarantee(
    ap.ExtConComp(budget=VALID.budget),
    catalogue=[ap.mechanisms.RandomizedResponse(epsilon=epsilon) for epsilon, _ in GRID],
).curve
TRUE_CLAIM = Conjecture(VALID, CURVE, ap.Log(2))
"""Σρ <= 9/10."""
