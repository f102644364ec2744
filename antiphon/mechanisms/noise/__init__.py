"""Noise added to one answer, and choices made with noise."""

from antiphon.mechanisms.noise.continuous import Gaussian, Laplace
from antiphon.mechanisms.noise.discrete import DiscreteGaussian, DiscreteLaplace
from antiphon.mechanisms.noise.grid import GridGaussian, GridLaplace
from antiphon.mechanisms.noise.selection import (
    ExponentialMechanism,
    PermuteAndFlip,
    ReportNoisyMax,
)

__all__ = [
    "DiscreteGaussian",
    "DiscreteLaplace",
    "ExponentialMechanism",
    "Gaussian",
    "GridGaussian",
    "GridLaplace",
    "Laplace",
    "PermuteAndFlip",
    "ReportNoisyMax",
]
