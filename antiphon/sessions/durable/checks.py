"""The check sum at the end of each log line, which reveals a damaged line (docs/durable.md).

It is the CRC of the line and of all lines before it, from the first one on or from the last
compaction, so that no line is changed, lost or moved unnoticed. A line that is written right after
a sync names it ``synced``, else ``check``: all lines before a ``synced`` line have been on the
disk, so no power cut can have removed them.
"""

import re
from typing import IO, Final
from zlib import crc32

from antiphon.numbers.errors import TranscriptError
from antiphon.protocol.records.transcript import MAX_LINE

_CHECK: Final = re.compile(rb',"(check|synced)":"([0-9a-f]{8})"\}\n\Z')
LONGEST: Final = len(',"synced":"01234567"}\n')
"""The largest number of bytes that a check sum adds to a line."""
_CHECKS: Final = re.compile(rb',"(?:check|synced)":"([0-9a-f]{8})"\}\n')
MOST: Final = MAX_LINE - LONGEST
"""The largest number of bytes of a line without its check sum."""
_SECTOR: Final = 512
"""The number of bytes that a disk writes at once, or a divisor of it."""
_SHORT: Final = 8
"""The number of successive zero bytes that reveal a power cut: flipped bits make fewer."""
_BLOCK: Final = 1 << 16


def checked(text: str, before: int, *, synced: bool = False) -> tuple[bytes, int]:
    """A log line as bytes that end in its check sum, and this sum as a number; ``before`` is the
    check sum of the previous line."""
    data = text[:-1].encode("ascii")
    check = crc32(data, before)
    return (b'%b,"synced":"%08x"}\n' if synced else b'%b,"check":"%08x"}\n') % (data, check), check


def check_of(raw: bytes, before: int | None) -> int | None:
    """The check sum at the end of a whole line; None for a line of an older file version, without
    one.

    Raises: TranscriptError if the check sum is wrong for this line after the lines before it.
    """
    found = _CHECK.search(raw, max(0, len(raw) - LONGEST))
    if found is None and before is None:
        return None
    if found is None or crc32(raw[: found.start()], before or 0) != int(found[2], 16):
        raise TranscriptError("it is damaged: its check does not fit, so a bit of it has changed")
    return int(found[2], 16)


def check_before(file: IO[bytes], place: int) -> int | None:
    """The check sum of the line that ends at byte ``place``; None if no line ends there."""
    file.seek(max(0, place - LONGEST))
    found = _CHECK.search(file.read(min(place, LONGEST)))
    return None if found is None else int(found[2], 16)


def lost_its_end(raw: bytes) -> bool:
    """Whether the last line of a log lacks only its line end: it has a complete check sum, so it
    was damaged, and not cut short by a crash."""
    return _CHECK.search(raw[:-1] + b"\n") is not None


def hole(file: IO[bytes], start: int) -> str | None:
    """A description of the hole (zero bytes) that a power cut has left from byte ``start`` on; None
    if the damage has another cause.

    A disk writes sectors in any order, and unwritten sectors are zeros after a power cut. Only
    lines that were never synced can be lost in this way. Raises: TranscriptError if a lost line had
    been synced.
    """
    size = file.seek(0, 2)
    begin = _first(file, start, size, zero=True)
    end = _first(file, begin, size, zero=False)
    if begin == size or (end % _SECTOR and end < size):
        return None
    if begin != start and begin % _SECTOR and end - begin < _SHORT:
        return None
    file.seek(end)
    # The line after the zeros may have begun before their end, so it is skipped.
    file.readline(MAX_LINE)
    while raw := file.readline(MAX_LINE):
        found = _CHECK.search(raw, max(0, len(raw) - LONGEST))
        if found is not None and found[1] == b"synced":
            raise TranscriptError(
                f"bytes {begin} to {end} are zeros, which were on the disk when later lines were "
                "written: the disk has lost them, and with them answers"
            )
    return (
        f"bytes {begin} to {end} are zeros, as a power cut leaves what was not yet on the disk: "
        f"the {size - start} bytes from byte {start} on were never synced"
    )


def out_of_turn(file: IO[bytes], start: int, last: int) -> str | None:
    """A description of lines appended to a log by a process without the lock; None if there are
    none.

    The check sum of such a line continues an earlier line than the one before it. The process that
    wrote it notices this at once and gives no answer, so the lines can be dropped.
    """
    file.seek(max(0, start - _BLOCK))
    known = {int(each, 16) for each in _CHECKS.findall(file.read(min(start, _BLOCK)))} - {last}
    file.seek(start)
    lines = file.readlines(_BLOCK)
    for raw in lines:
        found = _CHECK.search(raw, max(0, len(raw) - LONGEST))
        if found is None:
            return None
        check = int(found[2], 16)
        if all(crc32(raw[: found.start()], before) != check for before in known):
            return None
        # The next line of the other process may continue any of these check sums.
        known |= {check, last}
    if file.read(1):
        return None
    return f"{len(lines)} lines from byte {start} on: two sessions wrote, as a lock was lost"


def _first(file: IO[bytes], start: int, size: int, *, zero: bool) -> int:
    """The position of the first zero byte from ``start`` on, or of the first other byte
    (``zero=False``); the file size if there is none."""
    file.seek(start)
    place = start
    while block := file.read(_BLOCK):
        rest = block.find(0) if zero else len(block) - len(block.lstrip(b"\0"))
        if 0 <= rest < len(block):
            return place + rest
        place += len(block)
    return size
