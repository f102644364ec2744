"""What a composition of fixed parameters promises, rounded outward (theory §4).

``parameters`` are pairs (ε_i, δ_i), fixed in advance; ``times`` repeats them. Every function
returns a ``PrivacyCurve``: ``delta_at(epsilon)`` and ``epsilon_at(delta)`` are safe upper
bounds, ``delta_between`` and ``epsilon_between`` certified intervals.
"""

from antiphon.composition.accounting.creations.potential import exactly_sparse
from antiphon.composition.accounting.creations.sparse import sparse
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.accounting.renyi import (
    concentrated,
    from_concentrated,
    from_renyi,
    pure_to_concentrated,
    renyi,
)
from antiphon.composition.accounting.responses.optimal import optimal
from antiphon.composition.accounting.responses.rational import ExactCurve, exactly
from antiphon.composition.accounting.responses.simple import advanced, basic
from antiphon.numbers.interval import Interval
from antiphon.protocol.measures.divergences import response_divergence

__all__ = [
    "ExactCurve",
    "Interval",
    "PrivacyCurve",
    "advanced",
    "basic",
    "concentrated",
    "exactly",
    "exactly_sparse",
    "from_concentrated",
    "from_renyi",
    "optimal",
    "pure_to_concentrated",
    "renyi",
    "response_divergence",
    "sparse",
]
