"""Lazy experts of parts; and lazy experts that decide too often, or with one coin for two."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import attrs
import numpy as np

from antiphon.composition.complex_mechanism import ComplexMechanism
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.guarantees.guarantee import guarantee
from antiphon.learners import ADVICE, LazyExperts, LazyPolicy, StayBit
from antiphon.learners.experts.lazy_policy import Following
from antiphon.learners.experts.weighted import Holding, times
from antiphon.learners.learner import Losses
from antiphon.numbers.exact import Log
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.exchanges.processor import Exchanged
from antiphon.protocol.messages import Pair, same
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import BITS, Arrays, Either, Finite
from antiphon.selfcheck.corpus.entry import Entry, Truth
from antiphon.selfcheck.corpus.inputs import saying
from antiphon.selfcheck.corpus.specimen import (
    DELTA,
    NOT_BITS,
    SLOW,
    UNKNOWN,
    Example,
    Link,
    Specimen,
    broken,
    numbers,
)

_ZERO: Final = np.array([1, 0])
"""Expert 0 loses."""
_ONE: Final = np.array([0, 1])
_NONE: Final = np.array([0, 0])
_ASKED: Final = same(ADVICE)


def specimens() -> Iterator[Specimen]:
    """Stay bits, and what asks them."""
    learner = LazyExperts(horizon=2, experts=2, rate=Log(5), cost=2)
    bits = Example(StayBit(learner), NOT_BITS[1:], finite=True)
    decisions = tuple(attrs.evolve(row, **SLOW) for row in _of_a_bit(learner))
    yield Specimen(StayBit, (bits,), decisions)
    rows = (*_of_parts(learner), *_of_one(learner))
    policy = LazyPolicy(attrs.evolve(learner, horizon=8, cost=1), draws=2)
    losses = Arrays((2,), "int64", 0, 1)
    link = Link(
        part=policy, right=ExtConComp(), queries=Either((losses, Finite((ADVICE,)))), answers=BITS,
        hops=8,
    )  # fmt: skip
    whole = Example(ComplexMechanism(policy), ("count", (0, 1), np.array([0, 2])), finite=True)
    yield Specimen(LazyPolicy, (link, whole), tuple(attrs.evolve(row, **SLOW) for row in rows))


def _of_a_bit(learner: LazyExperts) -> Iterator[Entry]:
    """One decision."""
    bit, player = StayBit(learner), numbers(0, 1)
    claim = guarantee(bit).claim(delta=DELTA)
    yield Entry("a decision to stay", bit, claim, (player,), UNKNOWN)
    # With no loss it never leaves; with one it does with probability 4/5.
    leaves = Truth(math.inf, delta=4 / 5)
    yield broken(
        "a decision to stay that costs nothing", CostlessBit(learner), claim, player, leaves
    )


def _of_parts(learner: LazyExperts) -> Iterator[Entry]:
    """P ∘* ExtConComp."""
    player = saying("10 | 00, asked", [_ASKED, Pair(_ZERO, _NONE), _ASKED])
    system, unasked = (
        ComplexMechanism(kind(learner, draws=1)) for kind in (LazyPolicy, StaysUnasked)
    )
    claim = guarantee(system).claim(delta=DELTA)
    yield Entry("lazy experts of parts", system, claim, (player,), UNKNOWN)
    # It follows 0, is told of a loss in one world only, leaves it, and draws 1.
    leaves = Truth(math.inf, delta=1 / 2 * 124 / 125 * 5 / 6)
    yield broken("lazy experts of parts, of which one is not asked", unasked, claim, player, leaves)


def _of_one(learner: LazyExperts) -> Iterator[Entry]:
    """``LazyExperts`` with a slip, under its own claim."""
    often = saying("10 | 01, asked six times", [_ASKED, Pair(_ZERO, _ONE), *[_ASKED] * 6])
    late = DecidesWhenAsked(horizon=2, experts=2, rate=Log(5), cost=2)
    claim = guarantee(learner).claim(delta=DELTA)
    yield broken("lazy experts that decide when asked", late, claim, often, Truth(delta=0.80497))
    second = [_ASKED, same(_ZERO), _ASKED, Pair(_ZERO, _ONE), _ASKED]
    player = saying("10, then 10 | 01, asked", second)
    longer = {"horizon": 3, "experts": 2, "rate": Log(5), "cost": 2}
    claim = guarantee(LazyExperts(**longer)).claim(delta=DELTA)
    coin = OneCoin(**longer)
    yield broken("lazy experts with one coin", coin, claim, player, Truth(delta=0.41984))


@register("antiphon.corpus.CostlessBit/1")
@attrs.frozen
class CostlessBit(StayBit):
    """Stays with probability e^(-ηL): without a loss, always."""

    def respond(self, dataset: int, coins: Coins) -> int:
        return int(coins.bernoulli_exp(times(self.learner.unit, dataset)))


@register("antiphon.corpus.DecidesWhenAsked/1")
@attrs.frozen(kw_only=True)
class DecidesWhenAsked(LazyExperts):
    """Stays, or draws, whenever it is asked: as often as one likes for one loss."""

    def _advise(self, state: Holding, coins: Coins) -> tuple[Holding, int]:
        state, expert = LazyExperts._advise(self, state, coins)
        if state.rounds and not coins.bernoulli_exp(self.exponent(state.batch)):
            expert = self._drawn(state.scores, coins)
        return state._replace(expert=expert), expert

    def _learn(self, state: Holding, loss: Losses, coins: Coins) -> Holding:
        state, expert = LazyExperts._advise(self, state, coins)
        return Holding(state.rounds + 1, state.scores - loss, expert, int(loss[expert]))


@register("antiphon.corpus.OneCoin/1")
@attrs.frozen(kw_only=True)
class OneCoin(LazyExperts):
    """The coin u by which it leaves, u >= e^(-η(c+L)), also says whom it draws: whose share has u.

    Of two experts, with a rate ``Log(q)``.
    """

    def _learn(self, state: Holding, loss: Losses, coins: Coins) -> Holding:
        state, expert = LazyExperts._advise(self, state, coins)
        rounds, scores = state.rounds + 1, state.scores - loss
        batch = state.batch + int(loss[expert])
        if rounds % self.batch or rounds == self.horizon:
            return Holding(rounds, scores, expert, batch)
        exponent, unit, (zero, one) = self.exponent(batch), self.unit, scores.tolist()
        assert isinstance(exponent, Log)
        assert isinstance(unit, Log)
        stays, first = 1 / exponent.argument, 1 / (1 + unit.argument ** (one - zero))
        drawn = max(first, stays) - stays
        told = coins.categorical((stays, drawn, 1 - stays - drawn))
        return Holding(rounds, scores, (expert, 0, 1)[told])


@register("antiphon.corpus.StaysUnasked/1")
@attrs.frozen
class StaysUnasked(LazyPolicy):
    """Asks for no decision after a batch without a loss: where it sends depends on the data.

    For one decision.
    """

    def exchange(self, state: Following, message: Any) -> Exchanged[Following]:
        lost = type(message) is not str and message[state.expert or 0]
        if type(message) is str or lost or state.batch:
            return (yield from LazyPolicy.exchange(self, state, message))
        state, answer = yield from LazyPolicy.exchange(self, state._replace(refused=True), message)
        return state._replace(refused=False), answer
