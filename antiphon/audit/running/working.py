"""Who does the work: this process, processes of our own, or an executor that was lent."""

from __future__ import annotations

import time
from queue import SimpleQueue
from typing import Final, Literal, TypeAlias, Union

from antiphon.audit.running.crews import Crew, Executor, Lent, Own, cores, may_start
from antiphon.audit.running.progress import Interrupt
from antiphon.audit.running.tally import InOrder
from antiphon.audit.running.together import Arrival, together
from antiphon.audit.running.worker import Task
from antiphon.numbers import exact

_WORTH: Final = 1.0
"""Seconds of work left that are worth starting processes for."""

Workers: TypeAlias = Union[Executor, int, Literal["serial"], None]
"""What ``executor`` may be; see ``run``."""


def work(
    task: Task,
    tally: InOrder,
    executor: Workers,
    interrupt: Interrupt,
    arrived: SimpleQueue[Arrival | None],
) -> None:
    """Do ``task`` on every piece of a tally, until all are done or Ctrl-C is pressed.

    Raises: ExecutorError, and what the task raises.
    """
    crew = _crew(task, tally, executor, interrupt)
    if crew is None:
        _alone(task, tally, interrupt)
    else:
        together(tally, crew, interrupt, arrived)


def _crew(
    task: Task,
    tally: InOrder,
    executor: Workers,
    interrupt: Interrupt,
) -> Crew | None:
    """Who shall work on the chunks; None for this process."""
    if executor == "serial":
        return None
    if type(executor) is int:
        left = min(tally.pieces - tally.done, tally.ahead)
        workers = min(exact.whole(executor, "executor"), left)  # more would have nothing to do
        return Own(task, workers) if workers > 1 else None
    if executor is not None:
        return Lent(task, executor)
    if tally.pieces - tally.done < 2 or not may_start(task):
        return None
    begun = time.perf_counter()
    _alone(task, tally, interrupt, until=tally.done + 1)
    left = tally.pieces - tally.done
    if interrupt.asked or left * (time.perf_counter() - begun) < _WORTH:
        return None
    return Own(task, min(cores(), left))


def _alone(task: Task, tally: InOrder, interrupt: Interrupt, until: int | None = None) -> None:
    """The pieces one after another, in this process."""
    for piece in tally.left():
        if interrupt.asked or tally.done == until:
            return
        try:
            result = interrupt.breaking(task, piece)
        except KeyboardInterrupt:
            interrupt.asked = True
        else:
            if not interrupt.asked:  # it might have been caught half-way, by the task
                tally.add(tally.done, result)
