"""A tester of conjectures: a search for the mechanisms that break a bound on a composition."""

from antiphon.composition.accounting.renyi import OnlyAt
from antiphon.conjectures.ascent import HowFar
from antiphon.conjectures.conjecture import Conjecture, conjecture
from antiphon.conjectures.exact_figures import moment_above
from antiphon.conjectures.law_trees import BOTH_SIDES, ONE_SIDED, TWO_PUBLIC, ListedPairs
from antiphon.conjectures.outcome import Conjectured
from antiphon.conjectures.patterns.filter_pattern import FilterPattern
from antiphon.conjectures.patterns.game_pattern import GamePattern
from antiphon.conjectures.patterns.pattern import AnyMechanism, AnyRenyi, Pattern
from antiphon.conjectures.patterns.sparse_patterns import SparsePattern, SparseRenyi
from antiphon.conjectures.tables import TableMechanism
from antiphon.protocol.provenance import nothing_proved_in

__all__ = [
    "BOTH_SIDES", "ONE_SIDED", "TWO_PUBLIC", "AnyMechanism", "AnyRenyi", "Conjecture",
    "Conjectured", "FilterPattern", "GamePattern", "HowFar", "ListedPairs", "OnlyAt", "Pattern",
    "SparsePattern", "SparseRenyi", "TableMechanism", "conjecture", "moment_above",
]  # fmt: skip

# Claims that a user's class inherits from a class of this package never count as proved.
nothing_proved_in(__name__)
