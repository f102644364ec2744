"""A search from its first start to its last: on one core or many, in one piece or several.

A checkpoint has what it remembers: plain values, and laws as arrays, bit for bit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Union

from antiphon.audit.running.checkpoint import Checkpoint, decode_result, encode_result
from antiphon.audit.running.chunks import Chunks
from antiphon.audit.running.progress import Interrupt
from antiphon.audit.running.runner import resumed
from antiphon.audit.running.together import Arrival
from antiphon.audit.running.working import Workers, work
from antiphon.conjectures.ascent import (
    ENDLESS,
    Aim,
    Ascent,
    Climbs,
    Few,
    HowFar,
    Limits,
    Memory,
    Start,
    climber,
)
from antiphon.conjectures.climbing import Climb
from antiphon.conjectures.conjectured import Conjectured
from antiphon.conjectures.law_trees import Doubles
from antiphon.conjectures.patterns.pattern import Sizes
from antiphon.numbers.errors import ExecutorError
from antiphon.protocol.coins.sampled import system_words
from antiphon.protocol.records.codec import Json


def kept_in(path: Union[str, Path]) -> Checkpoint:
    """A checkpoint of a search."""
    return Checkpoint(path, _written, lambda data: _memory(decode_result(data)), of="starts")


def _written(memory: Memory) -> Json:
    return encode_result(
        {
            "few": tuple((each.in_vain, *map(_plain, each.kept)) for each in memory.few),
            "ready": tuple(
                (each.number, each.place, each.seed, _stack(each.near)) for each in memory.ready
            ),
            "best": _plain(memory.best),
            "history": tuple(memory.history),
            "refuting": _plain(memory.refuting),
            "tried": memory.tried,
        }
    )


def _memory(said: Any) -> Memory:
    few = [
        Few([each for each in map(_climb, kept) if each is not None], in_vain)
        for in_vain, *kept in said["few"]
    ]
    ready = deque(
        Start(number, place, seed, None if near is None else _laws(near))
        for number, place, seed, near in said["ready"]
    )
    history: list[tuple[int, float]] = list(said["history"])
    best, refuting = _climb(said["best"]), _climb(said["refuting"])
    return Memory(few, ready, best, history, refuting, said["tried"])


def _climb(plain: Any) -> Climb | None:
    if plain is None:
        return None
    size, gain, bit, laws = plain
    return Climb(size, gain, _laws(laws), bit)


def _plain(found: Climb | None) -> tuple[object, ...] | None:
    if found is None:
        return None
    return found.size, found.gain, found.bit, _stack(found.laws)


def _stack(laws: list[Doubles] | None) -> tuple[object, ...] | None:
    """Each law once, and which of them is whose: often all have the same."""
    if laws is None:
        return None
    once = list({id(each): each for each in laws}.values())
    whose = tuple(next(i for i, own in enumerate(once) if own is each) for each in laws)
    return tuple(once), whose


def _laws(stack: Any) -> list[Doubles]:
    once, whose = stack
    return [once[place] for place in whose]


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
