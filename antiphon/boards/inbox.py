"""The database of a board's rows and answers, in SQLite; a feed is stored completely or not at all.

A row is identified by its key, so it is stored once, however often it is fed. A window is closed in
the transaction that adds its last rows, before it is counted: after a crash the same rows are
counted.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from fractions import Fraction
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from antiphon.boards.cells import BadRow, BoardRow
from antiphon.boards.engine import FeedCounts, Grouped
from antiphon.boards.units import LONGEST_KEY, Batch
from antiphon.numbers import shown_up
from antiphon.numbers.errors import FileError, InvalidArgument, ProtocolError
from antiphon.protocol.records.labels import counted

Late: TypeAlias = Literal["refuse", "leave out", "next window"]
Told: TypeAlias = Callable[[int], object]
"""A callback that gets the number of rows read so far, for a progress bar."""

LOG: Final = "session.jsonl"
INBOX: Final = "inbox.sqlite"
"""The names of the two files in a board's folder: its session, and its rows and answers."""
_CHUNK: Final = 20_000
_MOST: Final = 1 << 25
"""The largest size in bytes of the rows of a window, which are one message of the session."""
_SCHEMA: Final = """
create table if not exists rows (
    number integer primary key, name text not null unique, window integer not null,
    time text not null, person text not null, key not null, amount integer not null
);
create index if not exists windows on rows (window, time, number);
create table if not exists grouped (
    window integer primary key, rows integer not null, mark text not null, sums text not null
);
create table if not exists told (window integer primary key, counts text not null);
create table if not exists said (name text primary key, value text not null);
"""
_ADD: Final = """insert or ignore into rows (name, window, time, person, key, amount)
values (?, ?, ?, ?, ?, ?)"""
_FIND: Final = "select window, time, person, key, amount from rows where name = ?"


def is_begun(folder: Path) -> bool:
    """Whether a board, or a live stream, has been begun in the folder."""
    return any((folder / name).exists() for name in (LOG, INBOX))


def not_begun(folder: Path, epsilon: Fraction, line: str, *, what: str = "board") -> FileError:
    """The error that nothing has been begun in the folder; ``line`` is what begins it."""
    return FileError(
        f"there is no {what} in {folder.absolute()} yet. If there was one, its folder was moved, "
        f"or its disk is missing: bring it back. A new one spends ε = {shown_up(epsilon)}, again "
        f"if there was one before; to begin it: {line}"
    )


class _Closed:
    """The connection of a closed database: any use of it raises ProtocolError."""

    def close(self) -> None:
        pass

    def __getattr__(self, name: str) -> None:
        raise ProtocolError(
            "the board is closed: ask and feed it inside its with block, or open it again, "
            "with board.open(folder) as live: …"
        )


