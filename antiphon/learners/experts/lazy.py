"""Lazy experts: learners that are private because they seldom switch, and a switch reveals
little."""

import math
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Final, NamedTuple, Self

import attrs

from antiphon.composition.accounting.calibration import budget, largest_where, short_rate
from antiphon.learners import searching
from antiphon.learners.experts.weighted import Dartboard, Weighted, check_length, times
from antiphon.learners.joint_curve import LARGE, LazyCurve, lazy_bound
from antiphon.mechanisms import fields
from antiphon.numbers import ExactEpsilon, InvalidArgument, Log, exact, nearest
from antiphon.protocol import Claim, Renyi, proved, register, set_derived
from antiphon.protocol.measures.divergences import SLACK, range_divergence

_TABLE: Final = 1 << 12
"""The largest number of possible losses of a batch up to which a learner tabulates the exponents a
of its probabilities e^-a to stay."""
_ORDERS: Final = 64
"""The number of Rényi orders that a parameter search evaluates."""
_FAR: Final = 2.0**-20
_ALWAYS: Final = LARGE / 2
"""The largest product η·c of a learner's rate η and cost c in a search: with it, nearly every
decision is to draw anew."""


class Lazy(NamedTuple):
    """The parameters of lazy experts: the rate η, the cost c and the batch size B."""

    rate: Fraction
    cost: Fraction
    batch: int


