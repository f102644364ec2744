"""The guard file beside a durable session's log: it has one holder, and records the progress.

The log alone does not show whether it is an older copy. The guard is locked while the session
lives, and records its generation and the number of answered messages. A log that is behind its
guard lacks answers; a session resumed from it would draw their noise again.

A power cut may remove unsynced data from both. So while answers are given before they are on the
disk, the guard records, on the disk, the machine's current boot.
"""

import json
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from antiphon.numbers.errors import FileError, ResumeError, TranscriptError
from antiphon.protocol.coins.sampled import tell_of_forks
from antiphon.protocol.records.files import naming
from antiphon.sessions.durable.checks import check_of, checked

try:
    import fcntl
except ImportError:  # This system has no file locks, so it has no durable sessions.
    fcntl = None  # type: ignore[assignment]

_SIZE: Final = 256
"""The size of the guard file in bytes: less than a disk sector, so that a write is complete or
has not happened, even after a power cut."""
_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")

_GET_VERSION: Final = 0x80087601
"""The code of Linux's request FS_IOC_GETVERSION for the generation of an inode, which is new when
the inode's number is reused."""


class Progress(NamedTuple):
    """How far a durable session has come, as its guard file records it."""

    session: str
    """The identity of the session, in hex."""
    generation: int
    """The number of times the session has been resumed."""
    number: int
    """The number of messages that the session has answered."""
    offset: int
    """The position of the last stored state in the log; a hint, which may be wrong."""
    boot: str = ""
    """The machine's boot identifier, if answers may be given before they are on the disk, or ""."""

    @property
    def unsynced(self) -> bool:
        """Whether the machine has been restarted since answers were given before they were on the
        disk, so that some may be missing in the log."""
        return self.boot not in ("", this_boot())


def this_boot() -> str:
    """The identifier of the machine's present boot, which each restart changes; "" if unknown."""
    try:
        return _BOOT.read_text("ascii").strip()[:_LONGEST_BOOT]
    except (OSError, ValueError):
        return ""


_LONGEST_BOOT: Final = 36
UNKNOWN: Final = "unknown"
"""The boot identifier on a system that has none; it equals no later boot identifier."""


class Guard:
    """The guard file of a log: it records the session's progress, and is locked until closed.

    Raises: FileError, if another process holds the lock, or the file cannot be made.
    """

    _descriptor = -1
    """The open file descriptor; -1 if none is open."""

    def __init__(self, log: Path, *, new: bool) -> None:
        # The lock is reentrant, as a signal handler may call this object during a write.
        self._writing = threading.RLock()
        if fcntl is None:  # pyright: ignore[reportUnnecessaryComparison]
            raise FileError("a durable session needs file locks, which this system has not")
        self.path = beside(log)
        self._number = -1
        flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | (os.O_CREAT if new else 0)
        try:
            self._descriptor = os.open(self.path, flags, 0o600)
            # ``os.open`` sets the mode of a new file only, but an empty file may exist already.
            os.fchmod(self._descriptor, 0o600)
        except FileNotFoundError as error:
            if new:
                raise FileError(f"{self.path} cannot be made: {error.strerror}") from error
            raise ResumeError(
                f"{log} has no guard beside it ({self.path.name}): without it nobody can tell "
                "whether this is the newest state or an old copy, and going on from an old copy "
                "would toss the noise of answered messages again. Bring the guard, too"
            ) from None
        except OSError as error:
            raise FileError(f"{self.path} cannot be opened: {error.strerror}") from error
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if new and self.fresh and not isinstance(error, BlockingIOError):
                self.remove()
            self.close()
            raise _unlocked(log, error) from None
        tell_of_forks(self)

    def read(self) -> Progress:
        """The progress that the guard file records. Raises: ResumeError if the file is no guard."""
        with naming(self.path, "read"):
            return _mark(self.path, os.pread(self._descriptor, _SIZE, 0))

    def write(self, mark: Progress, *, sync: bool = False) -> None:
        """Record the session's progress, unless the guard already records later progress.

        Raises: FileError, also if the guard was removed.
        """
        try:
            with self._writing:
                if mark.number >= self._number:
                    os.pwrite(self._descriptor, checked(_LINE % mark, 0)[0].ljust(_SIZE), 0)
                    self._number = mark.number
            if sync:
                os.fsync(self._descriptor)
            check_there(self._descriptor, self.path)
        except FileError:
            raise
        except OSError as error:
            raise FileError(f"{self.path} cannot be written: {error.strerror}") from error

    @property
    def place(self) -> int:
        """The identity of the guard file (its inode number and version), which a copy of the file
        does not share."""
        number = os.fstat(self._descriptor).st_ino
        with suppress(OSError):  # Some file systems have no inode versions.
            owner = fcntl.ioctl(self._descriptor, _GET_VERSION, bytes(8))  # pyright: ignore[reportOptionalMemberAccess]
            return number << 32 | int.from_bytes(owner[:4], sys.byteorder)
        return number

    @property
    def fresh(self) -> bool:
        """Whether the guard file is empty or all zeros, so that it records nothing yet."""
        return not os.pread(self._descriptor, _SIZE, 0).strip(b"\0")

    def remove(self) -> None:
        """Delete the guard file of a session that could not be started."""
        with suppress(OSError):
            if os.path.samestat(os.fstat(self._descriptor), os.stat(self.path)):
                self.path.unlink()

    def close(self) -> None:
        """Release the lock on the guard file."""
        # Another thread must not write to a file that has got the same descriptor.
        with self._writing:
            if self._descriptor >= 0:
                descriptor, self._descriptor = self._descriptor, -1
                os.close(descriptor)

    def __del__(self) -> None:
        self.close()

    def forked(self) -> None:
        """In a forked child, close the guard file, whose lock belongs to the parent."""
        self._writing = threading.RLock()
        self.close()


