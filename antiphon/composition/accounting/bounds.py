"""Privacy curves of a claim, of group privacy, and of the least of several bounds."""

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

import attrs

from antiphon.composition.accounting.closed_forms import OfWorst, OptimalCurve, optimal
from antiphon.composition.accounting.curve import FromZero, PrivacyCurve, TheoremCurve, stated_field
from antiphon.composition.accounting.pairs.compose import compose, dominating_pair
from antiphon.composition.accounting.parameters import single
from antiphon.composition.accounting.renyi import from_concentrated, from_renyi
from antiphon.composition.accounting.summed_measures import divergence_of
from antiphon.numbers import ExactEpsilon, Intractable, InvalidArgument, exact, shown_down
from antiphon.numbers.interval import Interval, up
from antiphon.protocol.measures import kinds

_UP: Final = 1 + 2.0**-40
"""A factor above 1 that exceeds the relative error of the few operations of a bound."""
_POWERS: Final = 64
"""The largest size k of a group for which e^(kε) is kept as an exact power."""


def of_measure(measure: kinds.Measure) -> PrivacyCurve:
    """The privacy curve that a claimed measure implies. An (ε, δ) claim implies that of RR_{ε,δ}
    (CM Thm 2.5)."""
    if isinstance(measure, kinds.Pure):
        return optimal(single(measure.epsilon, Fraction(0)))
    if isinstance(measure, kinds.Approximate):
        return optimal(single(measure.epsilon, measure.delta))
    if isinstance(measure, kinds.ZeroConcentrated):
        return from_concentrated(measure.rho)
    stated = kinds.parameters_of(measure)
    known: list[PrivacyCurve] = [] if stated is None else [optimal(single(*stated))]
    whole = product([measure])
    return least_curve([*known, from_renyi(divergence_of(measure)) if whole is None else whole])


def product(measures: Sequence[kinds.Measure]) -> PrivacyCurve | None:
    """The privacy curve of the product of all measures' dominating pairs; None if one has no pair.

    Concurrent composition in f-DP: Vadhan and Zhang 2023.
    """
    pairs = [pair for pair in map(dominating_pair, measures) if pair is not None]
    return compose(pairs) if pairs and len(pairs) == len(measures) else None


@attrs.frozen(repr=False)
class _Bound(TheoremCurve):
    """A privacy curve that is an upper bound only: its intervals begin at 0, and its floor (least
    δ) is not known exactly. Abstract."""

    @property
    def _exact_floor(self) -> None:
        return None

    def _delta(self, epsilon: ExactEpsilon) -> Interval[float]:
        return Interval(0.0, min(1.0, self._upper(epsilon)))

    @abstractmethod
    def _upper(self, epsilon: ExactEpsilon) -> float:
        """The promised δ at ``epsilon``."""


@attrs.frozen(repr=False)
class ShiftedCurve(_Bound):
    """A privacy curve with δ₀ = ``delta`` added to each δ: the probability that nothing is
    promised."""

    one: PrivacyCurve
    delta: Fraction
    method: str = stated_field(lambda curve: curve.one.method)
    source: str = stated_field(lambda curve: curve.one.source)

    @property
    def floor(self) -> Interval[float]:
        return Interval(0.0, min(1.0, _sum(self.one.floor.upper, self.delta)))

    @property
    def _enough(self) -> float:
        return self.one._enough  # pyright: ignore[reportPrivateUsage]

    def _upper(self, epsilon: ExactEpsilon) -> float:
        return _sum(self.one.delta_at(epsilon), self.delta)

    def _epsilon(self, delta: Fraction) -> Interval[float]:
        if delta == 1:
            return Interval(0.0, 0.0)
        rest = delta - self.delta
        reached = rest >= self.one.least_delta
        return Interval(0.0, self.one.epsilon_at(rest) if reached else math.inf)


def _sum(value: float, delta: Fraction) -> float:
    return math.nextafter(value + up(delta), math.inf) if delta else value


