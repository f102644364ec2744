"""File writing that never loses data silently: locks, complete writes, syncs (docs/transcripts.md).

``whole`` writes a file completely or not at all. ``Growing`` writes a file line by line: each line
is written at once, and if one cannot be written completely, no line follows. A file has one writer,
and an existing file is overwritten on request only. ``Held`` locks a path while a process reads,
changes and replaces the file.
"""

from __future__ import annotations

import os
import platform
import stat
import time
from collections.abc import Generator, Iterable
from contextlib import AbstractContextManager, contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Final

from antiphon.numbers.errors import FileError
from antiphon.numbers.user_files import path_of
from antiphon.protocol.coins.sampled import tell_of_forks

try:
    import fcntl
except ImportError:  # Some systems have no file locks, and files are then not locked.
    fcntl = None  # type: ignore[assignment]

_TORN: Final = "its last line could not be written whole"


class Growing(AbstractContextManager["Growing"]):
    """A new, locked file for appending; data that cannot be written raises an error.

    Args: ``secret``, whether only its owner may read the file, from its creation on; ``overwrite``,
    whether an existing file is emptied first. Raises: FileError, if the path is taken, has another
    writer, or cannot be written.
    """

    def __init__(self, path: Path, *, secret: bool = False, overwrite: bool = False) -> None:
        self.path = path
        self._refusal: str | None = None
        with naming(path):
            self._descriptor = _opened(path, secret, overwrite)
        tell_of_forks(self)

    def write(self, data: bytes) -> None:
        """Append all of ``data``. Raises: FileError, now and ever after, if it cannot."""
        if self._refusal is not None:
            raise FileError(f"{self.path} takes no more: {self._refusal}")
        # If an interrupt ends the write, later writes are refused with this reason.
        self._refusal = _TORN
        with naming(self.path):
            write_all(self._descriptor, data)
        self._refusal = None

    def finish(self) -> None:
        """Sync the file to the disk and close it. Raises: FileError."""
        if self._descriptor < 0:
            return
        with naming(self.path):
            if _is_regular(self._descriptor):
                os.fsync(self._descriptor)
                if not os.fstat(self._descriptor).st_nlink:
                    raise FileError(f"{self.path} was removed or replaced while it was written")
        self.close()

    def close(self) -> None:
        """Close the file without a sync."""
        if self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            self._refusal = self._refusal or "it is closed"
            os.close(descriptor)

    def forked(self) -> None:
        """In a forked child, refuse all writes: the file belongs to the parent."""
        self._refusal = "it belongs to the process that was forked"

    def __exit__(self, *_: object) -> None:
        self.close()


class Held(AbstractContextManager["Held"]):
    """An exclusive hold on a path, in this process and among all others, until it is closed.

    The lock is on a file beside the path, since the file at the path may be replaced; it names the
    holder, and is removed when the hold is released. The lock of a killed process is released, too.
    Raises: FileError, naming the process that holds the path.
    """

    def __init__(self, path: Path) -> None:
        self._beside = path.absolute().with_name(f".{path.name}.lock")
        with naming(path):
            self._file = self._locked(path)

    def _locked(self, path: Path) -> FileIO | None:
        if fcntl is None:  # pyright: ignore[reportUnnecessaryComparison]
            return None
        if not os.access(self._beside.parent, os.W_OK):
            # No lock is needed: without write permission for the folder, no file in it can be
            # replaced.
            return None
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        while True:
            file = FileIO(os.open(self._beside, flags, 0o600), "r+")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                with file:
                    raise _in_use(path, file.read(80)) from None
            except OSError:  # Some file systems have no locks; then the path is not locked.
                return file
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), self._beside.stat()):
                    # The holder's name is only for error texts: on a full disk the lock file stays
                    # empty.
                    with suppress(OSError):
                        file.truncate()
                        file.write(f"process {os.getpid()} on {platform.node()}".encode())
                    return file
            file.close()  # Another process removed this lock file, so a new one is opened.

    def close(self) -> None:
        """Release the hold on the path."""
        if self._file is not None:
            file, self._file = self._file, None
            # The lock is still held, so the lock file is this holder's.
            self._beside.unlink(missing_ok=True)
            file.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def _in_use(path: Path, holder: bytes | None) -> FileError:
    who = "".join(filter(str.isprintable, (holder or b"").decode(errors="replace")))
    who = who or "another process"
    return FileError(f"{path} is in use by {who}: wait until it is done, or give another path")


