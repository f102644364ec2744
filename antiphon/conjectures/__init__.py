"""A tester of conjectures: a search for the mechanisms that break a bound on a composition."""

from antiphon.composition.accounting.renyi import OnlyAt
from antiphon.conjectures.conjectured import Conjectured
from antiphon.conjectures.conjecturing import Conjecture, conjecture
from antiphon.conjectures.exact_figures import moment_above
from antiphon.conjectures.listed_pairs import (
    BOTH_SIDES,
    ONE_SIDED,
    TWO_PUBLIC,
    ListedPairs,
)
from antiphon.conjectures.patterns import (
    AnyMechanism,
    AnyRenyi,
    FilterPattern,
    GamePattern,
    MistakesPattern,
    Pattern,
    SparsePattern,
    SparseRenyi,
)
from antiphon.conjectures.searching.ascent import HowFar
from antiphon.conjectures.tables import TableMechanism

__all__ = [
    "BOTH_SIDES",
    "ONE_SIDED",
    "TWO_PUBLIC",
    "AnyMechanism",
    "AnyRenyi",
    "Conjecture",
    "Conjectured",
    "FilterPattern",
    "GamePattern",
    "HowFar",
    "ListedPairs",
    "MistakesPattern",
    "OnlyAt",
    "Pattern",
    "SparsePattern",
    "SparseRenyi",
    "TableMechanism",
    "conjecture",
    "moment_above",
]
