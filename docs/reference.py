"""``docs/reference.md``: every public name once, with a line of its docstring.

``python docs/reference.py`` writes the page from the ``__all__`` of the rooms; a test compares.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import antiphon

PAGE = Path(__file__).with_name("reference.md")
UNLISTED = (
    "antiphon.protocol.spaces", "antiphon.interop.dp_accounting", "antiphon.interop.opendp",
)  # fmt: skip
"""Files that list no names, as all that they define is public."""
STOP = re.compile(r"(?<!App)(?<!w\.r\.t)(?<=[^.])\.\s+(?=[A-Z`*])")
"""Where a sentence ends."""
HEAD = """# Every public name

Each name has one home and stands here once: `ap` (`import antiphon as ap`) has what one begins
with, a room the rest, and a room within a room what is in neither. In full, with arguments:
[the reference](api/antiphon.md). This page is written by `python docs/reference.py`.

```{toctree}
:hidden:
:glob:

api/*
```
"""


def homes() -> Iterator[ModuleType]:
    """The package, and the rooms in it that list names."""
    yield antiphon
    found = pkgutil.walk_packages(antiphon.__path__, "antiphon.")
    rooms = [each.name for each in found if each.ispkg or each.name in UNLISTED]
    yield from filter(names, map(importlib.import_module, sorted(rooms, key=address)))


def address(room: str) -> str:
    """What stands before the names of a room: ``ap.spaces`` for antiphon.protocol.spaces."""
    return re.sub(r"^antiphon\b", "ap", room).replace("ap.protocol.spaces", "ap.spaces")


def names(room: ModuleType) -> list[str]:
    """The public names of a room, as one looks them up."""
    listed = getattr(room, "__all__", ())
    if room.__name__ in UNLISTED:
        listed = _own(room)
    return sorted(listed, key=lambda name: (name.lower(), name))


def _own(module: ModuleType) -> Iterator[str]:
    """What a file defines and no room above it lists: classes, functions, values of a class."""
    above = importlib.import_module(module.__name__.rpartition(".")[0])
    homes = [antiphon, above]
    for name, thing in vars(module).items():
        if any(name in home.__all__ and vars(home).get(name) is thing for home in homes):
            continue
        made = thing if inspect.isclass(thing) or inspect.isfunction(thing) else type(thing)
        if not name.startswith("_") and made.__module__ == module.__name__:
            yield name


def line(room: ModuleType, name: str) -> str:
    """What a name is, in the first sentence of what is said of it."""
    thing = getattr(room, name)
    told = inspect.isclass(thing) or inspect.ismodule(thing) or inspect.isroutine(thing)
    return _sentence((inspect.getdoc(thing) if told else _below(room, name)) or _shown(thing))


def _sentence(text: str) -> str:
    """The first sentence, fit for a cell of a table."""
    first = " ".join(text.split("\n\n")[0].split())
    sentence = re.sub(r"(,? where)?[.:]?$", "", STOP.split(first)[0])
    return sentence.replace("``", "`").replace("|", "\\|")


def _shown(value: object) -> str:
    """A constant of which nothing is said: its value, with the bare names of classes."""
    bare = re.sub(r"<class '([\w.]+)'>", r"\1", repr(value))
    return "`" + re.sub(r"(?:[a-z]\w*\.)+", "", bare) + "`"


def _below(room: ModuleType, name: str) -> str:
    """The text that stands below a constant, in the file that a room takes it from."""
    for node in ast.parse(inspect.getsource(room)).body:
        if isinstance(node, ast.ImportFrom) and name in {each.name for each in node.names}:
            return _below(importlib.import_module(node.module or ""), name)
    assigned = rf'^{name}\b[^\n]* = (?:[^"\n]|"(?!""))*?\n(?:[ )\]}}][^\n]*\n)*"""(.*?)"""'
    found = re.search(assigned, inspect.getsource(room), re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def section(room: ModuleType) -> str:
    """The names of one home, in a table."""
    short = address(room.__name__)
    rows = [f"| `{short}.{name}` | {line(room, name)} |" for name in names(room)]
    told = _sentence(inspect.getdoc(room) or "")
    return "\n".join([f"## {short}", "", f"{told}.", "", "| name | |", "|---|---|", *rows, ""])


def page() -> str:
    """The page as the rooms are now."""
    return "\n".join([HEAD, *map(section, homes())])


if __name__ == "__main__":
    PAGE.write_text(page())
