"""Lazy experts: private because it seldom changes its mind, and tells little when it does."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Self

import attrs

from antiphon.mechanisms import fields
from antiphon.mechanisms.learners.experts.dartboard import Dartboard
from antiphon.mechanisms.learners.experts.lazy_curve import LazyCurve
from antiphon.mechanisms.learners.experts.weighted import times
from antiphon.mechanisms.learners.searching import budget, rounds
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.numbers.interval import nearest
from antiphon.protocol.claims import Claim
from antiphon.protocol.measures.kinds import Renyi
from antiphon.protocol.provenance import proved
from antiphon.protocol.registry import register

_TABLE: Final = 1 << 12
"""Exponents that are computed once."""
_LONGEST: Final = 1 << 17
"""Bits of the rational probabilities of a Log."""


@register("antiphon.LazyExperts/1")
@attrs.frozen(kw_only=True)
class LazyExperts(Dartboard):
    """After each batch it stays with probability e^(-η(c + L_b(x))), else it draws by weight.

    η = ``rate``, c = ``cost`` > 0, batches of B = ``batch`` rounds, L_b(x) in [0, B] the loss in
    the batch of the expert x that it follows. The first expert is drawn uniformly; after the last
    round nothing is drawn.

    Expected regret: at most ln d/η + ηBT/8, against losses that do not depend on what is shown
    (see ``Dartboard``; Hedge on batches). An adversary that hits the expert that is shown
    makes it Ω(T).

    Privacy: e^((α-1)D_α) <= max{1 + r(R-1), F}·(1 + r(R-1))^(K-2), K = ⌈T/B⌉ (see ``LazyCurve``
    for r, R and F), w.r.t. ``verification``, against adaptive adversaries; *proved*:

    Reveal more than is said: each of the K-1 decisions (stay, or draw), and who is drawn. An
    answer is the last of those, and the next loss is chosen from them and the adversary's own
    coins; so it is enough to bound E = Σ P^α Q^(1-α) over the sequences of what is revealed, P and
    Q the laws in the two worlds, in either order. P and Q factor into conditional laws given what
    was revealed, so E is at most the product of what each decision can contribute, whatever came
    before, by induction from the last decision back. Given the past, x is known, and is the same:

    * before the batch with the loss that differs all is the same in both worlds: 1;
    * after it x loses the same in both, so they stay with one probability s, and contribute
      s + (1-s)·E', where E' <= R is that of the two laws of a draw: their scores differ by one
      loss, in [-1, 1]^d, so their log-ratio has a range of at most 2η. As s >= 1-r and R >= 1, that
      is at most 1 + r(R-1);
    * at the end of that batch itself they stay with s₀ = e^(-η(c+L)) and s₁ = e^(-η(c+L')), where
      |L-L'| <= 1, both in [0, B], and contribute s₀^α s₁^(1-α) + (1-s₀)^α (1-s₁)^(1-α)·R. That is
      jointly convex in (s₀, s₁) (a perspective of a power), on the hexagon of those pairs,
      {lo <= s₀, s₁ <= hi, |ln(s₀/s₁)| <= η}, so it is largest at a corner: where s₀ = s₁, and it is
      at most 1 + r(R-1), or where {L, L'} is {0, 1} or {B-1, B}, and it is at most F.

    The batch that differs is followed by at most K-2 decisions, and if it is the last, by none.
    That the decision falls when the loss comes, never when one asks, is used: else a question
    would read two losses at once.
    Source: Asi, Koren, Liu and Talwar, *Private Online Learning via Lazy Algorithms*, Alg. 1,
    without fake switches; this bound is derived here.
    Raises: InvalidArgument for a rate or cost that is not positive; for ``rate=Log(q)`` if
    cost·grid is no whole number, or probabilities would be too long.

    >>> import numpy as np
    >>> learner = LazyExperts(horizon=9, experts=2, rate=50, cost=1)
    >>> session = learner.start(seed=1)
    >>> session.send(np.array([1, 0])), session.send("advice")
    (TOP, 1)
    """

    cost: Fraction = attrs.field(converter=fields.positive)
    batch: int = attrs.field(default=1, converter=fields.size, metadata=fields.STREAM)
    _exponents: tuple[ExactEpsilon, ...] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        Dartboard.__attrs_post_init__(self)
        if isinstance(self.unit, Log):
            steps = self.cost * self.grid
            if steps.denominator != 1:
                raise InvalidArgument("with rate=Log(q), cost·grid must be a whole number")
            size = self.unit.argument.numerator.bit_length()
            if (steps + self.batch * self.grid) * size > _LONGEST:
                raise InvalidArgument(
                    "rate=Log(q) has too many digits for this batch, cost and grid; give the rate "
                    "as a number"
                )
        known = range(min(self.batch * self.grid + 1, _TABLE))
        self._set(_exponents=tuple(map(self._exponent, known)))

    @classmethod
    def tuned(
        cls, *, horizon: int, experts: int, epsilon: object, delta: object, grid: int = 1
    ) -> Self:
        """The rate, batch and cost with about the least ln d/η + ηBT/8 that is (ε, δ)-DP.

        By the claim's Rényi bound, rounded up: of those within a part of 32 of the least, that
        with the largest rate. A search; that (ε, δ) holds is checked at its end.
        Raises: InvalidArgument for ε or δ outside (0, ∞) and (0, 1).
        """
        from antiphon.mechanisms.learners.experts.tuning import lazy_parameters

        found = lazy_parameters(rounds(horizon), experts, *budget(epsilon, delta))
        return cls(
            horizon=horizon, experts=experts, grid=grid,
            rate=found.rate, cost=found.cost, batch=found.batch,
        )  # fmt: skip

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "Asi, Koren, Liu and Talwar, Alg. 1 without fake switches; bound proved here"
        return proved(self, Renyi(self.curve), self.verification, source)

    @property
    def curve(self) -> LazyCurve:
        """The bound on the Rényi divergences of its claim."""
        decisions = -(-self.horizon // self.batch) - 1
        return LazyCurve(self.rate, self.cost, self.batch, decisions)

    @property
    def regret_bound(self) -> float:
        """ln d/η + ηBT/8."""
        from antiphon.mechanisms.learners.experts.tuning import regret_bound

        return regret_bound(self.horizon, self.experts, nearest(self.rate), self.batch)

    @property
    def period(self) -> int:
        return self.batch

    def exponent(self, loss: int) -> ExactEpsilon:
        known = self._exponents
        return known[loss] if loss < len(known) else self._exponent(loss)

    def _exponent(self, loss: int) -> ExactEpsilon:
        """η(c + L), L = loss/grid."""
        steps = self.cost * self.grid + loss
        return times(self.unit, int(steps)) if isinstance(self.unit, Log) else self.unit * steps
