"""What a search remembers, in a checkpoint: plain values, and laws as arrays, bit for bit."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any, Union

from antiphon.audit.running.checkpoint import Checkpoint, decode_result, encode_result
from antiphon.conjectures.climbing import Climb
from antiphon.conjectures.law_trees import Doubles
from antiphon.conjectures.searching.ascent import Memory
from antiphon.conjectures.searching.starts import Few, Start
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
