# pyright: reportUnknownMemberType=false
"""Risk in human terms: bounds on an adversary's success that follow from a certified privacy curve.

The adversary knows all but whether the protected data are there (b = 1) or not (b = 0), and guesses
b from the answers. With E = e^ε and δ(·) an upper bound in both directions:

* *advantage*, true-positive rate less false-positive rate: min over ε of (E - 1 + 2δ(ε))/(E + 1);
  under ρ-zCDP also the root A of A ln((1 + A)/(1 - A)) = ρ: (FPR, TPR) = (q, p) satisfies
  KL(p‖q), KL(q‖p) <= ρ, which is symmetric, so the worst case is p = (1 + A)/2, q = (1 - A)/2;
* *true-positive rate* at FPR a: min over ε of δ + Ea and of 1 - e^-ε(1 - δ - a); under
  ρ-zCDP also the largest p with D_α(p‖a), D_α(a‖p) <= αρ for each α of a list;
* *right accusations*, the share of b = 1 among those accused at FPR a, prior π:
  π·TPR/(π·TPR + (1 - π)a);
* *best guess*, P(right): 1 - π + π·min over ε of max(δ, δ + (1 - δ)(E - w)/(E + 1)), w = (1 - π)/π,
  for π <= 1/2, else with π and 1 - π exchanged: (TPR, FPR) maximises TPR - w·FPR at a corner of the
  region of (ε, δ); at E = w this is δ(ln w), and at w = 1 the bound on the advantage;
  under ρ-zCDP also the largest πp + (1 - π)(1 - q), p the least bound over a list of α: concave in
  q (the pairs with D_α(p‖q), D_α(q‖p) <= αρ are a convex set), so two chords bound it between the
  q that were tried;
* *P(posterior > t)* given b = 1: min over ε < ℓ of δ(ε)/(1 - e^(ε - ℓ)), as
  δ(ε) = E[(1 - e^(ε - L))₊], ℓ = ln(t(1 - π)/((1 - t)π)).

A minimum over any ε is sound, so they are searched for in floats, and each figure is rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Final

import attrs

from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.numbers import InvalidArgument, exact, shown_up
from antiphon.protocol import pictures
from antiphon.protocol.display import Card, ForPrograms, Grid, Part, Shown
from antiphon.protocol.measures import kinds

_UP: Final = 1 + 2.0**-40
"""A factor above 1 that exceeds the relative error of the few operations of a figure."""
_POINTS: Final = 24
_RATES: Final = tuple([10 ** (place / 10 - 4) for place in range(40)])
"""The false-positive rates at which a picture is drawn."""
_DRAWN: Final = [place / 16 for place in range(160)] + [float(place) for place in range(10, 40)]
"""The values of ε at which a privacy curve is read for the bounds in a picture."""
_NARROW: Final = 2.0**-12
"""The relative width at which a search for the best false-positive rate ends."""
_FAR: Final = 40.0
"""The largest ε for which the bound by (ε, δ(ε)) is tried."""
_NARROWER: Final = 5
"""The number of times that a search is repeated on a narrower range."""
_ORDERS: Final = 8
_LIST: Final = (1.0, *[1 + math.exp(place / 6 - 4) for place in range(48)])
"""The Rényi orders that are tried where one list has to serve every false-positive rate."""
_LEAST_ORDER, _LARGEST_ORDER = math.log(1 / 64), math.log(1 << 12)


@attrs.frozen(repr=False)
class Risk(Shown, ForPrograms, pictures.Plotted):
    """Bounds on the success of a membership adversary, each figure rounded up.

    ``plot`` draws the largest true-positive rate at each false-positive rate.
    """

    _told = "proved prior false_positive advantage true_positive right_accusations best_guess"

    curve: PrivacyCurve = attrs.field(eq=False)
    rho: Fraction | None
    """The ρ of a ρ-zCDP promise; None if there is none."""
    prior: float
    """The adversary's prior probability of membership, P(b = 1)."""
    false_positive: float
    """The actual false-positive rate: how often a non-member is accused."""
    proved: bool = False
    """Whether the curve is proved; else a premise of it is assumed, and so is each figure."""
    about: str = ""
    """The beginning of the title, which names the part of a promise that the figures are about;
    empty if they are about a whole guarantee."""

    @property
    def advantage(self) -> float:
        """The largest true-positive rate minus false-positive rate, over all thresholds."""

        def of(epsilon: float, delta: float) -> float:
            grown = math.exp(epsilon) * _UP
            return (grown - 1 + 2 * delta) / (grown + 1) if grown < math.inf else 1.0

        known = self._least(of)
        return _rounded(known if self.rho is None else min(known, _of_rho(self.rho)))

    @property
    def true_positive(self) -> float:
        """The largest true-positive rate of an adversary at the rate ``false_positive``."""
        a = self.false_positive
        known = self._least(partial(_accused, a))
        return _rounded(known if self.rho is None else min(known, _largest(a, self.rho)))

    @property
    def right_accusations(self) -> float:
        """The largest share of members among the accused, at ``false_positive`` and ``prior``."""
        hit, miss = self.prior * self.true_positive, (1 - self.prior) * self.false_positive
        return _rounded(hit / (hit + miss))

    @property
    def best_guess(self) -> float:
        """The largest probability of a right guess whether a person is a member."""
        rare = min(self.prior, 1 - self.prior)
        odds = (1 - rare) / rare
        loss = max(0.0, math.log(odds) * (1 - 2.0**-50))

        def of(epsilon: float, delta: float) -> float:
            grown = math.exp(epsilon) * _UP
            return delta + (1 - delta) * max(0.0, (grown - odds) / (grown + 1))

        known = rare * min(self.curve.delta_at(loss), self._least(of))
        if self.rho is not None:
            known = min(known, _gain(rare, self.rho))
        return _rounded(1 - rare + known)

    def posterior_above(self, threshold: float) -> float:
        """The largest probability that a member's posterior exceeds ``threshold``."""
        if not self.prior < threshold < 1:
            raise InvalidArgument("threshold lies between the prior and 1")
        odds = threshold * (1 - self.prior) / ((1 - threshold) * self.prior)
        reach = math.log(odds) * (1 - 2.0**-40)

        def of(epsilon: float, delta: float) -> float:
            return 1.0 if epsilon >= reach else delta / -math.expm1(epsilon - reach)

        return _rounded(self._least(of, reach))

    def _least(self, of: Callable[[float, float], float], last: float = _FAR) -> float:
        """The least ``of(ε, δ(ε))`` over ε up to ``last``, by a search in narrower and narrower
        ranges."""
        enough = self.curve._enough  # pyright: ignore[reportPrivateUsage]
        low, high = 0.0, min(last, _FAR, enough or _FAR)
        best, found, wide = low, math.inf, 0.0
        for _ in range(1 + _NARROWER):
            wide = (high - low) / _POINTS
            tried: list[float] = [low + place * wide for place in range(_POINTS + 1)]
            deltas = self.curve.delta_at(tried)
            for epsilon, delta in zip(tried, deltas, strict=True):
                figure = of(epsilon, float(delta))
                if figure < found:
                    best, found = epsilon, figure
            low, high = max(0.0, best - wide), min(best + wide, last)
        return found

    @property
    def sentences(self) -> tuple[str, str]:
        """The figures in two sentences for people, each rounded up to whole numbers."""
        known = "" if self.proved else "what is assumed holds, and "
        hits, right = (f"{math.ceil(100 * exact.fraction(each)):,}"
                       for each in (self.true_positive, self.right_accusations))  # fmt: skip
        return (
            "Suppose somebody knows everything but whether one unit of what is protected is "
            f"there, and first holds it for {100 * self.prior:.10g} % likely.",
            f"If {known}they accuse only when at most "
            f"{100 * self.false_positive:.10g} in 100 of those who are not there would be accused, "
            f"then of 100 who are there at most {hits} are accused; and of those accused at most "
            f"{right} in 100 are there.",
        )

    def _card(self) -> Card:
        return Card(self._title, self._parts())

    def public_card(self) -> Card:
        """The card for a page that others read: two sentences in place of the figures."""
        return Card("what it lets anybody find out", (*self.sentences, self._picture()))

    @property
    def _title(self) -> str:
        known = "" if self.proved else ", if what is assumed holds"
        return (
            f"{self.about}at most, at a prior of {self.prior:g} and a false-positive rate of "
            f"{self.false_positive:g}{known}"
        )

    @property
    def figures(self) -> list[tuple[str, str]]:
        """The figures by name, as texts."""
        return [
            ("advantage", shown_up(self.advantage)),
            ("true-positive rate", shown_up(self.true_positive)),
            ("share of right accusations", shown_up(self.right_accusations)),
            ("right guesses", shown_up(self.best_guess)),
        ]

    def _parts(self) -> Iterator[Part]:
        yield Grid(self.figures)
        yield self._picture()

    def _bounds(self, rates: Sequence[float]) -> list[float]:
        """Bounds on the true-positive rates at these false-positive ``rates``, for a picture; a bit
        larger than ``true_positive``, as all use one list of ε."""
        pairs = list(zip(_DRAWN, map(float, self.curve.delta_at(_DRAWN)), strict=True))
        bounds = [min([_accused(a, e, d) for e, d in pairs]) for a in rates]
        if self.rho is not None:
            orders, rho = _LIST[::6], self.rho
            of_orders = [min([_at_order(a, order, rho) for order in orders]) for a in rates]
            bounds = list(map(min, bounds, of_orders))
        return list(map(_rounded, bounds))

    def _draw(self, axes: pictures.Axes) -> None:
        rates, highest = sorted({*_RATES, self.false_positive}), "true-positive rate, at most"
        soft, dashed = pictures.SOFT, pictures.DASHED
        axes.plot(rates, self._bounds(rates), color=pictures.COLOURS[0], label=highest)
        axes.plot(rates, rates, color=soft, linestyle=dashed, label="without any answer")
        axes.plot([self.false_positive], [self.true_positive], "o", color=pictures.COLOURS[1])
        axes.set_xscale("log")
        axes.set_yscale("log")
        assumed = "" if self.proved else " (assumed)"
        pictures.titled(axes, f"who accuses how many rightly{assumed}")
        pictures.style_axes(axes, "false-positive rate", "true-positive rate")
        pictures.legend(axes)


