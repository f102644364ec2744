"""OpenDP's domains as message spaces, and its metrics as relations on datasets that are tuples."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from typing import Any, Final, TypeAlias

import attrs
import numpy as np

from antiphon.numbers import InvalidArgument, named
from antiphon.numbers.exact import fraction
from antiphon.numbers.interning import all_are, fingerprint
from antiphon.protocol import identical, register
from antiphon.protocol.spaces import Finite, Integers, Listed, Reals, Space, Texts, Tuples

Rows: TypeAlias = tuple[Any, ...]
Near: TypeAlias = Callable[[Rows, Rows, Fraction], bool]


@register("antiphon.Vectors/1")
@attrs.frozen
class Vectors(Listed):
    """The space of tuples of any length, or of length ``size``, with entries in one space.

    >>> Vectors(Integers(0, 1)).contains((0, 1, 1)), Vectors(Integers(), 2).contains((0,))
    (True, False)
    """

    of: Space
    size: int | None = None

    def contains(self, value: Any) -> bool:
        if type(value) is not tuple or (self.size is not None and len(value) != self.size):  # pyright: ignore[reportUnknownArgumentType]
            return False
        if value and type(self.of) in (Integers, Reals) and _alike(value):  # pyright: ignore[reportUnknownArgumentType]
            return self.of.contains(min(value)) and self.of.contains(max(value))  # pyright: ignore[reportUnknownArgumentType]
        return self.of.contains_all(value)  # pyright: ignore[reportUnknownArgumentType]

    @property
    def discrete(self) -> bool:  # type: ignore[override]
        return self.of.discrete

    @property
    def finite(self) -> bool:  # type: ignore[override]
        return self.size is not None and self.of.finite

    def elements(self) -> Iterator[Rows]:
        assert self.size is not None
        return Tuples((self.of,) * self.size).enumerate()


def _alike(values: Rows) -> bool:
    """Whether all values are ints, or all are floats but no NaN, so that they can be ordered."""
    return all_are(int, values) or (all_are(float, values) and not any(v != v for v in values))


def _known(_: object, __: "attrs.Attribute[str]", value: str) -> None:
    if type(value) is not str or value not in METRICS:
        raise InvalidArgument(f"a metric is one of {', '.join(METRICS)}")


@register("antiphon.MetricWithin/1")
@attrs.frozen
class MetricWithin:
    """The relation of datasets (tuples) whose distance in the OpenDP metric of this name is at most
    ``distance``.

    Two entries are the same if they have the same type and value: 1 is not 1.0, and 0.0 is not
    -0.0.

    >>> near = MetricWithin("SymmetricDistance", 1)
    >>> near.holds((1, 2, 2), (2, 1)), near.holds((1, 2), (1, 3))
    (True, False)
    """

    swap_symmetric = True

    metric: str = attrs.field(validator=_known)
    distance: Fraction = attrs.field(converter=named.fraction)

    def holds(self, zero: object, one: object) -> bool:
        """Whether both datasets are tuples at most ``distance`` apart in the metric."""
        if type(zero) is not tuple or type(one) is not tuple:
            return False
        return METRICS[self.metric](zero, one, self.distance)  # pyright: ignore[reportUnknownArgumentType]


def _symmetric(zero: Rows, one: Rows, most: Fraction) -> bool:
    """Whether the multisets of records differ by at most ``most`` additions and removals."""
    left, right = Counter(map(_key, zero)), Counter(map(_key, one))
    return (left - right).total() + (right - left).total() <= most


def _change_one(zero: Rows, one: Rows, most: Fraction) -> bool:
    """Whether the multisets of records differ by at most ``most`` replacements."""
    return len(zero) == len(one) and _symmetric(zero, one, 2 * most)


def _hamming(zero: Rows, one: Rows, most: Fraction) -> bool:
    """Whether two tuples of one length differ in at most ``most`` places."""
    if len(zero) != len(one):
        return False
    return sum(not identical(*pair) for pair in zip(zero, one, strict=True)) <= most


def _insert_delete(zero: Rows, one: Rows, most: Fraction) -> bool:
    """Whether it is certain that ``most`` insertions and deletions turn one tuple into the other.

    The test computes an upper bound of the distance, which is exact if the tuples differ in one
    place only.
    """
    shortest = min(len(zero), len(one))
    start = _common(zero, one, range(shortest))
    end = _common(zero, one, range(-1, start - shortest - 1, -1))
    return len(zero) + len(one) - 2 * (start + end) <= most


def _common(zero: Rows, one: Rows, places: range) -> int:
    for count, place in enumerate(places):
        if not identical(zero[place], one[place]):
            return count
    return len(places)


def _norm(power: int | None) -> Near:
    """The check that two vectors are near in ℓ_p, p = ``power``; None stands for ℓ_∞."""

    def near(zero: Rows, one: Rows, most: Fraction) -> bool:
        if len(zero) != len(one):
            return False
        try:
            gaps = [abs(fraction(a) - fraction(b)) for a, b in zip(zero, one, strict=True)]
        except InvalidArgument:  # A vector with an entry that is no number has no neighbours.
            return False
        if power is None:
            return max(gaps, default=0) <= most
        return sum(gap**power for gap in gaps) <= most**power

    return near


def _key(value: object) -> Hashable:
    """A key of a message for counting equal ones, which ignores how a class defines equality.

    Every object other than a plain value, array or tuple of them counts as a record of its own:
    this may overstate the distance of two datasets, and never understates it.
    """
    kind: type = type(value)
    if kind is tuple:
        return tuple(map(_key, value))  # type: ignore[call-overload]  # pyright: ignore
    if kind is float or kind is np.ndarray or any(kind is each for each in _PLAIN):
        return fingerprint(value)
    return id(value)


_PLAIN: Final = (int, bool, str, bytes, type(None))

METRICS: Final[dict[str, Near]] = {
    "SymmetricDistance": _symmetric,
    "InsertDeleteDistance": _insert_delete,
    "ChangeOneDistance": _change_one,
    "HammingDistance": _hamming,
    "L1Distance": _norm(1),
    "L2Distance": _norm(2),
    "LInfDistance": _norm(None),
}

_WIDTHS: Final = {f"i{n}": (-(2 ** (n - 1)), 2 ** (n - 1) - 1) for n in (8, 16, 32, 64)} | {
    f"u{n}": (0, 2**n - 1) for n in (8, 32, 64)
}
"""The smallest and largest value of each integer type that OpenDP takes from Python."""
_BITS: Final = Finite((False, True))


def atoms(carrier: str, bounds: tuple[Any, Any] | None) -> Space | None:
    """The space of an OpenDP atom domain; None if none corresponds, as for f32, which rounds."""
    if carrier in _WIDTHS:
        low, high = bounds or _WIDTHS[carrier]
        return Integers(low, high)
    if carrier == "f64":
        return Reals(*map(float, bounds)) if bounds else Reals()
    return {"bool": _BITS, "String": Texts()}.get(carrier)
