"""The privacy curves of composed (ε_i, δ_i): of basic and advanced composition, and the tight
one."""

import math
from abc import abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Final

import attrs

from antiphon.composition.accounting.atoms import Atoms, Groups, joint
from antiphon.composition.accounting.composed_loss import Product
from antiphon.composition.accounting.curve import FromZero, Searched, TheoremCurve, stated_field
from antiphon.composition.accounting.fourier_inversion import Inversions
from antiphon.composition.accounting.laws.responses import Responses
from antiphon.composition.accounting.parameters import Given, Parameters, parameters
from antiphon.numbers import Intractable, InvalidArgument, exact
from antiphon.numbers.errors import written_as
from antiphon.numbers.interval import UNIT, Interval, up

_SLACK: Final = 64 * UNIT
"""A generous bound on the relative error of the sums and exponents in this file."""
_EQUAL: Final = "Kairouz, Oh and Viswanath 2015, Thm 3.3"
_UNLIKE: Final = "Murtagh and Vadhan 2016, Thm 1.5"


@attrs.frozen(repr=False)
class OfParameters(TheoremCurve, Searched):
    """A privacy curve δ(ε) = 1 - Π(1-δ_i)(1-H(ε)) of fixed (ε_i, δ_i), H(ε) the hockey-stick
    divergence of composed (ε_i, 0), or a bound on it. Abstract."""

    composed: Parameters

    @property
    def floor(self) -> Interval[float]:
        return self.composed.floor

    @property
    def _exact_floor(self) -> Fraction | None:
        return self.composed.exact_floor

    @property
    def _enough(self) -> float:
        return up(self.composed.sum[1])

    def _delta(self, epsilon: exact.ExactEpsilon) -> Interval[float]:
        if self.composed.sum_at_most(epsilon):
            return self.composed.floor
        return self.composed.with_floor(self._stick(epsilon))

    @abstractmethod
    def _stick(self, epsilon: exact.ExactEpsilon) -> Interval[float]:
        """An interval around the hockey-stick divergence H(ε) of Comp[RR_{ε_i,0}], for ε < Σε_i."""


@attrs.frozen(repr=False)
class BasicCurve(FromZero, OfParameters):
    """The curve of basic composition: δ = 1-Π(1-δ_i) from ε = Σε_i on, and δ = 1 below."""

    method = "basic"
    source = "basic composition (Dwork, Kenthapadi, McSherry, Mironov and Naor 2006)"

    def _stick(self, epsilon: exact.ExactEpsilon) -> Interval[float]:
        return Interval(0.0, 1.0)


@attrs.frozen(repr=False)
class AdvancedCurve(FromZero, OfParameters):
    """The simplified advanced-composition bound of Kairouz, Oh and Viswanath, solved for δ."""

    method = "advanced"
    source = "Kairouz, Oh and Viswanath 2015, Thm 3.5"

    @cached_property
    def _moments(self) -> tuple[float, float, float]:
        """The mean loss Σε_i tanh(ε_i/2), the largest ε_i, Σ(ε_i/largest)²; all rounded up."""
        values = [(up(e), n) for e, n in self.composed.epsilons]
        # Each ε_i is divided by the largest, so that no square underflows.
        largest = max(e for e, _ in values)
        mean = math.fsum(n * e * math.tanh(e / 2) for e, n in values)
        square = math.fsum(n * (e / largest) ** 2 for e, n in values)
        return mean * (1 + _SLACK), largest, square * (1 + _SLACK)

    def _stick(self, epsilon: exact.ExactEpsilon) -> Interval[float]:
        low = exact.bracket(epsilon, 40)[0]
        return Interval(0.0, min(1.0, self._bound(math.nextafter(float(low), 0.0))))

    def _bound(self, epsilon: float) -> float:
        mean, largest, square = self._moments
        excess = (epsilon - mean) / largest * (1 - _SLACK)
        if excess <= 0:
            return 1.0
        exponent = excess * excess / (2 * square) * (1 - _SLACK)
        plain = math.exp(-exponent)
        if exponent <= 1:
            return plain * (1 + _SLACK * (1 + exponent))
        # The bound δ̃ = √(Σε_i²)/(e^x - e), with x = ``exponent``, is rewritten so that e^x does
        # not overflow.
        better = largest * math.sqrt(square) * plain / (1 - math.exp(1 - exponent))
        return min(plain, better) * (1 + _SLACK * (2 + exponent)) + 5e-324


