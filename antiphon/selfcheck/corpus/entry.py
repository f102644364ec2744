"""One row of the corpus: a target, what is claimed of it, and who is to test the claim."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import attrs

from antiphon.audit.game import PrivacyGame
from antiphon.numbers.exact import ExactEpsilon
from antiphon.populations.play import Feature
from antiphon.protocol.adversary import Adversary
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.mechanism import ContinualMechanism


@attrs.frozen
class Player:
    """An adversary of the target."""

    name: str
    """What it says, in short: "1⁵ | 2⁵"."""
    adversary: Adversary = attrs.field(repr=False)


@attrs.frozen
class Truth:
    """What is known of a target, on the best of its players; None where it is not known."""

    exact: float | None = None
    """The true ε at the claimed δ; ``math.inf`` if no ε will do."""
    at_one_percent: float | None = None
    """ln(P/c) for the likeliest event with probability c = 0.01 in the other world."""
    delta: float | None = None
    """The true δ at the claimed ε."""


@attrs.frozen
class Entry:
    """A target of the corpus: (system, claim) and the players that test it.

    The claim is true iff ``private``; a false one has ``Status.REFUTED``.
    """

    name: str
    system: ContinualMechanism
    claim: Claim
    players: tuple[Player, ...]
    truth: Truth = Truth()
    samples: int = 200_000
    """Interactions in each world that tell a false claim from a true one."""
    thorough: int = 4_000_000
    """As many as bring the bound to the goal."""
    score: str = "auto"
    """How an audit ranks views: "places" where to learn from all of a view takes too long."""
    feature: Feature = attrs.field(default=tuple, repr=False)
    """What an audit is to read of a view, where the answers as they are would not do."""
    goal: float | None = None
    """The lower bound that an audit is to reach, at 90 % confidence, below 2·10⁸ samples …"""
    goal_of: Literal["epsilon", "delta"] = "epsilon"
    """… on this."""

    @property
    def private(self) -> bool:
        """Whether the claim is true."""
        return self.claim.status is not Status.REFUTED

    @property
    def parameters(self) -> tuple[ExactEpsilon, Fraction]:
        """(ε, δ) of the claim."""
        return self.claim.parameters

    @property
    def game(self) -> PrivacyGame:
        """The privacy game of the claim."""
        return PrivacyGame(self.system, self.claim.verification)
