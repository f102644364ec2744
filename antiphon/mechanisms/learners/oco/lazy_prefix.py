"""What lazy learners in a convex body share: a noisy sum of gradients that they seldom renew."""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from typing import NamedTuple, Self, TypeAlias, Union

import attrs
import numpy as np

from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.factors.rows import Row, bare, held
from antiphon.mechanisms.learners.convex.bodies import Body, Point
from antiphon.mechanisms.learners.convex.convex_learner import ConvexLearner
from antiphon.mechanisms.learners.convex.convex_losses import ConvexLoss, Datum
from antiphon.mechanisms.learners.joint_curve import JointCurve
from antiphon.mechanisms.learners.oco.gradient_steps import Steps, gradient_steps, plus
from antiphon.mechanisms.learners.oco.oco_curves import prefix_curve
from antiphon.mechanisms.learners.searching import budget, rounds
from antiphon.numbers.errors import InvalidArgument
from antiphon.populations.each_replica import for_each
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.registry import register

Noisy: TypeAlias = Union[Steps, tuple[float, ...]]
"""A noisy sum, in steps."""


@register("antiphon.Renewed/1", state=True)
class Renewed(NamedTuple):
    """What is held until it is drawn anew."""

    noisy: Noisy
    point: Row


@register("antiphon.HeldSum/1", state=True)
class HeldSum(NamedTuple):
    """What is over, and what is held."""

    rounds: int
    """Data that have come."""
    total: Steps
    """G: the sum of all gradients, in steps."""
    held: Renewed | None
    """None before the first message, when nothing has been drawn."""
    ratios: float = 0
    """Σ of the clipped log-ratios of the batch that is under way, in units of 1/(2σ²)."""


@column_safe(of="loss")
@attrs.frozen(kw_only=True)
class LazyPrefix(ConvexLearner[HeldSum]):
    """Holds a noisy sum y, and stays with it after a batch with probability e^(-a). Abstract.

    Gradients g_t at the point that is held are whole steps of L/``grid`` and clipped to a norm of
    Q = ``grid`` steps (``gradient_steps``). With G their sum so far and σ = ``sigma``·Q steps,

        a = ``cost`` + Σ (w - clip((2⟨y-G, g_t⟩ - ‖g_t‖²)/(2σ²), ±w)), w = ``clip``,

    over the B = ``batch`` rounds of the batch, G as it is before round t. What is clipped is the
    log-ratio of two Gaussian laws of y, of means G+g_t and G: so if w were infinite, and e^(-a)
    never above 1, y would keep the law of its last sum plus noise, against losses that do not
    depend on what is shown. It is so up to what is clipped; no bound on regret is claimed.
    Otherwise y is drawn anew, around G; after the last round nothing is drawn.
    w is rounded down to a multiple of 1/(2σ²).
    Raises: InvalidArgument for w < 1/(2σ²), and parameters that are not positive.
    """

    regulariser: float = attrs.field(converter=fields.double)
    """λ of λ‖x‖², which the leader pays."""
    sigma: Fraction = attrs.field(converter=fields.positive)
    """The noise's standard deviation, in units of the largest gradient L."""
    cost: Fraction = attrs.field(converter=fields.positive)
    clip: Fraction = attrs.field(converter=fields.positive)
    batch: int = attrs.field(default=1, converter=fields.size, metadata=fields.STREAM)
    deviation: Fraction = attrs.field(init=False, eq=False, repr=False)
    """σ, in steps."""
    _unit: Fraction = attrs.field(init=False, eq=False, repr=False)
    """2σ²."""
    _most: int = attrs.field(init=False, eq=False, repr=False)
    """w, in units of 1/(2σ²)."""

    def __attrs_post_init__(self) -> None:
        ConvexLearner.__attrs_post_init__(self)
        deviation = self.sigma * self.loss.grid
        unit = 2 * deviation * deviation
        most = math.floor(self.clip * unit)
        if most < 1:
            raise InvalidArgument(
                "clip must be at least 1/(2(sigma·grid)²): make it, sigma or the grid larger"
            )
        self._set(deviation=deviation, _unit=unit, _most=most)

    @property
    def initial_state(self) -> HeldSum:
        return HeldSum(0, (0,) * self.body.dimension, None)

    def rounds(self, state: HeldSum) -> int:
        return state.rounds

    def _advise(self, state: HeldSum, coins: Coins) -> tuple[HeldSum, Point]:
        state, held = self._holding(state, coins)
        return state, bare(held.point)

    def _holding(self, state: HeldSum, coins: Coins) -> tuple[HeldSum, Renewed]:
        held = state.held
        if held is None:
            held = self._drawn(state.total, coins)
            state = state._replace(held=held)
        return state, held

    def _learn(self, state: HeldSum, loss: Datum, coins: Coins) -> HeldSum:
        state, held = self._holding(state, coins)
        gradient = gradient_steps(self.loss, self.body, bare(held.point), loss)
        rounds, total = state.rounds + 1, plus(state.total, gradient)
        ratios = state.ratios + self._ratio(held.noisy, state.total, gradient)
        if rounds % self.batch or rounds == self.horizon:
            return HeldSum(rounds, total, held, ratios)
        if not coins.bernoulli_exp(for_each(self.exponent, ratios)):
            held = self._drawn(total, coins)
        return HeldSum(rounds, total, held)

    def _ratio(self, noisy: Noisy, total: Steps, gradient: Steps) -> float:
        """The clipped log-ratio of a round, in units of 1/(2σ²)."""
        ratio = sum(
            (2 * (y - before) - step) * step
            for y, before, step in zip(noisy, total, gradient, strict=True)
        )
        return min(max(ratio, -self._most), self._most)

    def exponent(self, ratios: float) -> Fraction:
        """a, after a batch with such a sum of clipped log-ratios."""
        return self.cost + Fraction(self.batch * self._most - ratios) / self._unit

    @classmethod
    def tuned(
        cls, *, horizon: int, body: Body, loss: ConvexLoss, epsilon: object, delta: object
    ) -> Self:
        """With about the least √d·σ + √(BT) that is (ε, δ)-DP, and λ for it.

        Were nothing clipped, and up to the factor L·reach, that would bound regret. A search; that
        (ε, δ) holds is checked at its end.
        Raises: InvalidArgument for ε or δ outside (0, ∞) and (0, 1).
        """
        from antiphon.mechanisms.learners.oco.oco_tuning import lazy_prefix

        found = lazy_prefix(rounds(horizon), body.dimension, *budget(epsilon, delta))
        slope = loss.lipschitz(body) / (2 * body.reach)
        return cls(
            horizon=horizon, body=body, loss=loss, **found._asdict(),
            regulariser=slope * math.sqrt(found.batch * horizon),
        )  # fmt: skip

    @abstractmethod
    def _drawn(self, total: Steps, coins: Coins) -> Renewed:
        """What is held from now on."""

    def _scale(self) -> float:
        """What a step of y moves the leader by: x = -y·scale."""
        return self.loss.lipschitz(self.body) / (2 * self.regulariser * self.loss.grid)

    @property
    def rho(self) -> Fraction:
        """What is drawn anew is ρ-zCDP, ρ = (2Q)²/(2σ²)."""
        return 2 / self.sigma**2

    @property
    def curve(self) -> JointCurve:
        """The bound on the Rényi divergences of its claim."""
        return prefix_curve(
            self.horizon, self.batch, self.sigma, self.cost, self._most / self._unit
        )


def shown(point: Point) -> Row:
    """A point as it stands in a state: nobody writes into it. A column of points as it is."""
    found: Row = held(point.astype(np.float64))
    return found