def basic(given: Parameters | Given, *, times: int = 1) -> BasicCurve:
    """The curve of basic composition: ε adds up, and δ = 1-Π(1-δ_i) (at most Σδ_i).

    >>> curve = basic([(1, 0.1), (2, 0.1)])
    >>> curve.epsilon_at(0.19), curve.delta_at(3) >= 0.19, curve.delta_at(2)
    (3.0, True, 1.0)
    """
    return BasicCurve(parameters(given, times))


def advanced(given: Parameters | Given, *, times: int = 1) -> AdvancedCurve:
    """The curve of advanced composition (Kairouz, Oh and Viswanath 2015, Thm 3.5).

    ε̃ = min{Σε_i, Σε_i tanh(ε_i/2) + √(2Σε_i² min{ln(1/δ̃), ln(e+√(Σε_i²)/δ̃)})} at
    δ = 1-(1-δ̃)Π(1-δ_i). Never below ``optimal``; cheap, and a formula whose dependence on each
    parameter is visible.

    >>> 21 < advanced([(0.1, 0)], times=1000).epsilon_at(1e-6) < 23
    True
    """
    return AdvancedCurve(parameters(given, times))


LIMIT: Final = 1 << 13
"""The largest number of distinct privacy losses that are listed in Fractions."""
_BITS: Final = 1 << 17
"""The largest number of binary digits of the floor 1-Π(1-δ_i) as a Fraction."""


@attrs.frozen
class ExactCurve:
    """The tight curve of Comp[RR_{ε_i,δ_i}] where every ε_i is 0 or ``Log(q)``.

    Murtagh and Vadhan 2016, Thm 1.5. With x = e^ε, δ is piecewise linear in x.
    """

    composed: Parameters

    def delta_at(self, epsilon: exact.Epsilon) -> Fraction:
        """The least δ at ``epsilon``, 0 or ``Log(x)``. Raises: InvalidArgument otherwise."""
        x = exact_exp(exact.epsilon(epsilon))
        stick = sum((mass * (1 - x / ratio) for ratio, mass in self._law if ratio > x), Fraction(0))
        return self.floor + (1 - self.floor) * stick

    def epsilon_at(self, delta: float | Fraction) -> exact.ExactEpsilon:
        """The least ε at ``delta``: 0 or ``Log(x)``. Raises: InvalidArgument for δ < 1-Π(1-δ_i)."""
        target = exact.probability(delta)
        if target < self.floor:
            raise InvalidArgument(f"delta is below the floor, {self.floor}; ask for that or more")
        if self.floor == 1:
            return Fraction(0)
        stick = (target - self.floor) / (1 - self.floor)
        mass = other = Fraction(0)
        for place, (ratio, each) in enumerate(self._law):
            mass, other = mass + each, other + each / ratio
            below = self._law[place + 1][0] if place + 1 < len(self._law) else Fraction(0)
            if mass - other * below >= stick or below < 1:
                return exact.epsilon(exact.Log(max((mass - stick) / other, Fraction(1))))
        return Fraction(0)

    @property
    def floor(self) -> Fraction:
        """The least δ at any ε: 1-Π(1-δ_i)."""
        if self.composed.exact_floor is not None:
            return self.composed.exact_floor
        raise Intractable("digits of 1-Π(1-δ_i); use `optimal`", self.composed.count, _BITS)

    @cached_property
    def _law(self) -> list[tuple[Fraction, Fraction]]:
        """The pairs (e^L, probability of the loss L in world 0), in decreasing order of L."""
        law = {Fraction(1): Fraction(1)}
        for epsilon, count in self.composed.epsilons:
            if len(law) * (count + 1) > LIMIT:
                raise Intractable("distinct losses; use `optimal`", len(law) * (count + 1), LIMIT)
            law = joint(law, _responses(exact_exp(epsilon), count))
        return sorted(law.items(), reverse=True)


def _responses(q: Fraction, count: int) -> Iterator[tuple[Fraction, Fraction]]:
    """Pairs (e^L, probability) for the privacy loss L of ``count`` RR_{ε,0} with e^ε = q."""
    for wrong in range(count + 1):
        share = math.comb(count, wrong) * q ** (count - wrong) / (1 + q) ** count
        yield q ** (count - 2 * wrong), share


