"""The standard normal law with certified bounds: rationals around tails, density, quantiles."""

import math
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import Final

from antiphon.numbers import exact
from antiphon.numbers.exact import ExactEpsilon

_BITS: Final = 128
_FARTHEST: Final = 40
"""The number of standard deviations beyond which the normal tail is below all doubles (10^-349)."""
_CLOSER: Final = 1 + 2.0**-44
_LARGEST: Final = 700
"""A value of ε beyond which e^ε is too large for a double."""

Ends = tuple[Fraction, Fraction]


def tail(x: Fraction) -> Ends:
    """Rational bounds around 1 - Φ(x), relatively 2^-100 apart; past x = 40 the lower bound is 0.

    Computed as ½ - φ(x) Σ x^(2n+1)/(1·3·…·(2n+1)), whose terms are all positive; extra bits make up
    for the cancellation in the difference.

    >>> [float(end) for end in tail(Fraction(0))], f"{float(tail(Fraction(2))[1]):.12f}"
    ([0.5, 0.5], '0.022750131948')
    """
    if x < 0:
        low, high = tail(-x)
        return 1 - high, 1 - low
    if x > _FARTHEST:
        return Fraction(0), tail(Fraction(_FARTHEST))[1]
    # These extra bits make up for the cancellation in the difference below.
    bits = _BITS + math.ceil(x * x * Fraction(3, 2))
    least, most = density(x, bits)
    low, high = _series(x, bits)
    return Fraction(1, 2) - most * high, Fraction(1, 2) - least * low


def density(x: Fraction, bits: int = _BITS) -> Ends:
    """Rationals around the normal density φ(x) = e^(-x²/2)/√(2π), some 2^-bits apart."""
    low, high = exact.exp_bracket(x * x / 2, bits)
    least, most = _root_of_twice_pi(bits)
    return Fraction(low, most), Fraction(high, least)


def _series(x: Fraction, bits: int) -> Ends:
    """Rational bounds around the sum of x^(2n+1)/(1·3·…·(2n+1)) over n >= 0: computed with every
    term rounded down, and with every term rounded up."""
    low = down = math.floor(x * (1 << bits))
    high = up = math.ceil(x * (1 << bits))
    top, bottom = (x * x).as_integer_ratio()
    n = 0
    # The loop ends when the remaining terms of the sum add at most 2·up, twice the last term.
    while up > 1 or 2 * n + 3 < 2 * x * x:
        n += 1
        down = down * top // (bottom * (2 * n + 1))
        up = -(-up * top // (bottom * (2 * n + 1)))
        low, high = low + down, high + up
    return Fraction(low, 1 << bits), Fraction(high + 2 * up, 1 << bits)


@lru_cache(maxsize=64)
def _root_of_twice_pi(bits: int) -> tuple[int, int]:
    """Integers just below and above 2^bits·√(2π), from π by Machin's formula, whose rounding errors
    are counted."""
    guard = 2 * bits + 32

    def arctan(inverse: int) -> int:
        """An integer near 2^guard·arctan(1/inverse), by the power series; each of its fewer than
        ``guard`` terms adds an error of at most 2."""
        power = total = (1 << guard) // inverse
        n = 0
        while power:
            n += 1
            power //= inverse * inverse
            total += (-1) ** n * (power // (2 * n + 1))
        return total

    pi, error = 4 * (4 * arctan(5) - arctan(239)), 64 * guard
    return (
        math.isqrt(2 * (pi - error) >> (guard - 2 * bits)),
        math.isqrt((2 * (pi + error) >> (guard - 2 * bits)) + 1) + 1,
    )


def gaussian_delta(mu: Fraction, epsilon: ExactEpsilon) -> Ends:
    """Rational bounds around δ(ε) = Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 - ε/μ) of the Gaussian mechanism, μ >
    0.

    Balle and Wang 2018, Thm 8; the same δ holds for N(0, 1) against N(μ, 1), and so for μ-GDP
    (Dong, Roth and Su 2022, Cor. 1). The lower end may be negative where δ is near 0.

    >>> f"{float(gaussian_delta(Fraction(1), Fraction(1))[1]):.9f}"
    '0.126936738'
    """
    low, high = exact.bracket(epsilon, 60)
    near, far = high / mu - mu / 2, high / mu + mu / 2
    if low == high:
        return _difference(tail(near), tail(far), high)
    # δ decreases in ε: the upper end of ε gives the lower bound, and its lower end the upper one.
    return (
        _difference(tail(near), tail(far), high)[0],
        _difference(tail(low / mu - mu / 2), tail(low / mu + mu / 2), low)[1],
    )


def _difference(near: Ends, far: Ends, epsilon: Fraction) -> Ends:
    """Rational bounds around p - e^ε·q, for p within the ends ``near`` and q within ``far``."""
    bits = _BITS + math.ceil(epsilon * Fraction(3, 2))
    least, most = exact.exp_bracket(epsilon, bits)
    one = Fraction(1 << bits)
    return near[0] - far[1] * one / least, near[1] - far[0] * one / most


def quantile_above(epsilon: ExactEpsilon) -> Fraction:
    """A number x with Φ(x) >= e^ε/(1+e^ε), relatively at most about 2^-40 above the least one.

    >>> round(float(quantile_above(exact.Log(3))), 6)  # Φ(x) = 3/4
    0.67449
    """
    high = exact.bracket(epsilon, 60)[1]
    if not high:
        return Fraction(0)
    if high > _LARGEST:
        # x = √(2ε) is large enough, because 1-Φ(x) <= e^(-x²/2)/2 <= 1/(1+e^ε).
        return exact.root_up(2 * high)
    wrong = 1 / (1 + math.exp(high))
    guess = max(-NormalDist().inv_cdf(wrong), 2.0**-60)
    most = _wrong(epsilon, high)
    while tail(Fraction(guess))[1] > most:
        guess = max(guess * _CLOSER, math.nextafter(guess, math.inf))
        guess += (guess - float(-NormalDist().inv_cdf(wrong))) / 2
    return Fraction(guess)


def _wrong(epsilon: ExactEpsilon, high: Fraction) -> Fraction:
    """The probability 1/(1+e^ε) that randomized response lies, rounded down, given a rational upper
    bound ``high`` of ε; exact for a ``Log``."""
    if isinstance(epsilon, exact.Log):
        return 1 / (1 + epsilon.argument)
    bits = _BITS + math.ceil(high * Fraction(3, 2))
    low = Fraction(exact.exp_bracket(high, bits)[0], 1 << bits)  # ``low`` is at most e^-ε.
    return low / (1 + low)
