"""Learners in a body that draw nothing, and one that is said to be as still as the origin."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import attrs
import numpy as np

from antiphon.learners.convex import (
    Ball,
    Box,
    GradientDescent,
    LinearLoss,
    LogisticLoss,
    Origin,
)
from antiphon.learners.convex.bodies import Point
from antiphon.learners.convex.convex_losses import Datum
from antiphon.learners.learner import ADVICE
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.messages import Pair, freeze, same
from antiphon.protocol.registry import register
from antiphon.selfcheck.corpus.entry import Truth
from antiphon.selfcheck.corpus.inputs import saying
from antiphon.selfcheck.corpus.specimen import NOT_DATA, Example, Specimen, as_claimed, broken

_LINEAR: Final[dict[str, Any]] = {
    "horizon": 8, "body": Ball(dimension=2), "loss": LinearLoss(dimension=2, grid=4),
}  # fmt: skip
_LOGISTIC: Final[dict[str, Any]] = {
    "horizon": 8, "body": Box(dimension=1), "loss": LogisticLoss(dimension=1, grid=2),
}  # fmt: skip
_LEFT: Final = 1 << 30


def specimens() -> Iterator[Specimen]:
    """Gradient descent, and the origin."""
    yield Specimen(GradientDescent, _examples(GradientDescent))
    still, following = Origin(**_LINEAR), FollowingPoint(**_LINEAR)
    told = Pair(np.array([4, 0]), np.array([0, -4]))
    asked = saying("z | z', asked", [same(ADVICE), told, same(ADVICE)])
    apart = Truth(math.inf, delta=1.0)
    rows = (
        as_claimed("the origin", still, asked, Truth(0.0, delta=0.0)),
        broken("a point that follows the data", following, still.claims[0], asked, apart),
    )
    yield Specimen(Origin, _examples(Origin), rows)


def _examples(kind: Any) -> tuple[Example, ...]:
    return tuple(Example(kind(**each), NOT_DATA, finite=True) for each in (_LINEAR, _LOGISTIC))


@register("antiphon.corpus.FollowingPoint/1")
@attrs.frozen(kw_only=True)
class FollowingPoint(Origin):
    """The origin, which is left for good when a datum has a first entry."""

    def rounds(self, state: int) -> int:
        return state % _LEFT

    def _learn(self, state: int, loss: Datum, coins: Coins) -> int:
        return state + 1 + (_LEFT if loss[0] and state < _LEFT else 0)

    def _advise(self, state: int, coins: Coins) -> tuple[int, Point]:
        return state, self._point if state < _LEFT else freeze(np.ones(self.body.dimension))
