"""Searches for learners' parameters within a privacy budget, on logarithmic scales.

For L2P (lazy to private): the parameters with the least regret bound within (ε, δ), and those of
Thm 3.10.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

import attrs

from antiphon.composition.accounting import calibration
from antiphon.composition.accounting.renyi import from_renyi
from antiphon.composition.guarantees.guarantee import guarantee
from antiphon.learners.joint_curve import l2p_bound
from antiphon.learners.l2p import accountings
from antiphon.learners.learner import ROUNDS
from antiphon.mechanisms import fields
from antiphon.numbers import ExactEpsilon, InvalidArgument, exact, shown_up
from antiphon.protocol import Approximate, Mechanism, Renyi

_NEAR: Final = 1 / 32
"""The relative increase of a regret bound that is accepted for the sake of a larger batch."""


def rounds(horizon: object) -> int:
    """The horizon T, checked. Raises: InvalidArgument unless it is an int of at least 1."""
    return fields.check_size(horizon, "horizon", ROUNDS)


class ParameterSearch(NamedTuple):
    """A search in two parameters x and y: for each y, x is the largest that is private enough, and
    of these pairs the one with the least ``merit`` (say, a regret bound) is sought.

    In plain floats: the result is checked against the claim.
    """

    private: Callable[[float, float], bool]
    merit: Callable[[float, float], float]
    xs: tuple[float, float, int]
    """The interval in which x is searched, and the number of steps: (low, high, steps)."""
    ys: tuple[float, float, int]

    def largest(self, y: float) -> float:
        """The largest x that is private enough for this y."""
        return calibration.largest_where(lambda x: self.private(x, y), *self.xs)

    def bound(self, y: float) -> float:
        """The merit, such as a regret bound, of this y with its largest private x."""
        return self.merit(self.largest(y), y)

    def least(self) -> calibration.Least:
        """The least merit over all y, and the y where it is reached."""
        return calibration.golden_section(self.bound, *self.ys)


def of_rates(
    private: Callable[[float, float], bool], horizon: int, experts: int, batch: int, steps: int,
    ys: tuple[float, float, int],
) -> ParameterSearch:  # fmt: skip
    """The search for the learning rate x and a second parameter y with the least ``regret_bound``;
    x is at most the rate that is best without privacy."""
    best = math.sqrt(8 * math.log(experts) / (batch * horizon))

    def merit(rate: float, _: float) -> float:
        return regret_bound(horizon, experts, rate, batch)

    return ParameterSearch(private, merit, (best * 2.0**-30, best, steps), ys)


def regret_bound(horizon: int, experts: int, rate: float, batch: int) -> float:
    """The bound ln d/η + ηBT/8 on the regret of Hedge for T rounds in batches of B, d = ``experts``
    and η = ``rate`` (Cesa-Bianchi and Lugosi 2006, Thm 2.2)."""
    return math.log(experts) / rate + rate * batch * horizon / 8 if rate else math.inf


def best_batch(horizon: int, bound: Callable[[int], float]) -> int:
    """The largest batch size, near the best one, whose regret bound is within 1/32 of the least.

    The larger the batch, the larger the rate may be; and if one expert is better than the others by
    a gap, regret is about ln d/η, for any B.
    """
    best = min((*(1 << k for k in range(horizon.bit_length())), horizon), key=bound)
    near = {max(1, best * parts // 8) for parts in range(5, 17)}
    bounds = {batch: bound(batch) for batch in near if batch <= horizon}
    enough = min(bounds.values()) * (1 + _NEAR)
    return max(batch for batch, found in bounds.items() if found <= enough)


def keeps(curve: Callable[[float], float], epsilon: Fraction, delta: Fraction) -> bool:
    """Whether this Rényi bound implies (ε, δ)-DP, computed with rounding up."""
    return calibration.at_most_target(from_renyi(curve).epsilon_at(delta), epsilon)


def keep_to(learner: Mechanism, epsilon: object, delta: object) -> None:
    """Checks that a learner's claims imply (ε, δ)-DP. Raises: InvalidArgument if they do not."""
    spent = guarantee(learner).epsilon_at(exact.probability(delta))
    if not calibration.at_most_target(spent, exact.positive(epsilon, "epsilon")):
        raise InvalidArgument(f"the counter that was made costs ε = {shown_up(spent)}: use its rho")


_ORDERS: Final = 48
_TRIES: Final = 64