def shifted_curve(curve: PrivacyCurve, delta: Fraction) -> PrivacyCurve:
    """The curve with ``delta`` added to each δ: the probability that nothing is promised."""
    return ShiftedCurve(curve, delta) if delta else curve


@attrs.frozen(repr=False)
class GroupCurve(_Bound, FromZero):
    """The curve of group privacy of size k: δ_k(ε) = δ(ε/k) Σ_{i<k} e^{iε/k}, δ(·) for one change.

    (Vadhan 2017, Lemma 2.2; the least over smaller ε, as the true δ decreases.) For a CM the k
    hybrids exchange the sides of the differing pairs, one pair after the other.
    """

    one: PrivacyCurve
    size: int
    method: str = stated_field(lambda curve: f"group of {curve.size}: {curve.one.method}")
    source: str = stated_field(lambda c: f"{c.one.source}; group privacy (Vadhan 2017, Lemma 2.2)")

    @property
    def floor(self) -> Interval[float]:
        return self._delta(Fraction(10**4))

    @property
    def _enough(self) -> float:
        least = self.one._enough  # pyright: ignore[reportPrivateUsage]
        return up(Fraction(least) * self.size) if math.isfinite(least) else math.inf

    def _upper(self, epsilon: ExactEpsilon) -> float:
        at = exact.bracket(epsilon, 40)[0] / self.size
        least = self.one._enough  # pyright: ignore[reportPrivateUsage]
        points = [min(at, Fraction(least)) if math.isfinite(least) else at]
        points += [Fraction(2) ** j for j in range(-6, 8) if Fraction(2) ** j <= at]
        return min(map(self._at, points))

    def _at(self, epsilon: Fraction) -> float:
        """The δ for a whole group at k·``epsilon``, from the δ for one change at ``epsilon``."""
        single = self.one.delta_at(epsilon)
        if not single:
            return 0.0
        try:
            factor = math.fsum(math.exp(i * up(epsilon)) for i in range(self.size))
        except OverflowError:
            return 1.0
        return math.nextafter(single * factor * _UP, math.inf)


def group_curve(one: PrivacyCurve, size: int) -> PrivacyCurve:
    """The curve of a group of ``size`` changes, from that of one change: by ``GroupCurve``, and if
    one change is (ε, 0)-DP, by RR_{kε,0}, as k of them are (kε, 0)-DP; the least of both.

    >>> round(group_curve(of_measure(kinds.Pure(exact.Log(2))), 2).delta_at(0), 9)
    0.6
    """
    curve, pure = GroupCurve(one, size), _pure(one)
    if pure is None:
        return curve
    return least_curve([optimal(single(times(pure, size), Fraction(0))), curve])


def _pure(curve: PrivacyCurve) -> ExactEpsilon | None:
    """An ε at which the curve promises δ = 0; None if none is known."""
    known, enough = exact_point(curve), curve._enough  # pyright: ignore[reportPrivateUsage]
    if known is not None and not known[1]:
        return known[0]
    return Fraction(enough) if not curve.floor.upper and math.isfinite(enough) else None


def times(epsilon: ExactEpsilon, size: int) -> ExactEpsilon:
    """``size`` times ε; rounded up for a Log and a large ``size``."""
    if isinstance(epsilon, exact.Log) and size <= _POWERS:
        return exact.Log(epsilon.argument**size)
    return exact.bracket(epsilon, 40)[1] * size


