"""A search for laws of mechanisms that break a bound, by many local searches ("climbs"); the best
results are the starting points of later ones.

A start is determined by its number and the results of much earlier climbs. So the result of a
search is a function of its seed and the number of starts, for any number of workers.
"""

import time
from collections import deque
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

import attrs

from antiphon.audit.running.checkpoint import Saver
from antiphon.audit.running.chunks import Chunks
from antiphon.audit.running.runner import InOrder
from antiphon.conjectures.climbing import Climb, Climbing, Generator
from antiphon.conjectures.law_trees import Doubles
from antiphon.conjectures.outcome import Conjectured
from antiphon.conjectures.patterns.pattern import Pattern, Sizes
from antiphon.conjectures.tables import Judged
from antiphon.mechanisms.fields import boolean
from antiphon.numbers import ExactEpsilon, InvalidArgument, exact
from antiphon.protocol.coins.sampled import generator

AHEAD: Final = 16
"""The largest number of local searches that run at once. The start of a search depends only on
results of searches that began at least this many searches earlier."""
_KEPT: Final = 8
"""The number of best results kept for each size of mechanisms; a later local search may start near
one of them."""
_PATIENCE: Final = 60
"""The number of local searches without improvement after which the kept results are dropped, since
all may lie near one local maximum."""
_NEAR: Final = 0.6
"""The probability that a local search starts near a kept result; otherwise it starts at random
laws."""
_BETTER: Final = 1e-9


@attrs.frozen(eq=False)
class Start:
    """The start of a local search: its number, the index ``place`` of its size (rounds, answers),
    its seed, and ``near``, the laws near which it starts (None: random laws)."""

    number: int
    place: int
    seed: int
    near: list[Doubles] | None = attrs.field(repr=False)


@attrs.frozen
class Climbs:
    """The task of a worker process: the local searches ("climbs") of one conjecture."""

    name: str
    """The unique name of this search, by which a worker caches its linear programs."""
    pattern: Pattern = attrs.field(eq=False)
    epsilon: ExactEpsilon = attrs.field(eq=False)
    bound: Fraction = attrs.field(eq=False)
    sizes: Sizes = attrs.field(eq=False)

    def __call__(self, start: Start) -> Climb:
        random = generator(start.seed)
        return climber(self, start.place).climb(start.number, random, start.near)

    def fingerprint(self) -> dict[str, object]:
        """The parameters that must be the same when a saved search is resumed."""
        return {
            "pattern": self.pattern.known_by(self.sizes), "epsilon": self.epsilon,
            "bound": self.bound, "sizes": self.sizes,
        }  # fmt: skip


@lru_cache(maxsize=64)
def climber(task: Climbs, place: int) -> Climbing:
    """The local search for mechanisms of size no. ``place``. Raises: MissingExtra without scipy."""
    return task.pattern.climber(task.sizes[place], task.epsilon)


@attrs.define
class Few:
    """The best results of local searches so far, for mechanisms of one size (rounds, answers)."""

    kept: list[Climb] = attrs.field(factory=list[Climb])
    in_vain: int = 0

    def add(self, found: Climb) -> None:
        """Adds the result of a local search. A few of the best are kept; after many results without
        improvement the earlier ones are dropped."""
        better = not self.kept or found.gain > self.kept[0].gain + _BETTER
        self.in_vain = 0 if better else self.in_vain + 1
        if self.in_vain == _PATIENCE:
            self.kept, self.in_vain = [], 0
        self.kept = sorted([*self.kept, found], key=lambda each: -each.gain)[:_KEPT]

    def chosen(self, random: Generator) -> list[Doubles] | None:
        """The laws near which the next local search starts; None for a random start."""
        if not self.kept or random.random() >= _NEAR:
            return None
        return self.kept[int(random.integers(len(self.kept)))].laws


def start(number: int, chunks: Chunks, few: list[Few]) -> Start:
    """The start of the local search with this number. ``chunks`` has a seed for each search, and
    ``few`` the best results so far for each size."""
    random = generator(chunks[number].seed)
    place = place_of(number, len(few))
    return Start(number, place, int(random.integers(2**62)), few[place].chosen(random))


def looked_at(starts: int, sizes: Sizes) -> Sizes:
    """The sizes (rounds, answers) of the mechanisms in the first ``starts`` local searches."""
    # By this number of starts each size has had a local search.
    enough = len(sizes) * (len(sizes) + 1)
    seen = {place_of(number, len(sizes)) for number in range(min(starts, enough))}
    return tuple(sizes[place] for place in sorted(seen))


