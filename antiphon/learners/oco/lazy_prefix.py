"""Lazy private learners in a convex body, which hold a noisy sum of gradients and seldom draw a new
one."""

import math
import operator
from abc import abstractmethod
from fractions import Fraction
from typing import NamedTuple, Self, TypeAlias, Union

import attrs
import numpy as np

from antiphon.composition.accounting.calibration import budget
from antiphon.learners.convex.convex_learner import ConvexLearner, in_steps
from antiphon.learners.convex.convex_losses import Body, ConvexLoss, Datum, Point
from antiphon.learners.joint_curve import JointCurve, prefix_curve
from antiphon.learners.oco.gibbs import check_body, gibbs
from antiphon.learners.oco.oco_tuning import lazy_prefix
from antiphon.learners.searching import rounds
from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.factors.rows import Row, bare, held
from antiphon.numbers import InvalidArgument
from antiphon.populations.each_replica import for_each
from antiphon.protocol import Claim, Coins, Renyi, Status, column_safe, proved, register
from antiphon.protocol.registry import set_derived

Steps: TypeAlias = tuple[int, ...]
"""The type of an integer vector, such as a gradient in units of L/grid; Python's ints, so that no
sum is too large."""


def gradient_steps(loss: ConvexLoss, body: Body, point: Point, datum: Datum) -> Steps:
    """The gradient ∇ℓ(x; z) as an integer vector in units of L/``grid``, L the Lipschitz constant,
    clipped to a norm of at most ``grid``."""
    return tuple(in_steps(loss, point, datum, loss.lipschitz(body), loss.grid).tolist())


def plus(left: Steps, right: Steps) -> Steps:
    """The exact sum of two integer vectors."""
    return tuple(map(operator.add, left, right))


Noisy: TypeAlias = Union[Steps, tuple[float, ...]]
"""The type of a noisy sum of gradients, in units of L/grid, L the loss's Lipschitz constant."""


@register("antiphon.Renewed/1", state=True)
class Renewed(NamedTuple):
    """A noisy sum of gradients, and the point that is played while it is kept."""

    noisy: Noisy
    point: Row


@register("antiphon.HeldSum/1", state=True)
class HeldSum(NamedTuple):
    """The state of a ``LazyPrefix`` learner in a convex body, which holds a noisy sum of
    gradients."""

    rounds: int
    """The number of data so far."""
    total: Steps
    """The exact sum G of all gradients, in units of L/grid, L the loss's Lipschitz constant."""
    held: Renewed | None
    """The noisy sum that is kept, and its point; None before the first message."""
    ratios: float = 0
    """The sum of the batch's clipped log-ratios, in units of 1/(2σ²), σ² the noise's variance."""


