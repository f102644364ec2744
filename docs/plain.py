"""What Sphinx is told of docstrings: they are plain words, and each thing stands on one page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import reference

ROOMS = [room.__name__ for room in reference.homes()]
"""What the reference shows: each name in its home."""
LABEL = re.compile(r"([A-Z][a-z]+): (?=\S)")
"""Privacy: …, Source: …, Raises: …: a paragraph each."""

CODE = re.compile(r"``.+?``|`[^`]+`")
STRESSED = re.compile(r"(?<![\w*°∘)])\*[A-Za-z][\w ,'-]*\*(?![\w*])")


def as_rst(app: Any, kind: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Sphinx's hook: a docstring, in place."""
    lines[:] = list(rst(lines))


def shown_elsewhere(
    app: Any, kind: str, name: str, thing: Any, skip: bool, options: Any
) -> bool | None:
    """Sphinx's hook: whether an earlier room shows it; None where Sphinx is to decide."""
    here = app.env.temp_data.get("autodoc:module")
    if kind != "module" or here not in ROOMS:
        return None
    earlier = map(import_module, ROOMS[: ROOMS.index(here)])
    shown = (getattr(room, name) for room in earlier if name in reference.names(room))
    return True if any(each is thing for each in shown) else None


def signature(
    app: Any, kind: str, name: str, thing: Any, options: Any, arguments: str | None, answer: Any
) -> tuple[str | None, Any]:
    """Sphinx's hook: defaults that attrs keeps elsewhere are …"""
    if arguments is not None:
        arguments = re.sub(r"attr_dict\['\w+'\]\.default|\bNOTHING\b", "…", arguments)
    return arguments, answer


def rst(lines: list[str]) -> Iterator[str]:
    """A docstring as reStructuredText: code stays code, and nothing else is markup.

    >>> list(rst(["P ∘* M, as `f_` says", "  of it. Privacy: ε."]))
    ['P ∘\\\\* M, as ``f_`` says', 'of it. Privacy: ε.']
    >>> list(rst(["One.", "Privacy: ε-DP.", "", "    x = 1", ">>> 1"]))
    ['One.', '', '**Privacy:** ε-DP.', '', '::', '', '    x = 1', '', '>>> 1']
    """
    kind = before = "blank"
    for line in lines:
        before, kind = kind, _kind(line, kind)
        if kind == "blank":
            yield ""
            continue
        if kind != before and (before != "blank" or kind == "block"):
            yield from ["::", ""] if kind == "block" else [""]
        if kind == "item" and before == "item" and line.lstrip()[:2] in ("* ", "- "):
            yield ""
        if kind in ("text", "item"):
            text = _escaped(line.strip())
            label = LABEL.match(text) if kind == "text" else None
            if label is not None and before == "text":
                yield ""
            bold = f"**{label[1]}:** {text[label.end() :]}" if label else text
            yield ("  " if kind == "item" and text[:2] not in ("* ", "- ") else "") + bold
        else:
            yield line


def _kind(line: str, before: str) -> str:
    """What a line is, after one of a kind."""
    if not line.strip():
        return "blank"
    if line.lstrip().startswith(">>>") or before == "doctest":
        return "doctest"
    if line.startswith(("* ", "- ")) or (before == "item" and line.startswith(" ")):
        return "item"
    if line.startswith("    ") and before in ("blank", "block"):
        return "block"
    return "text"


def _escaped(text: str) -> str:
    """Words in which only what stands in backticks means something."""
    bullet = text[:2] if text[:2] in ("* ", "- ") else ""
    parts = re.split(f"({CODE.pattern}|{STRESSED.pattern})", text[len(bullet) :])
    words = [re.sub(r"([\\*|_`]|(?<=\w):(?=\w))", r"\\\1", part) for part in parts[::2]]
    code = [f"``{part.strip('`')}``" if part[0] == "`" else part for part in parts[1::2]]
    between = [*code, ""]
    return bullet + "".join(
        word + quoted + ("\\ " if quoted and after[:1].isalnum() else "")
        for word, quoted, after in zip(words, between, [*words[1:], ""], strict=True)
    )
