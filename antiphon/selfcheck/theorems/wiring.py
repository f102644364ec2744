"""Algorithms 1 and 2, and associativity: flat chains against the algorithms as printed."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import attrs

from antiphon.protocol.chain import PostProcessor
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.cursor import LEFT, RIGHT, Side
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.spaces import Signature
from antiphon.selfcheck.theorems.parts.finite import WALK
from antiphon.selfcheck.theorems.theorem import Check, Evidence, same_views


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


ROUNDS = 3


@attrs.frozen
class Talker(PostProcessor[tuple[int, int, int]]):
    """Asks its right some more, led by the answers, before it answers; on bits.

    ``extra``: how many further questions; ``early``: every early-th left message is
    answered at once with what was heard last; ``noisy``: an answer is flipped w.p. 1/3.
    """

    extra: int
    early: int = 0
    noisy: bool = False

    @property
    def initial_state(self) -> tuple[int, int, int]:
        return 0, 0, 0

    def step(
        self, state: tuple[int, int, int], side: Side, message: int, coins: Coins
    ) -> tuple[tuple[int, int, int], Side, int]:
        lefts, pending, heard = state
        if side is LEFT:
            lefts += 1
            if self.early and lefts % self.early == 0:
                return (lefts, 0, heard), LEFT, message ^ heard
            return (lefts, self.extra, heard), RIGHT, 1 - message
        flip = int(self.noisy and coins.bernoulli(Fraction(1, 3)))
        if pending:
            return (lefts, pending - 1, message), RIGHT, message ^ flip
        return (lefts, 0, message), LEFT, message ^ flip


PARTS = Talker(1, noisy=True), Talker(0, early=2), Talker(1)

SECTION = (2, 14)


def checks() -> Iterable[Check]:
    """The rows."""
    p1, p2, p3 = PARTS
    yield Check("Alg. 1-2", "P₁∘*(P₂∘*(P₃∘*walk)), Alg. 1 as printed", lambda: _same(
        NaiveChain(p1, NaiveChain(p2, NaiveChain(p3, WALK)))
    ))  # fmt: skip
    two = Check("Alg. 1-2", "((P₁∘*P₂)∘*P₃)∘*walk, Alg. 2 as printed", _linked)
    yield two
    yield Check("Alg. 1-2", "(P₁∘*(P₂∘*P₃))∘*walk: associativity", lambda: _same(
        NaiveChain(NaiveLinks(p1, NaiveLinks(p2, p3)), WALK)
    ))  # fmt: skip
    yield two.twin("a cursor that goes past P₁ on its way left", skips=True)


def _linked(*, skips: bool = False) -> Evidence:
    p1, p2, p3 = PARTS
    return _same(NaiveChain(NaiveLinks(NaiveLinks(p1, p2, skips=skips), p3), WALK))


def _same(reference: NaiveChain) -> Evidence:
    """Both bracketings of the flat chain against a reference."""
    p1, p2, p3 = PARTS
    flat = [((p1 @ p2) @ p3) @ WALK, p1 @ (p2 @ (p3 @ WALK))]
    return same_views([(chain, reference) for chain in flat], ROUNDS, (0, 1))