def place_of(number: int, sizes: int) -> int:
    """The index of the size of the mechanisms in the local search with this number; sizes are
    ordered from small to large.

    The first searches are in the smallest size; later ones take all sizes in turn, with every
    second search in the largest.
    """
    for most in range(1, sizes):
        if number < most:
            return number
        number -= most
    return sizes - 1 if number % 2 else number // 2 % sizes


_CLEARLY: Final = 1e-6
"""The amount by which a gain, in doubles, must exceed the bound before the loss is computed
exactly."""
_FURTHER: Final = 1e-9
"""The amount by which a gain, in doubles, must exceed that of the last result computed exactly,
before the new result is computed exactly."""
ENDLESS: Final = 2**32 - 1
"""The largest number of local searches if only the time is limited."""


class HowFar(NamedTuple):
    """The progress of a search, reported after every local search."""

    seconds: float
    starts: int
    best: float
    bound: Fraction


@attrs.frozen
class Aim:
    """The goal of a search: laws of the pattern's mechanisms with a loss above ``figure`` at
    ``epsilon``. ``to_the_end``: after a refutation the search goes on."""

    pattern: Pattern
    epsilon: ExactEpsilon
    figure: Fraction
    to_the_end: bool = attrs.field(validator=boolean)


@attrs.define
class Memory:
    """The state of a search between two local searches, which a checkpoint saves."""

    few: list[Few]
    ready: deque[Start] = attrs.field(factory=deque[Start])
    """The starts of the next local searches, fixed in advance: as many as may run at once."""
    best: Climb | None = None
    history: list[tuple[int, float]] = attrs.field(factory=list[tuple[int, float]])
    refuting: Climb | None = None
    """The result of the local search with the largest exactly computed loss; None if none was
    computed."""
    tried: float = -1.0
    """The gain, in doubles, of the last result whose loss was computed exactly."""


def _number(given: object) -> bool:
    return isinstance(given, (int, float)) and not isinstance(given, bool)


class Limits:
    """The limits of a search: its time, and its number of local searches, which is never larger
    than the number that covers all games."""

    def __init__(self, seconds: float | None, starts: int | None, most: int | None) -> None:
        self._begun = time.monotonic()
        self._seconds = seconds
        if seconds is not None and (not _number(seconds) or not seconds > 0):
            raise InvalidArgument("seconds is a positive number, or None for no end of time")
        asked = ENDLESS if starts is None else exact.whole(starts, "starts")
        self.starts = asked if most is None else min(asked, most)

    @property
    def spent(self) -> float:
        """The seconds spent so far."""
        return time.monotonic() - self._begun

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return self._seconds is not None and self.spent >= self._seconds


@attrs.define(kw_only=True)
class Ascent(InOrder[Climb]):
    """A running search: it takes the results of local searches in order, and computes the exact
    loss of a result whose gain in doubles is above the bound."""

    aim: Aim
    chunks: Chunks
    """The seeds of the local searches: an endless sequence with one item for each."""
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
        """Whether an exactly computed loss is above the bound."""
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
        """Computes the loss of the best result exactly, if its gain is above the bound and above
        the gain of the last result computed exactly."""
        memory = self.memory
        # A checkpoint holds the laws of the best refutation, but not its exact loss.
        if memory.refuting is not None and self._judged is None:
            self._judged = self._exactly(memory.refuting)
        least = max(memory.tried + _FURTHER, float(self.aim.figure) + _CLEARLY)
        if memory.best is not None and memory.best.gain > least and not self.aim.to_the_end:
            self._judge(memory.best)

    def _judge(self, found: Climb) -> None:
        """Computes the loss of a result exactly; the result with the largest exact loss is kept."""
        result = self._exactly(found)
        if self._judged is None or result.loss > self._judged.loss:
            self._judged, self.memory.refuting = result, found
        self.memory.tried = found.gain

    def _exactly(self, found: Climb) -> Judged:
        return self.aim.pattern.judged(found, self.aim.epsilon)

    def save(self) -> None:
        """Saves the state of the search in the checkpoint file, if there is one."""
        if self.saver is not None and not self.taking:
            self.saver.save(self.done, self.memory)

    def outcome(self, *, interrupted: bool) -> Conjectured:
        """The outcome of the search: the best laws found, with their exact loss."""
        best, aim = self.memory.best, self.aim
        if best is not None and (self._judged is None or best.gain > self.memory.tried):
            self._judge(best)
        return Conjectured(
            aim.pattern, aim.epsilon, aim.figure, self._judged, self.done,
            looked_at(self.done, self.sizes), tuple(self.memory.history), interrupted,
        )  # fmt: skip
