"""The private shrinking dartboard: lazy experts in batches of one, with a budget of draws."""

from __future__ import annotations

import math
from typing import ClassVar, Self

import attrs

from antiphon.mechanisms import fields
from antiphon.mechanisms.learners.experts.lazy import LazyExperts
from antiphon.mechanisms.learners.experts.lazy_curve import LazyCurve
from antiphon.mechanisms.learners.searching import budget, rounds
from antiphon.numbers import exact
from antiphon.numbers.interval import nearest
from antiphon.protocol.claims import Claim
from antiphon.protocol.measures.divergences import SLACK, range_divergence
from antiphon.protocol.measures.kinds import Renyi
from antiphon.protocol.provenance import proved
from antiphon.protocol.registry import register


@register("antiphon.CappedCurve/1", state=True)
@attrs.frozen
class CappedCurve:
    """order α ↦ the lesser of ``lazy`` and ln max{1 + r(R-1), F}/(α-1) + k·D, k = ``draws``.

    D is the divergence of one draw. What it bounds, and why: ``PrivateDartboard``.
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
class PrivateDartboard(LazyExperts):
    """After each loss ℓ(x) of its expert x it stays with probability (1-p)·e^(-ηℓ(x)).

    Else it draws anew by weight, but at most ``draws`` times: after that it stays for good. η =
    ``rate``, 1-p = e^(-cη), c = ``cost``: so it is ``LazyExperts`` in batches of one, with a
    budget of draws.

    Expected regret, against losses that do not depend on what is shown: that of ``Hedge``, and at
    most T·P(more than ``draws`` of T-1 coins of r = 1 - e^(-η(c+1)) fall so): ``regret_bound``.

    Privacy: e^((α-1)D_α) <= max{1 + r(R-1), F}·min{(1 + r(R-1))^(T-2), R^k}, k = ``draws``,
    w.r.t. ``verification``, against adaptive adversaries; *proved*: as for ``LazyExperts``, where
    how often it has drawn is part of what is revealed. Let V(n, k) >= 1 bound the contribution
    of n decisions after the loss that differs, if k draws are left: V(0, k) = V(n, 0) = 1, as
    it then stays in both worlds, and V(n, k) = max_s s·V(n-1, k) + (1-s)·R·V(n-1, k-1), s >= 1-r.
    By induction it rises in k and in n, V(n, k) <= (1 + r(R-1))·V(n-1, k), and each draw
    multiplies by at most R, so V(n, k) <= R^k. The decision on the loss that differs, if a draw
    is left, contributes at most max{1 + r(R-1), F} times V(n, k); if none is, 1.

    The second bound is the lesser where R is large; for small ε the first is, and then the budget
    costs nothing and buys only that it never switches more often.
    Source: as described in Asi, Feldman, Koren and Talwar 2023, *Private Online Prediction from
    Experts: Separations and Faster Rates*, with e^(-ηℓ) for (1-η)^ℓ; this bound is derived here.
    Raises: InvalidArgument as ``LazyExperts``.

    >>> import numpy as np
    >>> learner = PrivateDartboard(horizon=9, experts=2, rate=50, cost=1, draws=3)
    >>> session = learner.start(seed=1)
    >>> session.send(np.array([1, 0])), session.send("advice")
    (TOP, 1)
    """

    law_known: ClassVar[bool] = False
    batch: int = attrs.field(default=1, init=False, repr=False)  # pyright: ignore[reportIncompatibleVariableOverride]
    draws: int = attrs.field(converter=fields.size, metadata=fields.STREAM)

    @classmethod
    def tuned(
        cls, *, horizon: int, experts: int, epsilon: object, delta: object, grid: int = 1
    ) -> Self:
        """As ``LazyExperts.tuned`` in batches of one, with a budget that is met once in T games.

        Raises: InvalidArgument for ε or δ outside (0, ∞) and (0, 1).
        """
        from antiphon.mechanisms.learners.experts.tuning import lazy_parameters

        found = lazy_parameters(rounds(horizon), experts, *budget(epsilon, delta), batch=1)
        mean = _mean_draws(horizon, float(found.rate), float(found.cost))
        rare = math.log(max(2, horizon))
        draws = max(1, math.ceil(mean + math.sqrt(2 * mean * rare) + 2 * rare / 3))
        return cls(
            horizon=horizon, experts=experts, grid=grid, rate=found.rate, cost=found.cost,
            draws=draws,
        )  # fmt: skip

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "as described in Asi, Feldman, Koren and Talwar 2023; bound proved here"
        return proved(self, Renyi(self.capped), self.verification, source)

    @property
    def capped(self) -> CappedCurve:
        """The bound on the Rényi divergences of its claim."""
        return CappedCurve(self.curve, self.draws)

    @property
    def budget(self) -> int:
        return self.draws

    @property
    def switching(self) -> float:
        """p, the probability to leave an expert that lost nothing."""
        return -math.expm1(-float(self.rate) * float(self.cost))

    @property
    def regret_bound(self) -> float:
        """ln d/η + ηT/8 + T·e^(-s²/(2(μ + s/3))), μ = (T-1)r, s = ``draws`` + 1 - μ (Bernstein)."""
        from antiphon.mechanisms.learners.experts.tuning import regret_bound

        rate = float(self.rate)
        mean = _mean_draws(self.horizon, rate, float(self.cost))
        more = max(0.0, self.draws + 1 - mean)
        stuck = math.exp(-(more**2) / (2 * (mean + more / 3)))
        return regret_bound(self.horizon, self.experts, rate, 1) + self.horizon * stuck


def _mean_draws(horizon: int, rate: float, cost: float) -> float:
    """(T-1)·r, r the largest probability to draw anew."""
    return (horizon - 1) * -math.expm1(-rate * (cost + 1))
