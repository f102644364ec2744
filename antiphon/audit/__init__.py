"""What tests a claim.

* *The game* V[f] ∘* I(·) ∘* M: ``PrivacyGame``, with ``tight_delta``, ``privacy_curve``,
  ``best_adversary``, ``check_claims`` (exact) and ``audit`` (on samples).
* *Exact answers* (``exact``): ``Solution``, ``TightCurve``, ``Divergence``, ``StrategyAdversary``,
  ``Comparison``; ``equivalent`` and ``law_of_views``.
* *Audits* (``statistical``): ``AuditReport``, ``Counterexample``, ``AdversaryFamily``.
* *Simulators* behind the theorems: ``vadhan_wang``, ``lyu``, ``composition_simulator``.
* *Adversaries* that are known to win: ``CounterexampleAdversary``, ``ExposingAdversary``.
* *Learners*: ``contest`` measures their regret (``Standings``); ``antiphon.learners.mistakes`` counts.
* *Many cores and machines*: ``running``.
"""

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
    TightCurve,
    equivalent,
    law_of_views,
)
from antiphon.audit.game import PrivacyGame
from antiphon.audit.sealed import OPEN, Sealed, oblivious
from antiphon.audit.searches import search_properties, search_query
from antiphon.audit.simulated_composition import composition_simulator
from antiphon.audit.simulators import Lyu, VadhanWang, lyu, vadhan_wang
from antiphon.audit.statistical import AdversaryFamily, AuditReport, Coarsened, Counterexample
from antiphon.conjectures import (
    Conjecture,
    Conjectured,
    ListedPairs,
    SparsePattern,
    SparseRenyi,
    conjecture,
)
from antiphon.graybox import sensitivity
from antiphon.learners.contests import Standings, contest
from antiphon.numbers.public import shows
from antiphon.preprocessing.moved_records import MovementReport, check_preprocessing

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
    "MovementReport",
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
    "TightCurve",
    "VadhanWang",
    "check_preprocessing",
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
    "sensitivity",
    "vadhan_wang",
]
__dir__ = shows(__all__, "check", "exact", "running", "statistical")
