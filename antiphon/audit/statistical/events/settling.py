"""A number is a number, however it came about: a column, a constant of the code, one apart.

How a population held a number is no part of a view, and may tell what the view does not:
``x if x < 1000 else 0`` has its 0 in a column, or in none. So events see samples in which
``NUMBER`` stands exactly at given places.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from antiphon.audit.statistical.events.reader import Path, as_float, is_number, items_of, leaves
from antiphon.populations.sample import NO_NUMBERS, NUMBER, Cell, Numbers, Sample


def settled(sample: Sample, wide: Collection[Path]) -> Sample:
    """The same views, with ``NUMBER`` for each number at these places and at no other.

    >>> views = Sample({(NUMBER,): Cell(2, np.array([[0.0], [7.0]])), (0,): Cell(3)})
    >>> settled(views, [(0,)]).counts, settled(views, []).counts
    ({(NUMBER,): 5}, {(0.0,): 4, (7.0,): 1})
    """
    if not wide and sample.discrete:  # there may be millions of kinds
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
        for path, leaf in leaves(skeleton)
    )


def _settled(
    skeleton: Hashable, cell: Cell, wide: Collection[Path]
) -> Iterator[tuple[Hashable, Cell]]:
    if _is_settled(skeleton, wide):
        yield skeleton, cell
        return
    found, columns = leaves(skeleton), iter(cell.columns.T)
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
    """The rows that agree in all of these columns: their values, and which rows."""
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
