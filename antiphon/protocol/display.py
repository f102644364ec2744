"""The display of results: a title and parts, described once for text, notebooks and programs.

Results print as text and show in a notebook as HTML; programs read their fields.
"""

import math
from abc import abstractmethod
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from typing import Any, ClassVar, Final, TypeAlias, Union

import attrs
import numpy as np

from antiphon.numbers.errors import with_article
from antiphon.numbers.exact import Log


@attrs.frozen
class Grid:
    """A table of texts; the columns named in ``numbers`` are aligned to the right."""

    rows: Sequence[Sequence[str]]
    columns: Sequence[str] = ()
    """The column names; empty if the first text of each row names the row."""
    numbers: Sequence[str] = ()


@attrs.frozen
class Verbatim:
    """Text whose line breaks and spaces are kept, such as a tree."""

    text: str


@attrs.frozen
class Picture:
    """A picture in a result, which is shown in a notebook only."""

    svg: Callable[[], str | None]
    """A function that returns the picture as SVG text, or None if it cannot be drawn."""


Part: TypeAlias = Union[str, Grid, Verbatim, Picture]
"""The type of a part of a card (the display of a result); a plain string is a sentence below the
previous part."""


@attrs.frozen
class Card:
    """The display of a result: a one-line title, and ``parts``, which are computed only if more
    than the title is shown."""

    title: str
    parts: Iterable[Part] = ()


def as_text(card: Card) -> str:
    """The card as plain text: the title and, below it, all parts but pictures."""
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
    """The rows as lines of text in columns; ``right`` says which columns are aligned to the right.

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


_SHORT: Final = 30
_QUIET: Final = "opacity:.75"
_CELL: Final = "padding:.15em 1.2em .15em 0;border:0;vertical-align:top;"


def bundle(thing: object, card: Card, kind: str | None = None) -> dict[str, str]:
    """The forms of an object in a notebook, by media type: plain text, HTML, and the first picture
    of its ``card`` (title and parts). ``kind`` is the word before the title, by default the name of
    the object's type."""
    parts = list(card.parts)
    drawn = {id(part): part.svg() for part in parts if isinstance(part, Picture)}
    html = _html(kind or type(thing).__name__, card.title, parts, drawn)
    found = {"text/plain": str(thing), "text/html": "\n".join(html)}
    pictures = [svg for svg in drawn.values() if svg is not None]
    return found | ({"image/svg+xml": pictures[0]} if pictures else {})


def _html(
    kind: str, title: str, parts: Sequence[Part], drawn: dict[int, str | None]
) -> Iterator[str]:
    yield '<div style="line-height:1.45;max-width:100%;overflow-x:auto">'
    yield f'<div><span style="{_QUIET}">{escaped(kind)}</span> <b>{escaped(title)}</b></div>'
    for part in parts:
        if isinstance(part, Picture):
            yield from _image(drawn[id(part)], title)
        else:
            yield from _part(part)
    yield "</div>"


def _part(part: Part) -> Iterator[str]:
    if isinstance(part, Grid):
        yield from _table(part)
    elif isinstance(part, Verbatim):
        yield f'<pre style="margin:.4em 0;font-size:.9em">{escaped(part.text)}</pre>'
    else:
        yield f'<div style="{_QUIET}">{escaped(str(part))}</div>'


def _table(table: Grid) -> Iterator[str]:
    sides = ["right" if column in table.numbers else "left" for column in table.columns]
    yield '<table style="border-collapse:collapse;margin:.4em 0">'
    if table.columns:
        yield f"<thead>{_row('th', table.columns, sides)}</thead>"
    yield "<tbody>"
    yield from (_row("td", row, sides) for row in table.rows)
    yield "</tbody></table>"


