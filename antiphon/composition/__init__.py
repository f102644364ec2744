# pyright: reportUnusedImport=false
"""Composition: many mechanisms wired into one, and the privacy that this costs.

* *Compositions*: ``ap.ConComp`` of fixed mechanisms, ``ap.ExtConComp`` of those that are created
  on the way (``ap.Create``), ``ComplexMechanism``.
* *Verification functions* of them: ``fixed_mechanisms``, ``fixed_parameters``,
  ``sparse_parallel``, ``adaptive_parameters``.
* *Budgets*: ``BasicFilter``, ``WhitehouseFilter``, ``ConcentratedFilter``,
  ``RenyiFilter``, ``GaussianFilter``, ``ResidueFilter``, ``NaturalFilter``, and ``Odometer``,
  which refuses nothing.
* *Figures* (``accounting``): ``basic``, ``advanced``, ``optimal``, ``compose``, ….
* *Guarantees*: ``ap.guarantee`` finds the theorem, and its ``Derivation`` says why; what is not
  proved raises ``NoGuarantee``.
"""

from antiphon.composition import accounting
from antiphon.composition.across import across
from antiphon.composition.complex_mechanism import ComplexMechanism, Lifting, TwoCopies
from antiphon.composition.concurrent import ConComp, ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.filters.basic import BasicFilter, RenyiFilter
from antiphon.composition.filters.budget import Budget, Filter, Refusal
from antiphon.composition.filters.concentrated import (
    ConcentratedFilter,
    GaussianFilter,
    RogersFilter,
    WhitehouseFilter,
)
from antiphon.composition.filters.natural import NaturalFilter
from antiphon.composition.filters.odometer import Odometer, Reading, RenyiOdometer
from antiphon.composition.filters.residue import ResidueFilter
from antiphon.composition.guarantees.derivation import (
    Counterexample,
    Derivation,
    Mark,
    NoGuarantee,
    Premise,
)
from antiphon.composition.guarantees.guarantee import Certified, Guarantee, guarantee
from antiphon.composition.properties import Property, Violation, check_properties
from antiphon.composition.validity import (
    adaptive_parameters,
    each_valid,
    fixed_mechanisms,
    fixed_parameters,
    sparse_parallel,
)
from antiphon.numbers.public import shows

__all__ = [
    "BasicFilter",
    "Budget",
    "Certified",
    "ComplexMechanism",
    "ConcentratedFilter",
    "Counterexample",
    "Derivation",
    "Filter",
    "GaussianFilter",
    "Lifting",
    "Mark",
    "NaturalFilter",
    "NoGuarantee",
    "Odometer",
    "Premise",
    "Property",
    "Reading",
    "Refusal",
    "RenyiFilter",
    "RenyiOdometer",
    "ResidueFilter",
    "RogersFilter",
    "TwoCopies",
    "Violation",
    "WhitehouseFilter",
    "accounting",
    "across",
    "adaptive_parameters",
    "check_properties",
    "each_valid",
    "fixed_mechanisms",
    "fixed_parameters",
    "sparse_parallel",
]
__dir__ = shows(__all__, "accounting")
