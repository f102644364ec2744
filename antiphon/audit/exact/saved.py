"""An exact question as a file: the game, its messages, and the values found so far (docs/exact.md).

JSON lines: a header, rows of tables by the hundred, and a digest of all lines. Messages and states
are written as in a durable session, everything else as whole numbers. No code from the file is run;
the values are only as trustworthy as the file's author.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, Final

from antiphon.audit.exact.solver import Solver
from antiphon.numbers.errors import InvalidArgument, TranscriptError
from antiphon.protocol.records import codec
from antiphon.protocol.records.files import naming, whole
from antiphon.protocol.records.transcript import MAX_LINE, dumps, parsed
from antiphon.sessions.durable.states import kept, restored

_VERSION: Final = 1
"""The version of the file format and of the engine's positions: raised when either changes."""
_ROWS: Final = 256
"""The number of table rows in a line of the file."""
_BITS: Final = 1024
"""The number of bits from which on a number is written in base 16."""
_VALUES: Final = "values"
_OBJECTS: Final = frozenset({"states", "messages", "verified", "purses", "ledger"})
"""The tables whose rows are states, messages or other objects; all others hold numbers."""
_SAMPLE: Final = 256
"""The number of loaded values that are computed again, as a check of the file."""


def described(parts: Mapping[str, object]) -> codec.Fields:
    """An exact question as data: each of its parts (``parts``, by role) by registered names.

    Raises: InvalidArgument, naming parts without a registered name, or that do not decode to equal
    ones.
    """
    found: codec.Fields = {}
    for role, part in parts.items():
        nameless = sorted(set(codec.unregistered(codec.encode_any(part, secrets=True))))
        if nameless:
            raise InvalidArgument(
                f"the question cannot be saved: of its {role}, {', '.join(nameless)} has no "
                "registered name. Register it with @ap.register('name/1')"
            )
        found[role] = kept(part)
    return found


def save(
    path: Path, asked: codec.Fields, solvers: tuple[Solver, Solver], *, overwrite: bool
) -> None:
    """Write an exact question with its values: whole or not at all, readable by its owner only.

    Raises: FileError; InvalidArgument, naming a state that cannot be kept.
    """
    digest = sha256()
    with whole(path, secret=True, overwrite=overwrite) as file:
        for line in _lines(asked, solvers):
            data = f"{dumps(line)}\n".encode("ascii")
            digest.update(data)
            file.write(data)
        file.write(f"{dumps({'sha256': digest.hexdigest()})}\n".encode("ascii"))


def _lines(asked: codec.Fields, solvers: tuple[Solver, Solver]) -> Iterator[codec.Fields]:
    first, second = solvers
    yield {"antiphon": _VERSION, "kind": "question", "asked": asked}
    tables: dict[str, Iterable[Any]] = {**first.arena.tables()}
    tables["nodes"] = [[first.nodes, second.nodes]]
    tables["leaves"], tables[_VALUES] = first.rows()
    for name, rows in tables.items():
        left, write = iter(rows), kept if name in _OBJECTS else _numbers
        yield {"table": name, "rows": []}  # A table may be empty; this line says that it exists.
        while chunk := [*islice(left, _ROWS)]:
            yield {"table": name, "rows": [write(row) for row in chunk]}


def _numbers(row: Iterable[int]) -> list[int | str]:
    return [each if each.bit_length() <= _BITS else hex(each) for each in row]


def header(path: Path) -> codec.Fields:
    """The question that a file describes (see ``described``), after a check of its digest.

    Raises: TranscriptError if it is damaged, of a newer version, or no question; FileError.
    """
    digest, before = sha256(), b""
    with naming(path, "read"), path.open("rb") as file:
        first = parsed(file.readline(MAX_LINE), 1)
        if first.get("kind") != "question" or type(first.get("antiphon")) is not int:
            raise TranscriptError(f"{path} is no saved question")
        if first["antiphon"] != _VERSION:
            raise TranscriptError(
                f"{path} is a question of version {str(first['antiphon'])[:20]}, and here is "
                f"version {_VERSION}: ask it anew"
            )
        file.seek(0)
        while line := file.readline(MAX_LINE):
            digest.update(before)
            before = line
    if before != f"{dumps({'sha256': digest.hexdigest()})}\n".encode("ascii"):
        raise TranscriptError(f"{path} is damaged: it does not fit its digest, or lost its end")
    if not codec.is_object(first.get("asked")):
        raise TranscriptError(f"{path} does not say what it asks")
    asked: codec.Fields = first["asked"]
    return asked


def parts_of(asked: codec.Fields) -> dict[str, Any]:
    """The mechanism, the verification function and the other parts of a saved exact question, by
    role, rebuilt from data. Raises: TranscriptError."""
    return {role: restored(said) for role, said in asked.items()}


def refuse_other(path: Path, asked: codec.Fields, expected: codec.Fields) -> None:
    """Check that a file asks the expected question. Raises: TranscriptError, with what differs."""
    roles = {*asked, *expected} - {"limit"}
    unlike = sorted(role for role in roles if asked.get(role) != expected.get(role))
    if unlike:
        raise TranscriptError(f"{path} asks another question: its {', '.join(unlike)} differs")


def fill(path: Path, solvers: tuple[Solver, Solver]) -> None:
    """Load the values of a file into new solvers of its question.

    Raises: TranscriptError if the values do not fit the present mechanisms.
    """
    first, second = solvers
    first.arena.columns.give_room(sys.maxsize)  # No limit applies while values are loaded.
    tables: dict[str, list[Any]] = {}
    try:
        with naming(path, "read"), path.open("rb") as file:
            for number, line in enumerate(islice(file, 1, None), 2):
                said = parsed(line, number)
                if "sha256" in said:
                    break
                _take(said, tables, first)
        first.arena.refill(tables)
        ((first.nodes, second.nodes),) = tables["nodes"]
        first.add(tables.get("leaves", ()), ())
        sound = first.agrees(_SAMPLE)
    except (LookupError, TypeError, ValueError) as error:  # ValueError includes InvalidArgument.
        raise TranscriptError(f"{path} holds no values of its question: {error}") from None
    if not sound:
        raise TranscriptError(
            f"{path} has values that its question does not have: a mechanism or an f of that name "
            "was another when it was saved. Ask anew"
        )


def _take(said: codec.Fields, tables: dict[str, list[Any]], solver: Solver) -> None:
    name, rows = said["table"], said["rows"]
    if name in _OBJECTS:
        tables.setdefault(name, []).extend(map(restored, rows))
        return
    numbers = [tuple(int(n, 16) if type(n) is str else n for n in row) for row in rows]
    if not all(type(n) is int for row in numbers for n in row):
        raise ValueError("a row is of whole numbers")
    if name == _VALUES:
        solver.add((), numbers)
    else:
        tables.setdefault(name, []).extend(numbers)