@lru_cache(maxsize=64)
def lazy_parameters(
    horizon: int, experts: int, target: Fraction, chance: Fraction, batch: int | None = None
) -> Lazy:
    """The parameters of lazy experts with the least ``regret_bound`` that are (ε, δ)-DP: ``target``
    is ε, ``chance`` is δ, and ``batch``, if given, the batch size.

    Raises: InvalidArgument.
    """
    several = max(exact.whole(experts, "experts"), 2)
    epsilon, delta = float(target), float(chance)

    def search(batch: int) -> searching.ParameterSearch:
        decisions = -(-horizon // batch) - 1

        def private(rate: float, cost: float) -> bool:
            bound = lazy_bound(rate, cost, batch, decisions)
            return bound.seems_to_keep(epsilon, delta, _ORDERS, 5e3)

        # The search ends at the cost 16T/min{ε, 1} for T rounds: a larger cost makes the learner no
        # more private.
        costs = 0.05, 16.0 * horizon / min(epsilon, 1), 20
        return searching.of_rates(private, horizon, several, batch, 28, costs)

    def least(batch: int) -> float:
        found = search(batch)
        return found.bound(found.least().middle)

    batch = searching.best_batch(horizon, least) if batch is None else batch
    found = search(batch)
    best = found.least().middle
    cost = short_rate(min(best, _ALWAYS / found.largest(best)))

    def private(rate: float) -> bool:
        return searching.keeps(
            LazyCurve(short_rate(rate), cost, batch, -(-horizon // batch) - 1), target, chance
        )

    near = found.largest(float(cost))
    low = near
    while not private(low):
        low *= 0.9
        if low < near * _FAR:
            raise InvalidArgument("no parameters are found that keep to this epsilon and delta")
    return Lazy(short_rate(largest_where(private, low, near * 1.1, 16)), cost, batch)


@attrs.frozen(kw_only=True)
class LazyDartboard(Dartboard):
    """A learner that after a batch keeps its expert x with probability e^(-η(c + L_b(x))), where
    L_b(x) is the loss of x in the batch, η = ``rate`` and c = ``cost`` > 0. Abstract."""

    cost: Fraction = attrs.field(converter=fields.positive)
    batch: int = attrs.field(default=1, converter=fields.size, metadata=fields.STREAM)
    _exponents: tuple[ExactEpsilon, ...] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        Weighted.__attrs_post_init__(self)
        if isinstance(self.unit, Log):
            steps = self.cost * self.grid
            if steps.denominator != 1:
                raise InvalidArgument("with rate=Log(q), cost·grid must be a whole number")
            check_length(self.unit, steps + self.batch * self.grid, "batch, cost and grid")
        known = range(min(self.batch * self.grid + 1, _TABLE))
        set_derived(self, _exponents=tuple(map(self._exponent, known)))

    @property
    def curve(self) -> LazyCurve:
        """The bound on the learner's Rényi divergences, whatever its number of draws."""
        decisions = -(-self.horizon // self.batch) - 1
        return LazyCurve(self.rate, self.cost, self.batch, decisions)

    @property
    def period(self) -> int:
        return self.batch

    def exponent(self, loss: int) -> ExactEpsilon:
        known = self._exponents
        return known[loss] if loss < len(known) else self._exponent(loss)

    def _exponent(self, loss: int) -> ExactEpsilon:
        """The exponent a = η(c + L) of the probability e^(-a) to keep the expert, where L =
        ``loss``/grid, η = ``rate`` and c = ``cost``."""
        steps = self.cost * self.grid + loss
        return times(self.unit, int(steps)) if isinstance(self.unit, Log) else self.unit * steps


@register("antiphon.LazyExperts/1")
@attrs.frozen(kw_only=True)
class LazyExperts(LazyDartboard):
    """A private learner that after each batch keeps its expert x with probability e^(-η(c +
    L_b(x))), where L_b(x) is the loss of x in the batch, η = ``rate`` and c = ``cost``; else it
    draws an expert by weight.

    c > 0, batches of B = ``batch`` rounds, L_b(x) in [0, B] the loss in the batch of the expert x
    that it follows. The first expert is drawn uniformly; after the last round nothing is drawn.

    Expected regret: at most ln d/η + ηBT/8, against losses that do not depend on the advice (see
    ``Dartboard``; Hedge on batches). Against ``BlameShown`` it is Ω(T).

    Privacy: e^((α-1)D_α) <= max{1 + r(R-1), F}·(1 + r(R-1))^(K-2), K = ⌈T/B⌉ (see ``LazyCurve``
    for r, R and F), w.r.t. ``verification``, against adaptive adversaries; *proved*:

    Reveal each of the K-1 decisions, and the expert drawn (``joint_curve``). Each contributes at
    most:

    * before the batch with the loss that differs all is the same in both worlds: 1;
    * after it x loses the same in both, so they stay with one probability s, and contribute
      s + (1-s)·E', where E' <= R is that of the two laws of a draw: their scores differ by one
      loss, in [-1, 1]^d, so their log-ratio has a range of at most 2η. As s >= 1-r and R >= 1, that
      is at most 1 + r(R-1);
    * at the end of that batch itself they stay with s₀ = e^(-η(c+L)) and s₁ = e^(-η(c+L')), where
      |L-L'| <= 1, both in [0, B], and contribute s₀^α s₁^(1-α) + (1-s₀)^α (1-s₁)^(1-α)·R, which is
      largest at a corner of the hexagon of those pairs: where s₀ = s₁, and it is at most
      1 + r(R-1), or where {L, L'} is {0, 1} or {B-1, B}, and it is at most F.

    The batch that differs is followed by at most K-2 decisions, and if it is the last, by none.
    The proof needs that the decision is made when the loss comes, never on a query: else one
    decision could read two losses. Source: Asi, Koren, Liu and Talwar, *Private Online Learning via
    Lazy Algorithms*, Alg. 1, without fake switches; this bound is derived here. Raises:
    InvalidArgument for a rate or cost that is not positive; for ``rate=Log(q)`` if cost·grid is no
    whole number, or probabilities would be too long.

    >>> import numpy as np
    >>> learner = LazyExperts(horizon=9, experts=2, rate=50, cost=1)
    >>> session = learner.start(seed=1)
    >>> session.send(np.array([1, 0])), session.send("advice")
    (TOP, 1)
    """

    @classmethod
    def tuned(
        cls, *, horizon: int, experts: int, epsilon: object, delta: object, grid: int = 1
    ) -> Self:
        """The (ε, δ)-DP learner with the rate η, batch size B and cost for which the regret bound
        ln d/η + ηBT/8, for d experts and T rounds, is about least.

        It uses the claim's Rényi bound, rounded up; of the bounds within 1/32 of the least, that
        with the largest rate. Parameters are found by search; (ε, δ) is checked at the end. Raises:
        InvalidArgument for ε or δ outside (0, ∞) and (0, 1).
        """
        found = lazy_parameters(searching.rounds(horizon), experts, *budget(epsilon, delta))
        return cls(horizon=horizon, experts=experts, grid=grid, **found._asdict())

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "Asi, Koren, Liu and Talwar, Alg. 1 without fake switches; bound proved here"
        return proved(self, Renyi(self.curve), self.verification, source)

    @property
    def regret_bound(self) -> float:
        """The bound ln d/η + ηBT/8 on expected regret, for d experts and T rounds in batches of
        B."""
        return searching.regret_bound(self.horizon, self.experts, nearest(self.rate), self.batch)


@register("antiphon.CappedCurve/1", state=True)
@attrs.frozen
class CappedCurve:
    """A bound on the Rényi divergences of ``PrivateDartboard``: the smaller of one for any number
    of draws (``lazy``) and one for at most ``draws`` draws.

    It is order α ↦ min{``lazy``, ln max{1 + r(R-1), F}/(α-1) + k·D}, k = ``draws``, with r, R and F
    of ``LazyCurve``.

    D is the divergence of one draw. The proof is in ``PrivateDartboard``.
    """

    lazy: LazyCurve
    draws: int

    def __call__(self, order: float) -> float:
        free = self.lazy(order)
        if not 0 < free < math.inf:
            return free
        drawn = range_divergence(exact.epsilon(2 * nearest(self.lazy.rate)), order)
        first = attrs.evolve(self.lazy, decisions=1)(order)
        return min(free, (first + self.draws * drawn) * (1 + SLACK))


@register("antiphon.PrivateDartboard/1")
@attrs.frozen(kw_only=True)
class PrivateDartboard(LazyDartboard):
    """A private learner that keeps its expert x after each loss ℓ(x) with probability
    (1-p)·e^(-ηℓ(x)), where η = ``rate`` and 1-p = e^(-η·``cost``).

    Else it draws anew by weight, but at most ``draws`` times: after that it stays for good. η =
    ``rate``, 1-p = e^(-cη), c = ``cost``: so it is ``LazyExperts`` in batches of one, with a
    budget of draws.

    Expected regret, against losses that do not depend on the advice: that of ``Hedge``, plus at
    most T·P(more than ``draws`` of T-1 coins with r = 1 - e^(-η(c+1)) are heads): ``regret_bound``.

    Privacy: e^((α-1)D_α) <= max{1 + r(R-1), F}·min{(1 + r(R-1))^(T-2), R^k}, k = ``draws``,
    w.r.t. ``verification``, against adaptive adversaries; *proved*: as for ``LazyExperts``, where
    the number of draws so far is revealed, too. Let V(n, k) >= 1 bound the contribution of n
    decisions after the loss that differs, if k draws are left: V(0, k) = V(n, 0) = 1, as it then
    stays in both worlds, and V(n, k) = max_s s·V(n-1, k) + (1-s)·R·V(n-1, k-1), s >= 1-r. By
    induction it rises in k and in n, V(n, k) <= (1 + r(R-1))·V(n-1, k), and each draw multiplies by
    at most R, so V(n, k) <= R^k. The decision on the loss that differs, if a draw is left,
    contributes at most max{1 + r(R-1), F} times V(n, k); if none is, 1.

    The second bound is smaller where R is large. For small ε the first is smaller; then the limit
    on draws brings no privacy, only a limit on switches. Source: as described in Asi, Feldman,
    Koren and Talwar 2023, *Private Online Prediction from Experts: Separations and Faster Rates*,
    with e^(-ηℓ) for (1-η)^ℓ; this bound is derived here. Raises: InvalidArgument as
    ``LazyExperts``.

    >>> import numpy as np
    >>> learner = PrivateDartboard(horizon=9, experts=2, rate=50, cost=1, draws=3)
    >>> session = learner.start(seed=1)
    >>> session.send(np.array([1, 0])), session.send("advice")
    (TOP, 1)
    """

    law_known: ClassVar[bool] = False
    batch: int = attrs.field(default=1, init=False, repr=False)  # pyright: ignore[reportIncompatibleVariableOverride]
    draws: int = attrs.field(converter=fields.size, metadata=fields.STREAM)  # type: ignore[misc]  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "as described in Asi, Feldman, Koren and Talwar 2023; bound proved here"
        return proved(self, Renyi(self.capped), self.verification, source)

    @property
    def capped(self) -> CappedCurve:
        """The bound on Rényi divergences that the learner claims, for at most ``draws`` draws."""
        return CappedCurve(self.curve, self.draws)

    @classmethod
    def tuned(
        cls, *, horizon: int, experts: int, epsilon: object, delta: object, grid: int = 1
    ) -> Self:
        """The learner with the parameters of ``LazyExperts.tuned`` for batches of one round, and so
        many draws that they run out with probability at most about 1/T.

        Raises: InvalidArgument for ε or δ outside (0, ∞) and (0, 1).
        """
        found = lazy_parameters(
            searching.rounds(horizon), experts, *budget(epsilon, delta), batch=1
        )
        mean = _mean_draws(horizon, float(found.rate), float(found.cost))
        rare = math.log(max(2, horizon))
        draws = max(1, math.ceil(mean + math.sqrt(2 * mean * rare) + 2 * rare / 3))
        return cls(
            horizon=horizon, experts=experts, grid=grid, rate=found.rate, cost=found.cost,
            draws=draws,
        )  # fmt: skip

    @property
    def switching(self) -> float:
        """The probability p of a new draw although the expert had no loss."""
        return -math.expm1(-float(self.rate) * float(self.cost))

    @property
    def regret_bound(self) -> float:
        """The bound ln d/η + ηT/8 + T·e^(-s²/(2(μ + s/3))) on expected regret, with μ = (T-1)(1 -
        e^(-η(c+1))) and s = ``draws`` + 1 - μ, by Bernstein's inequality."""
        rate = float(self.rate)
        mean = _mean_draws(self.horizon, rate, float(self.cost))
        more = max(0.0, self.draws + 1 - mean)
        stuck = math.exp(-(more**2) / (2 * (mean + more / 3)))
        return searching.regret_bound(self.horizon, self.experts, rate, 1) + self.horizon * stuck


def _mean_draws(horizon: int, rate: float, cost: float) -> float:
    """A bound on the mean number of draws: (T-1)·(1 - e^(-η(c+1))), T = ``horizon``, η = ``rate``
    and c = ``cost``."""
    return (horizon - 1) * -math.expm1(-rate * (cost + 1))
