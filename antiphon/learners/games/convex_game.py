"""Games in a convex body, and meters of regret for them: linear losses, or the rows of a table
of data."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self

import attrs
import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from antiphon.learners.convex import convex_losses
from antiphon.learners.convex.convex_learner import ConvexLearner, check_dimensions
from antiphon.learners.games import online_game
from antiphon.learners.games.loss_table import plain_table
from antiphon.learners.learner import Losses, OnlineLearner
from antiphon.learners.regret import optimum
from antiphon.mechanisms import fields
from antiphon.numbers import InvalidArgument, exact
from antiphon.numbers.user_files import read_table
from antiphon.protocol import Arrays, Coins, ContinualMechanism, Space, freeze, register
from antiphon.protocol.coins.sampled import seeded_words


class ConvexMeter(online_game.Meter):
    """A meter of the regret Σ ℓ(x_t; z_t) - min_x Σ ℓ(x; z_t), whose minimum is found numerically.

    The true regret may be larger by the minimum's certified gap, which is reported beside it.
    """

    def __init__(self, times: tuple[int, ...], game: "ConvexGame") -> None:
        super().__init__(times)
        self._loss, self._body = game.convex_loss, game.body
        self._waiting = list[convex_losses.Datum]()
        self._table: convex_losses.Datum = np.empty((0, *game.told.shape), np.int64)
        self._counts: convex_losses.Datum = np.empty(0, np.int64)
        self._point: convex_losses.Point | None = None
        self._gaps = list[float]()

    def _lost(
        self, losses: convex_losses.Datum, shown: NDArray[np.float64]
    ) -> convex_losses.Values:
        return self._loss.values(shown, losses)

    def _note(self, losses: convex_losses.Datum) -> None:
        self._waiting.append(losses)

    def _least(self) -> float:
        fresh = sum(map(len, self._waiting))
        self._table, self._counts = self._loss.merged(
            np.concatenate([self._table, *self._waiting]),
            np.concatenate([self._counts, np.ones(fresh, np.int64)]),
        )
        self._waiting.clear()
        given = self._table, self._counts
        found = optimum(self._loss, self._body, *given, start=self._point)
        self._point = found.point
        self._gaps.append(found.gap)
        return found.value

    def scored(self) -> online_game.Scored:
        return online_game.Scored(self._beyond(self._own), None, np.array(self._gaps))


@attrs.frozen(kw_only=True)
class ConvexGame(online_game.OnlineGame):
    """A game in which each loss is a datum z_t of a convex loss ℓ(·; z) on a body. Abstract.

    Raises: InvalidArgument for a body and a loss of different dimensions.
    """

    body: convex_losses.Body
    convex_loss: convex_losses.ConvexLoss

    def __attrs_post_init__(self) -> None:
        check_dimensions(self.body, self.convex_loss)

    @property
    def told(self) -> Arrays:
        return self.convex_loss.data

    @property
    def tells(self) -> str:
        return f"data of {self.convex_loss}"

    @property
    def advice(self) -> Space:
        return self.body.points

    def unadvised(self, coins: Coins) -> convex_losses.Point:
        origin: convex_losses.Point = freeze(np.zeros(self.body.dimension))
        return origin

    def fits(self, learner: ContinualMechanism[Any]) -> bool:
        """Whether a learner, or each part of a chain, is made for the game's loss and body."""
        if isinstance(learner, OnlineLearner) and not isinstance(learner, ConvexLearner):
            return False
        own = {"loss": self.convex_loss, "body": self.body}
        parts: tuple[object, ...] = getattr(learner, "parts", (learner,))
        return all(
            getattr(part, name, value) == value for part in parts for name, value in own.items()
        )

    def meter(
        self, times: tuple[int, ...], learner: OnlineLearner | None, shifts: int | None = None
    ) -> online_game.Meter:
        if shifts is not None:
            raise InvalidArgument("dynamic regret is known of games of experts only")
        return ConvexMeter(times, self)


def _linear(_: object, field: "attrs.Attribute[Any]", value: object) -> None:
    if type(value) is not convex_losses.LinearLoss:
        raise InvalidArgument(f"the {field.name} of a linear game is a LinearLoss")


def _norm_of_mean(value: object) -> Fraction:
    found = exact.fraction(value, "gap")
    if not 0 < found <= 1:
        raise InvalidArgument("gap must lie in (0, 1]: it is the norm of the mean")
    return found


@attrs.frozen(kw_only=True)
class LinearGame(ConvexGame):
    """A game of linear losses. Abstract."""

    convex_loss: convex_losses.LinearLoss = attrs.field(
        default=attrs.Factory(
            lambda game: convex_losses.LinearLoss(dimension=game.body.dimension), True
        ),
        validator=_linear,
    )


