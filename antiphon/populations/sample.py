"""Samples of views: replicas grouped by what is discrete in them, with their numbers beside.

A view is *discrete skeleton* + *numbers*: ``NUMBER`` stands in the skeleton where a
continuous (or wide) answer stood, and the numbers themselves are the rows of an array.
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
"""One row a replica, one column a continuous answer."""
NO_NUMBERS: Final[Numbers] = np.empty((0, 0))
"""The columns of a view that is all discrete: never materialised by replica."""


@register("antiphon.Placeholder/1")
class Placeholder(enum.Enum):
    """A symbol that stands for a number, or for a truth value; one that no answer can be.

    ``True`` is another answer than 1, but Python's dictionaries cannot tell them apart.
    """

    NUMBER = "#"
    TRUE = "True"
    FALSE = "False"

    def __repr__(self) -> str:
        return self.name


NUMBER: Final = Placeholder.NUMBER
"""In a skeleton: here stood a continuous answer."""
TRUTH: Final = (Placeholder.FALSE, Placeholder.TRUE)
"""In a skeleton: here stood False, or True."""


@attrs.frozen(eq=False)
class Cell:
    """The replicas whose views have the same skeleton.

    ``columns``: (count, k), the numbers in the order in which ``NUMBER`` stands in the
    skeleton (depth first, where answers are tuples); ``NO_NUMBERS`` for k = 0.
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
        """k: how many numbers each view has."""
        return int(self.columns.shape[1])

    def joined(self, others: Iterable[Cell]) -> Cell:
        """These replicas and those of other cells of the same skeleton."""
        parts = [self, *others]
        if len({part.width for part in parts}) > 1:
            raise InvalidArgument("cells of one skeleton must have equally many numbers")
        columns = np.concatenate([part.columns for part in parts]) if self.width else NO_NUMBERS
        return Cell(sum(part.count for part in parts), columns)

    def first(self, count: int) -> Cell:
        """Its first ``count`` replicas."""
        return Cell(count, self.columns[:count]) if count < self.count else self


@attrs.frozen(eq=False)
class Sample:
    """Views of independent replicas: skeleton -> the replicas that have it."""

    cells: Mapping[Hashable, Cell] = attrs.field(repr=False)

    @property
    def replicas(self) -> int:
        """N: how many views there are."""
        return sum(cell.count for cell in self.cells.values())

    @property
    def discrete(self) -> bool:
        """Whether no view has a number."""
        return all(cell.width == 0 for cell in self.cells.values())

    @property
    def counts(self) -> dict[Hashable, int]:
        """How many replicas have each skeleton."""
        return {skeleton: cell.count for skeleton, cell in self.cells.items()}

    @staticmethod
    def of(counts: Mapping[Hashable, int]) -> Sample:
        """The sample of discrete views that these counts describe.

        >>> Sample.of({"a": 2, "b": 1}).replicas
        3
        """
        return Sample({skeleton: Cell(count) for skeleton, count in counts.items()})


def merge(samples: Iterable[Sample]) -> Sample:
    """All replicas of several samples; the order of samples is kept within a cell."""
    found: dict[Hashable, list[Cell]] = {}
    for sample in samples:
        for skeleton, cell in sample.cells.items():
            found.setdefault(skeleton, []).append(cell)
    return Sample({skeleton: cells[0].joined(cells[1:]) for skeleton, cells in found.items()})
