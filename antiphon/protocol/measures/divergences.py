"""The Rényi divergences of the worst-case pair of a privacy measure, rounded up."""

import math
from collections.abc import Callable
from numbers import Real
from types import ModuleType
from typing import Final

import numpy as np

from antiphon.numbers import InvalidArgument, exact
from antiphon.numbers.interval import UNIT, Floats, Number, up

SLACK: Final = 64 * UNIT
"""A bound above the relative rounding error of a computed divergence in doubles."""


def order_of(order: float) -> float:
    """A Rényi order α >= 1, perhaps infinite. Raises: InvalidArgument for anything else."""
    if not isinstance(order, Real) or not order >= 1:
        raise InvalidArgument(f"the order of a Rényi divergence is >= 1 here, not {order!r}")
    return order


def response_divergence(epsilon: exact.Epsilon, order: float) -> float:
    """The Rényi divergence between the two output laws of randomized response RR_{ε,0}; exact but
    for rounding up.

    ln(cosh((α-1/2)ε)/cosh(ε/2))/(α-1) nats at order α > 1; ε tanh(ε/2) at 1; ε at inf.
    Every ε-DP mechanism has no larger one (CM Thm 2.5). Relative error 1e-14, upward.
    Raises: InvalidArgument for ε < 0, NaN, or an order below 1.

    >>> response_divergence(1, float("inf")), round(response_divergence(1, 2), 6)
    (1.0, 0.735326)
    """
    return response_curve(epsilon)(order)


def response_curve(epsilon: exact.Epsilon) -> Callable[[float], float]:
    """The Rényi divergence of randomized response RR_{ε,0} as a function of the order; ε is rounded
    to a double once, for all orders. Raises: InvalidArgument."""
    size = up(exact.epsilon(epsilon))

    def curve(order: float) -> float:
        if order_of(order) == math.inf:
            return size
        if order == 1:
            return min(size * math.tanh(size / 2) * (1 + SLACK) + 5e-324, size)
        s = order - 1
        if size < 1e-140:
            value = order / 2 * (size**2 + 5e-324)
        else:
            product = size * order
            value = (_near(math, product, order) if product < 20.0 else _far(math, size, s)) / s
        return min(value * (1 + SLACK) + 5e-324, size)

    return curve


def response_divergences(epsilons: Floats, order: float) -> Floats:
    """The Rényi divergences of randomized response for many ε, at one finite order above 1."""
    s = order - 1
    near = _near(np, np.minimum(epsilons * order, 20.0), order)
    value = np.where(epsilons * order < 20.0, near, _far(np, epsilons, s)) / s
    # For very small ε, where products underflow, αε²/2 is used, which is an upper bound for every
    # ε.
    value = np.where(epsilons < 1e-140, order / 2 * (epsilons**2 + 5e-324), value)
    return np.minimum(value * (1 + SLACK) + 5e-324, epsilons)


def _near(m: ModuleType, product: Number, order: float) -> Number:
    """(α-1) times the Rényi divergence of order α of randomized response, for ``product`` = αε <
    20; ``m`` is the module ``math`` or NumPy.

    cosh x - cosh y = 2 sinh((x+y)/2) sinh((x-y)/2), which does not cancel for small ε.
    """
    half, share = product / 2, (order - 1) / order
    found: Number = m.log1p(2 * m.sinh(half) * m.sinh(half * share) / m.cosh(half / order))
    return found


def _far(m: ModuleType, epsilon: Number, s: float) -> Number:
    """(α-1) times the Rényi divergence of order α = 1 + s of randomized response, for αε >= 20;
    ``m`` is the module ``math`` or NumPy.

    ln (1+x)/(1+y) = -ln (1 + (y-x)/(1+x)) for x = e^(-(2s+1)ε), y = e^(-ε): no cancellation for
    small s.
    """
    less = -m.exp(-epsilon) * m.expm1(-2 * s * epsilon)
    found: Number = s * epsilon - m.log1p(less / (1 + m.exp(-(2 * s + 1) * epsilon)))
    return found


def range_divergence(eta: exact.Epsilon, order: float) -> float:
    """The largest Rényi divergence of an η-bounded-range mechanism; exact but for rounding up.

    Two views with losses t and t-η are the worst: e^((α-1)D_α) = q e^(αt) + (1-q)e^(α(t-η))
    with q = (e^-t - e^-η)/(1 - e^-η), largest at e^t = (1-1/α)·(1 - e^(-αη))/(e^-η - e^(-αη)),
    where it is A e^((α-1)t)/α with A = (1 - e^(-αη))/(1 - e^-η). Never more than αη²/8 (Cesar and
    Rogers 2021), nor η. Raises: InvalidArgument for η < 0, NaN, or an order below 1.

    >>> [round(range_divergence(1, order), 5) for order in (2, 4, 16)]
    [0.24023, 0.42953, 0.7812]
    """
    return range_curve(eta)(order)


def range_curve(eta: exact.Epsilon) -> Callable[[float], float]:
    """The largest Rényi divergence of an η-bounded-range mechanism as a function of the order; η is
    rounded to a double once, for all orders. Raises: InvalidArgument."""
    size = up(exact.epsilon(eta, "eta"))
    return lambda order: _of_range(size, order_of(order))


def _of_range(size: float, order: float) -> float:
    if order == math.inf or size == 0:
        return size
    bound = min(order * size * size / 8 * (1 + SLACK) + 5e-324, size)
    if order == 1 or not 1e-140 < size <= 600:
        return bound
    whole = -math.expm1(-order * size)
    rest = -math.expm1(-size)
    # the value of -ln(A/α) for A = (1 - e^(-αη))/(1 - e^-η)
    less = math.log(rest) - math.log(whole) + math.log(order)
    most = (
        math.log1p(-1 / order) + math.log(whole) + size - math.log(-math.expm1(-(order - 1) * size))
    )
    error = SLACK * (1 + abs(most) + (abs(less) + 1) / (order - 1) + size)
    return min(bound, max(0.0, most - less / (order - 1)) + error)
