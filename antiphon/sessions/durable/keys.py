"""Messages that come again: what was said under each key, and what was answered.

A key is kept for ever, in memory and in the log. Beside each state that is kept stands a line with
the keys that have come since the one before; a state says where all these lines are, so that a
restart reads them and not what lies between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import zip_longest
from typing import Final, NamedTuple

from antiphon.numbers.errors import InvalidArgument, TranscriptError
from antiphon.protocol.records.codec import Fields, Json, decode, encode
from antiphon.sessions.durable.checks import MOST
from antiphon.sessions.durable.journal import dumps

_LONGEST: Final = 256
_TOGETHER: Final = 1 << 20
"""Bytes of a line of keys, past which another begins."""
UNKNOWN: Final = object()
"""Stands for the answer to what has not been said."""


class Keyed(NamedTuple):
    """A key, and a digest of the message that came with it."""

    key: str
    digest: str


def keyed(key: object, said: Json) -> Keyed:
    """The key of a message that is written so.

    Raises: InvalidArgument for what is no key.
    """
    if type(key) is not str or not key.isprintable() or not 0 < len(key) <= _LONGEST:
        raise InvalidArgument(
            f"a key is a text of 1 to {_LONGEST} printable characters, the same each time that its "
            "message is sent, as the number of a row"
        )
    return Keyed(key, blake2b(dumps(said).encode("ascii"), digest_size=16).hexdigest())


def with_keys(
    messages: Iterable[object], keys: Iterable[str] | None
) -> Iterator[tuple[object, str | None]]:
    """Messages, each with its key. Raises: InvalidArgument where one or the other is missing."""
    if keys is None:
        yield from ((message, None) for message in messages)
        return
    for message, key in zip_longest(messages, keys, fillvalue=_NONE):
        if message is _NONE or type(key) is not str:
            raise InvalidArgument("keys are texts, one for each message")
        yield message, key


_NONE: Final = object()


class Keys:
    """The keys of a session."""

    def __init__(self) -> None:
        self._said: dict[str, tuple[str, object]] = {}
        self.fresh: dict[str, None] = {}
        """Those that no line of keys has yet."""
        self.places: list[int] = []
        """Where in the log the lines of keys begin."""

    def __len__(self) -> int:
        return len(self._said)

    def answer(self, asked: Keyed) -> object:
        """What was answered; UNKNOWN if nothing was.

        Raises: InvalidArgument if another message came with the key.
        """
        digest, answer = self._said.get(asked.key, (asked.digest, UNKNOWN))
        if digest != asked.digest:
            raise InvalidArgument(
                "another message came with this key before: a key is of one message, which it "
                "brings once, however often it is sent. Give this one a key of its own"
            )
        return answer

    def add(self, asked: Keyed, answer: object) -> None:
        """It has been answered."""
        self._said[asked.key] = asked.digest, answer
        self.fresh[asked.key] = None

    def lines(self, keys: Iterable[str]) -> Iterator[str]:
        """Lines that keep these. Raises: InvalidArgument if an answer is too long for one."""
        entries: list[Json] = []
        size = 0
        for key in keys:
            digest, answer = self._said[key]
            entry: Json = [key, digest, encode(answer, secrets=True)]
            size += len(dumps(entry))
            entries.append(entry)
            if size > _TOGETHER:
                yield _line(entries)
                entries, size = [], 0
        if entries:
            yield _line(entries)

    def all_lines(self) -> Iterator[str]:
        """Lines that keep all of them."""
        return self.lines(self._said)

    def written(self, places: Iterable[int]) -> None:
        """All are in the lines that begin there."""
        self.fresh, self.places = {}, [*places]

    def take(self, line: Fields, place: int) -> None:
        """A line of keys that is read. Raises: TranscriptError."""
        if place in self.places:
            return
        try:
            for key, digest, answer in line["keys"]:
                self._said[str(key)] = str(digest), decode(answer)
                self.fresh.pop(key, None)
        except (ValueError, TypeError):
            raise TranscriptError("keys are not whole in the log") from None
        self.places.append(place)


def _line(entries: list[Json]) -> str:
    line = dumps({"keys": entries})
    if len(line) >= MOST:
        raise InvalidArgument(f"keys and answers are kept in lines of less than {MOST} bytes")
    return line
