"""The log of a durable session: JSON lines, and when they are synced (docs/durable.md)."""

import errno
import os
import threading
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final, Literal

from antiphon.numbers.errors import FileError, InvalidArgument
from antiphon.protocol.coins.sampled import tell_of_forks
from antiphon.protocol.records.files import naming, whole, write_all
from antiphon.sessions.durable.checks import checked
from antiphon.sessions.durable.guard import check_there

Sync = Literal["each", "group", "os"]
SYNCS: Final = ("each", "group", "os")


_on_disk: Final = getattr(os, "fdatasync", os.fsync)


def check_sync(sync: object) -> Sync:
    """The argument ``sync``, if it is a mode of syncing. Raises: InvalidArgument."""
    if type(sync) is not str or sync not in SYNCS:
        raise InvalidArgument(f"sync is one of {', '.join(SYNCS)}")
    return sync  # type: ignore[return-value]


class Journal:
    """An open log for appending; after a line that was not written whole it takes no more.

    ``each``: a line is on the disk before ``settle`` returns. ``group``: likewise, but threads that
    wait at the same time share one sync. ``os``: the operating system writes it later: a killed
    process loses nothing, a power cut may lose lines.
    """

    def __init__(self, path: Path, descriptor: int, sync: Sync, check: int = 0) -> None:
        self.path = path
        self._check = check
        """The check sum of the log's last line."""
        self.size = os.fstat(descriptor).st_size
        self._descriptor = descriptor
        self._sync = sync
        self._synced = 0
        # The lock is reentrant, as a signal handler may call this object during a sync.
        self._syncing = threading.RLock()
        self._refusal: str | None = None
        self._lost = False
        """Whether a sync has failed; later syncs may then report success although data is lost."""
        tell_of_forks(self)

    def append(self, text: str) -> None:
        """Append a line. Raises: FileError, now and ever after, if it is not written whole."""
        if self._refusal is not None:
            raise FileError(f"{self.path} takes no more: {self._refusal}")
        # The reason for refusing later writes, if this one fails or is interrupted.
        self._refusal = "its last line could not be written whole"
        data, check = checked(text, self._check, synced=self._synced == self.size)
        try:
            write_all(self._descriptor, data)
            end = os.lseek(self._descriptor, 0, os.SEEK_CUR)
        except OSError as error:
            raise FileError(f"{self.path} cannot be written: {error.strerror}") from error
        self.size += len(data)
        # Another process has written to the log: on a network file system a lock may get lost.
        if end != self.size:
            raise FileError(
                f"{self.path} was written by another while its session was live: its lock was "
                "lost, or somebody edits it. This session gives no more answers"
            )
        self._check = check
        self._refusal = None

    def settle(self, size: int, *, sync: bool = False) -> None:
        """Wait until the first ``size`` bytes are stored as safely as the mode of syncing says.

        ``sync``: on the disk, whatever that mode is. Raises: FileError.
        """
        if self._sync == "os" and not sync:
            self._check_there()
            return
        with self._syncing:
            if self._synced >= size:
                return  # Another thread has synced these bytes in the meantime.
            reached = self.size
            try:
                if self._lost:
                    raise OSError(errno.EIO, "the disk failed to keep it before")
                _on_disk(self._descriptor)
            except OSError as error:
                self._lost = True
                raise FileError(f"{self.path} cannot be synced: {error.strerror}") from error
            self._check_there()
            self._synced = reached

    def _check_there(self) -> None:
        try:
            check_there(self._descriptor, self.path)
        except FileError:
            raise
        except OSError as error:
            raise FileError(f"{self.path} is closed: {error.strerror}") from error

    @property
    def takes_more(self) -> bool:
        """Whether the log accepts lines; it does while it is open and no write has failed."""
        return self._refusal is None and not self._lost

    def end(self, why: str) -> None:
        """Close the log to further lines; ``why`` is the reason that later errors state."""
        self._refusal = self._refusal or why

    @property
    def shares_syncs(self) -> bool:
        """Whether threads that wait for the disk share one sync."""
        return self._sync == "group"

    def close(self) -> None:
        """Close the log without a sync."""
        with self._syncing:  # Another thread must not sync a file that has got the same descriptor.
            if self._descriptor >= 0:
                self.end("its session is closed")
                descriptor, self._descriptor = self._descriptor, -1
                os.close(descriptor)

    def __del__(self) -> None:
        self.close()

    def replace(self, lines: Iterable[str]) -> list[int]:
        """Replace the log's content by these lines. Returns: the position of each line.

        Raises: FileError; then the log is unchanged, and still accepts lines.
        """
        data, places, check = as_written(lines)
        with self._syncing:
            fresh = begin_anew(self.path, data)
            old, self._descriptor = self._descriptor, fresh
            if old >= 0:  # A signal handler may have closed the old log.
                os.close(old)
            self.size = self._synced = len(data)
            self._check = check
        return places

    def forked(self) -> None:
        """In a forked child, close the log, which belongs to the parent."""
        self._refusal = "it belongs to the process that was forked"
        self._syncing = threading.RLock()
        self.close()  # Only the parent may finish a line begun before the fork.


def as_written(lines: Iterable[str]) -> tuple[bytes, list[int], int]:
    """A log of these lines, as bytes; the lines' positions; the last line's check sum."""
    data, places, check = bytearray(), list[int](), 0
    for line in lines:
        places.append(len(data))
        raw, check = checked(line, check)
        data += raw
    return bytes(data), places, check


def begin_anew(path: Path, data: bytes) -> int:
    """Replace a log by a shorter one of the same session; returns the new open descriptor.

    Only the holder of the guard may call it: nobody else writes to ``part_of``. Raises: FileError;
    then the log is unchanged, as every step that may fail comes before the renaming.
    """
    there = Path(os.path.realpath(path))  # The log itself is replaced, not a link to it.
    with ExitStack() as undo:
        with whole(there, secret=True, overwrite=True, part=part_of(there)) as shorter:
            shorter.write(data)
            with naming(path, "opened"):
                fresh = os.open(part_of(there), os.O_RDWR | os.O_APPEND)
            undo.callback(os.close, fresh)
        undo.pop_all()
    return fresh


def part_of(path: Path) -> Path:
    """The path of a shorter log until it is complete; a killed process leaves it behind."""
    return path.with_name(f"{path.name}.part")


def clear(path: Path) -> None:
    """Remove the incomplete shorter log that a killed process has left beside a log."""
    with suppress(OSError):
        part_of(Path(os.path.realpath(path))).unlink()