class Inbox:
    """A database of a board's rows, closed windows and answers. ``path`` None: in memory."""

    def __init__(self, path: Path | None) -> None:
        if path is not None:
            with suppress(FileExistsError):
                # The file is made such that only its owner may read it.
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        self._path = path
        self._base: Any = sqlite3.connect(path or ":memory:", isolation_level=None)
        try:
            self._base.executescript(_SCHEMA)
            self._base.execute("pragma synchronous = full")
        except sqlite3.DatabaseError as error:
            self._base.close()
            raise FileError(f"{path} is no board's inbox: {error}") from None

    def close(self) -> None:
        """Close the database file."""
        self._base.close()
        self._base = _Closed()

    @contextmanager
    def at_once(self) -> Generator[None]:
        """A context manager for a transaction: all writes within the block take effect, or none."""
        try:
            self._base.execute("begin immediate")
            yield
            self._base.execute("commit")
        except BaseException as error:
            if self._base.in_transaction:
                self._base.execute("rollback")
            if isinstance(error, sqlite3.Error):
                raise FileError(f"the board's inbox cannot be written: {error}") from None
            raise

    # --- named texts about the board ----------------------------------------------------------

    def said(self, name: str) -> str | None:
        """The stored text of this name, such as the board's definition; None without one."""
        found = self._base.execute("select value from said where name = ?", (name,)).fetchone()
        return None if found is None else str(found[0])

    def say(self, values: Mapping[str, str]) -> None:
        """Store texts about the board under their names."""
        self._base.executemany("insert or replace into said values (?, ?)", [*values.items()])

    @property
    def closed(self) -> int:
        """The number of windows that are closed, that is, take no more rows."""
        return int(self.said("closed") or 0)

    # --- storing single rows ------------------------------------------------------------------

    def add(self, label: str, rows: Iterable[BoardRow], tell: Told, *, late: Late) -> FeedCounts:
        """Store the rows that are not in the database yet; ``label`` is the name of their file.

        ``late``: rows of closed windows are refused, dropped, or put into the first open window.
        Raises: BadRow for a row with another row's key, and for a late one.
        """
        closed, new, left, done = self.closed, 0, 0, 0
        waiting = iter(rows)
        while read := list(islice(waiting, _CHUNK)):
            # A row that is stored already keeps the window in which it was stored.
            if late == "next window":
                read = [row._replace(window=max(row.window, closed)) for row in read]
            chunk = [row for row in read if row.window >= closed or self._find(row.name)]
            if len(chunk) < len(read) and late == "refuse":
                known = set(chunk)
                raise BadRow(
                    label, next(row.line for row in read if row not in known), "its window is "
                    "closed: it comes later than the lateness that the board waits for",
                )  # fmt: skip
            added = self._base.executemany(_ADD, [row[1:] for row in chunk]).rowcount
            if added < len(chunk):
                self._check_same(label, chunk)
            new, left, done = new + added, left + len(read) - len(chunk), done + len(read)
            tell(done)
        return FeedCounts(new, done - new - left, left)

    def _find(self, name: str) -> tuple[Any, ...] | None:
        found: tuple[Any, ...] | None = self._base.execute(_FIND, (name,)).fetchone()
        return found

    def _check_same(self, label: str, rows: Iterable[BoardRow]) -> None:
        for row in rows:
            # The window is not compared, since a late row may be counted in a later window than
            # that of its time.
            known = self._find(row.name)
            if known is None or known[1:] not in (row[3:], ("", self._hash(*row[3:]), 0, 0)):
                raise BadRow(
                    label, row.line, "another row has come with its key, or from this line of a "
                    "file of this name: a key belongs to one row",
                )  # fmt: skip

    def _hash(self, *cells: object) -> str:
        """The keyed hash of a row's cells, which ``purge`` leaves in place of the row."""
        known = self.said("salt")
        if known is None:
            known = secrets.token_hex(32)
            self.say({"salt": known})
        data = json.dumps(cells, ensure_ascii=False).encode()
        return blake2b(data, key=bytes.fromhex(known), digest_size=16).hexdigest()

    def purge(self) -> int:
        """Replace the rows of published windows by keyed hashes; returns their number."""
        self._base.create_function("hashed", 4, self._hash, deterministic=True)
        self._base.execute("pragma secure_delete = on")
        self._hash()  # The salt of the hashes is stored before any row is removed.
        with self.at_once():
            number: int = self._base.execute(
                """update rows set person = hashed(time, person, key, amount), time = '', key = 0,
                amount = 0 where time != '' and window in (select window from told)"""
            ).rowcount
        self._base.execute("vacuum")
        return number

    def count(self, first: int = 0) -> int:
        """The number of rows in the database, from window ``first`` on."""
        query = """select (select count(*) from rows where window >= ?)
            + (select coalesce(sum(rows), 0) from grouped where window >= ?)"""
        return int(self._base.execute(query, (first, first)).fetchone()[0])

    def shut(self, windows: int, keys: Iterable[str]) -> None:
        """Close the first ``windows`` windows to new rows. Raises: InvalidArgument if one has too
        many rows for one message."""
        longest = max(map(len, keys), default=LONGEST_KEY)
        for window in range(self.closed, windows):
            found = self._base.execute(
                "select count(*), coalesce(sum(length(person)), 0) from rows where window = ?",
                (window,),
            ).fetchone()
            if found[0] * (6 * longest + 50) + 6 * found[1] > _MOST:
                raise InvalidArgument(
                    f"window {window} has more rows than one message holds ({found[0]:,}): have "
                    "shorter windows"
                )
        self.close_windows(windows)

    def close_windows(self, windows: int) -> None:
        """Close the first ``windows`` windows to new rows, however many rows they have."""
        self.say({"closed": str(max(windows, self.closed))})

    def batch(self, window: int, keys: tuple[str, ...]) -> Batch:
        """The rows of a window, ordered by time and then by arrival."""
        query = "select person, key, amount from rows where window = ? order by time, number"
        found: list[Any] = self._base.execute(query, (window,)).fetchall()
        if not keys:  # Keys that are found in the data are stored as texts, public ones as indices.
            return tuple([(str(person), str(key), int(amount)) for person, key, amount in found])
        return tuple([(str(person), keys[int(key)], int(amount)) for person, key, amount in found])

    # --- windows that DuckDB has summed -------------------------------------------------------

    def store(self, windows: Mapping[int, Grouped]) -> None:
        """Store the sums of windows that DuckDB has summed, with the number and hash of rows."""
        self._base.executemany(
            "insert into grouped values (?, ?, ?, ?)",
            [(w, rows, mark, json.dumps(sums)) for w, (sums, rows, mark) in windows.items()],
        )

    @property
    def marks(self) -> dict[int, str]:
        """The hash of the rows of each window that DuckDB has summed, by the window's number."""
        return dict(self._base.execute("select window, mark from grouped"))

    def sums(self, window: int) -> tuple[int, ...] | None:
        """The sums of a window, one for each key; None if the window has no rows."""
        query = "select sums from grouped where window = ?"
        found = self._base.execute(query, (window,)).fetchone()
        return None if found is None else tuple(json.loads(found[0]))

    # --- storing published counts -------------------------------------------------------------

    def tell(self, window: int, counts: Mapping[str, int]) -> None:
        """Store the noisy counts by key that were published for a window."""
        self._base.execute("insert into told values (?, ?)", (window, json.dumps(counts)))

    @property
    def told(self) -> list[dict[str, int]]:
        """The noisy counts by key published so far, window by window."""
        found = self._base.execute("select counts from told order by window")
        return [json.loads(counts) for (counts,) in found]

    def check_whole(self, answered: int) -> None:
        """Raise FileError if this has fewer windows than the board's session has answered."""
        if len(self.told) < answered:
            raise FileError(
                f"{self._path} is gone, or an older copy: the session has told "
                f"{counted(answered, 'window')}. Bring it back, or feed the very same files again, "
                "in the same order, which spends no ε"
            ) from None
