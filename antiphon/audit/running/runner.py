"""The function ``run``: a task on every chunk of an experiment, with results merged in order.

A chunk is a piece of work (``InOrder``). This process alone does one after another; a worker pool
(own processes, or a lent executor) has several under way at once, and early results wait for their
turn.
"""

import sys
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Generator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, Generic, Literal, TypeAlias, Union

import attrs
from typing_extensions import TypeVar

from antiphon.audit.running import executors
from antiphon.audit.running.checkpoint import Checkpoint, Saved, Saver, experiment
from antiphon.audit.running.chunks import Chunk, Chunks
from antiphon.audit.running.progress import Interrupt, Progress, watching
from antiphon.audit.running.sending import Done, Failed, Task
from antiphon.numbers import exact
from antiphon.numbers.errors import ExecutorError, InvalidArgument, MissingExtra

Result = TypeVar("Result", default=Any)
Part = TypeVar("Part", default=Any)


@attrs.frozen
class Outcome(Generic[Result]):
    """The merged result of the first ``done`` of ``total`` samples of a run."""

    result: Result
    done: int
    total: int
    interrupted: bool
    looks: int = attrs.field(default=1, eq=False)
    """How often results of this experiment were returned, each time after more samples."""


@attrs.frozen
class Stop:
    """An error in place of a piece's result, which ends the run when the piece's turn comes."""

    error: Exception


@attrs.define(kw_only=True)
class InOrder(ABC, Generic[Part]):
    """Pieces of work (chunks) whose results are taken in order; early results wait. Abstract."""

    done: int = 0
    """The number of pieces whose results were taken."""
    waiting: dict[int, Part | Stop] = attrs.field(factory=dict[int, Any])
    taking: bool = False
    """Whether a result is being merged right now, so that the total may be half done."""
    ahead: int = sys.maxsize
    """The largest number of pieces under way: results may decide on pieces that come later."""

    @property
    @abstractmethod
    def pieces(self) -> int:
        """The number of pieces in all, as far as known; the work ends when all are done."""

    @abstractmethod
    def piece(self, index: int) -> object:
        """The description of a piece for a worker; ``index`` is less than ``done + ahead``."""

    @abstractmethod
    def take(self, part: Part) -> None:
        """Merge the result of the next piece."""

    @abstractmethod
    def taken(self) -> None:
        """Called after each piece whose result was merged."""

    @abstractmethod
    def save(self) -> None:
        """Bring the checkpoint up to date."""

    def add(self, index: int, result: Part | Stop) -> None:
        """Store the result of a piece, and take all results whose turn has come.

        Raises: the error in a Stop, once every piece before it is taken, so that a run's error does
        not depend on the order of workers.
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
    """The progress of a run: the merged result of ``done`` chunks, and results not yet merged."""

    chunks: Chunks
    merge: Callable[[Result, Result], Result]
    saver: Saver | None
    watch: Progress
    result: Any
    """The merged result; None before the first chunk."""

    @property
    def samples(self) -> int:
        """The number of merged samples."""
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
        last = self.samples + self.chunks.size > self.chunks.total
        if last or (self.saver is not None and self.saver.due()):
            self.save()  # A last chunk that is not whole is not saved: the total may grow.

    def save(self) -> None:
        """Bring the checkpoint up to date, unless the last merged chunk was not whole."""
        whole = self.samples == self.done * self.chunks.size
        if self.saver is not None and whole and not self.taking:
            self.saver.save(self.done, self.result)

    def outcome(self, *, interrupted: bool) -> Outcome[Result]:
        """The outcome so far, which the checkpoint records as returned."""
        looks = 1 if self.saver is None else self.saver.tell(self.samples)
        return Outcome(self.result, self.samples, self.chunks.total, interrupted, looks)


ATTEMPTS: Final = 4
"""The number of times that a lost chunk is given to a worker."""


Arrival: TypeAlias = tuple[int, executors.Future]
"""(number of a piece, the future of its result)."""


def run_in_order(
    tally: InOrder,
    crew: executors.WorkerPool,
    interrupt: Interrupt,
    arrived: SimpleQueue[Arrival | None],
) -> None:
    """Send pieces of work to the workers ``crew``, at most ``crew.window`` past the last one taken,
    and take results.

    ``arrived`` is fed by the futures, in any thread, and by the interrupt.
    Raises: ExecutorError, and errors of the task.
    """
    futures: dict[int, executors.Future] = {}
    lost: Counter[int] = Counter()
    sent, end = tally.done, tally.pieces
    window = min(crew.window, tally.ahead)

    def send(index: int) -> None:
        futures[index] = future = crew.submit(tally.piece(index))
        future.add_done_callback(lambda done: arrived.put((index, done)))

    try:
        while tally.done < tally.pieces:
            while sent < min(end, tally.done + window):
                send(sent)
                sent += 1
            arrival = arrived.get()
            if interrupt.asked or arrival is None:
                return
            index, future = arrival
            answer = _verdict(crew, index, future, lost)
            if answer is None:
                send(index)
                continue
            del futures[index]
            if isinstance(answer, Stop):
                end = min(end, index)
            tally.add(index, answer if isinstance(answer, Stop) else answer.result)
    finally:
        for future in futures.values():
            future.cancel()
        crew.close(now=bool(futures))


def _verdict(
    crew: executors.WorkerPool, index: int, future: executors.Future, lost: Counter[int]
) -> Done | Stop | None:
    """The result of a piece of work, or the error that ends the run; None to try it again."""
    try:
        answer: Done | Failed = future.result()
    except BaseException as error:  # A worker may also end by KeyboardInterrupt or SystemExit.
        lost[index] += 1
        return _judge(crew, index, lost[index], error)
    return Stop(_of_task(answer, index)) if isinstance(answer, Failed) else answer


def _judge(crew: executors.WorkerPool, index: int, times: int, error: BaseException) -> Stop | None:
    """None if a lost piece is to be tried again; else the ExecutorError that ends the run."""
    what = f"{type(error).__name__}: {error}"
    stop: ExecutorError | None = None
    if crew.stuck is not None and not isinstance(error, BrokenExecutor):
        stop = crew.stuck
    elif isinstance(error, (ImportError, AttributeError)):
        stop = ExecutorError(
            f"a worker could not load the task ({what}); install antiphon and the modules of "
            "the mechanism and the adversary, in the same versions, where the workers run"
        )
    elif times == ATTEMPTS or type(error).__name__ == "KilledWorker":
        # Dask raises KilledWorker after it has tried the chunk several times.
        stop = ExecutorError(
            f"chunk {index} was lost again and again; the chunks before it are kept. If its worker "
            f"died or ran out of memory, try smaller chunks or fewer workers. Last: {what}"
        )
    if stop is None:
        return None
    stop.__cause__ = error
    return Stop(stop)


def _of_task(failed: Failed, index: int) -> Exception:
    """The exception of a task in a worker, with the worker's traceback."""
    error = failed.error
    if isinstance(error, ImportError) and not isinstance(error, MissingExtra):
        return ExecutorError(
            f"a worker lacks a module ({error}); install what the mechanism and the adversary "
            "import, in the same versions, where the workers run"
        )
    error.add_note(f"raised in a worker, on chunk {index}:\n{failed.trace}")
    return error


