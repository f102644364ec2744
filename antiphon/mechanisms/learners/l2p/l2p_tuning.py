"""Parameters of L2P: the least regret bound that keeps to (ε, δ)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Final, NamedTuple

import attrs
import numpy as np

from antiphon.composition.accounting.renyi import from_renyi
from antiphon.mechanisms.learners.experts.tuning import best_batch, drawn, regret_bound
from antiphon.mechanisms.learners.l2p.accountings import (
    MOST_RATE,
    Accounting,
    L2PSetting,
    Optimised,
    Printed,
    Repaired,
    printed_epsilon,
    repaired_epsilon,
)
from antiphon.mechanisms.learners.searching import Least, golden, largest, short
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import ExactEpsilon
from antiphon.numbers.interval import Floats
from antiphon.numbers.printed import shown_down, shown_up
from antiphon.protocol.measures.kinds import Approximate, Renyi

_ORDERS: Final = 48
_TRIES: Final = 64


class L2PParameters(NamedTuple):
    """Parameters, and what they are reckoned by."""

    setting: L2PSetting
    accounting: Accounting


def epsilon_of(accounting: Accounting, setting: L2PSetting, delta: Fraction) -> ExactEpsilon:
    """ε at δ of what is claimed, rounded up."""
    measure = accounting.measure(setting)
    if isinstance(measure, Renyi):
        return exact.epsilon(from_renyi(measure.curve).epsilon_at(delta))
    assert isinstance(measure, Approximate)
    return measure.epsilon


# --- plain floats: where to look. What is found is held to the claim ------------------------------


@attrs.frozen
class _Search(ABC):
    """For so many rounds and experts, and a budget. Abstract."""

    horizon: int
    experts: int
    epsilon: float
    delta: Fraction

    margins: ClassVar[tuple[int, ...]] = (1, 2)

    @abstractmethod
    def accounting(self, batch: int) -> Accounting:
        """What it is reckoned by."""

    @abstractmethod
    def private(self, rate: float, fakes: float, batch: int, margin: int) -> bool:
        """Whether ε is enough, and the premises hold."""

    def least_fakes(self, batch: int) -> float:
        """The least p that is tried."""
        return 1e-9

    def rate(self, fakes: float, batch: int, margin: int) -> float:
        """The rate with the least bound: the best, or the largest that is private."""
        most = math.sqrt(8 * math.log(self.experts) / (batch * self.horizon))
        return largest(
            lambda rate: self.private(rate, fakes, batch, margin), most * 2.0**-30, most, 24
        )

    def bound(self, fakes: float, batch: int, margin: int) -> float:
        """The least regret bound with these."""
        return regret_bound(self.horizon, self.experts, self.rate(fakes, batch, margin), batch)

    def fakes(self, batch: int, margin: int) -> Least:
        """The least bound, and the best p."""
        return golden(
            lambda fakes: self.bound(fakes, batch, margin), self.least_fakes(batch), 0.999, 24
        )

    def best(self, batch: int) -> float:
        """The least regret bound with this batch."""
        return min(self.fakes(batch, margin).value for margin in self.margins)

    def setting(self, batch: int) -> L2PSetting:
        """The best with this batch."""
        margin = min(self.margins, key=lambda each: self.fakes(batch, each).value)
        fakes = self.fakes(batch, margin).place
        return L2PSetting(
            rate=short(self.rate(fakes, batch, margin)), horizon=self.horizon, batch=batch,
            fakes=short(fakes), margin=margin,
        )  # fmt: skip


@attrs.frozen
class _OfTheorem(_Search):
    """By Thm 3.2, whose ε knows no margin: so it has the paper's."""

    margins: ClassVar[tuple[int, ...]] = (2,)
    reckoned: type[Printed] | type[Repaired]

    def accounting(self, batch: int) -> Printed | Repaired:
        rounds = -(-self.horizon // batch) * batch
        tail = self.delta / 2 / (rounds if self.reckoned is Printed else 1)
        return self.reckoned(tail=tail)

    def private(self, rate: float, fakes: float, batch: int, margin: int) -> bool:
        length = -math.log(self.accounting(batch).tail)
        formula = printed_epsilon if self.reckoned is Printed else repaired_epsilon
        batches = -(-self.horizon // batch)
        return (
            rate <= MOST_RATE
            and batches * fakes >= 1
            and rate * batch * length <= fakes
            and formula(rate, fakes, batches, length) <= self.epsilon
        )

    def least_fakes(self, batch: int) -> float:
        return min(0.99, 1.000001 / -(-self.horizon // batch))


@attrs.frozen
class _Optimised(_Search):
    """By the joint Rényi bound."""

    def accounting(self, batch: int) -> Optimised:
        return Optimised()

    @property
    def _less(self) -> Floats:
        """α - 1, for the orders that are tried."""
        most = 50 * (1 - math.log(self.delta)) / self.epsilon
        return np.geomspace(most / 5e3, most, _ORDERS)

    def private(self, rate: float, fakes: float, batch: int, margin: int) -> bool:
        decisions = -(-self.horizon // batch) - 1
        if not decisions:
            return True
        less, real = self._less, -math.log1p(-fakes)
        of_draws = drawn(rate, less)

        def mixed(own: float, other: float) -> Floats:
            draws = math.log(-math.expm1(-own)), math.log(-math.expm1(-other))
            staying = (other - own) * less - own
            return np.logaddexp(staying, (draws[0] - draws[1]) * less + of_draws + draws[0])

        low, high = (margin - 1) * batch, (margin + 1) * batch
        far = real + high * rate
        after = differs = mixed(far, far)
        for steps in {low, high - 2}:
            ends = real + steps * rate, real + (steps + 2) * rate
            differs = np.maximum(differs, np.maximum(mixed(*ends), mixed(*ends[::-1])))
        total = differs + (decisions - 1) * after + decisions * mixed(real, real)
        shape = less * np.log(less) - (1 + less) * np.log1p(less) - math.log(self.delta)
        return bool(((total + shape) / less).min() <= self.epsilon)


def _search(
    horizon: int, experts: int, epsilon: Fraction, delta: Fraction, accounting: str
) -> _Search:
    given = horizon, max(experts, 2), float(epsilon), delta
    if accounting == "optimised":
        return _Optimised(*given)
    kinds: dict[str, type[Printed] | type[Repaired]] = {"printed": Printed, "repaired": Repaired}
    if accounting not in kinds:
        raise InvalidArgument("accounting is 'optimised', 'repaired' or 'printed'")
    return _OfTheorem(*given, kinds[accounting])


@lru_cache(maxsize=64)
def best(
    horizon: int, experts: int, target: Fraction, chance: Fraction, accounting: str
) -> L2PParameters:
    """What is best; its claim is (ε, δ)-DP. Raises: InvalidArgument."""
    search = _search(horizon, experts, target, chance, accounting)
    batch = best_batch(horizon, search.best)
    setting, by = search.setting(batch), search.accounting(batch)
    return L2PParameters(within(by, setting, target, chance), by)


def within(by: Accounting, setting: L2PSetting, target: Fraction, delta: Fraction) -> L2PSetting:
    """The setting with its rate, or the largest smaller one that is found to keep to (ε, δ).

    Raises: InvalidArgument for premises that do not hold.
    """
    for _ in range(_TRIES):
        kept = exact.at_most(epsilon_of(by, setting, delta), target)
        if kept and not any(by.violations(setting)):
            return setting
        setting = attrs.evolve(setting, rate=short(float(setting.rate) * 0.9999))
    by.check(setting)
    raise InvalidArgument("no parameters are found that keep to this epsilon: give a larger one")


_CURE: Final = (
    "Thm 3.10's closed form does not satisfy Thm 3.2 here; use LazyToPrivate.corrected, or tuned"
)


def printed(horizon: int, experts: int, target: Fraction, chance: Fraction) -> L2PParameters:
    """B = ⌈1/ε⌉, p = 10η/ε, δ₁ = δ/(2KB). Raises: InvalidArgument where Thm 3.2 does not hold."""
    rate = short(_rate(horizon, experts, target) / math.log(horizon / chance))
    batch = math.ceil(1 / target)
    setting, by = _made(horizon, rate, batch, 10 * rate / target, chance)
    try:
        by.check(setting)
    except InvalidArgument as error:
        raise InvalidArgument(f"{error}. {_CURE}") from error
    spent = epsilon_of(by, setting, chance)
    if not exact.at_most(spent, target):
        raise InvalidArgument(
            f"Thm 3.2 gives ε = {shown_up(spent)}, more than {shown_down(target)}. {_CURE}"
        )
    return L2PParameters(setting, by)


def corrected(horizon: int, experts: int, target: Fraction, chance: Fraction) -> L2PParameters:
    """B = max{1, ⌊10/(εℒ)⌋}, p = max{10η/ε, ηBℒ}, and η shrunk until ε is met.

    Raises: InvalidArgument for a premise of Thm 3.2 that does not hold.
    """
    batch = max(1, math.floor(10 / (float(target) * _length(horizon, chance, 1))))
    length = _length(horizon, chance, batch)

    def fakes(rate: float) -> float:
        return max(10 * rate / float(target), rate * batch * length)

    def private(rate: float) -> bool:
        found = printed_epsilon(rate, fakes(rate), -(-horizon // batch), length)
        return fakes(rate) < 1 and found <= target

    most = min(float(MOST_RATE), _rate(horizon, experts, target))
    rate = short(largest(private, most * 2.0**-30, most, 40))
    # Rounded up, for the premise.
    chosen = short(fakes(float(rate)) * (1 + 2.0**-18))
    setting, by = _made(horizon, rate, batch, chosen, chance)
    return L2PParameters(within(by, setting, target, chance), by)


def _rate(horizon: int, experts: int, epsilon: Fraction) -> float:
    """min{ε₀, ε}^(2/3)/T^(1/3): η of the theorem's statement; its proof divides by a logarithm."""
    least = math.pow(horizon, -0.25) * math.pow(math.log(max(experts, 2)), 0.75)
    return math.pow(min(least, float(epsilon)), 2 / 3) / math.pow(horizon, 1 / 3)


def _tail(horizon: int, delta: Fraction, batch: int) -> Fraction:
    """δ₁."""
    return delta / (2 * -(-horizon // batch) * batch)


def _length(horizon: int, delta: Fraction, batch: int) -> float:
    """ln(1/δ₁)."""
    return -math.log(_tail(horizon, delta, batch))


def _made(
    horizon: int, rate: Fraction, batch: int, fakes: Fraction, delta: Fraction
) -> tuple[L2PSetting, Printed]:
    setting = L2PSetting(rate=rate, horizon=horizon, batch=batch, fakes=fakes)
    return setting, Printed(tail=_tail(horizon, delta, batch))
