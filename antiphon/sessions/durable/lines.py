"""The lines of a durable session's log: messages, answers, states and keys (docs/durable.md).

A message may be sent again: its key finds the earlier message and answer. Keys are kept for ever,
in memory and in the log. Before each stored state there is a line with the keys since the previous
state; a state records the positions of all key lines, so that a restart reads only these.
"""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import zip_longest
from typing import Final, NamedTuple

from antiphon.numbers.errors import InvalidArgument, TranscriptError
from antiphon.protocol import Coins, Mechanism, RecordedCoins
from antiphon.protocol.messages import ATOMS, HALT, MAX_DEPTH, identical
from antiphon.protocol.records import codec
from antiphon.protocol.records.transcript import MAX_LINE, dumps
from antiphon.protocol.registry import Unregistered
from antiphon.protocol.session import Last
from antiphon.sessions.durable.checks import LONGEST, MOST
from antiphon.sessions.durable.states import kept

_LONGEST: Final = 256
_TOGETHER: Final = 1 << 20
"""The number of bytes of message keys on one line of the log, after which a new line begins."""
UNKNOWN: Final = object()
"""The result of a search for the answer to a message whose key is new."""


class Keyed(NamedTuple):
    """A message's key, chosen by the caller, and a digest of the message that came with it."""

    key: str
    digest: str


