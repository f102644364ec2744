"""The definition of a board: ``counts`` and ``sums``, and what they refuse."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from datetime import timedelta
from fractions import Fraction
from typing import Final, Literal, TypeAlias, TypeVar

from antiphon.boards.board import ALL, Board
from antiphon.boards.cells import ONE_TEXT, Bad, BoardColumns, check_bad
from antiphon.boards.clock import Clock, public_time, span
from antiphon.boards.discovering import Discovered
from antiphon.boards.error_bounds import Best
from antiphon.boards.grouped_sums import check_engine
from antiphon.boards.inbox import Late
from antiphon.boards.units import SingleRow, SingleUser, SingleUserWindow, Unit
from antiphon.mechanisms.fields import COORDINATES, STREAM, check_positive, check_size, probability
from antiphon.numbers import InvalidArgument, exact
from antiphon.numbers.errors import of_kind, written_as

UnitName: TypeAlias = Literal["user-window", "user", "row"]
Neighbours: TypeAlias = Literal["added or removed", "replaced", "changed"]
Engine: TypeAlias = Literal["rows", "duckdb"]
Every: TypeAlias = "str | timedelta"

Choice = TypeVar("Choice", bound=str)
_MOST_STEPS: Final = 2**40
_UNITS: Final[dict[tuple[str, str], Unit]] = {
    ("user-window", "added or removed"): SingleUserWindow(),
    ("user-window", "replaced"): SingleUserWindow(replaced=True),
    ("user", "added or removed"): SingleUser(),
    ("user", "replaced"): SingleUser(replaced=True),
    ("row", "added or removed"): SingleRow(),
    ("row", "replaced"): SingleRow(replaced=True),
    ("row", "changed"): SingleRow(replaced=True, same_user=True),
}  # fmt: skip


@written_as(
    'ap.boards.counts(by="country", keys=["FR", "DE"], start="2026-01-01", horizon=365, '
    "per_user=3, epsilon=1)"
)
def counts(
    *,
    start: object,
    horizon: int,
    epsilon: float | Fraction,
    per_user: int | None,
    by: str | None = None,
    keys: Iterable[object] | Discovered | None = None,
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
    late: Late = "refuse",
    bad: Bad = "refuse",
    engine: Engine = "rows",
    best: Best = "total",
    delta: float | Fraction | None = None,
) -> Board:
    """A board of private counts: the number of rows of each key in each window.

    ``by``: the column of keys (None: all rows together); ``keys``, all of them, which are public,
    or ``discovered(delta=…)``, by a private rule;
    ``others``: a key for rows of any other, which are refused without. ``start``, ``every``,
    ``horizon`` and ``zone``: the windows, on a public clock; ``lateness``: how long a window waits
    for rows once it is over; ``late``: later ones are refused, left out, or counted in the "next
    window" that is open; ``bad``: lines that cannot be read are refused, or left out.
    ``per_user``: the first rows of a user that count, in each window or
    (``per="total"``) in all. ``unit`` and ``neighbours``: who is protected, at ``epsilon``:
    "user-window", all that one user sends in a window; "user", all that one user ever sends; "row",
    one row; *added or removed*, *replaced* by any other or, of rows, *changed* to another of the
    same user. ``user``, ``time`` and ``row``: the columns of who, when, and of a row's own key
    (None: file and line). With ``user=None`` and ``per_user=None`` rows have no user.
    ``delta``: a δ for one Gaussian counter of all keys, which is taken where it errs less.
    ``best``: which answers err least, "total" since the start, "window" by window, or the sums of
    so many windows: 7 for ``ask("sliding", last=7)``.
    ``engine="duckdb"``: for files larger than memory (docs/your_own_csv.md).

    >>> board = counts(by="country", keys=["FR", "DE"], start="2026-01-01", horizon=365,
    ...                epsilon=1, per_user=3)
    >>> board.guarantee().epsilon_at(0)
    1.0
    """
    return _board(None, 0, 1, 1, locals())


@written_as(
    'ap.boards.sums("amount", low=0, high=500, start="2026-01-01", horizon=365, per_user=3, '
    "epsilon=1)"
)
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
    keys: Iterable[object] | Discovered | None = None,
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
    late: Late = "refuse",
    bad: Bad = "refuse",
    engine: Engine = "rows",
    best: Best = "total",
    delta: float | Fraction | None = None,
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
    if unit_of != 1 and 0 < ends[1] - ends[0] < 10:
        warnings.warn(
            f"step={unit_of} is more than a tenth of high - low, and each amount counts as the "
            f"nearest multiple of it. If amounts lie between these, write step={unit_of / 100}",
            stacklevel=3,
        )
    return _board(amount, int(ends[0]), int(ends[1]), unit_of, locals())


def _board(
    amount: str | None, low: int, high: int, step: int | Fraction, given: dict[str, object]
) -> Board:
    """A board from the arguments of ``counts`` or ``sums``. Raises: InvalidArgument."""
    by, user, others = given["by"], given["user"], given["others"]
    for name in ("time", "user", "by", "row", "others"):
        value = given[name]
        if value is not None and (type(value) is not str or not value):
            cure = f": {ONE_TEXT}" if name == "by" and value else f", not {of_kind(value)}"
            raise InvalidArgument(f"{name} is a text{cure}")
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
        late=_late(given["late"], given["engine"]),
        bad=check_bad(given["bad"], str(given["engine"])),
        epsilon=check_positive(given["epsilon"], "epsilon"),
        per_user=None if per_user is None else check_size(per_user, "per_user", STREAM),
        in_total=given["per"] == "total", unit=unit,
        engine=check_engine(given["engine"], in_total=given["per"] == "total", row=given["row"]),
        best=_best(given["best"]), delta=_delta(given["delta"], given["keys"]),
        found=given["keys"] if isinstance(given["keys"], Discovered) else None,
    )  # fmt: skip
    if board.found and board.engine != "rows":
        raise InvalidArgument("engine='duckdb' takes public keys: list them")
    board.mechanism  # Making the mechanism checks the parameters.  # noqa: B018
    return board


def _late(late: object, engine: object) -> Late:
    if late == "next window" and engine != "rows":
        raise InvalidArgument("late='next window' keeps rows, and engine='duckdb' keeps none")
    return _one_of(late, ("refuse", "leave out", "next window"), "late")


def _best(best: object) -> Best:
    if best in ("total", "window"):
        return "total" if best == "total" else "window"
    if type(best) is int:
        return check_size(best, "best", COORDINATES)
    raise InvalidArgument(
        "best is 'total', 'window', or a number of windows whose sums are wanted, best=7; "
        f"not {of_kind(best)}"
    )


def _one_of(value: object, known: tuple[Choice, ...], name: str) -> Choice:
    for each in known:
        if value == each:
            return each
    raise InvalidArgument(f"{name} is one of {', '.join(map(repr, known))}")


def _delta(delta: object, keys: object) -> Fraction | None:
    if delta is None:
        return None
    if isinstance(keys, Discovered):
        raise InvalidArgument("the δ of a board that finds its keys is that of discovered(delta=…)")
    found = probability(delta)
    if not 0 < found < 1:
        raise InvalidArgument("delta lies strictly between 0 and 1; leave it out for pure ε")
    return found


def _keys(keys: object, by: object, others: object) -> tuple[str, ...]:
    if isinstance(keys, Discovered):
        if by is None or others is not None:
            raise InvalidArgument(
                "keys that are found are those of a column, by='…', without others"
            )
        return ()
    if by is None:
        if keys is not None or others is not None:
            raise InvalidArgument("keys are those of a column: say which, by='…'")
        return (ALL,)
    if keys is None or isinstance(keys, str | Mapping) or not isinstance(keys, Iterable):
        raise InvalidArgument(
            "list the keys: which ones come is data, and a key that shows up tells that somebody "
            "sent it. Rows of keys that are not listed count under others='…'; or have a private "
            "rule find them, keys=ap.boards.discovered(delta=1e-6)"
        )
    given: tuple[object, ...] = tuple(keys)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if any(type(key) is tuple or type(key) is list for key in given):
        raise InvalidArgument(f"a key is a text, and some are tuples or lists: {ONE_TEXT}")
    listed = [str(key) for key in given]
    named = [*listed, *([str(others)] if others is not None and others not in listed else [])]
    if not named or len(set(named)) < len(named) or not all(0 < len(key) <= 64 for key in named):
        raise InvalidArgument("keys are different texts of 1 to 64 characters, at least one")
    return tuple(named)
