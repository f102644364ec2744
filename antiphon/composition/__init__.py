"""What wires many mechanisms into one, and what that costs."""

from antiphon.composition.concurrent import ConComp, ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.functions import (
    fixed_mechanisms,
    fixed_parameters,
    sparse_parallel,
)

__all__ = [
    "ConComp",
    "Create",
    "ExtConComp",
    "fixed_mechanisms",
    "fixed_parameters",
    "sparse_parallel",
]
