"""Learners in a convex body that seldom move, and one that never moves for nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final

import attrs
import numpy as np

from antiphon.composition.guarantees.guarantee import guarantee
from antiphon.learners import ADVICE
from antiphon.learners.convex import Ball, Box, LinearLoss
from antiphon.learners.oco import DPOCO, LazyGibbs, LazyLeader
from antiphon.learners.oco.lazy_prefix import LazyPrefix, Steps, shown
from antiphon.mechanisms.counters.factors.rows import Row
from antiphon.protocol.adversary import adversary
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.messages import HALT, Pair, same
from antiphon.protocol.registry import register
from antiphon.selfcheck.corpus.entry import Entry, Player, Truth
from antiphon.selfcheck.corpus.inputs import saying
from antiphon.selfcheck.corpus.specimen import DELTA, NOT_DATA, UNKNOWN, Example, Specimen, broken

_SLOW: Final[dict[str, Any]] = {"samples": 8_000, "thorough": 16_000}
"""A call or two for each interaction."""
_LINE: Final[dict[str, Any]] = {
    "horizon": 2, "body": Box(dimension=1, half_width=99), "loss": LinearLoss(dimension=1, grid=1),
}  # fmt: skip
_RARE: Final = Fraction(1, 20)
"""δ of the claim of a lazy point."""
_STAYS: Final[dict[str, Any]] = {"sigma": 1, "cost": Fraction(1, 2), "clip": Fraction(1, 2)}


def specimens() -> Iterator[Specimen]:
    """Lazy leaders, and DP-OCO."""
    ball = Ball(dimension=2)
    kept = (_of_two(LazyLeader, **_STAYS), _of_two(LazyLeader, body=ball, **_STAYS))
    yield Specimen(LazyLeader, kept, tuple(_rows("a lazy leader", LazyLeader, CostlessLeader)))
    gibbs = tuple(_rows("a lazy point of a Gibbs law", LazyGibbs, CostlessGibbs))
    yield Specimen(LazyGibbs, (_of_two(LazyGibbs, **_STAYS),), gibbs)
    drawn = {"rate": 0.1, "beta": 0.1, "fakes": 0.25}
    theorem = {
        "horizon": 64, "rate": 0.1, "beta": 5e-5, "fakes": 0.9, "accounting": "theorem",
        "loose": 1e-9, "tail": 1e-3,
    }  # fmt: skip
    pair = _of_two(DPOCO, **drawn), _of_two(DPOCO, **theorem)
    yield Specimen(DPOCO, pair, tuple(_of_dp_oco()))


def _of_two(kind: Any, **parameters: Any) -> Example:
    given: dict[str, Any] = {"horizon": 8, "body": Box(dimension=2), "regulariser": 1.0}
    loss = LinearLoss(dimension=2, grid=4)
    return Example(kind(**given | {"loss": loss} | parameters), NOT_DATA)


def _rows(name: str, kind: Any, twin: Any) -> Iterator[Entry]:
    # With σ = 1 an ε is claimed that takes many samples to refute, and points of Gibbs are near 0.
    sigma = 2
    line = {**_LINE, **_STAYS, "regulariser": 0.5, "sigma": sigma}
    lazy, costless = kind(**line), twin(**line)
    claim = guarantee(lazy).claim(delta=_RARE)
    player = Player("towards y | away from y", listening)
    # With |y| so large it never moves in the one world, and may in the other.
    far = column_safe(partial(moved, float(sigma**2 * _STAYS["clip"] + Fraction(1, 2))))
    never = broken(f"{name}, never moved for nothing", costless, claim, player, Truth(math.inf))
    for row in (Entry(name, lazy, claim, (player,), UNKNOWN), never):
        yield attrs.evolve(row, feature=far, **_SLOW)


def _of_dp_oco() -> Iterator[Entry]:
    line: dict[str, Any] = {**_LINE, "rate": 0.1, "beta": 0.01, "fakes": 0.9, "regulariser": 1.0}
    honest, bare = DPOCO(**line), MeanDPOCO(**line)
    claim = guarantee(honest).claim(delta=DELTA)
    told = Pair(np.array([1]), np.array([-1]))
    player = saying("1 | -1, asked", [same(ADVICE), told, same(ADVICE)])
    yield attrs.evolve(Entry("DP-OCO", honest, claim, (player,), UNKNOWN), **_SLOW)
    mean = broken("DP-OCO at its mean", bare, claim, player, Truth(math.inf))
    yield attrs.evolve(mean, **_SLOW)


@adversary
@column_safe
def listening(answers: Sequence[Any], coins: Coins) -> object:
    """Asks, tells gradients towards and away from the noisy sum, which is -point, and asks."""
    if len(answers) == 1:
        towards = np.array([1 if answers[0][0] < 0 else -1])
        return Pair(towards, -towards)
    return same(ADVICE) if len(answers) < 3 else HALT


def moved(least: float, answers: Sequence[Any]) -> bool:
    """Whether it stood elsewhere afterwards, and so many steps or more from 0 before.

    A step towards y makes its log-ratio (2|y| - 1)/(2σ²), which is clipped from |y| = σ²w + ½ on.
    """
    return bool(abs(answers[0][0]) >= least and answers[0][0] != answers[2][0])


@attrs.frozen(kw_only=True)
class CostlessPrefix(LazyPrefix):
    """Without the cost: where the log-ratio is as large as it can be, it stays. Abstract."""

    def exponent(self, ratios: float) -> Fraction:
        return LazyPrefix.exponent(self, ratios) - self.cost


@register("antiphon.corpus.CostlessLeader/1")
@column_safe(of="loss")
@attrs.frozen(kw_only=True)
class CostlessLeader(CostlessPrefix, LazyLeader):
    """A lazy leader without it."""


@register("antiphon.corpus.CostlessGibbs/1")
@column_safe(of="loss")
@attrs.frozen(kw_only=True)
class CostlessGibbs(CostlessPrefix, LazyGibbs):
    """The other one."""


@register("antiphon.corpus.MeanDPOCO/1")
@column_safe(of="loss")
@attrs.frozen(kw_only=True)
class MeanDPOCO(DPOCO):
    """DP-OCO that stands where its law is largest."""

    def _drawn(self, total: Steps, coins: Coins) -> Row:
        place = np.array([float(each) for each in total]) * (-self._step / (2 * self.regulariser))
        return shown(self.body.project(place))
