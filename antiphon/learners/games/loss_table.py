"""Games with given losses: the rows of an array, of a file, or of any iterable."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import ClassVar, Self

import attrs
import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from antiphon.learners.games.loss_game import LossGame
from antiphon.learners.games.online_game import ObliviousGame, unwritten
from antiphon.learners.learner import Losses
from antiphon.numbers.errors import InvalidArgument, of_kind
from antiphon.numbers.user_files import read_table
from antiphon.protocol import Coins, register


def plain_table(table: Losses) -> Losses:
    """The table as a read-only array. Raises: InvalidArgument unless it is an int64 array with
    two axes."""
    plain = type(table) is np.ndarray and table.dtype == np.int64
    if not plain or table.ndim != 2 or not table.size:
        raise InvalidArgument("the table is an int64 array of two axes; see the game's ``of``")
    return unwritten(table)


def on_grid(values: NDArray[np.float64], grid: int) -> Losses:
    """Losses in [0, 1] as integers 0, …, ``grid``. Raises: InvalidArgument for other values."""
    if not bool(np.all((values >= 0) & (values <= 1))):
        raise InvalidArgument("losses lie in [0, 1]: scale them by a public bound")
    return np.rint(values * grid).astype(np.int64)


@register("antiphon.games.LossTable/1")
@attrs.frozen(kw_only=True)
class LossTable(ObliviousGame, LossGame):
    """A game whose losses are the rows of a table, with a column for each expert.

    Raises: InvalidArgument for a table of another shape, or that is no int64 array of entries in
    {0, …, ``grid``}.

    >>> import numpy as np
    >>> LossTable.of(np.array([[0.0, 1.0], [0.26, 0.5]]), grid=4).table.tolist()
    [[0, 4], [1, 2]]
    """

    call_to_write: ClassVar[str] = "LossTable.of(losses), for an array of losses in [0, 1]"
    table: Losses = attrs.field(
        converter=plain_table, eq=attrs.cmp_using(eq=np.array_equal), repr=False
    )

    def __attrs_post_init__(self) -> None:
        if self.table.shape != (self.rounds, self.experts):
            raise InvalidArgument(
                f"the table has shape {self.table.shape}, not (rounds, experts) = "
                f"{self.rounds, self.experts}; LossTable.of(table) infers them"
            )
        if self.table.min() < 0 or self.table.max() > self.grid:
            raise InvalidArgument(
                f"losses lie in 0..{self.grid} (grid); LossTable.of rounds numbers in [0, 1] to it"
            )

    @classmethod
    def of(cls, losses: npt.ArrayLike, *, grid: int = 1 << 10) -> Self:
        """The game on an array of losses in [0, 1], rounded to the grid. Raises:
        InvalidArgument."""
        values = np.asarray(losses, np.float64)
        if values.ndim != 2 or not values.size:
            raise InvalidArgument(
                "losses are a table: a round in each row, an expert in each column"
            )
        table = on_grid(values, grid)
        return cls(rounds=len(table), experts=table.shape[1], grid=grid, table=table)

    @classmethod
    def load(cls, path: str | Path, *, grid: int = 1 << 10) -> Self:
        """The game on a file of losses: .npy, or numbers separated by commas. Raises:
        InvalidArgument."""
        return cls.of(read_table(path), grid=grid)

    @classmethod
    def tossed_by(cls, game: LossGame, coins: Coins) -> Self:
        """A table with the losses of one play of a random game, so that many learners can play on
        the same losses.

        Raises: InvalidArgument for an adaptive game. Cost: rounds·experts entries of 8 bytes.
        """
        if not isinstance(game, ObliviousGame):
            raise InvalidArgument(f"the losses of {of_kind(game)} depend on the advice")
        key, table = game.key(coins), np.empty((game.rounds, game.experts), np.int64)
        for number in range(-(-game.rounds // game.block)):
            table[game.times(number)] = game.losses(key, number)
        table.flags.writeable = False  # Read-only, so that the constructor does not copy it.
        return cls(rounds=game.rounds, experts=game.experts, grid=game.grid, table=table)

    def first(self, rounds: int) -> Self:
        """The game on the first ``rounds`` rows. Raises: InvalidArgument for more rounds than
        the table has."""
        if rounds > self.rounds:
            raise InvalidArgument(
                f"the table has {self.rounds} rounds, not {rounds}: ask for as many at most"
            )
        return attrs.evolve(self, rounds=rounds, table=self.table[:rounds])

    def losses(self, key: int, number: int) -> Losses:
        return self.table[number * self.block : (number + 1) * self.block]


class _Reading:
    """The position in a source of rows, with the block of rows that was read last."""

    def __init__(self) -> None:
        self.rows: Iterator[npt.ArrayLike] | None = None
        self.number = -1
        self.block: Losses = np.empty((0, 0), np.int64)


@register("antiphon.games.LossStream/1")
@attrs.frozen(kw_only=True)
class LossStream(ObliviousGame, LossGame):
    """A game whose losses come from an iterable: a row for each round, with a loss in [0, 1] for
    each expert.

    One block of rows is in memory at a time. Another play or a replay reads the source again from
    its start. A list allows this, and so does an object whose ``__iter__`` opens a file anew; a
    generator can be used for one game in one process only. Raises: InvalidArgument, during play,
    for rows that are no such losses, for a source that ends before ``rounds``, and for one that
    cannot be read again.

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
            raise InvalidArgument(f"a row of the source does not have {self.experts} numbers")
        return unwritten(on_grid(table, self.grid))
