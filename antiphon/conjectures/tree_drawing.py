"""Drawings of mechanisms given by tables, and of adversaries given by strategies, as trees on one
page.

The root is on the left, and each leaf has its own height; SVG without scripts or links.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias

import attrs

from antiphon.audit.exact.strategy import StrategyAdversary, StrategyNode, message_text
from antiphon.composition.creation import Create
from antiphon.conjectures.tables import TableMechanism
from antiphon.protocol import HALT, ContinualMechanism, Pair, identical
from antiphon.protocol.records.labels import message_label, shorten
from antiphon.protocol.records.svg import svg_box, svg_sheet, svg_text, text_width


@attrs.frozen
class Drawn:
    """A node of a drawn tree: its text, its kind (which decides its colours), and its branches, as
    pairs (text of the edge, node below)."""

    text: str
    kind: str
    branches: "tuple[tuple[str, Drawn], ...]" = ()
    leaves: int = attrs.field(init=False, eq=False, repr=False)
    """The number of leaves of the tree below this node; 1 for a leaf."""

    @leaves.default  # pyright: ignore
    def _counted(self) -> int:
        return sum(below.leaves for _, below in self.branches) or 1


def folded(tree: Drawn, room: int) -> Drawn:
    """The tree with at most ``room`` leaves; further ones become one leaf "… n more".

    Small branches are shown whole where possible; large ones share the remaining room.
    """
    if tree.leaves <= room:
        return tree
    shown = tree.branches if len(tree.branches) <= room else tree.branches[: room - 1]
    hidden = sum(below.leaves for _, below in tree.branches[len(shown) :])
    rooms = _shared([below.leaves for _, below in shown], room - bool(hidden))
    branches = [(edge, folded(below, r)) for (edge, below), r in zip(shown, rooms, strict=True)]
    more = [("", Drawn(f"… {hidden:,} more", "more"))] if hidden else []
    return Drawn(tree.text, tree.kind, (*branches, *more))


def _shared(wanted: list[int], room: int) -> list[int]:
    """The numbers of leaves that parts of a tree may show, ``room`` in all: each part gets what it
    has ``wanted``, or else as much as any other."""
    given = [0] * len(wanted)
    for rank, place in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        given[place] = min(wanted[place], room // (len(wanted) - rank))
        room -= given[place]
    return given


def mechanism_tree(mechanism: ContinualMechanism[Any]) -> str:
    """A mechanism's answers after each possible history with their probabilities, as text; for a
    mechanism without a table, its label."""
    if not isinstance(mechanism, TableMechanism):
        return message_label(mechanism)
    return "\n".join([f"{message_label(mechanism)} answers", *_answers(mechanism, 0, "  ")])


def _answers(mechanism: TableMechanism, state: int, indent: str) -> Iterator[str]:
    count = len(mechanism.inputs)
    for place, message in enumerate(mechanism.inputs):
        row = state * count + place
        weights = mechanism.weights[row] if row < len(mechanism.weights) else ()
        likely = [(answer, weight) for answer, weight in enumerate(weights) if weight]
        for answer, weight in likely:
            chance = Fraction(weight, sum(weights))
            yield f"{indent}to {message_label(message)}: {answer} w.p. {short(chance)}"
            yield from _answers(mechanism, row * mechanism.answers + answer + 1, indent + "    ")


def short(chance: Fraction) -> str:
    """A probability as text: the fraction if it is short, else six digits."""
    return str(chance) if len(str(chance)) < 12 else f"{float(chance):.6g}"


def mechanism_drawn(mechanism: ContinualMechanism[Any], heard: frozenset[int] | None) -> Drawn:
    """A tree of a mechanism's answers after each possible history, with probabilities.

    Queries that the verification function does not allow (not in ``heard``) are left out; queries
    with equal answers are drawn together. A mechanism that is no table is drawn as its label.
    """
    if not isinstance(mechanism, TableMechanism):
        return Drawn(message_label(mechanism), "creates")
    return Drawn(mechanism.name, "creates", _questions(mechanism, 0, heard))


def _questions(
    mechanism: TableMechanism, history: int, heard: frozenset[int] | None
) -> tuple[tuple[str, Drawn], ...]:
    groups: dict[tuple[tuple[str, Drawn], ...], list[str]] = {}
    for place, message in enumerate(mechanism.inputs):
        row = history * len(mechanism.inputs) + place
        first = row * mechanism.answers + 1
        weights = mechanism.weights[row] if row < len(mechanism.weights) else ()
        if weights and (heard is None or first in heard):
            whole = sum(weights)
            answers = tuple(
                (
                    short(Fraction(weight, whole)),
                    Drawn(str(a), "answers", _questions(mechanism, first + a, heard)),
                )
                for a, weight in enumerate(weights)
                if weight
            )
            groups.setdefault(answers, []).append(message_label(message))
    return tuple(
        ("", Drawn(f"asked {' or '.join(labels)}", "says", answers))
        for answers, labels in groups.items()
    )


def strategy_drawn(adversary: StrategyAdversary) -> Drawn:
    """An adversary's messages after each answer, and where it accuses, as a tree."""
    return _StrategyDrawer(adversary).drawn(0)


