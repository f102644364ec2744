"""From P to R and from R to Q: what is known of P and Q, in every measure; and of k such steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Final, TypeVar

import attrs

from antiphon.composition.accounting.summed import Divergence, divergence_of
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.numbers.interval import UNIT
from antiphon.protocol.measures.conversions import converted
from antiphon.protocol.measures.divergences import order_of
from antiphon.protocol.measures.kinds import (
    Approximate,
    GaussianDP,
    Measure,
    Pure,
    Renyi,
    ZeroConcentrated,
)

_UP: Final = 1 + 16 * UNIT
"""More than the few operations below can be off by, relatively."""
_GOLDEN: Final = (math.sqrt(5) - 1) / 2
_WIDEST: Final = 30


@attrs.frozen
class Hoelder:
    """α ↦ the least of ((α-1/p)/(α-1))·ε(pα) + ε̃(q(α-1/p)) over p > 1, 1/p + 1/q = 1. Rounded up.

    And of the same with ε and ε̃ changed over: the step by π or that by the neighbour may come
    first. The weak triangle inequality of Rényi divergences (Mironov 2017, Prop. 11: Hölder's
    inequality for ∫(P/R)^α (R/Q)^(α-1/p)·…). The factor belongs to the first leg only.
    For ε = αa² and ε̃ = αb² the best p is 1 + (α-1)b/(αa), and gives α(a+b)².

    In β = pα, which is free: the other order is α(β-1)/(β-α), the factor α(β-1)/(β(α-1)). Orders
    are rounded up, too, as no divergence falls with its order.
    """

    near: tuple[Measure, ...]
    far: tuple[Measure, ...]
    _legs: tuple[Divergence, Divergence] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_legs", (_least_of(self.near), _least_of(self.far)))

    def __call__(self, order: float) -> float:
        if not 1 < order_of(order) < math.inf:
            return math.inf
        near, far = self._legs
        orders = ((near, far), (far, near))
        return min(_valley(self._at(order, *legs)) for legs in orders)

    @staticmethod
    def _at(order: float, first: Divergence, second: Divergence) -> Callable[[float], float]:
        def bound(place: float) -> float:
            beta = order + (order - 1) * math.exp(place)
            gap = beta - order
            if not gap > 0:
                return math.inf
            factor = order / beta * ((beta - 1) / (order - 1)) * _UP
            leg = first(beta)
            if not leg * factor < math.inf:
                return math.inf
            return (leg * factor + second(order * (beta - 1) / gap * _UP)) * _UP

        return bound


def _least_of(measures: Sequence[Measure]) -> Divergence:
    known = [divergence_of(each) for each in measures if not _loses(each)]
    return lambda order: min((each(order) for each in known), default=math.inf)


def _loses(measure: Measure) -> bool:
    return isinstance(measure, Approximate) and measure.delta > 0


def _valley(function: Callable[[float], float]) -> float:
    """The least value found, on a grid and then by golden section: each of them is a bound."""
    known = {place: function(place) for place in range(-_WIDEST, _WIDEST + 1, 2)}
    best = min(known, key=known.__getitem__)
    low, high = float(best - 2), float(best + 2)
    least = known[best]
    for _ in range(40):
        left, right = high - (high - low) * _GOLDEN, low + (high - low) * _GOLDEN
        values = function(left), function(right)
        low, high = (low, right) if values[0] <= values[1] else (left, high)
        least = min(least, *values)
    return least


@attrs.frozen
class Ranged:
    """A Rényi curve that is known at orders between ``low`` and ``high`` only, both included.

    Raises: InvalidArgument at any other: it is never extrapolated. Accounting takes ∞ there.

    >>> Ranged(lambda order: order / 2, low=1.0, high=8.0)(4)
    2.0
    """

    curve: Callable[[float], float]
    low: float = attrs.field(default=1.0, kw_only=True)
    high: float = attrs.field(kw_only=True)

    def __attrs_post_init__(self) -> None:
        if not 1 <= self.low < self.high:
            raise InvalidArgument("a curve is known at orders from low >= 1 up to high > low")

    def __call__(self, order: float) -> float:
        if not self.low <= order <= self.high:
            raise InvalidArgument(
                f"this curve is known for orders between {self.low:.6g} and {self.high:.6g}, "
                f"and {order:.6g} is none"
            )
        return self.curve(order)


# --- in other measures ----------------------------------------------------------------------------


def triangle(near: Sequence[Measure], far: Sequence[Measure]) -> tuple[Measure, ...]:
    """What both legs come to: ε+ε̃, (√ρ+√ρ̃)², μ+μ̃, and the curve of ``Hoelder``.

    Pure: log-ratios add up. zCDP: ``Hoelder`` of αρ and αρ̃. GDP: T(P, Q) >= G_μ̃(1 - G_μ), which
    is G_{μ+μ̃} (Dong, Roth and Su 2022, Lemma A.5).

    >>> triangle([ZeroConcentrated(4)], [ZeroConcentrated(1)])[0]
    ZeroConcentrated(rho=Fraction(9, 1))
    """
    found = [*_sizes(near, far), Renyi(Hoelder(tuple(near), tuple(far)))]
    return () if any(map(_nothing, (near, far))) else tuple(found)


def _nothing(measures: Sequence[Measure]) -> bool:
    return all(map(_loses, measures))


def _sizes(near: Sequence[Measure], far: Sequence[Measure]) -> Iterator[Measure]:
    one, other = _least(near, Pure), _least(far, Pure)
    if one and other:
        yield Pure(_sum(one.epsilon, other.epsilon))
    first, second = _least(near, ZeroConcentrated), _least(far, ZeroConcentrated)
    if first and second:
        product = exact.root_up(first.rho * second.rho)
        yield ZeroConcentrated(first.rho + 2 * product + second.rho)
    shift, more = _least(near, GaussianDP), _least(far, GaussianDP)
    if shift and more:
        yield GaussianDP(shift.mu + more.mu)


def steps(measures: Sequence[Measure], count: int) -> tuple[Measure, ...]:
    """Group privacy of k steps: kε, k²ρ, kμ (Vadhan 2017; Bun and Steinke 2016, Prop. 1.9)."""
    found: list[Measure] = []
    pure, shift = _least(measures, Pure), _least(measures, GaussianDP)
    concentrated = _least(measures, ZeroConcentrated)
    if pure:
        found.append(Pure(_sum(*(pure.epsilon,) * count)))
    if concentrated:
        found.append(ZeroConcentrated(count**2 * concentrated.rho))
    if shift:
        found.append(GaussianDP(count * shift.mu))
    return tuple(found)


Kind = TypeVar("Kind", Pure, ZeroConcentrated, GaussianDP)


def _least(measures: Sequence[Measure], kind: type[Kind]) -> Kind | None:
    """The least that one of the measures implies in this kind; None if none does."""
    found = [each for each in (converted(one, kind) for one in measures) if each is not None]
    return min(found, key=_size, default=None)


def _size(measure: Pure | ZeroConcentrated | GaussianDP) -> Fraction:
    if isinstance(measure, Pure):
        return exact.bracket(measure.epsilon, 40)[1]
    return measure.rho if isinstance(measure, ZeroConcentrated) else measure.mu


def _sum(*epsilons: ExactEpsilon) -> ExactEpsilon:
    """Their sum: of ``Log``s the product of what they are the logarithms of, else rounded up."""
    logs = [each for each in epsilons if isinstance(each, Log)]
    if logs and len(logs) == len(epsilons) and len(logs) < _WIDEST:
        return exact.epsilon(Log(math.prod(each.argument for each in logs)))
    return sum((exact.bracket(each, 40)[1] for each in epsilons), Fraction(0))
