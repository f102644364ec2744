# pyright: reportUnusedImport=false
"""Tests of claims: exact answers, statistical audits, and checks of parts.

* *The game* V[f] ∘* I(·) ∘* M: ``ap.PrivacyGame``, with ``tight_delta``, ``privacy_curve``,
  ``best_adversary``, ``check_claims`` (exact) and ``audit`` (on samples).
* *Exact answers*: ``Solution``, ``TightCurve``, ``Divergence``, ``StrategyAdversary``,
  ``Comparison``; ``ap.equivalent`` and ``law_of_views``; ``Certificate``, and ``MachineChecked``,
  a mechanism whose claim has one; ``TightFormula``, which answers for all numbers at once.
* *Audits* (``statistical``): ``AuditReport``, ``Counterexample``, ``AdversaryFamily``.
* *Simulators* behind the theorems: ``vadhan_wang``, ``lyu``, ``composition_simulator``.
* *Adversaries* that are known to win: ``CounterexampleAdversary``, ``ExposingAdversary``.
* *Many cores and machines*: ``running``.
"""

from antiphon.audit.certificates.certificate import Certificate
from antiphon.audit.certificates.machine_checked import MachineChecked
from antiphon.audit.counterexample import (
    CounterexampleAdversary,
    ExposingAdversary,
    counterexample_game,
    learned_bit,
)
from antiphon.audit.exact.claimed import AtEpsilon, AtOrder, Compared, Comparison, OfRange
from antiphon.audit.exact.comparison import Equivalence, Law, law_of_views
from antiphon.audit.exact.divergence import Divergence
from antiphon.audit.exact.question import Question, Solution
from antiphon.audit.exact.strategy import StrategyAdversary, StrategyNode
from antiphon.audit.exact.tight_curve import TightCurve
from antiphon.audit.formulas.tight_formula import BoundFound, Piece, TightFormula
from antiphon.audit.game import OPEN, PrivacyGame, Sealed, oblivious
from antiphon.audit.searches import search_properties, search_query
from antiphon.audit.simulated_composition import composition_simulator
from antiphon.audit.simulators import Lyu, VadhanWang, lyu, vadhan_wang
from antiphon.audit.statistical.audit_report import AuditReport
from antiphon.audit.statistical.evidence import Counterexample
from antiphon.audit.statistical.search import AdversaryFamily, Coarsened
from antiphon.numbers.public import shows
from antiphon.protocol.provenance import nothing_proved_in

__all__ = [
    "OPEN",
    "AdversaryFamily",
    "AtEpsilon",
    "AtOrder",
    "AuditReport",
    "BoundFound",
    "Certificate",
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
    "MachineChecked",
    "OfRange",
    "Piece",
    "Question",
    "Sealed",
    "Solution",
    "StrategyAdversary",
    "StrategyNode",
    "TightCurve",
    "TightFormula",
    "VadhanWang",
    "composition_simulator",
    "counterexample_game",
    "law_of_views",
    "learned_bit",
    "lyu",
    "oblivious",
    "search_properties",
    "search_query",
    "vadhan_wang",
]
__dir__ = shows(__all__, "check", "running", "statistical")

# Broken twins inherit claims, so no claim of a mechanism in this package counts as proved, except
# one with a certificate.
nothing_proved_in(__name__, but=MachineChecked.__module__)
