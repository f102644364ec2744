"""Learners in a convex body: their base class, gradients as integer vectors, and two baselines."""

import math
from typing import Any, ClassVar, Final, Generic, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.learners.convex.convex_losses import Body, ConvexLoss, Datum, Point
from antiphon.learners.learner import OnlineLearner, State
from antiphon.mechanisms.counters.factors.rows import Row, row
from antiphon.numbers import InvalidArgument, PartError
from antiphon.populations.each_replica import for_each
from antiphon.protocol import Claim, Coins, Pure, Space, freeze, proved, register, set_derived


def check_dimensions(body: Body, loss: ConvexLoss) -> None:
    """Check that body and loss have equally many coordinates. Raises: InvalidArgument."""
    if body.dimension != loss.dimension:
        raise InvalidArgument(
            f"the body has {body.dimension} coordinates and the loss {loss.dimension}: make both "
            "with the same dimension"
        )


@attrs.frozen(kw_only=True)
class ConvexLearner(OnlineLearner[State], Generic[State]):
    """A learner in a convex body: it answers a datum by ⊤, and ``ADVICE`` by the point x_t of the
    body. Abstract.

    Raises: InvalidArgument for a datum past the horizon or outside ``loss.data``.
    """

    plays: ClassVar[type[Any]] = ConvexLoss
    """The Python class of losses that the learner accepts."""

    body: Body
    loss: ConvexLoss

    def __attrs_post_init__(self) -> None:
        check_dimensions(self.body, self.loss)
        OnlineLearner.__attrs_post_init__(self)

    def _spaces(self) -> tuple[Space, Space]:
        return self.loss.data, self.body.points


Steps = NDArray[np.int64]
_DOUBLES: Final = np.dtype(np.float64)


def clipped(gradient: Any, bound: float, steps: int, dimension: int) -> Steps:
    """The gradient as an integer vector k, in units of bound/steps: rounded, and shortened so that
    Σ k_i² <= steps² holds exactly.

    Each entry is rounded to the nearest step; where that makes the vector too long, as for most
    gradients of the bound's norm or more, each is truncated towards 0 instead, with an error of
    nearly a whole step. A gradient with an entry that is no finite number counts as 0. Doubles find
    the steps and integers check them, so the bound does not depend on rounding. Raises: PartError
    unless it is an array of ``dimension`` doubles.
    """
    kind: Any = type(gradient)  # pyright: ignore[reportUnknownVariableType]
    if kind is not np.ndarray or gradient.dtype != _DOUBLES or gradient.shape != (dimension,):
        raise PartError(f"a gradient is an array of {dimension} doubles, as a point is")
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = gradient * (steps / bound)
        norm = math.sqrt(scaled @ scaled)
    if not norm <= steps:
        scaled = _shortened(gradient, steps)
    found: Steps = np.rint(scaled).astype(np.int64)
    if found @ found > steps * steps:
        found = scaled.astype(np.int64)
        while found @ found > steps * steps:
            found -= np.sign(found)
    return found


def _shortened(gradient: Point, steps: int) -> Point:
    """The gradient scaled to a norm of about ``steps``; 0 if it is 0 or not finite."""
    largest = float(np.abs(gradient).max())
    if not 0 < largest < math.inf:
        return np.zeros(len(gradient))
    # After division by the largest entry, squares neither overflow nor underflow.
    unit = gradient / largest
    return unit * (steps / math.sqrt(unit @ unit))


def in_steps(loss: ConvexLoss, point: Point, datum: Datum, bound: float, steps: int) -> Steps:
    """The gradient ∇ℓ(x; z) as an integer vector in units of bound/steps, ``clipped``.

    No datum causes an error, under any NumPy error setting, as an error would leak the datum.
    """
    with np.errstate(all="ignore"):
        gradient = loss.gradient(point, datum)
        found: Steps = for_each(clipped, gradient, bound, steps, loss.dimension)
        return found


@register("antiphon.Descent/1", state=True)
class Descent(NamedTuple):
    """The state of gradient descent: the rounds played, and the current point."""

    rounds: int
    point: Row


@register("antiphon.GradientDescent/1")
@attrs.frozen(kw_only=True)
class GradientDescent(ConvexLearner[Descent]):
    """Projected gradient descent from the origin, x_{t+1} = Π_K(x_t - η_t·∇ℓ(x_t; z_t)), with step
    sizes η_t and the projection Π_K to the body. Not private.

    η_t = D/(L√(2t)), where D is the diameter of the body, and L the loss's Lipschitz constant.
    Regret after T rounds: at most DL√(2T), also against adaptive losses. It is at most D²/2η_T +
    L²/2·Σ η_t, which is least for these η_t among all step sizes cD/(L√t). Privacy: none is
    claimed, so no verifier lets it be created. Source: Zinkevich 2003, Thm 1.

    >>> from antiphon.learners.convex import Ball, LinearLoss
    >>> learner = GradientDescent(horizon=9, body=Ball(dimension=2), loss=LinearLoss(dimension=2))
    >>> session = learner.start()
    >>> session.send("advice"), session.send(np.array([512, 0])), session.send("advice")
    (array([0., 0.]), TOP, array([-0.70710678,  0.        ]))
    """

    private: ClassVar[bool] = False

    _scale: float = attrs.field(init=False, eq=False, repr=False)
    """The factor D/(L√2) of the step sizes: D is the body's diameter, L the Lipschitz constant."""

    def __attrs_post_init__(self) -> None:
        ConvexLearner.__attrs_post_init__(self)
        set_derived(self, _scale=math.sqrt(2) * self.body.reach / self.loss.lipschitz(self.body))

    @property
    def initial_state(self) -> Descent:
        return Descent(0, row(np.zeros(self.body.dimension), float))

    @property
    def regret_bound(self) -> float:
        """The bound DL√(2T) on regret: D is the body's diameter, L the Lipschitz constant."""
        diameter = 2 * self.body.reach
        return diameter * self.loss.lipschitz(self.body) * math.sqrt(2 * self.horizon)

    def _advise(self, state: Descent, coins: Coins) -> tuple[Descent, Point]:
        return state, state.point.view(np.ndarray)

    def _learn(self, state: Descent, loss: Datum, coins: Coins) -> Descent:
        point, rounds = state.point.view(np.ndarray), state.rounds + 1
        step = self._scale / math.sqrt(rounds)
        found = self.body.project(point - step * self.loss.gradient(point, loss))
        return Descent(rounds, row(found, float))


@register("antiphon.Origin/1")
@attrs.frozen(kw_only=True)
class Origin(ConvexLearner[int]):
    """A learner that stays at the origin, whatever the data: the baseline that others must beat.

    Regret: at most RL per round, where R is the largest norm of a point, and L the loss's Lipschitz
    constant. Privacy: pure, ε = 0; proved: the answers depend only on the number of data, which is
    the same for neighbours.
    """

    _point: Point = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        ConvexLearner.__attrs_post_init__(self)
        set_derived(self, _point=freeze(np.zeros(self.body.dimension)))

    @property
    def claims(self) -> tuple[Claim, ...]:
        return proved(self, Pure(0), self.verification, "its answers are the same for all data")

    @property
    def initial_state(self) -> int:
        return 0

    def _advise(self, state: int, coins: Coins) -> tuple[int, Point]:
        return state, self._point

    def _learn(self, state: int, loss: Datum, coins: Coins) -> int:
        return state + 1
