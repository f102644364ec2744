"""Climbing: law by law, each the best for the adversary that is best for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from antiphon.audit.conjectures.all_views import best, gains
from antiphon.audit.conjectures.law_trees import Domain, Doubles, Tree, tree, turned
from antiphon.audit.conjectures.patterns import Pattern
from antiphon.audit.conjectures.program import Program, program
from antiphon.audit.conjectures.view_losses import Loss
from antiphon.numbers.exact import ExactEpsilon

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
    gain: float
    laws: list[Doubles]
    bit: int = 0
    """The world whose views the adversary accuses."""


class Climber:
    """Climbs in one domain, and the best that they found."""

    def __init__(
        self, pattern: Pattern, domain: Domain, epsilon: ExactEpsilon, random: Generator
    ) -> None:
        loss, limit = pattern.claimed
        self.domain = domain
        self.loss: Loss = pattern.loss(epsilon)
        self._creations, self._sparse = pattern.creations, pattern.sparse
        self._claimed: Program = program(
            domain, tree(domain, pattern.pairs, pattern.inner), loss, float(limit)
        )
        self._tree: Tree = tree(domain, pattern.pairs, pattern.played)
        self._random = random
        self._kept: list[Climb] = []
        self._in_vain = 0

    def climb(self) -> Climb:
        """One climb, from random laws or from near the best so far.

        Less and less noise is added to what is climbed for: plain climbing ends on a ridge, where
        no one law alone can gain.
        """
        random = self._random
        near = bool(self._kept) and random.random() < _NEAR
        alike = random.random() < _ALIKE
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
        count = 1 if alike else self._creations
        laws = [
            self._claimed.best(self._random.normal(size=self.domain.size)) for _ in range(count)
        ]
        return laws * (self._creations // count)

    def _climbed(self, laws: list[Doubles], noise: float, alike: bool, bit: int) -> Climb:
        """Sweep by sweep, with half of the noise each time; for one world or the other."""
        found, whole = Climb(self.domain, -1.0, laws), turned(self._tree) if bit else self._tree
        for _ in range(_SWEEPS):
            before = found.gain
            for mechanism in range(1 if alike else len(laws)):
                seen = best(whole, laws, self._sparse, self.loss)
                if seen.gain > found.gain:
                    found = Climb(self.domain, seen.gain, list(laws), bit)
                if alike:
                    each = [gains(seen, j, self.domain.size) for j in range(len(laws))]
                    laws = [self._better(np.sum(each, axis=0), noise)] * len(laws)
                else:
                    laws[mechanism] = self._better(gains(seen, mechanism, self.domain.size), noise)
            noise /= 2
            if noise < _STILL and found.gain <= before:
                break
        return found

    def _better(self, slope: Doubles, noise: float) -> Doubles:
        rough = noise * np.abs(slope).max() * self._random.normal(size=slope.size)
        return self._claimed.best(slope + rough)


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
