"""Views as numbers: the places of a view, and the features that are read at them.

A place is a path into the feature: () the feature itself, (2,) its third item (the third answer, by
default), (2, 0) the first component of that. Views that end early lack the later places.

A sample stores the views of equal shape and symbols as one cell: a skeleton, in which ``NUMBER``
marks numbers, and their columns (one value per replica). A number counts the same in a column or as
a constant of the skeleton.

The storage is no part of a view, and could leak more than the view: ``x if x < 1000 else 0`` may
have its 0 in a column or as a constant. So events read samples in which ``NUMBER`` stands exactly
at given places.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final, TypeAlias, Union

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.populations.sample import NO_NUMBERS, NUMBER, Cell, Numbers, Placeholder, Sample
from antiphon.protocol import message_label, register, set_derived

Path: TypeAlias = tuple[int, ...]
Read: TypeAlias = Union[float, npt.NDArray[np.float64]]
"""The value of a feature of some views: one for all of them, or one each; NaN if missing."""

MOST_VALUES: Final = 16
"""The largest number of values at a place for which each value counts as a category."""
_REPEATED: Final = 5
"""The least number of views in which a value must occur to count as a category."""
MOST_FEATURES: Final = 256
_REALS: Final = (int, float, Fraction, np.integer, np.floating)


def leaf_places(value: object) -> list[tuple[Path, object]]:
    """The places of a feature, with the value at each; nested tuples are opened.

    >>> leaf_places((1, ("a", NUMBER)))
    [((0,), 1), ((1, 0), 'a'), ((1, 1), NUMBER)]
    """
    items = items_of(value)
    found: list[tuple[Path, object]] = []
    if items is None:
        found.append(((), value))
    else:
        _collect(items, (), found)
    return found


def _collect(items: tuple[object, ...], path: Path, found: list[tuple[Path, object]]) -> None:
    for place, item in enumerate(items):
        if isinstance(item, tuple):
            _collect(item, (*path, place), found)  # pyright: ignore[reportUnknownArgumentType]
        else:
            found.append(((*path, place), item))


def items_of(value: object) -> tuple[object, ...] | None:
    """The items of a tuple; None for any other value."""
    return value if isinstance(value, tuple) else None  # pyright: ignore[reportUnknownVariableType]


def numbers_at(skeleton: object, columns: Numbers) -> dict[Path, Read]:
    """The numbers in the views with this ``skeleton``, by place: a column, or a constant."""
    found: dict[Path, Read] = {}
    column = 0
    for path, leaf in leaf_places(skeleton):
        if leaf is NUMBER:
            found[path] = columns[:, column]
            column += 1
        elif is_number(leaf):
            found[path] = as_float(leaf)
    return found


def as_float(number: Any) -> float:
    """The nearest double; ±∞ for an int or a Fraction past the largest double."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def is_number(leaf: object) -> bool:
    """Whether a value is a real number of any type; bools are not."""
    return isinstance(leaf, _REALS) and not isinstance(leaf, bool)


def item_label(item: object, width: int = 40) -> str:
    """A short text for the item at a place."""
    return item.value if isinstance(item, Placeholder) else message_label(item, width)


def place_label(path: Path, answer: str = "the answer to message") -> str:
    """A place in words: "the answer to message 3", "part 2 of the answer to message 3"."""
    if not path:
        return "the feature"
    where = f"{answer} {path[0] + 1}"
    for part in path[1:]:
        where = f"part {part + 1} of {where}"
    return where


@register("antiphon.Reader/1")
@attrs.frozen
class Reader:
    """Turns views into features: numbers, their changes, and categories."""

    numbers: tuple[Path, ...] = ()
    changes: tuple[tuple[Path, Path], ...] = ()
    """(earlier place, later place): the feature is the later number minus the earlier one."""
    kinds: tuple[tuple[Path, object], ...] = ()
    """(place, value): the feature is 1 where this value stands at the place, else 0."""
    _index: dict[tuple[Path, object], int] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        set_derived(self, _index={kind: i for i, kind in enumerate(self.kinds)})

    @property
    def width(self) -> int:
        """The number of features."""
        return len(self.numbers) + len(self.changes) + len(self.kinds)

    def read(self, skeleton: Hashable, columns: Numbers = NO_NUMBERS) -> list[Read]:
        """The features of all views with this ``skeleton``: numbers, then changes, then
        categories."""
        at = numbers_at(skeleton, columns) if self.numbers or self.changes else {}
        kinds = [0.0] * len(self.kinds)
        for leaf in leaf_places(skeleton):
            place = self._index.get(leaf)
            if place is not None:
                kinds[place] = 1.0
        return [
            *(at.get(path, np.nan) for path in self.numbers),
            *(at.get(late, np.nan) - at.get(early, np.nan) for early, late in self.changes),
            *kinds,
        ]

    def only(self, numeric: Sequence[int]) -> Reader:
        """A reader with some numeric features only (given by index), and all categories."""
        first = len(self.numbers)
        return Reader(
            tuple(self.numbers[i] for i in numeric if i < first),
            tuple(self.changes[i - first] for i in numeric if i >= first),
            self.kinds,
        )

    def bases(self) -> tuple[Reader, ...]:
        """Readers without redundant features: one of all numbers, and one of changes in place of
        most numbers.

        The second reads the first numbers, and changes in place of the later ones.
        """
        numbers = Reader(self.numbers, (), self.kinds)
        later = {late for _, late in self.changes}
        first = tuple(path for path in self.numbers if path not in later)
        return (numbers, Reader(first, self.changes, self.kinds)) if later else (numbers,)

    def label(self, feature: int) -> str:
        """A feature in words."""
        if feature < len(self.numbers):
            return place_label(self.numbers[feature])
        feature -= len(self.numbers)
        if feature < len(self.changes):
            early, late = self.changes[feature]
            return f"the change from {place_label(early)} to {place_label(late)}"
        path, value = self.kinds[feature - len(self.changes)]
        return f"whether {place_label(path)} is {item_label(value)}"


