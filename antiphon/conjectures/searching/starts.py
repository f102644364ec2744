"""Starts: each climb by its number, and what those long before it have found.

So what a search finds is a function of its seed and the number of starts, whoever makes the climbs
and however many are under way at once.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Final

import attrs

from antiphon.audit.running.chunks import Chunks
from antiphon.conjectures.climbing import Climb, Climbing, Generator
from antiphon.conjectures.law_trees import Doubles
from antiphon.conjectures.patterns.pattern import Pattern, Sizes
from antiphon.numbers.exact import ExactEpsilon
from antiphon.protocol.coins.sampled import generator

AHEAD: Final = 16
"""A start knows the climbs that are so many before it: as many may be under way at once."""
_KEPT: Final = 8
"""The best laws found so far, from which most climbs start."""
_PATIENCE: Final = 60
"""Climbs without a better one after which those are forgotten: they may all be one hill."""
_NEAR: Final = 0.6
"""How often a climb starts near one of them, and not anew."""
_BETTER: Final = 1e-9


@attrs.frozen(eq=False)
class Start:
    """A climb that is to be made: in which size, with which draws, and from which laws."""

    number: int
    place: int
    seed: int
    near: list[Doubles] | None = attrs.field(repr=False)


@attrs.frozen
class Climbs:
    """The task of who makes climbs: some of all that are made for one search."""

    name: str
    """Of this search alone: whoever works on it builds each program once."""
    pattern: Pattern = attrs.field(eq=False)
    epsilon: ExactEpsilon = attrs.field(eq=False)
    bound: Fraction = attrs.field(eq=False)
    sizes: Sizes = attrs.field(eq=False)

    def __call__(self, start: Start) -> Climb:
        random = generator(start.seed)
        return climber(self, start.place).climb(start.number, random, start.near)

    def fingerprint(self) -> dict[str, object]:
        """What has to be the same for a search to be gone on with."""
        return {
            "pattern": self.pattern.known_by(self.sizes), "epsilon": self.epsilon,
            "bound": self.bound, "sizes": self.sizes,
        }  # fmt: skip


@lru_cache(maxsize=64)
def climber(task: Climbs, place: int) -> Climbing:
    """Of one size. Raises: MissingExtra without scipy."""
    return task.pattern.climber(task.sizes[place], task.epsilon)


@attrs.define
class Few:
    """The best climbs in one size."""

    kept: list[Climb] = attrs.field(factory=list[Climb])
    in_vain: int = 0

    def add(self, found: Climb) -> None:
        """Keep it if it is one of the best; forget them where nothing gets better."""
        better = not self.kept or found.gain > self.kept[0].gain + _BETTER
        self.in_vain = 0 if better else self.in_vain + 1
        if self.in_vain == _PATIENCE:
            self.kept, self.in_vain = [], 0
        self.kept = sorted([*self.kept, found], key=lambda each: -each.gain)[:_KEPT]

    def chosen(self, random: Generator) -> list[Doubles] | None:
        """Laws to start from; None for random ones."""
        if not self.kept or random.random() >= _NEAR:
            return None
        return self.kept[int(random.integers(len(self.kept)))].laws


def start(number: int, chunks: Chunks, few: list[Few]) -> Start:
    """The start of a number, by what is known of each size."""
    random = generator(chunks[number].seed)
    place = place_of(number, len(few))
    return Start(number, place, int(random.integers(2**62)), few[place].chosen(random))


def looked_at(starts: int, sizes: Sizes) -> Sizes:
    """The sizes that so many climbs were made in."""
    enough = len(sizes) * (len(sizes) + 1)  # by then each has had its turn
    seen = {place_of(number, len(sizes)) for number in range(min(starts, enough))}
    return tuple(sizes[place] for place in sorted(seen))


def place_of(number: int, sizes: int) -> int:
    """In which size a climb is, of those from small to large.

    First in the smallest; then in all of them in turn, and every other one in the largest.
    """
    for most in range(1, sizes):
        if number < most:
            return number
        number -= most
    return sizes - 1 if number % 2 else number // 2 % sizes
