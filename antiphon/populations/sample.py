"""Samples of views: replicas grouped by the discrete part of a view, with their numbers.

A view is stored as *discrete skeleton* + *numbers*: the symbol ``NUMBER`` replaces each continuous
(or wide) answer in the skeleton, and the numbers are the rows of an array.
"""

from __future__ import annotations

import enum
from collections.abc import Hashable, Iterable, Mapping
from typing import Final, TypeAlias

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.registry import register

Numbers: TypeAlias = npt.NDArray[np.float64]
"""The type of an array with one row for each replica and one column for each continuous answer."""
NO_NUMBERS: Final[Numbers] = np.empty((0, 0))
"""The empty array of numbers, for replicas without continuous answers; needs no memory."""


@register("antiphon.Placeholder/1")
class Placeholder(enum.Enum):
    """A symbol that replaces a number or a truth value in the skeleton (discrete part) of a view;
    no answer can equal it.

    ``True`` is another answer than 1, but Python's dictionaries cannot tell them apart.
    """

    NUMBER = "#"
    TRUE = "True"
    FALSE = "False"

    def __repr__(self) -> str:
        return self.name


NUMBER: Final = Placeholder.NUMBER
"""The symbol that replaces a continuous answer in the skeleton (discrete part) of a view."""
TRUTH: Final = (Placeholder.FALSE, Placeholder.TRUE)
"""The symbols that replace the answers False and True in the skeleton (discrete part) of a view."""


@attrs.frozen(eq=False)
class Cell:
    """The replicas whose views share a skeleton (the discrete part of a view), with their
    continuous answers as columns.

    ``columns``: (count, k), the numbers in the order of the symbols ``NUMBER`` in the skeleton
    (depth first, where answers are tuples); ``NO_NUMBERS`` for k = 0.
    """

    count: int
    columns: Numbers = attrs.field(default=NO_NUMBERS, repr=False)

    def __attrs_post_init__(self) -> None:
        rows, width = self.columns.shape
        if self.count < 0 or rows != (self.count if width else 0):
            raise InvalidArgument(
                f"a cell of {self.count} replicas has {rows} rows of {width} numbers"
            )

    @property
    def width(self) -> int:
        """The number k of continuous answers in each view."""
        return int(self.columns.shape[1])

    def joined(self, others: Iterable[Cell]) -> Cell:
        """The cell of these replicas and those of other cells with the same skeleton."""
        parts = [self, *others]
        if len({part.width for part in parts}) > 1:
            raise InvalidArgument("cells of one skeleton must have equally many numbers")
        columns = np.concatenate([part.columns for part in parts]) if self.width else NO_NUMBERS
        return Cell(sum(part.count for part in parts), columns)

    def first(self, count: int) -> Cell:
        """A cell of the first ``count`` replicas."""
        return Cell(count, self.columns[:count]) if count < self.count else self


@attrs.frozen(eq=False)
class Sample:
    """The views of independent runs (replicas), grouped by skeleton (discrete part): a map from
    each skeleton to its replicas."""

    cells: Mapping[Hashable, Cell] = attrs.field(repr=False)

    @property
    def replicas(self) -> int:
        """The number N of views."""
        return sum(cell.count for cell in self.cells.values())

    @property
    def discrete(self) -> bool:
        """Whether no view contains a continuous answer."""
        return all(cell.width == 0 for cell in self.cells.values())

    @property
    def counts(self) -> dict[Hashable, int]:
        """The number of replicas with each skeleton (discrete part of a view)."""
        return {skeleton: cell.count for skeleton, cell in self.cells.items()}

    @staticmethod
    def of(counts: Mapping[Hashable, int]) -> Sample:
        """A sample of discrete views, given the count of each view.

        >>> Sample.of({"a": 2, "b": 1}).replicas
        3
        """
        return Sample({skeleton: Cell(count) for skeleton, count in counts.items()})


def merge(samples: Iterable[Sample]) -> Sample:
    """The replicas of several samples in one; within a cell, the order of the samples is kept."""
    found: dict[Hashable, list[Cell]] = {}
    for sample in samples:
        for skeleton, cell in sample.cells.items():
            found.setdefault(skeleton, []).append(cell)
    return Sample({skeleton: cells[0].joined(cells[1:]) for skeleton, cells in found.items()})
