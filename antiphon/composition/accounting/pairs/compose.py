"""What dominating pairs promise together: their product's privacy curve, certified."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import attrs

from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.accounting.pairs.exactly import Exactly, Once, multiplied
from antiphon.composition.accounting.pairs.laws.loss import LossLaw
from antiphon.composition.accounting.pairs.laws.ranges import Normal, Ranges
from antiphon.composition.accounting.pairs.laws.responses import Responses
from antiphon.composition.accounting.pairs.laws.thetas import Thetas
from antiphon.composition.accounting.pairs.line import Inversions
from antiphon.composition.accounting.pairs.noise import (
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    GaussianPair,
)
from antiphon.composition.accounting.pairs.pair import DominatingPair
from antiphon.composition.accounting.pairs.points import FinitePair, MixturePair
from antiphon.composition.accounting.pairs.product import Product
from antiphon.composition.accounting.pairs.promises import BoundedRangePair, ResponsePair
from antiphon.composition.accounting.parameters import MANY, Parameters
from antiphon.composition.accounting.renyi import RenyiCurve
from antiphon.composition.accounting.responses.atoms import Atoms
from antiphon.composition.accounting.responses.losses import Losses
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.interval import UNIT, Interval, up

KINDS: Final = (
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    GaussianPair,
    ResponsePair,
    BoundedRangePair,
    FinitePair,
    MixturePair,
)
_SOURCE: Final = "Zhu, Dong and Wang 2022, Thm 10; concurrently Vadhan and Zhang 2023"
_FEW: Final = 1 << 10
"""Distinct pairs, at most, that are looked at one by one for a closed form."""
_LEAST: Final = 2.0**-17
"""Orders nearer to 1 are answered by 1 + this: divergences grow with the order."""

Pairs = Iterable[DominatingPair]
Counted = tuple[tuple[DominatingPair, int], ...]


@attrs.frozen
class PairsCurve(PrivacyCurve):
    """The tight curve of a product of dominating pairs: δ = 1 - Π(1-r_i)(1-H(ε)).

    r_i is the probability of an infinite loss, and H that of ``line`` for the others.
    """

    composed: Counted
    width: float

    @property
    def method(self) -> str:
        return "pairs"

    @property
    def source(self) -> str:
        return _SOURCE

    @property
    def floor(self) -> Interval[float]:
        return self._infinite.floor

    @property
    def _exact_floor(self) -> Fraction | None:
        return self._infinite.exact_floor

    @cached_property
    def _infinite(self) -> Parameters:
        """The infinite losses, as if of RR_{0,r}."""
        deltas: Counter[Fraction] = Counter()
        for pair, count in self.composed:
            if infinite := pair.infinite:
                deltas[infinite] += count
        return Parameters((), tuple(sorted(deltas.items())), sum(n for _, n in self.composed))

    @cached_property
    def _product(self) -> Product | None:
        """The finite losses; None where there are none."""
        if any(pair.infinite == 1 for pair, _ in self.composed):
            return None
        return Product(gathered([pair.losses(count) for pair, count in self.composed]))

    @cached_property
    def _highest(self) -> Fraction | None:
        """A bound on all finite losses."""
        return Fraction(0) if self._product is None else self._product.most

    @property
    def _enough(self) -> float:
        return math.inf if self._highest is None else max(0.0, up(self._highest))

    def _delta(self, epsilon: exact.ExactEpsilon) -> Interval[float]:
        if self._highest is not None and exact.bracket(epsilon, 40)[0] >= self._highest:
            return self.floor
        return self._infinite.with_floor(self._law.stick(epsilon))

    @cached_property
    def _law(self) -> Exactly | Atoms | Once | Inversions:
        assert self._product is not None
        first, *others = self._product.laws
        if len(self.composed) > _FEW:
            return Inversions(self._product, self.width)
        known = [(pair.atoms, count) for pair, count in self.composed]
        atoms = [(points, count) for points, count in known if points is not None]
        if len(atoms) == len(known) and (found := multiplied(atoms)) is not None:
            return found
        if not others and type(first) is Responses and Atoms.suit(first.given):
            return Atoms(Losses.of(Parameters(first.given, (), len(first.given))), first.given)
        if not others and type(first) is Ranges and first.given[0][1:] == (1,) == (first.size,):
            return Once(first.given[0][0])
        return Inversions(self._product, self.width)

    def _guess(self, delta: float) -> tuple[float, float]:
        room, survival = delta - self.floor.upper, self._infinite.survival.lower
        if not 0 < room < survival or self._product is None:
            return 0.0, min(1.0, self._enough)
        at, spread = self._product.where(room / survival)
        ends = at - spread / 64, at + spread / 64
        low, high = (min(max(end, 0.0), self._enough) for end in ends)
        return low, high


def gathered(laws: Iterable[LossLaw]) -> tuple[LossLaw, ...]:
    """The same losses, in one law for all of a kind."""
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


def counted(pairs: Pairs, times: int = 1) -> Counted:
    """The multiset of pairs. Raises: InvalidArgument for none, or for what is no pair of ours."""
    exact.whole(times, "times")
    if isinstance(pairs, DominatingPair):
        raise InvalidArgument("give a list of dominating pairs: [pair]")
    try:
        listed: list[Any] = list(pairs)
    except TypeError:
        raise InvalidArgument(f"a list of dominating pairs, not a {type(pairs).__name__}") from None
    for each in listed:
        _known(each)
    counts = Counter(listed)
    if not counts:
        raise InvalidArgument("no pairs: give at least one dominating pair, so k >= 1")
    if counts.total() * times > MANY:
        raise InvalidArgument("at most 10^15 mechanisms are accounted for at once")
    return tuple((pair, count * times) for pair, count in counts.items())


def _known(pair: Any) -> None:
    """Raises: InvalidArgument for what is not exactly a pair of this library."""
    if not any(type(pair) is kind for kind in KINDS):
        names = ", ".join(kind.__name__ for kind in KINDS)
        raise InvalidArgument(f"a dominating pair is one of {names}, not a {type(pair).__name__}")
    if type(pair) is MixturePair:
        for each in pair.pairs:
            _known(each)


def compose(pairs: Pairs, *, times: int = 1, width: float = 1e-6) -> PairsCurve:
    """The tight privacy curve of mechanisms that these pairs dominate, fixed in advance.

    ``times`` repeats the list. Losses on one lattice (discrete Gaussians of commensurable σ²,
    equal responses) and rational atoms are relatively 1e-9 sure or better; for any others
    ``width`` is aimed at, of ε in nats and of δ relatively (see ``line``), and missed where
    the law itself has atoms. Both ends are always certified; their ``.width`` says all.

    Raises: InvalidArgument for no pairs, or what is none of ours; Intractable, with the cure,
    for a ``width`` that takes too long.

    >>> curve = compose([DiscreteGaussianPair(10)], times=1000)
    >>> f"{curve.delta_at(5):.9f}"  # .383835801507776
    '0.383835802'
    """
    return PairsCurve(counted(pairs, times), float(exact.positive(width, "width")))


def divergence(pairs: Pairs, order: float, *, times: int = 1) -> float:
    """The Rényi divergence D_α(P‖Q) of a product of pairs, order >= 1, in nats, rounded up.

    It bounds that of the views in both orders of worlds, as it is an integral over s of the
    sup_T P(T) - sQ(T) (Sason and Verdú 2016). Infinite where a loss may be; at order 1 that of
    an order slightly above. Raises: InvalidArgument as ``compose``, or for an order below 1.

    >>> round(divergence([GaussianPair(1)], 2), 9), divergence([FinitePair((1, 0), (0, 1))], 2)
    (1.0, inf)
    """
    return _divergence(counted(pairs, times), order)


def renyi_curve(pairs: Pairs, *, times: int = 1) -> RenyiCurve:
    """The (ε, δ) that ``divergence`` at every order implies. Never below ``compose``."""
    composed = counted(pairs, times)
    return RenyiCurve(lambda order: _divergence(composed, order), "RDP of pairs", "Mironov 2017")


def _divergence(composed: Counted, order: float) -> float:
    if not order >= 1:
        raise InvalidArgument(f"the order of a Rényi divergence is >= 1 here, not {order!r}")
    if any(pair.infinite for pair, _ in composed):
        return math.inf
    product = Product(gathered(pair.losses(count) for pair, count in composed))
    highest = math.inf if product.most is None else max(0.0, up(product.most))
    if order == math.inf:
        return highest
    above = max(order - 1, _LEAST) * (1 + 2 * UNIT)
    moment = product.log_moment(above)
    bound = (moment.value + moment.error) / above * (1 + 8 * UNIT)
    return min(max(0.0, bound) + 5e-324, highest)
