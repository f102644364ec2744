"""Exact verification: tight δ, best adversaries, equivalence, laws of views."""

from antiphon.audit.exact.claimed import Compared
from antiphon.audit.exact.comparison import Equivalence, Law, equivalent, law_of_views
from antiphon.audit.exact.question import Question, Solution
from antiphon.audit.exact.strategy import StrategyAdversary, StrategyNode

__all__ = [
    "Compared",
    "Equivalence",
    "Law",
    "Question",
    "Solution",
    "StrategyAdversary",
    "StrategyNode",
    "equivalent",
    "law_of_views",
]