_WORTH: Final = 1.0
"""The least seconds of remaining work for which processes are started."""

Workers: TypeAlias = Union[executors.Executor, int, Literal["serial"], None]
"""The kinds of argument ``executor`` that ``run`` takes."""


def work(
    task: Task,
    tally: InOrder,
    executor: Workers,
    interrupt: Interrupt,
    arrived: SimpleQueue[Arrival | None],
) -> None:
    """Run ``task`` on every piece of work, until all pieces are done or Ctrl-C is pressed.

    Raises: ExecutorError, and errors of the task.
    """
    crew = _crew(task, tally, executor, interrupt)
    if crew is None:
        _alone(task, tally, interrupt)
    else:
        run_in_order(tally, crew, interrupt, arrived)


def _crew(
    task: Task, tally: InOrder, executor: Workers, interrupt: Interrupt
) -> executors.WorkerPool | None:
    """The workers for the pieces; None if this process does the work itself."""
    if executor == "serial":
        return None
    if type(executor) is int:
        left = min(tally.pieces - tally.done, tally.ahead)
        # More workers than pieces are of no use.
        workers = min(exact.whole(executor, "executor"), left)
        return executors.OwnProcesses(task, workers) if workers > 1 else None
    if executor is not None:
        return executors.LentExecutor(task, executor)
    if tally.pieces - tally.done < 2 or not executors.may_start(task):
        return None
    begun = time.perf_counter()
    _alone(task, tally, interrupt, until=tally.done + 1)
    left = tally.pieces - tally.done
    if interrupt.asked or left * (time.perf_counter() - begun) < _WORTH:
        return None
    return executors.OwnProcesses(task, min(executors.cores(), left))


