"""Tables on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from antiphon.numbers.errors import MissingExtra
from antiphon.protocol.shown.card import aligned

if TYPE_CHECKING:
    from rich.table import Table


def table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[str] = ()
) -> Table:
    """A rich table; the columns named in ``numbers`` are aligned to the right.

    Raises: MissingExtra without rich.
    """
    try:
        from rich import box
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        raise MissingExtra("rich", "cli") from None
    grid = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for column in columns:
        grid.add_column(column, justify="right" if column in numbers else "left")
    for row in rows:
        grid.add_row(*map(Text, row))
    return grid


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[str] = ()
) -> None:
    """Print such a table; without rich, in plain columns."""
    rows = list(rows)
    try:
        grid = table(columns, rows, numbers=numbers)
    except MissingExtra:
        for line in aligned([columns, *rows], [column in numbers for column in columns]):
            print(line)
        return
    from rich.console import Console

    Console(width=None if sys.stdout.isatty() else 124, highlight=False).print(grid)
