"""Products of dominating pairs with known loss: certified privacy curves and Rényi divergences.

Closed forms: few rational atoms, in Fractions; a bounded range, used once; Gaussians alone.
"""

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Final, TypeAlias

import attrs

from antiphon.composition.accounting.atoms import Atoms, decimal, joint
from antiphon.composition.accounting.composed_loss import Product
from antiphon.composition.accounting.curve import Searched, TheoremCurve
from antiphon.composition.accounting.fourier_inversion import Inversions
from antiphon.composition.accounting.laws.loss import LossLaw
from antiphon.composition.accounting.laws.noise_laws import Normal, Ranges, Thetas
from antiphon.composition.accounting.laws.responses import Responses
from antiphon.composition.accounting.parameters import Parameters
from antiphon.numbers import exact
from antiphon.numbers.interval import UNIT, Interval, down, probability, up
from antiphon.protocol.measures.divergences import order_of
from antiphon.protocol.measures.kinds import DominatingPair

_WORK: Final = 1 << 14
"""The most multiplications of 64-bit words for an exact product of pairs: some tens of ms."""
_BITS: Final = 256
_CONTEXT: Final = Context(prec=60, Emin=-(10**15), Emax=10**15)
_SURE: Final = Decimal("1e-30")
_LONG: Final = Context(prec=70, Emin=-(10**15), Emax=10**15, traps=[])
_PI: Final = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640")
_FAR: Final = 64
"""The number of standard deviations past which a Gaussian tail is below the least double."""
_CLOSE: Final = 8
_TERMS: Final = 200
"""The number of terms of a series or continued fraction of the Gaussian tail: fifty digits."""

Counted: TypeAlias = "tuple[tuple[LossPair, int], ...]"
Points: TypeAlias = tuple[tuple[Fraction, Fraction], ...]
"""The probabilities of each point under the two laws (P, Q)."""


@attrs.frozen(eq=False)
class Exactly:
    """The exact divergence H(ε) = Σ (p - e^ε q)₊ / Σ p of finitely many points (p, q), p, q > 0."""

    points: Points
    total: Fraction

    def stick(self, at: exact.ExactEpsilon) -> Interval[float]:
        """Bounds on H(at) to double precision; exact before rounding where e^at is rational."""
        if isinstance(growth := exact.exp(at), Fraction):
            ends = growth, growth
        else:
            bits = _BITS + 2 * int(exact.bracket(at, 40)[1])
            low, high = exact.exp_bracket(exact.bracket(at, 40)[1], bits)
            ends = Fraction(1 << bits, high), Fraction(1 << bits, low)
        lower, upper = (self._above(each) / self.total for each in (ends[1], ends[0]))
        return probability(Interval(down(lower), up(upper)))

    def _above(self, growth: Fraction) -> Fraction:
        return sum((p - growth * q for p, q in self.points if p > growth * q), Fraction(0))


@attrs.frozen(eq=False)
class Once:
    """The divergence of one bounded-range mechanism: (1 - e^((ε-η)/2))²/(1 - e^(-η)), 0 <= ε <
    η."""

    eta: Fraction

    def stick(self, at: exact.ExactEpsilon) -> Interval[float]:
        """Bounds on the divergence H(at) to double precision, computed with sixty digits."""
        with localcontext(_CONTEXT):
            short = self.eta - exact.bracket(at, 50)[0]
            share = (1 - decimal(-short / 2).exp()) ** 2 / (1 - decimal(-self.eta).exp())
            return probability(Interval(down(share * (1 - _SURE)), up(share * (1 + _SURE))))


@attrs.frozen(eq=False)
class Gaussians:
    """The divergence of Gaussian mechanisms with μ² = Σμ_i²: H(ε) = Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 -
    ε/μ).

    As e^ε φ(y) = φ(x), it is φ(x)(R(x) - R(y)) with Mills' ratio R(t) = Φ(-t)/φ(t). For
    μ >= 10^-9 that difference costs at most twelve of fifty digits. Dong, Roth, Su 2022, Cor. 2.13.
    """

    variance: Fraction

    def stick(self, at: exact.ExactEpsilon) -> Interval[float]:
        """Bounds on the hockey-stick divergence H(at) to double precision."""
        with localcontext(_LONG):
            mu, epsilon = decimal(self.variance).sqrt(), decimal(exact.bracket(at, 70)[0])
            x, y = epsilon / mu - mu / 2, epsilon / mu + mu / 2
            if x > _FAR:
                return Interval(0.0, 5e-324)
            density = (-x * x / 2).exp() / (2 * _PI).sqrt()
            if x < 0:
                found = 1 - density * (_mills(-x) + _mills(y))
            else:
                found = density * (_mills(x) - _mills(y))
            return probability(Interval(down(found * (1 - _SURE)), up(found * (1 + _SURE))))


