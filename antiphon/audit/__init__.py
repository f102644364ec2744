"""What tests a claim: the privacy game, exact answers to it, simulators, and adversaries."""

from antiphon.audit.conjectures import (
    Conjecture,
    Conjectured,
    ListedPairs,
    SparsePattern,
    SparseRenyi,
    conjecture,
)
from antiphon.audit.contests import Standings, contest
from antiphon.audit.counterexample import (
    CounterexampleAdversary,
    ExposingAdversary,
    counterexample_game,
    learned_bit,
)
from antiphon.audit.exact import (
    AtEpsilon,
    AtOrder,
    Compared,
    Comparison,
    Divergence,
    Equivalence,
    Law,
    OfRange,
    Question,
    Solution,
    StrategyAdversary,
    StrategyNode,
    equivalent,
    law_of_views,
)
from antiphon.audit.game import PrivacyGame
from antiphon.audit.sealed import OPEN, Sealed, oblivious
from antiphon.audit.searches import search_properties, search_query
from antiphon.audit.simulated_composition import composition_simulator
from antiphon.audit.simulators import Lyu, VadhanWang, lyu, vadhan_wang
from antiphon.audit.statistical import AdversaryFamily, AuditReport, Coarsened, Counterexample

__all__ = [
    "OPEN",
    "AdversaryFamily",
    "AtEpsilon",
    "AtOrder",
    "AuditReport",
    "Coarsened",
    "Compared",
    "Comparison",
    "Conjecture",
    "Conjectured",
    "Counterexample",
    "CounterexampleAdversary",
    "Divergence",
    "Equivalence",
    "ExposingAdversary",
    "Law",
    "ListedPairs",
    "Lyu",
    "OfRange",
    "PrivacyGame",
    "Question",
    "Sealed",
    "Solution",
    "SparsePattern",
    "SparseRenyi",
    "Standings",
    "StrategyAdversary",
    "StrategyNode",
    "VadhanWang",
    "composition_simulator",
    "conjecture",
    "contest",
    "counterexample_game",
    "equivalent",
    "law_of_views",
    "learned_bit",
    "lyu",
    "oblivious",
    "search_properties",
    "search_query",
    "vadhan_wang",
]