@column_safe(of="loss")
@attrs.frozen(kw_only=True)
class LazyPrefix(ConvexLearner[HeldSum]):
    """A private learner that holds a noisy sum y of gradients: after each batch it keeps y with a
    probability e^(-a), computed from log-ratios of the laws of y, else it draws y anew. Abstract.

    Gradients g_t at the point that is held are whole steps of L/``grid`` and clipped to a norm of
    Q = ``grid`` steps (``gradient_steps``). With G their sum so far and σ = ``sigma``·Q steps,

        a = ``cost`` + Σ (w - clip((2⟨y-G, g_t⟩ - ‖g_t‖²)/(2σ²), ±w)), w = ``clip``,

    over the B = ``batch`` rounds of the batch, G as it is before round t. The clipped quantity is
    the log-ratio of two Gaussian laws of y, with means G+g_t and G: without clipping, and with
    e^(-a) never above 1, y would always have the law of the current sum plus noise, against losses
    that do not depend on the points. With clipping this holds approximately; no bound on regret is
    claimed. If y is not kept it is drawn anew, around G; after the last round nothing is drawn. w
    is rounded down to a multiple of 1/(2σ²). Raises: InvalidArgument for w < 1/(2σ²), and
    parameters that are not positive.
    """

    regulariser: float = attrs.field(converter=fields.double)
    """The weight λ of the regulariser λ‖x‖², which is added to the losses."""
    sigma: Fraction = attrs.field(converter=fields.positive)
    """The standard deviation of a sum's noise, in units of the largest gradient norm L."""
    cost: Fraction = attrs.field(converter=fields.positive)
    clip: Fraction = attrs.field(converter=fields.positive)
    batch: int = attrs.field(default=1, converter=fields.size, metadata=fields.STREAM)
    deviation: Fraction = attrs.field(init=False, eq=False, repr=False)
    """The standard deviation σ of the noise, in units of L/grid, L the loss's Lipschitz
    constant."""
    _unit: Fraction = attrs.field(init=False, eq=False, repr=False)
    """The value 2σ², where σ = ``deviation``."""
    _most: int = attrs.field(init=False, eq=False, repr=False)
    """The bound w to which log-ratios are clipped, in units of 1/(2σ²), σ = ``deviation``."""

    def __attrs_post_init__(self) -> None:
        ConvexLearner.__attrs_post_init__(self)
        deviation = self.sigma * self.loss.grid
        unit = 2 * deviation * deviation
        most = math.floor(self.clip * unit)
        if most < 1:
            raise InvalidArgument(
                "clip must be at least 1/(2(sigma·grid)²): make it, sigma or the grid larger"
            )
        set_derived(self, deviation=deviation, _unit=unit, _most=most)

    @property
    def initial_state(self) -> HeldSum:
        return HeldSum(0, (0,) * self.body.dimension, None)

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
        """The log-ratio of the laws of the noisy sum with and without ``gradient``, clipped to ±w,
        w = ``clip``, in units of 1/(2σ²), σ = ``deviation``."""
        ratio = sum(
            (2 * (y - before) - step) * step
            for y, before, step in zip(noisy, total, gradient, strict=True)
        )
        return min(max(ratio, -self._most), self._most)

    def exponent(self, ratios: float) -> Fraction:
        """The exponent a of the probability e^(-a) to keep the noisy sum after a batch, given the
        sum ``ratios`` of the batch's clipped log-ratios."""
        return self.cost + Fraction(self.batch * self._most - ratios) / self._unit

    @classmethod
    def tuned(
        cls, *, horizon: int, body: Body, loss: ConvexLoss, epsilon: object, delta: object
    ) -> Self:
        """The (ε, δ)-DP learner with about the least √d·σ + √(BT), for T rounds in batches of B, in
        dimension d and with noise σ; and with a regulariser λ that suits it.

        Without clipping, √d·σ + √(BT) would bound regret, up to a constant factor. The parameters
        are found by search; (ε, δ) is checked at the end. Raises: InvalidArgument for ε or δ
        outside (0, ∞) and (0, 1).
        """
        found = lazy_prefix(rounds(horizon), body.dimension, *budget(epsilon, delta))
        slope = loss.lipschitz(body) / (2 * body.reach)
        return cls(
            horizon=horizon, body=body, loss=loss, **found._asdict(),
            regulariser=slope * math.sqrt(found.batch * horizon),
        )  # fmt: skip

    @abstractmethod
    def _drawn(self, total: Steps, coins: Coins) -> Renewed:
        """Draws a noisy sum, around the exact sum ``total``, and its point."""

    def _scale(self) -> float:
        """The factor, up to its sign, from a noisy sum to its point before projection."""
        return self.loss.lipschitz(self.body) / (2 * self.regulariser * self.loss.grid)

    @property
    def rho(self) -> Fraction:
        """The zCDP parameter ρ = 2/``sigma``² of a draw: sums of neighbours are two gradients
        apart."""
        return 2 / self.sigma**2

    @property
    def curve(self) -> JointCurve:
        """The bound on the learner's Rényi divergences that it claims."""
        return prefix_curve(
            self.horizon, self.batch, self.sigma, self.cost, self._most / self._unit
        )


def shown(point: Point) -> Row:
    """A point as a read-only array, to be stored in a state."""
    found: Row = held(point.astype(np.float64))
    return found


@register("antiphon.LazyGibbs/1")
@column_safe(of="loss")
@attrs.frozen(kw_only=True)
class LazyGibbs(LazyPrefix):
    """A lazy learner that draws its point x with density ∝ e^(-β(⟨G, x⟩ + λ‖x‖²)) on the body,
    where G is the sum of the gradients and λ = ``regulariser``. *Not for release.*

    β = 2λ/(``sigma``·L)²; a step of G is worth L/``grid``. So y = -2λx is G plus N(0,
    (``sigma``·L)²I), conditioned to a body; ``LazyPrefix`` defines when it is kept. Privacy: that
    of ``LazyLeader``, against adaptive adversaries, *assumed*, as points are drawn in doubles. With
    exact draws its proof would hold, except that, as in ``DPOCO``, a point is βL²/λ-zCDP, which is
    2/``sigma``² again. Regret: projecting a noisy sum (``LazyLeader``) has less, as conditioning
    draws points towards the middle, and ratios are clipped more often where G is large. Source:
    Asi, Koren, Liu and Talwar, *Private Online Learning via Lazy Algorithms*, Sect. 3.2, without
    fake switches, with clipped ratios. Raises: InvalidArgument as ``LazyPrefix``, and for a body
    that is neither ball nor box.
    """

    def __attrs_post_init__(self) -> None:
        LazyPrefix.__attrs_post_init__(self)
        check_body(self.body)

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "Asi, Koren, Liu and Talwar, on clipped Gaussian ratios; of exact points"
        return (Claim(Renyi(self.curve), self.verification, Status.ASSUMED, source),)

    def _drawn(self, total: Steps, coins: Coins) -> Renewed:
        slope = self.loss.lipschitz(self.body)
        beta = 2 * self.regulariser / (float(self.sigma) * slope) ** 2
        pull = np.array([float(each) for each in total]) * (-beta * slope / self.loss.grid)
        point = gibbs(self.body, pull, beta * self.regulariser, coins)
        return Renewed(tuple((point / -self._scale()).tolist()), shown(point))


