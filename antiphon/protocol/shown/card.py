"""What a result says of itself, once: a title, and parts. As text here, as HTML in ``pages``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias, Union

import attrs


@attrs.frozen
class Grid:
    """Rows of texts; those of the columns named in ``numbers`` are aligned to the right."""

    rows: Sequence[Sequence[str]]
    columns: Sequence[str] = ()
    """Their names; none where the first text of each row says what the second is."""
    numbers: Sequence[str] = ()


@attrs.frozen
class Verbatim:
    """Lines that stay as they are: a tree."""

    text: str


@attrs.frozen
class Picture:
    """What only a notebook shows."""

    svg: Callable[[], str | None]
    """Draws it; None where that cannot be."""


Part: TypeAlias = Union[str, Grid, Verbatim, Picture]
"""A text is a sentence below what stands before it."""


@attrs.frozen
class Card:
    """The title says it in one line; ``parts`` are asked for only if more is shown than that."""

    title: str
    parts: Iterable[Part] = ()


def as_text(card: Card) -> str:
    """The title and, below it, what is no picture."""
    return "\n".join([card.title, *(line for part in card.parts for line in _lines(part))])


def _lines(part: Part) -> Iterator[str]:
    if isinstance(part, Grid):
        lines = [part.columns, *part.rows] if part.columns else part.rows
        right = [column in part.numbers for column in part.columns]
        yield from (f"  {line}" for line in aligned(lines, right))
    elif isinstance(part, Verbatim):
        yield from part.text.splitlines()
    elif isinstance(part, str):
        yield part


def aligned(lines: Sequence[Sequence[str]], right: Sequence[bool] = ()) -> Iterator[str]:
    """Lines of texts in columns; some of them aligned to the right.

    >>> list(aligned([("x", "1"), ("long", "20")], (False, True)))
    ['x      1', 'long  20']
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    sides = [*right, *[False] * (len(widths) - len(right))]
    for line in lines:
        cells = (
            text.rjust(width) if numeric else text.ljust(width)
            for text, width, numeric in zip(line, widths, sides, strict=True)
        )
        yield "  ".join(cells).rstrip()
