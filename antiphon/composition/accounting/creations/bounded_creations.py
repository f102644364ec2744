"""The excess of the δ of Theorem G over that of Theorem S (docs/sparse.md), in double precision,
for k-sparse composition of n created mechanisms.

With the letters of docs/sparse.md, and C of the n created mechanisms in the public state Z,

    δ = S + (1-S) X,   X = E[1-ρ_C],   ρ_c = θ^-c H_k(s; 0, 0, n-c, c) / y_k(s),

S being the figure of Theorem S. ρ_0 = ρ_1 = 1, so X is of second order in δ. Equal parameters:
H is computed by its recursion, for all s·E^j at once, up to some c = C; only +, × and min of
numbers >= 0 are used, so all errors are relative and add up; beyond, 1-ρ_C <= 1-ρ_c <= 1-q^(c-1)
for q = 2/(E+1). Unequal ones: 0 <= X, and the *closed bound*.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Final, TypeAlias

import attrs
import numpy as np

from antiphon.composition.accounting.atoms import window
from antiphon.composition.accounting.closed_forms import OfWorst, OptimalCurve
from antiphon.composition.accounting.curve import PrivacyCurve, Searched, stated_field
from antiphon.composition.accounting.parameters import Created, Kind
from antiphon.numbers import Intractable, exact
from antiphon.numbers.interval import UNIT, Floats, Interval, nearest, outward, probability, up

_SLACK: Final = 64 * UNIT
_WORK: Final = 1 << 23
"""The largest number of overlaps Σ min(P, sQ) that one recursion computes; P and Q are the laws of
the views in worlds 0 and 1."""
_TAIL_SHARE: Final = 2.0**-44
"""The probability of those values of C that the recursion may leave out, divided by P(C >= 2); C is
the number of mechanisms in the public state Z."""
_BITS: Final = 128
_LONGEST: Final = 1 << 20
"""The largest number of values whose probabilities are computed in the law of C, the number of
mechanisms in the public state Z."""


Excess: TypeAlias = "Closed | Recursion"
"""The excess X(ε) of Theorem G over S: where the δ of Theorem S is d, that of G is d + (1-d)·X."""


@attrs.frozen(repr=False)
class GeneralCurve(OfWorst, Searched):
    """The curve of Theorem G: k of n created mechanisms may see a difference.

    ``symmetric`` is the curve of Theorem S, a lower bound of every figure; ``closed`` is the curve
    of the closed bound, an upper bound that needs no recursion.
    """

    method = "k-sparse, n created"
    symmetric: PrivacyCurve
    worst: OptimalCurve
    excess: Excess
    bound: Closed
    source: str = stated_field(
        lambda c: f"Theorem G, derived for this project (docs/sparse.md); {c.worst.source}"
    )
    # Each ε that the search tries costs a recursion, so the search ends at a wider interval than
    # usual.
    _near = 2.0**-38

    @property
    def floor(self) -> Interval[float]:
        return self.symmetric.floor

    @property
    def closed(self) -> GeneralCurve:
        """The same curve with its excess bounded in closed form, without the recursion."""
        return attrs.evolve(self, excess=self.bound)

    def _delta(self, epsilon: exact.ExactEpsilon) -> Interval[float]:
        ends = self.symmetric.delta_between(epsilon)
        if self.worst.composed.sum_at_most(epsilon):
            # For ε >= Σε_i the views that count are those in which b is revealed; they cost the
            # same in both theorems.
            return ends
        x = self.excess.between(epsilon)
        most = min(x.upper, self.bound.most)
        if not most:
            return ends
        lower = ends.lower + (1 - ends.lower) * min(x.lower, most)
        upper = ends.upper + (1 - ends.upper) * most * (1 + 2 * UNIT)
        return probability(outward(lower, upper))

    def _guess(self, delta: float) -> tuple[float, float]:
        """Two guesses around the ε at which δ is ``delta``: by Theorem S alone, and with the excess
        at that first guess."""
        low = self._without(Fraction(delta))
        at = self._without(Fraction(delta), self.excess.between(Fraction(low)).upper)
        return low, min(at * (1 + 2.0**-40) + 2.0**-60, self._enough)

    def _without(self, delta: Fraction, x: float = 0.0) -> float:
        """The ε at which Theorem S with a fixed excess ``x`` gives about ``delta``."""
        left = (delta - Fraction(x)) / (1 - Fraction(x)) if x < 1 else delta
        return self.symmetric.epsilon_between(max(left, self.symmetric.least_delta)).lower


@attrs.frozen
class Corner:
    """An (ε, δ)-DP mechanism in Theorem G, δ < 1: the probability p with which it counts as being
    in the public state Z; and o, which bounds what it adds to the excess.

    o = min{δ/(1-δ), tanh(ε/2)} and p = o coth(ε/2); at E = 1 it is Z = R, so p = 0.
    """

    epsilon: exact.ExactEpsilon
    delta: Fraction

    @cached_property
    def inverse(self) -> tuple[Fraction, Fraction]:
        """Rational bounds on e^-ε, such that 1 - e^-ε keeps a hundred bits."""
        if isinstance(self.epsilon, exact.Log):
            return 1 / self.epsilon.argument, 1 / self.epsilon.argument
        small = self.epsilon.denominator.bit_length() - self.epsilon.numerator.bit_length()
        bits = _BITS + 2 * max(0, small)
        low, high = exact.exp_bracket(self.epsilon, bits)
        return Fraction(low, 1 << bits), Fraction(min(high, (1 << bits) - 1), 1 << bits)

    @property
    def tanh(self) -> tuple[Fraction, Fraction]:
        """Rational bounds on tanh(ε/2)."""
        low, high = ((1 - each) / (1 + each) for each in reversed(self.inverse))
        return low, high

    @property
    def odds(self) -> Fraction:
        """The constant o = min{δ/(1-δ), tanh(ε/2)}, rounded up."""
        return min(self.delta / (1 - self.delta), self.tanh[1]) if self.epsilon else Fraction(0)

    @property
    def share(self) -> tuple[Fraction, Fraction]:
        """Rational bounds on p: of n equal created mechanisms the number in the public state Z has
        the law Bin(n, p) in Theorem G."""
        if not self.epsilon:
            return Fraction(0), Fraction(0)
        low, high = (self.delta / (1 - self.delta) / each for each in reversed(self.tanh))
        return min(low, Fraction(1)), min(high, Fraction(1))


@attrs.frozen
class Closed:
    """An upper bound ``most`` on the excess of Theorem G over Theorem S at every ε."""

    most: float

    def between(self, at: exact.ExactEpsilon) -> Interval[float]:
        """The interval [0, ``most``], the same at every ε."""
        return Interval(0.0, self.most)

    @classmethod
    def of(cls, created: Created) -> Closed:
        """The least of the bounds in closed form that hold for these creations."""
        kinds = [kind for kind in created.kinds if kind.epsilon and kind.delta]
        if created.asks == 0 or not kinds or any(kind.delta == 1 for kind in kinds):
            return cls(0.0)
        # Where the ε are unequal, already one mechanism in the public state Z causes an excess: an
        # adversary who sees of which class it is can choose which class gets one differing pair
        # less.
        alike = len({kind.epsilon for kind in created.kinds}) == 1
        if created.known:
            corners = [(Corner(kind.epsilon, kind.delta), kind.count) for kind in kinds]
            bounds = [_revealed(corners)]
            if alike:
                bounds.append(_pairs_of(corners))
            if len(created.kinds) == 1:
                bounds += [bounds[-1] / 2 * (1 + _SLACK), _equal(*corners[0])]
        else:
            bounds = _unknown(kinds, created.number, alike)
        return cls(min(1.0, *bounds))


def _pairs_of(corners: Sequence[tuple[Corner, int]]) -> float:
    """An upper bound on the excess for equal ε: Σ_i≠j o_i p_j, with the constants of each
    mechanism's ``Corner``; rounded up."""
    everyone = sum((n * corner.share[1] for corner, n in corners), Fraction(0))
    return up(
        sum((n * c.odds * max(everyone - c.share[0], Fraction(0)) for c, n in corners), Fraction(0))
    )


