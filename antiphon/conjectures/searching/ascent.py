"""The ascent: what a search has found, climb by climb, in the order of their starts."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from fractions import Fraction
from typing import Final, NamedTuple

import attrs

from antiphon.audit.running.checkpoint import Saver
from antiphon.audit.running.chunks import Chunks
from antiphon.audit.running.working import InOrder
from antiphon.conjectures.climbing import Climb
from antiphon.conjectures.conjectured import Conjectured
from antiphon.conjectures.judging import Judged
from antiphon.conjectures.patterns.pattern import Pattern, Sizes
from antiphon.conjectures.searching.starts import (
    AHEAD,
    Few,
    Start,
    looked_at,
    place_of,
    start,
)
from antiphon.mechanisms.fields import boolean
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import ExactEpsilon

_CLEARLY: Final = 1e-6
"""A gain in doubles that is more than this above the bound is judged."""
_FURTHER: Final = 1e-9
"""By how much one has to be better that is judged after another."""
ENDLESS: Final = 2**32 - 1
"""Starts where only time is limited."""


class HowFar(NamedTuple):
    """How far a search is: told after every climb."""

    seconds: float
    starts: int
    best: float
    bound: Fraction


@attrs.frozen
class Aim:
    """What is to be found: more than ``figure``; and whether to go on once it is."""

    pattern: Pattern
    epsilon: ExactEpsilon
    figure: Fraction
    to_the_end: bool = attrs.field(validator=boolean)


@attrs.define
class Memory:
    """What a search remembers between two climbs; a checkpoint is this in a file."""

    few: list[Few]
    ready: deque[Start] = attrs.field(factory=deque[Start])
    """The next starts: each was made when the climb so many before it was known."""
    best: Climb | None = None
    history: list[tuple[int, float]] = attrs.field(factory=list[tuple[int, float]])
    refuting: Climb | None = None
    """What was judged to be the best, exactly, while it went on."""
    tried: float = -1.0
    """The gain of what was judged last."""


def _number(given: object) -> bool:
    return isinstance(given, (int, float)) and not isinstance(given, bool)


class Limits:
    """When to stop: after so long, so many starts, and where nothing is left to be looked at."""

    def __init__(self, seconds: float | None, starts: int | None, most: int | None) -> None:
        self._begun = time.monotonic()
        self._seconds = seconds
        if seconds is not None and (not _number(seconds) or not seconds > 0):
            raise InvalidArgument("seconds is a positive number, or None for no end of time")
        asked = ENDLESS if starts is None else exact.whole(starts, "starts")
        self.starts = asked if most is None else min(asked, most)

    @property
    def spent(self) -> float:
        """Seconds so far."""
        return time.monotonic() - self._begun

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return self._seconds is not None and self.spent >= self._seconds


@attrs.define(kw_only=True)
class Ascent(InOrder[Climb]):
    """The climbs of a search; the best of them is judged when it seems to refute the bound."""

    aim: Aim
    chunks: Chunks
    """One start each, without end: their seeds."""
    sizes: Sizes
    limits: Limits
    memory: Memory
    saver: Saver | None
    watch: Callable[[HowFar], object] | None
    ahead: int = AHEAD
    _judged: Judged | None = None
    _late: bool = False

    def __attrs_post_init__(self) -> None:
        ready = self.memory.ready
        ready.extend(
            start(number, self.chunks, self.memory.few)
            for number in range(self.done + len(ready), self.done + AHEAD)
        )

    @property
    def refuted(self) -> bool:
        """Whether that is known, exactly."""
        return self._judged is not None and self._judged.loss > self.aim.figure

    @property
    def pieces(self) -> int:
        over = self._late or (self.refuted and not self.aim.to_the_end)
        return self.done if over else self.limits.starts

    def piece(self, index: int) -> Start:
        return self.memory.ready[index - self.done]

    def take(self, part: Climb) -> None:
        memory, few = self.memory, self.memory.few
        few[place_of(self.done, len(few))].add(part)
        if memory.best is None or part.gain > memory.best.gain + _FURTHER:
            memory.best = part
            memory.history.append((self.done + 1, part.gain))
        memory.ready.popleft()
        memory.ready.append(start(self.done + AHEAD, self.chunks, few))

    def taken(self) -> None:
        self.settle()
        self._late = self.limits.late
        if self.saver is not None and self.saver.due():
            self.save()
        if self.watch is not None and self.memory.best is not None:
            best = self.memory.best.gain
            self.watch(HowFar(self.limits.spent, self.done, best, self.aim.figure))

    def settle(self) -> None:
        """Judge what has not been judged yet and seems to refute the bound."""
        memory = self.memory
        if memory.refuting is not None and self._judged is None:  # read from a checkpoint
            self._judged = self._exactly(memory.refuting)
        least = max(memory.tried + _FURTHER, float(self.aim.figure) + _CLEARLY)
        if memory.best is not None and memory.best.gain > least and not self.aim.to_the_end:
            self._judge(memory.best)

    def _judge(self, found: Climb) -> None:
        """It is kept if it is exactly better than what was."""
        result = self._exactly(found)
        if self._judged is None or result.loss > self._judged.loss:
            self._judged, self.memory.refuting = result, found
        self.memory.tried = found.gain

    def _exactly(self, found: Climb) -> Judged:
        return self.aim.pattern.judged(found, self.aim.epsilon)

    def save(self) -> None:
        """Bring the checkpoint up to date."""
        if self.saver is not None and not self.taking:
            self.saver.save(self.done, self.memory)

    def outcome(self, *, interrupted: bool) -> Conjectured:
        """The best of all, judged."""
        best, aim = self.memory.best, self.aim
        if best is not None and (self._judged is None or best.gain > self.memory.tried):
            self._judge(best)
        return Conjectured(
            aim.pattern, aim.epsilon, aim.figure, self._judged, self.done,
            looked_at(self.done, self.sizes), tuple(self.memory.history), interrupted,
        )  # fmt: skip
