"""Many cuts of one score at once: which, and how many fresh views lie beyond each."""

from __future__ import annotations

from statistics import NormalDist
from typing import Final, TypeAlias

import attrs
import numpy as np

from antiphon.audit.running import Chunk
from antiphon.audit.statistical.estimators import Hits
from antiphon.audit.statistical.events.events import Event
from antiphon.audit.statistical.events.reader import Path
from antiphon.audit.statistical.events.scorers import LikelihoodTable, Scorer, Vector
from antiphon.audit.statistical.events.settling import settled
from antiphon.audit.statistical.events.thresholds import Choice, Cut, Cuts
from antiphon.audit.statistical.experiment import Playing, child
from antiphon.protocol.adversary import Adversary

Counts: TypeAlias = tuple[int, tuple[int, ...], tuple[int, ...]]
"""Views of each world; those of b = 0 beyond each cut; and those of b = 1."""

_EACH_WAY: Final = 16
"""So many cuts at most on either side of the middle."""
_LEAST: Final = 4
"""So many tuning views of a world lie beyond the outermost ones, on average."""


@attrs.frozen
class CountCuts:
    """Plays a chunk of fresh views in both worlds; how many of them lie beyond each cut."""

    playing: Playing
    adversary: Adversary
    scorer: Scorer
    places: tuple[Path, ...]
    """Where the views had numbers in the training samples, as in ``Event.wide``."""
    cuts: tuple[Cut, ...]

    @property
    def wide(self) -> bool:
        """Whether views have numbers, which are kept until they are scored."""
        return bool(self.places)

    def __call__(self, chunk: Chunk) -> Counts:
        return chunk.size, self._beyond(0, chunk), self._beyond(1, chunk)

    def _beyond(self, bit: int, chunk: Chunk) -> tuple[int, ...]:
        sample = self.playing.sample(self.adversary, bit, chunk.size, child(chunk.seed, bit))
        cells = (settled(sample, self.places) if self.scorer.symbolic else sample).cells
        scored = [
            (self.scorer.score(skeleton, cell.columns), cell.count)
            for skeleton, cell in cells.items()
        ]
        kinds = [each for each in scored if not isinstance(each[0], np.ndarray)]
        scores, counts = np.array([*zip(*kinds, strict=True)] or [(), ()])
        numbers = [score for score, _ in scored if isinstance(score, np.ndarray)]
        return tuple(
            int(counts[cut.holds(scores)].sum())
            + sum(int(np.count_nonzero(cut.holds(each))) for each in numbers)
            for cut in self.cuts
        )

    def event(self, place: int) -> Event:
        """A cut as an event."""
        cut, scorer = self.cuts[place], self.scorer
        if isinstance(scorer, LikelihoodTable):
            within = scorer.within(cut.limit, above=cut.above)
            return Event(within, 0.5, True, cut.bit, self.places)
        return Event(scorer, cut.limit, cut.above, cut.bit, self.places)

    def hits(self, counts: Counts) -> list[Hits]:
        """How many views of the world that each cut favours lie beyond it, and of the other."""
        views, *worlds = counts
        return [
            Hits(worlds[cut.bit][place], views, worlds[1 - cut.bit][place], views)
            for place, cut in enumerate(self.cuts)
        ]


def together(counts: Counts, more: Counts) -> Counts:
    """The counts of two chunks."""
    (views, zero, one), (others, less, least) = counts, more
    return views + others, _sums(zero, less), _sums(one, least)


def _sums(counts: tuple[int, ...], more: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([a + b for a, b in zip(counts, more, strict=True)])


def counting(playing: Playing, adversary: Adversary, choice: Choice) -> CountCuts:
    """The chosen cut, first of all; and others of its score, from end to end."""
    event = choice.event
    if choice.cuts is None or choice.cut is None:
        sure = Cut(event.threshold, event.above, event.bit)
        return CountCuts(playing, adversary, event.scorer, event.wide, (sure,))
    cuts = dict.fromkeys([choice.cut, *spread(choice.cuts)])
    return CountCuts(playing, adversary, choice.cuts.scorer, event.wide, tuple(cuts))


def spread(cuts: Cuts) -> list[Cut]:
    """Cuts beyond which at most half of the tuning views lie, at even steps of a normal score."""
    found: list[Cut] = []
    for above, met in ((True, cuts.above), (False, cuts.below)):
        shares = met[0] / cuts.totals[0], met[1] / cuts.totals[1]
        share: Vector = (shares[0] + shares[1]) / 2
        least = _LEAST / min(cuts.totals)
        end = NormalDist().inv_cdf(min(0.5, least))
        for target in map(NormalDist().cdf, np.linspace(end, 0, _EACH_WAY)):
            place = int(np.argmin(np.abs(share - target)))
            if least <= share[place] <= 0.5:
                bit = int(shares[1][place] >= shares[0][place])
                found.append(Cut(float(cuts.limits[place]), above, bit))
    return found
