"""Filters and odometers: budgets for parameters that are chosen adaptively."""

from antiphon.composition.filters.basic import BasicFilter
from antiphon.composition.filters.budget import Budget, Filter, Refusal
from antiphon.composition.filters.concentrated import (
    ConcentratedFilter,
    RogersFilter,
    WhitehouseFilter,
)
from antiphon.composition.filters.odometer import Odometer, Reading

__all__ = [
    "BasicFilter",
    "Budget",
    "ConcentratedFilter",
    "Filter",
    "Odometer",
    "Reading",
    "Refusal",
    "RogersFilter",
    "WhitehouseFilter",
]
