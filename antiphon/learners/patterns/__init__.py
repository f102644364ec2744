"""Conjectures about learners, for ``antiphon.conjectures``."""

from antiphon.learners.patterns.mistakes_pattern import MistakesPattern
from antiphon.protocol.provenance import nothing_proved_in

__all__ = ["MistakesPattern"]

nothing_proved_in(__name__)  # claims that broken twins inherit never count as proved
