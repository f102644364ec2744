"""What may be conjectured about: families of games of which some part is sought."""

from antiphon.conjectures.patterns.filter_pattern import FilterPattern
from antiphon.conjectures.patterns.game_pattern import GamePattern
from antiphon.conjectures.patterns.pattern import AnyMechanism, AnyRenyi, Pattern
from antiphon.conjectures.patterns.sparse_patterns import SparsePattern, SparseRenyi
from antiphon.learners.patterns.mistakes_pattern import MistakesPattern

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
