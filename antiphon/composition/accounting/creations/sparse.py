"""k-sparse parallel composition: the worst sub-multiset of k parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cmp_to_key
from typing import overload

import attrs

from antiphon.composition.accounting.creations.parallel import GeneralCurve, general
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.accounting.parameters import (
    Created,
    Given,
    created,
    is_symmetric,
    pairs,
    parameters,
)
from antiphon.composition.accounting.tight import OptimalCurve, optimal
from antiphon.numbers import exact
from antiphon.numbers.interval import Interval, up

Pair = tuple[exact.ExactEpsilon, Fraction]
Chosen = list[Pair]


@attrs.frozen(repr=False)
class SparseCurve(PrivacyCurve):
    """The curve of any k of the given parameters, whichever they turn out to be.

    ``worst`` are the k largest ε_i together with the k largest δ_i. It bounds every choice,
    adaptive or not: RR_{ε,δ} is a post-processing of RR_{ε,0} and RR_{0,δ}, so a mechanism of
    (ε, δ) takes one response of each kind; the smallest unused one that is large enough
    always exists while at most k mechanisms see a difference. If some k of the parameters
    have both these ε and these δ (always, where the parameters are ordered), the bound is
    attained. Otherwise the lower end is the best of ``attained``, sub-multisets of size k.
    """

    worst: OptimalCurve
    attained: tuple[OptimalCurve, ...]
    theorem: str = "CM Thm 5.2 and 5.5 (theory §2)"

    @property
    def method(self) -> str:
        return "k-sparse"

    @property
    def source(self) -> str:
        return f"{self.theorem}; {self.worst.source}"

    @property
    def floor(self) -> Interval[float]:
        lower = max(each.floor.lower for each in self.attained)
        return Interval(lower, self.worst.floor.upper)

    @property
    def _exact_floor(self) -> Fraction | None:
        return self.worst.composed.exact_floor

    @property
    def _enough(self) -> float:
        return up(self.worst.composed.sum[1])

    def _delta(self, epsilon: exact.ExactEpsilon) -> Interval[float]:
        upper = self.worst.delta_between(epsilon)
        if self.attained == (self.worst,):
            return upper
        return _joined(upper, [each.delta_between(epsilon) for each in self.attained])

    def _epsilon(self, delta: Fraction) -> Interval[float]:
        upper = self.worst.epsilon_between(delta)
        if self.attained == (self.worst,):
            return upper
        reached = [each for each in self.attained if delta >= each.least_delta]
        return _joined(upper, [each.epsilon_between(delta) for each in reached])


def _joined(worst: Interval[float], attained: list[Interval[float]]) -> Interval[float]:
    lower = max((each.lower for each in attained), default=0.0)
    return Interval(min(lower, worst.upper), worst.upper)


@overload
def sparse(given: Given, *, k: int, times: int = 1) -> SparseCurve: ...
@overload
def sparse(
    given: Given,
    *,
    k: int,
    times: int = 1,
    creations: int | Given | None,
    symmetric: bool = False,
) -> SparseCurve | GeneralCurve: ...
def sparse(
    given: Given,
    *,
    k: int,
    times: int = 1,
    creations: int | Given | None = None,
    symmetric: bool = False,
) -> SparseCurve | GeneralCurve:
    """What k-sparse parallel composition promises if any k of these (ε_i, δ_i) may differ.

    With more than k parameters the adversary decides which of the mechanisms see different
    data; with at most k, all may. Three theorems, by how many mechanisms may be created, k of
    them with a differing pair:

    * any number (``creations`` is None): premises as ``ap.composition.sparse_parallel``, every
      δ_i = 0 or first-pair consistency (CM Thm 5.2 and 5.5);
    * ``creations=n``: at most n, each with one of the given parameters; or a list of the (ε, δ)
      that are created, where that is known. Any δ_i, every prefix-closed f': Theorem G;
    * ``symmetric`` besides: every f' allows what it allows with all sides exchanged, too:
      Theorem S, 1 - Π(1-δ_i)(1-d) with d of the k largest ε_i and the product over all n.

    S and G are derived for this project (docs/sparse.md has the proofs), for discrete answers.
    Equal parameters: both are attained; G is computed to some 1e-12 of its excess over S. Unequal
    ones in a list: S is attained, and G is between S and the closed bound, ``.closed``, which are
    apart by the second order in δ. Unequal ones of which only the number is known: all count
    as having the largest δ. Intervals are certified in all cases.

    Raises: InvalidArgument for k or n < 1, what is created and not given, and, where creations are
    bounded, a k of more than are given; of k and n the smaller counts. Others as ``optimal``.

    >>> given = [(0.1, 1e-6)] * 90 + [(0.5, 0)] * 10              # neither dominates the other
    >>> sparse(given, k=10).floor.upper                              # as if all were (0.5, 1e-6)
    9.99995500012e-06
    >>> curve = sparse([(1, 1e-6)], k=1, creations=1000)           # one of a thousand differs
    >>> 0.998 < curve.epsilon_at(2e-3) < 1
    True
    """
    symmetric = is_symmetric(symmetric)
    if creations is not None:
        return _bounded(created(given, k, times, creations), symmetric)
    exact.whole(k, "k")
    counts = pairs(given, times)
    epsilons = _largest(counts, k, _by_epsilon, _by_delta)
    deltas = _largest(counts, k, _by_delta, _by_epsilon)
    envelope = [(e, d) for (e, _), (_, d) in zip(epsilons, deltas, strict=True)]
    worst, first, second = (optimal(each) for each in (envelope, epsilons, deltas))
    return SparseCurve(worst, (first, second))


def _bounded(made: Created, symmetric: bool) -> SparseCurve | GeneralCurve:
    """Theorem S for these creations, and Theorem G above it.

    Where only their number is known, all have the largest δ, and the lower end is that of those who
    differ having the largest ε, or δ, and all others the largest δ.
    """
    may = Counter({(kind.epsilon, kind.delta): min(kind.slots, kind.count) for kind in made.kinds})
    chosen = _largest(may, made.asks, _by_epsilon, _by_delta)
    if made.known:
        deltas = Counter[Fraction]()
        for kind in made.kinds:
            deltas[kind.delta] += kind.count
        worst = _responses(chosen, deltas)
        attained: tuple[OptimalCurve, ...] = (worst,)
    else:
        largest = max(kind.delta for kind in made.kinds)
        worst = _responses(chosen, Counter({largest: made.number}))
        others = Counter({largest: made.number - made.asks})
        both = (chosen, _largest(may, made.asks, _by_delta, _by_epsilon))
        attained = tuple(_responses(each, others + Counter(d for _, d in each)) for each in both)
    curve = SparseCurve(worst, attained, "Theorem S, derived for this project (docs/sparse.md)")
    return curve if symmetric else general(made, curve, worst)


def _responses(differing: Chosen, deltas: Counter[Fraction]) -> OptimalCurve:
    """The curve of RR_{ε,0} for those who differ, and RR_{0,δ} for all."""
    pure = parameters([(epsilon, 0) for epsilon, _ in differing])
    positive = tuple(sorted((delta, n) for delta, n in deltas.items() if delta and n))
    return OptimalCurve(attrs.evolve(pure, deltas=positive, count=deltas.total()), 1e-6)


Order = Callable[[Pair, Pair], int]


def _by_epsilon(left: Pair, right: Pair) -> int:
    return exact.at_most(right[0], left[0]) - exact.at_most(left[0], right[0])


def _by_delta(left: Pair, right: Pair) -> int:
    return (left[1] > right[1]) - (left[1] < right[1])


def _largest(counts: Counter[Pair], k: int, first: Order, second: Order) -> Chosen:
    """The k largest parameters, in one order and then in the other; all, if they are fewer."""

    def compare(left: Pair, right: Pair) -> int:
        return first(right, left) or second(right, left)

    chosen: Chosen = []
    for each in sorted(counts, key=cmp_to_key(compare)):
        chosen += [each] * min(counts[each], k - len(chosen))
    return chosen