def reader_of(samples: Iterable[Sample]) -> Reader:
    """A reader of the features that vary in these samples; of very many, the first ones."""
    values: dict[Path, Counter[object]] = defaultdict(Counter)
    total = 0
    for sample in samples:
        for skeleton, cell in sample.cells.items():
            total += cell.count
            for path, leaf in leaf_places(skeleton):
                values[path][leaf] += cell.count
    numeric = sorted(
        path
        for path, met in values.items()
        if NUMBER in met or sum(map(is_number, met)) > MOST_VALUES
    )
    kinds = [
        (path, value)
        for path, met in sorted(values.items())
        for value in _categories(met, total, path in numeric)
    ]
    changes = [(early, late) for early, late in pairwise(numeric) if len(early) == len(late)]
    share = MOST_FEATURES // 3
    return Reader(tuple(numeric[:share]), tuple(changes[:share]), tuple(kinds[:share]))


def _categories(met: Counter[object], total: int, numeric: bool) -> list[object]:
    """The values at one place of a view that serve as categories, the most frequent first."""
    frequent = [
        value
        for value, count in met.most_common(MOST_VALUES + 1)
        if count >= _REPEATED and not (numeric and is_number(value))
    ]
    always = met.total() == total
    return frequent[1:] if always and len(frequent) == len(met) else frequent[:MOST_VALUES]


def with_numbers_at(sample: Sample, wide: Collection[Path]) -> Sample:
    """The same views, with ``NUMBER`` columns at the places ``wide``, and symbols elsewhere.

    >>> views = Sample({(NUMBER,): Cell(2, np.array([[0.0], [7.0]])), (0,): Cell(3)})
    >>> with_numbers_at(views, [(0,)]).counts, with_numbers_at(views, []).counts
    ({(NUMBER,): 5}, {(0.0,): 4, (7.0,): 1})
    """
    # Looking at each kind of view would be slow: there may be millions.
    if not wide and sample.discrete:
        return sample
    if all(_is_settled(skeleton, wide) for skeleton in sample.cells):
        return sample
    found: dict[Hashable, list[Cell]] = {}
    for skeleton, cell in sample.cells.items():
        for own, part in _settled(skeleton, cell, wide):
            found.setdefault(own, []).append(part)
    return Sample({skeleton: cells[0].joined(cells[1:]) for skeleton, cells in found.items()})


def _is_settled(skeleton: object, wide: Collection[Path]) -> bool:
    return all(
        path in wide if leaf is NUMBER else not (path in wide and is_number(leaf))
        for path, leaf in leaf_places(skeleton)
    )


def _settled(
    skeleton: Hashable, cell: Cell, wide: Collection[Path]
) -> Iterator[tuple[Hashable, Cell]]:
    if _is_settled(skeleton, wide):
        yield skeleton, cell
        return
    found, columns = leaf_places(skeleton), iter(cell.columns.T)
    numbers: dict[Path, Numbers] = {}
    for path, leaf in found:
        if leaf is NUMBER:
            numbers[path] = next(columns)
        elif path in wide and is_number(leaf):
            numbers[path] = np.full(cell.count, as_float(leaf))
    kept = [numbers[path] for path, _ in found if path in numbers and path in wide]
    loose = [path for path in numbers if path not in wide]
    for values, rows in _groups(cell.count, [numbers[path] for path in loose]):
        known = dict(zip(loose, values, strict=True))
        items = [NUMBER if p in numbers and p not in known else known.get(p, x) for p, x in found]
        part = np.column_stack([each[rows] for each in kept]) if kept else NO_NUMBERS
        yield _rebuilt(skeleton, iter(items)), Cell(len(rows), part)


Rows: TypeAlias = npt.NDArray[np.intp]
"""The indices of some rows."""


def _groups(count: int, columns: list[Numbers]) -> Iterator[tuple[list[float], Rows]]:
    """The groups of rows that agree in all columns: (their values, the indices of the rows)."""
    if not columns:
        yield [], np.arange(count)
        return
    values, which = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
    which = which.ravel()
    ends = np.cumsum(np.bincount(which))[:-1]
    parts = np.split(np.argsort(which, kind="stable"), ends)
    yield from zip(values.tolist(), parts, strict=True)


def _rebuilt(skeleton: object, items: Iterator[object]) -> object:
    inner = items_of(skeleton)
    return next(items) if inner is None else tuple([_rebuilt(each, items) for each in inner])