def risk_of(
    curve: PrivacyCurve,
    measures: Sequence[kinds.Measure],
    *,
    prior: float | Fraction = 0.5,
    false_positive: float | Fraction = 0.01,
    proved: bool = False,
    about: str = "",
) -> Risk:
    """The risk that follows from a curve and further measures. Raises: InvalidArgument."""
    rates = [exact.fraction(each, "a rate") for each in (prior, false_positive)]
    if not all(0 < each < 1 for each in rates):
        raise InvalidArgument("prior and false_positive lie between 0 and 1")
    rhos = [each.rho for each in measures if type(each) is kinds.ZeroConcentrated]
    rho, (at, rate) = min(rhos, default=None), map(float, rates)
    return Risk(curve, rho, at, rate, proved, about)


def _accused(a: float, epsilon: float, delta: float) -> float:
    """The bound on the true-positive rate at the false-positive rate ``a`` by one (ε, δ)."""
    grown = math.exp(epsilon) * _UP
    return min(delta + grown * a, 1 - (1 - delta - a) / grown)


def _rounded(figure: float) -> float:
    return min(1.0, max(0.0, figure) * _UP)


def _of_rho(rho: Fraction) -> float:
    """A bound on the advantage A under ρ-zCDP, A ln((1 + A)/(1 - A)) = ρ, rounded up."""
    low, high, target = 0.0, 1.0, float(rho) * _UP
    for _ in range(60):
        middle = (low + high) / 2
        if middle < 1 and middle * (math.log1p(middle) - math.log1p(-middle)) <= target:
            low = middle
        else:
            high = middle
    return high


