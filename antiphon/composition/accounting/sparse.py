"""k-sparse parallel composition: the worst sub-multiset of k parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

import attrs

from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.accounting.optimal import OptimalCurve, optimal
from antiphon.composition.accounting.parameters import pairs
from antiphon.numbers import exact
from antiphon.numbers.interval import Interval, up

Pair = tuple[exact.ExactEpsilon, Fraction]
Chosen = list[Pair]


@attrs.frozen
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

    @property
    def method(self) -> str:
        return "k-sparse"

    @property
    def source(self) -> str:
        return f"CM Thm 5.2 and 5.5 (theory §2); {self.worst.source}"

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
        return _joined(upper, [each.delta_between(epsilon) for each in self.attained])

    def _epsilon(self, delta: Fraction) -> Interval[float]:
        upper = self.worst.epsilon_between(delta)
        reached = [each for each in self.attained if delta >= each.least_delta]
        return _joined(upper, [each.epsilon_between(delta) for each in reached])


def _joined(worst: Interval[float], attained: list[Interval[float]]) -> Interval[float]:
    lower = max((each.lower for each in attained), default=0.0)
    return Interval(min(lower, worst.upper), worst.upper)


def sparse(given: Iterable[Any], *, k: int, times: int = 1) -> SparseCurve:
    """What k-sparse parallel composition promises if any k of these (ε_i, δ_i) may differ.

    With more than k parameters the adversary decides which of the mechanisms see different
    data; with at most k, all may. Premises as ``ap.composition.sparse_parallel``: every δ_i = 0,
    or first-pair consistency. Raises: InvalidArgument for k < 1; others as ``optimal``.

    >>> given = [(0.1, 1e-6)] * 90 + [(0.5, 0)] * 10              # neither dominates the other
    >>> sparse(given, k=10).floor.upper                              # as if all were (0.5, 1e-6)
    9.99995500012e-06
    """
    exact.whole(k, "k")
    counts = pairs(given, times)
    epsilons = _largest(counts, k, _by_epsilon, _by_delta)
    deltas = _largest(counts, k, _by_delta, _by_epsilon)
    envelope = [(e, d) for (e, _), (_, d) in zip(epsilons, deltas, strict=True)]
    worst, first, second = (optimal(each) for each in (envelope, epsilons, deltas))
    return SparseCurve(worst, (first, second))


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
