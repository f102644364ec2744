"""Names in pages lead to the reference: `ap.View`, `TreeCounter`, `ap.mechanisms.check_query`."""

from __future__ import annotations

import importlib
import re
from functools import cache
from typing import Any

BREAKS = re.compile(r"(?<=[._(,=/])(?=[A-Za-z])")
"""Where a name in a table may be broken."""


def link_names(app: Any, doctree: Any, docname: str) -> None:
    """Sphinx's hook: what stands in backticks and is in the reference becomes a link to it."""
    from docutils import nodes

    for literal in list(doctree.findall(nodes.literal)):
        text = literal.astext()
        found = target(app.env, text)
        if within(literal, nodes.table):
            literal.clear()
            literal.extend(breakable(text))
        if found is None or within(literal, nodes.reference) or found[0] == docname:
            continue
        uri = app.builder.get_relative_uri(docname, found[0]) + "#" + found[1]
        link = nodes.reference("", "", refuri=uri, internal=True)
        literal.replace_self(link)
        link += literal


def within(node: Any, kind: type) -> bool:
    """Whether it stands in one of a kind."""
    while (node := node.parent) is not None:
        if isinstance(node, kind):
            return True
    return False


def breakable(text: str) -> list[Any]:
    """A name, with places where a line may end."""
    from docutils import nodes

    first, *rest = BREAKS.split(text)
    parts: list[Any] = [nodes.Text(first)]
    for part in rest:
        parts += [nodes.raw("", "<wbr>", format="html"), nodes.Text(part)]
    return parts


def target(env: Any, text: str) -> tuple[str, str] | None:
    """The page and the anchor of a name, or of what is called: `TreeCounter(horizon=8)`."""
    text = text.removeprefix("@")
    name = re.match(r"[A-Za-z_][\w.]*", text)
    if name is None or not re.fullmatch(r"[\w.]+(\(.*\))?", text):
        return None
    objects = env.domains.python_domain.objects
    if name[0].startswith(("ap.", "antiphon.")):
        names = full_name(re.sub(r"^ap\.", "antiphon.", name[0]))
        found = next((each for each in names if each in objects), None)
    else:
        found = by_last_word(env).get(name[0]) if name[0][0].isupper() else None
    return None if found is None else (objects[found].docname, objects[found].node_id)


@cache
def full_name(name: str) -> list[str]:
    """The names under which the reference may have it: as it is written, or where it is shown."""
    from plain import ROOMS

    last = name.rpartition(".")[2]
    rooms = (importlib.import_module(room) for room in ROOMS)
    thing = attribute(name)
    return [name, *(f"{each.__name__}.{last}" for each in rooms if same(each, last, thing))]


def attribute(name: str) -> Any:
    """What a dotted name stands for; None where it is no more."""
    first, *rest = name.split(".")
    found: Any = importlib.import_module(first)
    for number, part in enumerate(rest, 1):
        if not hasattr(found, part):
            try:
                found = importlib.import_module(".".join([first, *rest[:number]]))
            except ImportError:
                return None
        else:
            found = getattr(found, part)
    return found


def same(room: Any, last: str, thing: Any) -> bool:
    """Whether a room has this very thing under this name."""
    return thing is not None and getattr(room, last, None) is thing


_WORDS: dict[int, dict[str, str]] = {}


def by_last_word(env: Any) -> dict[str, str]:
    """Classes by their own names, those that are unique."""
    if id(env) not in _WORDS:
        seen: dict[str, list[str]] = {}
        for full, entry in env.domains.python_domain.objects.items():
            if entry.objtype in ("class", "exception") and not entry.aliased:
                seen.setdefault(full.rpartition(".")[2], []).append(full)
        _WORDS[id(env)] = {word: names[0] for word, names in seen.items() if len(names) == 1}
    return _WORDS[id(env)]