class _StrategyDrawer:
    def __init__(self, adversary: StrategyAdversary) -> None:
        self._adversary, self._nodes = adversary, adversary.nodes
        self._again, self._met = adversary.repeated(), set[int]()
        self._alike = adversary.alike

    def drawn(self, number: int) -> Drawn:
        """The tree to draw for a node of the adversary's strategy and all nodes below it."""
        node = self._nodes[number]
        if node.message is HALT:
            return self._verdict(node.accuses)
        name = f"[{number}] " if number in self._again else ""
        if number in self._met:
            return Drawn(f"as at {name}".rstrip(), "more")
        self._met.add(number)
        texts, node = self._creations(node)
        branches = [(message_label(answer), self.drawn(to)) for answer, to in node.branches]
        if node.halt is not None:
            branches.insert(0, (message_label(HALT), self._verdict(node.halt)))
        if texts:
            return Drawn(f"{name}create {', '.join(texts)}", "creates", tuple(branches))
        return Drawn(name + message_text(node.message), _kind(node), tuple(branches))

    def _creations(self, node: StrategyNode) -> tuple[list[str], StrategyNode]:
        """The names of the mechanisms that are created one after another from a node on, and the
        first node after these creations."""
        texts: list[str] = []
        while (name := _created(node)) is not None:
            texts.append(name)
            to = node.branches[0][1] if len(node.branches) == 1 else -1
            if to < 0 or to in self._again or node.halt is not None:
                break
            if _created(self._nodes[to]) is None:
                break
            node = self._nodes[to]
        return texts, node

    def _verdict(self, accuses: bool) -> Drawn:
        return Drawn(
            self._adversary.verdict(accuses, self._alike), "accuses" if accuses else "stops"
        )


def _created(node: StrategyNode) -> str | None:
    """The name of the mechanism that the node's message creates; None for other messages, and where
    the worlds differ."""
    message: object = node.message
    if type(message) is not Pair or not identical(message.zero, message.one):
        return None
    made: object = message.zero
    if not isinstance(made, Create):
        return None
    own: object = made.mechanism
    return own.name if type(own) is TableMechanism else message_label(own)


def _kind(node: StrategyNode) -> str:
    message: object = node.message
    alike = type(message) is not Pair or identical(message.zero, message.one)
    return "says" if alike else "differs"


_COLOURS: Final = {
    "creates": ("#e8f5ee", "#7db598", "#0f172a"), "says": ("#f6f8fb", "#94a3b8", "#334155"),
    "differs": ("#fdf1e3", "#d9a25f", "#9a3412"), "answers": ("#eaf0f8", "#8aa5c9", "#1d5fa8"),
    "accuses": ("#fee9e7", "#d98a83", "#b42318"), "stops": ("#ffffff", "#cbd5e1", "#64748b"),
    "more": ("#ffffff", "#ffffff", "#64748b"),
}  # fmt: skip
"""The colours of each kind of node: of its background, its border and its text."""
_ROW, _BOX, _GAP, _MARGIN, _LINE = 30.0, 22.0, 24.0, 24.0, 20.0
_SIZE, _SMALL = 12.5, 11.5
_HEAD: Final = 'font-size="14" font-weight="600" fill="#0f172a"'
_SMALLER: Final = 'font-size="12.5" fill="#334155"'
_EDGE: Final = f'font-size="{_SMALL}" fill="#475569" text-anchor="end"'
_WIDEST: Final = 1400.0
"""The largest width of a page on which trees stand side by side."""
_LEAVES: Final = 40
"""The largest number of leaves that are drawn; further leaves are folded into one."""
_LONGEST: Final = 40


@attrs.frozen
class _Tree:
    """A tree with its layout: where the nodes of each depth begin, and the total width."""

    root: Drawn
    columns: tuple[float, ...]
    width: float

    @property
    def height(self) -> float:
        return self.root.leaves * _ROW


_Placed: TypeAlias = tuple[float, float, _Tree]
"""The type of a tree and its place on the page: (x, y) of its top left corner, and the tree."""


def sheet(title: Sequence[str], left: Sequence[Drawn], right: Sequence[Drawn]) -> str:
    """An SVG page with one tree below another on the left, and the other trees beside them, or
    below if the page is too wide."""
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
    return svg_sheet(title[0] if title else "", width, height, _lines(title, places))


def _stacked(trees: Sequence[_Tree], x: float, y: float) -> list[_Placed]:
    placed: list[_Placed] = []
    for each in trees:
        placed.append((x, y, each))
        y += each.height + _MARGIN / 2
    return placed


def _end(places: Sequence[_Placed], top: float) -> float:
    return max((y + each.height for _, y, each in places), default=top)


def _measured(root: Drawn) -> _Tree:
    """The layout of a tree: the nodes of each depth begin to the right of the widest texts of the
    depth above."""
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


def _lines(title: Sequence[str], places: Sequence[_Placed]) -> Iterator[str]:
    for number, line in enumerate(title):
        style = _HEAD if number == 0 else _SMALLER
        yield svg_text(_MARGIN, _MARGIN + _LINE * number, line, style)
    for x, y, tree in places:
        yield from _tree(tree, tree.root, 0, x, y)


def _tree(tree: _Tree, node: Drawn, depth: int, x: float, y: float) -> Iterator[str]:
    """The SVG elements of a node, its edges, and the tree below it, from the height y downwards."""
    here, top = x + tree.columns[depth], y
    middle = _middle(node, y)
    for edge, below in node.branches:
        start, end = here + _width(node), x + tree.columns[depth + 1]
        there = _middle(below, top)
        # The edge is a curve up to this point, and then a straight line below its text.
        bend = end - text_width(edge, _SMALL) - 12
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
    yield svg_box(here, middle - _BOX / 2, _width(node), _BOX, fill, line, 5)
    text = shorten(node.text, _LONGEST)
    yield svg_text(here + 8, middle + 4.5, text, f'font-size="{_SIZE}" fill="{ink}"')


def _middle(node: Drawn, y: float) -> float:
    """The height at which a node is drawn: midway between its first and its last child."""
    if not node.branches:
        return y + _ROW / 2
    last = node.branches[-1][1]
    above = sum(below.leaves for _, below in node.branches[:-1])
    return (_middle(node.branches[0][1], y) + _middle(last, y + above * _ROW)) / 2
