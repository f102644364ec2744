"""Example learners ("specimens") in a convex body, for the self-check: deterministic ones, lazy
ones, and leaders on noisy sums of gradients; and broken twins of them.

The twins follow the data, never move without a loss, do not clip, or remember data.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final, NamedTuple

import attrs
import numpy as np

from antiphon.composition.guarantees.guarantee import guarantee
from antiphon.learners import ADVICE, convex
from antiphon.learners.convex import Ball, Box, HedgedLeader, LinearLoss, Origin, RegularisedLeader
from antiphon.learners.convex.convex_learner import Steps
from antiphon.learners.convex.convex_losses import Point
from antiphon.learners.convex.leader import OneStance, SumLeader
from antiphon.learners.oco import DPOCO, LazyGibbs, LazyLeader, lazy_prefix
from antiphon.learners.oco.dp_oco import PairedPoints
from antiphon.learners.specimens import Altered, TwinMechanism, TwinProcessor
from antiphon.mechanisms.counters import ExactSum
from antiphon.mechanisms.counters.factors.rows import Row
from antiphon.mechanisms.counters.tree_counter import GaussianTreeCounter
from antiphon.protocol import LEFT, Arrays, Coins, Either, Finite, Side, column_safe, register
from antiphon.protocol.adversary import adversary
from antiphon.protocol.messages import HALT, TOP, Pair, freeze, same
from antiphon.selfcheck.corpus import specimen
from antiphon.selfcheck.corpus.entry import Entry, Player, Truth, saying

_GRADIENT: Final = 8
"""The number of steps into which the length of the longest gradient is divided."""
_SLOW: Final[dict[str, Any]] = {"samples": 8_000, "thorough": 16_000}
"""Smaller numbers of samples for learners whose plays are slow, with a Python call or two for each
message."""
_RARE: Final = Fraction(1, 20)
"""The δ at which the claims of lazy learners in a body are tested."""
_STAYS: Final[dict[str, Any]] = {"sigma": 1, "cost": Fraction(1, 2), "clip": Fraction(1, 2)}
_LINE: Final[dict[str, Any]] = {
    "horizon": 2, "body": Box(dimension=1, half_width=99), "loss": LinearLoss(dimension=1, grid=1),
}  # fmt: skip
_PLANE: Final[dict[str, Any]] = {
    "horizon": 8, "body": Ball(dimension=2), "loss": LinearLoss(dimension=2, grid=4),
}  # fmt: skip
_LOGISTIC: Final[dict[str, Any]] = {
    "horizon": 8, "body": Box(dimension=1), "loss": convex.LogisticLoss(dimension=1, grid=2),
}  # fmt: skip


def specimens() -> Iterator[specimen.Specimen]:
    """The example learners in a convex body: gradient descent, the origin, lazy learners, and
    leaders on noisy or exact sums."""
    yield specimen.Specimen(*_still(convex.GradientDescent))
    yield _origin()
    yield from _lazy_points()
    yield from _leaders()


def _still(kind: Any) -> tuple[specimen.Example, ...]:
    given = _PLANE, _LOGISTIC
    return tuple(specimen.Example(kind(**each), specimen.NOT_DATA, finite=True) for each in given)


def _origin() -> specimen.Specimen:
    still = Origin(**_PLANE)
    told = Pair(np.array([4, 0]), np.array([0, -4]))
    asked = saying("z | z', asked", [same(ADVICE), told, same(ADVICE)])
    apart = Truth(math.inf, delta=1.0)
    rows = (
        specimen.as_claimed("the origin", still, asked, Truth(0.0, delta=0.0)),
        specimen.broken(
            "a point that follows the data", FollowingPoint(still), still.claims[0], asked, apart
        ),
    )
    return specimen.Specimen(*_still(Origin), *rows)


# --- lazy learners -------------------------------------------------------------------------------


def _lazy_points() -> Iterator[specimen.Specimen]:
    kept = _of_two(LazyLeader, **_STAYS), _of_two(LazyLeader, **_STAYS, body=Ball(dimension=2))
    yield specimen.Specimen(*kept, *tuple(_lazy("a lazy leader", LazyLeader)))
    gibbs = tuple(_lazy("a lazy point of a Gibbs law", LazyGibbs))
    yield specimen.Specimen(_of_two(LazyGibbs, **_STAYS), *gibbs)
    drawn = {"rate": 0.1, "beta": 0.1, "fakes": 0.25}
    theorem = {
        "horizon": 64, "rate": 0.1, "beta": 5e-5, "fakes": 0.9, "accounting": "theorem",
        "loose": 1e-9, "tail": 1e-3,
    }  # fmt: skip
    pair = _of_two(DPOCO, **drawn), _of_two(DPOCO, **theorem)
    yield specimen.Specimen(*pair, *tuple(_of_dp_oco()))


def _of_two(kind: Any, **parameters: Any) -> specimen.Example:
    given = {**_PLANE, "body": Box(dimension=2), "regulariser": 1.0, **parameters}
    return specimen.Example(kind(**given), specimen.NOT_DATA)


def _lazy(name: str, kind: Any) -> Iterator[Entry]:
    """Cases of the self-check: a lazy learner, and its broken twin without the cost c, which always
    keeps its noisy sum if the log-ratio is as large as possible."""
    # With noise of deviation 1 more samples are needed to refute the claimed ε, and points of
    # ``LazyGibbs`` are near 0.
    sigma = 2
    honest = kind(**_LINE, **{**_STAYS, "regulariser": 0.5, "sigma": sigma})
    twin = Altered(honest, (("cost", Fraction(0)),))
    player = Player("towards y | away from y", listening)
    # From this noisy sum on, the twin always keeps its point in world 0, and may draw anew in world
    # 1.
    far = column_safe(partial(moved, float(sigma**2 * _STAYS["clip"] + Fraction(1, 2))))
    for row in specimen.derived(
        name, honest, f"{name}, never moved for nothing", twin, player, Truth(math.inf), _RARE,
    ):  # fmt: skip
        yield attrs.evolve(row, feature=far, **_SLOW)


def _of_dp_oco() -> Iterator[Entry]:
    line: dict[str, Any] = {**_LINE, "rate": 0.1, "beta": 0.01, "fakes": 0.9, "regulariser": 1.0}
    told = Pair(np.array([1]), np.array([-1]))
    player = saying("1 | -1, asked", [same(ADVICE), told, same(ADVICE)])
    for row in specimen.derived(
        "DP-OCO", DPOCO(**line), "DP-OCO at its mean", MeanDPOCO(**line), player, Truth(math.inf),
        specimen.DELTA,
    ):  # fmt: skip
        yield attrs.evolve(row, **_SLOW)


@adversary
@column_safe
def listening(answers: Sequence[Any], coins: Coins) -> object:
    """An adversary that asks for the point, sends a gradient towards the noisy sum y (which is
    minus the point) in world 0 and away from it in world 1, and asks again."""
    if len(answers) == 1:
        towards = np.array([1 if answers[0][0] < 0 else -1])
        return Pair(towards, -towards)
    return same(ADVICE) if len(answers) < 3 else HALT


def moved(least: float, answers: Sequence[Any]) -> bool:
    """Whether the point changed between the two questions, and was at least ``least`` from 0
    before.

    A step towards the noisy sum y has the log-ratio (2|y| - 1)/(2σ²), clipped from |y| = σ²w+½ on.
    """
    return bool(abs(answers[0][0]) >= least and answers[0][0] != answers[2][0])


# --- leaders on noisy sums ------------------------------------------------------------------------


def _leaders() -> Iterator[specimen.Specimen]:
    """The examples of DP-FTRL's leaders and of the exact sum, with their broken twins."""
    outside = (True, 2, 0.0, "0", None, (0,))
    exact = ExactSum(horizon=64), ExactSum(horizon=64, dimension=2, smallest=-3, largest=3)
    yield specimen.Specimen(
        specimen.Example(exact[0], outside, finite=True), specimen.Example(exact[1], outside)
    )
    leader, of_box, may_be_absent = (
        _leader(RegularisedLeader, **changed)
        for changed in ({}, {"body": Box(dimension=2), "growth": 2}, {"zero_out": True})
    )
    links = tuple(map(_link, (leader, of_box, may_be_absent)))
    yield specimen.Specimen(*links, *specimen.slow(*_one_gradient(leader)))
    hedged = _link(_leader(HedgedLeader, caution=100, spread=4))
    yield specimen.Specimen(hedged, *specimen.slow(*_between()))


