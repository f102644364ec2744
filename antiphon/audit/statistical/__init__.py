"""Statistical verification: populations, bounds with stated confidence, audits."""

from antiphon.audit.statistical.audit import AuditReport, audit
from antiphon.audit.statistical.estimators import (
    Batch,
    EProcess,
    Event,
    delta_lower_bound,
    epsilon_lower_bound,
    label_delta_lower_bound,
    likelihood_ratio_event,
)
from antiphon.audit.statistical.intervals import clopper_pearson
from antiphon.audit.statistical.populations import play_population
from antiphon.audit.statistical.sample import NUMBER, Cell, Sample, merge

__all__ = [
    "NUMBER",
    "AuditReport",
    "Batch",
    "Cell",
    "EProcess",
    "Event",
    "Sample",
    "audit",
    "clopper_pearson",
    "delta_lower_bound",
    "epsilon_lower_bound",
    "label_delta_lower_bound",
    "likelihood_ratio_event",
    "merge",
    "play_population",
]
