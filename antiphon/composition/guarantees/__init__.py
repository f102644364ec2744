"""Guarantees: what a system promises, by which theorem, from which premises."""

from antiphon.composition.guarantees import rules as rules  # they fill the table
from antiphon.composition.guarantees.counterexample import Counterexample
from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.guarantee import Certified, Guarantee, guarantee
from antiphon.numbers.public import shows

__all__ = [
    "Certified",
    "Counterexample",
    "Derivation",
    "Guarantee",
    "Mark",
    "NoGuarantee",
    "Premise",
    "guarantee",
]
__dir__ = shows(__all__)
