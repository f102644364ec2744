"""Rényi and zero-concentrated accounting, and their conversions to (ε, δ)."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar, Final

import attrs

from antiphon.composition.accounting.curve import TheoremCurve, stated_field
from antiphon.composition.accounting.laws.responses import Responses
from antiphon.composition.accounting.parameters import Given, Parameters, parameters
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument, PartError, UnknownOrder, of_kind, place
from antiphon.numbers.interval import UNIT, Interval, down, up
from antiphon.protocol import Pure, ZeroConcentrated, converted, register
from antiphon.protocol.measures.divergences import SLACK, response_divergences

_GOLDEN: Final = (math.sqrt(5) - 1) / 2
_HUGE: Final = 1e290
"""The largest ε at which a bound is evaluated: (α-1)ε would overflow beyond, and δ only falls."""
_NOTHING: Final = Interval(0.0, 0.0)
_GRID: Final = {float(place): 1 + math.exp(place) for place in range(-30, 31, 2)}
"""The orders α at which a search for the best order begins, by ln(α-1)."""


@attrs.frozen(repr=False)
class RenyiCurve(TheoremCurve):
    """The privacy curve from a bound ρ(α) on the Rényi divergence of every order α > 1, in nats.

    δ(ε) = min_α e^((α-1)(ρ(α)-ε)) (1-1/α)^α/(α-1) (Canonne, Kamath and Steinke 2020,
    Prop. 12). Every α gives a valid bound; the search for the best affects its size only.
    ``divergence`` rounds up. ``composed`` adds the δ_i, which Rényi accounting cannot express:
    ``divergence`` bounds the law given that no response is ⊤.
    """

    divergence: Callable[[float], float] = attrs.field(repr=False)
    method: str
    derivation: str
    composed: Parameters | None = None
    source: str = stated_field(
        lambda c: f"{c.derivation}; Canonne, Kamath and Steinke 2020, Prop. 12"
    )

    @property
    def floor(self) -> Interval[float]:
        return _NOTHING if self.composed is None else self.composed.floor

    @property
    def _exact_floor(self) -> Fraction | None:
        return Fraction(0) if self.composed is None else self.composed.exact_floor

    @property
    def _enough(self) -> float:
        return math.inf if self.composed is None else up(self.composed.sum[1])

    @cached_property
    def _at_grid(self) -> dict[float, float]:
        """The divergences at the orders of ``_GRID``, where every search asks for them."""
        return {order: self.divergence(order) for order in _GRID.values()}

    def _bound(self, order: float) -> float:
        known = self._at_grid.get(order)
        return self.divergence(order) if known is None else known

    def _delta(self, epsilon: exact.ExactEpsilon) -> Interval[float]:
        if self.composed is not None and self.composed.sum_at_most(epsilon):
            return self.composed.floor
        e = min(math.nextafter(down(epsilon), -math.inf), _HUGE)
        stick = Interval(0.0, min(1.0, self._stick(max(e, 0.0))))
        return stick if self.composed is None else self.composed.with_floor(stick)

    def _stick(self, epsilon: float) -> float:
        def log_delta(order: float) -> float:
            s = order - 1
            linear = s * (self._bound(order) - epsilon)
            shape, rest = s * math.log(s), order * math.log(order)
            return linear + shape - rest + SLACK * (s * epsilon + abs(linear) + abs(shape) + rest)

        return math.exp(min(0.0, least(log_delta))) * (1 + SLACK) + 5e-324

    def _epsilon(self, delta: Fraction) -> Interval[float]:
        stick = down(delta) if self.composed is None else self.composed.without_floor(delta)
        if self._delta(Fraction(0)).upper <= delta:
            return _NOTHING
        if not stick:
            return Interval(0.0, self._enough)
        needed = -math.log(stick) * (1 + SLACK)

        def epsilon(order: float) -> float:
            s = order - 1
            shape, rest = s * math.log(s), order * math.log(order)
            total = needed + shape - rest + SLACK * (abs(shape) + rest)
            return self._bound(order) + total / s

        found = max(0.0, least(epsilon)) * (1 + SLACK)
        return Interval(0.0, min(found, self._enough))


def least(function: Callable[[float], float]) -> float:
    """The least value found of a function of α > 1, over α-1 between e^-30 and e^30.

    The search is over ln(α-1): the best point of a grid, as a least of several curves has several
    local minima, then golden section between its neighbours.
    """

    def at(place: float) -> float:
        return function(1 + math.exp(place))

    known = {place: function(order) for place, order in _GRID.items()}
    best = min(known, key=known.__getitem__)
    low, high = best - 2, best + 2
    left, right = (low + (high - low) * share for share in (1 - _GOLDEN, _GOLDEN))
    values = [at(left), at(right)]
    for _ in range(40):
        if values[0] <= values[1]:
            high, right, left = right, left, left - (right - left) * _GOLDEN
            values = [at(left), values[0]]
        else:
            low, left, right = left, right, right + (right - left) * _GOLDEN
            values = [values[1], at(right)]
    return min(known[best], *values)


def renyi(given: Parameters | Given, *, times: int = 1) -> RenyiCurve:
    """Rényi accounting of fixed parameters: the divergences of RR_{ε_i,0} add up.

    >>> 14.9 < renyi([(0.1, 0)], times=1000).epsilon_at(1e-2) < 15.5
    False
    """
    composed = parameters(given, times)
    losses = Responses(composed.epsilons)
    ends = losses.epsilons * (1 + 2 * UNIT) + 5e-324

    def divergence(order: float) -> float:
        return math.fsum(losses.counts * response_divergences(ends, order)) * (1 + 4 * UNIT)

    return RenyiCurve(divergence, "RDP", "Mironov 2017, Prop. 1", composed)


def from_renyi(divergence: Callable[[float], float]) -> RenyiCurve:
    """The privacy curve of an RDP claim: order α > 1 ↦ a bound on D_α, in nats.

    Raises: InvalidArgument if it is no function.
    """
    return RenyiCurve(bounded_divergence(divergence), "RDP", "Mironov 2017")


def bounded_divergence(divergence: Callable[[float], float]) -> Callable[[float], float]:
    """A claimed Rényi curve, with infinity wherever it yields no number >= 0.

    Infinity also replaces an ArithmeticError (overflow, a pole) or ``UnknownOrder`` raised by the
    curve. Raises: PartError for any other exception, a fault that ∞ would hide, and for a value
    that is no number.
    """
    if not callable(divergence):
        raise InvalidArgument("a Rényi curve is a function: order > 1 to a bound in nats")

    def bound(order: float) -> float:
        try:
            value: object = divergence(order)
        except (ArithmeticError, UnknownOrder):
            return math.inf
        except PartError:
            # Another curve, which the claimed one calls, has failed; its error says so.
            raise
        except Exception as error:
            raise PartError(
                f"a Rényi curve raised {type(error).__name__} at order {order:.6g} "
                f"({place(error)}); where it is not known it is to raise UnknownOrder"
            ) from error
        if type(value) is bool or not isinstance(value, Real):
            raise PartError(f"a Rényi curve gave {of_kind(value)} at order {order:.6g}")
        found = _above(value)
        return found if found >= 0 else math.inf

    return bound


def _above(value: Any) -> float:
    """The least double that is not below a number; infinity if the number is out of range."""
    try:
        found = float(value)
    except OverflowError:
        return math.inf
    return math.nextafter(found, math.inf) if found < value else found


def concentrated(given: Parameters | Given, *, times: int = 1) -> RenyiCurve:
    """zCDP accounting of fixed parameters: ε-DP is ε²/2-zCDP, and ρ adds up.

    Bun and Steinke 2016, Prop. 1.4 and Lemma 1.7. Never below ``renyi``.
    """
    composed = parameters(given, times)
    losses = Responses(composed.epsilons)
    rho = math.fsum(losses.counts * losses.epsilons**2) / 2 * (1 + SLACK)
    return _of_rho(rho, "Bun and Steinke 2016, Prop. 1.4", composed)


def _of_rho(rho: float, source: str, composed: Parameters | None = None) -> RenyiCurve:
    return RenyiCurve(lambda order: rho * order * (1 + 2 * UNIT), "zCDP", source, composed)


def from_concentrated(rho: float | Fraction) -> RenyiCurve:
    """The privacy curve of a ρ-zCDP claim: D_α <= αρ. Raises: InvalidArgument for ρ <= 0.

    >>> 4.0 < from_concentrated(0.5).epsilon_at(1e-6) < 5.6
    True
    """
    return _of_rho(up(exact.positive(rho, "rho")), "Bun and Steinke 2016, Def. 1.1")


def pure_to_concentrated(epsilon: exact.Epsilon) -> Fraction:
    """The ρ = ε²/2 for which ε-DP implies ρ-zCDP (Bun and Steinke 2016, Prop. 1.4); rounded up for
    a Log.

    >>> pure_to_concentrated(Fraction(1, 2))
    Fraction(1, 8)
    """
    implied = converted(Pure(epsilon), ZeroConcentrated)
    return Fraction(0) if implied is None else implied.rho


def whole_order(value: object) -> int:
    """Check that an order is a whole number >= 2: others have no exact figure. Raises:
    InvalidArgument."""
    order = exact.whole(value, "order")
    if order < 2:
        raise InvalidArgument("order is a whole number from 2 on: others have no exact figure")
    return order


@register("antiphon.OnlyAt/1")
@attrs.frozen
class OnlyAt:
    """A Rényi curve known at one ``order`` α, where e^((α-1)D_α) is ``moment``; infinite above α.

    At lower orders the divergence is at most the same (van Erven and Harremoës 2014, Thm 3).
    """

    order: int = attrs.field(validator=lambda _, __, value: whole_order(value))
    moment: Fraction = attrs.field(converter=exact.fraction)

    @moment.validator  # pyright: ignore
    def _possible(self, _: object, value: Fraction) -> None:
        if value < 1:
            raise InvalidArgument(
                f"moment = {value}: e^((α-1)D) is at least 1, for a mechanism that says nothing; "
                "a claim below it cannot be kept"
            )

    def __call__(self, order: float) -> float:
        if order > self.order:
            return math.inf
        above = exact.bracket(exact.epsilon(exact.Log(self.moment)), 40)[1]
        return up(above / (self.order - 1))


@attrs.frozen(repr=False)
class OneOrderCurve(TheoremCurve):
    """The privacy curve from a bound D_α <= D at a single order α > 1.

    δ(ε) = e^((α-1)(D-ε)) (α-1)^(α-1)/α^α (Canonne, Kamath and Steinke 2020, Prop. 12), and back.
    """

    source = "Mironov 2017; Canonne, Kamath and Steinke 2020, Prop. 12"
    order: Fraction
    divergence: Fraction
    method: str = stated_field(lambda curve: f"RDP of order {float(curve.order):.6g}")
    floor: ClassVar[Any] = _NOTHING
    _exact_floor: ClassVar[Any] = Fraction(0)
    _enough: ClassVar[Any] = math.inf

    @property
    def _shape(self) -> tuple[float, float]:
        """The logarithm ln((α-1)^(α-1)/α^α), α the order, with an error bound."""
        s = float(self.order - 1)
        small, large = s * math.log(s), (1 + s) * math.log1p(s)
        return small - large, SLACK * (abs(small) + large)

    def _delta(self, epsilon: exact.ExactEpsilon) -> Interval[float]:
        least = exact.bracket(epsilon, 40)[0]
        linear = up((self.order - 1) * (self.divergence - least))
        shape, error = self._shape
        log = linear + shape + error + SLACK * abs(linear)
        return Interval(0.0, min(1.0, math.exp(min(0.0, log)) * (1 + SLACK) + 5e-324))

    def _epsilon(self, delta: Fraction) -> Interval[float]:
        if self._delta(Fraction(0)).upper <= delta:
            return _NOTHING
        if not down(delta):
            return Interval(0.0, math.inf)
        needed = -math.log(down(delta)) * (1 + SLACK)
        shape, error = self._shape
        total = needed + shape + error + SLACK * abs(needed + shape)
        return Interval(0.0, max(0.0, up(self.divergence + Fraction(total) / (self.order - 1))))
