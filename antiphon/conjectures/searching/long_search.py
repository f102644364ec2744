"""A search from its first start to its last: on one core or many, in one piece or several."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Union

from antiphon.audit.running.chunks import Chunks
from antiphon.audit.running.progress import Interrupt
from antiphon.audit.running.runner import resumed
from antiphon.audit.running.working import Arrival, Workers, work
from antiphon.conjectures.conjectured import Conjectured
from antiphon.conjectures.patterns.pattern import Sizes
from antiphon.conjectures.searching.ascent import (
    ENDLESS,
    Aim,
    Ascent,
    HowFar,
    Limits,
    Memory,
)
from antiphon.conjectures.searching.remembered import kept_in
from antiphon.conjectures.searching.starts import Climbs, Few, climber
from antiphon.numbers.errors import ExecutorError
from antiphon.protocol.coins.sampled import system_words


def search_long(
    aim: Aim,
    sizes: Sizes,
    limits: Limits,
    *,
    seed: int | None,
    executor: Workers,
    checkpoint: Union[str, Path, None],
    watch: Callable[[HowFar], object] | None,
) -> Conjectured:
    """Climb until it is refuted, the limits are met, or Ctrl-C is pressed; see ``Conjecture``."""
    pattern = aim.pattern
    task = Climbs(system_words(2).tobytes().hex(), pattern, aim.epsilon, aim.figure, sizes)
    climber(task, 0)  # what is missing is missed here
    seeds = Chunks(total=ENDLESS, size=1, seed=seed)
    file = None if checkpoint is None else kept_in(checkpoint)
    arrived: SimpleQueue[Arrival | None] = SimpleQueue()
    with (
        resumed(task, Chunks(total=limits.starts, size=1, seed=seed), file) as (saver, saved),
        Interrupt(partial(arrived.put, None)) as interrupt,
    ):
        kept: Any = saved.result
        memory: Memory = Memory([Few() for _ in sizes]) if kept is None else kept
        ascent = Ascent(
            done=saved.chunks, aim=aim, chunks=seeds, limits=limits, memory=memory, saver=saver,
            sizes=sizes, watch=watch,
        )  # fmt: skip
        try:
            ascent.settle()
            work(task, ascent, executor, interrupt, arrived)
        except KeyboardInterrupt:
            interrupt.asked = True
        except ExecutorError as error:
            error.outcome = ascent.outcome(interrupted=True)
            raise
        finally:
            ascent.save()
            climber.cache_clear()
        return ascent.outcome(interrupted=interrupt.asked)
