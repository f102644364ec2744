"""Subpackages ("rooms"): the names that ``dir`` shows of them, and modules found by folder.

A room adds commands, theorems, specimens and patterns by its files. ``found("theorems")`` loads
every file in a folder ``antiphon/ROOM/theorems``, and the files ``antiphon/ROOM/theorems.py``. So
a room is added or removed by its folder alone, and no list of rooms exists.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Final


def shows(names: Sequence[str], *rooms: str) -> Callable[[], list[str]]:
    """A ``__dir__`` for a module: its public names and its public subpackages (rooms).

    >>> shows(["b"], "a")()
    ['a', 'b']
    """
    return lambda: sorted({*names, *rooms})


_PACKAGE: Final = Path(__file__).parent.parent


def found(folder: str) -> list[ModuleType]:
    """Import the modules antiphon/ROOM/FOLDER/*.py and antiphon/ROOM/FOLDER.py of all subpackages
    ROOM, for this ``folder``; returns them in order."""
    return [import_module(name) for name, _ in _files(folder)]


def found_alone(folder: str) -> Iterator[ModuleType]:
    """The modules of ``found``, without importing their parent packages, as that takes a second."""
    for name, path in _files(folder):
        yield sys.modules[name] if name in sys.modules else load_file(path, name)


def _files(folder: str) -> Iterator[tuple[str, Path]]:
    for path in sorted([*_PACKAGE.glob(f"*/{folder}/[a-z]*.py"), *_PACKAGE.glob(f"*/{folder}.py")]):
        yield ".".join(("antiphon", *path.relative_to(_PACKAGE).with_suffix("").parts)), path


def load_file(path: Path, name: str) -> ModuleType:
    """Run a file as the module of this name, whatever the file's extension.

    Raises: FileNotFoundError, and any error of the file's code.
    """
    spec = spec_from_loader(name, SourceFileLoader(name, str(path)))
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
