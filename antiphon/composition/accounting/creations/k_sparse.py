"""k-sparse parallel composition: privacy curves, and bounds on Rényi divergences.

For bounded creations in Rényi DP (docs/sparse.md): e^((α-1)D_α) <= Σ_S Π_{j∈S} (c_j - 1), c_j =
e^((α-1)D_j), S over the sets of created mechanisms whose parameters are a sub-multiset of the fixed
ones (the *purse*). If all n creations are alike: Σ_{i<=k} C(n,i) (c-1)^i.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cmp_to_key, lru_cache
from typing import Final, overload

import attrs
import numpy as np

from antiphon.composition.accounting.closed_forms import OfWorst, OptimalCurve, optimal
from antiphon.composition.accounting.creations.bounded_creations import GeneralCurve, general
from antiphon.composition.accounting.creations.class_recursion import ClassCurve, ClassRecursion
from antiphon.composition.accounting.curve import stated_field
from antiphon.composition.accounting.parameters import (
    Created,
    Given,
    created,
    is_true,
    pairs,
    parameters,
)
from antiphon.composition.accounting.summed_measures import (
    Divergence,
    divergence_of,
    grouped_measures,
)
from antiphon.numbers import Intractable, exact
from antiphon.numbers.interval import UNIT, Floats, Interval
from antiphon.protocol import Measure, Part, set_derived
from antiphon.protocol.measures.divergences import SLACK

Pair = tuple[exact.ExactEpsilon, Fraction]
Chosen = list[Pair]
_UNBOUNDED: Final = "CM Thm 5.2 and 5.5"
"""The theorem of curves for any number of creations."""


@attrs.frozen(repr=False)
class SparseCurve(OfWorst):
    """The privacy curve of k-sparse composition: k of the given (ε_i, δ_i) may see a difference.

    ``worst`` are the k largest ε_i together with the k largest δ_i. It bounds every choice,
    adaptive or not: RR_{ε,δ} is a post-processing of RR_{ε,0} and RR_{0,δ}, so a mechanism of
    (ε, δ) takes one response of each kind; the smallest unused one that is large enough
    always exists while at most k mechanisms see a difference. If some k of the parameters
    have both these ε and these δ (always, where the parameters are ordered), the bound is
    attained. Otherwise the lower end is the best of ``attained``, sub-multisets of size k.
    """

    method = "k-sparse"
    worst: OptimalCurve
    attained: tuple[OptimalCurve, ...]
    theorem: str = _UNBOUNDED
    source: str = stated_field(lambda curve: f"{curve.theorem}; {curve.worst.source}")

    def _parts(self) -> Iterator[Part]:
        yield from OfWorst._parts(self)
        if self.theorem == _UNBOUNDED and self.floor.upper > 0:
            yield (
                "With δ > 0 this needs first-pair consistency (docs/sparse.md); without it bound "
                "the number of creations: sparse(…, creations=n)."
            )

    @property
    def floor(self) -> Interval[float]:
        lower = max(each.floor.lower for each in self.attained)
        return Interval(lower, self.worst.floor.upper)

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
    tight: bool = False,
) -> SparseCurve | GeneralCurve | ClassCurve: ...
def sparse(
    given: Given,
    *,
    k: int,
    times: int = 1,
    creations: int | Given | None = None,
    symmetric: bool = False,
    tight: bool = False,
) -> SparseCurve | GeneralCurve | ClassCurve:
    """The privacy curve of k-sparse parallel composition: k of these (ε_i, δ_i) see a difference.

    With more than k parameters the adversary decides which of the mechanisms see different
    data; with at most k, all may. Three theorems, by how many mechanisms may be created, k of
    them with a differing pair:

    * any number (``creations`` is None): premises as ``ap.composition.sparse_parallel``, every
      δ_i = 0 or first-pair consistency (CM Thm 5.2 and 5.5);
    * ``creations=n``: at most n, each with one of the given parameters; or a list of the (ε, δ)
      that are created, where that is known. Any δ_i, every prefix-closed f': Theorem G;
    * ``symmetric`` besides: every f' is unchanged if the sides of all pairs are exchanged: Theorem
    S, 1 - Π(1-δ_i)(1-d) with d of the k largest ε_i and the product over all n.

    S and G are derived for this project (docs/sparse.md has the proofs), for discrete answers.
    Equal parameters: both are attained; G's excess over S is computed to about 1e-12. Unequal
    classes, few of them: both are attained, also where only n is known and the adversary chooses
    each class on the way; intervals of about 1e-13. Past the work limit of that recursion the
    interval goes up to the closed bound ``.closed``: all n count as having the largest δ, unless
    a list says which they have. With ``tight`` an error says so instead. All intervals are
    certified.

    If k > n, n counts. Raises: InvalidArgument for k or n < 1, for created parameters that are not
    given, and, where creations are bounded, for k above the number given; Intractable if ``tight``
    and the recursion takes too long; else as ``optimal``.

    >>> given = [(0.1, 1e-6)] * 90 + [(0.5, 0)] * 10              # neither dominates the other
    >>> sparse(given, k=10).floor.upper                              # as if all were (0.5, 1e-6)
    9.99995500012e-06
    >>> curve = sparse([(1, 1e-6)], k=1, creations=1000)           # one of a thousand differs
    >>> 0.998 < curve.epsilon_at(2e-3) < 1
    True
    """
    symmetric, tight = is_true(symmetric, "symmetric"), is_true(tight, "tight")
    if creations is not None:
        return _bounded(created(given, k, times, creations), symmetric, tight)
    exact.whole(k, "k")
    counts = pairs(given, times)
    epsilons = _largest(counts, k, _by_epsilon, _by_delta)
    deltas = _largest(counts, k, _by_delta, _by_epsilon)
    envelope = [(e, d) for (e, _), (_, d) in zip(epsilons, deltas, strict=True)]
    worst, first, second = (optimal(each) for each in (envelope, epsilons, deltas))
    return SparseCurve(worst, (first, second))


def _bounded(
    made: Created, symmetric: bool, tight: bool
) -> SparseCurve | GeneralCurve | ClassCurve:
    """The privacy curve for a bounded number of creations, by Theorem S or G (docs/sparse.md)."""
    curve, worst = _without_recursion(made)
    over = None if symmetric else general(made, curve, worst, tight)
    closed = over or curve
    attained = made.known and (over is None or not over.excess.most)
    if attained or len(made.kinds) == 1:
        return closed
    try:
        return ClassCurve(worst, closed, ClassRecursion(made, symmetric))
    except Intractable:
        if tight:
            raise
        return closed


def _without_recursion(made: Created) -> tuple[SparseCurve, OptimalCurve]:
    """The curve of Theorem S (docs/sparse.md) for these creations, and the curve of composed
    randomized responses that gives its upper ends.

    If only their number is known, all count as having the largest δ; the lower end assumes that the
    differing ones have the largest ε, or the largest δ.
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
    theorem = "Theorem S, derived for this project (docs/sparse.md)"
    return SparseCurve(worst, attained, theorem), worst


