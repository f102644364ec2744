"""How learners' parameters are looked for: within a budget, by the logarithm of a number."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Final, NamedTuple

from antiphon.composition.accounting.largest import Least, golden, largest, within
from antiphon.composition.accounting.renyi import from_renyi
from antiphon.composition.guarantees.guarantee import guarantee
from antiphon.learners.learner import ROUNDS
from antiphon.mechanisms import fields
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.printed import shown_up
from antiphon.protocol.mechanism import Mechanism

_NEAR: Final = 1 / 32
"""By so much a bound may be worse for the sake of a larger batch."""


def rounds(horizon: object) -> int:
    """T, at least 1. Raises: InvalidArgument."""
    return fields.check_size(horizon, "horizon", ROUNDS)


class ParameterSearch(NamedTuple):
    """For the largest x that is private beside a y, and for the y whose merit is least then.

    By plain floats: what is found is held to the claim.
    """

    private: Callable[[float, float], bool]
    merit: Callable[[float, float], float]
    xs: tuple[float, float, int]
    """From where to where, in how many steps."""
    ys: tuple[float, float, int]

    def largest(self, y: float) -> float:
        """The largest x beside this y."""
        return largest(lambda x: self.private(x, y), *self.xs)

    def bound(self, y: float) -> float:
        """The least merit with this y."""
        return self.merit(self.largest(y), y)

    def least(self) -> Least:
        """The least merit, and where it is."""
        return golden(self.bound, *self.ys)


def of_rates(
    private: Callable[[float, float], bool], horizon: int, experts: int, batch: int, steps: int,
    ys: tuple[float, float, int],
) -> ParameterSearch:  # fmt: skip
    """For the least ``regret_bound``: of rates up to the best without privacy."""
    best = math.sqrt(8 * math.log(experts) / (batch * horizon))

    def merit(rate: float, _: float) -> float:
        return regret_bound(horizon, experts, rate, batch)

    return ParameterSearch(private, merit, (best * 2.0**-30, best, steps), ys)


def regret_bound(horizon: int, experts: int, rate: float, batch: int) -> float:
    """ln d/η + ηBT/8: Hedge on losses of batches (Cesa-Bianchi and Lugosi 2006, Thm 2.2)."""
    return math.log(experts) / rate + rate * batch * horizon / 8 if rate else math.inf


def best_batch(horizon: int, bound: Callable[[int], float]) -> int:
    """B: the largest near the best whose bound is no worse than by a part of 32.

    The larger the batch, the larger the rate may be; and where one expert is better than the others
    by a gap, regret is about ln d/η, whatever B is.
    """
    best = min((*(1 << k for k in range(horizon.bit_length())), horizon), key=bound)
    near = {max(1, best * parts // 8) for parts in range(5, 17)}
    bounds = {batch: bound(batch) for batch in near if batch <= horizon}
    enough = min(bounds.values()) * (1 + _NEAR)
    return max(batch for batch, found in bounds.items() if found <= enough)


def keeps(curve: Callable[[float], float], epsilon: Fraction, delta: Fraction) -> bool:
    """Whether a claim with this Rényi bound is (ε, δ)-DP: what decides."""
    return within(from_renyi(curve).epsilon_at(delta), epsilon)


def keep_to(learner: Mechanism, epsilon: object, delta: object) -> None:
    """Raises: InvalidArgument for a learner that spends more than (ε, δ)."""
    spent = guarantee(learner).epsilon_at(exact.probability(delta))
    if not within(spent, exact.positive(epsilon, "epsilon")):
        raise InvalidArgument(f"the counter that was made costs ε = {shown_up(spent)}: use its rho")
