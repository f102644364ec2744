"""The actions of ``antiphon board``: feed a board with rows, print its counts, write its page."""

from __future__ import annotations

import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, Union

import attrs

from antiphon.boards.board_files import BoardFile, read_board
from antiphon.boards.inbox import is_begun, not_begun
from antiphon.boards.largest_keys import LargestKeys
from antiphon.boards.live import Fed, LiveBoard
from antiphon.boards.series import BoardSeries
from antiphon.cli.output import check_files, one_of, print_card, print_json
from antiphon.composition.guarantees.statement import LARGE
from antiphon.numbers import shown_up
from antiphon.numbers.errors import InvalidArgument

Asked: TypeAlias = Union[BoardSeries, LargestKeys]


@attrs.frozen(kw_only=True)
class BoardAsked:
    """The command-line options of ``antiphon board``, as they were given."""

    sources: tuple[Path, ...]
    until: str | None
    how: str
    last: int | None
    top: int | None
    leave_late: bool
    leave_bad: bool
    as_csv: bool
    begin: bool
    moved: bool
    output: Path | None
    force: bool
    as_json: bool


def board(action: str, path: Path, asked: BoardAsked) -> int:
    """Carry out one action of ``antiphon board`` on the board of a TOML file."""
    act = one_of(_ACTIONS, action, "action")
    with warnings.catch_warnings(record=True, action="always") as told:
        known = read_board(path)
    for each in told:
        _warn(str(each.message))
    if asked.sources and act is not _feed:
        raise InvalidArgument("files are fed: antiphon board feed FILE.toml CSV…")
    if act is _feed and not (asked.sources or known.sources):
        raise InvalidArgument(
            "there is nothing to feed: name CSV files, or files = […] in the TOML"
        )
    to = asked.output or path.with_suffix(".html")
    if act is _page:
        check_files([to], asked.force)
    feeds = act in (_feed, _run)
    if act is _run and not is_begun(known.folder):
        _check_files(known, fed=False)
    with _opened(known, action, path, asked) as live:
        found = act(known, live, asked, to)
        if found is not None:
            _tell(found, asked)
    if feeds and known.board.epsilon > LARGE:
        _warn(f"ε = {shown_up(known.board.epsilon)} promises next to nothing: see the statement")
    return 0


def _opened(known: BoardFile, action: str, path: Path, asked: BoardAsked) -> LiveBoard:
    """The running board of a TOML file, from its folder; for the statement of a board that is not
    begun, an empty one in memory. Raises: FileError if it is to be begun by --begin."""
    if is_begun(known.folder) or (asked.begin and action in ("run", "feed")):
        return known.board.open(known.folder, moved=asked.moved)
    if action == "statement":
        return known.board.start()
    verb = "feed" if action == "feed" else "run"
    given = {"--until": asked.until, "--output": asked.output}
    flags = {"--leave-late": asked.leave_late, "--leave-bad": asked.leave_bad}
    options = [each for name, value in given.items() if value is not None for each in (name, value)]
    options += [name for name, is_set in flags.items() if is_set]
    words = ["antiphon", "board", verb, path, *asked.sources, *options, "--begin"]
    raise not_begun(known.folder, known.board.epsilon, shlex.join(map(str, words)))


def _check_files(known: BoardFile, *, fed: bool) -> None:
    """Raise InvalidArgument if no file matches, and the board was never fed; if it was, warn."""
    if known.unmatched is None:
        return
    if not fed:
        raise InvalidArgument(f"{known.unmatched}: nothing would be fed; nothing was published")
    _warn(known.unmatched)


def _warn(text: str) -> None:
    print(f"warning: {text}", file=sys.stderr)


def _feed(known: BoardFile, live: LiveBoard, asked: BoardAsked, to: Path) -> Fed:
    return _fed(live, asked.sources or known.sources, asked)


def _fed(live: LiveBoard, sources: Iterable[Path], asked: BoardAsked) -> Fed:
    late: Literal["leave out"] | None = "leave out" if asked.leave_late else None
    bad: Literal["leave out"] | None = "leave out" if asked.leave_bad else None
    return live.feed(*sources, until=asked.until, late=late, bad=bad)


def _run(known: BoardFile, live: LiveBoard, asked: BoardAsked, to: Path) -> Fed:
    """Add the rows of the board's files and rewrite its page. For a timer, such as cron."""
    _check_files(known, fed=live.fed)
    fed = _fed(live, known.sources, asked)
    _write_page(live, to)
    return fed


def _write_page(live: LiveBoard, to: Path) -> None:
    """Write the board's page, in place of an earlier one."""
    live.page(to, overwrite=True)
    if find_spec("matplotlib") is None:
        _warn(f"{to} has no pictures: pip install 'antiphon[plot]'")


def _ask(known: BoardFile, live: LiveBoard, asked: BoardAsked, to: Path) -> Asked | None:
    how: Any = asked.how
    numbers = live.ask(how, last=asked.last)
    found = numbers if asked.top is None else numbers.top(asked.top)
    if not asked.as_csv:
        return found
    print(found.csv(), end="")
    return None


def _page(known: BoardFile, live: LiveBoard, asked: BoardAsked, to: Path) -> None:
    _write_page(live, to)
    if asked.as_json:
        print_json({"page": to, **known.board.statement().to_dict()})
    else:
        print(to)


def _purge(known: BoardFile, live: LiveBoard, asked: BoardAsked, to: Path) -> None:
    rows = live.purge()
    if asked.as_json:
        print_json({"purged": rows})
    else:
        print(f"{rows:,} rows of windows that are told are gone")


def _tell(result: Any, asked: BoardAsked) -> None:
    if asked.as_json:
        print_json(result.to_dict())
    else:
        print_card(result._card())


_ACTIONS: Final[Mapping[str, Callable[[BoardFile, LiveBoard, BoardAsked, Path], Any]]] = {
    "run": _run, "status": lambda known, live, asked, to: live.status(), "feed": _feed,
    "ask": _ask, "page": _page, "purge": _purge,
    "statement": lambda known, live, asked, to: known.board.statement(),
}  # fmt: skip
