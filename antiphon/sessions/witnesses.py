"""Witnesses for durable sessions: a database records each generation of a session, so that it
begins only once.

Keep the database apart from the session's backup, so that both cannot be restored together.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import attrs

from antiphon.numbers.errors import FileError, InvalidArgument, MissingExtra
from antiphon.sessions.durable.resuming import Witness

WITNESS_TABLE: Final = """create table if not exists antiphon_generations (
    session text not null,
    generation bigint not null,
    begun timestamp not null default current_timestamp,
    primary key (session, generation)
)"""
"""The SQL statement that creates a witness's table, in SQLite and in PostgreSQL."""
_COLUMNS: Final = "insert into antiphon_generations (session, generation) values"
_TAKEN: Final = "on conflict (session, generation) do nothing"


@attrs.frozen
class SQLiteWitness:
    """A witness in a SQLite file; a missing file is created, readable by its owner only.

    Called with a session's id and a generation: True the first time, False after that.

    Raises: FileError if the file cannot be written.
    """

    path: Path = attrs.field(converter=Path)

    def __call__(self, session: str, generation: int) -> bool:
        try:
            with suppress(FileExistsError):
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            with closing(sqlite3.connect(self.path, isolation_level=None)) as base:
                base.execute(
                    "pragma synchronous = extra"
                )  # The answer True must survive a power cut, so each write is synced.
                base.execute(WITNESS_TABLE)
                done = base.execute(f"{_COLUMNS} (?, ?) {_TAKEN}", (session, generation))
                return done.rowcount == 1
        except (sqlite3.Error, OSError) as error:
            raise FileError(f"{self.path} is no witness: {error}") from None


@attrs.frozen(repr=False)
class PostgresWitness:
    """A witness in a PostgreSQL database that has the table ``WITNESS_TABLE``.

    Called with a session's id and a generation: True the first time, False after that. ``address``
    is a URL postgresql://… or a libpq connection text; the password may stand in ``~/.pgpass``.
    Raises: MissingExtra without psycopg; FileError if the database does not answer.
    """

    address: str

    def __call__(self, session: str, generation: int) -> bool:
        try:
            import psycopg
        except ModuleNotFoundError:
            raise MissingExtra("psycopg", "postgres") from None
        try:
            with psycopg.connect(self.address, connect_timeout=30) as base:
                base.execute(
                    "set synchronous_commit = on"
                )  # The answer True must survive a power cut, so each write is synced.
                done = base.execute(f"{_COLUMNS} (%s, %s) {_TAKEN}", (session, generation))
                first = done.rowcount == 1
        except psycopg.errors.UndefinedTable:
            raise FileError(f"the witness has no table; make it with: {WITNESS_TABLE}") from None
        except psycopg.Error as error:  # The error's text may contain a password.
            raise FileError(f"the witness does not answer: {type(error).__name__}") from None
        return first

    def __repr__(self) -> str:
        return "PostgresWitness(…)"  # The address may contain a password.


def witness_at(address: str) -> Witness:
    """The witness at a postgresql:// URL, or in a SQLite file. Raises: InvalidArgument."""
    if address.startswith(("postgresql://", "postgres://")):
        return PostgresWitness(address)
    if "://" in address or not address:
        raise InvalidArgument("a witness is postgresql://…, or the path of a SQLite file")
    return SQLiteWitness(Path(address))