def _over_orders(figure: Callable[[float], float]) -> float:
    """The least of the upper bounds ``figure(α)`` over orders α >= 1.

    It is searched for over α - 1, in logarithms.
    """
    low, high, best = _LEAST_ORDER, _LARGEST_ORDER, figure(1.0)
    for _ in range(1 + _NARROWER):
        wide = (high - low) / _ORDERS
        tried = [low + place * wide for place in range(_ORDERS + 1)]
        found = [figure(1 + math.exp(each)) for each in tried]
        best = min(best, *found)
        middle = tried[found.index(min(found))]
        low, high = middle - wide, middle + wide
    return best


def _largest(a: float, rho: Fraction) -> float:
    """A bound on the true-positive rate at the false-positive rate ``a`` under ρ-zCDP."""
    return _over_orders(lambda order: _at_order(a, order, rho))


def _gain(rare: float, rho: Fraction) -> float:
    """A bound on πp - (1 - π)q, p the true- and q the false-positive rate, π = ``rare``."""

    def of(q: float) -> float:
        return rare * min([_at_order(q, order, rho) for order in _LIST]) - (1 - rare) * q

    return _highest(of)


def _highest(concave: Callable[[float], float]) -> float:
    """An upper bound on the maximum of a concave function on (0, 1), by a narrowing search."""
    points = [(q, concave(q)) for q in (2.0**-40, 0.25, 1 - 2.0**-10)]
    while True:
        (left, low), (middle, height), (right, end) = points
        if right - left <= _NARROW * middle:
            rises, falls = (height - low) / (middle - left), (height - end) / (right - middle)
            beyond = max(rises * (right - middle), falls * (middle - left), 0.0)
            return height + beyond + 2.0**-44
        between = (left + middle) / 2 if middle - left > right - middle else (middle + right) / 2
        points = sorted([*points, (between, concave(between))])
        top = max(range(4), key=lambda place: points[place][1])
        top = min(max(top, 1), 2)
        points = points[top - 1 : top + 2]


def _at_order(a: float, order: float, rho: Fraction) -> float:
    target = order * (float(rho) * (1 + 1e-9) + 1e-13)
    low, high = a, 1.0
    for _ in range(44):
        p = (low + high) / 2
        if p < 1 and max(_divergence(p, a, order), _divergence(a, p, order)) <= target:
            low = p
        else:
            high = p
    return high


def _divergence(p: float, q: float, order: float) -> float:
    """The Rényi divergence between coins with probabilities p and q."""
    heads, tails = math.log(p / q), math.log((1 - p) / (1 - q))
    if order == 1:
        return p * heads + (1 - p) * tails
    ends = math.log(p) + (order - 1) * heads, math.log(1 - p) + (order - 1) * tails
    most = max(ends)
    return (most + math.log(sum(math.exp(each - most) for each in ends))) / (order - 1)