def _mills(t: Decimal) -> Decimal:
    """Mills' ratio R(t), t >= 0: √(π/2) e^(t²/2) - Σ t^(2k+1)/(2k+1)!!, or
    1/(t+1/(t+2/(t+3/…)))."""
    if t > _CLOSE:
        rest = t
        for k in range(_TERMS, 0, -1):
            rest = t + k / rest
        return 1 / rest
    total, term = Decimal(0), t
    for k in range(3, 2 * _TERMS, 2):
        total += term
        term *= t * t / k
    return (_PI / 2).sqrt() * (t * t / 2).exp() - total


def product_of_finite(given: Sequence[tuple[Points, int]]) -> Exactly | None:
    """The exact divergence of a product of finite pairs; None if that takes more than ``_WORK``."""
    law, work = {Fraction(1): Fraction(1)}, 0
    for points, count in given:
        finite = [(p / q, p) for p, q in points if p and q]
        for _ in range(count):
            words = 1 + max(mass.denominator.bit_length() for mass in law.values()) // 64
            work += len(law) * len(finite) * words
            if work > _WORK or not finite:
                return None
            law = joint(law, finite)
    points = tuple((mass, mass / ratio) for ratio, mass in law.items())
    return Exactly(points, sum(law.values(), Fraction(0)))


_FEW: Final = 1 << 10
"""The largest number of distinct pairs that are searched for a closed form."""
_LEAST: Final = 2.0**-17
"""The least α - 1 of a Rényi divergence D_α that is computed; a smaller order is answered by this
one, as D_α grows with α."""


@attrs.frozen(repr=False)
class PairsCurve(TheoremCurve, Searched):
    """The tight curve of a product of pairs: δ(ε) = 1 - Π(1-r_i)(1-H(ε)), r_i = P(infinite loss), H
    the hockey-stick divergence of the finite losses (``fourier_inversion``)."""

    method = "pairs"
    source = "Zhu, Dong and Wang 2022, Thm 10; concurrently Vadhan and Zhang 2023"
    composed: Counted
    width: float

    @property
    def floor(self) -> Interval[float]:
        return self._infinite.floor

    @property
    def _exact_floor(self) -> Fraction | None:
        return self._infinite.exact_floor

    @cached_property
    def _infinite(self) -> Parameters:
        """The probabilities r of infinite loss, as parameters of RR_{0,r}."""
        deltas: Counter[Fraction] = Counter()
        for pair, count in self.composed:
            if infinite := pair.infinite:
                deltas[infinite] += count
        return Parameters((), tuple(sorted(deltas.items())), sum(n for _, n in self.composed))

    @cached_property
    def _product(self) -> Product | None:
        """The law of the sum of all finite losses; None if a pair has infinite loss only."""
        if any(pair.infinite == 1 for pair, _ in self.composed):
            return None
        return Product(merged_losses([pair.losses(count) for pair, count in self.composed]))

    @cached_property
    def _highest(self) -> Fraction | None:
        """An upper bound on the sum of all finite losses; None if it is unbounded."""
        return Fraction(0) if self._product is None else self._product.most

    @property
    def _enough(self) -> float:
        return math.inf if self._highest is None else max(0.0, up(self._highest))

    def _delta(self, epsilon: exact.ExactEpsilon) -> Interval[float]:
        if self._highest is not None and exact.bracket(epsilon, 40)[0] >= self._highest:
            return self.floor
        return self._infinite.with_floor(self._law.stick(epsilon))

    @cached_property
    def _law(self) -> Exactly | Atoms | Once | Gaussians | Inversions:
        assert self._product is not None
        first, *others = self._product.laws
        if not others and type(first) is Normal:
            return Gaussians(first.variance)
        if len(self.composed) > _FEW:
            return Inversions(self._product, self.width, relatively=True)
        known = [(pair.atoms, count) for pair, count in self.composed]
        atoms = [(points, count) for points, count in known if points is not None]
        if len(atoms) == len(known) and (found := product_of_finite(atoms)) is not None:
            return found
        if not others and type(first) is Responses and Atoms.suit(first.given):
            return Atoms(first.given)
        if not others and type(first) is Ranges and first.given[0][1:] == (1,) == (first.size,):
            return Once(first.given[0][0])
        return Inversions(self._product, self.width, relatively=True)

    def _guess(self, delta: float) -> tuple[float, float]:
        product, most = self._product, self._enough
        found = None if product is None else product.near(delta, self._infinite, most)
        return found or (0.0, min(1.0, most))


