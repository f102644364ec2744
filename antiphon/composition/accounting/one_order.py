"""A bound on the Rényi divergence of one order, as a Rényi curve and as a privacy curve."""

from __future__ import annotations

import math
from fractions import Fraction

import attrs

from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.interval import Interval, down, up
from antiphon.protocol.measures.divergences import SLACK
from antiphon.protocol.registry import register

_NOTHING = Interval(0.0, 0.0)
_DIGITS = 40


def whole_order(value: object) -> int:
    """An order whose figures are exact. Raises: InvalidArgument."""
    order = exact.whole(value, "order")
    if order < 2:
        raise InvalidArgument("order is a whole number from 2 on: others have no exact figure")
    return order


@register("antiphon.OnlyAt/1")
@attrs.frozen
class OnlyAt:
    """A Rényi curve that says nothing of the orders above one: ``moment`` is e^((α-1)D) there.

    At lower orders a divergence is no more (van Erven and Harremoës 2014, Thm 3).
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
        above = exact.bracket(exact.epsilon(exact.Log(self.moment)), _DIGITS)[1]
        return up(above / (self.order - 1))


@attrs.frozen(repr=False)
class OneOrderCurve(PrivacyCurve):
    """(ε, δ) from D_α <= D at one order α > 1, of which alone something is known.

    δ(ε) = e^((α-1)(D-ε)) (α-1)^(α-1)/α^α (Canonne, Kamath and Steinke 2020, Prop. 12), and back.
    """

    order: Fraction
    divergence: Fraction

    @property
    def method(self) -> str:
        return f"RDP of order {float(self.order):.6g}"

    @property
    def source(self) -> str:
        return "Mironov 2017; Canonne, Kamath and Steinke 2020, Prop. 12"

    @property
    def floor(self) -> Interval[float]:
        return _NOTHING

    @property
    def _exact_floor(self) -> Fraction | None:
        return Fraction(0)

    @property
    def _enough(self) -> float:
        return math.inf

    @property
    def _shape(self) -> tuple[float, float]:
        """ln (α-1)^(α-1)/α^α, and what it may be off by."""
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