_LINE: Final = '{"session":"%s","generation":%d,"number":%d,"offset":%d,"boot":"%s"}'


def _unlocked(log: Path, error: OSError) -> FileError:
    if isinstance(error, BlockingIOError):
        return FileError(
            f"{log} is in use by another session, here or in another process: two that go on "
            "from the same state would answer with the same noise. End that one first"
        )
    return FileError(
        f"{log} is on a file system that gives no locks ({error.strerror}), and without one two "
        "sessions could go on from the same state: put it on a disk of this machine"
    )


def is_held(log: Path) -> bool:
    """Whether a live session holds a log. The check changes nothing, needs no write permission."""
    try:
        descriptor = os.open(beside(log), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return False
    try:
        if fcntl is not None:  # pyright: ignore[reportUnnecessaryComparison]
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # Without file locks no session can hold the log.
        return False
    finally:
        os.close(descriptor)
    return False


def check_there(descriptor: int, path: Path) -> None:
    """Check that an open file has not been moved or replaced. Raises: FileError, OSError."""
    opened = os.fstat(descriptor)
    try:
        there = os.path.samestat(opened, os.stat(path))
    except OSError:
        there = False
    if not there:
        raise FileError(f"{path} was removed or replaced while its session was live")


def beside(log: Path) -> Path:
    """The path of the guard file of a log."""
    return log.with_name(f"{log.name}.guard")


def marked(log: Path) -> Progress:
    """The progress in a log's guard file, read without its lock. Raises: ResumeError, FileError."""
    with naming(beside(log), "read"):
        return _mark(beside(log), beside(log).read_bytes())


def _mark(path: Path, data: bytes) -> Progress:
    raw = data.rstrip(b" ")
    with suppress(ValueError, TypeError, KeyError, TranscriptError):
        said: dict[str, Any] = json.loads(raw)
        if raw.endswith(b"\n"):
            check_of(raw, 0)
            del said["check"]
        else:  # The file was written by an older version, without a check sum.
            said = {**said, "boot": ""} if len(said) == _BEFORE else {}
        mark = Progress(**said)
        if [type(each) for each in mark] == [str, int, int, int, str]:
            return mark
    raise ResumeError(f"{path} is damaged: it is no guard of a session")


_BEFORE: Final = 4
"""The number of fields in a guard file of the older version."""