def _row(tag: str, texts: Sequence[str], sides: Sequence[str]) -> str:
    """A row of an HTML table, its cells aligned to ``sides``; if the first cell is short, it is
    kept on one line."""
    sides = sides or ["left"] * len(texts)
    styles = [f"{_CELL}text-align:{side}" for side in sides]
    styles[0] += ";white-space:nowrap" * (len(texts[0]) <= _SHORT)
    cells = (
        f'<{tag} style="{style}">{escaped(text)}</{tag}>'
        for text, style in zip(texts, styles, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"


def escaped(text: str) -> str:
    """The text with the characters escaped that HTML and SVG reserve."""
    # Python's table of HTML entities is imported only when a notebook needs it.
    from html import escape

    return escape(text)


def _image(svg: str | None, title: str) -> Iterator[str]:
    """The SVG picture as an HTML image element, so that its styles do not leak into the page."""
    if svg is not None:
        data = b64encode(svg.encode()).decode()
        yield (
            f'<img alt="{escaped(title)}" style="max-width:100%;background:#fff" '
            f'src="data:image/svg+xml;base64,{data}"/>'
        )


class Displayed:
    """Base class of results that a notebook shows as a page; ``_card`` gives the page's content.

    It shows public values only, as ``repr`` does (law 8).
    """

    __slots__ = ()

    @abstractmethod
    def _card(self) -> Card:
        """The title and the parts of the result's display."""

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return bundle(self, self._card())


class Shown(Displayed):
    """A result whose ``str`` is its full text and whose ``repr`` is its title."""

    __slots__ = ()

    def __str__(self) -> str:
        return as_text(self._card())

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._card().title}>"


@attrs.frozen
class DrawnAs:
    """The declaration ``drawn_as`` of a class: how its objects are drawn in a sequence diagram.

    A view records only the messages that an adversary sent and received; this declaration adds the
    way of a message between the parts of the system.
    """

    title: str = ""
    """The title of the part's lane (vertical line) in a diagram; "" for the name of the class."""
    about: str = ""
    """The text below the lane's title; {name} in it is replaced by the parameter of that name."""
    forwards: bool = False
    """Whether the part sends each message on, and each answer back, unchanged."""
    picks: bool = False
    """Whether the part passes on one side of each pair, as I(b) does; no diagram shows which."""
    composes: bool = False
    """Whether the part is a composition, which passes messages to the mechanisms created in it."""


# --- results as data for programs ----------------------------------------------------------------


class ForPrograms:
    """Base class of results that ``to_dict`` converts to JSON data: all fields, or the attributes
    that the class names in ``_told``."""

    __slots__ = ()
    _told: ClassVar[str] = ""

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON data: strings, numbers, lists and dicts only."""
        return {name: as_data(getattr(self, name)) for name in _names(self)}


def _names(thing: Any) -> Iterable[str]:
    kind = _kind(thing)
    named: str = getattr(kind, "_told", "")
    return named.split() or [field.name for field in attrs.fields(kind)]


def _kind(value: object) -> type[Any]:
    return type(value)


def as_data(value: Any) -> Any:
    """A value as JSON data: exact numbers and paths become texts, infinite numbers become null.

    >>> as_data({"a": (Fraction(1, 3), math.inf)})
    {'a': ['1/3', None]}
    """
    kind = _kind(value)
    if value is None or kind in (bool, int, str):
        return value
    if issubclass(kind, np.generic):
        return as_data(value.item())
    if issubclass(kind, float):
        return value if math.isfinite(value) else None
    if issubclass(kind, (Fraction, PurePath)):
        return str(value)
    if issubclass(kind, Log):
        return f"ln {value.argument}"
    if issubclass(kind, Enum):
        return value.value
    if issubclass(kind, ForPrograms):
        return value.to_dict()
    if issubclass(kind, Mapping):
        return {str(name): as_data(each) for name, each in value.items()}
    if attrs.has(kind) or hasattr(kind, "_fields"):
        names = getattr(kind, "_fields", ()) or _names(value)
        return {name: as_data(getattr(value, name)) for name in names}
    if issubclass(kind, (list, tuple, np.ndarray)):
        return [as_data(each) for each in value]
    raise TypeError(f"{with_article(kind.__name__)} is nothing that JSON has")
