"""Chunks, or other pieces of work, under way at once, in the hands of a crew."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import BrokenExecutor
from functools import partial
from queue import SimpleQueue
from typing import Final, TypeAlias

from antiphon.audit.running.crews import Crew, Future
from antiphon.audit.running.progress import Interrupt
from antiphon.audit.running.tally import InOrder, Stop
from antiphon.audit.running.worker import Done, Failed
from antiphon.numbers.errors import ExecutorError, MissingExtra

ATTEMPTS: Final = 4
"""How often a chunk is given to a worker before it is given up."""


Arrival: TypeAlias = tuple[int, Future]
"""The number of a chunk, and the future that has what came of it."""


def together(
    tally: InOrder, crew: Crew, interrupt: Interrupt, arrived: SimpleQueue[Arrival | None]
) -> None:
    """Give out pieces: at most ``crew.window`` past the last one that is taken.

    ``arrived`` is fed by the futures, in any thread, and by the interrupt.
    Raises: ExecutorError, and what the task raises.
    """
    futures: dict[int, Future] = {}
    lost: Counter[int] = Counter()
    sent, end = tally.done, tally.pieces
    window = min(crew.window, tally.ahead)

    def send(index: int) -> None:
        futures[index] = future = crew.submit(tally.piece(index))
        future.add_done_callback(partial(_arrive, arrived, index))

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
                tally.add(index, answer)
            else:
                tally.add(index, answer.result)
    finally:
        for future in futures.values():
            future.cancel()
        crew.close(now=bool(futures))


def _arrive(arrived: SimpleQueue[Arrival | None], index: int, future: Future) -> None:
    arrived.put((index, future))


def _verdict(crew: Crew, index: int, future: Future, lost: Counter[int]) -> Done | Stop | None:
    """What came of a chunk; None if it was lost and should be tried again."""
    try:
        answer: Done | Failed = future.result()
    except BaseException as error:  # a worker's KeyboardInterrupt or SystemExit too
        lost[index] += 1
        return _judge(crew, index, lost[index], error)
    return Stop(_of_task(answer, index)) if isinstance(answer, Failed) else answer


def _judge(crew: Crew, index: int, times: int, error: BaseException) -> Stop | None:
    """None for a lost chunk that should be tried again; an ExecutorError if that is of no use."""
    what = f"{type(error).__name__}: {error}"
    stop: ExecutorError | None = None
    if crew.stuck is not None and not isinstance(error, BrokenExecutor):
        stop = crew.stuck
    elif isinstance(error, (ImportError, AttributeError)):
        stop = ExecutorError(
            f"a worker could not load the task ({what}); install antiphon and the modules of "
            "the mechanism and the adversary, in the same versions, where the workers run"
        )
    elif times == ATTEMPTS or type(error).__name__ == "KilledWorker":  # dask has tried it itself
        stop = ExecutorError(
            f"chunk {index} was lost again and again; the chunks before it are kept. If its worker "
            f"died or ran out of memory, try smaller chunks or fewer workers. Last: {what}"
        )
    if stop is None:
        return None
    stop.__cause__ = error
    return Stop(stop)


def _of_task(failed: Failed, index: int) -> Exception:
    """What the task raised in a worker, with the traceback of there."""
    error = failed.error
    if isinstance(error, ImportError) and not isinstance(error, MissingExtra):
        return ExecutorError(
            f"a worker lacks a module ({error}); install what the mechanism and the adversary "
            "import, in the same versions, where the workers run"
        )
    error.add_note(f"raised in a worker, on chunk {index}:\n{failed.trace}")
    return error
