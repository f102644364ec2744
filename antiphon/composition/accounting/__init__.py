"""Accounting: the privacy curve of a composition of fixed parameters, rounded outward.

``parameters`` are pairs (ε_i, δ_i), fixed in advance; ``times`` repeats them. ``compose`` takes
dominating pairs in their place: pairs of laws that bound δ at every ε. Every function returns a
``PrivacyCurve``: ``delta_at(epsilon)`` and ``epsilon_at(delta)`` are safe upper bounds,
``delta_between`` and ``epsilon_between`` certified intervals.
"""

from antiphon.composition.accounting.calibration import rho_within
from antiphon.composition.accounting.closed_forms import (
    ExactCurve,
    advanced,
    basic,
    exactly,
    optimal,
)
from antiphon.composition.accounting.creations.bounded_exactly import exactly_sparse
from antiphon.composition.accounting.creations.k_sparse import sparse
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.accounting.pairs.compose import (
    compose,
    divergence,
    dominating_pair,
    renyi_curve,
)
from antiphon.composition.accounting.pairs.noise import (
    BoundedRangePair,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    GaussianPair,
    ResponsePair,
)
from antiphon.composition.accounting.pairs.points import FinitePair, MixturePair, reveal
from antiphon.composition.accounting.renyi import (
    concentrated,
    from_concentrated,
    from_renyi,
    pure_to_concentrated,
    renyi,
)
from antiphon.composition.accounting.trade_off_functions import TradeOffCurve, trade_off
from antiphon.numbers.interval import Interval
from antiphon.numbers.public import shows
from antiphon.protocol.measures.divergences import response_divergence

__all__ = [
    "BoundedRangePair",
    "DiscreteGaussianPair",
    "DiscreteLaplacePair",
    "ExactCurve",
    "FinitePair",
    "GaussianPair",
    "Interval",
    "MixturePair",
    "PrivacyCurve",
    "ResponsePair",
    "TradeOffCurve",
    "advanced",
    "basic",
    "compose",
    "concentrated",
    "divergence",
    "dominating_pair",
    "exactly",
    "exactly_sparse",
    "from_concentrated",
    "from_renyi",
    "optimal",
    "pure_to_concentrated",
    "renyi",
    "renyi_curve",
    "response_divergence",
    "reveal",
    "rho_within",
    "sparse",
    "trade_off",
]
__dir__ = shows(__all__)
