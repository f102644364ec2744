"""Learners of experts, and one that is lazy for nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np

from antiphon.composition.guarantees.guarantee import guarantee
from antiphon.learners import ADVICE, Hedge, LazyExperts, ShrinkingDartboard, Softmax
from antiphon.learners.experts.weighted import times
from antiphon.mechanisms.noise.discrete import DiscreteLaplace
from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.cursor import LEFT, RIGHT, Side
from antiphon.protocol.messages import Pair, same
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Arrays
from antiphon.selfcheck.corpus.entry import Entry, Truth
from antiphon.selfcheck.corpus.inputs import saying
from antiphon.selfcheck.corpus.specimen import (
    DELTA,
    NOT_LOSSES,
    SLOW,
    UNKNOWN,
    Example,
    Link,
    Specimen,
    broken,
)


def specimens() -> Iterator[Specimen]:
    """Hedge, the shrinking dartboard, and lazy experts."""
    yield Specimen(Hedge, (_of_two(Hedge), _of_two(Hedge, rate=0.3)))
    yield Specimen(ShrinkingDartboard, (_of_two(ShrinkingDartboard),))
    lazy, costless = (
        kind(horizon=2, experts=2, rate=Log(5), cost=2) for kind in (LazyExperts, Costless)
    )
    claim = guarantee(lazy).claim(delta=DELTA)
    first, none = np.array([1, 0]), np.array([0, 0])
    asked = saying("10 | 00, asked", [same(ADVICE), Pair(first, none), same(ADVICE)])
    # It follows 0, is told of a loss in one world only, leaves it, and draws 1.
    leaves = Truth(math.inf, delta=1 / 2 * 4 / 5 * 5 / 6)
    rows = (
        Entry("lazy experts", lazy, claim, (asked,), UNKNOWN),
        broken("lazy experts that never leave for nothing", costless, claim, asked, leaves),
    )
    several = (
        _of_two(LazyExperts, cost=1),
        _of_two(LazyExperts, cost=1, batch=3),
        _of_two(LazyExperts, rate=0.3, cost=0.7),
    )
    yield _softmax()
    yield Specimen(LazyExperts, several, tuple(attrs.evolve(row, **SLOW) for row in rows))


def _softmax() -> Specimen:
    """On the left of one noisy answer."""
    softmax, peeks = Softmax(rate=Log(9)), PeekingSoftmax(rate=Log(9))
    noisy = DiscreteLaplace(epsilon=1, dimension=2)
    sums = Arrays((2,), "int64", -9, 9)
    asked = saying("10 | 00", [Pair(np.array([1, 0]), np.array([0, 0]))])
    system, peeking = softmax @ noisy, peeks @ noisy
    claim = guarantee(system).claim()
    # Of the losses themselves: 0 is followed with probability 1/10 or 1/2.
    told = Truth(math.log(5), delta=1 / 2 - math.e / 10)
    rows = (
        Entry("softmax of noisy sums", system, claim, (asked,), UNKNOWN),
        broken("softmax that looks at the loss", peeking, claim, asked, told),
    )
    link = Link(part=softmax, right=noisy, queries=sums, answers=sums)
    return Specimen(Softmax, (link,), tuple(attrs.evolve(row, **SLOW) for row in rows))


@register("antiphon.corpus.PeekingSoftmax/1")
@column_safe
@attrs.frozen(kw_only=True)
class PeekingSoftmax(Softmax):
    """Softmax of the last loss itself, whatever noise is on the right."""

    def step(
        self, state: Any, side: Side, message: object, coins: Coins
    ) -> tuple[Any, Side, object]:
        if side is LEFT:
            return message, RIGHT, message
        return Softmax.step(self, None, side, state, coins)


def _of_two(kind: Any, **parameters: Any) -> Example:
    learner = kind(**{"horizon": 8, "experts": 2, "rate": Log(2), **parameters})
    return Example(learner, NOT_LOSSES, finite="rate" not in parameters)


@register("antiphon.corpus.Costless/1")
@attrs.frozen(kw_only=True)
class Costless(LazyExperts):
    """Lazy experts without the cost: an expert that lost nothing is never left."""

    def exponent(self, loss: int) -> ExactEpsilon:
        return times(self.unit, loss)
