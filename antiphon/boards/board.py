"""A board: counts or sums by key, window by window, of rows that people send."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import timedelta
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Final, Literal, TypeAlias

import attrs

from antiphon.boards.bounded_sums import BoundedSums
from antiphon.boards.cells import BoardColumns
from antiphon.boards.clock import Clock, clock_fields, public_time, span
from antiphon.boards.live import LiveBoard, begin_live
from antiphon.boards.units import SingleRow, SingleUser, SingleUserWindow, Unit
from antiphon.composition import ComplexMechanism, Guarantee, guarantee
from antiphon.composition.guarantees.statement import Statement, stated
from antiphon.mechanisms import BalancedTreeCounter, TreeCounter
from antiphon.mechanisms.counters.counter import Counter
from antiphon.mechanisms.fields import STREAM, check_positive, check_size
from antiphon.numbers import InvalidArgument, exact, shown_up
from antiphon.protocol.display import Card, Grid, Shown
from antiphon.sessions.durable.resuming import Witness

UnitName: TypeAlias = Literal["user-window", "user", "row"]
Neighbours: TypeAlias = Literal["added or removed", "replaced", "changed"]
Every: TypeAlias = "str | timedelta"

_LARGE: Final = 2**61
_MOST_STEPS: Final = 2**40
ALL: Final = "all"
"""The single key of a board that does not count by key."""
_UNITS: Final[dict[tuple[str, str], Unit]] = {
    ("user-window", "added or removed"): SingleUserWindow(),
    ("user-window", "replaced"): SingleUserWindow(replaced=True),
    ("user", "added or removed"): SingleUser(),
    ("user", "replaced"): SingleUser(replaced=True),
    ("row", "added or removed"): SingleRow(),
    ("row", "replaced"): SingleRow(replaced=True),
    ("row", "changed"): SingleRow(replaced=True, same_user=True),
}  # fmt: skip


@attrs.frozen(kw_only=True, repr=False)
class Board(Shown):
    """A board: the columns that are read, the unit of privacy, and ε. Made by ``counts`` or
    ``sums``.

    ``open(folder)`` runs it so that it survives its process, ``start()`` in memory.
    """

    columns: BoardColumns
    lateness: timedelta
    epsilon: Fraction
    per_user: int | None
    in_total: bool
    unit: Unit

    @property
    def clock(self) -> Clock:
        """The clock that divides time into the board's windows."""
        return self.columns.clock

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that rows are counted by; they are public and all fixed from the start."""
        return self.columns.keys

    @cached_property
    def sums(self) -> BoundedSums:
        """The post-processor P, which bounds, clips and sums each window's rows for the
        counters."""
        return self._sums(counter_for(self.clock.windows, self.epsilon / self._units))

    def _sums(self, counter: Counter) -> BoundedSums:
        columns = self.columns
        return BoundedSums(
            keys=self.keys, windows=self.clock.windows, counter=counter, per_user=self.per_user,
            in_total=self.in_total, low=columns.low, high=columns.high, unit=self.unit,
        )  # fmt: skip

    @cached_property
    def _units(self) -> int:
        """The number B of units by which neighbours' sums differ at most; it does not depend on
        the counter."""
        return self._sums(counter_for(1, Fraction(1))).units

    @cached_property
    def counter(self) -> Counter:
        """The continual counter that is created once for each key."""
        return counter_for(self.clock.windows, self.epsilon / self._units)

    @property
    def mechanism(self) -> ComplexMechanism:
        """The mechanism that a board runs: P ∘* ExtConComp."""
        return ComplexMechanism(self.sums)

    def guarantee(self) -> Guarantee:
        """The board's privacy guarantee, derived by CM Thm 6.1, Theorem T1 and the counters'
        claims."""
        return guarantee(self.mechanism)

    def error(self, window: int, *, beta: float = 0.05) -> Fraction:
        """A bound on the error of a count after this window; it holds with probability at least
        1 - beta."""
        return exact.fraction(self.counter.error_bound(window + 1, beta=beta)) * self.columns.step

    def statement(self) -> Statement:
        """A privacy statement for the people concerned, from the derivation and the parameters
        of the board."""
        return stated(self.guarantee().derivation, public=self._public, uncovered=self._uncovered)

    @property
    def _public(self) -> tuple[str, ...]:
        clock, columns = self.clock, self.columns
        shown = ", ".join(self.keys[:6]) + (", …" if len(self.keys) > 6 else "")
        bounds = "" if columns.amount is None else (
            f"; an amount below {columns.low * columns.step} counts as that, one above "
            f"{columns.high * columns.step} as that"
        )  # fmt: skip
        first = "" if self.per_user is None else (
            f"The first {self.per_user} rows of a user "
            f"{'in all' if self.in_total else 'in a window'} count, later ones do not{bounds}."
        )  # fmt: skip
        return (
            f"The keys ({len(self.keys)}: {shown}) are public, whether anybody sends them or not.",
            f"There are {clock.windows} windows from {clock.name(0)} ({clock.zone}) to "
            f"{clock.name(clock.windows)}; one is told when the clock says so, also if it is "
            "empty. So the times are public, and the number of rows is not.",
            *([first] if first else [f"All rows of a user count{bounds}."]),
        )

    @property
    def _uncovered(self) -> tuple[str, ...]:
        texts = ["The files of the board hold the rows themselves: whoever reads them reads all."]
        if isinstance(self.unit, SingleUserWindow):
            texts.append(
                f"ε = {shown_up(self.epsilon)} is of one window of a user's. Of d windows of one "
                f"user it is d times as much; for a whole life nothing is promised."
            )
        if isinstance(self.unit, SingleRow):
            texts.append("Of r rows of one user it is r times as much.")
        texts.append("A user is who the column says: a person with two names there is two users.")
        return tuple(texts)

    # --- running -------------------------------------------------------------------------------

    def open(
        self, folder: str | Path, *, moved: bool = False, witness: Witness | None = None
    ) -> LiveBoard:
        """Run the board in a folder: start it if the folder is new, else resume it where it
        stopped.

        ``moved``: your word that the folder has been moved here, and that no copy of it goes on.
        ``witness``: as of ``ap.resume``.
        Raises: InvalidArgument if another board lives there; ResumeError, FileError as
        ``ap.resume``.
        """
        return begin_live(self, Path(folder), moved=moved, witness=witness)

    def start(self, *, seed: int | None = None) -> LiveBoard:
        """Run the board in memory, for trying it out; a ``seed`` is for examples only."""
        return begin_live(self, None, seed=seed)

    @property
    def definition(self) -> str:
        """The board's full definition as JSON; a folder opened with another definition is
        refused."""
        columns = self.columns
        said = {
            "columns": columns.names, "by": columns.by, "user": columns.user,
            "amount": columns.amount, "row": columns.row, "keys": columns.keys,
            "others": columns.others, "low": columns.low, "high": columns.high,
            "step": str(columns.step), "clock": clock_fields(self.clock),
            "lateness": self.lateness.total_seconds(), "epsilon": str(self.epsilon),
            "per_user": self.per_user, "in_total": self.in_total, "unit": repr(self.unit),
        }  # fmt: skip
        return json.dumps(said)

    def _card(self) -> Card:
        what = "counts" if self.columns.amount is None else f"sums of {self.columns.amount!r}"
        by = "" if self.columns.by is None else f" by {self.columns.by!r}"
        title = f"a board of {what}{by}, ε = {shown_up(self.epsilon)}"
        last = self.clock.windows - 1
        rows = [
            ("protects", self.unit.protects),
            ("keys", f"{len(self.keys):,}"),
            ("windows", f"{self.clock.windows:,} from {self.clock.name(0)}"),
            ("counter", type(self.counter).__name__),
            ("error of a total in the end, 95 %", shown_up(self.error(last))),
        ]
        return Card(title, (Grid(rows),))


def counter_for(horizon: int, epsilon: Fraction) -> Counter:
    """The pure-DP counter with the least worst-case error at this horizon, at ε for each unit of
    change."""
    known = [
        kind(
            horizon=horizon, epsilon=epsilon, sensitivity=Fraction(1), clip=True,
            smallest=-_LARGE, largest=_LARGE,
        )
        for kind in (BalancedTreeCounter, TreeCounter)
    ]  # fmt: skip
    return min(known, key=lambda each: each.max_squared_error)


def counts(
    *,
    start: object,
    horizon: int,
    epsilon: float | Fraction,
    per_user: int | None,
    by: str | None = None,
    keys: Iterable[object] | None = None,
    others: str | None = None,
    every: Every = "day",
    user: str | None = "user",
    time: str = "time",
    row: str | None = None,
    unit: UnitName = "user-window",
    neighbours: Neighbours = "added or removed",
    per: Literal["window", "total"] = "window",
    zone: str = "UTC",
    lateness: Every = timedelta(0),
) -> Board:
    """A board of private counts: the number of rows of each key in each window.

    ``by``: the column of keys (None: all rows together); ``keys``, all of them, which are public;
    ``others``: a key for rows of any other, which are refused without. ``start``, ``every``,
    ``horizon`` and ``zone``: the windows, on a public clock; ``lateness``: how long a window waits
    for rows once it is over. ``per_user``: the first rows of a user that count, in each window or
    (``per="total"``) in all. ``unit`` and ``neighbours``: who is protected, at ``epsilon``:
    "user-window", all that one user sends in a window; "user", all that one user ever sends; "row",
    one row; *added or removed*, *replaced* by any other or, of rows, *changed* to another of the
    same user. ``user``, ``time`` and ``row``: the columns of who, when, and of a row's own key
    (None: file and line). With ``user=None`` and ``per_user=None`` rows have no user.

    >>> board = counts(by="country", keys=["FR", "DE"], start="2026-01-01", horizon=365,
    ...                epsilon=1, per_user=3)
    >>> board.guarantee().epsilon_at(0)
    1.0
    """
    return _board(None, 0, 1, 1, locals())


def sums(
    amount: str,
    *,
    low: float | Fraction,
    high: float | Fraction,
    start: object,
    horizon: int,
    epsilon: float | Fraction,
    per_user: int | None,
    step: float | Fraction = 1,
    by: str | None = None,
    keys: Iterable[object] | None = None,
    others: str | None = None,
    every: Every = "day",
    user: str | None = "user",
    time: str = "time",
    row: str | None = None,
    unit: UnitName = "user-window",
    neighbours: Neighbours = "added or removed",
    per: Literal["window", "total"] = "window",
    zone: str = "UTC",
    lateness: Every = timedelta(0),
) -> Board:
    """A board of private sums of the column ``amount``, by key and window; all else as ``counts``.

    An amount counts as the nearest multiple of ``step`` (the even one of two), once it has been
    moved into [``low``, ``high``]. So noise is in proportion to the larger of |low| and |high|.

    >>> board = sums("amount", low=0, high=500, start="2026-01-01", horizon=365, epsilon=1,
    ...              per_user=3)
    >>> board.guarantee().epsilon_at(0), board.sums.units
    (1.0, 1500)
    """
    unit_of = check_positive(step, "step")
    ends = [exact.fraction(end, "low and high") / unit_of for end in (low, high)]
    if any(end.denominator != 1 or abs(end) > _MOST_STEPS for end in ends):
        raise InvalidArgument("low and high are multiples of step, at most 2^40 of them")
    return _board(amount, int(ends[0]), int(ends[1]), unit_of, locals())


def _board(
    amount: str | None, low: int, high: int, step: int | Fraction, given: dict[str, object]
) -> Board:
    """A board from the arguments of ``counts`` or ``sums``. Raises: InvalidArgument."""
    by, user, others = given["by"], given["user"], given["others"]
    for name in ("time", "user", "by", "row", "others"):
        value = given[name]
        if value is not None and (type(value) is not str or not value):
            raise InvalidArgument(f"{name} is a text")
    if by == user == given["time"]:
        raise InvalidArgument("time, user and by are different columns")
    if user is None and given["per_user"] is not None:
        raise InvalidArgument("per_user bounds the rows of a user: say which column user is")
    unit = _UNITS.get((str(given["unit"]), str(given["neighbours"])))
    if unit is None:
        known = "; ".join(f"unit={unit!r}, neighbours={how!r}" for unit, how in _UNITS)
        raise InvalidArgument(f"there is no such unit of privacy; there are {known}")
    if given["per"] not in ("window", "total"):
        raise InvalidArgument("per is 'window' or 'total'")
    per_user = given["per_user"]
    clock = Clock(
        start=public_time(given["start"], "start"), every=span(given["every"], "every"),
        windows=check_size(given["horizon"], "horizon", STREAM), zone=str(given["zone"]),
    )  # fmt: skip
    columns = BoardColumns(
        time=str(given["time"]), user=user, by=by, amount=amount, row=given["row"],  # type: ignore[arg-type]
        clock=clock, keys=_keys(given["keys"], by, others), others=others,  # type: ignore[arg-type]
        low=low, high=high, step=Fraction(step),
    )  # fmt: skip
    board = Board(
        columns=columns, lateness=span(given["lateness"], "lateness"),
        epsilon=check_positive(given["epsilon"], "epsilon"),
        per_user=None if per_user is None else check_size(per_user, "per_user", STREAM),
        in_total=given["per"] == "total", unit=unit,
    )  # fmt: skip
    board.sums  # what does not fit together is refused now  # noqa: B018
    return board


def _keys(keys: object, by: object, others: object) -> tuple[str, ...]:
    if by is None:
        if keys is not None or others is not None:
            raise InvalidArgument("keys are those of a column: say which, by='…'")
        return (ALL,)
    if keys is None or isinstance(keys, str) or not isinstance(keys, Iterable):
        raise InvalidArgument(
            "list the keys: which ones come is data, and a key that shows up tells that somebody "
            "sent it. Rows of keys that are not listed count under others='…'"
        )
    listed = [str(key) for key in keys]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    named = [*listed, *([str(others)] if others is not None and others not in listed else [])]
    if not named or len(set(named)) < len(named) or not all(0 < len(key) <= 64 for key in named):
        raise InvalidArgument("keys are different texts of 1 to 64 characters, at least one")
    return tuple(named)
