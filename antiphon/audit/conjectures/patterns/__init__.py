"""What may be conjectured about: families of games of which some part is sought."""

from antiphon.audit.conjectures.patterns.filter_pattern import FilterPattern
from antiphon.audit.conjectures.patterns.game_pattern import GamePattern
from antiphon.audit.conjectures.patterns.mistakes_pattern import MistakesPattern
from antiphon.audit.conjectures.patterns.pattern import AnyMechanism, AnyRenyi, Pattern
from antiphon.audit.conjectures.patterns.sparse_patterns import SparsePattern, SparseRenyi

__all__ = [
    "AnyMechanism",
    "AnyRenyi",
    "FilterPattern",
    "GamePattern",
    "MistakesPattern",
    "Pattern",
    "SparsePattern",
    "SparseRenyi",
]