def _alone(task: Task, tally: InOrder, interrupt: Interrupt, until: int | None = None) -> None:
    """Do pieces of work one after another in this process, until ``until`` are done."""
    while tally.done < (tally.pieces if until is None else until) and not interrupt.asked:
        try:
            result = interrupt.breaking(task, tally.piece(tally.done))
        except KeyboardInterrupt:
            interrupt.asked = True
        else:
            if not interrupt.asked:  # A task that caught Ctrl-C may have stopped half-way.
                tally.add(tally.done, result)


def run(
    task: Callable[[Chunk], Result],
    chunks: Chunks,
    *,
    merge: Callable[[Result, Result], Result],
    executor: Workers = None,
    checkpoint: Union[Checkpoint, str, Path, None] = None,
    progress: Union[Progress, Literal[False], None] = None,
) -> Outcome[Result]:
    """Run ``task`` on every chunk of an experiment and merge the results in their order.

    The result is a function of the task and the chunks: it is the same for every executor and
    number of workers, with lost workers, and after interruptions. Memory: a merged result, and the
    results of at most ``2 workers + 1`` chunks that wait for an earlier one.

    Args:
        task: a pure function of a chunk that draws from ``chunk.seed`` only. Its results
            should be small: counts, hits.
        merge: (merged so far, next chunk's result) -> merged; it may change the first.
        executor: None (processes of our own where that pays: more than a second of work is
            left after the first chunk, there are several cores, and the task can be
            handed over), ``"serial"``, a number of processes, or anything with ``submit``
            as in ``concurrent.futures``: a process or thread pool, a dask ``Client``, an
            ``MPIPoolExecutor``. A given executor is not shut down.
        checkpoint: a file from which the run resumes if it exists, and which is kept up to
            date. It needs seeded chunks. A result that is no number, tuple, array or mapping of
            these needs a ``Checkpoint`` with its own ``encode`` and ``decode``.
        progress: a function of (samples done, samples in all), False for silence, None for
            a line on standard error if that is a terminal.

    Ctrl-C ends the run early: the outcome is of the chunks merged so far, ``interrupted``
    is True and ``done`` counts their samples. When no chunk is done it raises
    KeyboardInterrupt. A bound for ``done`` samples is valid if the moment was chosen without
    looking at results; e-process bounds are valid at any moment. The same holds for a resumed
    checkpoint: ``outcome.looks`` counts the results that were returned.

    Raises: InvalidArgument for bad arguments; CheckpointError for a file that is damaged, of
    another experiment, or in use by another run; ExecutorError (with the ``outcome`` so far)
    if workers are lost again and again, lack a package, or cannot take the task; and any error of
    the task. The checkpoint is up to date in every case.

    >>> from antiphon.audit.running import CountViews, merge_counts
    >>> from antiphon.audit.counterexample import CounterexampleAdversary, counterexample_game
    >>> game = counterexample_game(0.5)
    >>> task = CountViews(CounterexampleAdversary(delta=0.5, copies=1), game.mechanism(1))
    >>> chunks = Chunks(total=10**6, size=2**18, seed=1)
    >>> outcome = run(task, chunks, merge=merge_counts)
    >>> outcome.done, sum(outcome.result.values()), len(outcome.result)
    (1000000, 1000000, 2)
    """
    arrived: SimpleQueue[Arrival | None] = SimpleQueue()
    with (
        resumed(task, chunks, checkpoint) as (saver, saved),
        watching(progress) as watch,
        Interrupt(partial(arrived.put, None)) as interrupt,
    ):
        tally = ChunkTally(chunks, merge, saver, watch, saved.result, done=saved.chunks)
        watch(tally.samples, chunks.total)
        try:
            work(task, tally, executor, interrupt, arrived)
        except ExecutorError as error:
            tally.save()
            error.outcome = tally.outcome(interrupted=True) if tally.done else None
            raise
        finally:
            tally.save()
        if interrupt.asked and not tally.done:
            raise KeyboardInterrupt
        return tally.outcome(interrupted=interrupt.asked and tally.done < len(chunks))


@contextmanager
def resumed(
    task: Task, chunks: Chunks, checkpoint: Union[Checkpoint, str, Path, None]
) -> Generator[tuple[Saver | None, Saved], None, None]:
    """A context manager that locks a checkpoint: a saver for it, and its progress so far."""
    if checkpoint is None:
        yield None, Saved()
        return
    if chunks.seed is None:
        raise InvalidArgument("a checkpoint needs a seed: without one nothing can be resumed")
    if not isinstance(checkpoint, Checkpoint):
        checkpoint = Checkpoint(checkpoint)
    what = experiment(task, chunks)
    with checkpoint.held():
        saved = checkpoint.load(what, chunks)
        yield Saver(checkpoint, what, saved), saved