class L2PParameters(NamedTuple):
    """Parameters found for L2P (lazy to private), and the accounting of their privacy."""

    setting: accountings.L2PSetting
    accounting: accountings.Accounting


def epsilon_of(
    accounting: accountings.Accounting, setting: accountings.L2PSetting, delta: Fraction
) -> ExactEpsilon:
    """The ε at δ of L2P with the parameters ``setting``, by the accounting; rounded up."""
    measure = accounting.measure(setting)
    if isinstance(measure, Renyi):
        return exact.epsilon(from_renyi(measure.curve).epsilon_at(delta))
    assert isinstance(measure, Approximate)
    return measure.epsilon


# --- searches in plain floats; results are checked against the claim ------------------------------


class _Asked(NamedTuple):
    """The problem of finding parameters for L2P: rounds T, number d of experts, ε and δ."""

    horizon: int
    experts: int
    epsilon: float
    delta: Fraction


def _accounting(asked: _Asked, name: str, batch: int) -> accountings.Accounting:
    """The accounting with this name; one that assumes a number of draws gets the δ₁, the
    probability of more draws, at which it claims the asked δ."""
    if name == "optimised":
        return accountings.Optimised()
    if name == "repaired":
        return accountings.Repaired(tail=asked.delta / 2)
    if name == "printed":
        return accountings.Printed(tail=_tail(asked.horizon, asked.delta, batch))
    raise InvalidArgument("accounting is 'optimised', 'repaired' or 'printed'")


