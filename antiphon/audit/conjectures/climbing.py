"""Climbing: law by law, each the best for the adversary that is best for all of them."""

from __future__ import annotations

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
    """Climbs in one domain: from random laws, or from those of another climb."""

    def __init__(self, pattern: Pattern, domain: Domain, epsilon: ExactEpsilon) -> None:
        loss, limit = pattern.claimed
        self.domain = domain
        self.loss: Loss = pattern.loss(epsilon)
        self._creations, self._sparse = pattern.creations, pattern.sparse
        self._claimed: Program = program(
            domain, tree(domain, pattern.pairs, pattern.inner), loss, float(limit)
        )
        self._tree: Tree = tree(domain, pattern.pairs, pattern.played)

    def climb(self, random: Generator, near: list[Doubles] | None = None) -> Climb:
        """One climb, from random laws or from these.

        Less and less noise is added to what is climbed for: plain climbing ends on a ridge, where
        no one law alone can gain.
        """
        alike = random.random() < _ALIKE
        start = self._anew(random, alike) if near is None else near
        noise = 10.0 ** random.uniform(-2, 0)
        return self._climbed(random, list(start), noise, alike, int(random.integers(2)))

    def _anew(self, random: Generator, alike: bool) -> list[Doubles]:
        """A vertex for each mechanism, in random directions."""
        count = 1 if alike else self._creations
        laws = [self._claimed.best(random.normal(size=self.domain.size)) for _ in range(count)]
        return laws * (self._creations // count)

    def _climbed(
        self, random: Generator, laws: list[Doubles], noise: float, alike: bool, bit: int
    ) -> Climb:
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
                    slope = np.sum(each, axis=0)
                    laws = [self._better(random, slope, noise)] * len(laws)
                else:
                    slope = gains(seen, mechanism, self.domain.size)
                    laws[mechanism] = self._better(random, slope, noise)
            noise /= 2
            if noise < _STILL and found.gain <= before:
                break
        return found

    def _better(self, random: Generator, slope: Doubles, noise: float) -> Doubles:
        rough = noise * np.abs(slope).max() * random.normal(size=slope.size)
        return self._claimed.best(slope + rough)
