"""Wiring with a bug: a composition that mixes up its children, a verifier that forgets."""

from __future__ import annotations

import attrs

from antiphon.composition.concurrent import Child, ConcurrentState, ExtConComp
from antiphon.protocol.coins import Coins
from antiphon.protocol.messages import Ask
from antiphon.protocol.registry import register
from antiphon.protocol.verification import Refused, Verification, read


@register("antiphon.corpus.SwapsStates/1")
@attrs.frozen
class SwapsStates(ExtConComp):
    """ExtConComp that exchanges the states of the mechanisms 2i and 2i+1 after a question to one.

    The verifier's account of who heard what is then wrong, so a mechanism can be asked
    more than its f allows.
    """

    def step(
        self, state: ConcurrentState, message: object, coins: Coins
    ) -> tuple[ConcurrentState, object]:
        after, answer = ExtConComp.step(self, state, message, coins)
        if type(message) is not Ask:
            return after, answer
        mine, other = message.index, message.index ^ 1
        children = self.children(after)
        one, two = children.get(mine), children.get(other)
        if one is None or two is None:
            return after, answer
        children = children.set(mine, Child(one.created, two.state))
        return children.set(other, Child(two.created, one.state)), answer


@register("antiphon.corpus.LastMessageOnly/1")
@attrs.frozen
class LastMessageOnly(Verification[int]):
    """What a verifier enforces that checks only the last message: each pair as if it came first."""

    verification: Verification

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state: int, zero: object, one: object, /) -> int | Refused:
        after = read(self.verification, self.verification.initial_state, zero, one)
        return after if type(after) is Refused else state
