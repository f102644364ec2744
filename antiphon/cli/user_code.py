"""The import of users' files, such as ``--with FILE.py``; users' code is run in no other way."""

import sys
import traceback
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import ModuleType, UnionType
from typing import Any

from antiphon.audit.running.sending import run_file
from antiphon.numbers.errors import AntiphonError, InvalidArgument, of_kind
from antiphon.numbers.user_files import path_of
from antiphon.protocol.records.labels import name_variables


def import_file(path: Path) -> ModuleType:
    """Run a user's file, whose code may register types; returns its module.

    Objects in its variables get names in transcripts, if they have none (``name_variables``).
    Raises: InvalidArgument if there is no such file, or for any error of its code.
    """
    if not path_of(path).is_file():
        raise InvalidArgument(f"{path}: there is no such file")
    try:
        module = run_file(path)
    except (Exception, SystemExit) as error:
        raise _raised(error, path, _lines(error, path)) from None
    name_variables(module, path.stem)
    return module


def _lines(error: BaseException, path: Path) -> list[int | None]:
    """The numbers of the lines of a user's file in an error's traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    return [frame.lineno for frame in frames if frame.filename == str(path)]


def _raised(error: BaseException, path: Path, lines: list[int | None]) -> InvalidArgument:
    where = f", line {lines[-1]}" if lines else ""
    return InvalidArgument(f"{path}{where}: {type(error).__name__}: {error}")


@contextmanager
def running(path: Path) -> Generator[None, None, None]:
    """Context manager in which a user's file runs: its errors are reported with file and line."""
    try:
        with guarded():
            yield
    except (AntiphonError, OSError):
        raise
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1].filename
        if last != str(path):
            raise
        raise _raised(error, path, _lines(error, path)) from None


def split_target(target: str, verb: str) -> tuple[Path, str]:
    """A path and a name, from the text FILE.py:NAME. Raises: InvalidArgument for another text."""
    path, colon, name = target.rpartition(":")
    if not colon or not path or not name:
        raise InvalidArgument(f"what to {verb} is FILE.py:NAME, not {target[:80]!r}")
    return Path(path), name


def named(module: ModuleType, name: str, kind: type | UnionType, what: str) -> Any:
    """The object of this name in a user's file. Raises: InvalidArgument if it is not of the type
    ``kind``, called ``what`` in the error."""
    found: object = getattr(module, name, None)
    if not isinstance(found, kind):
        there = [each for each, value in vars(module).items() if isinstance(value, kind)]
        fitting = f"; it has {', '.join(there[:6])}" if there else ""
        but = "there is none" if name not in vars(module) else f"it is {of_kind(found)}"
        raise InvalidArgument(f"{module.__file__}: {name} should be {what}, but {but}{fitting}")
    return found


@contextmanager
def guarded() -> Generator[None, None, None]:
    """Context manager in which users' code runs: it prints to standard error."""
    with redirect_stdout(sys.stderr):
        yield
