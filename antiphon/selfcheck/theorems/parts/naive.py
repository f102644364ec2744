"""∘* written literally from the paper's two algorithms, as references for flat chains."""

from __future__ import annotations

import attrs

from antiphon.protocol.coins import Coins
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.post_processor import LEFT, RIGHT, PostProcessor, Side
from antiphon.protocol.spaces import Signature


@attrs.frozen
class NaiveChain(ContinualMechanism):
    """P ∘* M by CM Alg. 1: step P on (L, m); while it sends right, M's answer comes back."""

    post_processor: PostProcessor
    mechanism: ContinualMechanism

    @property
    def signature(self) -> Signature:
        return self.post_processor.signature(self.mechanism.signature)

    @property
    def initial_state(self) -> tuple[object, object]:
        return self.post_processor.initial_state, self.mechanism.initial_state

    def step(
        self, state: tuple[object, object], message: object, coins: Coins
    ) -> tuple[tuple[object, object], object]:
        own, inner = state
        own, side, message = self.post_processor.step(own, LEFT, message, coins)
        while side is RIGHT:
            inner, answer = self.mechanism.step(inner, message, coins)
            own, side, message = self.post_processor.step(own, RIGHT, answer, coins)
        return (own, inner), message


@attrs.frozen
class NaiveLinks(PostProcessor):
    """P₁ ∘* P₂ by CM Alg. 2: a cursor walks between the two.

    ``skips`` is a cursor bug, for a broken twin: what P₂ sends left goes past P₁.
    """

    first: PostProcessor
    second: PostProcessor
    skips: bool = False

    @property
    def initial_state(self) -> tuple[object, object]:
        return self.first.initial_state, self.second.initial_state

    def signature(self, right: Signature) -> Signature:
        return self.first.signature(self.second.signature(right))

    def step(
        self, state: tuple[object, object], side: Side, message: object, coins: Coins
    ) -> tuple[tuple[object, object], Side, object]:
        one, two = state
        at_first = side is LEFT
        while True:
            if at_first:
                one, to, message = self.first.step(one, side, message, coins)
                if to is LEFT:
                    return (one, two), LEFT, message
                at_first, side = False, LEFT
            else:
                two, to, message = self.second.step(two, side, message, coins)
                if to is RIGHT or self.skips:
                    return (one, two), to, message
                at_first, side = True, RIGHT
