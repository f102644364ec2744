"""Climbing: law by law, each the best for the adversary that is best for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from antiphon.audit.conjectures.law_trees import Domain, Doubles
from antiphon.audit.conjectures.program import Program

Generator = np.random.Generator
_SWEEPS: Final = 12
"""Sweeps over all laws in a climb."""
_KEPT: Final = 8
"""The best laws found so far, from which most climbs start."""
_PATIENCE: Final = 60
"""Climbs without a better one after which those are forgotten: they may all be one hill."""
_NEAR: Final = 0.6
"""How often a climb starts near one of them, and not anew."""
_BETTER: Final = 1e-9
_STILL: Final = 1e-2
"""Noise with which a sweep that finds nothing better is the last."""
_ALIKE: Final = 0.7
"""How often all mechanisms have the same law."""


class Climb(NamedTuple):
    """The laws with which the best adversary gained most, and what it gained."""

    domain: Domain
    """Of the first law; others may hear other inputs, in as many rounds."""
    gain: float
    laws: list[Doubles]
    bit: int = 0
    """The world whose views the adversary accuses."""


class Oracle(Protocol):
    """Knows the best adversary of any laws; the bit is the world whose views it accuses."""

    def best(self, laws: list[Doubles], bit: int) -> Any:
        """With its ``gain``."""
        ...

    def slope(self, seen: Any, place: int, size: int) -> Doubles:
        """How the gain of that adversary depends on one of the laws."""
        ...


class Climber:
    """Climbs in one domain, and the best that they found.

    ``programs``: those of each law; if all are of one kind, they are often taken ``alike``.
    """

    def __init__(
        self, domain: Domain, oracle: Oracle, programs: Sequence[Program], random: Generator,
        *, alike: bool = False,
    ) -> None:  # fmt: skip
        self.domain = domain
        self._oracle, self._programs, self._random = oracle, programs, random
        self._alike = _ALIKE if alike else 0.0
        self._kept: list[Climb] = []
        self._in_vain = 0

    def climb(self) -> Climb:
        """One climb, from random laws or from near the best so far.

        Less and less noise is added to what is climbed for: plain climbing ends on a ridge, where
        no one law alone can gain.
        """
        random = self._random
        near = bool(self._kept) and random.random() < _NEAR
        alike = random.random() < self._alike
        start = (
            self._kept[int(random.integers(len(self._kept)))].laws if near else self._anew(alike)
        )
        noise = 10.0 ** random.uniform(-2, 0)
        found = self._climbed(list(start), noise, alike, int(random.integers(2)))
        better = not self._kept or found.gain > self._kept[0].gain + _BETTER
        self._in_vain = 0 if better else self._in_vain + 1
        if self._in_vain == _PATIENCE:
            self._kept, self._in_vain = [], 0
        self._kept = sorted([*self._kept, found], key=lambda each: -each.gain)[:_KEPT]
        return found

    def _anew(self, alike: bool) -> list[Doubles]:
        """A vertex for each mechanism, in random directions."""
        fresh = self._programs[: 1 if alike else None]
        laws = [each.best(self._random.normal(size=each.size)) for each in fresh]
        return laws * (len(self._programs) // max(len(fresh), 1))

    def _climbed(self, laws: list[Doubles], noise: float, alike: bool, bit: int) -> Climb:
        """Sweep by sweep, with half of the noise each time; for one world or the other."""
        found, oracle = Climb(self.domain, -np.inf, laws), self._oracle
        for _ in range(_SWEEPS):
            before = found.gain
            for place in range(1 if alike else len(laws)):
                seen = oracle.best(laws, bit)
                if seen.gain > found.gain:
                    found = Climb(self.domain, seen.gain, list(laws), bit)
                places = range(len(laws)) if alike else [place]
                slopes = [oracle.slope(seen, each, laws[each].size) for each in places]
                better = self._better(place, np.sum(slopes, axis=0), noise)
                laws = [better if each in places else law for each, law in enumerate(laws)]
            noise /= 2
            if noise < _STILL and found.gain <= before:
                break
        return found

    def _better(self, place: int, slope: Doubles, noise: float) -> Doubles:
        scale = np.abs(slope).max() or 1.0  # where nothing is gained yet: any vertex
        rough = noise * scale * self._random.normal(size=slope.size)
        return self._programs[place].best(slope + rough)


def climbs(climbers: list[Climber]) -> Iterator[Climb]:
    """One climb after another, without end: first in the smallest domains.

    Then in all of them in turn, and every other one in the largest.
    """
    for most in range(1, len(climbers)):
        for climber in climbers[:most]:
            yield climber.climb()
    while True:
        for climber in climbers:
            yield climber.climb()
            yield climbers[-1].climb()
