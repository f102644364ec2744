"""Cards in a notebook: HTML of their own, without scripts; every text in them is escaped."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from antiphon.protocol.shown.card import Card, Grid, Part, Picture, Verbatim

_SHORT: Final = 30
_QUIET: Final = "opacity:.75"
_CELL: Final = "padding:.15em 1.2em .15em 0;border:0;vertical-align:top;"


def bundle(thing: object, card: Card) -> dict[str, str]:
    """What shows an object that has such a card: its text, HTML, and the first picture."""
    parts = list(card.parts)
    drawn = {id(part): part.svg() for part in parts if isinstance(part, Picture)}
    html = _html(type(thing).__name__, card.title, parts, drawn)
    found = {"text/plain": str(thing), "text/html": "\n".join(html)}
    pictures = [svg for svg in drawn.values() if svg is not None]
    return found | ({"image/svg+xml": pictures[0]} if pictures else {})


def _html(
    kind: str, title: str, parts: Sequence[Part], drawn: dict[int, str | None]
) -> Iterator[str]:
    yield '<div style="line-height:1.45;max-width:100%;overflow-x:auto">'
    yield f'<div><span style="{_QUIET}">{escape(kind)}</span> <b>{escape(title)}</b></div>'
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
        yield f'<pre style="margin:.4em 0;font-size:.9em">{escape(part.text)}</pre>'
    else:
        yield f'<div style="{_QUIET}">{escape(str(part))}</div>'


def _table(table: Grid) -> Iterator[str]:
    sides = ["right" if column in table.numbers else "left" for column in table.columns]
    yield '<table style="border-collapse:collapse;margin:.4em 0">'
    if table.columns:
        yield f"<thead>{_row('th', table.columns, sides)}</thead>"
    yield "<tbody>"
    yield from (_row("td", row, sides) for row in table.rows)
    yield "</tbody></table>"


def _row(tag: str, texts: Sequence[str], sides: Sequence[str]) -> str:
    """Cells; the first one, which says what the row is, on one line if it is short."""
    sides = sides or ["left"] * len(texts)
    styles = [f"{_CELL}text-align:{side}" for side in sides]
    styles[0] += ";white-space:nowrap" * (len(texts[0]) <= _SHORT)
    cells = (
        f'<{tag} style="{style}">{escape(text)}</{tag}>'
        for text, style in zip(texts, styles, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"


def _image(svg: str | None, title: str) -> Iterator[str]:
    """As an image, so that what styles the picture styles nothing else on the page."""
    if svg is not None:
        data = b64encode(svg.encode()).decode()
        yield (
            f'<img alt="{escape(title)}" style="max-width:100%;background:#fff" '
            f'src="data:image/svg+xml;base64,{data}"/>'
        )
