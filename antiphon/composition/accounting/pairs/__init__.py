"""Dominating pairs, and what they promise together."""

from antiphon.composition.accounting.pairs.compose import (
    PairsCurve,
    compose,
    divergence,
    renyi_curve,
)
from antiphon.composition.accounting.pairs.noise import (
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    GaussianPair,
)
from antiphon.composition.accounting.pairs.pair import DominatingPair
from antiphon.composition.accounting.pairs.points import FinitePair, MixturePair, reveal
from antiphon.composition.accounting.pairs.promises import BoundedRangePair, ResponsePair

__all__ = [
    "BoundedRangePair",
    "DiscreteGaussianPair",
    "DiscreteLaplacePair",
    "DominatingPair",
    "FinitePair",
    "GaussianPair",
    "MixturePair",
    "PairsCurve",
    "ResponsePair",
    "compose",
    "divergence",
    "renyi_curve",
    "reveal",
]
