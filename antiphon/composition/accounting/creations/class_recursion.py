"""The δ of Theorems S and G (docs/sparse.md) for unequal classes of parameters, in doubles: by
recursion of the lost overlap D = 1 - Σ min(P, sQ), P and Q the laws of the views in worlds 0 and 1.

The recursion is about the lost overlap D = 1 - H. Each choice of the adversary is a sum of products
of numbers >= 0, and the best choice is a maximum, so D keeps its relative precision. With E = e^ε
and R, A, B, Z, θ and p of the document:

    ask at A: D(s/E)      ask at B: (1-1/E) + D(sE)/E      ask at R: (E D(s/E) + D(sE))/(E+1)
    Z to R: (1-θ) + θ D   Z to A or B: (D + D')/2          create: lost + at_R D + at_Z D'

Directed rounding: all arrays hold both ends, and each step moves them outward. The values are
indexed by the slots left of each class (the purse), the creations left and the numbers at Z; the
numbers at A, B and R are axes of the arrays, and count only up to the slots left.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Final, NamedTuple, TypeAlias

import attrs
import numpy as np

from antiphon.composition.accounting.closed_forms import OfWorst, OptimalCurve
from antiphon.composition.accounting.creations.bounded_creations import Corner
from antiphon.composition.accounting.curve import PrivacyCurve, Searched, stated_field
from antiphon.composition.accounting.parameters import Created, Kind
from antiphon.numbers import Intractable, exact
from antiphon.numbers.interval import (
    UNIT,
    Floats,
    Interval,
    down,
    nearest,
    outward,
    probability,
    up,
)

LIMIT: Final = 1 << 18
"""The largest number of values that the recursion computes for one ε."""
_STEP: Final = 100
"""The fixed time of a step of the recursion, as the number of values computed in that time."""
_CLASSES: Final = 6
"""The largest number of classes of equal parameters: each has four axes of the arrays."""
_TOGETHER: Final = 16
"""The number of ε whose δ are computed together."""
_CURE: Final = " (leave out `tight`: the closed bound holds for any number)"
_OUTWARD: Final = np.array([1 - 16 * UNIT, 1 + 16 * UNIT])
_LEAST: Final = np.array([-1e-300, 1e-300])
_DIGITS: Final = 40

Pair: TypeAlias = tuple[Fraction, Fraction]
"""A lower and an upper bound on a number."""
Purse: TypeAlias = tuple[int, ...]
"""The number of mechanisms of each class that may still see a difference."""
Crossed: TypeAlias = tuple[int, ...]
"""The number of mechanisms of each class in the public state Z."""
Table: TypeAlias = dict[tuple[int, Crossed], Floats]
"""The lost overlaps D for a purse, by creations left and numbers of mechanisms in the state Z."""


@attrs.frozen(repr=False)
class ClassCurve(OfWorst, Searched):
    """The curve of Theorem G or S for unequal (ε, δ), tight up to rounding.

    ``closed`` is the curve of the bounds that need no recursion; every interval here lies in its.
    """

    method = "k-sparse, unequal classes"
    worst: OptimalCurve
    closed: PrivacyCurve
    recursion: "ClassRecursion"
    source: str = stated_field(lambda curve: curve.closed.source)
    # Each ε that the search tries costs a recursion, so the search ends at a wider interval than
    # usual.
    _near = 2.0**-38

    @property
    def floor(self) -> Interval[float]:
        return self.closed.floor

    def _delta(self, epsilon: exact.ExactEpsilon) -> Interval[float]:
        return self._deltas([epsilon])[0]

    def _deltas(self, epsilons: list[exact.ExactEpsilon]) -> list[Interval[float]]:
        found = list[Interval[float]]()
        for first in range(0, len(epsilons), _TOGETHER):
            some = epsilons[first : first + _TOGETHER]
            for at, ends in zip(some, self.recursion.between(some), strict=True):
                known = self.closed.delta_between(at)
                lower, upper = max(known.lower, ends.lower), min(known.upper, ends.upper)
                assert lower <= upper, "two certified intervals of one δ do not meet"
                found.append(Interval(lower, upper))
        return found

    def _epsilon(self, delta: Fraction) -> Interval[float]:
        # The curve is flat at its floor (least δ), so the ε where that begins is not sought.
        if down(delta) <= self.floor.upper:
            return Interval(self.closed.epsilon_between(delta).lower, self._enough)
        return super()._epsilon(delta)

    def _guess(self, delta: float) -> tuple[float, float]:
        ends = self.closed.epsilon_between(max(Fraction(delta), self.closed.least_delta))
        return ends.lower, ends.upper


class _Class(NamedTuple):
    """What the recursion needs of a class of equal (ε, δ), as lower and upper bounds; E = e^ε."""

    kind: Kind
    crosses: bool
    """Whether a new mechanism may start in the public state Z."""
    epsilon: Pair
    starts: tuple[Pair, Pair]
    """The probabilities that a new mechanism starts in the public states R and Z."""
    true: Floats
    """E/(E+1), E = e^ε: the probability of the true answer of a randomized response."""
    false: Floats
    """1/(E+1), E = e^ε: the probability of the false answer of a randomized response."""
    inverse: Floats
    """1/E = e^-ε."""
    told: Floats
    """1-1/E: the overlap lost when a mechanism in the public state B gets a differing pair."""
    theta: Floats
    """θ = (E+1)/(2E): the probability that a mechanism goes from the public state Z to R."""
    risked: Floats
    """1-θ: the probability that a mechanism goes from the public state Z to 0."""
    lost: Floats
    """The probability that a new mechanism starts in the public state 0, where it reveals all."""
    at_r: Floats
    at_z: Floats


def _class(kind: Kind, symmetric: bool) -> _Class:
    """What the recursion needs of mechanisms with these (ε, δ); in Theorem S (``symmetric``) none
    of them is ever in the public state Z."""
    corner, left, none = Corner(kind.epsilon, kind.delta), 1 - kind.delta, Fraction(0)
    low, high = corner.inverse
    crosses = bool(kind.epsilon and 0 < kind.delta < 1 and not symmetric)
    p_low, p_high = corner.share if crosses else (none, none)
    at_r = left * (1 - p_high), left * (1 - p_low)
    at_z = left * p_low * 2 / (1 + high), left * p_high * 2 / (1 + low)
    lost = [max(none, 1 - left * 2 / (1 + each)) if crosses else kind.delta for each in (low, high)]
    return _Class(
        kind, crosses, exact.bracket(kind.epsilon, _DIGITS), (at_r, at_z),
        _both(1 / (1 + high), 1 / (1 + low)), _both(low / (1 + low), high / (1 + high)),
        _both(low, high), _both(1 - high, 1 - low),
        _both((1 + low) / 2, (1 + high) / 2), _both((1 - high) / 2, (1 - low) / 2),
        _both(*lost), _both(*at_r), _both(*at_z),
    )  # fmt: skip


@attrs.frozen(eq=False)
class ClassRecursion:
    """The δ of Theorem G or S for unequal classes of parameters, by recursion of the lost overlap
    D.

    It is the δ of ``exactly_sparse``. Raises: Intractable past ``LIMIT`` values.
    """

    created: Created
    symmetric: bool

    def __attrs_post_init__(self) -> None:
        if len(self.created.kinds) > _CLASSES:
            raise Intractable(f"unequal classes{_CURE}", len(self.created.kinds), _CLASSES)
        values = _STEP * math.prod(kind.slots + 1 for kind in self.created.kinds)
        if values <= LIMIT:
            values = sum(map(self._size, self._purses()))
        if values > LIMIT:
            raise Intractable(f"values of the recursion{_CURE}", values, LIMIT)

    def between(self, epsilons: Sequence[exact.ExactEpsilon]) -> list[Interval[float]]:
        """Bounds on δ at each ε."""
        at = [exact.bracket(each, _DIGITS) for each in epsilons]
        purses = product(*(range(kind.slots + 1) for kind in self.created.kinds))
        stops = {purse: self._stop(purse, at) for purse in purses}
        tables = dict[Purse, Table]()
        for purse in self._purses():
            tables[purse] = self._table(purse, tables, stops)
        full = tuple(kind.slots for kind in self.created.kinds)
        ends = self._total(tables[full], self._places(full)).tolist()
        return [probability(outward(low, high)) for low, high in ends]

    @cached_property
    def _classes(self) -> list[_Class]:
        return [_class(each, self.symmetric) for each in self.created.kinds]

    @property
    def _free(self) -> int:
        """The creations left at the start; 0 if all are created at once, in known numbers."""
        return 0 if self.created.known else self.created.number

    def _purses(self) -> Iterator[Purse]:
        """The purses that allow a further differing pair; first those that allow the fewest."""
        purses = product(*(range(kind.slots + 1) for kind in self.created.kinds))
        return (each for each in sorted(purses, key=self._asks) if self._asks(each) > 0)

    def _asked(self, purse: Purse) -> list[int]:
        return [kind.slots - left for kind, left in zip(self.created.kinds, purse, strict=True)]

    def _asks(self, purse: Purse) -> int:
        """The number of mechanisms that may still get a differing pair with this purse."""
        return min(self.created.asks - sum(self._asked(purse)), sum(purse))

    def _places(self, purse: Purse) -> list[tuple[int, int, int]]:
        """The lengths of the three array axes of each class: they count its mechanisms in the
        public states A, B and R."""
        sizes = [min(left, self._asks(purse)) + 1 for left in purse]
        pairs = zip(self._classes, sizes, strict=True)
        return [(size, size, size) if one.crosses else (1, 1, size) for one, size in pairs]

    def _crossing(self, purse: Purse) -> list[int]:
        """The largest number of mechanisms of each class in the public state Z; 0 for a class
        without slots in the purse."""
        pairs = zip(self._classes, purse, strict=True)
        return [one.kind.count if one.crosses and left else 0 for one, left in pairs]

    def _cells(self, purse: Purse, free: int, total: int) -> list[Crossed]:
        """All ways to have ``total`` mechanisms in the public state Z, each as the numbers by
        class; ``free`` mechanisms are left to create."""
        if total > self.created.number - free:
            return []
        limits = (range(min(most, total) + 1) for most in self._crossing(purse))
        return [each for each in product(*limits) if sum(each) == total]

    def _size(self, purse: Purse) -> int:
        """The work of the recursion at a purse: the number of its values, and the time of its
        steps."""
        most = self._crossing(purse)
        alive = sum(map(bool, most))
        cells = math.comb(self._free + alive + 1, alive + 1)
        steps = (self._free + 1) * (self._free + 2) // 2 if alive else self._free + 1
        if self.created.known:
            cells, steps = math.prod(each + 1 for each in most), sum(most) + 1
        shape = [n for each in self._places(purse) for n in each]
        return (
            cells * math.prod(shape) * math.prod(n + 1 for n in self._asked(purse)) + _STEP * steps
        )

    def _table(self, purse: Purse, tables: dict[Purse, Table], stops: dict[Purse, Floats]) -> Table:
        """The lost overlaps for a purse, from the ``tables`` for the purses with one slot less."""
        stop, found = stops[purse], Table()
        shape = (*(n for each in self._places(purse) for n in each), *stop.shape)
        classes = [i for i, left in enumerate(purse) if left]
        for free in range(self._free + 1):
            for total in range(sum(self._crossing(purse)) + 1):
                if not (cells := self._cells(purse, free, total)):
                    break
                best = np.broadcast_to(stop, (len(cells), *shape)).copy()
                for i in classes:
                    after = (*purse[:i], purse[i] - 1, *purse[i + 1 :])
                    asked = self._left(after, i, cells, free, tables, stops, best.shape)
                    self._ask(best, i, asked)
                    self._cross(best, i, cells, free, found)
                    if free:
                        self._create(best, i, cells, free - 1, found)
                found.update(zip(((free, each) for each in cells), _rounded(best), strict=True))
        return found

    def _stop(self, purse: Purse, at: Sequence[Pair]) -> Floats:
        """The lost overlaps if the adversary stops, by the numbers of false answers so far and by
        ε."""
        asked, found = self._asked(purse), list[float]()
        for wrong in product(*(range(each + 1) for each in asked)):
            moves = [2 * false - each for false, each in zip(wrong, asked, strict=True)]
            for ends in at:
                # The lost overlap decreases in s, so its lower bound is computed at the upper bound
                # of s.
                for side in (1, 0):
                    exponents = (
                        move * one.epsilon[side if move > 0 else 1 - side]
                        for move, one in zip(moves, self._classes, strict=True)
                    )
                    size = sum(exponents, ends[side])
                    found.append(-math.expm1(min(0.0, nearest(size))))
        return _rounded(np.array(found).reshape(*(each + 1 for each in asked), len(at), 2))

    def _left(
        self, after: Purse, i: int, cells: list[Crossed], free: int,
        tables: dict[Purse, Table], stops: dict[Purse, Floats], shape: tuple[int, ...],
    ) -> Floats:  # fmt: skip
        """The lost overlaps after a differing pair to a mechanism of class i, with the purse
        ``after`` left; as an array of ``shape``."""
        places = shape[: 1 + 3 * len(after)]
        if self._asks(after) <= 0:
            return np.broadcast_to(stops[after], (*places, *stops[after].shape))
        kept = cells if after[i] else [_put(each, i, 0) for each in cells]
        values = np.stack([tables[after][free, each] for each in kept])
        for axis, size in enumerate(places[1:], 1):
            values = _moved(values, axis, 0, size)
        return values

    def _ask(self, best: Floats, i: int, left: Floats) -> None:
        """Raise ``best``, the largest lost overlaps found so far, to those after a differing pair
        to a mechanism of class i."""
        one, (a, b, r), grid = self._classes[i], _axes(i), 1 + 3 * len(self._classes) + i
        true = _cut(left, grid, 0, left.shape[grid] - 1)
        false = _cut(left, grid, 1, left.shape[grid])
        _raise(best, a, true)
        _raise(best, b, one.told + one.inverse * false)
        _raise(best, r, one.true * true + one.false * false)

    def _cross(self, best: Floats, i: int, cells: list[Crossed], free: int, found: Table) -> None:
        """Raise ``best``, the largest lost overlaps found so far, to those after a mechanism of
        class i leaves the public state Z."""
        if not (some := [n for n, each in enumerate(cells) if each[i]]):
            return
        one, (a, b, r), size = self._classes[i], _axes(i), best.shape[1 + 3 * i]
        fewer = np.stack([found[free, _put(cells[n], i, cells[n][i] - 1)] for n in some])
        along = one.risked + one.theta * _moved(fewer, r, 1, size)
        across = (_moved(fewer, a, 1, size) + _moved(fewer, b, 1, size)) / 2
        best[some] = np.maximum(best[some], np.maximum(along, across))

    def _create(self, best: Floats, i: int, cells: list[Crossed], free: int, found: Table) -> None:
        """Raise ``best``, the largest lost overlaps found so far, to those after one more creation
        of class i."""
        one, r = self._classes[i], _axes(i)[2]
        at_r = np.stack([found[free, each] for each in cells])
        reached = one.lost + one.at_r * _moved(at_r, r, 1, best.shape[r])
        if one.crosses:
            at_z = np.stack([found[free, _put(each, i, each[i] + 1)] for each in cells])
            reached = reached + one.at_z * at_z
        np.maximum(best, reached, out=best)

    def _total(self, table: Table, places: list[tuple[int, int, int]]) -> Floats:
        """Bounds on δ for each ε, from the lost overlaps ``table`` of the purse at the start."""
        if self._free:
            nobody = table[self._free, (0,) * len(places)]
            first: Floats = nobody[(0,) * 3 * len(places)].reshape(-1, 2)
            return first
        total, low, high = np.zeros(2), Fraction(0), Fraction(0)
        laws = [_law(each) for each in self._classes]
        for crossed in product(*(range(len(each)) for each in laws)):
            least = most = Fraction(1)
            standing = tuple[int, ...]()
            for one, law, c, (*_, r) in zip(self._classes, laws, crossed, places, strict=True):
                least, most = least * law[c][0], most * law[c][1]
                standing += (0, 0, min(one.kind.count - c, r - 1))
            total = total + _both(least, most) * table[0, crossed][standing].reshape(-1, 2)
            low, high = low + least, high + most
        lost = _both(max(Fraction(0), 1 - high), max(Fraction(0), 1 - low))
        ends: Floats = (total + lost) * (1 + (_OUTWARD - 1) * len(table))
        return ends


def _law(one: _Class) -> list[Pair]:
    """The probabilities that 0, 1, … mechanisms of a class start in the public state Z and all its
    others in R, if all are created at once."""
    (r_low, r_high), (z_low, z_high) = one.starts
    n, most = one.kind.count, one.kind.count if one.crosses else 0
    ways = [(math.comb(n, c), n - c, c) for c in range(most + 1)]
    return [(w * r_low**r * z_low**c, w * r_high**r * z_high**c) for w, r, c in ways]


def _both(low: Fraction, high: Fraction) -> Floats:
    return np.array([down(low), up(high)])


def _put(cell: Crossed, i: int, value: int) -> Crossed:
    return (*cell[:i], value, *cell[i + 1 :])


def _axes(i: int) -> tuple[int, int, int]:
    """The array axes for the numbers of class i mechanisms in the public states A, B and R."""
    return 3 * i + 1, 3 * i + 2, 3 * i + 3


def _cut(values: Floats, axis: int, start: int, stop: int) -> Floats:
    part: Floats = values[(slice(None),) * axis + (slice(start, stop),)]
    return part


def _moved(values: Floats, axis: int, step: int, size: int) -> Floats:
    """The entries ``step`` further along an array's axis, up to length ``size``; the last
    repeats."""
    last = values.shape[axis] - 1
    if step == 0 and last + 1 == size:
        return values
    moved: Floats = np.take(values, np.minimum(np.arange(step, size + step), last), axis=axis)
    return moved


def _raise(best: Floats, axis: int, reached: Floats) -> None:
    """Raise each entry of ``best`` along an axis to at least the entry before it of ``reached``."""
    size = best.shape[axis] - 1
    target = _cut(best, axis, 1, size + 1)
    np.maximum(target, _cut(reached, axis, 0, size), out=target)


def _rounded(values: Floats) -> Floats:
    """The bounds moved outward past the rounding errors of one step, and kept within [0, 1]."""
    moved: Floats = np.clip(values * _OUTWARD + _LEAST, 0.0, 1.0)
    return moved
