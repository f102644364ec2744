"""A derivation as plain text, Markdown, JSON, a Mermaid flowchart, or a drawn SVG tree.

In a picture every text is escaped, users' texts too.
"""

from collections.abc import Iterator
from fractions import Fraction
from textwrap import wrap
from typing import Final

import attrs

from antiphon.composition.accounting.bounds import exact_point
from antiphon.composition.accounting.curve import points
from antiphon.composition.guarantees.derivation import Derivation, Mark, Premise
from antiphon.composition.guarantees.mechanised import FILE
from antiphon.numbers import exact, shown_up
from antiphon.protocol import Mechanism, Status, message_label
from antiphon.protocol.records.svg import mermaid_escaped, svg_box, svg_sheet, svg_text, text_width

SIGNS: Final = {
    Mark.CHECKED: "✓", Mark.ENFORCED: "▸", Mark.PROVED: "∎", Mark.MACHINE_CHECKED: "⊢",
    Mark.GIVEN: "=", Mark.ASSUMED: "?", Mark.FAILED: "✗",
}  # fmt: skip
_EPSILONS: Final = (Fraction(1, 10), Fraction(1), Fraction(10))
_WIDE: Final = 160


def headline(system: Mechanism, derivation: Derivation) -> str:
    """A one-sentence summary: the system, its guarantee, and the f it is about."""
    known = exact_point(derivation.curve)
    if known is not None:
        promise = f"{_exactly(known[0])}, {_exactly(known[1])}"
    else:
        promise = ", ".join(map(shown_up, points(derivation.curve)[0]))
    about = message_label(derivation.verification, _WIDE)
    return f"{message_label(system, _WIDE)} is ({promise})-DP with respect to {about}"


def _exactly(value: exact.ExactEpsilon) -> str:
    """An exact number as text: a short decimal if it equals one, else the number's own notation.

    >>> _exactly(Fraction(1, 10)), _exactly(Fraction(1, 3)), _exactly(exact.Log(3))
    ('0.1', '1/3', 'ln 3')
    """
    if not isinstance(value, exact.Log):
        decimal = shown_up(value, 10)
        if Fraction(decimal) == value:
            return decimal
    return message_label(value)


def status(derivation: Derivation) -> str:
    """The status, with the number of premises that are only assumed."""
    if derivation.status is not Status.ASSUMED:
        return str(derivation.status.value)
    count = len(list(derivation.marked(Mark.ASSUMED)))
    return f"assumed: {count} premise{'s' if count > 1 else ''} could not be checked"


def figures(derivation: Derivation) -> Iterator[str]:
    """The guarantee at some points (ε, δ) of its curve, one text each."""
    for epsilon, delta in points(derivation.curve):
        yield f"ε = {shown_up(epsilon)} at δ = {shown_up(delta)}"


def as_text(system: Mechanism, derivation: Derivation) -> str:
    """The derivation as plain text: an indented tree."""
    lines = [headline(system, derivation), f"status: {status(derivation)}"]
    lines += [f"  {each}" for each in figures(derivation)]
    premises = (each for step in derivation.steps for each in step.premises)
    lines += ["", *_tree(derivation, "", ""), "", _legend(premises), *kernel(derivation)]
    return "\n".join(lines)


KERNEL: Final = "∎ kernel"
"""The mark beside a step of a derivation that is covered by a machine-checked Coq theorem."""


def cited(derivation: Derivation) -> str:
    """The theorem that a step cites, with a mark if Coq has checked it."""
    known = derivation.mechanised
    return derivation.theorem if known is None else f"{derivation.theorem} [{KERNEL}]"


def kernel(derivation: Derivation) -> Iterator[str]:
    """The legend of the mark ∎ kernel: the machine-checked theorems, and what they leave out."""
    known = [each.mechanised for each in derivation.steps]
    found = list(dict.fromkeys(each for each in known if each is not None))
    if found:
        names = ", ".join(each.name for each in found)
        out = dict.fromkeys(text for each in found for text in each.leaves_out)
        yield f"{KERNEL}: checked by Coq ({FILE}: {names}); its model leaves out " + "; ".join(out)


