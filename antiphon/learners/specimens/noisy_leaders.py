"""Learners of experts by noisy sums, and a dartboard with a budget."""

from __future__ import annotations

import math
from collections.abc import Iterator

import attrs
import numpy as np

from antiphon.composition.guarantees.guarantee import guarantee
from antiphon.learners import ADVICE, NoisyLeader, PrivateDartboard
from antiphon.learners.experts.noisy_leader import Led
from antiphon.learners.experts.weighted import times
from antiphon.learners.learner import Losses
from antiphon.mechanisms.counters.tree_counter import TreeCounter
from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.messages import Pair, same
from antiphon.protocol.registry import register
from antiphon.selfcheck.corpus.entry import Entry, Truth
from antiphon.selfcheck.corpus.inputs import saying
from antiphon.selfcheck.corpus.specimen import (
    DELTA,
    NOT_LOSSES,
    SLOW,
    UNKNOWN,
    Example,
    Specimen,
    broken,
)

_FIRST, _NONE = np.array([1, 0]), np.array([0, 0])


def specimens() -> Iterator[Specimen]:
    """A noisy leader, and a private dartboard."""
    yield _leader()
    yield _dartboard()


def _leader() -> Specimen:
    leader, peeks = (
        kind(rate=Log(9), counter=TreeCounter(horizon=1, epsilon=1, dimension=2))
        for kind in (NoisyLeader, PeekingLeader)
    )
    claim = guarantee(leader).claim()
    asked = saying("10 | 00, then asked", [Pair(_FIRST, _NONE), same(ADVICE)])
    # Of the losses themselves: 0 is followed with probability 1/10 or 1/2.
    told = Truth(math.log(5), delta=1 / 2 - math.e / 10)
    rows = (
        Entry("a noisy leader", leader, claim, (asked,), UNKNOWN),
        broken("a noisy leader that looks at the loss", peeks, claim, asked, told),
    )
    longer = NoisyLeader(rate=0.3, counter=TreeCounter(horizon=8, epsilon=1, dimension=2))
    examples = Example(longer, NOT_LOSSES), Example(leader, NOT_LOSSES)
    return Specimen(NoisyLeader, examples, tuple(attrs.evolve(row, **SLOW) for row in rows))


def _dartboard() -> Specimen:
    darts, costless = (
        kind(horizon=2, experts=2, rate=Log(5), cost=2, draws=1)
        for kind in (PrivateDartboard, CostlessDartboard)
    )
    claim = guarantee(darts).claim(delta=DELTA)
    asked = saying("10 | 00, asked", [same(ADVICE), Pair(_FIRST, _NONE), same(ADVICE)])
    # It follows 0, is told of a loss in one world only, leaves it, and draws 1.
    leaves = Truth(math.inf, delta=1 / 2 * 4 / 5 * 5 / 6)
    rows = (
        Entry("a private dartboard", darts, claim, (asked,), UNKNOWN),
        broken("a dartboard that never leaves for nothing", costless, claim, asked, leaves),
    )
    many = PrivateDartboard(horizon=8, experts=2, rate=Log(2), cost=1, draws=2)
    fine = attrs.evolve(many, rate=0.3, cost=0.7)
    examples = Example(many, NOT_LOSSES, finite=True), Example(fine, NOT_LOSSES)
    return Specimen(PrivateDartboard, examples, tuple(attrs.evolve(row, **SLOW) for row in rows))


@register("antiphon.corpus.PeekingLeader/1")
@column_safe(of="counter")
@attrs.frozen(kw_only=True)
class PeekingLeader(NoisyLeader):
    """Softmax of the last loss itself, whatever the counter says."""

    def _learn(self, state: Led, loss: Losses, coins: Coins) -> Led:
        after = NoisyLeader._learn(self, state, loss, coins)
        return after._replace(expert=self.softmax.drawn(loss, coins))


@register("antiphon.corpus.CostlessDartboard/1")
@attrs.frozen(kw_only=True)
class CostlessDartboard(PrivateDartboard):
    """A dartboard without the cost: an expert that lost nothing is never left."""

    def exponent(self, loss: int) -> ExactEpsilon:
        return times(self.unit, loss)
