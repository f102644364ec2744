"""Subpackages ("rooms") of Antiphon: the names that ``dir`` shows of them, and modules found by
folder.

A room adds commands, theorems and examples by its files: ``found("theorems")`` loads the modules of
every folder ``antiphon/ROOM/theorems``. So a room can be added or removed by its folder alone.
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
    """A ``__dir__`` for a module: its public names and its public subpackages (rooms).

    >>> shows(["b"], "a")()
    ['a', 'b']
    """
    return lambda: sorted({*names, *rooms})


_PACKAGE: Final = Path(__file__).parent.parent


def found(folder: str) -> list[ModuleType]:
    """The modules in all folders of this name, of every room (subpackage); each is imported."""
    return [
        import_module(each.name)
        for place in sorted(_PACKAGE.glob(f"*/{folder}"))
        for each in walk_packages([str(place)], f"antiphon.{place.parent.name}.{folder}.")
        if not each.ispkg
    ]


def found_alone(folder: str) -> Iterator[ModuleType]:
    """The modules that ``found`` would give, run without importing their parent packages, which
    would take a second."""
    for path in sorted(_PACKAGE.glob(f"*/{folder}/[a-z]*.py")):
        name = ".".join(("antiphon", *path.relative_to(_PACKAGE).with_suffix("").parts))
        yield sys.modules[name] if name in sys.modules else load_file(path, name)


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
