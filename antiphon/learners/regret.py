"""Regret: a learner's excess loss over the best fixed expert or point, or over a sequence of
experts."""

import math
from collections import deque
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Final, TypeVar, overload

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.learners.convex.convex_losses import (
    AbsoluteLoss,
    Body,
    ConvexLoss,
    Datum,
    Point,
    Values,
)
from antiphon.learners.learner import ADVICE, Losses
from antiphon.numbers import InvalidArgument, exact
from antiphon.protocol import TOP, Arrays, View

ACCURACY: Final = 1e-6
"""The gap per datum, between the least value found and a lower bound, at which a search stops."""
_STEPS: Final = (16, 1000)
"""The least and the largest number of steps of one gradient descent; in between, as many as the
loss's limit ``looks`` on its evaluations allows."""
_WIDTHS: Final = 12
"""The number of smooth approximations of a loss with kinks that a search minimises, the width of
each a quarter of the one before."""
_EASE: Final = 0.95
"""The factor by which a gradient descent lowers its estimate of the curvature after each step, so
that steps may become longer."""
_TANGENTS: Final = 1000
"""A lower bound is computed from at most this number of tangents, the latest of a descent."""
_MIXTURES: Final = 300
"""The number of weighted means of tangents that are tried for a lower bound."""
_ROUNDING: Final = 1e-13
"""The relative rounding error of a value of the loss that a gradient descent allows for."""


@attrs.frozen
class Optimum:
    """A point with nearly the least sum of losses F on a body, and a certificate: value - gap <=
    min F <= value = F(point), up to rounding."""

    point: Point
    value: float
    gap: float


def optimum(
    loss: ConvexLoss,
    body: Body,
    table: Datum,
    counts: Datum | None = None,
    *,
    start: Point | None = None,
    accuracy: float = ACCURACY,
) -> Optimum:
    """A point of the body with nearly the least F(x) = Σ count·ℓ(x; z), summed over the rows z of a
    table, and a certified gap to the minimum.

    Method: accelerated projected gradients, with ever less smoothing of losses with kinks. The gap
    is certified, assuming convexity only: a linear function a + ⟨g, x⟩ that is nowhere above F has
    its least value on the body where ⟨g, x⟩ is least, in closed form; for tangents it is the gap of
    Frank and Wolfe (Jaggi 2013, §2). The best of all tangents, and of mixtures of them, counts. The
    search stops at a gap of ``accuracy`` for each datum, or at a limit of steps, so check the gap.

    >>> from antiphon.learners.convex import AbsoluteLoss, Ball
    >>> loss = AbsoluteLoss(dimension=1, grid=4)
    >>> found = optimum(loss, Ball(dimension=1), np.array([[4, 1], [4, 2], [4, 4]]))
    >>> found.gap < 1e-5, round(float(found.point[0]), 3), round(found.value, 5)
    (True, 0.5, 0.75)
    """
    rows = table.astype(np.float64)
    weights = np.ones(len(rows)) if counts is None else counts.astype(np.float64)
    enough = accuracy * float(weights.sum())
    origin = np.zeros(body.dimension) if start is None else start
    corner = body.least(loss.total(origin, rows, weights)[1])
    value, point = min(
        ((loss.total(each, rows, weights)[0], each) for each in (origin, corner)),
        key=lambda pair: pair[0],
    )
    best, least, width = point, -math.inf, 1.0
    kinked = loss if isinstance(loss, AbsoluteLoss) else None
    for _ in range(_WIDTHS):
        smooth = kinked.smoothed(width) if kinked else loss
        # The smoothed loss is minimised only as accurately as it approximates the loss.
        rough = 0.0 if smooth is loss else width * float(weights.sum()) / 256
        point, low = _descent(smooth, body, point, rows, weights, max(enough / 2, rough))
        given = point, rows, weights
        line, slope = kinked.line(*given, width) if kinked else loss.total(*given)
        least = max(least, low, line + _below(body, slope, point))
        reached = loss.total(point, rows, weights)[0]
        if reached < value:
            best, value = point, reached
        if value - least <= enough or smooth is loss:
            break
        width /= 4
    return Optimum(best, value, max(value - least, 0.0))


def _below(body: Body, slope: Point, point: Point) -> float:
    """The least value on the body of the linear function ⟨slope, x - point⟩ of x; at most 0."""
    return float(slope @ (body.least(slope) - point))


