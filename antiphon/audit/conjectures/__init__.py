"""A tester of conjectures: a search for the mechanisms that break a bound on a composition."""

from antiphon.audit.conjectures.conjectured import Conjectured
from antiphon.audit.conjectures.conjecturing import Conjecture, conjecture
from antiphon.audit.conjectures.exact_figures import moment_above
from antiphon.audit.conjectures.listed_pairs import (
    BOTH_SIDES,
    ONE_SIDED,
    TWO_PUBLIC,
    ListedPairs,
)
from antiphon.audit.conjectures.patterns import (
    AnyMechanism,
    AnyRenyi,
    FilterPattern,
    GamePattern,
    MistakesPattern,
    Pattern,
    SparsePattern,
    SparseRenyi,
)
from antiphon.audit.conjectures.searching.ascent import HowFar
from antiphon.audit.conjectures.tables import TableMechanism
from antiphon.composition.accounting.renyi import OnlyAt

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
