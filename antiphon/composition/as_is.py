"""A mechanism as it is, under a word of its own: what differs is what is said of it."""

from __future__ import annotations

import attrs

from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.mechanism import Answer, ContinualMechanism, Query, State
from antiphon.protocol.provenance import own
from antiphon.protocol.spaces import Signature


@attrs.frozen
class AsIs(ContinualMechanism[State, Query, Answer]):
    """M, state for state and answer for answer; subclasses add claims, and no behaviour."""

    mechanism: ContinualMechanism[State, Query, Answer]

    @property
    def signature(self) -> Signature:
        return self.mechanism.signature

    @property
    def initial_state(self) -> State:
        return self.mechanism.initial_state

    def step(self, state: State, message: Query, coins: Coins) -> tuple[State, Answer]:
        return self.mechanism.step(state, message, coins)

    def carries_data(self, state: State, message: Query) -> bool:
        return self.mechanism.carries_data(state, message)

    def is_over(self, state: State) -> bool:
        return self.mechanism.is_over(state)

    def failures(self, state: State) -> tuple[BaseException, ...]:
        return self.mechanism.failures(state)

    def inside(self, state: State) -> tuple[ContinualMechanism[State, Query, Answer], State]:
        return self.mechanism, state

    def why_halted(self, state: State) -> str | None:
        return self.mechanism.why_halted(state)


def bare(mechanism: ContinualMechanism) -> ContinualMechanism:
    """The mechanism that answers: M where this library says that another is M as it is."""
    while isinstance(mechanism, AsIs) and own(type(mechanism)):
        mechanism = mechanism.mechanism
    return mechanism
