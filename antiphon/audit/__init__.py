"""What tests a claim.

* *The game* V[f] ∘* I(·) ∘* M: ``PrivacyGame``, with ``tight_delta``, ``privacy_curve``,
  ``best_adversary``, ``check_claims`` (exact) and ``audit`` (on samples).
* *Exact answers* (``exact``): ``Solution``, ``TightCurve``, ``Divergence``, ``StrategyAdversary``,
  ``Comparison``; ``equivalent`` and ``law_of_views``.
* *Audits* (``statistical``): ``AuditReport``, ``Counterexample``, ``AdversaryFamily``.
* *Simulators* behind the theorems: ``vadhan_wang``, ``lyu``, ``composition_simulator``.
* *Adversaries* that are known to win: ``CounterexampleAdversary``, ``ExposingAdversary``.
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
from antiphon.audit.game import OPEN, PrivacyGame, Sealed, oblivious
from antiphon.audit.searches import search_properties, search_query
from antiphon.audit.simulated_composition import composition_simulator
from antiphon.audit.simulators import Lyu, VadhanWang, lyu, vadhan_wang
from antiphon.audit.statistical import AdversaryFamily, AuditReport, Coarsened, Counterexample
from antiphon.numbers.public import shows
from antiphon.protocol.provenance import nothing_proved_in

__all__ = [
    "OPEN",
    "AdversaryFamily",
    "AtEpsilon",
    "AtOrder",
    "AuditReport",
    "Coarsened",
    "Compared",
    "Comparison",
    "Counterexample",
    "CounterexampleAdversary",
    "Divergence",
    "Equivalence",
    "ExposingAdversary",
    "Law",
    "Lyu",
    "OfRange",
    "PrivacyGame",
    "Question",
    "Sealed",
    "Solution",
    "StrategyAdversary",
    "StrategyNode",
    "TightCurve",
    "VadhanWang",
    "composition_simulator",
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
__dir__ = shows(__all__, "check", "exact", "running", "statistical")

nothing_proved_in(__name__)  # nothing that broken twins inherit is proved of them
