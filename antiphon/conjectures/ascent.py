"""A search for laws of mechanisms by many local searches ("climbs"), whose results are used in the
order of their starts; the best laws found are kept.

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
"""The number of local searches that may run at once: a start depends only on results of searches
that started at least this many starts earlier."""
_KEPT: Final = 8
"""The number of best results kept for each size of laws, near which most later searches start."""
_PATIENCE: Final = 60
"""The number of local searches without improvement after which the kept results are forgotten, as
they may all be at one local maximum."""
_NEAR: Final = 0.6
"""The probability that a local search starts near a kept result, and not at random."""
_BETTER: Final = 1e-9


@attrs.frozen(eq=False)
class Start:
    """The start of a local search: the size of its laws, its seed, and the laws to start near."""

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
    """The local search for the size with index ``place``. Raises: MissingExtra without scipy."""
    return task.pattern.climber(task.sizes[place], task.epsilon)


@attrs.define
class Few:
    """The best local searches so far among mechanisms of one size (rounds, answers)."""

    kept: list[Climb] = attrs.field(factory=list[Climb])
    in_vain: int = 0

    def add(self, found: Climb) -> None:
        """Keeps a result if it is among the best; after many results in vain, forgets all kept
        ones."""
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
    """The start of the local search with this number, by its seed in ``chunks`` and the best
    results ``few`` for each size."""
    random = generator(chunks[number].seed)
    place = place_of(number, len(few))
    return Start(number, place, int(random.integers(2**62)), few[place].chosen(random))


def looked_at(starts: int, sizes: Sizes) -> Sizes:
    """The sizes (rounds, answers) in which the first ``starts`` local searches look."""
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
"""The excess of a gain (in doubles) over the bound from which on the loss is computed exactly."""
_FURTHER: Final = 1e-9
"""The amount by which a local search must gain more than the last one that was computed exactly, to
be computed exactly itself."""
ENDLESS: Final = 2**32 - 1
"""The number of starts used when only time is limited."""


class HowFar(NamedTuple):
    """The progress of a search, reported after every local search."""

    seconds: float
    starts: int
    best: float
    bound: Fraction


@attrs.frozen
class Aim:
    """The goal of a search: a loss above ``figure``; and whether to search on after finding one."""

    pattern: Pattern
    epsilon: ExactEpsilon
    figure: Fraction
    to_the_end: bool = attrs.field(validator=boolean)


@attrs.define
class Memory:
    """The state of a search between two local searches, which a checkpoint saves."""

    few: list[Few]
    ready: deque[Start] = attrs.field(factory=deque[Start])
    """The starts of the next local searches, already chosen: start number n depends on the results
    of the searches up to number n - ``AHEAD``."""
    best: Climb | None = None
    history: list[tuple[int, float]] = attrs.field(factory=list[tuple[int, float]])
    refuting: Climb | None = None
    """The local search with the largest exactly computed loss so far, or None."""
    tried: float = -1.0
    """The gain, in doubles, of the last local search whose loss was computed exactly."""


def _number(given: object) -> bool:
    return isinstance(given, (int, float)) and not isinstance(given, bool)


class Limits:
    """The limits of a search: its time, its number of starts, and whether everything was
    searched."""

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
    """A running search: it takes the results of local searches in order, and computes a result
    exactly where it seems to refute the bound."""

    aim: Aim
    chunks: Chunks
    """The seeds of the starts: an endless sequence with one item for each start."""
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
        """Whether the bound is refuted by an exact computation."""
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
        """Computes the largest loss found exactly, if it seems to refute the bound and has not been
        computed yet."""
        memory = self.memory
        # In a resumed search the mechanisms come from a checkpoint, which does not hold their exact
        # loss.
        if memory.refuting is not None and self._judged is None:
            self._judged = self._exactly(memory.refuting)
        least = max(memory.tried + _FURTHER, float(self.aim.figure) + _CLEARLY)
        if memory.best is not None and memory.best.gain > least and not self.aim.to_the_end:
            self._judge(memory.best)

    def _judge(self, found: Climb) -> None:
        """Computes the loss of a result exactly, and keeps the result with the largest loss."""
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
