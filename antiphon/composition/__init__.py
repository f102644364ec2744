"""What wires many mechanisms into one, and what that costs.

* *Compositions*: ``ConComp`` of fixed mechanisms, ``ExtConComp`` of those that are created on the
  way (``Create``), ``ComplexMechanism``, ``Preprocessed``.
* *Verification functions* of them: ``fixed_mechanisms``, ``fixed_parameters``,
  ``sparse_parallel``, ``adaptive_parameters``.
* *Budgets* (``filters``): ``BasicFilter``, ``WhitehouseFilter``, ``ConcentratedFilter``,
  ``RenyiFilter``, ``GaussianFilter``, and ``Odometer``, which refuses nothing.
* *Figures* (``accounting``): ``basic``, ``advanced``, ``optimal``, ``compose``, ….
* *Guarantees* (``guarantees``): ``guarantee`` finds the theorem, and says why.
"""

from antiphon.composition import accounting
from antiphon.composition.complex_mechanism import ComplexMechanism, Lifting, TwoCopies
from antiphon.composition.concurrent import ConComp, ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.filters import (
    BasicFilter,
    ConcentratedFilter,
    GaussianFilter,
    Odometer,
    Refusal,
    RenyiFilter,
    RenyiOdometer,
    RogersFilter,
    WhitehouseFilter,
)
from antiphon.composition.filters.adaptive import adaptive_parameters
from antiphon.composition.guarantees import (
    Certified,
    Counterexample,
    Guarantee,
    NoGuarantee,
    guarantee,
)
from antiphon.composition.properties import Property, Violation, check_properties
from antiphon.composition.property_search import search_properties
from antiphon.composition.validity import (
    each_valid,
    fixed_mechanisms,
    fixed_parameters,
    sparse_parallel,
)
from antiphon.numbers.public import shows
from antiphon.preprocessing import Preprocessed, Preprocessing

__all__ = [
    "BasicFilter",
    "Certified",
    "ComplexMechanism",
    "ConComp",
    "ConcentratedFilter",
    "Counterexample",
    "Create",
    "ExtConComp",
    "GaussianFilter",
    "Guarantee",
    "Lifting",
    "NoGuarantee",
    "Odometer",
    "Preprocessed",
    "Preprocessing",
    "Property",
    "Refusal",
    "RenyiFilter",
    "RenyiOdometer",
    "RogersFilter",
    "TwoCopies",
    "Violation",
    "WhitehouseFilter",
    "accounting",
    "adaptive_parameters",
    "check_properties",
    "each_valid",
    "fixed_mechanisms",
    "fixed_parameters",
    "guarantee",
    "search_properties",
    "sparse_parallel",
]
__dir__ = shows(__all__, "accounting", "filters", "guarantees", "preprocessing")
