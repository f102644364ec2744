"""Games of given data: rows of features and their labels, in an order by the key."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.mechanisms import fields
from antiphon.mechanisms.learners.convex.bodies import Ball, Body
from antiphon.mechanisms.learners.convex.convex_losses import LogisticLoss, RegressionLoss
from antiphon.mechanisms.learners.games.convex_game import ConvexGame
from antiphon.mechanisms.learners.games.loss_table import plain_table
from antiphon.mechanisms.learners.games.online_game import ObliviousGame, unwritten
from antiphon.mechanisms.learners.learner import Losses
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.user_files import read_table
from antiphon.protocol.coins.sampled import seeded_words
from antiphon.protocol.registry import register


@register("antiphon.games.DataTable/1")
@attrs.frozen(kw_only=True)
class DataTable(ObliviousGame, ConvexGame):
    """The rows of a table, each a datum, shuffled by the key; and again, when all have been told.

    Raises: InvalidArgument for rows that are no data of the loss.

    >>> from antiphon.mechanisms.learners.convex import AbsoluteLoss, Ball
    >>> given = {"loss": AbsoluteLoss, "body": Ball(dimension=2), "bound": 5}
    >>> game = DataTable.of([[3, 4], [0, 1]], [1, -1], grid=10, **given)
    >>> game.rounds, game.table.tolist()
    (2, [[6, 8, 10], [0, 2, -10]])
    """

    tossed: ClassVar[bool] = True

    table: Losses = attrs.field(
        converter=plain_table, eq=attrs.cmp_using(eq=np.array_equal), hash=False, repr=False
    )

    def __attrs_post_init__(self) -> None:
        ConvexGame.__attrs_post_init__(self)
        told = self.told
        if not attrs.evolve(told, shape=(len(self.table), *told.shape)).contains(self.table):
            raise InvalidArgument(f"the rows of the table are {told}; DataTable.of makes them")

    @classmethod
    def of(
        cls,
        features: npt.ArrayLike,
        labels: npt.ArrayLike,
        *,
        loss: type[RegressionLoss],
        body: Body,
        bound: float,
        rounds: int | None = None,
        grid: int = 1 << 10,
    ) -> Self:
        """Features divided by the ``bound`` of their norms, and labels in [-1, 1], on the grid.

        Rounded towards zero, so that no norm grows. ``rounds``: by default each row once. The
        bound must be no secret: one that is read off the data tells of them.
        Raises: InvalidArgument for what is no table of numbers, a norm past the bound, or a label
        past 1.
        """
        rows, aims = np.asarray(features, np.float64), np.asarray(labels, np.float64)
        if rows.ndim != 2 or not rows.size or aims.shape != rows.shape[:1]:
            raise InvalidArgument(
                "features are a table, a round in each row, and labels one number for each row"
            )
        scaled = rows / fields.check_double(bound, "bound")
        inside = np.all(abs(scaled) <= 1)  # and no NaN
        steps = np.trunc(np.where(inside, scaled, 0) * grid).astype(np.int64)
        if not inside or np.any((steps**2).sum(axis=1) > grid**2):
            raise InvalidArgument(
                f"a row of features has a norm above the bound {bound}, or is not finite: give a "
                "larger bound that is no secret, or shorten the rows first"
            )
        if not np.all(abs(aims) <= 1):
            raise InvalidArgument("labels lie in [-1, 1]: scale them by a bound that is no secret")
        convex_loss = loss(dimension=rows.shape[1], grid=grid)
        table = np.column_stack([steps, np.trunc(aims * grid).astype(np.int64)])
        return cls(
            rounds=len(rows) if rounds is None else rounds,
            body=body, convex_loss=convex_loss, table=table,
        )  # fmt: skip

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        loss: type[RegressionLoss],
        bound: float,
        body: Callable[..., Any] = Ball,
        label: int = -1,
        rounds: int | None = None,
        grid: int = 1 << 10,
    ) -> Self:
        """The table of a file, .npy or numbers separated by commas: features, and a label.

        Args: ``label``, the number of its column, from 0; ``body``, made with ``dimension=`` the
        number of features; the others as of ``of``.
        Raises: InvalidArgument as ``of``; for a file that is no table, a column that is not there,
        and for the logistic loss labels other than -1 and 1.
        """
        table = read_table(path)
        columns = table.shape[1]
        if columns < 2 or type(label) is not int or not -columns <= label < columns:
            raise InvalidArgument(
                f"{path} has {columns} columns: features, and a label in one of them, which "
                "label= says, from 0"
            )
        labels, features = table[:, label], np.delete(table, label, axis=1)
        if issubclass(loss, LogisticLoss) and not np.all(abs(labels) == 1):
            raise InvalidArgument(
                "labels of the logistic loss are -1 and 1: write -1 where the file has 0, or take "
                "the squared or the absolute loss"
            )
        return cls.of(
            features, labels, loss=loss, body=body(dimension=columns - 1), bound=bound,
            rounds=rounds, grid=grid,
        )  # fmt: skip

    def losses(self, key: int, number: int) -> Losses:
        return _shuffled(self, key, number)


@lru_cache(maxsize=8)
def _shuffled(game: DataTable, key: int, number: int) -> Losses:
    times, size = game.times(number), len(game.table)
    passes = range(int(times[0]) // size, int(times[-1]) // size + 1)
    order = [np.argsort(seeded_words((key, each))(size), kind="stable") for each in passes]
    return unwritten(game.table[np.concatenate(order)[times - passes[0] * size]])
