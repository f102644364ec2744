"""Is P(fewer than k mistakes) <= Σ q_i, on the hard sequence of a private learner?

A talk says so, and forgets what leaves in the half that is skipped. With e^ε = 3/2, δ = 1/10 and
seven rounds name and shame has 19/100 against 0; the worst learner that leaves once has 1/5.
Run: antiphon conjecture examples/conjectures/few_mistakes.py:CLAIM
"""

from fractions import Fraction

import antiphon as ap
from antiphon.conjectures import Conjecture
from antiphon.learners.patterns import MistakesPattern

TENTH = Fraction(1, 10)
EPSILON = ap.Log(Fraction(3, 2))
CLAIM = Conjecture(MistakesPattern(epsilon=EPSILON, delta=TENTH, beta=0), 0)
"""Of learners that stay where all samples are ⊥."""

REPAIRED = MistakesPattern(epsilon=EPSILON, delta=TENTH, first=3, each=0)
TRUE_CLAIM = Conjecture(REPAIRED, 2 * 3 * TENTH)
"""P(fewer than k mistakes) <= 3q₀ + 2kδ, k = 3."""