def _revealed(corners: Sequence[tuple[Corner, int]]) -> float:
    """An upper bound on the excess: 1 - Π(1-o_i), o_i each mechanism's ``Corner.odds``; rounded
    up."""
    odds = [(up(corner.odds), n) for corner, n in corners]
    if any(o >= 1 for o, _ in odds):
        return 1.0
    return -math.expm1(math.fsum(n * math.log1p(-o) for o, n in odds) * (1 + _SLACK)) * (1 + _SLACK)


def _equal(corner: Corner, n: int) -> float:
    """An upper bound on the excess for n equal mechanisms, by the law of the number of them in the
    public state Z; rounded up."""
    o, p, q = up(corner.odds), up(corner.share[1]), 1 - up(corner.tanh[1])
    if q <= 0 or o >= 1:
        return 1.0
    none = math.exp(n * math.log1p(-p)) if p < 1 else 0.0
    few = math.exp(n * math.log1p(-o))
    return 1 - none - max(0.0, few - none) / q * (1 - _SLACK) + 2 * _SLACK / q


def _unknown(kinds: Sequence[Kind], number: int, alike: bool) -> list[float]:
    """Upper bounds on the excess for ``number`` creations, however they are split among the classes
    ``kinds``; ``alike``: all ε are equal."""
    delta = max(kind.delta for kind in kinds)
    ordered = sorted((Corner(kind.epsilon, delta) for kind in kinds), key=lambda c: c.tanh)
    least, most = ordered[0], ordered[-1]
    bounds = [_revealed([(most, number)])]
    if alike and least.share[1] < 1:
        bounds.append(_pairs_of([(least, number)]))
    return bounds


