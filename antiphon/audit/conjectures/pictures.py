"""How what refutes a conjecture is drawn: mechanisms as trees, beside their adversary."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from html import escape
from typing import Any, Final

from antiphon.audit.conjectures.tables import TableMechanism
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.records.labels import message_label, shorten
from antiphon.protocol.records.svg import FONT

_LINE: Final = 18.0
_LETTER: Final = 7.3
_LONGEST: Final = 110


def mechanism_tree(mechanism: ContinualMechanism[Any]) -> str:
    """What it answers after each history that can be, with which probability; or what it is."""
    if not isinstance(mechanism, TableMechanism):
        return message_label(mechanism, _LONGEST)
    return "\n".join([f"{message_label(mechanism)} answers", *_answers(mechanism, 0, "  ")])


def _answers(mechanism: TableMechanism, state: int, indent: str) -> Iterator[str]:
    count = len(mechanism.inputs)
    for place, message in enumerate(mechanism.inputs):
        row = state * count + place
        weights = mechanism.weights[row] if row < len(mechanism.weights) else ()
        likely = [(answer, weight) for answer, weight in enumerate(weights) if weight]
        for answer, weight in likely:
            chance = Fraction(weight, sum(weights))
            yield f"{indent}to {message_label(message)}: {answer} w.p. {_short(chance)}"
            yield from _answers(mechanism, row * mechanism.answers + answer + 1, indent + "    ")


def _short(chance: Fraction) -> str:
    return str(chance) if len(str(chance)) < 12 else f"{float(chance):.6g}"


def beside(title: list[str], left: str, right: str) -> str:
    """Two texts side by side under a title: SVG without scripts, links or outside fonts."""
    columns = [[shorten(line, _LONGEST) for line in text.splitlines()] for text in (left, right)]
    widths = [_LETTER * max(map(len, column), default=0) + 40 for column in columns]
    top = 34 + _LINE * len(title)
    height = top + _LINE * max(map(len, columns)) + 24
    width = max(sum(widths), _LETTER * max(map(len, title), default=0)) + 24
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'font-family="{FONT}" font-size="13">',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
        *(_text(20, 26 + _LINE * number, line, "") for number, line in enumerate(title)),
    ]
    for column, x in zip(columns, (20.0, 20.0 + widths[0]), strict=True):
        for number, line in enumerate(column):
            y = top + _LINE * (number + 1)
            lines.append(_text(x, y, line, ' font-family="monospace" font-size="12"'))
    return "\n".join([*lines, "</svg>"])


def _text(x: float, y: float, text: str, style: str) -> str:
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" fill="#334155" xml:space="preserve"{style}>'
        f"{escape(text)}</text>"
    )