def _responses(differing: Chosen, deltas: Counter[Fraction]) -> OptimalCurve:
    """The curve of composed randomized responses: an RR_{ε,0} for each mechanism that sees a
    difference, an RR_{0,δ} for every created one."""
    pure = parameters([(epsilon, 0) for epsilon, _ in differing])
    positive = tuple(sorted((delta, n) for delta, n in deltas.items() if delta and n))
    return OptimalCurve(attrs.evolve(pure, deltas=positive, count=deltas.total()), 1e-6)


Order = Callable[[Pair, Pair], int]


def _by_epsilon(left: Pair, right: Pair) -> int:
    return exact.at_most(right[0], left[0]) - exact.at_most(left[0], right[0])


def _by_delta(left: Pair, right: Pair) -> int:
    return (left[1] > right[1]) - (left[1] < right[1])


def _largest(counts: Counter[Pair], k: int, first: Order, second: Order) -> Chosen:
    """The k largest parameters (all, if fewer), by ``first`` and, if that is equal, ``second``."""

    def compare(left: Pair, right: Pair) -> int:
        return first(right, left) or second(right, left)

    chosen: Chosen = []
    for each in sorted(counts, key=cmp_to_key(compare)):
        chosen += [each] * min(counts[each], k - len(chosen))
    return chosen


