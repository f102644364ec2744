"""A mechanism that is a table, as the lines of a tree."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from antiphon.audit.conjectures.tables import TableMechanism
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.records.labels import message_label


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
