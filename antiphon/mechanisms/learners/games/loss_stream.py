"""Games of losses that are read as they come: from a file, a query, whatever yields rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.mechanisms.learners.games.loss_game import LossGame
from antiphon.mechanisms.learners.games.loss_table import on_grid
from antiphon.mechanisms.learners.games.online_game import ObliviousGame, unwritten
from antiphon.mechanisms.learners.learner import Losses
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.registry import register


class _Reading:
    """How far a source has been read, and the block that was read last."""

    def __init__(self) -> None:
        self.rows: Iterator[npt.ArrayLike] | None = None
        self.number = -1
        self.block: Losses = np.empty((0, 0), np.int64)


@register("antiphon.games.LossStream/1")
@attrs.frozen(kw_only=True)
class LossStream(ObliviousGame, LossGame):
    """The rows of a source: a round in each, and a loss in [0, 1] for each expert, put on the grid.

    A block of rows is in memory at a time. A game that is played again, or replayed, reads the
    source again from its start: a list, or an object whose ``__iter__`` opens a file anew, can
    be; a generator cannot, so that it serves one game, in one process.
    Raises: InvalidArgument, when it comes to it, for rows that are no such losses, for a source
    that ends before ``rounds``, and for one that would have to be read again and cannot be.

    >>> rows = ([0.0, 1.0], [0.26, 0.5])
    >>> LossStream(source=rows, rounds=2, experts=2, grid=4).losses(0, 0).tolist()
    [[0, 4], [1, 2]]
    """

    source: Iterable[npt.ArrayLike] = attrs.field(eq=id, repr=False)
    _reading: _Reading = attrs.field(init=False, eq=False, repr=False, factory=_Reading)

    def losses(self, key: int, number: int) -> Losses:
        reading = self._reading
        if number < reading.number or reading.rows is None:
            self._open()
        while reading.number < number:
            reading.block = self._next(reading.number + 1)
            reading.number += 1
        return reading.block

    def _open(self) -> None:
        reading, rows = self._reading, iter(self.source)
        if rows is reading.rows:
            raise InvalidArgument(
                "the source can be read once only: to play or replay again, give one that can be "
                "read from its start, such as a list, or an object whose __iter__ opens it anew"
            )
        reading.rows, reading.number = rows, -1

    def _next(self, number: int) -> Losses:
        assert self._reading.rows is not None
        first = number * self.block
        wanted = min(self.block, self.rounds - first)
        rows = list(islice(self._reading.rows, wanted))
        if len(rows) < wanted:
            raise InvalidArgument(
                f"the source ended after {first + len(rows)} of {self.rounds} rows: give fewer "
                "rounds"
            )
        try:
            table = np.array(rows, np.float64)
        except (TypeError, ValueError):
            table = np.empty(0)
        if table.shape != (wanted, self.experts):
            raise InvalidArgument(f"a row of the source has not {self.experts} numbers")
        return unwritten(on_grid(table, self.grid))
