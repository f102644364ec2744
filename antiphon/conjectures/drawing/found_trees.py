"""Mechanisms that are tables, and adversaries that are strategies, as trees to be drawn."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import attrs

from antiphon.audit.exact.strategy import StrategyAdversary, StrategyNode, said
from antiphon.composition.creation import Create
from antiphon.conjectures.patterns.pattern import Pattern
from antiphon.conjectures.tables import TableMechanism
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import HALT, Pair, identical
from antiphon.protocol.records.labels import message_label


@attrs.frozen
class Drawn:
    """A node: its text, the colours it has, and what follows: the text of an edge, and a node."""

    text: str
    kind: str
    branches: tuple[tuple[str, Drawn], ...] = ()
    leaves: int = attrs.field(init=False, eq=False, repr=False)
    """How many ends there are below, or 1 if it is one."""

    @leaves.default  # pyright: ignore
    def _counted(self) -> int:
        return sum(below.leaves for _, below in self.branches) or 1


def folded(tree: Drawn, room: int) -> Drawn:
    """The tree with at most so many leaves: what there is no room for is "… n more".

    Small branches are shown whole as far as they can be, so that large ones share what is left.
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
    """Room for each: all that it wants, or its share of what smaller ones leave."""
    given = [0] * len(wanted)
    for rank, place in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        given[place] = min(wanted[place], room // (len(wanted) - rank))
        room -= given[place]
    return given


def mechanism_tree(mechanism: ContinualMechanism[Any]) -> str:
    """What it answers after each history that can be, with which probability; or what it is."""
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
    """As it is, or six digits of it."""
    return str(chance) if len(str(chance)) < 12 else f"{float(chance):.6g}"


def mechanism_drawn(mechanism: ContinualMechanism[Any], pattern: Pattern) -> Drawn:
    """What it answers to what it may be asked, after each history that can be, and how likely.

    What f' lets nobody ask is left out; questions that are answered alike stand together. Of one
    that is no table, what it is.
    """
    if not isinstance(mechanism, TableMechanism):
        return Drawn(message_label(mechanism), "creates")
    return Drawn(mechanism.name, "creates", _questions(mechanism, 0, pattern.heard(mechanism)))


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
    """What it says after each answer, and where it accuses; what repeats is drawn once."""
    return _StrategyDrawer(adversary).drawn(0)


class _StrategyDrawer:
    def __init__(self, adversary: StrategyAdversary) -> None:
        self._nodes, self._bit = adversary.nodes, adversary.bit
        self._met: set[int] = set()
        met: set[int] = set()
        self._again: set[int] = set()
        for node in adversary.nodes:
            for _, to in node.branches:
                (self._again if to in met else met).add(to)

    def drawn(self, number: int) -> Drawn:
        """The tree from a node on."""
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
        return Drawn(name + said(node.message), _kind(node), tuple(branches))

    def _creations(self, node: StrategyNode) -> tuple[list[str], StrategyNode]:
        """The names of what is created in a row, and the last node of that row."""
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
        return Drawn(f"accuse b = {self._bit}", "accuses") if accuses else Drawn("stop", "stops")


def _created(node: StrategyNode) -> str | None:
    """The name of the mechanism that is created alike in both worlds."""
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
