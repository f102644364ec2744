"""Sequence diagrams as Mermaid text and as SVG. Every text in a diagram is escaped."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from antiphon.protocol.display import escaped
from antiphon.protocol.records.diagram import Arrow, Diagram, Lane, Turn

# --- sequence diagrams as Mermaid text -----------------------------------------------

_PLAIN: Final = frozenset(" _,.()=+-*/'…∘⊤⊥λ₀₁×≈·")
_MERMAID_ARROWS: Final = {
    "says": "->>", "differs": "->>", "creates": "->>", "answers": "-->>", "halts": "--x",
}  # fmt: skip


def mermaid_escaped(text: str) -> str:
    """The text with every special character of Mermaid or HTML as an entity code (``#59;``)."""
    return "".join(c if c.isalnum() or c in _PLAIN else f"#{ord(c)};" for c in text)


def mermaid(diagram: Diagram) -> str:
    """The diagram as the text of a Mermaid sequence diagram."""
    return "\n".join(_mermaid_lines(diagram)) + "\n"


def _mermaid_lines(diagram: Diagram) -> Iterator[str]:
    yield "sequenceDiagram"
    for place, lane in enumerate(diagram.lanes):
        names = [mermaid_escaped(name) for name in (lane.title, lane.subtitle) if name]
        yield f"    participant L{place} as {'<br/>'.join(names)}"
    everyone = f"L0,L{len(diagram.lanes) - 1}"
    if diagram.seeded:
        yield f"    Note over {everyone}: seeded, not for release"
    for turn in diagram.turns:
        if turn.coins:
            yield f"    Note left of L0: {mermaid_escaped(turn.coins)}"
        for arrow in (*turn.message, *turn.answer):
            line = _MERMAID_ARROWS[arrow.kind]
            yield f"    L{arrow.source}{line}L{arrow.target}: {mermaid_escaped(arrow.text)}"
    yield f"    Note over {everyone}: {mermaid_escaped(diagram.ending)}"


# --- sequence diagrams as SVG --------------------------------------------------------

_FONT: Final = "'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif"
_COLOURS: Final = {
    "says": "#334155", "differs": "#c2410c", "creates": "#0f766e",
    "answers": "#1d5fa8", "halts": "#b42318",
}  # fmt: skip
_FILLS: Final = (("#fdf1e3", "#d9a25f"), ("#eaf0f8", "#8aa5c9"), ("#e8f5ee", "#7db598"))
_LEFT: Final = 56.0
_TOP: Final = 84.0
_BOX: Final = 42.0
_ROUND: Final = 58.0
_BIRTH: Final = 16.0
_LEGEND: Final = (
    ("says", "message"), ("differs", "pair whose sides differ"),
    ("creates", "creation"), ("answers", "answer"), ("halts", "halt"),
)  # fmt: skip
PLAIN: Final = f"text {{ font-family: {_FONT}; }}"
"""The CSS rule for the font of all texts in a picture."""
_STYLE: Final = f"""
{PLAIN}
.label, .halo {{ font-size: 12.5px; }}
.halo {{ stroke: #fff; stroke-width: 4px; }}
.small {{ font-size: 11px; fill: #64748b; }}
""".strip()


def text_width(text: str, size: float) -> float:
    """A generous estimate of the width of a text, in pixels."""
    return sum(0.34 if c in " ,.()'il|" else 0.62 for c in text) * size


def svg(diagram: Diagram) -> str:
    """A self-contained SVG picture: no scripts, no links, no outside fonts."""
    sheet = _Sheet(diagram)
    return svg_sheet(diagram.title, sheet.width, sheet.height, sheet.lines(), _STYLE)


class _Sheet:
    """The layout of a diagram: the coordinates of all lanes, boxes and arrows."""

    def __init__(self, diagram: Diagram) -> None:
        self._diagram = diagram
        self._boxes = [
            max(72.0, (max(text_width(lane.title, 15.5), text_width(lane.subtitle, 11)) + 24))
            for lane in diagram.lanes
        ]
        self._x = self._lane_places()
        self._y: list[float] = []
        below = _TOP + _BOX + 18.0
        for turn in diagram.turns:
            self._y.append(below)
            below += _depth(turn)
        self._end = below + 4
        right = self._x[-1] + self._boxes[-1] / 2
        self.width = max(right, _LEFT + text_width(diagram.title, 16), 620) + 28
        self.height = self._end + 84

    def _lane_places(self) -> list[float]:
        gaps = [(a + b) / 2 + 24 for a, b in pairwise(self._boxes)]
        for turn in self._diagram.turns:
            for arrow in (*turn.message, *turn.answer):
                # The index of the gap between two neighbouring lanes into which the arrow's text is
                # written.
                place = max(arrow.source, arrow.target) - 1
                gaps[place] = max(gaps[place], text_width(arrow.text, 12.5) + 34)
        places = [_LEFT + self._boxes[0] / 2]
        for gap in gaps:
            places.append(places[-1] + gap)
        return places

    def lines(self) -> Iterator[str]:
        yield svg_text(
            _LEFT, 32, self._diagram.title, 'font-size="16" font-weight="600" fill="#0f172a"'
        )
        yield from self._legend()
        for turn, y in zip(self._diagram.turns[1::2], self._y[1::2], strict=True):
            depth = _depth(turn)
            yield (
                f'<rect x="8" y="{y:.1f}" width="{self.width - 16:.1f}" height="{depth:.1f}" '
                'rx="4" fill="#f6f8fb"/>'
            )
        yield from self._lifelines()
        for turn, y in zip(self._diagram.turns, self._y, strict=True):
            yield from self._round(turn, y)
        yield svg_text(_LEFT, self._end + 62, self._diagram.ending, 'font-size="13" fill="#334155"')

    def _legend(self) -> Iterator[str]:
        x, kinds = _LEFT, {a.kind for e in self._diagram.turns for a in (*e.message, *e.answer)}
        for kind, name in _LEGEND:
            if kind in kinds:
                yield _line(x, x + 26, 52, kind)
                yield svg_text(x + 33, 56, name, 'class="small"')
                x += 33 + text_width(name, 11) + 22
        if self._diagram.seeded:
            yield svg_text(x, 56, "seeded: not for release", 'font-size="11" fill="#b42318"')

    def _lifelines(self) -> Iterator[str]:
        for place, lane in enumerate(self._diagram.lanes):
            x = self._x[place]
            top = _TOP if not lane.born else self._y[lane.born - 1] - 2
            yield (
                f'<line x1="{x:.1f}" y1="{top + _BOX:.1f}" x2="{x:.1f}" y2="{self._end:.1f}" '
                'stroke="#cbd5e1" stroke-width="1.2"/>'
            )
            yield from self._box(place, lane, top)
            yield svg_text(x, self._end + 16, lane.title, 'class="small" text-anchor="middle"')

    def _box(self, place: int, lane: Lane, top: float) -> Iterator[str]:
        x, width = self._x[place], self._boxes[place]
        fill, edge = _FILLS[0 if place == 0 else 2 if lane.title.startswith("M_") else 1]
        yield svg_box(x - width / 2, top, width, _BOX, fill, edge)
        middle = top + (18 if lane.subtitle else 26)
        style = 'font-size="14" font-weight="600" fill="#0f172a" text-anchor="middle"'
        yield svg_text(x, middle, lane.title, style)
        if lane.subtitle:
            yield svg_text(x, top + 34, lane.subtitle, 'class="small" text-anchor="middle"')

    def _round(self, turn: Turn, y: float) -> Iterator[str]:
        tip = f"round {turn.number}"
        tip += f"; the adversary tossed {turn.coins}" if turn.coins else ""
        yield f"<g><title>{escaped(tip)}</title>"
        down = y + 22 + (2 if turn.created is not None else 0)
        yield svg_text(36, down + 4, str(turn.number), 'class="small" text-anchor="end"')
        for arrow in turn.message:
            yield from self._arrow(arrow, down, turn.created)
        back = down + 27 + (_BIRTH - 2 if turn.created is not None else 0)
        for arrow in turn.answer:
            yield from self._arrow(arrow, back, None)
        yield "</g>"

    def _arrow(self, arrow: Arrow, y: float, created: int | None) -> Iterator[str]:
        start, end = self._x[arrow.source], self._x[arrow.target]
        if arrow.kind == "creates" and arrow.target == created:
            end -= self._boxes[arrow.target] / 2
        yield _line(start, end, y, arrow.kind)
        left = self._x[max(arrow.source, arrow.target) - 1]
        middle = (left + max(start, end)) / 2
        # Behind the text of an arrow lies the same text with a white outline, since not every
        # program that shows SVG knows the attribute paint-order.
        yield svg_text(middle, y - 6, arrow.text, 'class="halo" fill="#fff" text-anchor="middle"')
        style = f'class="label" fill="{_COLOURS[arrow.kind]}" text-anchor="middle"'
        yield svg_text(middle, y - 6, arrow.text, style)


def _depth(turn: Turn) -> float:
    return _ROUND + (0.0 if turn.created is None else _BIRTH)


def _line(start: float, end: float, y: float, kind: str) -> str:
    """A horizontal arrow; its head is a shape, not a marker, so that all viewers show it."""
    colour, back = _COLOURS[kind], -1 if end > start else 1
    dash = ' stroke-dasharray="5 4"' if kind in ("answers", "halts") else ""
    head = f"{end:.1f},{y:.1f} {end + 8 * back:.1f},{y - 4:.1f} {end + 8 * back:.1f},{y + 4:.1f}"
    return (
        f'<line x1="{start:.1f}" y1="{y:.1f}" x2="{end + 6 * back:.1f}" y2="{y:.1f}" '
        f'stroke="{colour}" stroke-width="1.3"{dash}/><polygon points="{head}" fill="{colour}"/>'
    )


def svg_text(x: float, y: float, text: str, style: str) -> str:
    """An SVG text element with its text escaped."""
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escaped(text)}</text>'


def svg_box(
    x: float, y: float, width: float, height: float, fill: str, edge: str, radius: int = 6
) -> str:
    """An SVG rectangle with round corners."""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'rx="{radius}" fill="{fill}" stroke="{edge}"/>'
    )


def svg_sheet(
    title: str, width: float, height: float, lines: Iterable[str], style: str = PLAIN
) -> str:
    """A self-contained SVG picture of these elements: no scripts, no links, no outside fonts."""
    size = f'width="{width:.0f}" height="{height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" {size}'
    top = (f'{head} role="img">', f"<title>{escaped(title)}</title>", f"<style>{style}</style>")
    return "\n".join([*top, f'<rect {size} fill="#fff"/>', *lines, "</svg>"]) + "\n"
