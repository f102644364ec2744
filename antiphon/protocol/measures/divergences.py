"""The Rényi divergences of the worst pairs of a measure, rounded up."""

from __future__ import annotations

import math
from numbers import Real
from typing import Final

import numpy as np

from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.interval import UNIT, Floats, up

SLACK: Final = 64 * UNIT
"""More than the few dozen operations of a divergence can be off by, relatively."""


def order_of(order: float) -> float:
    """An order α >= 1, perhaps infinite. Raises: InvalidArgument."""
    if not isinstance(order, Real) or not order >= 1:
        raise InvalidArgument(f"the order of a Rényi divergence is >= 1 here, not {order!r}")
    return order


def response_divergence(epsilon: exact.Epsilon, order: float) -> float:
    """The Rényi divergence of RR_{ε,0} between its two inputs, exact but for rounding up.

    ln(cosh((α-1/2)ε)/cosh(ε/2))/(α-1) nats at order α > 1; ε tanh(ε/2) at 1; ε at inf.
    Every ε-DP mechanism has no larger one (CM Thm 2.5). Relative error 1e-14, upward.
    Raises: InvalidArgument for ε < 0, NaN, or an order below 1.

    >>> response_divergence(1, float("inf")), round(response_divergence(1, 2), 6)
    (1.0, 0.735326)
    """
    value = exact.epsilon(epsilon)
    if order_of(order) == math.inf:
        return up(value)
    return float(response_divergences(np.array([up(value)]), order)[0])


def response_divergences(epsilons: Floats, order: float) -> Floats:
    """The same of many, at one finite order."""
    if order == 1:
        return np.minimum(epsilons * np.tanh(epsilons / 2) * (1 + SLACK) + 5e-324, epsilons)
    s = order - 1
    # cosh x - cosh y = 2 sinh((x+y)/2) sinh((x-y)/2), which does not cancel for small ε
    near = np.minimum(epsilons * order, 20.0)
    small = np.log1p(
        2 * np.sinh(near / 2) * np.sinh(near * (s / order) / 2) / np.cosh(near / order / 2)
    )
    # ln (1+x)/(1+y) = -ln (1 + (y-x)/(1+x)) for x = e^(-(2s+1)ε), y = e^(-ε): nor for small s
    less = -np.exp(-epsilons) * np.expm1(-2 * s * epsilons)
    far = s * epsilons - np.log1p(less / (1 + np.exp(-(2 * s + 1) * epsilons)))
    value = np.where(epsilons * order < 20.0, small, far) / s
    # where products underflow: αε²/2, which is an upper bound for every ε
    value = np.where(epsilons < 1e-140, order / 2 * (epsilons**2 + 5e-324), value)
    return np.minimum(value * (1 + SLACK) + 5e-324, epsilons)


def range_divergence(eta: exact.Epsilon, order: float) -> float:
    """The largest Rényi divergence of an η-BR mechanism, exact but for rounding up.

    Two views with losses t and t-η are the worst, E = q e^(αt) + (1-q)e^(α(t-η)) with
    q = (e^-t - e^-η)/(1 - e^-η): as A e^((α-1)t) - B e^(αt) it is largest at
    e^t = (1-1/α)·(1 - e^(-αη))/(e^-η - e^(-αη)), where it is A e^((α-1)t)/α with
    A = (1 - e^(-αη))/(1 - e^-η). Never more than αη²/8 (Cesar and Rogers 2021), nor η.
    Raises: InvalidArgument for η < 0, NaN, or an order below 1.

    >>> [round(range_divergence(1, order), 5) for order in (2, 4, 16)]
    [0.24023, 0.42953, 0.7812]
    """
    value = exact.epsilon(eta, "eta")
    size = up(value)
    if order_of(order) == math.inf or size == 0:
        return size
    bound = min(order * size * size / 8 * (1 + SLACK) + 5e-324, size)
    if order == 1 or size > 600:
        return bound
    whole = -math.expm1(-order * size)
    rest = -math.expm1(-size)
    less = math.log(rest) - math.log(whole) + math.log(order)  # -ln (A/α)
    most = (
        math.log1p(-1 / order) + math.log(whole) + size - math.log(-math.expm1(-(order - 1) * size))
    )
    error = SLACK * (1 + abs(most) + (abs(less) + 1) / (order - 1) + size)
    return min(bound, max(0.0, most - less / (order - 1)) + error)
