"""Exact verification: tight δ, best adversaries, equivalence, laws of views."""

from antiphon.audit.exact.claimed import AtEpsilon, AtOrder, Compared, Comparison, OfRange
from antiphon.audit.exact.comparison import Equivalence, Law, equivalent, law_of_views
from antiphon.audit.exact.divergence import Divergence
from antiphon.audit.exact.question import Question, Solution
from antiphon.audit.exact.strategy import StrategyAdversary, StrategyNode
from antiphon.audit.exact.tight_curve import TightCurve
from antiphon.numbers.public import shows

__all__ = [
    "AtEpsilon",
    "AtOrder",
    "Compared",
    "Comparison",
    "Divergence",
    "Equivalence",
    "Law",
    "OfRange",
    "Question",
    "Solution",
    "StrategyAdversary",
    "StrategyNode",
    "TightCurve",
    "equivalent",
    "law_of_views",
]
__dir__ = shows(__all__)
