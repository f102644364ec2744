"""Tasks: what is done on a chunk. Any picklable function of a Chunk is one."""

from __future__ import annotations

from collections.abc import Hashable

import attrs

from antiphon.audit.running.chunks import Chunk
from antiphon.populations.play import Feature, play_population
from antiphon.protocol.adversary import Adversary
from antiphon.protocol.mechanism import Mechanism


@attrs.frozen
class CountViews:
    """Plays a chunk of replicas of adversary × mechanism; how many end with each feature."""

    adversary: Adversary
    mechanism: Mechanism
    feature: Feature = tuple
    rounds: int | None = None
    initial: object = None

    def __call__(self, chunk: Chunk) -> dict[Hashable, int]:
        return play_population(
            self.adversary,
            self.mechanism,
            replicas=chunk.size,
            feature=self.feature,
            rounds=self.rounds,
            seed=chunk.seed,
            initial=self.initial,
        )


def merge_counts(total: dict[Hashable, int], more: dict[Hashable, int]) -> dict[Hashable, int]:
    """Add the counts of a chunk to the total, in place."""
    for key, count in more.items():
        total[key] = total.get(key, 0) + count
    return total
