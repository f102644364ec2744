"""The memory of a live stream: its counters, their released counts, and the replies to requests.

Everything in the memory follows from the log of the session. ``memory.json`` beside the log stores
the memory with its position in the log, so that a restart reads only the rest. Keep the file as
secret as the log: it contains digests of private batches.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from fractions import Fraction
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, TypeAlias

import attrs

from antiphon import BOTTOM
from antiphon.composition import Refusal
from antiphon.protocol.records.codec import decode
from antiphon.protocol.records.files import whole
from antiphon.service.event_counters import EventCounters, Said, Watch
from antiphon.sessions.durable.states import restored

KEPT: Final = 20_000
"""The number of latest replies stored for each sender, besides those that created counters."""
POINTS: Final = 240
"""The largest number of released counts kept of a counter; then every second one is dropped."""
BETA: Final = 0.05
"""The largest probability with which a count's error bound fails at a given time."""
_ANCHOR: Final = 256


Json: TypeAlias = "dict[str, Any]"
"""The type of a JSON object."""


class Reply(NamedTuple):
    """The reply to a request: its HTTP status and its JSON body."""

    status: int
    body: Json


Replies: TypeAlias = "OrderedDict[str, tuple[str, Reply]]"
"""The type of stored replies: by idempotency key, the digest of the request and its reply."""
_NONE: Final[Replies] = OrderedDict()


def no_such_counter(number: int) -> Reply:
    """The reply to a question about a counter that was refused, or has never been created."""
    return Reply(404, {"error": "no such counter", "message": f"nothing is counter {number}"})


@attrs.frozen
class Released:
    """A released count after a number of events: with probability at least 1 - BETA, the true count
    is at most ``within`` away."""

    events: int
    count: int
    within: int


@attrs.define
class LiveCounter:
    """The public part of a counter: its watch, the events before it, and its released counts."""

    watch: Watch
    born: int
    """The number of events that had come when the counter was created."""
    series: list[Released] = attrs.field(factory=list[Released])

    @property
    def last(self) -> Released | None:
        """The latest released count of the counter."""
        return self.series[-1] if self.series else None


