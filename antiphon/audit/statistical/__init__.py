"""Statistical verification: populations, bounds with stated confidence, audits."""

from antiphon.audit.statistical.audit import audit
from antiphon.audit.statistical.audit_report import AuditReport, Tested
from antiphon.audit.statistical.choosing import Training, choose
from antiphon.audit.statistical.estimators import (
    Hits,
    Rates,
    bonferroni,
    clopper_pearson,
    delta_lower_bound,
    epsilon_lower_bound,
    holm,
    label_delta_lower_bound,
    p_value,
)
from antiphon.audit.statistical.event import Choice, Event, Goal
from antiphon.audit.statistical.evidence import Counterexample
from antiphon.audit.statistical.search import AdversaryFamily, Coarsened
from antiphon.audit.statistical.sequential import Batch, EProcess
from antiphon.audit.statistical.trade_off import TradeOff
from antiphon.numbers.public import shows
from antiphon.populations.play import play_population, play_sample
from antiphon.populations.sample import NUMBER, Cell, Sample, merge

__all__ = [
    "NUMBER",
    "AdversaryFamily",
    "AuditReport",
    "Batch",
    "Cell",
    "Choice",
    "Coarsened",
    "Counterexample",
    "EProcess",
    "Event",
    "Goal",
    "Hits",
    "Rates",
    "Sample",
    "Tested",
    "TradeOff",
    "Training",
    "audit",
    "bonferroni",
    "choose",
    "clopper_pearson",
    "delta_lower_bound",
    "epsilon_lower_bound",
    "holm",
    "label_delta_lower_bound",
    "merge",
    "p_value",
    "play_population",
    "play_sample",
]
__dir__ = shows(__all__)
