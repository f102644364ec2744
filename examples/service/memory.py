"""What the service remembers of what was said: counters, their released counts, and replies.

All of it follows from the log of the session. ``memory.json`` beside the log keeps it, with how far
in the log that was, so that a restart reads the rest only. It is a secret, as the log is: the
digests of batches are of data.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, TypeAlias

import attrs

from antiphon import BOTTOM
from antiphon.composition import Refusal
from antiphon.protocol.records.codec import decode
from antiphon.protocol.records.files import whole
from antiphon.sessions.durable.states import restored

from .board import EPSILONS, Board, Watch

KEPT: Final = 20_000
"""Replies to each token that are remembered, for requests that come again; creations all are."""
POINTS: Final = 240
"""Released counts of a counter, past which every other one is dropped."""
BETA: Final = 0.05
"""A band holds at a time with probability 1 - BETA."""
_ANCHOR: Final = 256


class Reply(NamedTuple):
    """What is answered to a request, as HTTP has it."""

    status: int
    body: dict[str, Any]


Replies: TypeAlias = "OrderedDict[str, tuple[str, Reply]]"
"""By key: the digest of what was said, and the reply."""
_NONE: Final[Replies] = OrderedDict()


def no_such_counter(number: int) -> Reply:
    """Of a question by a number that no counter has, be it refused or not yet created."""
    return Reply(404, {"error": "no such counter", "message": f"nothing is counter {number}"})


@attrs.frozen
class Point:
    """A released count, after so many flights; the truth is ``within`` it, or most likely is."""

    flights: int
    count: int
    within: int


@attrs.define
class Counter:
    """What is public of a counter."""

    watch: Watch
    born: int
    """How many flights had come."""
    series: list[Point] = attrs.field(factory=list)

    @property
    def last(self) -> Point | None:
        """What was released last."""
        return self.series[-1] if self.series else None


@attrs.define
class Memory:
    """The log, folded. Changed by ``take`` only, one exchange at a time."""

    board: Board
    number: int = 0
    """Of the messages that have been answered."""
    flights: int = 0
    counters: list[Counter | None] = attrs.field(factory=list)
    replies: dict[str, Replies] = attrs.field(factory=dict)
    """Of whom, by their keys, the newest last."""
    made: dict[str, Replies] = attrs.field(factory=dict)
    """The same of creations: as many as the budget has room for, and so never forgotten."""
    lost: int = 0
    """Messages whose replies and counts are forgotten: a compaction came before they were kept."""
    in_flight: tuple[str, str] | None = None
    """(who, key) of the message that was in flight when the process died, and has been stepped."""

    def seen(self, counter: Counter, flights: int) -> int:
        """How many of so many flights came to a counter before it was full: no count is more."""
        return min(flights - counter.born, self.board.horizon)

    def _width(self, counter: Counter) -> int:
        """The truth is this near, with probability 1 - BETA: a function of public numbers."""
        seen = self.seen(counter, self.flights)
        if not seen:
            return 0
        return int(self.board.counter(counter.watch).error_bound(seen, beta=BETA))

    def take(self, message: Any, answer: object) -> Reply:
        """One exchange more, and what it is as a reply."""
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
        """The digest of what came with a key, and what was replied."""
        found = (place.get(who, _NONE).get(key) for place in (self.made, self.replies))
        return next(filter(None, found), None)

    def _reply(self, said: Any, answer: Any) -> Reply:
        if type(said) is int:
            return self._asked(said, answer)
        if type(said[0]) is tuple:
            self.flights += len(said)
            return Reply(200, {"flights": len(said)})
        if type(answer) is Refusal:
            self.counters.append(None)
            text = f"asks ε = {said[3]}, and {answer.remaining[0]} is left of the budget's sum"
            return Reply(402, {"error": "no budget", "message": text})
        self.counters.append(Counter(said, self.flights))
        return Reply(201, {"counter": answer})

    def _asked(self, number: int, answer: object) -> Reply:
        counter = self.counters[number] if number < len(self.counters) else None
        if counter is None or answer is BOTTOM or type(answer) is not int:
            return no_such_counter(number)
        point = Point(self.flights, answer, self._width(counter))
        if counter.last and counter.last.flights == self.flights:
            counter.series.pop()
        counter.series.append(point)
        if len(counter.series) > POINTS:
            del counter.series[1:-1:2]
        return Reply(200, {"counter": number, **attrs.asdict(point)})

    # --- kept, and read again ----------------------------------------------------------------

    def save(self, folder: Path) -> None:
        """Keep it, while nobody writes to the log."""
        log = folder / LOG
        counters = [
            each and [*_plain(each.watch), each.born, [*map(attrs.astuple, each.series)]]
            for each in self.counters
        ]
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
                "flights": self.flights, "lost": self.lost, "counters": counters,
                "replies": replies, "made": made,
            }  # fmt: skip
        with whole(folder / KEEPSAKE, secret=True, overwrite=True) as fresh:
            fresh.write(json.dumps(data, separators=(",", ":")).encode("ascii"))

    @classmethod
    def read(cls, folder: Path, board: Board) -> Memory:
        """As it was kept, and what the log has beyond it."""
        memory, offset, anchor = cls(board), 0, ""
        if (folder / KEEPSAKE).exists():
            data = json.loads((folder / KEEPSAKE).read_bytes())
            offset, anchor = data["offset"], data["anchor"]
            counters = [each and _counter(*each) for each in data["counters"]]
            memory = cls(
                board, data["number"], data["flights"], counters,
                _replies(data["replies"]), _replies(data["made"]), data["lost"],
            )  # fmt: skip
        with (folder / LOG).open("rb") as file:
            same = offset and _anchor(file, offset) == anchor
            file.seek(offset if same else 0)
            memory._follow(file, memory.number if same else 0)
        return memory

    def _follow(self, file: IO[bytes], number: int) -> None:
        """Take what lines say, from the message after ``number``."""
        said: Any = None
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
        """To a kept state, past messages that are in the log no more."""
        self.lost += number - self.number
        self.number, (self.flights, found) = number, state
        old = self.counters
        self.counters = [
            (index < len(old) and old[index]) or Counter(*each) if each else None
            for index, each in enumerate(found)
        ]


LOG: Final = "session.jsonl"
KEEPSAKE: Final = "memory.json"


def digest(said: object) -> str:
    """By which a request that comes again is known."""
    return blake2b(repr(said).encode(), digest_size=16).hexdigest()


def _plain(watch: Watch) -> list[Any]:
    return [*watch[:3], str(watch[3])]


def _replies(kept: list[Any]) -> dict[str, Replies]:
    found: dict[str, Replies] = {}
    for who, key, old, status, body in kept:
        found.setdefault(who, OrderedDict())[key] = old, Reply(status, body)
    return found


def _counter(
    airline: str, origin: str, minutes: int, epsilon: str, born: int, series: list[Any]
) -> Counter:
    watch = airline, origin, minutes, EPSILONS[epsilon]
    return Counter(watch, born, [Point(*each) for each in series])


def _anchor(file: IO[bytes], offset: int) -> str:
    """What stands before a place of the log: another file has something else there."""
    file.seek(max(0, offset - _ANCHOR))
    return blake2b(file.read(min(_ANCHOR, offset)), digest_size=16).hexdigest()