@attrs.define
class StreamMemory:
    """A live stream's counters, released counts and replies, as they follow from the session's log.
    Only ``take`` adds to them."""

    machine: EventCounters
    number: int = 0
    """The number of the session's messages that have been answered."""
    events: int = 0
    counters: list[LiveCounter | None] = attrs.field(factory=list["LiveCounter | None"])
    replies: dict[str, Replies] = attrs.field(factory=dict[str, "Replies"])
    """The latest replies, by sender and idempotency key, oldest first."""
    made: dict[str, Replies] = attrs.field(factory=dict[str, "Replies"])
    """The replies that created counters, by sender and key; all are stored, as they are few."""
    lost: int = 0
    """The number of messages without a stored reply, as a compaction removed them from the log."""
    in_flight: tuple[str, str] | None = None
    """The (sender, key) of the message that had no answer yet when the process died."""

    def seen(self, counter: LiveCounter, events: int) -> int:
        """The number of events that a counter has received, which its true count cannot exceed."""
        return min(events - counter.born, self.machine.horizon)

    def _width(self, counter: LiveCounter) -> int:
        """A bound on a count's error, with probability 1 - BETA, from public numbers."""
        seen = self.seen(counter, self.events)
        if not seen:
            return 0
        bound = self.machine.counter(counter.watch).error_bound(seen, beta=BETA)
        return int(bound)  # The error is an int, so a bound on it may be rounded down.

    def take(self, message: Any, answer: object) -> Reply:
        """Add a message and its answer; returns the reply for the client."""
        who, key, said = message
        self.number += 1
        reply = self._reply(said, answer)
        if key:
            place = self.made if reply.status == 201 else self.replies
            theirs = place.setdefault(who, OrderedDict())
            theirs[key] = digest(said), reply
            if place is self.replies and len(theirs) > KEPT:
                theirs.popitem(last=False)
        return reply

    def known(self, who: str, key: str) -> tuple[str, Reply] | None:
        """The digest and the reply of the earlier request with this key; None if the key is new."""
        found = (place.get(who, _NONE).get(key) for place in (self.made, self.replies))
        return next(filter(None, found), None)

    def _reply(self, said: Said, answer: Any) -> Reply:
        if type(said) is int:
            return self._asked(said, answer)
        if type(said[0]) is tuple:
            self.events += len(said)
            return Reply(200, {"events": len(said)})
        if type(answer) is Refusal:
            self.counters.append(None)
            text = f"asks ε = {said[-1]}, and {answer.remaining[0]} is left of the budget's sum"
            return Reply(402, {"error": "no budget", "message": text})
        self.counters.append(LiveCounter(said, self.events))
        return Reply(201, {"counter": answer})

    def _asked(self, number: int, answer: object) -> Reply:
        counter = self.counters[number] if number < len(self.counters) else None
        if counter is None or answer is BOTTOM or type(answer) is not int:
            return no_such_counter(number)
        point = Released(self.events, answer, self._width(counter))
        if counter.last and counter.last.events == self.events:
            counter.series.pop()
        counter.series.append(point)
        if len(counter.series) > POINTS:
            del counter.series[1:-1:2]
        return Reply(200, {"counter": number, **attrs.asdict(point)})

    # --- storing the memory in a file ---------------------------------------------------------

    def save(self, folder: Path) -> None:
        """Store the memory in its file; meanwhile nobody may write to the log."""
        log = folder / LOG
        counters = [
            each and [
                *each.watch[:-1], str(each.watch[-1]), each.born, [*map(attrs.astuple, each.series)]
            ]
            for each in self.counters
        ]  # fmt: skip
        replies, made = (
            [
                [who, key, old, *reply]
                for who, theirs in place.items()
                for key, (old, reply) in theirs.items()
            ]
            for place in (self.replies, self.made)
        )
        with log.open("rb") as file:
            size = log.stat().st_size
            data = {
                "offset": size, "anchor": _anchor(file, size), "number": self.number,
                "events": self.events, "lost": self.lost, "counters": counters,
                "replies": replies, "made": made,
            }  # fmt: skip
        with whole(folder / KEEPSAKE, secret=True, overwrite=True) as fresh:
            fresh.write(json.dumps(data, separators=(",", ":")).encode("ascii"))

    @classmethod
    def read(cls, folder: Path, machine: EventCounters) -> StreamMemory:
        """The memory from its file, brought up to date by the later lines of the log."""
        memory, offset, anchor = cls(machine), 0, ""
        if (folder / KEEPSAKE).exists():
            data = json.loads((folder / KEEPSAKE).read_bytes())
            offset, anchor = data["offset"], data["anchor"]
            counters = [each and _counter(*each) for each in data["counters"]]
            memory = cls(
                machine, data["number"], data["events"], counters,
                _replies(data["replies"]), _replies(data["made"]), data["lost"],
            )  # fmt: skip
        with (folder / LOG).open("rb") as file:
            same = offset and _anchor(file, offset) == anchor
            file.seek(offset if same else 0)
            memory._follow(file, memory.number if same else 0)
        return memory

    def _follow(self, file: IO[bytes], number: int) -> None:
        """Bring the memory up to date by the log's lines after the message ``number``."""
        said: Said = None
        for raw in file:
            line = json.loads(raw)
            if "says" in line:
                said = line["says"]
            elif "resumed" in line:
                self.in_flight = None
            elif "again" in line:
                self.in_flight = tuple(decode(said)[:2])
            elif "state" in line:
                number = line["number"]
                if number > self.number:
                    self._leap(number, restored(line["state"])[0])
            elif "answers" in line:
                number += 1
                if number > self.number:
                    self.take(decode(said), decode(line["answers"]))

    def _leap(self, number: int, state: Any) -> None:
        """Continue from the session's state after ``number`` messages, which a compacted log has in
        their place."""
        self.lost += number - self.number
        self.number, (self.events, found) = number, state
        old = self.counters
        self.counters = [
            (index < len(old) and old[index]) or LiveCounter(*each) if each else None
            for index, each in enumerate(found)
        ]


LOG: Final = "session.jsonl"
KEEPSAKE: Final = "memory.json"


def digest(said: object) -> str:
    """The digest of a request's message, by which its repetition is recognised."""
    return blake2b(repr(said).encode(), digest_size=16).hexdigest()


def _replies(kept: list[Any]) -> dict[str, Replies]:
    found: dict[str, Replies] = {}
    for who, key, old, status, body in kept:
        found.setdefault(who, OrderedDict())[key] = old, Reply(status, body)
    return found


def _counter(*kept: Any) -> LiveCounter:
    *choices, epsilon, born, series = kept
    return LiveCounter((*choices, Fraction(epsilon)), born, [Released(*each) for each in series])


def _anchor(file: IO[bytes], offset: int) -> str:
    """A digest of the last bytes before a position in the log, which identifies the log."""
    file.seek(max(0, offset - _ANCHOR))
    return blake2b(file.read(min(_ANCHOR, offset)), digest_size=16).hexdigest()
