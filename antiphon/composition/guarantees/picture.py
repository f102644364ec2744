"""A derivation as a drawn tree: SVG and Mermaid. Every text is escaped, whoever wrote it."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import Final

import attrs

from antiphon.composition.guarantees.derivation import Derivation, Mark
from antiphon.composition.guarantees.text import SIGNS, figures, headline, shown, status
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.records.svg import mermaid_escaped, svg_box, svg_sheet, svg_text, text_width

_COLOURS: Final = {
    Mark.CHECKED: "#0f766e", Mark.ENFORCED: "#1d5fa8", Mark.PROVED: "#334155",
    Mark.GIVEN: "#7c3aed", Mark.ASSUMED: "#c2410c", Mark.FAILED: "#b42318",
}  # fmt: skip
_LINE: Final = 19.0
_STEP: Final = 34.0
"""How far a part is moved to the right of what it is a part of."""
_LONGEST: Final = 130
_INDENT: Final = "\u00a0" * 4
"""Spaces that a picture keeps."""


@attrs.frozen
class _Box:
    """One derivation: where it stands, and which box it belongs under."""

    derivation: Derivation
    depth: int
    above: int | None
    y: float

    @property
    def lines(self) -> list[tuple[str, str]]:
        """(text, colour) of each line under the title."""
        said = [(self.derivation.statement, "#334155")]
        for each in self.derivation.premises:
            said.append((f"{SIGNS[each.mark]} {shown(each)}", _COLOURS[each.mark]))
        return [(line, colour) for text, colour in said for line in _folded(text)]

    @property
    def height(self) -> float:
        return 30 + _LINE * len(self.lines) + 6

    @property
    def width(self) -> float:
        texts = [text for text, _ in self.lines]
        widths = [text_width(self.derivation.theorem, 14.5), *(text_width(t, 12) for t in texts)]
        return max(widths) + 28

    @property
    def x(self) -> float:
        return 24 + self.depth * _STEP


def _folded(text: str) -> list[str]:
    """A text on as many lines as it needs; those after the first are indented."""
    text = "".join(c if c.isprintable() else "·" for c in text)
    return wrap(text, _LONGEST, subsequent_indent=_INDENT) or [""]


def _boxes(derivation: Derivation) -> list[_Box]:
    """Every derivation of the tree, from the top down, parts under what they belong to."""
    boxes: list[_Box] = []

    def place(each: Derivation, depth: int, above: int | None) -> None:
        last = boxes[-1] if boxes else None
        box = _Box(each, depth, above, 74.0 if last is None else last.y + last.height + 16)
        boxes.append(box)
        own = len(boxes) - 1
        for part in each.parts:
            place(part, depth + 1, own)

    place(derivation, 0, None)
    return boxes


def as_svg(system: Mechanism, derivation: Derivation) -> str:
    """An SVG picture of its own: no scripts, no links, no outside fonts."""
    title = _folded(headline(system, derivation))
    under = _folded("; ".join((status(derivation), *figures(derivation))))
    top = 22.0 * (len(title) - 1) + _LINE * (len(under) - 1)
    boxes = [attrs.evolve(box, y=box.y + top) for box in _boxes(derivation)]
    widths = [text_width(each, 17.5) for each in title]
    widths += [text_width(each, 12) for each in under]
    width = max(*widths, *(box.x + box.width for box in boxes)) + 48
    height = boxes[-1].y + boxes[-1].height + 46
    lines = _lines(title, under, boxes, height)
    return svg_sheet(" ".join(each.strip() for each in title), width, height, lines)


def _lines(title: list[str], under: list[str], boxes: list[_Box], height: float) -> Iterator[str]:
    y = 34.0 - 22
    for each in title:
        y += 22
        yield svg_text(24, y, each, 'font-size="16" font-weight="600" fill="#0f172a"')
    for place, each in enumerate(under):
        yield svg_text(24, y + 20 + place * _LINE, each, 'font-size="12" fill="#64748b"')
    for box in boxes:
        if box.above is not None:
            yield _elbow(boxes[box.above], box)
        yield from _drawn(box)
    x = 24.0
    for mark in Mark:
        if any(each.mark is mark for box in boxes for each in box.derivation.premises):
            name = f"{SIGNS[mark]} {mark.value}"
            yield svg_text(x, height - 18, name, f'font-size="11" fill="{_COLOURS[mark]}"')
            x += text_width(name, 11) + 22


def _drawn(box: _Box) -> Iterator[str]:
    assumed = any(each.mark is Mark.ASSUMED for each in box.derivation.premises)
    fill, edge = ("#fdf1e3", "#d9a25f") if assumed else ("#eaf0f8", "#8aa5c9")
    yield svg_box(box.x, box.y, box.width, box.height, fill, edge)
    style = 'font-size="14.5" font-weight="600" fill="#0f172a"'
    yield svg_text(box.x + 14, box.y + 22, box.derivation.theorem, style)
    for number, (text, colour) in enumerate(box.lines, start=1):
        y = box.y + 22 + number * _LINE
        yield svg_text(box.x + 14, y, text, f'font-size="12" fill="{colour}"')


def _elbow(above: _Box, box: _Box) -> str:
    x, y = above.x + _STEP / 2, box.y + 17
    return (
        f'<path d="M{x:.1f},{above.y + above.height:.1f} V{y:.1f} H{box.x:.1f}" fill="none" '
        'stroke="#94a3b8" stroke-width="1.3"/>'
    )


# --- Mermaid ------------------------------------------------------------------------------------


def as_mermaid(derivation: Derivation) -> str:
    """The text of a Mermaid flowchart; assumed premises are outlined."""
    return "\n".join(_flow(_boxes(derivation))) + "\n"


def _flow(boxes: list[_Box]) -> Iterator[str]:
    yield "flowchart TD"
    for place, box in enumerate(boxes):
        texts = [box.derivation.theorem, *(text for text, _ in box.lines)]
        yield f'    D{place}["{"<br/>".join(map(mermaid_escaped, texts))}"]'
        if any(each.mark is Mark.ASSUMED for each in box.derivation.premises):
            yield f"    style D{place} stroke:#c2410c,stroke-width:3px"
    for place, box in enumerate(boxes):
        if box.above is not None:
            yield f"    D{box.above} --> D{place}"
