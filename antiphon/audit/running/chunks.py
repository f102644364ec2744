"""Chunks: the pieces of an experiment, which are the same on every machine; and tasks on them."""

from collections.abc import Hashable, Sequence
from typing import Final, TypeAlias, Union

import attrs
import numpy as np

from antiphon.numbers import named
from antiphon.populations.play import Feature, play_population
from antiphon.protocol import Adversary, Mechanism, set_derived
from antiphon.protocol.coins.sampled import seed_sequence

SIZE: Final = 1 << 18
"""The default number of samples in a chunk."""
_BRANCH: Final = 0xFFFFFFFF
"""The spawn key of the seed's child from which the seeds of chunks branch off."""

Seed: TypeAlias = Union[int, Sequence[int], np.random.SeedSequence, None]


@attrs.frozen(eq=False)
class Chunk:
    """A piece of an experiment: ``size`` samples, drawn from ``seed`` and nothing else."""

    index: int
    size: int
    seed: np.random.SeedSequence = attrs.field(repr=False)


@attrs.frozen(eq=False, kw_only=True)
class Chunks:
    """An experiment of ``total`` samples in chunks of ``size``; the last one may be smaller.

    Chunk i has the same seed for any total, so an experiment may grow. Without a
    seed the operating system gives one, and the experiment cannot be resumed.
    Raises: InvalidArgument for a total or a size that is no int >= 1, or an invalid seed.

    >>> chunks = Chunks(total=10, size=4, seed=1)
    >>> [chunks[i].size for i in range(len(chunks))]
    [4, 4, 2]
    """

    total: int = attrs.field(converter=named.whole)
    size: int = attrs.field(default=SIZE, converter=named.whole)
    seed: Seed = attrs.field(default=None, repr=False)
    root: np.random.SeedSequence = attrs.field(init=False, repr=False)
    """The seed, as NumPy's SeedSequence."""

    def __attrs_post_init__(self) -> None:
        root = np.random.SeedSequence() if self.seed is None else seed_sequence(self.seed)
        set_derived(self, root=root)

    def __len__(self) -> int:
        return -(-self.total // self.size)

    def __getitem__(self, index: int) -> Chunk:
        if not 0 <= index < len(self):
            raise IndexError(index)
        root = self.root
        key = (*root.spawn_key, _BRANCH, index)
        seed = np.random.SeedSequence(root.entropy, spawn_key=key, pool_size=root.pool_size)
        return Chunk(index, self.samples(index + 1) - index * self.size, seed)

    def samples(self, chunks: int) -> int:
        """The number of samples in the first ``chunks`` chunks."""
        return min(chunks * self.size, self.total)


@attrs.frozen
class CountViews:
    """A task: play a chunk of replicas of adversary × mechanism, and count views by feature."""

    adversary: Adversary
    mechanism: Mechanism
    feature: Feature = tuple
    rounds: int | None = None
    initial: object = None

    def __call__(self, chunk: Chunk) -> dict[Hashable, int]:
        return play_population(
            self.adversary, self.mechanism, replicas=chunk.size, feature=self.feature,
            rounds=self.rounds, seed=chunk.seed, initial=self.initial,
        )  # fmt: skip


def merge_counts(total: dict[Hashable, int], more: dict[Hashable, int]) -> dict[Hashable, int]:
    """Merges counts: adds a chunk's counts to the total counts, in place."""
    for key, count in more.items():
        total[key] = total.get(key, 0) + count
    return total
