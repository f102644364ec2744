"""L2P (lazy to private): turns a base algorithm, given by its measures of the experts, into a
private learner that seldom switches; with three accountings of its privacy."""

from antiphon.learners.joint_curve import L2PCurve
from antiphon.learners.l2p.accountings import Accounting, L2PSetting, Optimised, Printed, Repaired
from antiphon.learners.l2p.base_measures import ExponentialWeights, Measures, check_assumption

__all__ = [
    "Accounting", "ExponentialWeights", "L2PCurve", "L2PSetting", "Measures", "Optimised",
    "Printed", "Repaired", "check_assumption",
]  # fmt: skip
