"""Parameters of Thm 3.10: as they are printed, and as they must be for Thm 3.2 to hold."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

from antiphon.mechanisms.learners.l2p.accountings import (
    MOST_RATE,
    L2PSetting,
    Printed,
    printed_epsilon,
)
from antiphon.mechanisms.learners.l2p.l2p_tuning import L2PParameters, epsilon_of, within
from antiphon.mechanisms.learners.searching import largest, short
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.printed import shown_down, shown_up

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