class Recursion:
    """The excess of Theorem G over S by recursion: n equal mechanisms, k may see a difference."""

    def __init__(self, kind: Kind, k: int) -> None:
        self._n, self._k, self._epsilon = kind.count, k, nearest(kind.epsilon)
        self._corner = Corner(kind.epsilon, kind.delta)
        self._inverse = nearest(self._corner.inverse[0])
        self._pmf, self._outside = _law(self._corner, self._n)
        tails = np.cumsum(self._pmf.upper[::-1])[::-1]
        wanted = int(np.sum(tails > _TAIL_SHARE * tails[2])) - 1
        self.most = min(max(wanted, 2), self._affordable())
        """The largest number of mechanisms in the public state Z for which the overlap is
        computed."""

    def _affordable(self) -> int:
        """The largest number c of mechanisms in the public state Z for which at most ``_WORK``
        overlaps are computed. Raises: Intractable."""
        if 9 * self._k**2 > 4 * _WORK:
            what = "values of H (leave out `tight`: the closed bound holds for any number)"
            raise Intractable(what, 9 * self._k**2, _WORK)
        most = max(2, int((3 * _WORK / self._k**2) ** (1 / 3)) - 1)
        return min(most, self._n, len(self._pmf.upper) - 1)

    def between(self, at: exact.ExactEpsilon) -> Interval[float]:
        """Bounds on the excess of Theorem G over Theorem S at ε = ``at``."""
        low, high = self._ratios(nearest(at))
        head, tail = self._pmf, slice(self.most + 1, None)
        stop = len(low)
        beyond = np.arange(self.most, len(head.upper) - 1, dtype=np.float64)
        lost = -np.expm1(beyond * self._log_q) * (1 + _SLACK)
        upper = float(np.sum(head.upper[:stop] * (1 - low)) + np.sum(head.upper[tail] * lost))
        lower = float(np.sum(head.lower[:stop] * (1 - high)))
        lower += float(np.sum(head.lower[tail])) * (1 - float(high[-1]))
        return probability(
            outward(lower * (1 - 400 * UNIT), upper * (1 + 400 * UNIT) + self._outside)
        )

    @property
    def _log_q(self) -> float:
        """The logarithm of q = 2/(e^ε+1), rounded down: q^(c-1) is at most ρ_c of ``_ratios``."""
        lost = up(self._corner.tanh[1])
        return math.log1p(-lost) * (1 + _SLACK) if lost < 1 else -1e6

    def _ratios(self, at: float) -> tuple[Floats, Floats]:
        """Bounds on the ratios ρ_c = θ^-c H_c / H_0 at ε = ``at``, H_c the least overlap with c
        mechanisms in the public state Z, and θ = (1+e^-ε)/2 the probability to go from Z to R."""
        places = np.arange(self.most + 1)
        theta = (1 + self._inverse) / 2
        overlaps = np.array(self._overlaps(at)) / theta**places
        error = UNIT * (32 * (self._k + self.most + 4) + 16 * (at + self._k * self._epsilon))
        least = np.exp(np.maximum(places - 1, 0) * self._log_q)
        least = np.where(places < 2, 1.0, least * (1 - _SLACK))
        if overlaps[0] < 1e-280 or error > 0.1:
            return least, np.ones(len(places))
        rho = overlaps / overlaps[0]
        low, high = rho * (1 - error), np.minimum(rho * (1 + error), 1)
        return np.maximum(low, least), np.maximum(high, least)

    def _overlaps(self, at: float) -> list[float]:
        """The least overlaps Σ min(P, sQ) of the laws of the views in worlds 0 and 1, s = e^at,
        with 0, 1, … mechanisms in the public state Z.

        The array ``known[c][a, b]`` is for a, b and c mechanisms at A, B and Z, the others at R,
        and for all s·e^(jε).
        """
        k, sizes = self._k, [self.most - c + 1 for c in range(self.most + 1)]
        worth = np.exp(np.minimum(0.0, at + self._epsilon * np.arange(-k, k + 1, dtype=np.float64)))
        known = [np.broadcast_to(worth, (size, size, len(worth))) for size in sizes]
        for asked in range(k - 1, -1, -1):
            stop = worth[k - asked : k + asked + 1]
            known = self._asked(known, stop, self._n - asked)
        return [float(each[0, 0, 0]) for each in known]

    def _asked(self, known: list[Floats], stop: Floats, left: int) -> list[Floats]:
        """The least overlaps before one more mechanism gets its first differing pair, from those
        after it (``known``) or if none does (``stop``); ``left`` mechanisms have had none yet."""
        inverse, found = self._inverse, list[Floats]()
        for c, each in enumerate(known):
            true, false = each[..., :-2], each[..., 2:] * inverse
            best = np.minimum(stop, self._at_r(true, false, left - c, inverse))
            best[1:] = np.minimum(best[1:], true[:-1])
            best[:, 1:] = np.minimum(best[:, 1:], false[:, :-1])
            if c:
                fewer, size = found[-1], len(best)
                one, other = fewer[1:, :size], fewer[:size, 1:]
                np.minimum(best, (1 + inverse) / 2 * fewer[:size, :size], out=best)
                np.minimum(best, (one + other) / 2, out=best)
            found.append(best)
        return found

    @staticmethod
    def _at_r(true: Floats, false: Floats, others: int, inverse: float) -> Floats:
        """The least overlaps if the next differing pair goes to a mechanism in the public state R,
        from those after its true and its false answer; infinite where none is in R."""
        asked: Floats = (true + false) / (1 + inverse)
        size = asked.shape[0]
        if others <= 2 * (size - 1):
            a, b = np.ogrid[:size, :size]
            asked[a + b >= others] = np.inf
        return asked