def _descent(
    loss: ConvexLoss, body: Body, point: Point, rows: Values, weights: Values, enough: float
) -> tuple[Point, float]:
    """The point that accelerated projected gradient descent reaches, and a lower bound on the least
    sum of losses from the tangents on the way.

    The step length adapts to the observed curvature. Source: Beck and Teboulle 2009; restarted
    where progress reverses: O'Donoghue and Candès 2015.
    """
    ahead, pace, curvature, least = point, 1.0, float(weights.sum()) / 64, -math.inf
    kept = max(1, min(_TANGENTS, (1 << 24) // len(point)))
    offsets, slopes = deque[float](maxlen=kept), deque[Point](maxlen=kept)
    fewest, most = _STEPS
    for _ in range(max(fewest, min(most, loss.looks // len(rows)))):
        value, slope = loss.total(ahead, rows, weights)
        least = max(least, value + _below(body, slope, ahead))
        offsets.append(value - float(slope @ ahead))
        slopes.append(slope)
        slack = _ROUNDING * abs(value)
        while True:
            found = body.project(ahead - slope / curvature)
            move = found - ahead
            reached = loss.total(found, rows, weights)[0]
            if reached <= value + float(slope @ move + curvature / 2 * (move @ move)) + slack:
                break
            curvature *= 2
        if reached - least <= enough:
            return found, least
        faster = (1 + math.sqrt(1 + 4 * pace**2)) / 2
        if slope @ (found - point) > 0:
            faster, pace = 1.0, 1.0
        point, ahead = found, found + (pace - 1) / faster * (found - point)
        pace, curvature = faster, curvature * _EASE
    return point, max(least, mixed(body, np.array(offsets), np.array(slopes)))


def mixed(body: Body, offsets: Values, slopes: Values) -> float:
    """A lower bound on the minimum of a sum of losses, from weighted means of its tangents, which
    are often better than any single tangent.

    Each mixture is linear, and nowhere above F. Weights on the tangents play against points by
    multiplicative weights (Freund and Schapire 1999): their mean is nearly optimal.
    """
    logs, total = np.zeros(len(offsets)), np.zeros(len(offsets))
    best, pace = -math.inf, math.sqrt(len(offsets))
    for number in range(1, _MIXTURES + 1):
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        total += weights
        for mixture in (total / number, weights):
            heights = offsets + slopes @ body.least(mixture @ slopes)
            best = max(best, float(mixture @ heights))
        logs += pace / math.sqrt(number) * heights / (float(abs(heights).max()) or 1.0)
    return best


@attrs.frozen(eq=False)
class ConvexRegret:
    """The points and the data of a game in a convex body, a row for each round, and the regret
    computed from them."""

    shown: Values = attrs.field(repr=False)
    data: Datum = attrs.field(repr=False)
    loss: ConvexLoss
    body: Body

    @property
    def own(self) -> Values:
        """The learner's total loss after each round."""
        return np.cumsum(self.loss.values(self.shown, self.data))

    @cached_property
    def best(self) -> Optimum:
        """The best fixed point in hindsight, with a certified gap to the true minimum."""
        if not len(self.data):
            return Optimum(np.zeros(self.body.dimension), 0.0, 0.0)
        once = np.ones(len(self.data), np.int64)
        return optimum(self.loss, self.body, *self.loss.merged(self.data, once))

    @property
    def total(self) -> float:
        """The regret after the last round, against the point that was found; the true regret is at
        most ``gap`` larger."""
        return float(self.own[-1]) - self.best.value if len(self.data) else 0.0

    @property
    def gap(self) -> float:
        """The largest amount by which the true regret may exceed ``total``."""
        return self.best.gap


Curve = NDArray[np.float64]
"""The type of an array of figures (such as regret), one for each round 1, …, T."""


class BestInTurn:
    """The least total loss of a sequence of experts with at most ``shifts`` changes, updated as
    losses come.

    Raises: InvalidArgument for shifts that are no int >= 0.
    """

    def __init__(self, shifts: int, experts: int) -> None:
        exact.natural(shifts, "shifts")
        self._least = np.zeros((shifts + 1, experts), np.int64)
        """The least total loss so far, by [largest number of changes, expert followed in the last
        round]."""

    def after(self, losses: Losses) -> Losses:
        """The least total loss after each of the next rounds, which have these losses."""
        least, best = self._least, np.empty(len(losses), np.int64)
        for time, loss in enumerate(losses):
            change = least.min(axis=1, keepdims=True)
            np.minimum(least[1:], change[:-1], out=least[1:])
            least += loss
            best[time] = least[-1].min()
        return best


@attrs.frozen(eq=False)
class Regret:
    """The advice and the losses of a game of experts, a row for each round, and the regret computed
    from them."""

    shown: Losses = attrs.field(repr=False)
    losses: Losses = attrs.field(repr=False)
    grid: int = 1

    @property
    def own(self) -> Curve:
        """The learner's total loss after each round."""
        rounds = np.arange(len(self.losses))
        return np.cumsum(self.losses[rounds, self.shown]) / self.grid

    @property
    def fixed(self) -> Curve:
        """The regret after each round, against the best expert up to this round."""
        best: Curve = np.cumsum(self.losses, axis=0).min(axis=1) / self.grid
        return self.own - best

    def shifting(self, shifts: int) -> Curve:
        """Dynamic regret after each round: against the best sequence of experts with at most
        ``shifts`` changes.

        Raises: InvalidArgument for shifts that are no int >= 0.
        """
        best = BestInTurn(shifts, self.losses.shape[1]).after(self.losses)
        return self.own - best / self.grid

    @property
    def total(self) -> float:
        """The regret after the last round; 0 without rounds."""
        return float(self.fixed[-1]) if len(self.losses) else 0.0


@overload
def regret_of(view: View, *, grid: int | None = None) -> Regret: ...


@overload
def regret_of(view: View, *, loss: ConvexLoss, body: Body) -> ConvexRegret: ...


def regret_of(
    view: View, *, grid: int | None = None, loss: ConvexLoss | None = None, body: Body | None = None
) -> Regret | ConvexRegret:
    """The learner's regret in a game, from its view; a last round without a loss is left out.

    Args: ``grid``, for a game of experts, whose losses are in steps of 1/grid; None: the grid of
    the game, or else of the learner, in the view, or 1. ``loss`` and ``body``, for a game in a
    body, where the best in hindsight is known up to a certified gap. Raises: InvalidArgument for a
    loss without advice since the last loss; for another ``grid`` than in the view; for ``loss``
    without ``body`` or the reverse; for a view of another kind of game.

    >>> import antiphon as ap
    >>> from antiphon.learners import Hedge, games
    >>> game = games.BlameShown(rounds=8, experts=2)
    >>> view = ap.interact(game, Hedge(horizon=8, experts=2, rate=1), seed=1)
    >>> float(regret_of(view).own[-1])
    8.0
    """
    if (loss is None) != (body is None):
        raise InvalidArgument("give the loss and the body, both, of a game in a body")
    exchanges = zip(view.messages, view.answers, strict=True)
    if loss is None or body is None:
        shown, losses = _rounds(exchanges, int)
        table = np.array(losses, np.int64) if losses else np.zeros((0, 1), np.int64)
        return Regret(np.array(shown, np.int64), table, _grid(view, grid))
    points, data = _rounds(exchanges, np.ndarray)
    return ConvexRegret(_table(points, body.points), _table(data, loss.data), loss, body)


def _grid(view: View, given: int | None) -> int:
    """The grid of the losses in a view. Raises: InvalidArgument if the view names another."""
    for party in (view.header.adversary, view.header.system):
        parameters = party.get("parameters") if isinstance(party, dict) else None
        found = parameters.get("grid") if isinstance(parameters, dict) else None
        if type(found) is int and found > 0:
            if given not in (None, found):
                raise InvalidArgument(f"the view's game has grid={found}: leave grid= out")
            return found
    return 1 if given is None else given


Shown = TypeVar("Shown")


def _rounds(
    exchanges: Iterable[tuple[object, object]], kind: type[Shown]
) -> tuple[list[Shown], list[Losses]]:
    """The advice and the losses of all rounds in which a loss came."""
    shown, losses, advice = list[Shown](), list[Losses](), None
    for message, answer in exchanges:
        if type(message) is str and message == ADVICE and type(answer) is kind:
            advice = answer
        elif type(message) is np.ndarray and answer is TOP:
            if advice is None:
                raise InvalidArgument(
                    "a loss has no advice before it: ask for ADVICE each round; the advice is an "
                    "expert, or with loss= and body= a point"
                )
            shown.append(advice)
            losses.append(message)
            advice = None
    return shown, losses


def _table(rows: list[NDArray[Any]], space: Arrays) -> NDArray[Any]:
    """The rows as one array. Raises: InvalidArgument for rows outside of ``space``."""
    if not all(map(space.contains, rows)):
        raise InvalidArgument(
            f"the view is not of {space}: give the loss and the body of the game that was played"
        )
    return np.array(rows) if rows else np.empty((0, *space.shape), space.dtype)
