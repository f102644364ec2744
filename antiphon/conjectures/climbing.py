"""Climbing: law by law, each the best for the adversary that is best for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import numpy as np

from antiphon.conjectures.law_trees import Doubles
from antiphon.conjectures.program import Program
from antiphon.numbers.errors import Intractable

Generator = np.random.Generator
Size: TypeAlias = tuple[int, int]
"""(rounds, answers) of mechanisms that are sought; a pattern may read it in its own way."""
_SWEEPS: Final = 12
"""Sweeps over all laws in a climb."""
_STILL: Final = 1e-2
"""Noise with which a sweep that finds nothing better is the last."""
_DIRECTIONS: Final = 8
"""How many are tried for a first law."""
_ALIKE: Final = 0.7
"""How often all mechanisms have the same law."""


class Climb(NamedTuple):
    """The laws with which the best adversary gained most, and what it gained."""

    size: Size
    gain: float
    laws: list[Doubles]
    bit: int = 0
    """The world whose views the adversary accuses."""


class Climbing(Protocol):
    """Climbs among what is sought of one size."""

    def climb(self, number: int, random: Generator, near: list[Doubles] | None = None) -> Climb:
        """The climb of a number, from near the laws of another one, or from anywhere."""
        ...


class Oracle(Protocol):
    """Knows the best adversary of any laws; the bit is the world whose views it accuses."""

    def best(self, laws: list[Doubles], bit: int) -> Any:
        """With its ``gain``."""
        ...

    def slope(self, seen: Any, place: int, size: int) -> Doubles:
        """How the gain of that adversary depends on one of the laws."""
        ...


class Climber:
    """Climbs among laws of one size: from random ones, or from those of another climb.

    ``programs``: those of each law; if all are of one kind, they are often taken ``alike``.
    """

    def __init__(
        self, size: Size, oracle: Oracle, programs: Sequence[Program], *, alike: bool = False
    ) -> None:
        self.size = size
        self._oracle, self._programs = oracle, programs
        self._alike = _ALIKE if alike else 0.0

    def climb(self, number: int, random: Generator, near: list[Doubles] | None = None) -> Climb:
        """One climb, from random laws or from these.

        Less and less noise is added to what is climbed for: plain climbing ends on a ridge, where
        no one law alone can gain.
        """
        alike = random.random() < self._alike
        start = self._anew(random, alike) if near is None else near
        noise = 10.0 ** random.uniform(-2, 0)
        return self._climbed(random, list(start), noise, alike, int(random.integers(2)))

    def _anew(self, random: Generator, alike: bool) -> list[Doubles]:
        """A vertex for each mechanism, in random directions."""
        fresh = self._programs[: 1 if alike else None]
        laws = [_vertex(each, random) for each in fresh]
        return laws * (len(self._programs) // max(len(fresh), 1))

    def _climbed(
        self, random: Generator, laws: list[Doubles], noise: float, alike: bool, bit: int
    ) -> Climb:
        """Sweep by sweep, with half of the noise each time; for one world or the other."""
        found, oracle = Climb(self.size, -np.inf, laws), self._oracle
        for _ in range(_SWEEPS):
            before = found.gain
            for place in range(1 if alike else len(laws)):
                seen = oracle.best(laws, bit)
                if seen.gain > found.gain:
                    found = Climb(self.size, seen.gain, list(laws), bit)
                places = range(len(laws)) if alike else [place]
                slopes = [oracle.slope(seen, each, laws[each].size) for each in places]
                try:
                    better = self._better(random, place, np.sum(slopes, axis=0), noise)
                except Intractable:  # the solver gives up, and what was found stays
                    return found
                laws = [better if each in places else law for each, law in enumerate(laws)]
            noise /= 2
            if noise < _STILL and found.gain <= before:
                break
        return found

    def _better(self, random: Generator, place: int, slope: Doubles, noise: float) -> Doubles:
        scale = np.abs(slope).max() or 1.0  # where nothing is gained yet: any vertex
        rough = noise * scale * random.normal(size=slope.size)
        return self._programs[place].best(slope + rough)


def _vertex(program: Program, random: Generator) -> Doubles:
    """The best law in a random direction; another one where the solver gives up.

    Raises: Intractable if it always does.
    """
    for _ in range(_DIRECTIONS - 1):
        with suppress(Intractable):
            return program.best(random.normal(size=program.size))
    return program.best(random.normal(size=program.size))
