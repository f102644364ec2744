"""A board: private counts or sums by key, per window of time, of rows that people send."""

from __future__ import annotations

import json
from datetime import timedelta
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import attrs

from antiphon.boards.bounded_sums import BoundedSums
from antiphon.boards.cells import Bad, BoardColumns
from antiphon.boards.clock import Clock
from antiphon.boards.discovering import Discovered, DiscoveringSums
from antiphon.boards.error_bounds import Best, ErrorBounds
from antiphon.boards.grouped_sums import GroupedSums, bounded_before
from antiphon.boards.inbox import Inbox, Late
from antiphon.boards.intake import EngineIntake, Intake, RowIntake
from antiphon.boards.live import LiveBoard, begin_live
from antiphon.boards.opener import KeyOpener
from antiphon.boards.units import SingleRow, SingleUser, SingleUserWindow, Unit
from antiphon.boards.vector_sums import VectorSums, gaussian_counter
from antiphon.composition import ComplexMechanism, Guarantee, guarantee
from antiphon.composition.guarantees.statement import Statement, stated
from antiphon.mechanisms import BalancedTreeCounter, TreeCounter
from antiphon.mechanisms.counters.counter import Counter
from antiphon.numbers import shown_up
from antiphon.numbers.errors import Elsewhere
from antiphon.numbers.rounded_text import band
from antiphon.protocol import Approximate
from antiphon.protocol.display import Card, Grid, Shown
from antiphon.protocol.records.labels import counted
from antiphon.sessions.durable.resuming import Witness

_LARGE: Final = 2**61
_LISTED: Final = 100
"""The largest number of keys that a statement lists."""
_BELOW: Final = 1 - Fraction(1, 2**40)
_RUN: Final = "write with board.open(folder) as live: live.feed(…); live.ask(…); live.page(…)"
ALL: Final = "all"
"""The key of all rows on a board that does not count by key."""


