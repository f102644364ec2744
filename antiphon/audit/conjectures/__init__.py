"""A tester of conjectures: a search for the mechanisms that break a bound on a composition."""

from antiphon.audit.conjectures.conjectured import Conjectured
from antiphon.audit.conjectures.conjecturing import Conjecture, conjecture
from antiphon.audit.conjectures.listed_pairs import (
    BOTH_SIDES,
    ONE_SIDED,
    TWO_PUBLIC,
    ListedPairs,
)
from antiphon.audit.conjectures.patterns import (
    AnyMechanism,
    FilterPattern,
    GamePattern,
    MistakesPattern,
    Pattern,
    SparsePattern,
    SparseRenyi,
)
from antiphon.audit.conjectures.searching.ascent import HowFar
from antiphon.audit.conjectures.tables import TableMechanism

__all__ = [
    "BOTH_SIDES",
    "ONE_SIDED",
    "TWO_PUBLIC",
    "AnyMechanism",
    "Conjecture",
    "Conjectured",
    "FilterPattern",
    "GamePattern",
    "HowFar",
    "ListedPairs",
    "MistakesPattern",
    "Pattern",
    "SparsePattern",
    "SparseRenyi",
    "TableMechanism",
    "conjecture",
]