@register("antiphon.LazyLeader/1")
@column_safe(of="loss")
@attrs.frozen(kw_only=True)
class LazyLeader(LazyPrefix):
    """A lazy private leader: it holds a noisy sum y = G + discrete Gaussian noise, where G is the
    sum of the gradients, and plays the point x of the body with the least ⟨y, x⟩ + λ‖x‖², λ =
    ``regulariser``.

    See ``LazyPrefix`` for when y is kept. The point is post-processing of y.

    Privacy: D_α <= (F + (K-2)·F')/(α-1), K = ⌈T/B⌉, F and F' the largest contributions of a
    decision (joint_curve) with a in [c, c+2Bw], c = ``cost``, which in the two worlds are at most
    2w + (B-1)u apart for F and Bu for F', u = min{2Q²/σ², 2w}, and with R = e^(α(α-1)·2Q²/σ²);
    w.r.t. ``verification``, against adaptive adversaries, *proved*:

    Reveal each of the K-1 decisions, and each y that is drawn (``joint_curve``). Given the past, y
    and so the point are the same in both worlds. So each g_t, a function of the point and the
    datum, is the same except for the one datum that differs; all have ‖g_t‖ <= Q, exactly.

    * The first y is drawn before any datum counts: 1. So are all decisions before that datum.
    * From then on the sums G₀ and G₁ differ by one and the same g - g', of norm at most 2Q. A draw
      is G plus noise in each world, so E' <= R (Canonne, Kamath, Steinke 2020, Thm 4, coordinate by
      coordinate: ‖G₀-G₁‖²·α/(2σ²)).
    * Each clipped ratio lies in [-w, w], so a lies in [c, c+2Bw]. That of a round with the same g
      differs by at most 2|⟨G₀-G₁, g⟩|/(2σ²) <= 2Q²/σ², as clipping never increases a distance, and
      by at most 2w: by u. That of the round which differs itself: by at most 2w. So at the end of
      its batch a differs by at most 2w + (B-1)u, and at the end of a later one by at most Bu.

    By ``joint_curve`` these contribute e^F and e^F' at most. The batch that differs is followed by
    at most K-2 decisions, and if it is the last, by none.
    a is rational, and the coin of probability e^(-a) is exact, as is the noise.
    Source: Asi, Koren, Liu and Talwar, *Private Online Learning via Lazy Algorithms*, Alg. 1,
    without fake switches, on a Gaussian law whose ratios are clipped; the bound is derived here.
    Raises: InvalidArgument as ``LazyPrefix``.

    >>> import numpy as np
    >>> from antiphon.learners.convex import Ball, LinearLoss
    >>> body, loss = Ball(dimension=2), LinearLoss(dimension=2, grid=10)
    >>> learner = LazyLeader.tuned(horizon=2**10, body=body, loss=loss, epsilon=1, delta=1e-6)
    >>> session = learner.start(seed=1)
    >>> session.send(np.array([10, 0])), bool(np.linalg.norm(session.send("advice")) < 1.001)
    (TOP, True)
    """

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "Asi, Koren, Liu and Talwar, Alg. 1, on clipped Gaussian ratios; proved here"
        return proved(self, Renyi(self.curve), self.verification, source)

    def _drawn(self, total: Steps, coins: Coins) -> Renewed:
        noisy = plus(total, coins.discrete_gaussians(self.deviation, len(total)))
        return Renewed(noisy, shown(for_each(self._point, noisy)))

    def _point(self, noisy: Steps) -> Point:
        """The point x of the body with the least ⟨y, x⟩ + λ‖x‖², y = ``noisy``."""
        return self.body.project(np.array([float(each) for each in noisy]) * -self._scale())