def _search(asked: _Asked, by: accountings.Accounting, batch: int, margin: int) -> ParameterSearch:
    """The search for the probability p of fake switches that allows the largest private learning
    rate η."""
    batches = -(-asked.horizon // batch)
    exactly = isinstance(by, accountings.Optimised)
    least = 1e-9 if exactly else min(0.99, 1.000001 / batches)

    def private(rate: float, fakes: float) -> bool:
        if exactly:
            bound = l2p_bound(rate, -math.log1p(-fakes), margin, batch, batches - 1)
            return bound.seems_to_keep(asked.epsilon, float(asked.delta), _ORDERS, 5e3)
        return _by_theorem(by, rate, fakes, batch, batches) <= asked.epsilon

    return of_rates(private, asked.horizon, asked.experts, batch, 24, (least, 0.999, 24))


def _by_theorem(
    by: accountings.Accounting, rate: float, fakes: float, batch: int, batches: int
) -> float:
    """The ε of Asi et al., Thm 3.2, as printed or repaired, in doubles without rounding up;
    infinite if a premise fails."""
    assert isinstance(by, accountings.CountsDraws)
    length = -math.log(by.tail)
    if rate > accountings.MOST_RATE or batches * fakes < 1 or rate * batch * length > fakes:
        return math.inf
    return by.epsilon(rate, fakes, batches, length)


@lru_cache(maxsize=64)
def best_l2p(
    horizon: int, experts: int, target: Fraction, chance: Fraction, accounting: str
) -> L2PParameters:
    """The parameters of L2P with the least regret bound that are (ε, δ)-DP by the accounting with
    this name. Raises: InvalidArgument."""
    asked = _Asked(horizon, max(experts, 2), float(target), chance)
    # In Thm 3.2 of Asi et al. ε does not depend on the margin m, so only their m = 2 is tried.
    margins = (1, 2) if accounting == "optimised" else (2,)

    def searches(batch: int) -> dict[int, ParameterSearch]:
        by = _accounting(asked, accounting, batch)
        return {margin: _search(asked, by, batch, margin) for margin in margins}

    batch = best_batch(
        horizon, lambda batch: min(each.least().value for each in searches(batch).values())
    )
    found = {margin: (each.least(), each) for margin, each in searches(batch).items()}
    margin = min(found, key=lambda each: found[each][0].value)
    least, search = found[margin]
    setting = accountings.L2PSetting(
        rate=calibration.short_rate(search.largest(least.place)), horizon=horizon, batch=batch,
        fakes=calibration.short_rate(least.place), margin=margin,
    )  # fmt: skip
    by = _accounting(asked, accounting, batch)
    return L2PParameters(l2p_within(by, setting, target, chance), by)


def l2p_within(
    by: accountings.Accounting, setting: accountings.L2PSetting, target: Fraction, delta: Fraction
) -> accountings.L2PSetting:
    """The parameters ``setting`` of L2P, with a rate that is lowered, if need be, until the
    accounting gives (ε, δ)-DP; ``target`` is ε.

    Raises: InvalidArgument for premises that do not hold.
    """
    for _ in range(_TRIES):
        kept = exact.at_most(epsilon_of(by, setting, delta), target)
        if kept and not any(by.violations(setting)):
            return setting
        setting = attrs.evolve(setting, rate=calibration.short_rate(float(setting.rate) * 0.9999))
    by.check(setting)
    raise InvalidArgument("no parameters are found that keep to this epsilon: give a larger one")


# --- Asi et al., Thm 3.10: as printed, and corrected so that Thm 3.2 holds ------------------------

_CURE: Final = (
    "Thm 3.10's closed form does not satisfy Thm 3.2 here; use LazyToPrivate.corrected, or tuned"
)


def printed_l2p(horizon: int, experts: int, target: Fraction, chance: Fraction) -> L2PParameters:
    """The parameters of Asi et al., Thm 3.10, as printed: B = ⌈1/ε⌉, p = 10η/ε, and δ₁ = δ/(2KB)
    for K batches of B rounds. Raises: InvalidArgument where their Thm 3.2 does not hold."""
    rate = calibration.short_rate(_rate(horizon, experts, target) / math.log(horizon / chance))
    batch = math.ceil(1 / target)
    setting, by = _made(horizon, rate, batch, 10 * rate / target, chance)
    for text in chain(by.violations(setting), by.beyond(setting, target, chance)):
        raise InvalidArgument(f"{text}. {_CURE}")
    return L2PParameters(setting, by)


def corrected_l2p(horizon: int, experts: int, target: Fraction, chance: Fraction) -> L2PParameters:
    """The parameters of Asi et al., Thm 3.10, corrected: B = max{1, ⌊10/(εℒ)⌋}, p = max{10η/ε, ηBℒ}
    with ℒ = ln(1/δ₁), and a rate η small enough for ε.

    Raises: InvalidArgument for a premise of Thm 3.2 that does not hold.
    """
    batch = max(1, math.floor(10 / (float(target) * _length(horizon, chance, 1))))
    length = _length(horizon, chance, batch)

    def fakes(rate: float) -> float:
        return max(10 * rate / float(target), rate * batch * length)

    def private(rate: float) -> bool:
        found = accountings.Printed.epsilon(rate, fakes(rate), -(-horizon // batch), length)
        return fakes(rate) < 1 and found <= target

    most = min(float(accountings.MOST_RATE), _rate(horizon, experts, target))
    rate = calibration.short_rate(calibration.largest_where(private, most * 2.0**-30, most, 40))
    # The probability p of a fake switch is rounded up, so that the premise ηBℒ <= p holds.
    chosen = calibration.short_rate(fakes(float(rate)) * (1 + 2.0**-18))
    setting, by = _made(horizon, rate, batch, chosen, chance)
    return L2PParameters(l2p_within(by, setting, target, chance), by)


def _rate(horizon: int, experts: int, epsilon: Fraction) -> float:
    """The rate η = min{ε₀, ε}^(2/3)/T^(1/3) of Asi et al., Thm 3.10, before the division by a
    logarithm in its proof; ε₀ = T^(-1/4) ln^(3/4) d for d experts."""
    least = math.pow(horizon, -0.25) * math.pow(math.log(max(experts, 2)), 0.75)
    return math.pow(min(least, float(epsilon)), 2 / 3) / math.pow(horizon, 1 / 3)


def _tail(horizon: int, delta: Fraction, batch: int) -> Fraction:
    """The probability δ₁ = δ/(2KB) of too many draws, in Asi et al., Thm 3.10, for K batches of B =
    ``batch`` rounds."""
    return delta / (2 * -(-horizon // batch) * batch)


def _length(horizon: int, delta: Fraction, batch: int) -> float:
    """The logarithm ℒ = ln(1/δ₁), δ₁ the probability of too many draws in Asi et al., Thm 3.10."""
    return -math.log(_tail(horizon, delta, batch))


def _made(
    horizon: int, rate: Fraction, batch: int, fakes: Fraction, delta: Fraction
) -> tuple[accountings.L2PSetting, accountings.Printed]:
    setting = accountings.L2PSetting(rate=rate, horizon=horizon, batch=batch, fakes=fakes)
    return setting, accountings.Printed(tail=_tail(horizon, delta, batch))
