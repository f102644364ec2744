"""Trees on a sheet: from left to right, a row for each leaf; SVG without scripts or links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final, TypeAlias

import attrs

from antiphon.conjectures.drawing.found_trees import Drawn, folded
from antiphon.protocol.records.labels import shorten
from antiphon.protocol.records.svg import FONT, svg_text, text_width

_COLOURS: Final = {
    "creates": ("#e8f5ee", "#7db598", "#0f172a"), "says": ("#f6f8fb", "#94a3b8", "#334155"),
    "differs": ("#fdf1e3", "#d9a25f", "#9a3412"), "answers": ("#eaf0f8", "#8aa5c9", "#1d5fa8"),
    "accuses": ("#fee9e7", "#d98a83", "#b42318"), "stops": ("#ffffff", "#cbd5e1", "#64748b"),
    "more": ("#ffffff", "#ffffff", "#64748b"),
}  # fmt: skip
"""What fills a node, its edge, and its text."""
_ROW, _BOX, _GAP, _MARGIN, _LINE = 30.0, 22.0, 24.0, 24.0, 20.0
_SIZE, _SMALL = 12.5, 11.5
_HEAD: Final = 'font-size="14" font-weight="600" fill="#0f172a"'
_SMALLER: Final = 'font-size="12.5" fill="#334155"'
_EDGE: Final = f'font-size="{_SMALL}" fill="#475569" text-anchor="end"'
_WIDEST: Final = 1400.0
"""What stands side by side is no wider; else it stands below."""
_LEAVES: Final = 40
"""Of a tree; what is more is folded."""
_LONGEST: Final = 40


@attrs.frozen
class _Tree:
    """A tree, and where its columns are: a depth each."""

    root: Drawn
    columns: tuple[float, ...]
    width: float

    @property
    def height(self) -> float:
        return self.root.leaves * _ROW


_Placed: TypeAlias = tuple[float, float, _Tree]
"""The left upper corner of a tree, and the tree."""


def sheet(title: Sequence[str], left: Sequence[Drawn], right: Sequence[Drawn]) -> str:
    """Trees below one another, and others beside them, or below where that would be too wide."""
    first, second = ([_measured(folded(each, _LEAVES)) for each in side] for side in (left, right))
    wide = max((each.width for each in first), default=0.0)
    beside = wide + max((each.width for each in second), default=0.0) + 4 * _MARGIN <= _WIDEST
    top = 1.5 * _MARGIN + _LINE * len(title)
    places = _stacked(first, _MARGIN, top)
    lower = top if beside else _end(places, top) + _MARGIN
    places += _stacked(second, wide + 3 * _MARGIN if beside else _MARGIN, lower)
    ends = [x + each.width for x, _, each in places]
    width = _MARGIN + max([*ends, *(_MARGIN + text_width(line, 14) for line in title)], default=0)
    height = _end(places, top) + _MARGIN / 2
    return "\n".join(_lines(title, places, width, height)) + "\n"


def _stacked(trees: Sequence[_Tree], x: float, y: float) -> list[_Placed]:
    placed: list[_Placed] = []
    for each in trees:
        placed.append((x, y, each))
        y += each.height + _MARGIN / 2
    return placed


def _end(places: Sequence[_Placed], top: float) -> float:
    return max((y + each.height for _, y, each in places), default=top)


def _measured(root: Drawn) -> _Tree:
    """Each column begins where the widest text of the one before, and of an edge, has ended."""
    boxes: list[float] = []
    edges: list[float] = []
    level: list[tuple[str, Drawn]] = [("", root)]
    while level:
        boxes.append(max(_width(node) for _, node in level))
        edges.append(max(text_width(edge, _SMALL) for edge, _ in level) + _GAP)
        level = [branch for _, node in level for branch in node.branches]
    columns = [0.0]
    for box, edge in zip(boxes[:-1], edges[1:], strict=True):
        columns.append(columns[-1] + box + edge)
    return _Tree(root, tuple(columns), columns[-1] + boxes[-1])


def _width(node: Drawn) -> float:
    return text_width(shorten(node.text, _LONGEST), _SIZE) + 16


def _lines(
    title: Sequence[str], places: Sequence[_Placed], width: float, height: float
) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" font-family="{FONT}">'
    )
    yield f"<title>{escape(title[0] if title else '')}</title>"
    yield f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>'
    for number, line in enumerate(title):
        style = _HEAD if number == 0 else _SMALLER
        yield svg_text(_MARGIN, _MARGIN + _LINE * number, line, style)
    for x, y, tree in places:
        yield from _tree(tree, tree.root, 0, x, y)
    yield "</svg>"


def _tree(tree: _Tree, node: Drawn, depth: int, x: float, y: float) -> Iterator[str]:
    """A node, the edges from it, and what is below it, in rows from y on."""
    here, top = x + tree.columns[depth], y
    middle = _middle(node, y)
    for edge, below in node.branches:
        start, end = here + _width(node), x + tree.columns[depth + 1]
        there = _middle(below, top)
        bend = end - text_width(edge, _SMALL) - 12  # from there on it is straight, for the text
        yield (
            f'<path d="M{start:.1f} {middle:.1f} C{(start + bend) / 2:.1f} {middle:.1f} '
            f'{(start + bend) / 2:.1f} {there:.1f} {bend:.1f} {there:.1f} H{end:.1f}" '
            'fill="none" stroke="#94a3b8"/>'
        )
        if edge:
            yield svg_text(end - 6, there - 4, edge, _EDGE)
        yield from _tree(tree, below, depth + 1, x, top)
        top += below.leaves * _ROW
    fill, line, ink = _COLOURS[node.kind]
    yield (
        f'<rect x="{here:.1f}" y="{middle - _BOX / 2:.1f}" width="{_width(node):.1f}" '
        f'height="{_BOX}" rx="5" fill="{fill}" stroke="{line}"/>'
    )
    text = shorten(node.text, _LONGEST)
    yield svg_text(here + 8, middle + 4.5, text, f'font-size="{_SIZE}" fill="{ink}"')


def _middle(node: Drawn, y: float) -> float:
    """At which height a node stands: amid the first and the last that follow it."""
    if not node.branches:
        return y + _ROW / 2
    last = node.branches[-1][1]
    above = sum(below.leaves for _, below in node.branches[:-1])
    return (_middle(node.branches[0][1], y) + _middle(last, y + above * _ROW)) / 2