@attrs.frozen(repr=False)
class OneOfManyCurve(_Bound, FromZero):
    """The curve of 1-sparse composition of at most n mechanisms, each with the curve δ(·) alone.

    δ_n(ε) = m·(1 - (1 - δ(ε)/m)^n), m the δ(ε) of (η, 0)-DP for the largest loss η of one
    mechanism, or 1 (Theorem F₁, docs/fdp.md).
    """

    one: PrivacyCurve
    creations: int
    loss: ExactEpsilon | None
    """An upper bound on the privacy loss of one mechanism; None if the loss is unbounded."""
    method: str = stated_field(lambda c: f"one of {c.creations}: {c.one.method}")
    source: str = stated_field(lambda c: f"Theorem F₁ (docs/fdp.md); {c.one.source}")

    @property
    def floor(self) -> Interval[float]:
        return Interval(0.0, self._of(self.one.floor.upper, 1.0))

    @property
    def _enough(self) -> float:
        return self.one._enough  # pyright: ignore[reportPrivateUsage]

    def _upper(self, epsilon: ExactEpsilon) -> float:
        most = (
            1.0 if self.loss is None else optimal(single(self.loss, Fraction(0))).delta_at(epsilon)
        )
        return self._of(self.one.delta_at(epsilon), most)

    def _of(self, delta: float, most: float) -> float:
        if delta >= most or not delta:
            return min(delta, most)
        share = -math.expm1(self.creations * math.log1p(-delta / most))
        return min(most, math.nextafter(most * share * _UP, math.inf))


@attrs.frozen(repr=False)
class LeastCurve(_Bound):
    """The pointwise least of several privacy curves."""

    bounds: tuple[PrivacyCurve, ...]
    method: str = stated_field(lambda c: "least of: " + ", ".join(each.method for each in c.bounds))
    source: str = stated_field(lambda curve: "; ".join(each.source for each in curve.bounds))

    @property
    def floor(self) -> Interval[float]:
        return Interval(0.0, min(each.floor.upper for each in self.bounds))

    @property
    def _enough(self) -> float:
        return max(each._enough for each in self.bounds)  # pyright: ignore[reportPrivateUsage]

    def _upper(self, epsilon: ExactEpsilon) -> float:
        return self._least(lambda each: each.delta_at(epsilon))

    def _epsilon(self, delta: Fraction) -> Interval[float]:
        return Interval(
            0.0,
            self._least(lambda e: e.epsilon_at(delta) if delta >= e.least_delta else math.inf),
        )

    def _least(self, figure: Callable[[PrivacyCurve], float]) -> float:
        """The least ``figure`` over all curves, without those for which it takes too long to
        compute.

        Raises: Intractable if all do.
        """
        figures: list[float] = []
        for each in self.bounds:
            try:
                figures.append(figure(each))
            except Intractable:
                if each is self.bounds[-1] and not figures:
                    raise
        return min(figures)


def exact_point(curve: PrivacyCurve) -> tuple[ExactEpsilon, Fraction] | None:
    """The exact point (ε, δ) where δ first reaches its floor, the least δ at any ε; None if ε or
    that δ is not known exactly."""
    # Every curve of a ``LeastCurve`` holds, so an exact point of any of them is promised.
    if isinstance(curve, LeastCurve):
        return next(filter(None, map(exact_point, curve.bounds)), None)
    if isinstance(curve, OfWorst):
        # The exact point of a k-sparse composition is that of its worst parameters.
        curve = curve.worst
    if not isinstance(curve, OptimalCurve):
        return None
    epsilon, delta = curve.composed.total, curve.composed.exact_floor
    return None if epsilon is None or delta is None else (epsilon, delta)


def point_at(curve: PrivacyCurve, delta: float | Fraction | None = None) -> kinds.Approximate:
    """The promised point (ε, δ) at δ = ``delta``, or at the curve's least δ if None; exact where
    the parameters are known exactly.

    Raises: InvalidArgument where no ε is promised.
    """
    known = exact_point(curve)
    if delta is None and known is not None:
        return kinds.Approximate(*known)
    at = Fraction(curve.floor.upper) if delta is None else exact.probability(delta)
    epsilon = curve.epsilon_at(at)
    if math.isinf(epsilon):
        raise InvalidArgument(
            f"no epsilon is promised at delta = {shown_down(at)}: pass a larger delta"
        )
    return kinds.Approximate(Fraction(epsilon), at)


def least_curve(curves: list[PrivacyCurve]) -> PrivacyCurve:
    """The pointwise least of several curves; a single curve is returned unchanged."""
    return curves[0] if len(curves) == 1 else LeastCurve(tuple(curves))
