"""Dominating pairs, and what they promise together."""

from antiphon.composition.accounting.pairs.compose import (
    compose,
    divergence,
    renyi_curve,
)
from antiphon.composition.accounting.pairs.measured import dominated, pair_of
from antiphon.composition.accounting.pairs.noise import (
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    GaussianPair,
)
from antiphon.composition.accounting.pairs.pairs_curve import PairsCurve
from antiphon.composition.accounting.pairs.points import FinitePair, MixturePair, reveal
from antiphon.composition.accounting.pairs.promises import BoundedRangePair, ResponsePair

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