def _tree(derivation: Derivation, first: str, rest: str) -> Iterator[str]:
    yield f"{first}{cited(derivation)}: {derivation.statement}"
    bar = "│ " if derivation.parts else "  "
    for premise in derivation.premises:
        yield f"{rest}{bar}{SIGNS[premise.mark]} {premise_line(premise)}"
    for place, part in enumerate(derivation.parts):
        last = place == len(derivation.parts) - 1
        yield from _tree(part, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  "))


def premise_line(premise: Premise) -> str:
    """A premise and its evidence, in one line of text."""
    return f"{premise.text} ({premise.evidence})" if premise.evidence else premise.text


def _legend(marked: Iterator[Premise]) -> str:
    rare = {Mark.FAILED, Mark.MACHINE_CHECKED} - {each.mark for each in marked}
    return ", ".join(f"{SIGNS[mark]} {mark.value}" for mark in Mark if mark not in rare)


def as_markdown(system: Mechanism, derivation: Derivation) -> str:
    """The derivation as nested Markdown lists."""
    lines = [f"**{_escaped(headline(system, derivation))}**", ""]
    lines += [f"Status: *{_escaped(status(derivation))}*", ""]
    lines += ["| ε | δ |", "|---|---|"]
    lines += [f"| {shown_up(e)} | {shown_up(d)} |" for e, d in points(derivation.curve)]
    lines += ["", *_items(derivation, 0)]
    return "\n".join([*lines, *(f"\n{_escaped(each)}" for each in kernel(derivation))])


def _items(derivation: Derivation, depth: int) -> Iterator[str]:
    indent = "  " * depth
    yield f"{indent}- **{_escaped(cited(derivation))}**: {_escaped(derivation.statement)}"
    for premise in derivation.premises:
        yield f"{indent}  - *{premise.mark.value}*: {_escaped(premise_line(premise))}"
    for part in derivation.parts:
        yield from _items(part, depth + 1)


def _escaped(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in text)


def as_dict(system: Mechanism, derivation: Derivation) -> dict[str, object]:
    """The derivation as JSON-ready data."""
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
    known = derivation.mechanised
    return {
        "theorem": derivation.theorem,
        "mechanised": None if known is None else known.to_dict(),
        "statement": derivation.statement,
        "verification": message_label(derivation.verification, 400),
        "status": derivation.status.value,
        "premises": [each.to_dict() for each in derivation.premises],
        "parts": [_node(part) for part in derivation.parts],
    }


_COLOURS: Final = {
    Mark.CHECKED: "#0f766e", Mark.ENFORCED: "#1d5fa8", Mark.PROVED: "#334155",
    Mark.MACHINE_CHECKED: "#166534", Mark.GIVEN: "#7c3aed", Mark.ASSUMED: "#c2410c",
    Mark.FAILED: "#b42318",
}  # fmt: skip
_LINE: Final = 19.0
_STEP: Final = 34.0
"""The indentation of a part below its step in the picture, in pixels."""
_LONGEST: Final = 130
_INDENT: Final = "\u00a0" * 4
"""The indentation of continuation lines in a picture: non-breaking spaces, which SVG keeps."""


@attrs.frozen
class _Box:
    """A box of the drawn derivation: one step, its depth, and the index of the box above."""

    derivation: Derivation
    depth: int
    above: int | None
    y: float

    @property
    def lines(self) -> list[tuple[str, str]]:
        """The texts below the title of the box, each with its colour."""
        said = [(self.derivation.statement, "#334155")]
        for each in self.derivation.premises:
            said.append((f"{SIGNS[each.mark]} {premise_line(each)}", _COLOURS[each.mark]))
        return [(line, colour) for text, colour in said for line in _folded(text)]

    @property
    def height(self) -> float:
        return 30 + _LINE * len(self.lines) + 6

    @property
    def width(self) -> float:
        texts = [text for text, _ in self.lines]
        widths = [text_width(cited(self.derivation), 14.5), *(text_width(t, 12) for t in texts)]
        return max(widths) + 28

    @property
    def x(self) -> float:
        return 24 + self.depth * _STEP


def _folded(text: str) -> list[str]:
    """A text wrapped into lines, with continuation lines indented."""
    text = "".join(c if c.isprintable() else "·" for c in text)
    return wrap(text, _LONGEST, subsequent_indent=_INDENT) or [""]


def _boxes(derivation: Derivation) -> list[_Box]:
    """The boxes of a derivation in drawing order, each part below its step."""
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
    """A self-contained SVG picture: no scripts, no links, no outside fonts."""
    title = _folded(headline(system, derivation))
    under = _folded("; ".join((status(derivation), *figures(derivation), *kernel(derivation))))
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
            above = boxes[box.above]
            yield (
                f'<path d="M{above.x + _STEP / 2:.1f},{above.y + above.height:.1f} '
                f'V{box.y + 17:.1f} H{box.x:.1f}" fill="none" stroke="#94a3b8" '
                'stroke-width="1.3"/>'
            )
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
    yield svg_text(box.x + 14, box.y + 22, cited(box.derivation), style)
    for number, (text, colour) in enumerate(box.lines, start=1):
        y = box.y + 22 + number * _LINE
        yield svg_text(box.x + 14, y, text, f'font-size="12" fill="{colour}"')


def as_mermaid(derivation: Derivation) -> str:
    """The derivation as the text of a Mermaid flowchart; assumed premises are outlined."""
    lines, boxes = ["flowchart TD"], _boxes(derivation)
    for place, box in enumerate(boxes):
        texts = [cited(box.derivation), *(text for text, _ in box.lines)]
        lines.append(f'    D{place}["{"<br/>".join(map(mermaid_escaped, texts))}"]')
        if any(each.mark is Mark.ASSUMED for each in box.derivation.premises):
            lines.append(f"    style D{place} stroke:#c2410c,stroke-width:3px")
    pairs = [(box.above, place) for place, box in enumerate(boxes) if box.above is not None]
    return "\n".join([*lines, *(f"    D{above} --> D{place}" for above, place in pairs)]) + "\n"
