"""Weak triangle inequalities: bounds on the privacy loss between laws P and Q, from bounds between
P and R and between R and Q; and group privacy for k such steps."""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from operator import attrgetter
from typing import Final, NamedTuple, TypeVar

import attrs

from antiphon.composition.accounting.summed_measures import Divergence, divergence_of
from antiphon.numbers import ExactEpsilon, Log, exact
from antiphon.numbers.errors import InvalidArgument, UnknownOrder
from antiphon.numbers.interval import UNIT, up
from antiphon.protocol import Approximate, GaussianDP, Measure, Pure, Renyi, ZeroConcentrated
from antiphon.protocol.measures.conversions import converted
from antiphon.protocol.measures.divergences import order_of
from antiphon.protocol.registry import set_derived

WIDEST: Final = 30.0
"""The largest |t| in the search for an order α + (α-1)e^t; past it e^t or e^-t is negligible."""
_GOLDEN: Final = (3 - math.sqrt(5)) / 2
_STEPS: Final = 24
_NEAR: Final = 2.0**-15
"""The distance below which two arguments of a function count as one: so far from its least value
the bound of two linear curves is larger by a factor of at most cosh 2^-15, or 1 + 2^-31."""


class _Point(NamedTuple):
    place: float
    value: float


def least_from(function: Callable[[float], float], start: float) -> float:
    """The least value of a function on [-30, 30], by a search that goes downhill from ``start``.

    If the function is infinite at the start, the search begins at the best point of a grid.
    """

    def at(place: float) -> _Point:
        return _Point(place, function(place))

    middle = at(min(max(start, -WIDEST), WIDEST))
    if not middle.value < math.inf:
        grid = (at(float(place)) for place in range(-int(WIDEST), int(WIDEST) + 1, 2))
        middle = min(grid, key=attrgetter("value"))
    return (
        middle.value if middle.value in (0, math.inf) else _least_between(at, *_around(at, middle))
    )


def _around(at: Callable[[float], _Point], middle: _Point) -> tuple[_Point, _Point, _Point]:
    """Three points around a minimum: the value at the middle one is the least, unless an end of the
    range is reached."""
    step = 1.0 / 8
    left, right = (at(middle.place + each) for each in (-step, step))
    while min(left.value, right.value) < middle.value:
        step *= 4
        if left.value < right.value:
            left, middle, right = at(left.place - step), left, middle
        else:
            left, middle, right = middle, right, at(right.place + step)
        if abs(middle.place) > WIDEST:
            break
    return left, middle, right


def _least_between(
    at: Callable[[float], _Point], left: _Point, middle: _Point, right: _Point
) -> float:
    """The least value of a function between three points of which the middle one is the lowest, by
    parabolas and, at each third step, by the golden section."""
    for step in range(1, _STEPS):
        if right.place - left.place <= 4 * _NEAR:
            break
        place = _vertex(left, middle, right) if step % 3 else math.nan
        more = right.place - middle.place > middle.place - left.place
        if not left.place < place < right.place:
            place = middle.place + _GOLDEN * ((right if more else left).place - middle.place)
        if abs(place - middle.place) < _NEAR:
            place = middle.place + (_NEAR if more else -_NEAR)
        found = at(place)
        if found.value < middle.value:
            left, right = (left, middle) if place < middle.place else (middle, right)
            middle = found
        elif place < middle.place:
            left = found
        else:
            right = found
    return min(left.value, middle.value, right.value)


def _vertex(left: _Point, middle: _Point, right: _Point) -> float:
    """The minimum of the parabola through three points; NaN if it has none."""
    back, ahead = middle.place - left.place, right.place - middle.place
    fall, rise = (left.value - middle.value) * ahead, (right.value - middle.value) * back
    both = fall + rise
    return middle.place + (fall * ahead - rise * back) / (2 * both) if both > 0 else math.nan


_UP: Final = 1 + 16 * UNIT
"""A factor above 1 that outweighs the rounding errors of the few operations on one bound."""
_LONGEST: Final = 30


