"""A derivation in words: plain text, Markdown, and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from antiphon.composition.accounting.bounds import exact_point
from antiphon.composition.accounting.curve import points
from antiphon.composition.guarantees.derivation import Derivation, Mark, Premise
from antiphon.numbers import exact
from antiphon.numbers.printed import shown_up
from antiphon.protocol.claims import Status
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.records.labels import message_label

SIGNS: Final = {
    Mark.CHECKED: "✓", Mark.ENFORCED: "▸", Mark.PROVED: "∎", Mark.GIVEN: "=",
    Mark.ASSUMED: "?", Mark.FAILED: "✗",
}  # fmt: skip
_EPSILONS: Final = (Fraction(1, 10), Fraction(1), Fraction(10))
_WIDE: Final = 160


def headline(system: Mechanism, derivation: Derivation) -> str:
    """One sentence: who promises what, w.r.t. which f."""
    known = exact_point(derivation.curve)
    if known is not None:
        promise = f"{_exactly(known[0])}, {_exactly(known[1])}"
    else:
        promise = ", ".join(map(shown_up, points(derivation.curve)[0]))
    about = message_label(derivation.verification, _WIDE)
    return f"{message_label(system, _WIDE)} is ({promise})-DP with respect to {about}"


def _exactly(value: exact.ExactEpsilon) -> str:
    """An exact number: as a short decimal where it is one.

    >>> _exactly(Fraction(1, 10)), _exactly(Fraction(1, 3)), _exactly(exact.Log(3))
    ('0.1', '1/3', 'ln 3')
    """
    if not isinstance(value, exact.Log):
        decimal = shown_up(value, 10)
        if Fraction(decimal) == value:
            return decimal
    return message_label(value)


def status(derivation: Derivation) -> str:
    """Proved, or how many premises are only assumed."""
    if derivation.status is Status.PROVED:
        return "proved"
    count = len(list(derivation.marked(Mark.ASSUMED)))
    return f"assumed: {count} premise{'s' if count > 1 else ''} could not be checked"


def figures(derivation: Derivation) -> Iterator[str]:
    """What is promised, at some points of the curve."""
    for epsilon, delta in points(derivation.curve):
        yield f"ε = {shown_up(epsilon)} at δ = {shown_up(delta)}"


# --- plain text ---------------------------------------------------------------------------------


def as_text(system: Mechanism, derivation: Derivation) -> str:
    """The derivation as an indented tree."""
    lines = [headline(system, derivation), f"status: {status(derivation)}"]
    lines += [f"  {each}" for each in figures(derivation)]
    lines += ["", *_tree(derivation, "", ""), "", _legend()]
    return "\n".join(lines)


def _tree(derivation: Derivation, first: str, rest: str) -> Iterator[str]:
    yield f"{first}{derivation.theorem}: {derivation.statement}"
    bar = "│ " if derivation.parts else "  "
    for premise in derivation.premises:
        yield f"{rest}{bar}{SIGNS[premise.mark]} {shown(premise)}"
    for place, part in enumerate(derivation.parts):
        last = place == len(derivation.parts) - 1
        yield from _tree(part, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  "))


def shown(premise: Premise) -> str:
    """A premise and its evidence, on one line."""
    return f"{premise.text} ({premise.evidence})" if premise.evidence else premise.text


def _legend() -> str:
    return ", ".join(f"{SIGNS[mark]} {mark.value}" for mark in Mark if mark is not Mark.FAILED)


# --- Markdown -----------------------------------------------------------------------------------


def as_markdown(system: Mechanism, derivation: Derivation) -> str:
    """The derivation as nested lists."""
    lines = [f"**{_escaped(headline(system, derivation))}**", ""]
    lines += [f"Status: *{_escaped(status(derivation))}*", ""]
    lines += ["| ε | δ |", "|---|---|"]
    lines += [f"| {shown_up(e)} | {shown_up(d)} |" for e, d in points(derivation.curve)]
    return "\n".join([*lines, "", *_items(derivation, 0)])


def _items(derivation: Derivation, depth: int) -> Iterator[str]:
    indent = "  " * depth
    yield f"{indent}- **{_escaped(derivation.theorem)}**: {_escaped(derivation.statement)}"
    for premise in derivation.premises:
        yield f"{indent}  - *{premise.mark.value}*: {_escaped(shown(premise))}"
    for part in derivation.parts:
        yield from _items(part, depth + 1)


def _escaped(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in text)


# --- JSON ---------------------------------------------------------------------------------------


def as_dict(system: Mechanism, derivation: Derivation) -> dict[str, object]:
    """The derivation as data."""
    curve = derivation.curve
    return {
        "system": message_label(system, 400),
        "verification": message_label(derivation.verification, 400),
        "status": derivation.status.value,
        "theorem": derivation.theorem,
        "curve": {
            "method": curve.method,
            "source": curve.source,
            "floor": curve.floor.upper,
            "points": [{"epsilon": e, "delta": d} for e, d in points(curve)],
            "deltas": [{"epsilon": float(e), "delta": curve.delta_at(e)} for e in _EPSILONS],
        },
        "assumed": [each.text for each in derivation.marked(Mark.ASSUMED)],
        "given": [each.evidence for each in derivation.marked(Mark.GIVEN)],
        "derivation": _node(derivation),
    }


def _node(derivation: Derivation) -> dict[str, object]:
    return {
        "theorem": derivation.theorem,
        "statement": derivation.statement,
        "verification": message_label(derivation.verification, 400),
        "status": derivation.status.value,
        "premises": [each.to_dict() for each in derivation.premises],
        "parts": [_node(part) for part in derivation.parts],
    }
