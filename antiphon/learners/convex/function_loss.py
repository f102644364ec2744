"""A loss made of a user's plain functions, and the tests of its convexity and slopes on samples."""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Final, TypeAlias

import attrs
import numpy as np

from antiphon.learners.convex.convex_losses import Body, ConvexLoss, Datum, Point, RowByRow, Values
from antiphon.mechanisms import fields
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.coins.sampled import seeded_words
from antiphon.protocol.registry import Named
from antiphon.protocol.spaces import Arrays

Valuation: TypeAlias = Callable[[Point, Values], float]
Gradient: TypeAlias = Callable[[Point, Values], Point]

SAMPLES: Final = 64
"""The number of samples (points and data) on which a loss is tested."""
_TOLERANCE: Final = 1e-6
"""The relative rounding error that is allowed in the tests of convexity and slopes."""
_NEAR: Final = 1e-4
"""The distance of two points whose losses give a slope, in units of the body's reach."""


@attrs.frozen(eq=False, repr=False, kw_only=True)
class FunctionLoss(Named, RowByRow):
    """A loss that ``convex_loss`` makes of a user's plain functions.

    It relies on the user that the functions are pure, and behave as on the tested samples.
    """

    # Small, because a user's loss is evaluated by one Python call for each datum.
    looks: ClassVar[int] = 1 << 17

    function: Valuation
    slope: Gradient
    body: Body
    constant: float = attrs.field(converter=fields.double)
    entries: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)

    def __attrs_post_init__(self) -> None:
        check(self, self.body)

    @property
    def data(self) -> Arrays:
        return Arrays((self.entries,), "int64", -self.grid, self.grid)

    def lipschitz(self, body: Body) -> float:
        """The Lipschitz constant that the user gave. Raises: InvalidArgument for another body."""
        if body != self.body:
            raise InvalidArgument(
                f"{self.__name__} was made for {self.body}, where its constant was tried, not for "
                f"{body}: make it for that one"
            )
        return self.constant

    def value(self, point: Point, datum: Datum) -> float:
        return float(self.function(point, datum / self.grid))

    def gradient(self, point: Point, datum: Datum) -> Point:
        return np.asarray(self.slope(point, datum / self.grid), np.float64)


def convex_loss(
    *, body: Body, gradient: Gradient, lipschitz: float, entries: int, grid: int = 1 << 10
) -> Callable[[Valuation], FunctionLoss]:
    """Decorator that makes a loss of a plain function (x, z) -> ℓ(x; z), for data z in [-1,
    1]^entries.

    Args: ``gradient``, (x, z) -> ∇ℓ(x; z), or a subgradient; ``lipschitz``, the largest norm of the
    gradient on the ``body``; ``entries``, the number of entries of a datum, of which the first d
    (the body's dimension) are a vector of norm <= 1. All of this is tested on a few fixed points
    and data. Raises: InvalidArgument, with the point and the datum of a failure: the function is
    not convex, the gradient is not its gradient, or is longer than the constant.

    >>> from antiphon.learners.convex import Ball
    >>> def sign(x, z):
    ...     return np.sign(x - z)
    >>> @convex_loss(body=Ball(dimension=1), gradient=sign, lipschitz=1, entries=1)
    ... def distance(x, z):
    ...     return abs(x - z).sum()
    >>> distance.value(np.array([0.25]), np.array([1024]))
    0.75
    """

    def decorate(function: Valuation) -> FunctionLoss:
        return FunctionLoss(
            function=function, slope=gradient, body=body, constant=lipschitz, entries=entries,
            dimension=body.dimension, grid=grid,
        )  # fmt: skip

    return decorate


# --- the tests of convexity, gradient and Lipschitz constant --------------------------------------


def check(loss: ConvexLoss, body: Body) -> None:
    """Tests on samples that a loss is convex, and has the gradient and Lipschitz constant that it
    states.

    Raises: InvalidArgument, with the point and the datum of the sample.
    """
    constant = loss.lipschitz(body)
    for point, other, datum in _samples(loss, body):
        where = f"at x = {point.tolist()}, z = {(datum / loss.grid).tolist()}"
        slope = loss.gradient(point, datum)
        if slope.shape != point.shape or not np.all(np.isfinite(slope)):
            raise InvalidArgument(
                f"the gradient is no array of {len(point)} finite numbers, one for each "
                f"coordinate, {where}"
            )
        here, there = loss.value(point, datum), loss.value(other, datum)
        middle = loss.value((point + other) / 2, datum)
        slack = _TOLERANCE * constant * body.reach
        if not middle <= (here + there) / 2 + slack:  # A loss that is NaN fails this test.
            raise InvalidArgument(
                f"the loss is not convex: half-way to {other.tolist()} it is {middle}, more than "
                f"the mean of {here} and {there}, {where}"
            )
        norm = float(np.linalg.norm(slope))
        if norm > constant * (1 + _TOLERANCE):
            raise InvalidArgument(
                f"the loss is not {constant}-Lipschitz: its gradient has norm {norm}, {where}: "
                "give a larger constant, or scale the loss down"
            )
        _tangent(loss, point, slope, datum, _NEAR * body.reach, where)


def _tangent(
    loss: ConvexLoss, point: Point, slope: Point, datum: Datum, step: float, where: str
) -> None:
    """Checks that each entry of the gradient ``slope`` lies between the slopes of the loss to the
    left and to the right of the point."""
    here = loss.value(point, datum)
    slack = _TOLERANCE * (1 + abs(here) + float(np.linalg.norm(slope)))
    for i, own in enumerate(slope):
        move = np.zeros(len(point))
        move[i] = step
        left = (here - loss.value(point - move, datum)) / step
        right = (loss.value(point + move, datum) - here) / step
        if not left - slack <= own <= right + slack:
            raise InvalidArgument(
                f"the gradient is none of the loss: its entry {i} is {own}, and the loss changes "
                f"by {left} to {right}, {where}"
            )


def _samples(loss: ConvexLoss, body: Body) -> Iterator[tuple[Point, Point, Datum]]:
    """Yields samples for the tests: a point that is random or extreme for the datum, a second
    random point, and a datum."""
    words, dimension = seeded_words(0), body.dimension
    entries = loss.data.shape[0]

    def drawn(count: int) -> Values:
        return np.ldexp(words(count).astype(np.float64), -63) - 1

    for number in range(SAMPLES):
        scaled = drawn(entries)
        vector = scaled[:dimension]
        vector /= max(1.0, float(np.linalg.norm(vector)))
        if number % 4 == 1:
            vector *= 1 / float(np.linalg.norm(vector))
        datum = np.trunc(scaled * loss.grid).astype(np.int64)
        inside = body.project(drawn(dimension) * body.reach)
        aim: Any = vector if len(vector) == dimension else drawn(dimension)
        point = (inside, body.least(aim), body.least(-aim), inside / 2)[number % 4]
        yield point, body.project(drawn(dimension) * body.reach), datum