def _leader(kind: type[SumLeader], **changed: Any) -> SumLeader:
    parameters: dict[str, Any] = {
        "body": Ball(dimension=2), "loss": LinearLoss(dimension=2, grid=4), "steps": _GRADIENT,
        "clip": 1, "start": 1,
    }  # fmt: skip
    return kind(**parameters | changed)


def _counter(leader: SumLeader, horizon: int) -> GaussianTreeCounter:
    return GaussianTreeCounter(
        horizon=horizon, rho=specimen.RHO, dimension=leader.width, sensitivity=leader.sensitivity,
        smallest=-leader.steps, largest=leader.steps,
    )  # fmt: skip


def _link(leader: SumLeader) -> specimen.Link:
    sums = Arrays((leader.width,), "int64", -99, 99)
    return specimen.Link(
        part=leader, right=_counter(leader, 64), queries=Either((leader.data, Finite((ADVICE,)))),
        answers=Either((Finite((TOP,)), sums)),
    )  # fmt: skip


def _one_gradient(leader: SumLeader) -> tuple[Entry, ...]:
    """Cases of the self-check: DP-FTRL after a single gradient of full length, opposite in the two
    worlds; the next point reveals it."""
    claim = guarantee(leader @ _counter(leader, 1)).claim(delta=specimen.DELTA)
    told = saying("(1, 0) | (-1, 0)", [_opposite(4, 0), same(ADVICE)])
    corner = saying("(1, 1) | (-1, -1)", [_opposite(4, 4), same(ADVICE)])
    of_box, wide = _wide(BoxClipped), _wide(RegularisedLeader)
    remembers = Remembering(wide.links[0]) @ wide.mechanism
    known = specimen.gaussian_truth(), specimen.gaussian_truth(Fraction(1 / math.sqrt(2)))
    return (
        Entry("DP-FTRL", wide, claim, (told, corner), known[0]),
        specimen.broken("DP-FTRL, clipped to a box only", of_box, claim, corner, known[1]),
        specimen.broken("DP-FTRL that stands where the datum says", remembers, claim, told,
               Truth(math.inf, delta=1.0)),
    )  # fmt: skip


