"""Filters and odometers: budgets for parameters that are chosen adaptively."""

from antiphon.composition.filters.basic import BasicFilter, RenyiFilter
from antiphon.composition.filters.budget import Budget, Filter, Refusal
from antiphon.composition.filters.concentrated import (
    ConcentratedFilter,
    GaussianFilter,
    RogersFilter,
    WhitehouseFilter,
)
from antiphon.composition.filters.odometer import Odometer, Reading, RenyiOdometer
from antiphon.numbers.public import shows

__all__ = [
    "BasicFilter",
    "Budget",
    "ConcentratedFilter",
    "Filter",
    "GaussianFilter",
    "Odometer",
    "Reading",
    "Refusal",
    "RenyiFilter",
    "RenyiOdometer",
    "RogersFilter",
    "WhitehouseFilter",
]
__dir__ = shows(__all__)