def keyed(key: object, said: codec.Json) -> Keyed:
    """A message's key with the digest of the message, whose JSON form is ``said``.

    Raises: InvalidArgument if ``key`` is not a valid key.
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
    """Pairs (message, key). Raises: InvalidArgument if their numbers differ."""
    if keys is None:
        yield from ((message, None) for message in messages)
        return
    for message, key in zip_longest(messages, keys, fillvalue=_NONE):
        if message is _NONE or type(key) is not str:
            raise InvalidArgument("keys are texts, one for each message")
        yield message, key


_NONE: Final = object()


class Keys:
    """The message keys of a session, each with the answer to its message."""

    def __init__(self) -> None:
        self._said: dict[str, tuple[str, object]] = {}
        self.fresh: dict[str, None] = {}
        """The message keys that are not in a key line of the log yet."""
        self.places: list[int] = []
        """The positions of the key lines in the log."""

    def __len__(self) -> int:
        return len(self._said)

    def answer(self, asked: Keyed) -> object:
        """The answer that was given to the message with this key; UNKNOWN if the key is new.

        Raises: InvalidArgument if another message came with the key.
        """
        digest, answer = self._said.get(asked.key, (asked.digest, UNKNOWN))
        if digest != asked.digest:
            raise InvalidArgument(
                "another message came with this key before: a key belongs to one message, which is "
                "stepped once, however often it is sent. Give this one a key of its own"
            )
        return answer

    def add(self, asked: Keyed, answer: object) -> None:
        """Remember the answer to the message with this key."""
        self._said[asked.key] = asked.digest, answer
        self.fresh[asked.key] = None

    def lines(self, keys: Iterable[str]) -> Iterator[str]:
        """Log lines that store these keys with their answers. Raises: InvalidArgument if an
        answer is too long for a line."""
        entries: list[codec.Json] = []
        size = 0
        for key in keys:
            digest, answer = self._said[key]
            entry: codec.Json = [key, digest, codec.encode(answer, secrets=True)]
            size += len(dumps(entry))
            entries.append(entry)
            if size > _TOGETHER:
                yield _line(entries)
                entries, size = [], 0
        if entries:
            yield _line(entries)

    def all_lines(self) -> Iterator[str]:
        """Log lines that store all keys with their answers."""
        return self.lines(self._said)

    def written(self, places: Iterable[int]) -> None:
        """Remember that all keys are stored in the log, in lines that begin at these positions."""
        self.fresh, self.places = {}, [*places]

    def take(self, line: codec.Fields, place: int) -> None:
        """Take the keys from a log line read at position ``place``. Raises: TranscriptError."""
        if place in self.places:
            return
        try:
            for key, digest, answer in line["keys"]:
                self._said[str(key)] = str(digest), codec.decode(answer)
                self.fresh.pop(key, None)
        except (ValueError, TypeError):
            raise TranscriptError("keys are not whole in the log") from None
        self.places.append(place)


def _line(entries: list[codec.Json]) -> str:
    line = dumps({"keys": entries})
    if len(line) >= MOST:
        raise InvalidArgument(f"keys and answers are kept in lines of less than {MOST} bytes")
    return line


_TOO_LONG: Final = f"a state is kept in a line of less than {MAX_LINE} bytes"


def saying(message: object, key: object = None) -> tuple[str, Keyed | None]:
    """The log line for a message that is about to be stepped, and the message's key with its
    digest. Raises: InvalidArgument for an unreadable message or a bad key."""
    said = _readable(message)
    if key is None:
        line, found = dumps({"says": said}), None
    else:
        found = keyed(key, said)
        line = dumps({"says": said, "key": found.key})
    if len(line) > MAX_LINE // 2:
        raise InvalidArgument(f"a message of a durable session has {MAX_LINE // 2} bytes at most")
    return line, found


def _readable(value: object) -> codec.Json:
    """The JSON form of a message or answer. Raises: InvalidArgument if nobody could decode it."""
    said = codec.encode(value, secrets=True)
    if codec.mentions_unregistered(said) and type(value) is not Unregistered:
        raise InvalidArgument(
            "a part without a registered name cannot be written, and a durable session says and "
            "answers nothing that could not be stepped again: use @ap.register('name/1')"
        )
    if type(value) not in ATOMS:
        _check_read(said, value)
    return said


def _check_read(said: codec.Json, value: object) -> None:
    text = dumps(said)
    if text.count("{") + text.count("[") > MAX_DEPTH // 4:
        try:
            codec.decode(said)
        except (TranscriptError, RecursionError):
            raise InvalidArgument("nested too deeply to be read again") from None
    if '"parameters"' in text and not identical(codec.decode(said), value):
        raise InvalidArgument(
            "a part with a registered name does not come back the same from what is written: let "
            "its class take its parameters as they are"
        )


class Written:
    """The step function of a mechanism; a call also makes the log line of the answer.

    An answer that cannot be written counts as a failed step: if the answer were drawn again on
    resuming, an adversary could choose among several noises (law 1).
    """

    def __init__(self, mechanism: Mechanism, tape: RecordedCoins) -> None:
        self._step, self._tape = mechanism.step, tape
        self.line = ""
        self.died = False
        """Whether a part of the mechanism died of an error in the last step."""

    def __call__(self, state: object, message: object, coins: Coins) -> tuple[object, object]:
        deaths = self._tape.deaths
        after, answer = self._step(state, message, coins)
        line: dict[str, codec.Json] = {"answers": _readable(answer)}
        if draws := self._tape.take():
            line["draws"] = codec.encode_draws(draws)
        self.line, self.died = dumps(line), self._tape.deaths > deaths
        if len(self.line) >= MAX_LINE - LONGEST:
            raise InvalidArgument(f"an answer and its coins have less than {MAX_LINE} bytes")
        return after, answer


def failing(why: str) -> str:
    """The log line of the answer HALT to a message whose step failed, which ends the session."""
    return dumps({"answers": codec.encode(HALT), "failed": why})


def state_line(
    state: object, last: Last | None, generation: int, guard: int, keys: list[int]
) -> str:
    """The log line of a state, with its number of messages, the last exchange, the session's
    generation, and the positions of the key lines.

    Raises: InvalidArgument if the state does not decode to an equal one, or is too long for a line.
    """
    line: dict[str, codec.Json] = {"state": kept(state), "number": 0}
    if last is not None:
        said = [codec.encode(last.message, secrets=True), codec.encode(last.answer, secrets=True)]
        line |= {"number": last.number, "last": said}
    if keys:
        line["keys"] = [*keys]
    text = dumps({**line, "generation": generation, "guard": guard})
    if len(text) >= MAX_LINE - LONGEST:
        raise InvalidArgument(_TOO_LONG)
    return text


def joined(state: str, answer: str) -> str:
    """One log line with an answer and the state after it, so that both are written or neither.

    Raises: InvalidArgument if it is too long.
    """
    line = f"{state[:-1]},{answer[1:]}"
    if len(line) >= MAX_LINE - LONGEST:
        raise InvalidArgument(_TOO_LONG)
    return line