def _wide(kind: type[SumLeader]) -> Any:
    """A leader regularised so strongly that no point is projected to the body: so the point
    determines the noisy sum."""
    leader = _leader(kind, start=10_000)
    return leader @ _counter(leader, 1)


def _between() -> tuple[Entry, ...]:
    """Cases of the self-check: the hedged leader, where the second datum changes only the
    difference of the losses of the bold and the cautious leader."""
    honest = _leader(HedgedLeader, caution=100, spread=4)
    right = _counter(honest, 2)
    script = [same(np.array([4, 0])), _opposite(4, 0), same(ADVICE)]
    return specimen.derived(
        "DP-FTRL between two leaders", honest @ right,
        "DP-FTRL between two, where the datum says", Remembering(honest) @ right,
        saying("(1, 0), then (1, 0) | (-1, 0)", script), Truth(math.inf, delta=1.0), specimen.DELTA,
    )  # fmt: skip


def _opposite(*datum: int) -> Pair:
    return Pair(np.array(datum), -np.array(datum))


# --- broken twins of learners in a convex body ----------------------------------------------------


@register("antiphon.corpus.FollowingPoint/1")
@attrs.frozen
class FollowingPoint(TwinMechanism):
    """A broken twin of ``Origin``: the point leaves the origin for good when a datum has a nonzero
    first entry."""

    def step(self, state: int, message: Any, coins: Coins) -> tuple[int, Any]:
        if type(message) is not str:
            return state or int(message[0] != 0), TOP
        return state, freeze(np.full(self.honest.body.dimension, float(state)))


@register("antiphon.corpus.MeanDPOCO/1")
@column_safe(of="loss")
@attrs.frozen(kw_only=True)
class MeanDPOCO(PairedPoints):
    """A broken ``DPOCO`` that plays the most likely point instead of a random point."""

    def _drawn(self, total: lazy_prefix.Steps, coins: Coins) -> Row:
        place = np.array([float(each) for each in total]) * (-self._step / (2 * self.regulariser))
        return lazy_prefix.shown(self.body.project(place))


@register("antiphon.corpus.BoxClipped/1")
@column_safe
@attrs.frozen(kw_only=True)
class BoxClipped(OneStance):
    """A broken leader that clips each coordinate of a gradient separately, so that its ℓ₂ norm may
    be too large."""

    def gradient(self, point: Point, datum: Any) -> Steps:
        found = self.loss.gradient(point, datum) * (self.steps / self.clip)
        return np.clip(found, -self.steps, self.steps).astype(np.int64)


class RememberedDatum(NamedTuple):
    """The state of ``Remembering``: the honest leader's state, and the last datum."""

    known: Any
    held: Any = None


@register("antiphon.corpus.Remembering/1")
@column_safe
@attrs.frozen
class Remembering(TwinProcessor):
    """A broken leader whose point is the last datum, whatever the counter answered."""

    deterministic = True

    def step(self, state: Any, side: Side, message: Any, coins: Coins) -> tuple[Any, Side, object]:
        known, held = state if isinstance(state, RememberedDatum) else RememberedDatum(state)
        if side is LEFT and type(message) is str and held is not None:
            return state, LEFT, held
        if side is LEFT and type(message) is np.ndarray:
            held = message / self.honest.loss.grid
        after, to, out = self.honest.step(known, side, message, coins)
        return RememberedDatum(after, held), to, out
