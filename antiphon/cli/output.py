"""Helpers of the commands: parsing of users' values, and output as text or as one JSON object."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import attrs

from antiphon.numbers import InvalidArgument, MissingExtra, shown_up
from antiphon.protocol import display
from antiphon.protocol.records.files import refuse_taken

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType


Advance = Callable[[int], None]
"""A function to which a command reports its progress, as the amount of work done so far."""
_WIDTH: Final = 124
"""The width of printed tables in columns where the output is no terminal."""
_GAP: Final = 2
_LEAST: Final = 12
"""The smallest width of a text column; a longer text is wrapped, a number never is."""


class CommandOutcome(display.Displayed, display.ForPrograms):
    """The result of a command: printed as a card (title and parts) for people, and as JSON for
    programs."""

    __slots__ = ()


def tell(outcome: CommandOutcome, *, as_json: bool, width: int = _WIDTH) -> None:
    """Print the result of a command, as a card or as JSON."""
    if as_json:
        print_json(outcome.to_dict())
    else:
        print_card(outcome._card(), width)  # pyright: ignore[reportPrivateUsage]


def print_json(data: Mapping[str, object]) -> None:
    """Print data on standard output as one line with one JSON object."""
    print(json.dumps(display.as_data(data), allow_nan=False))


def report_error(error: BaseException, *, as_json: bool, status: int = 2, prefix: str = "") -> int:
    """Print an error as one line, or as one JSON object; returns the exit status."""
    text = prefix + (" ".join(str(error).split()) or type(error).__name__)
    # Lone surrogates (halves of a character), which a text from a file may hold, cannot be printed.
    text = text.encode("utf-8", "backslashreplace").decode()
    if as_json:
        print_json({"error": {"type": type(error).__name__, "message": text}})
    else:
        print(f"antiphon: {text}", file=sys.stderr)
    return status


def print_card(card: display.Card, width: int = _WIDTH) -> None:
    """Print a card (a result's title and parts), with tables as wide as the terminal."""
    print(card.title)
    for part in card.parts:
        if isinstance(part, display.Grid) and part.columns:
            print_table(part.columns, part.rows, numbers=part.numbers, width=width)
        elif not isinstance(part, display.Picture):
            print(display.as_text(display.Card("", (part,))).removeprefix("\n"))


def check_files(paths: Iterable[Path | None], force: bool) -> None:
    """Check that all files can be written, before a command takes its time."""
    wanted = [path for path in paths if path is not None]
    for path in wanted:
        if not path.absolute().parent.is_dir():
            raise InvalidArgument(f"{path}: there is no directory {path.parent}; make it")
    refuse_taken(wanted, force)


@contextmanager
def progress(
    text: str, total: int | None, *, quiet: bool = False
) -> Generator[Advance, None, None]:
    """Context manager: a progress bar on a terminal; without a ``total``, a spinner."""
    if quiet or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, redirect_stdout=False) as bars:
        task = bars.add_task(text, total=total)
        yield lambda done: bars.update(task, completed=done)


# --- printing tables on a terminal ----------------------------------------------------------------


def terminal(width: int = _WIDTH) -> Console:
    """A rich console on standard output, ``width`` wide if standard output is no terminal. A closed
    pipe is no error.

    Raises: MissingExtra without rich; BrokenPipeError when the reader has gone.
    """
    try:
        from rich.console import Console
    except ImportError:
        raise MissingExtra("rich", "cli") from None

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Terminal(width=None if sys.stdout.isatty() else width, highlight=False)