@contextmanager
def whole(
    path: Path, *, secret: bool = False, overwrite: bool = False, part: Path | None = None
) -> Generator[Growing, None, None]:
    """Context manager: a temporary file, renamed to ``path`` once it is completely written and
    synced.

    ``part``: the path of the temporary file, for a caller that is its only writer; a leftover there
    is replaced. Raises: FileError, if the path is taken and not to be overwritten, has another
    writer, or cannot be written; the old file is then unchanged.
    """
    refuse_taken([path], overwrite)
    beside = part or path.with_name(f".antiphon-{os.getpid()}-{time.time_ns()}.part")
    try:
        with Growing(beside, secret=secret, overwrite=part is not None) as file:
            yield file
            file.finish()
        with naming(path):
            _take_name(beside, path, overwrite)
    except BaseException:
        with suppress(OSError):  # A directory in the temporary file's place is not removed.
            beside.unlink()
        raise
    sync_directory(path.absolute().parent)


def write_text(path: Path, text: str, *, secret: bool = False, overwrite: bool = False) -> None:
    """Write a text file in UTF-8, completely or not at all. Raises: FileError, as ``whole``."""
    with whole(path, secret=secret, overwrite=overwrite) as file:
        file.write(text.encode())


def refuse_taken(paths: Iterable[Path], overwrite: bool) -> None:
    """Check that no file would be overwritten, before a result is computed for it. Raises:
    FileError for a file that exists, and InvalidArgument for a directory, which is never
    overwritten."""
    for path in paths:
        if path_of(path).is_file() and not overwrite:
            raise _taken(path)


def _taken(path: Path) -> FileError:
    return FileError(
        f"{path} is there already and is not overwritten unasked: give another path, or say "
        "overwrite=True (on the command line: --force)"
    )


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of ``data`` to a descriptor, in several writes if need be. Raises: OSError,
    perhaps after a part of it."""
    written = os.write(descriptor, data)
    while written < len(data):
        written += os.write(descriptor, data[written:])


@contextmanager
def naming(path: Path, done: str = "written") -> Generator[None, None, None]:
    """A context manager that turns an OSError into a FileError which names the path; ``done``: the
    verb of the error text."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"{path} cannot be {done}: {error.strerror}") from error


def _opened(path: Path, secret: bool, overwrite: bool) -> int:
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        descriptor = os.open(path, flags, 0o600 if secret else 0o666)
    except FileExistsError:
        refuse_taken([path], overwrite)
        descriptor = os.open(path, os.O_WRONLY)
    try:
        if _is_regular(descriptor):  # A terminal or a pipe is not locked.
            _lock(descriptor, path)
            if secret and hasattr(os, "fchmod"):
                # The mode is set here because a file that existed before keeps its old mode.
                os.fchmod(descriptor, 0o600)
            os.ftruncate(descriptor, 0)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _is_regular(descriptor: int) -> bool:
    return stat.S_ISREG(os.fstat(descriptor).st_mode)


def _lock(descriptor: int, path: Path) -> None:
    """Lock an open file until it is closed. Raises: FileError if another process holds the lock."""
    if fcntl is None:  # pyright: ignore[reportUnnecessaryComparison]
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FileError(
            f"{path} is being written by another: wait until it is done, or give another path"
        ) from None
    except OSError:  # Some file systems have no locks.
        return


def _take_name(beside: Path, path: Path, overwrite: bool) -> None:
    if overwrite:
        _refuse_while_written(path)
        beside.replace(path)
        return
    try:
        os.link(beside, path)  # A hard link, unlike a renaming, never overwrites a file.
    except FileExistsError:
        raise _taken(path) from None
    except OSError:  # Some file systems have no hard links.
        refuse_taken([path], overwrite)
        beside.replace(path)
    else:
        beside.unlink()


def _refuse_while_written(path: Path) -> None:
    with suppress(FileNotFoundError, PermissionError):
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            _lock(descriptor, path)
        finally:
            os.close(descriptor)


def sync_directory(directory: Path) -> None:
    """Write a directory's entries to the disk, if the system can, so that a new file's name
    survives a loss of power."""
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