def exact_exp(epsilon: exact.ExactEpsilon) -> Fraction:
    """The rational value of e^ε. Raises: InvalidArgument where it is not rational."""
    value = exact.exp(epsilon)
    if isinstance(value, Fraction):
        return value
    raise InvalidArgument(
        f"exact accounting needs a rational e^ε: write ε as Log(q), not {float(epsilon)!r}"
    )


def exactly(given: Parameters | Given, *, times: int = 1) -> ExactCurve:
    """The tight curve in Fractions, for small compositions; every ε_i is 0 or ``Log(q)``.

    Raises: InvalidArgument for an irrational e^ε; Intractable past 2^13 distinct losses.

    >>> curve = exactly([(exact.Log(3), 0)], times=2)
    >>> curve.delta_at(exact.Log(3)), curve.epsilon_at(Fraction(3, 8))
    (Fraction(3, 8), Log(3))
    """
    composed = parameters(given, times)
    for epsilon, _ in composed.epsilons:
        exact_exp(epsilon)
    return ExactCurve(composed)


@attrs.frozen(repr=False)
class OptimalCurve(OfParameters):
    """The tight curve of fixed parameters: Comp[RR_{ε_i,δ_i}], concurrent randomized responses."""

    method = "optimal"
    width: float
    source: str = stated_field(
        lambda curve: _UNLIKE if len(curve.composed.epsilons) > 1 else _EQUAL
    )

    def _stick(self, epsilon: exact.ExactEpsilon) -> Interval[float]:
        return self._law.stick(epsilon)

    @cached_property
    def _product(self) -> Product:
        return _product(self.composed.epsilons)

    @cached_property
    def _law(self) -> Atoms | Inversions:
        if Atoms.suit(self.composed.epsilons):
            return _atoms(self.composed.epsilons)
        return Inversions(self._product, self.width, relatively=False)

    def _guess(self, delta: float) -> tuple[float, float]:
        return self._product.near(delta, self.composed, self._enough) or (0.0, self._enough)


# The law of the loss is cached: a session, its budget and its guarantee each make a curve of the
# same parameters, and ask it for δ at the same ε.
@lru_cache(maxsize=16)
def _product(epsilons: Groups) -> Product:
    return Product((Responses(tuple(epsilons)),))


@lru_cache(maxsize=16)
def _atoms(epsilons: Groups) -> Atoms:
    return Atoms(epsilons)


class OfWorst(TheoremCurve):
    """A privacy curve of k-sparse composition; ``worst``: the curve of the largest parameters that
    may occur. Abstract."""

    worst: OptimalCurve

    @property
    def _exact_floor(self) -> Fraction | None:
        return self.worst.composed.exact_floor

    @property
    def _enough(self) -> float:
        return up(self.worst.composed.sum[1])


@written_as("optimal([(0.1, 1e-6)], times=10)")
def optimal(given: Parameters | Given, *, times: int = 1, width: float = 1e-6) -> OptimalCurve:
    """The tight privacy curve of mechanisms with these (ε_i, δ_i), fixed in advance.

    No composition of (ε_i, δ_i)-DP mechanisms leaks more than randomized response does
    (CM Thm 2.5, 4.12), so the curve is exact for the worst case. ``times`` repeats the list. Equal
    or few parameters: relative error at most 1e-12 of δ, O(√k) time. Many different ones: intervals
    of about ``width`` nats in ε (see ``fourier_inversion``); for δ > 0.99 and large ε_i wider, by
    about 1/(1-δ): 64 times at δ = 0.9999 for 200 ε_i in [3, 10]. Both ends are always certified and
    include all rounding and truncation errors; their ``.width`` is their distance.

    Raises: InvalidArgument for anything but a list of (ε, δ), for ε < 0, δ outside [0, 1], or a
    requested δ below 1-Π(1-δ_i); CompositionError for parameters that are chosen later (use a
    filter); Intractable, with the cure, for a ``width`` that takes too long.

    >>> f"{optimal([(0.1, 1e-6)], times=1000).delta_at(12):.12f}"  # 0.00803938893566860924…
    '0.008039388936'
    """
    return OptimalCurve(parameters(given, times), float(exact.positive(width, "width")))