@attrs.frozen
class FittedTable:
    """A table for the terminal; where numbers do not fit, each cell is printed on its own line."""

    grid: display.Grid

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        """Yield the table in the console's width, for rich."""
        from rich import box
        from rich.table import Table
        from rich.text import Text

        widths = self._widths(options.max_width)
        if widths is None:
            yield Text("\n".join(self._lines()))
            return
        shown = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
        for column, width in zip(self.grid.columns, widths, strict=True):
            shown.add_column(
                column,
                justify="right" if column in self.grid.numbers else "left",
                width=width,
                overflow="fold",
            )
        for row in self.grid.rows:
            shown.add_row(*map(Text, row))
        yield shown

    def _widths(self, available: int) -> list[int | None] | None:
        """The widths of the columns: of each number column, and None for text columns, which share
        the rest; or None if the terminal is too narrow."""
        cells = (
            list(zip(*self.grid.rows, strict=True))
            if self.grid.rows
            else [()] * len(self.grid.columns)
        )
        natural = [
            max(map(len, (name, *column)))
            for name, column in zip(self.grid.columns, cells, strict=True)
        ]
        gaps = _GAP * len(self.grid.columns)
        if sum(natural) + gaps <= available:
            return [*natural]
        folded = [max(map(len, (*name.split(), ""))) for name in self.grid.columns]
        least: list[int | None] = [
            max(map(len, (*column, "x" * words))) if name in self.grid.numbers else None
            for name, column, words in zip(self.grid.columns, cells, folded, strict=True)
        ]
        texts = [min(full, _LEAST) for full, own in zip(natural, least, strict=True) if own is None]
        needed = sum(own for own in least if own is not None) + sum(texts) + gaps
        return least if needed <= available else None

    def _lines(self) -> Iterator[str]:
        for row in self.grid.rows:
            for place, (name, cell) in enumerate(zip(self.grid.columns, row, strict=True)):
                if cell:  # A column of bars has an empty name.
                    yield f"{'  ' if place else ''}{name and f'{name}: '}{cell}"
            yield ""


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Sequence[str] = (),
    width: int = _WIDTH,
) -> None:
    """Print a table with numbers aligned to the right; without rich, in plain columns."""
    grid = display.Grid(list(rows), columns, numbers)
    try:
        terminal(width).print(FittedTable(grid))
    except MissingExtra:
        print(
            "\n".join(display.aligned([columns, *grid.rows], [each in numbers for each in columns]))
        )


Found = TypeVar("Found")


def one_of(known: Mapping[str, Found], name: str, what: str) -> Found:
    """The object of this name in the dict ``known``; the error for an unknown name calls it a
    ``what``. Raises: InvalidArgument."""
    if name not in known:
        raise InvalidArgument(f"there is no {what} {name[:40]!r}; there are {', '.join(known)}")
    return known[name]


def several(texts: Iterable[str]) -> tuple[str, ...]:
    """The values of an option that is repeated or holds a comma-separated list, each value once.

    >>> several(["1024, 4096", "1024", "1"])
    ('1024', '4096', '1')
    """
    return tuple(dict.fromkeys(each.strip() for text in texts for each in text.split(",")))


def count(text: str, name: str, most: int) -> int:
    """The whole number from 1 to ``most`` that a text states. Raises: InvalidArgument.

    >>> count("4096", "rounds", 1 << 24)
    4096
    """
    found = int(text) if text.isascii() and text.isdecimal() and len(text) < 40 else 0
    if not 1 <= found <= most:
        raise InvalidArgument(f"{name} is a whole number from 1 to {most:,}, not {text[:40]!r}")
    return found


def exact_number(value: Fraction) -> str:
    """An exact number as text: 1/10 as 0.1, and 1/3 as 1/3; a long one is rounded up.

    >>> exact_number(Fraction(1, 10)), exact_number(Fraction(1, 3))
    ('0.1', '1/3')
    >>> exact_number(Fraction(2, 3) ** 40)
    '≈9.043772684e-08'
    """
    decimal = shown_up(value, 10)
    if Fraction(decimal) == value:
        return decimal
    text = f"{value.numerator}/{value.denominator}" if value.denominator < 10**12 else ""
    return text if text and len(text) <= 26 else f"≈{decimal}"
