"""Rooms: what ``dir`` shows of one, and files that are found.

A room adds commands, theorems, specimens and patterns by its files. ``found("theorems")`` loads
what stands in any folder ``antiphon/ROOM/theorems``. So a room is added, and taken away, with all
that it adds, and no list names it.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Final


def shows(names: Sequence[str], *rooms: str) -> Callable[[], list[str]]:
    """The ``__dir__`` of a module: its public names, and the rooms in it that have some too.

    >>> shows(["b"], "a")()
    ['a', 'b']
    """
    return lambda: sorted({*names, *rooms})


_PACKAGE: Final = Path(__file__).parent.parent


def found(folder: str) -> list[ModuleType]:
    """The modules in the folders of this name, of all rooms and by their names; each is loaded."""
    return [
        import_module(each.name)
        for place in sorted(_PACKAGE.glob(f"*/{folder}"))
        for each in walk_packages([str(place)], f"antiphon.{place.parent.name}.{folder}.")
        if not each.ispkg
    ]


def found_alone(folder: str) -> Iterator[ModuleType]:
    """The same without the rooms that they stand in, which take a second to load."""
    for path in sorted(_PACKAGE.glob(f"*/{folder}/[a-z]*.py")):
        name = ".".join(("antiphon", *path.relative_to(_PACKAGE).with_suffix("").parts))
        yield sys.modules[name] if name in sys.modules else load_file(path, name)


def load_file(path: Path, name: str) -> ModuleType:
    """Run a file as the module of this name, whatever its own name ends with.

    Raises: FileNotFoundError, and whatever the file raises.
    """
    spec = spec_from_loader(name, SourceFileLoader(name, str(path)))
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
