"""Climbing: law by law, each the best for the adversary that is best for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from antiphon.audit.conjectures.composition import best, gains
from antiphon.audit.conjectures.pattern import grown
from antiphon.audit.conjectures.program import Program, program
from antiphon.audit.conjectures.shape import Doubles, Shape
from antiphon.numbers.exact import ExactEpsilon

Generator = np.random.Generator
_STEPS: Final = 12
"""Sweeps over all laws in a climb."""
_KEPT: Final = 8
"""The best laws found so far, from which most climbs start."""
_NEAR: Final = 0.6
"""How often a climb starts near one of them, and not anew."""


class Climb(NamedTuple):
    """The laws with which the best adversary gained most, and what it gained."""

    gain: float
    laws: list[Doubles]


def climbs(shape: Shape, epsilon: ExactEpsilon, random: Generator) -> Iterator[Climb]:
    """One climb after another, without end.

    Each goes from random laws, or from near the best so far, and less and less noise is added to
    what is climbed for: plain climbing ends on a ridge, where no one law alone can gain.
    """
    climbing = _Climbing(shape, program(shape), grown(epsilon), random)
    kept: list[Climb] = []
    while True:
        near = bool(kept) and random.random() < _NEAR
        start = kept[int(random.integers(len(kept)))].laws if near else climbing.anew()
        noise = 10.0 ** random.uniform(-2, 0)
        found = climbing.climb(list(start), noise)
        kept = sorted([*kept, found], key=lambda each: -each.gain)[:_KEPT]
        yield found


class _Climbing(NamedTuple):
    shape: Shape
    laws: Program
    growth: float
    random: Generator

    def anew(self) -> list[Doubles]:
        """A vertex for each mechanism, in random directions."""
        count = self.shape.pattern.creations
        return [self.laws.best(self.random.normal(size=self.shape.size)) for _ in range(count)]

    def climb(self, laws: list[Doubles], noise: float) -> Climb:
        """Sweep by sweep, with half of the noise each time."""
        found = Climb(-1.0, laws)
        for _ in range(_STEPS):
            for mechanism in range(len(laws)):
                seen = best(self.shape, laws, self.growth)
                if seen.gain > found.gain:
                    found = Climb(seen.gain, list(laws))
                slope = gains(self.shape, laws, seen.event, mechanism, self.growth)
                rough = noise * np.abs(slope).max() * self.random.normal(size=slope.size)
                laws[mechanism] = self.laws.best(slope + rough)
            noise /= 2
        return found
