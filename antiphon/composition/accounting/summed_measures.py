"""Sums of the measures of several mechanisms: divergences of every order, ρ, μ².

Concurrently too: Lyu 2022 and Vadhan and Zhang 2023.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Final, TypeAlias

import attrs

from antiphon.composition.accounting.renyi import bounded_divergence
from antiphon.numbers import exact
from antiphon.numbers.interning import fingerprint
from antiphon.numbers.interval import UNIT
from antiphon.protocol import converted, set_derived, why_untrusted
from antiphon.protocol.measures import kinds

Divergence: TypeAlias = Callable[[float], float]
_UP: Final = 1 + 8 * UNIT
_NOTHING: Final = (Fraction(0), Fraction(0))


def told_apart(measure: kinds.Measure) -> Hashable:
    """The key of a measure: equal for two measures only if they have the same figures.

    A user's curve or pair may have an ``==`` that ignores a difference, so it is equal to itself
    only.
    """
    theirs: object = None
    if isinstance(measure, kinds.Renyi):
        theirs = measure.curve
    elif isinstance(measure, kinds.Dominated):
        theirs = measure.pair
    if theirs is not None and why_untrusted(theirs) is not None:
        return type(measure), id(theirs)
    return fingerprint(measure)


def grouped_measures(
    claimed: Iterable[tuple[kinds.Measure, ...]],
) -> list[tuple[tuple[kinds.Measure, ...], int]]:
    """Groups of equal measures (by ``told_apart``), with the number of mechanisms in each."""
    found: dict[Hashable, tuple[kinds.Measure, ...]] = {}
    counts: Counter[Hashable] = Counter()
    for each in claimed:
        key = tuple(map(told_apart, each))
        found.setdefault(key, each)
        counts[key] += 1
    return [(each, counts[key]) for key, each in found.items()]


def divergence_of(measure: kinds.Measure) -> Divergence:
    """A bound on the Rényi divergence at every order α > 1, in nats; (ε, δ) counts as RR_{ε,0}."""
    if isinstance(measure, kinds.Approximate):
        measure = kinds.Pure(measure.epsilon)
    implied = converted(measure, kinds.Renyi)
    assert implied is not None  # All measures but (ε, δ) imply a bound on the divergence.
    return bounded_divergence(implied.curve)


@attrs.frozen
class Summed:
    """The sum over mechanisms of the least Rényi divergence that their measures imply, rounded up.

    Two sums of the same terms are equal. ``most``: only that many terms are added, the largest at
    each α.
    """

    measures: tuple[tuple[kinds.Measure, ...], ...]
    most: int | None = None
    _counted: tuple[tuple[tuple[Divergence, ...], int], ...] = attrs.field(
        init=False, eq=False, repr=False
    )

    def __attrs_post_init__(self) -> None:
        counted = (
            (tuple(map(divergence_of, each)), n) for each, n in grouped_measures(self.measures)
        )
        set_derived(self, _counted=tuple(counted))

    def __call__(self, order: float) -> float:
        found = [(min(each(order) for each in own), count) for own, count in self._counted]
        left = len(self.measures) if self.most is None else self.most
        if left < len(self.measures):
            found.sort(reverse=True)
        terms: list[float] = []
        for value, count in found:
            taken = min(count, left)
            if taken:
                terms.append(value * taken * _UP)
                left -= taken
        return math.fsum(terms) * _UP


def sum_of_one_kind(measures: Sequence[kinds.Measure], most: int | None = None) -> kinds.Measure:
    """The sum of measures of one kind: Σρ, √Σμ², or the sum of Rényi curves.

    ``most``: only that many are added, the largest.

    >>> sum_of_one_kind([kinds.GaussianDP(3), kinds.GaussianDP(4)])
    GaussianDP(mu=5)
    """
    rhos = [each.rho for each in measures if isinstance(each, kinds.ZeroConcentrated)]
    squares = [each.mu**2 for each in measures if isinstance(each, kinds.GaussianDP)]
    if rhos and len(rhos) == len(measures):
        return kinds.ZeroConcentrated(_largest(rhos, most))
    if squares and len(squares) == len(measures):
        return kinds.GaussianDP(exact.root_up(_largest(squares, most)))
    return kinds.Renyi(Summed(tuple((each,) for each in measures), most))


def _largest(sizes: Iterable[Fraction], most: int | None) -> Fraction:
    return sum(sorted(sizes, reverse=True)[:most], Fraction(0))


def summed_divergences(claimed: Sequence[Sequence[kinds.Measure]]) -> tuple[kinds.Renyi, Fraction]:
    """The sum of the mechanisms' Rényi divergences, and the probability δ that it fails.

    For each mechanism, all measures with δ = 0 count; if it has none, its first (ε, δ) counts as
    RR_{ε,0}, except for an event of probability δ that does not depend on b (CM Lemma 4.6).
    """
    kept = [tuple(m for m in each if not _loses(m)) or tuple(each[:1]) for each in claimed]
    deltas = [m.delta for each in kept for m in each if isinstance(m, kinds.Approximate)]
    lost = 1 - math.prod((1 - delta for delta in deltas), start=Fraction(1))
    return kinds.Renyi(Summed(tuple(kept))), lost


def _loses(measure: kinds.Measure) -> bool:
    return isinstance(measure, kinds.Approximate) and measure.delta > 0


def sums_by_measure(claimed: Sequence[Sequence[kinds.Measure]]) -> tuple[kinds.Measure, ...]:
    """The sums in each measure that every mechanism's claims imply: ρ, μ, and a Rényi curve."""
    summed, lost = summed_divergences(claimed)
    if lost:
        return ()
    counts = grouped_measures(map(tuple, claimed))
    rho, square = _sum(counts, _rho), _sum(counts, _square)
    found: list[kinds.Measure] = [kinds.ZeroConcentrated(rho)] if rho else []
    found += [kinds.GaussianDP(exact.root_up(square))] if square else []
    return (*found, summed)


def _rho(measure: kinds.Measure) -> Fraction | None:
    found = converted(measure, kinds.ZeroConcentrated)
    return None if found is None else found.rho


def _square(measure: kinds.Measure) -> Fraction | None:
    found = converted(measure, kinds.GaussianDP)
    return None if found is None else found.mu**2


def _sum(
    counts: list[tuple[tuple[kinds.Measure, ...], int]],
    size: Callable[[kinds.Measure], Fraction | None],
) -> Fraction | None:
    """The sum over mechanisms of the least ``size`` (ρ, or μ²) that their measures imply; None if
    those of one mechanism imply none."""
    whole = Fraction(0)
    for each, count in counts:
        sizes = [Fraction(0) if kinds.parameters_of(m) == _NOTHING else size(m) for m in each]
        known = [one for one in sizes if one is not None]
        if not known:
            return None
        whole += min(known) * count
    return whole