def merged_losses(laws: Iterable[LossLaw]) -> tuple[LossLaw, ...]:
    """The laws of the same losses, those of each type merged into one."""
    responses: Counter[exact.ExactEpsilon] = Counter()
    thetas: dict[bool, Counter[tuple[Fraction, int]]] = {True: Counter(), False: Counter()}
    ranges: Counter[Fraction] = Counter()
    variance, rest = Fraction(0), list[LossLaw]()
    for law in laws:
        if type(law) is Responses:
            for epsilon, count in law.given:
                responses[epsilon] += count
        elif type(law) is Thetas:
            for sigma, shift, count in law.given:
                thetas[sigma < 1][sigma, shift] += count
        elif type(law) is Ranges:
            for eta, count in law.given:
                ranges[eta] += count
        elif type(law) is Normal:
            variance += law.variance
        else:
            rest.append(law)
    if variance:
        rest.append(Normal(variance))
    for of_kind in thetas.values():
        if of_kind:
            rest.append(Thetas(tuple((s, d, n) for (s, d), n in of_kind.items())))
    if ranges:
        rest.append(Ranges(tuple(ranges.items())))
    del responses[Fraction(0)]
    if responses or not rest:
        strong_first = sorted(responses.items(), key=lambda each: -float(each[0]))
        rest.append(Responses(tuple(strong_first)))
    return tuple(rest)


def product_divergence(composed: Counted, order: float) -> float:
    """The Rényi divergence D_α(P‖Q), α = ``order``, of a product of pairs, rounded up."""
    order_of(order)
    if any(pair.infinite for pair, _ in composed):
        return math.inf
    product = Product(merged_losses(pair.losses(count) for pair, count in composed))
    highest = math.inf if product.most is None else max(0.0, up(product.most))
    if order == math.inf:
        return highest
    above = max(order - 1, _LEAST) * (1 + 2 * UNIT)
    moment = product.log_moment(above)
    bound = (moment.value + moment.error) / above * (1 + 8 * UNIT)
    return min(max(0.0, bound) + 5e-324, highest)


class LossPair(DominatingPair):
    """A dominating pair (P, Q) that ``compose`` can account for, by the law of ln dP/dQ.

    Mechanisms fixed in advance are dominated together by the product pair (Zhu, Dong and Wang
    2022, Thm 10), concurrently as well (Vadhan and Zhang 2023). Both orders of worlds are dominated
    by (P, Q), so (Q, P) is never needed.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def infinite(self) -> Fraction:
        """The probability P(Q = 0) of an infinite loss."""

    @abstractmethod
    def losses(self, count: int) -> LossLaw:
        """The law of the sum of ``count`` losses ln dP/dQ under P, given that it is finite.

        Called only where ``infinite`` is less than one.
        """

    @property
    @abstractmethod
    def atoms(self) -> Points | None:
        """The probabilities (P, Q) of each point if they are finitely many rationals, or None."""

    def delta_at(self, epsilon: exact.Epsilon) -> float:
        return PairsCurve(((self, 1),), 1e-6).delta_at(epsilon)

    def divergence_at(self, order: float) -> float:
        return product_divergence(((self, 1),), order)


class FiniteLosses(LossPair):
    """A dominating pair without infinite losses and without a finite list of atoms. Abstract."""

    __slots__ = ()
    infinite: ClassVar[Any] = Fraction(0)
    atoms: ClassVar[Any] = None