def _law(corner: Corner, n: int) -> tuple[Interval[Floats], float]:
    """Bounds on the law Bin(n, p) of the number of mechanisms in the public state Z.

    Raises: Intractable where they are too many, or p too near to 1 for its bounds.
    """
    low, high = corner.share
    if low == 1 and n < _LONGEST:
        certain = np.zeros(n + 1)
        certain[n] = 1.0
        return Interval(certain, certain), 0.0
    if high == 1 or n * high > _LONGEST:
        raise Intractable("places of a binomial law", min(n, 1 << 62), _LONGEST)
    # For p above 1/2 the law is computed for the number of mechanisms that are not in Z.
    swapped = high > Fraction(1, 2)
    if swapped and n >= _LONGEST:
        raise Intractable("places of a binomial law", n, _LONGEST)
    ends = [each / (1 - each) for each in (low, high)]
    odds = 1 / ends[0] if swapped else ends[1]
    units = 4 + up(2**53 * (ends[1] / ends[0] - 1))
    found = window(n, nearest(odds), units).normalised()
    terms = found.terms
    if swapped:
        start = n - found.first - len(terms.lower) + 1
        terms = Interval(terms.lower[::-1], terms.upper[::-1])
    else:
        start = found.first
    before, after = start, max(0, min(n, 2) - start - len(terms.lower) + 1)
    return Interval(
        np.pad(terms.lower, (before, after)), np.pad(terms.upper, (before, after))
    ), found.outside


def general(
    created: Created, symmetric: PrivacyCurve, worst: OptimalCurve, tight: bool
) -> GeneralCurve:
    """The curve of Theorem G: the curve ``symmetric`` of Theorem S, and the excess over it;
    ``worst`` is the curve of the largest parameters that may occur.

    Raises: Intractable if ``tight`` and equal parameters take the recursion too long.
    """
    bound = Closed.of(created)
    excess: Excess = bound
    everyone = created.known and created.asks == created.number
    if not bound.most or created.asks == 1 or everyone:
        # For k = 1, or where all n may differ (CM Thm 4.12), Theorems G and S agree.
        excess = Closed(0.0)
    elif len(created.kinds) == 1:
        try:
            excess = Recursion(next(iter(created.kinds)), created.asks)
        except Intractable:
            if tight:
                raise
    return GeneralCurve(symmetric, worst, excess, bound)
