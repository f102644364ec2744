"""The tally of a run: what is merged, and what waits for its turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic

import attrs
from typing_extensions import TypeVar

from antiphon.audit.running.checkpoint import Saver
from antiphon.audit.running.chunks import Chunk, Chunks
from antiphon.audit.running.progress import Progress

Result = TypeVar("Result", default=Any)


@attrs.frozen
class Outcome(Generic[Result]):
    """What a run computed: the merged result of the first ``done`` of ``total`` samples."""

    result: Result
    done: int
    total: int
    interrupted: bool
    looks: int = attrs.field(default=1, eq=False)
    """After how many different numbers of samples a result of this experiment was returned,
    this one included: more than one where a checkpoint was gone on with."""


@attrs.frozen
class Stop:
    """Stands for the result of a chunk that has none; ends the run when its turn comes."""

    error: Exception


@attrs.define
class ChunkTally(Generic[Result]):
    """The merged result of the first ``done`` chunks, and results that wait for their turn."""

    chunks: Chunks
    merge: Callable[[Result, Result], Result]
    saver: Saver | None
    watch: Progress
    done: int
    result: Any
    """None before the first chunk."""
    waiting: dict[int, Result | Stop] = attrs.field(factory=dict[int, Any])
    merging: bool = False
    """In the midst of a merge, ``result`` is neither here nor there."""

    @property
    def samples(self) -> int:
        """How many samples have been merged."""
        return self.chunks.samples(self.done)

    def left(self) -> Iterator[Chunk]:
        """The chunks that have not been merged."""
        while self.done < len(self.chunks):
            yield self.chunks[self.done]

    def add(self, index: int, result: Result | Stop) -> None:
        """Take the result of a chunk, and merge what is next in order.

        Raises: what a Stop holds, once every chunk before it is merged, so that the error
        of a run does not depend on which worker was first either.
        """
        self.waiting[index] = result
        while self.done in self.waiting:
            if self.samples + self.chunks.size > self.chunks.total:
                self.save()  # without the last chunk, which is no whole one
            part = self.waiting.pop(self.done)
            if isinstance(part, Stop):
                raise part.error
            self.merging = True
            self.result = self.merge(self.result, part) if self.done else part
            self.done += 1
            self.merging = False
            self.watch(self.samples, self.chunks.total)
        if self.saver is not None and self.saver.due():
            self.save()

    def save(self) -> None:
        """Bring the checkpoint up to date; a last chunk that is no whole one stays outside."""
        whole = self.samples == self.done * self.chunks.size
        if self.saver is not None and whole and not self.merging:
            self.saver.save(self.done, self.result)

    def outcome(self, *, interrupted: bool) -> Outcome[Result]:
        """What is done; noted in the checkpoint, because it is going to be seen."""
        looks = 1 if self.saver is None else self.saver.tell(self.samples)
        return Outcome(self.result, self.samples, self.chunks.total, interrupted, looks)