@attrs.frozen
class Hoelder:
    """The Rényi curve of two steps with the curves ε and ε̃: the least of ((α-1/p)/(α-1))·ε(pα) +
    ε̃(q(α-1/p)) over all p > 1 with 1/p + 1/q = 1; rounded up.

    The curve is also the least of the same expressions with ε and ε̃ exchanged: the step by π or
    the step by the neighbour may come first. The weak triangle inequality of Rényi divergences
    (Mironov 2017, Prop. 11: Hölder's inequality for ∫(P/R)^α (R/Q)^(α-1/p)·…). The factor belongs
    to the first step only.

    Every p gives a valid bound; the search affects only its tightness. For ε = αa² and ε̃ = αb² the
    best is 1 + (α-1)b/(αa), and gives α(a+b)². For other curves all pairs are tried. With λ = 1/p
    and g(β) = (β-1)ε(β) the bound times α-1 is λg(α/λ) + (1-λ)g̃((α-λ)/(1-λ)): perspectives of g
    and g̃, so convex in λ where these are, as they are of divergences. So there is one local
    minimum; a least of several curves may have more.

    The search is over t, with β = pα = α + (α-1)e^t: the other order is α(1+e^-t), the factor
    α(β-1)/(β(α-1)). Orders are rounded up, too, as divergences are nondecreasing in the order.
    """

    near: tuple[Measure, ...]
    far: tuple[Measure, ...]
    _slope: float = attrs.field(init=False, eq=False, repr=False)
    """The factor (a+b)² of the curve α(a+b)², for the least linear curves αa² and αb²."""
    _legs: tuple[tuple[Divergence, Divergence], ...] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        near, far = _curves(self.near), _curves(self.far)
        pairs = [
            (first.divergence, second.divergence)
            for first, second in (*product(near, far), *product(far, near))
            if math.inf in (first.slope, second.slope)
        ]
        slopes = [min((each.slope for each in own), default=math.inf) for own in (near, far)]
        whole = sum(map(math.sqrt, slopes)) ** 2
        set_derived(self, _legs=tuple(pairs), _slope=whole)

    def __call__(self, order: float) -> float:
        if not 1 < order_of(order) < math.inf:
            return math.inf
        found = order * self._slope * _UP
        for first, second in self._legs:
            start = _balance(first(order), second(order))
            found = min(found, least_from(self._at(order, first, second), start))
        return found

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


class _Curve(NamedTuple):
    divergence: Divergence
    slope: float
    """The ρ of a linear curve αρ; ∞ for any other curve."""


def _curves(measures: Sequence[Measure]) -> list[_Curve]:
    """The Rényi curves of measures without a δ > 0; of several linear curves only the lowest."""
    kept = [each for each in measures if not _has_delta(each)]
    found = [_Curve(divergence_of(each), _slope(each)) for each in kept]
    straight = [each for each in found if each.slope < math.inf]
    bent = [each for each in found if each.slope == math.inf]
    return [*bent, min(straight, key=lambda each: each.slope)] if straight else bent


def _slope(measure: Measure) -> float:
    if type(measure) is ZeroConcentrated:
        return up(measure.rho)
    return up(measure.mu**2 / 2) if type(measure) is GaussianDP else math.inf


def _has_delta(measure: Measure) -> bool:
    return isinstance(measure, Approximate) and measure.delta > 0


def _balance(first: float, second: float) -> float:
    """The t at which the search for the order α + (α-1)e^t starts: ln(b/a), for the curves' values
    a² = ``first`` and b² = ``second`` at α; the best t for linear curves."""
    known = 0 < first < math.inf and 0 < second < math.inf
    return (math.log(second) - math.log(first)) / 2 if known else 0.0


@attrs.frozen
class Ranged:
    """A Rényi curve that is known at orders between ``low`` and ``high`` only, both included.

    Raises: UnknownOrder at any other order, without extrapolation. Accounting then takes ∞.

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
            raise UnknownOrder(
                f"this curve is known for orders between {self.low:.6g} and {self.high:.6g}, "
                f"and {order:.6g} is none"
            )
        return self.curve(order)


def triangle(near: Sequence[Measure], far: Sequence[Measure]) -> tuple[Measure, ...]:
    """The measures of privacy of two steps in a row by the weak triangle inequality: ε + ε̃, (√ρ +
    √ρ̃)² and μ + μ̃, if both steps have such a measure, and the Rényi curve ``Hoelder``.

    Pure: log-ratios add up. zCDP: ``Hoelder`` of αρ and αρ̃. GDP: T(P, Q) >= G_μ̃(1 - G_μ), which
    is G_{μ+μ̃} (Dong, Roth and Su 2022, Lemma A.5).

    >>> triangle([ZeroConcentrated(4)], [ZeroConcentrated(1)])[0]
    ZeroConcentrated(rho=9)
    """
    found = [*_sizes(near, far), Renyi(Hoelder(tuple(near), tuple(far)))]
    return () if any(all(map(_has_delta, each)) for each in (near, far)) else tuple(found)


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
    """The measures of privacy of k = ``count`` steps by group privacy: kε, k²ρ and kμ (Vadhan 2017;
    Bun and Steinke 2016, Prop. 1.9)."""
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
    """The least measure of this ``kind`` that follows from a given one; None if none does."""
    found = [each for each in (converted(one, kind) for one in measures) if each is not None]
    return min(found, key=_size, default=None)


def _size(measure: Pure | ZeroConcentrated | GaussianDP) -> Fraction:
    if isinstance(measure, Pure):
        return exact.bracket(measure.epsilon, 40)[1]
    return measure.rho if isinstance(measure, ZeroConcentrated) else measure.mu


def _sum(*epsilons: ExactEpsilon) -> ExactEpsilon:
    """The sum of several ε: for ``Log``s the Log of the product, else rounded up."""
    logs = [each for each in epsilons if isinstance(each, Log)]
    if logs and len(logs) == len(epsilons) and len(logs) < _LONGEST:
        return exact.epsilon(Log(math.prod(each.argument for each in logs)))
    return sum((exact.bracket(each, 40)[1] for each in epsilons), Fraction(0))
