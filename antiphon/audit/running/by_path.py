"""Files that were run by their path: modules that another process cannot import by name."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Final, TypeAlias

Files: TypeAlias = tuple[tuple[str, str], ...]
"""The name of a module, and the file that it was made of."""

_run: Final[dict[str, str]] = {}


def run_file(path: Path, name: str | None = None) -> ModuleType:
    """Run a file; its module. What it prints goes to standard error.

    It may import what lies beside it, as a script may, but shadows no other module so.
    Raises: FileNotFoundError, and whatever the file raises.
    """
    name = name or f"_antiphon_with_{path.stem}"
    spec = spec_from_loader(name, SourceFileLoader(name, str(path)))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    directory = str(path.absolute().parent)
    if directory not in sys.path:
        sys.path.append(directory)
    with redirect_stdout(sys.stderr):
        spec.loader.exec_module(module)
    _run[name] = str(path.absolute())
    return module


def files_run() -> Files:
    """What has been run in this process, for another one to do the same."""
    return tuple(_run.items())


def run_again(files: Iterable[tuple[str, str]]) -> None:
    """Run what this process has not run yet. Raises: ImportError where a file is missing."""
    for name, path in files:
        if _run.get(name) == path:
            continue
        try:
            run_file(Path(path), name)
        except FileNotFoundError:
            raise ImportError(f"there is no file {path} where this worker runs") from None
