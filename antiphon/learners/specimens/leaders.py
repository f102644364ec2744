"""DP-FTRL: a leader on noisy sums of gradients, and two that are not clipped, or remember."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final, NamedTuple

import attrs
import numpy as np

from antiphon.composition.guarantees.guarantee import guarantee
from antiphon.learners import ADVICE
from antiphon.learners.convex import (
    Ball,
    Box,
    HedgedLeader,
    LinearLoss,
    RegularisedLeader,
)
from antiphon.learners.convex.bodies import Point
from antiphon.learners.convex.convex_losses import Steps
from antiphon.mechanisms.counters import ExactSum
from antiphon.mechanisms.counters.tree_counter import GaussianTreeCounter
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.cursor import LEFT, Side
from antiphon.protocol.messages import TOP, Pair, same
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Arrays, Either, Finite
from antiphon.selfcheck.corpus.entry import Entry, Truth
from antiphon.selfcheck.corpus.inputs import saying
from antiphon.selfcheck.corpus.specimen import (
    DELTA,
    RHO,
    SLOW,
    UNKNOWN,
    Example,
    Link,
    Specimen,
    broken,
    gaussian_truth,
)

_STEPS: Final = 8


def specimens() -> Iterator[Specimen]:
    """The leader, and the sum without noise."""
    outside = (True, 2, 0.0, "0", None, (0,))
    exact = ExactSum(horizon=64), ExactSum(horizon=64, dimension=2, smallest=-3, largest=3)
    yield Specimen(ExactSum, (Example(exact[0], outside, finite=True), Example(exact[1], outside)))
    leader = _leader(RegularisedLeader)
    links = tuple(map(_link, (leader, _leader(RegularisedLeader, body=Box(dimension=2), growth=2))))
    yield Specimen(RegularisedLeader, (*links, _absent()), tuple(_rows(leader)))
    yield Specimen(
        HedgedLeader, (_link(_leader(HedgedLeader, caution=100, spread=4)),), tuple(_between())
    )


def _leader(kind: type[RegularisedLeader], **changed: Any) -> RegularisedLeader:
    parameters: dict[str, Any] = {
        "body": Ball(dimension=2), "loss": LinearLoss(dimension=2, grid=4), "steps": _STEPS,
        "clip": 1, "start": 1,
    }  # fmt: skip
    return kind(**parameters | changed)


def _counter(leader: RegularisedLeader, horizon: int) -> GaussianTreeCounter:
    return GaussianTreeCounter(
        horizon=horizon, rho=RHO, dimension=leader.width, sensitivity=leader.sensitivity,
        smallest=-leader.steps, largest=leader.steps,
    )  # fmt: skip


def _link(leader: RegularisedLeader) -> Link:
    sums = Arrays((leader.width,), "int64", -99, 99)
    return Link(
        part=leader, right=_counter(leader, 64), queries=Either((leader.data, Finite((ADVICE,)))),
        answers=Either((Finite((TOP,)), sums)),
    )  # fmt: skip


def _absent() -> Link:
    """Data that may be absent."""
    return _link(_leader(RegularisedLeader, zero_out=True))


def _rows(leader: RegularisedLeader) -> Iterator[Entry]:
    """One gradient, in opposite directions of full length, told by where it stands next."""
    claim = guarantee(leader @ _counter(leader, 1)).claim(delta=DELTA)
    told = saying("(1, 0) | (-1, 0)", [_opposite(4, 0), same(ADVICE)])
    corner = saying("(1, 1) | (-1, -1)", [_opposite(4, 4), same(ADVICE)])
    of_box, remembers = _wide(BoxClipped), _wide(Remembering)
    for entry in (
        Entry("DP-FTRL", _wide(RegularisedLeader), claim, (told, corner), gaussian_truth()),
        broken("DP-FTRL, clipped to a box only", of_box, claim, corner,
               gaussian_truth(Fraction(1 / math.sqrt(2)))),
        broken("DP-FTRL that stands where the datum says", remembers, claim, told,
               Truth(math.inf, delta=1.0)),
    ):  # fmt: skip
        yield attrs.evolve(entry, **SLOW)


def _wide(kind: type[RegularisedLeader]) -> Any:
    """Regularised so much that no point is projected: where it stands tells the sum."""
    leader = _leader(kind, start=10_000)
    return leader @ _counter(leader, 1)


def _between() -> Iterator[Entry]:
    """The second datum is told by what the bold leader loses more, and by nothing else."""
    honest, remembers = (
        _leader(kind, caution=100, spread=4) for kind in (HedgedLeader, HedgedRemembering)
    )
    right = _counter(honest, 2)
    claim = guarantee(honest @ right).claim(delta=DELTA)
    script = [same(np.array([4, 0])), _opposite(4, 0), same(ADVICE)]
    told = saying("(1, 0), then (1, 0) | (-1, 0)", script)
    known = Truth(math.inf, delta=1.0)
    for entry in (
        Entry("DP-FTRL between two leaders", honest @ right, claim, (told,), UNKNOWN),
        broken("DP-FTRL between two, where the datum says", remembers @ right, claim, told, known),
    ):
        yield attrs.evolve(entry, **SLOW)


def _opposite(*datum: int) -> Pair:
    return Pair(np.array(datum), -np.array(datum))


@register("antiphon.corpus.BoxClipped/1")
@column_safe
@attrs.frozen(kw_only=True)
class BoxClipped(RegularisedLeader):
    """Clips each coordinate by itself: so far, the counter on its right would see to it."""

    def gradient(self, point: Point, datum: Any) -> Steps:
        found = self.loss.gradient(point, datum) * (self.steps / self.clip)
        return np.clip(found, -self.steps, self.steps).astype(np.int64)


class RememberedDatum(NamedTuple):
    """A leader's state, and what no leader keeps."""

    known: Any
    held: Any = None


class _Memory(RegularisedLeader):
    """Stands where the last datum says, whatever was released."""

    def step(self, state: Any, side: Side, message: Any, coins: Coins) -> tuple[Any, Side, object]:
        known, held = state if isinstance(state, RememberedDatum) else RememberedDatum(state)
        if side is LEFT and type(message) is str and held is not None:
            return state, LEFT, held
        if side is LEFT and type(message) is np.ndarray:
            held = message / self.loss.grid
        after, to, out = RegularisedLeader.step(self, known, side, message, coins)
        return RememberedDatum(after, held), to, out


@register("antiphon.corpus.Remembering/1")
@column_safe
@attrs.frozen(kw_only=True)
class Remembering(_Memory):
    """A leader with a memory."""


@register("antiphon.corpus.HedgedRemembering/1")
@column_safe
@attrs.frozen(kw_only=True)
class HedgedRemembering(_Memory, HedgedLeader):
    """Two leaders with one."""
