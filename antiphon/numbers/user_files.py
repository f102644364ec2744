"""Files that a user names: their paths, tables of numbers in them, and TOML files.

A table is a .npy file, or lines of numbers with commas between them.
"""

import re
import tomllib
import warnings
from os import PathLike, fspath
from os.path import isdir
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from antiphon.numbers.errors import FileError, InvalidArgument

_CURE: Final = (
    "it is a .npy file of one array, or lines of as many numbers each, with commas between them "
    "and no heading"
)
_PLACE: Final = re.compile(r"at row \d+(, column \d+)?")


def path_of(given: object, name: str = "path") -> Path:
    """A text or path-like object as a ``Path``. Raises: InvalidArgument for anything else.

    The error for a directory is raised where a file is read, written or looked up, too.

    >>> path_of(7, "sink")
    Traceback (most recent call last):
    ...
    antiphon.InvalidArgument: sink is the path of a file, as text or a Path, not an int
    """
    kind = type(given).__name__
    found: object = fspath(given) if isinstance(given, PathLike) else given  # pyright: ignore
    if isinstance(found, str):
        if isdir(found):
            raise InvalidArgument(f"{found} is a directory: give {name} as the path of a file")
        return Path(found)
    article = "an" if kind[0] in "aeiou" else "a"
    raise InvalidArgument(f"{name} is the path of a file, as text or a Path, not {article} {kind}")


def read_toml(path: Path) -> dict[str, Any]:
    """The lines and tables of a TOML file. Raises: FileError, InvalidArgument."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"{path} is no TOML file: {error}") from None


def read_table(path: str | Path) -> NDArray[np.float64]:
    """The table of numbers in a file, one row for each line. Raises: InvalidArgument, OSError."""
    file = path_of(path)
    try:
        table: NDArray[Any] = np.asarray(_loaded(file))
    except (ValueError, EOFError, MemoryError) as error:
        # The error tells only a position in the file, as the content may be private.
        where = _PLACE.search(str(error))
        told = f" ({where[0]})" if where else ""
        raise InvalidArgument(f"{path} is no table of numbers{told}: {_CURE}") from None
    if table.dtype.kind not in "biuf" or table.ndim != 2:
        raise InvalidArgument(f"{path} is no table of numbers: {_CURE}")
    if not table.size:
        raise InvalidArgument(f"{path} has no numbers: {_CURE}")
    return table.astype(np.float64)


def _loaded(path: Path) -> Any:
    if path.suffix == ".npy":
        return np.load(path, allow_pickle=False)
    with warnings.catch_warnings():
        # NumPy only warns of an empty file, for which ``read_table`` raises an error.
        warnings.simplefilter("ignore")
        return np.loadtxt(path, delimiter=",", ndmin=2)
