"""Statistical verification: populations, bounds with stated confidence, audits."""

from antiphon.audit.statistical.audit_report import Tested
from antiphon.audit.statistical.choosing import Training, choose_event
from antiphon.audit.statistical.claim_audit import Batch, EProcess
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
from antiphon.audit.statistical.trade_off import TradeOff
from antiphon.numbers.public import shows
from antiphon.populations.play import play_population, play_sample
from antiphon.populations.sample import NUMBER, Cell, Sample, merge

__all__ = [
    "NUMBER",
    "Batch",
    "Cell",
    "Choice",
    "EProcess",
    "Event",
    "Goal",
    "Hits",
    "Rates",
    "Sample",
    "Tested",
    "TradeOff",
    "Training",
    "bonferroni",
    "choose_event",
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