@attrs.frozen(kw_only=True)
class SignGame(online_game.TossedGame, LinearGame):
    """A game of linear losses z_t in {-1, 1}^d/√d, whose signs are random. Abstract."""

    def paid(self, fallen: NDArray[np.bool_]) -> Losses:
        step = math.isqrt(self.convex_loss.grid**2 // self.convex_loss.dimension)
        return np.where(fallen, np.int64(-step), np.int64(step))


@register("antiphon.games.RandomSigns/1")
@attrs.frozen(kw_only=True)
class RandomSigns(SignGame):
    """A game of fair random signs: no point is better on average; in the unit ball, the best point
    gains about √T by luck.

    So every learner has regret of about √T, and staying at the origin has no more.
    Source: the lower bound of Abernethy, Bartlett, Rakhlin and Tewari 2008, Thm 2, by signs.
    """

    def chances(self, key: int, times: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.array(0.5)


@register("antiphon.games.LinearGap/1")
@attrs.frozen(kw_only=True)
class LinearGap(SignGame):
    """A game of random data z_t in {-1, 1}^d/√d with mean gap·u, where u is a random direction in
    {-1, 1}^d/√d: each sign is that of u with probability (1 + gap)/2.

    In the unit ball staying at the origin has regret ‖Σ z_t‖, about gap·T.
    """

    gap: Fraction = attrs.field(default=Fraction(1, 10), converter=_norm_of_mean)

    def direction(self, key: int) -> NDArray[np.int64]:
        """The direction u of the mean of the data, as the array √d·u of signs."""
        words = seeded_words((key, 0, 1))(self.body.dimension)
        return 1 - 2 * (words >> np.uint64(63)).astype(np.int64)

    def chances(self, key: int, times: NDArray[np.int64]) -> NDArray[np.float64]:
        return (1 - float(self.gap) * self.direction(key)) / 2


@register("antiphon.games.AlongShown/1")
@attrs.frozen(kw_only=True)
class AlongShown(LinearGame):
    """An adaptive game: the datum z_t = x_t/‖x_t‖ has the direction of the learner's point x_t, or
    of the first axis if that is the origin.

    A learner loses ‖x_t‖ in each round, so it is punished for leaving the origin. The regret bounds
    of convex learners hold here, too, because they are proved for adaptive losses.
    """

    adaptive: ClassVar[bool] = True

    def loss(self, key: int, time: int, shown: Any) -> Losses:
        norm = math.sqrt(shown @ shown)
        axis = np.arange(len(shown)) == 0
        # Rounding is towards zero, so that the norm of the datum stays at most 1.
        return online_game.unwritten(
            np.trunc((shown / norm if norm else axis) * self.convex_loss.grid)
        )


@register("antiphon.games.DataTable/1")
@attrs.frozen(kw_only=True)
class DataTable(online_game.ObliviousGame, ConvexGame):
    """A game on a table of data: its rows in a random order, and in a new random order each time
    that all have been used.

    Raises: InvalidArgument for rows that are no data of the loss.

    >>> from antiphon.learners.convex import AbsoluteLoss, Ball
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
        loss: type[convex_losses.RegressionLoss],
        body: convex_losses.Body,
        bound: float,
        rounds: int | None = None,
        grid: int = 1 << 10,
    ) -> Self:
        """The game on arrays: features are divided by the ``bound`` on their norms, and put on the
        grid with the labels, which lie in [-1, 1].

        The rounding is towards zero, so that no norm grows. ``rounds``: by default each row once.
        The bound must be public: one computed from the data leaks them. Raises: InvalidArgument for
        anything but a table of numbers, a norm past the bound, or a label past 1.
        """
        rows, aims = np.asarray(features, np.float64), np.asarray(labels, np.float64)
        if rows.ndim != 2 or not rows.size or aims.shape != rows.shape[:1]:
            raise InvalidArgument(
                "features are a table, a round in each row, and labels one number for each row"
            )
        scaled = rows / fields.check_double(bound, "bound")
        # This comparison is False for a NaN, which so counts as too large.
        inside = np.all(abs(scaled) <= 1)
        steps = np.trunc(np.where(inside, scaled, 0) * grid).astype(np.int64)
        if not inside or np.any((steps**2).sum(axis=1) > grid**2):
            raise InvalidArgument(
                f"a row of features has a norm above the bound {bound}, or is not finite: give a "
                "larger public bound, or shorten the rows first"
            )
        if not np.all(abs(aims) <= 1):
            raise InvalidArgument("labels lie in [-1, 1]: scale them by a public bound")
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
        loss: type[convex_losses.RegressionLoss],
        bound: float,
        body: Callable[..., Any] = convex_losses.Ball,
        label: int = -1,
        rounds: int | None = None,
        grid: int = 1 << 10,
    ) -> Self:
        """The game on a file (.npy, or numbers separated by commas) with columns for features and a
        label.

        Args: ``label``, the number of the label's column, counted from 0; ``body``, made with
        ``dimension=`` the number of features; the others as of ``of``. Raises: InvalidArgument as
        ``of``; for a file that is no table, a missing column, and for the logistic loss labels
        other than -1 and 1.
        """
        table = read_table(path)
        columns = table.shape[1]
        if columns < 2 or type(label) is not int or not -columns <= label < columns:
            raise InvalidArgument(
                f"{path} has {columns} columns: features, and a label in one of them, which "
                "label= says, from 0"
            )
        labels, features = table[:, label], np.delete(table, label, axis=1)
        if issubclass(loss, convex_losses.LogisticLoss) and not np.all(abs(labels) == 1):
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
    return online_game.unwritten(game.table[np.concatenate(order)[times - passes[0] * size]])
