"""The tally of a run: what is merged, and what waits for its turn."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Generic

import attrs
from typing_extensions import TypeVar

from antiphon.audit.running.checkpoint import Saver
from antiphon.audit.running.chunks import Chunk, Chunks
from antiphon.audit.running.progress import Progress

Result = TypeVar("Result", default=Any)
Part = TypeVar("Part", default=Any)


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


@attrs.define(kw_only=True)
class InOrder(ABC, Generic[Part]):
    """Pieces of work whose results are taken in order; what comes early waits for its turn."""

    done: int = 0
    """How many have been taken."""
    waiting: dict[int, Part | Stop] = attrs.field(factory=dict[int, Any])
    taking: bool = False
    """In the midst of it, what was taken before is neither here nor there."""
    ahead: int = sys.maxsize
    """How many pieces may be under way at once: one further on depends on what these give."""

    @property
    @abstractmethod
    def pieces(self) -> int:
        """How many there are in all, as far as is known: it is over once so many are done."""

    @abstractmethod
    def piece(self, index: int) -> object:
        """What a worker is told of one that is not taken, and less than ``ahead`` away."""

    @abstractmethod
    def take(self, part: Part) -> None:
        """The result of the next one."""

    @abstractmethod
    def taken(self) -> None:
        """What is to be done whenever one was taken."""

    @abstractmethod
    def save(self) -> None:
        """Bring the checkpoint up to date."""

    def left(self) -> Iterator[object]:
        """The pieces that have not been taken."""
        while self.done < self.pieces:
            yield self.piece(self.done)

    def add(self, index: int, result: Part | Stop) -> None:
        """Note the result of a piece, and take what is next in order.

        Raises: what a Stop holds, once every piece before it is taken, so that the error
        of a run does not depend on which worker was first either.
        """
        self.waiting[index] = result
        while self.done in self.waiting and self.done < self.pieces:
            part = self.waiting.pop(self.done)
            if isinstance(part, Stop):
                raise part.error
            self.taking = True
            self.take(part)
            self.done += 1
            self.taking = False
            self.taken()


@attrs.define
class ChunkTally(InOrder[Result]):
    """The merged result of the first ``done`` chunks, and results that wait for their turn."""

    chunks: Chunks
    merge: Callable[[Result, Result], Result]
    saver: Saver | None
    watch: Progress
    result: Any
    """None before the first chunk."""

    @property
    def samples(self) -> int:
        """How many samples have been merged."""
        return self.chunks.samples(self.done)

    @property
    def pieces(self) -> int:
        return len(self.chunks)

    def piece(self, index: int) -> Chunk:
        return self.chunks[index]

    def take(self, part: Result) -> None:
        self.result = self.merge(self.result, part) if self.done else part

    def taken(self) -> None:
        self.watch(self.samples, self.chunks.total)
        if self.samples + self.chunks.size > self.chunks.total:
            self.save()  # without the last chunk, which is no whole one

    def add(self, index: int, result: Result | Stop) -> None:
        super().add(index, result)
        if self.saver is not None and self.saver.due():
            self.save()

    def save(self) -> None:
        """Bring the checkpoint up to date; a last chunk that is no whole one stays outside."""
        whole = self.samples == self.done * self.chunks.size
        if self.saver is not None and whole and not self.taking:
            self.saver.save(self.done, self.result)

    def outcome(self, *, interrupted: bool) -> Outcome[Result]:
        """What is done; noted in the checkpoint, because it is going to be seen."""
        looks = 1 if self.saver is None else self.saver.tell(self.samples)
        return Outcome(self.result, self.samples, self.chunks.total, interrupted, looks)