@attrs.frozen(kw_only=True, repr=False)
class Board(Shown):
    """The definition of a board of private counts: the columns that are read, the unit of privacy,
    and ε. Made by ``counts`` or ``sums``.

    ``open(folder)`` runs it so that it survives its process, ``start()`` in memory.
    """

    ask, feed, page = Elsewhere(_RUN), Elsewhere(_RUN), Elsewhere(_RUN)

    columns: BoardColumns
    lateness: timedelta
    late: Late
    """The treatment of rows that come after ``lateness``: refused, left out, or counted later."""
    bad: Bad
    """The treatment of lines that cannot be read, unless a call of ``feed`` states another."""
    epsilon: Fraction
    per_user: int | None
    in_total: bool
    unit: Unit
    engine: str
    """The code that bounds and sums rows: "rows", the post-processor in Python, or "duckdb"."""
    found: Discovered | None
    """The parameters of the private rule that finds keys in the data; None: the keys are public."""
    delta: Fraction | None
    """The δ that a Gaussian counter may use; None: every counter is pure."""
    best: Best
    """The answers whose error decides which counter is taken: "total", totals since the start;
    "window", single windows; a number n, sums of n windows."""

    @property
    def clock(self) -> Clock:
        """The clock that divides time into the board's windows."""
        return self.columns.clock

    @property
    def keys(self) -> tuple[str, ...]:
        """The public keys, counted from the first window on; () if a private rule finds keys."""
        return self.columns.keys

    @cached_property
    def sums(self) -> BoundedSums:
        """The post-processor P: it bounds and clips rows, and sends each counter its sum."""
        return self._sums(self.counter)

    def _sums(self, counter: Counter) -> BoundedSums:
        columns = self.columns
        return BoundedSums(
            keys=self.keys or (ALL,), windows=self.clock.windows, counter=counter,
            per_user=self.per_user, in_total=self.in_total, low=columns.low, high=columns.high,
            unit=self.unit,
        )  # fmt: skip

    @cached_property
    def _units(self) -> int:
        """An upper bound B, in units, on the total difference between the sums of two neighbouring
        streams, whichever counter is used."""
        return self._sums(counter_for(1, Fraction(1), "total")).units

    @cached_property
    def counter(self) -> Counter:
        """The pure counter that is created once for each key, unless ``gaussian`` replaces it."""
        share = 1 if self.found is None else 1 - self.found.share
        return counter_for(self.clock.windows, share * self.epsilon / self._units, self.best)

    @cached_property
    def gaussian(self) -> Counter | None:
        """One Gaussian counter of all keys, if ``delta`` is given and pure ones err more."""
        if self.delta is None or self.found or self.engine != "rows" or self.best == "window":
            return None
        reach = None if self.best == "total" else self.best
        found = gaussian_counter(self.sums, self.epsilon, self.delta, reach)
        better = found and _error(found, self.best) < _error(self.counter, self.best)
        return found if better else None

    @cached_property
    def finding(self) -> DiscoveringSums | None:
        """The post-processor P of a board that finds its keys in the data; None if the keys are
        public.

        A share of ε, stated with the keys, and all of δ are divided among the cells (key, window)
        that may differ.
        """
        if self.found is None:
            return None
        cells = self._units // max(abs(self.columns.low), abs(self.columns.high))
        opener = KeyOpener(
            epsilon=self.found.share * self.epsilon / cells, delta=self.found.delta / cells
        )
        return DiscoveringSums(bounds=self.sums, opener=opener)

    @property
    def surely(self) -> int:
        """The number of users in one window that surely opens a key; 0: the keys are public."""
        return len(self.finding.opener.probabilities) - 1 if self.finding else 0

    @property
    def mechanism(self) -> ComplexMechanism:
        """The mechanism that a board runs: P ∘* ExtConComp, with P the post-processor that bounds
        contributions."""
        if self.engine != "rows":
            return ComplexMechanism(GroupedSums(bounds=self.sums))
        if self.gaussian is not None:
            assert self.delta is not None
            # The claimed δ is a little below the board's δ, since a δ that is computed from a curve
            # is rounded up.
            promise = Approximate(self.epsilon, self.delta * _BELOW)
            return ComplexMechanism(
                VectorSums(bounds=self.sums, counter=self.gaussian, promise=promise)
            )
        return ComplexMechanism(self.finding or self.sums)

    def guarantee(self) -> Guarantee:
        """The privacy guarantee, by CM Thm 6.1, docs/boards.md, and the counters' claims."""
        known = guarantee(self.mechanism)
        if self.engine == "rows":
            return known
        return Guarantee(known.system, bounded_before(known.derivation, "DuckDB", self.sums))

    @cached_property
    def _bounds(self) -> ErrorBounds:
        counter, rounded = self.gaussian or self.counter, self.gaussian is not None
        return ErrorBounds(counter, rounded, self.clock.windows, self.columns.step, self.best)

    def error(self, window: int, *, beta: float = 0.05) -> Fraction:
        """A bound on the error of a count after this window, with probability at least 1 - beta."""
        self._bounds.check_window(window)
        return self._bounds.of_difference(window, 0, beta)

    def error_of(self, window: int, reach: int | None = None, *, beta: float = 0.05) -> Fraction:
        """A bound on the error of a key's sum over ``reach`` windows, of which ``window`` is the
        last, with probability at least 1 - beta. Windows are numbered from 0: ``error_of(9, 7)`` is
        of windows 3 to 9, ``error_of(9, 10)`` of the total after window 9.

        Raises: InvalidArgument for a window that is none, without a reach, and for one before the
        first window.
        """
        return self._bounds.error_of(window, reach, beta)

    @cached_property
    def forecast(self) -> dict[str, Fraction]:
        """95 % bounds on the error, known before any row comes, whichever window is the last: of
        one window, of 7, of as many as ``best`` names, and of the total since the start.

        Each is the largest ``error_of`` of all windows; empty if they are too many for that.
        """
        return self._bounds.forecast()

    def statement(self) -> Statement:
        """A privacy statement for the people concerned, from the derivation and the parameters."""
        return stated(
            self.guarantee().derivation, public=self._public, uncovered=self._uncovered,
            told=(self._what_is_told, self.counted, self._uncounted, *self._errors_told),
            delta=self._delta,
        )  # fmt: skip

    @property
    def _delta(self) -> Fraction | None:
        """The δ that the board uses; None if its counters are pure and its keys public."""
        own = self.delta if self.gaussian else None
        return own if self.found is None else self.found.delta

    @property
    def _what_is_told(self) -> str:
        """The sentence that says what is counted or added up, by which keys, in which windows."""
        columns, clock = self.columns, self.clock
        amount = columns.amount
        what = "The number of rows" if amount is None else f"The sum of the column {amount!r}"
        by = "" if columns.by is None else f" for each key of the column {columns.by!r}"
        return (
            f"{what}{by}, with noise: in each of {counted(clock.windows, 'window')} of "
            f"{clock.length} from {clock.name(0)} to {clock.name(clock.windows)} ({clock.zone}), "
            "and in several windows together, such as all since the start."
        )

    @property
    def _errors_told(self) -> tuple[str, ...]:
        """The sentence on the error of the numbers; none where it is not foretold."""
        bounds = ", ".join(f"of {name} ± {band(each)}" for name, each in self.forecast.items())
        told = (
            "Each number by itself lies, with a probability of at least 95 %, no further from the "
            f"exact one, of the rows that count, as they count, than: {bounds}."
        )
        return (told,) if bounds else ()

    @property
    def _public(self) -> tuple[str, ...]:
        clock, more = self.clock, len(self.keys) - _LISTED
        shown = ", ".join(self.keys[:_LISTED]) + (f" and {more:,} more" if more > 0 else "")
        keys = (
            f"The keys ({len(self.keys)}: {shown}) are public, whether anybody sends them or not."
            if self.columns.by is not None
            else "All rows go into one number, without keys."
        )
        if self.finding is not None:
            keys = (
                "The keys that are counted are public, and when each began to be; a key begins by "
                f"a private rule, surely where {self.surely} users have rows of it that count in "
                "one window, and never where none has. Rows of a key before that, or of others, "
                "are in no count."
            )
        return (
            keys,
            f"The board has {counted(clock.windows, 'window')} from {clock.name(0)} "
            f"({clock.zone}) to {clock.name(clock.windows)}; each is published on time, "
            "also if it is empty. So the times are public, and the number of rows is not.",
        )

    @property
    def counted(self) -> str:
        """The sentence that says which rows count, and within which bounds an amount counts."""
        columns = self.columns
        low, high = columns.low * columns.step, columns.high * columns.step
        bounds = "" if columns.amount is None else (
            f"; an amount below {low} counts as {low}, one above {high} as {high}, and each as the "
            f"nearest multiple of {columns.step}"
        )  # fmt: skip
        if self.per_user is None:
            return f"All rows of a user count{bounds}."
        one, within = self.per_user == 1, "in all" if self.in_total else "in a window"
        rows, verb = ("row", "counts") if one else (f"{self.per_user} rows", "count")
        return f"Only the first {rows} of a user {within} {verb}{bounds}."

    @property
    def _uncounted(self) -> str:
        """The sentence on the rows in no count, however the board and its feeds treat them."""
        where = "in none" if self.late != "next window" else (
            "in the first window that was not published by then, or, if its feed says so, in none"
        )  # fmt: skip
        return (
            "A line that cannot be read, or whose time or key is none of the board's, is in no "
            f"count. A row that comes after its window was published counts {where}."
        )

    @property
    def _uncovered(self) -> tuple[str, ...]:
        held = "the rows themselves, until they are purged, and " if self.engine == "rows" else ""
        texts = [f"The board's files hold {held}sums without noise: whoever reads them sees all."]
        if isinstance(self.unit, SingleUserWindow):
            texts.append(
                f"ε = {shown_up(self.epsilon)} protects one window of a user. For d windows of "
                f"one user it is d times as much; for unlimited time nothing is promised."
            )
            if self.late == "next window":
                texts.append(
                    "What a user did in one window may come late in parts, and count in d windows: "
                    "it is then protected as d windows are."
                )
        if isinstance(self.unit, SingleRow):
            texts.append("For r rows of one user it is r times as much.")
        if self._delta is not None and not isinstance(self.unit, SingleUser):
            many = "r rows" if isinstance(self.unit, SingleRow) else "d windows"
            texts.append(
                f"δ = {shown_up(self._delta)} grows faster: for {many} it is up to "
                f"(e^({many[0]}ε) - 1)/(e^ε - 1) times as much."
            )
        texts.append("Only the column identifies users: a person with two names is two users.")
        return tuple(texts)

    # --- methods that run the board -----------------------------------------------------------

    def open(
        self, folder: str | Path, *, begin: bool = True, moved: bool = False,
        witness: Witness | None = None,
    ) -> LiveBoard:  # fmt: skip
        """Run the board in a folder: start it if the folder is new, else resume it where it
        stopped.

        ``begin``: whether it may be started; False refuses a folder without a board, so that one
        that is missing does not spend ε again. ``moved``: your statement that the folder has been
        moved here, and that no copy of it goes on. ``witness``: as of ``ap.resume``.
        Raises: InvalidArgument if another board lives there; ResumeError, FileError as
        ``ap.resume``.
        """
        return begin_live(self, Path(folder), begin_new=begin, moved=moved, witness=witness)

    def start(self, *, seed: int | None = None) -> LiveBoard:
        """Run the board in memory, for trying it out; a ``seed`` is for examples only."""
        return begin_live(self, None, seed=seed)

    def by_key(self, answer: Any) -> dict[str, int]:
        """The noisy counts by key, from an answer of the mechanism."""
        pairs = answer if self.found else zip(self.keys, answer, strict=True)
        return {key: int(count) for key, count in pairs}

    def intake(self, inbox: Inbox, folder: Path | None) -> Intake:
        """The object that stores fed rows in ``inbox``, and makes messages of them."""
        if self.engine == "rows":
            return RowIntake(inbox, self.columns)
        place = None if folder is None else folder / "spill"
        return EngineIntake(inbox, self.columns, self.per_user, place)

    @property
    def definition(self) -> str:
        """The board's definition as JSON text; a folder with another definition is not opened."""
        columns, clock = self.columns, self.clock
        times = {
            "start": clock.start.isoformat(), "every": clock.every.total_seconds(),
            "windows": clock.windows, "zone": clock.zone,
        }  # fmt: skip
        said = {
            "columns": columns.names, "by": columns.by, "user": columns.user,
            "amount": columns.amount, "row": columns.row, "keys": columns.keys,
            "others": columns.others, "low": columns.low, "high": columns.high,
            "step": str(columns.step), "clock": times,
            "lateness": self.lateness.total_seconds(), "epsilon": str(self.epsilon),
            "per_user": self.per_user, "in_total": self.in_total, "unit": repr(self.unit),
            "engine": self.engine, "best": self.best, "late": self.late,
            "delta": None if self.delta is None else str(self.delta),
            "found": None if self.found is None else repr(self.found),
        }  # fmt: skip
        return json.dumps(said)

    def _card(self) -> Card:
        what = "counts" if self.columns.amount is None else f"sums of {self.columns.amount!r}"
        by = "" if self.columns.by is None else f" by {self.columns.by!r}"
        title = f"a board of {what}{by}, ε = {shown_up(self.epsilon)}"
        title += "" if self._delta is None else f", δ = {shown_up(self._delta)}"
        rows = [
            ("protects", self.unit.protects),
            ("keys", f"{len(self.keys):,}" if self.keys else "found in the data"),
            ("windows", f"{self.clock.windows:,} from {self.clock.name(0)}"),
            ("counter", type(self.gaussian or self.counter).__name__),
            *((f"error of {of}, 95 %", f"± {band(each)}") for of, each in self.forecast.items()),
        ]
        return Card(title, (Grid(rows),))


def counter_for(horizon: int, epsilon: Fraction, best: Best) -> Counter:
    """The pure counter of the least worst-case error, among those ε-DP for one unit of change.

    For totals, the better of a balanced and a binary tree. For single windows, a tree of one level:
    each window has noise of its own, the least there is at ε, and a total has the noise of all
    windows so far. For sums of ``best`` windows, the best of the two for totals and of a tree for
    such sums.
    """
    given: dict[str, Any] = {
        "horizon": horizon, "epsilon": epsilon, "sensitivity": Fraction(1), "clip": True,
        "smallest": -_LARGE, "largest": _LARGE,
    }  # fmt: skip
    if best == "window":
        return BalancedTreeCounter(**given, arity=2 * horizon + 1)
    known: list[Counter] = [BalancedTreeCounter(**given), TreeCounter(**given)]
    if best != "total":
        known.append(BalancedTreeCounter(**given, window=best))
    return min(known, key=lambda each: _error(each, best))


def _error(counter: Counter, best: Best) -> float:
    """The largest expected squared error of a counter's totals or, given a number ``best``, of sums
    of that many windows."""
    if isinstance(best, int):
        return counter.max_squared_window(best)
    return counter.max_squared_error
