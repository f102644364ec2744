"""Conjectures about learners, for ``antiphon.conjectures``; and the fewest mistakes of any private
learner, for few rounds."""

from antiphon.learners.patterns.leaving_learners import fewest_mistakes
from antiphon.learners.patterns.mistakes_pattern import MistakesPattern
from antiphon.protocol.provenance import nothing_proved_in

__all__ = ["MistakesPattern", "fewest_mistakes"]

# claims that a user's broken class inherits from this package never count as proved
nothing_proved_in(__name__)
