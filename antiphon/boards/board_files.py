"""A board in a TOML file: its parameters, its folder, and the files of rows to add."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import attrs

from antiphon.boards.board import Board
from antiphon.boards.defining import counts, sums
from antiphon.boards.discovering import discovered
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.user_files import read_toml


@attrs.frozen
class BoardFile:
    """A board read from a TOML file, with its folder and its files of rows."""

    board: Board
    folder: Path
    patterns: tuple[str, ...]
    place: Path

    @property
    def sources(self) -> list[Path]:
        """The existing files that match the board's patterns, sorted by name."""
        return sorted({each for pattern in self.patterns for each in self.place.glob(pattern)})

    @property
    def unmatched(self) -> str | None:
        """The text that says that no file matches the board's patterns; None if one does."""
        if self.sources:
            return None
        said = ", ".join(f'"{each}"' for each in self.patterns) or "…"
        return f"no file in {self.place.absolute()} matches its line files = [{said}]"


def read_board(path: str | Path) -> BoardFile:
    """Read a board from a TOML file: the parameters of ``counts``; with ``sum = "amount"``, of
    ``sums``. ``keys = "discovered"`` with ``delta = 1e-6`` has a private rule find them.

    ``folder``: its folder, by default the name of the TOML file without its suffix; ``files``:
    patterns of the files of rows. Raises: FileError, InvalidArgument.
    """
    path = Path(path)
    given = read_toml(path)
    folder: object = given.pop("folder", path.stem)
    patterns: Any = given.pop("files", [])
    if type(folder) is not str or not isinstance(patterns, list):
        raise InvalidArgument(f"{path}: folder is a text, files a list of patterns")
    if "keys" in given:
        given["keys"] = _keys(path, given)
    amount = given.pop("sum", None)
    make: Any = counts if amount is None else sums
    wanted = inspect.signature(make).parameters
    unknown = [name for name in given if name not in wanted]
    if unknown:
        lines = ["sum", *(name for name in wanted if name != "amount"), "folder", "files"]
        raise InvalidArgument(f"{path}: no line {unknown[0]!r}; there are {', '.join(lines)}")
    if amount is not None:
        given["amount"] = amount
    missing = [
        name for name, each in wanted.items() if each.default is each.empty and name not in given
    ]
    if missing == ["per_user"] and given.get("unit") == "row":
        # TOML has no null, so a parameter that the file leaves out is None.
        given["per_user"] = None
        given.setdefault("user", None)
    elif missing:
        raise InvalidArgument(f"{path}: say {missing[0]} = …")
    files = tuple(map(str, patterns))  # pyright: ignore[reportUnknownArgumentType]
    try:
        board = make(**given)
    except InvalidArgument as error:
        raise InvalidArgument(f"{path}: {error}") from None
    return BoardFile(board, path.parent / folder, files, path.parent)


def _keys(path: Path, given: dict[str, Any]) -> object:
    """The keys that a board file states: a list of texts, or those that a private rule finds.
    Raises: InvalidArgument for any other shape, such as a table, whose names would become public
    keys."""
    keys: Any = given["keys"]
    if keys == "discovered":
        if "delta" not in given:
            raise InvalidArgument(
                f'{path}: keys = "discovered" needs the δ of the whole board: delta = 1e-6'
            )
        return discovered(delta=given.pop("delta"))
    if isinstance(keys, list) and all(type(key) in (str, int) for key in keys):  # pyright: ignore
        return keys  # pyright: ignore[reportUnknownVariableType]
    raise InvalidArgument(
        f'{path}: keys is a list of texts, keys = ["FR", "DE"]; or, for keys that a private rule '
        'finds in the data, the two lines keys = "discovered" and delta = 1e-6'
    )