_LARGE = 700.0
"""The largest logarithm whose exponential surely fits in a double."""


@attrs.frozen
class SparseDivergence:
    """A bound on the Rényi divergence D_α of k-sparse composition of n creations, by the order α.

    With k_i fixed parameters of kind i, the adversary chooses the kinds of the n mechanisms
    adaptively. The least of two bounds is taken: that n of *every* kind exist from the start, Π_i
    Σ_{s<=k_i} C(n,s) (c_i-1)^s; and that all n are of the worst kind. Raises: InvalidArgument for n
    < 1.

    >>> from antiphon.protocol import ZeroConcentrated
    >>> one = SparseDivergence((ZeroConcentrated(0.5),), 1)
    >>> 1 <= one(2) < 1.0000001
    True
    """

    measures: tuple[Measure, ...]
    creations: int = attrs.field(validator=lambda _, __, value: exact.whole(value, "creations"))
    _kinds: tuple[tuple[Divergence, int], ...] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        counts = grouped_measures((each,) for each in self.measures)
        kinds = tuple((divergence_of(each), slots) for (each,), slots in counts)
        set_derived(self, _kinds=kinds)

    def __call__(self, order: float) -> float:
        less = order - 1
        sizes = [(less * each(order) * (1 + 4 * UNIT), slots) for each, slots in self._kinds]
        n, k = self.creations, len(self.measures)
        each = math.fsum(log_elementary(size, n, slots) for size, slots in sizes)
        worst = log_elementary(max(size for size, _ in sizes), n, k)
        return min(each, worst) / less * (1 + SLACK)


def log_elementary(size: float, n: int, k: int) -> float:
    """The sum Σ_{s<=k} C(n,s) (e^size - 1)^s of Theorem R as a logarithm, rounded up; size >= 0.

    >>> 3 * log_elementary(0.1, 1, 1) <= log_elementary(0.1, 3, 3) < 0.3000001
    True
    """
    all_differ = n * size * (1 + 2 * UNIT)
    if k >= n or not size or math.isinf(size):
        return all_differ
    step = size if size > _LARGE else math.log(math.expm1(size))
    counts, places, spread = _logs_of_binomials(n, k)
    terms = places * step + counts
    # A bound on the error of each summand's logarithm.
    error = SLACK * (k * (abs(step) + 1) + spread * k)
    highest = float(terms.max())
    if highest + error < _LARGE:
        return min(math.log1p(float(np.exp(terms + error).sum()) * (1 + SLACK)), all_differ)
    # The summand 1 of s = 0 is left out: it is negligible beside the others.
    rest = float(np.exp(terms - highest).sum())
    return min((highest + math.log(rest)) * (1 + SLACK) + error, all_differ)


@lru_cache(maxsize=16)
def _logs_of_binomials(n: int, k: int) -> tuple[Floats, Floats, float]:
    """The logarithms ln C(n,s) and the numbers s, for s = 1, …, k, and the largest |ln((n+1-s)/s)|;
    ln C(n,s) is a sum of these, so it bounds the rounding errors."""
    places = np.arange(1.0, k + 1)
    steps = np.log((n + 1 - places) / places)
    return np.cumsum(steps), places, float(np.abs(steps).max())
