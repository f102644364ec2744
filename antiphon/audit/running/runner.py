"""The function ``run``: a task on every chunk of an experiment, with results merged in order."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Literal, TypeVar, Union

from antiphon.audit.running.checkpoint import Checkpoint, Saved, Saver, experiment
from antiphon.audit.running.chunks import Chunk, Chunks
from antiphon.audit.running.progress import Interrupt, Progress, watching
from antiphon.audit.running.sending import Task
from antiphon.audit.running.working import Arrival, ChunkTally, Outcome, Workers, work
from antiphon.numbers.errors import ExecutorError, InvalidArgument

Result = TypeVar("Result")


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
