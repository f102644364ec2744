"""k-sparse composition of n created mechanisms in Fractions (Theorems S and G of docs/sparse.md):
by recursion of the least overlap H = Σ min(P, sQ), P and Q the laws of views in worlds 0 and 1.

First-pair consistency is not assumed. Until a mechanism gets a differing pair, its public state is
a martingale in a polygon with the vertices 0, A = (1, 1/E), B = (1/E, 1) and R = (1, 1), E = e^ε; Z
is where its diagonals cross. H is the least overlap that is left to reach, where, of each class, a
mechanisms are at A, b at B, r at R and c at Z.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Final, NamedTuple

import attrs

from antiphon.composition.accounting.closed_forms import exact_exp
from antiphon.composition.accounting.parameters import Created, Given, Kind, created, is_true
from antiphon.numbers import Intractable, exact

LIMIT: Final = 1 << 15
"""The largest number of values of H that are kept."""
_MOST: Final = 400
"""The largest number of creations, each a step of the recursion."""


class Places(NamedTuple):
    """The numbers of mechanisms of one class in the public states A, B, R and Z, and the number of
    them that may still see a difference (``slots``)."""

    at_a: int
    at_b: int
    at_r: int
    at_z: int
    slots: int


Standing = tuple[Places, ...]
Start = tuple[Fraction, Fraction]


class Potential:
    """The least overlap H as a cached recursion; ``growths`` are the e^ε of the classes.

    ``starts``: for each class, the weights at R and Z of a new mechanism; the rest of its weight is
    at 0.
    """

    def __init__(self, growths: Sequence[Fraction], starts: Sequence[Start] = ()) -> None:
        self._growths, self._starts = tuple(growths), tuple(starts)
        self._known: dict[tuple[Fraction, int, Standing, int], Fraction] = {}

    def least(self, s: Fraction, asks: int, standing: Standing, free: int = 0) -> Fraction:
        """The least overlap Σ min(P, sQ) that an adversary can reach from the states ``standing``
        if ``asks`` more mechanisms may get a differing pair.

        ``free`` mechanisms, of any classes, may still be created.
        """
        if not asks:
            return min(Fraction(1), s)
        key = s, asks, standing, free
        if key not in self._known:
            if len(self._known) >= LIMIT:
                raise Intractable("values of H (use `sparse`)", len(self._known), LIMIT)
            choices = self._choices(s, asks, standing, free)
            self._known[key] = min([Fraction(1), s, *choices])
        return self._known[key]

    def _choices(self, s: Fraction, asks: int, standing: Standing, free: int) -> Iterator[Fraction]:
        for i, (e, (a, b, r, c, slots)) in enumerate(zip(self._growths, standing, strict=True)):
            # No mechanism of a class without slots may see a difference any more.
            if not slots:
                continue

            def h(  # The least overlap, once the mechanisms of class i are at the places ``place``.
                s: Fraction, asks: int, *place: int, i: int = i, free: int = free
            ) -> Fraction:
                after = (*standing[:i], Places(*place), *standing[i + 1 :])
                return self.least(s, asks, after, free)

            if a:
                yield h(s / e, asks - 1, a - 1, b, r, c, slots - 1)
            if b:
                yield h(s * e, asks - 1, a, b - 1, r, c, slots - 1) / e
            if r:
                true, false = (h(at, asks - 1, a, b, r - 1, c, slots - 1) for at in (s / e, s * e))
                yield e / (e + 1) * (true + false / e)
            if c:
                yield theta(e) * h(s, asks, a, b, r + 1, c - 1, slots)
                one = h(s, asks, a + 1, b, r, c - 1, slots)
                yield (one + h(s, asks, a, b + 1, r, c - 1, slots)) / 2
            if free:
                at_r, at_z = self._starts[i]
                one = at_r * h(s, asks, a, b, r + 1, c, slots, free=free - 1)
                yield one + at_z * h(s, asks, a, b, r, c + 1, slots, free=free - 1)


def theta(e: Fraction) -> Fraction:
    """The probability θ = (E+1)/(2E), E = ``e`` = e^ε, of going from the public state Z to R, not
    to 0."""
    return (e + 1) / (2 * e)


def crossing_share(e: Fraction, delta: Fraction) -> Fraction:
    """The constant p of Theorem G: a new mechanism starts in the public state R with probability
    (1-δ)(1-p), in Z with probability (1-δ)p/θ, θ = (e+1)/(2e), else in 0; ``e`` is e^ε."""
    if e == 1 or not delta:
        return Fraction(0)  # At ε = 0 the states Z and R are the same, and count as R.
    if delta == 1:
        return Fraction(1)
    return min(Fraction(1), delta * (e + 1) / ((e - 1) * (1 - delta)))


def start(e: Fraction, delta: Fraction, symmetric: bool) -> Start:
    """The probabilities that a new mechanism starts in the public states R and Z; with
    ``symmetric`` (Theorem S) it never starts in Z. ``e`` is e^ε."""
    p = Fraction(0) if symmetric else crossing_share(e, delta)
    return (1 - delta) * (1 - p), (1 - delta) * p / theta(e)


@attrs.frozen
class ExactSparseCurve:
    """The curve of Theorem G or S (docs/sparse.md) in Fractions; every ε is 0 or ``Log(q)``."""

    created: Created
    symmetric: bool

    def delta_at(self, epsilon: exact.Epsilon) -> Fraction:
        """The least δ at ``epsilon``, 0 or ``Log(x)``. Raises: InvalidArgument, Intractable."""
        s, made = exact_exp(exact.epsilon(epsilon)), self.created
        if not made.known:
            nobody = tuple(Places(0, 0, 0, 0, kind.slots) for kind in made.kinds)
            return 1 - self._potential.least(s, made.asks, nobody, made.number)
        overlap = Fraction(0)
        for crossing in product(*(range(kind.count + 1) for kind in made.kinds)):
            if weight := math.prod(map(self._weight, made.kinds, crossing), start=Fraction(1)):
                standing = tuple(
                    Places(0, 0, kind.count - c, c, kind.slots)
                    for kind, c in zip(made.kinds, crossing, strict=True)
                )
                overlap += weight * self._potential.least(s, made.asks, standing)
        return 1 - overlap

    @cached_property
    def _potential(self) -> Potential:
        kinds = self.created.kinds
        return Potential([exact_exp(kind.epsilon) for kind in kinds], list(map(self._start, kinds)))

    def _start(self, kind: Kind) -> Start:
        return start(exact_exp(kind.epsilon), kind.delta, self.symmetric)

    def _weight(self, kind: Kind, crossing: int) -> Fraction:
        """The probability that ``crossing`` mechanisms of one class start in the public state Z,
        and all others of it in R."""
        at_r, at_z = self._start(kind)
        others = kind.count - crossing
        return math.comb(kind.count, crossing) * at_r**others * at_z**crossing


def exactly_sparse(
    given: Given,
    *,
    k: int,
    times: int = 1,
    creations: int | Given,
    symmetric: bool = False,
) -> ExactSparseCurve:
    """The privacy curve of ``sparse`` for few creations, in Fractions; every ε is 0 or ``Log(q)``.

    The bound is attained (docs/sparse.md), also for unequal classes. If only the number of
    creations is known, the adversary chooses adaptively which class to create, and gains by that.
    Raises: as ``sparse``; InvalidArgument for an irrational e^ε; Intractable past 2^15 values.

    >>> pair = exact.Log(2), Fraction(1, 4)
    >>> exactly_sparse([pair], k=2, times=2, creations=3).delta_at(0)
    Fraction(25, 32)
    >>> exactly_sparse([pair], k=2, times=2, creations=3, symmetric=True).delta_at(0)
    Fraction(23, 32)
    """
    curve = ExactSparseCurve(created(given, k, times, creations), is_true(symmetric, "symmetric"))
    number = curve.created.number
    if number > _MOST:
        raise Intractable("creations in Fractions", number, _MOST)
    for kind in curve.created.kinds:
        exact_exp(kind.epsilon)
    return curve
