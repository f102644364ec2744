"""What tests a claim: the privacy game and adversaries."""

from antiphon.audit.counterexample import (
    CounterexampleAdversary,
    counterexample_game,
    learned_bit,
)
from antiphon.audit.game import PrivacyGame

__all__ = ["CounterexampleAdversary", "PrivacyGame", "counterexample_game", "learned_bit"]
