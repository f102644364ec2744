"""Dominating pairs, and what they promise together."""

from antiphon.composition.accounting.pairs.compose import (
    compose,
    divergence,
    dominated,
    pair_of,
    renyi_curve,
)
from antiphon.composition.accounting.pairs.noise import (
    BoundedRangePair,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    GaussianPair,
    ResponsePair,
)
from antiphon.composition.accounting.pairs.pairs_curve import PairsCurve
from antiphon.composition.accounting.pairs.points import FinitePair, MixturePair, reveal

__all__ = [
    "BoundedRangePair",
    "DiscreteGaussianPair",
    "DiscreteLaplacePair",
    "FinitePair",
    "GaussianPair",
    "MixturePair",
    "PairsCurve",
    "ResponsePair",
    "compose",
    "divergence",
    "dominated",
    "pair_of",
    "renyi_curve",
    "reveal",
]
