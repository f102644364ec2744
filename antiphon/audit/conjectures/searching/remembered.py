"""What a search remembers, in a checkpoint: plain values, and laws as arrays, bit for bit."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any, Union

import numpy as np

from antiphon.audit.conjectures.climbing import Climb
from antiphon.audit.conjectures.law_trees import Domain, Doubles
from antiphon.audit.conjectures.searching.ascent import Memory
from antiphon.audit.conjectures.searching.starts import Few, Start
from antiphon.audit.running.checkpoint import Checkpoint, decode_result, encode_result
from antiphon.protocol.records.codec import Json


def kept_in(path: Union[str, Path], inputs: tuple[object, ...]) -> Checkpoint:
    """A checkpoint of a search for mechanisms that hear these."""

    def decode(data: object) -> Memory:
        return _memory(decode_result(data), inputs)

    return Checkpoint(path, _written, decode, of="starts")


def _written(memory: Memory) -> Json:
    return encode_result(
        {
            "few": tuple((each.in_vain, *map(_plain, each.kept)) for each in memory.few),
            "ready": tuple((each.place, each.seed, _stack(each.near)) for each in memory.ready),
            "best": _plain(memory.best),
            "history": tuple(memory.history),
            "refuting": _plain(memory.refuting),
            "tried": memory.tried,
        }
    )


def _memory(said: Any, inputs: tuple[object, ...]) -> Memory:
    def climb(plain: Any) -> Climb | None:
        if plain is None:
            return None
        rounds, answers, gain, bit, laws = plain
        return Climb(Domain(inputs, rounds, answers), gain, _laws(laws), bit)

    few = [
        Few([each for each in map(climb, kept) if each is not None], in_vain)
        for in_vain, *kept in said["few"]
    ]
    ready = deque(
        Start(place, seed, None if near is None else _laws(near))
        for place, seed, near in said["ready"]
    )
    history: list[tuple[int, float]] = list(said["history"])
    return Memory(few, ready, climb(said["best"]), history, climb(said["refuting"]), said["tried"])


def _plain(found: Climb | None) -> tuple[object, ...] | None:
    if found is None:
        return None
    domain = found.domain
    return domain.rounds, domain.answers, found.gain, found.bit, _stack(found.laws)


def _stack(laws: list[Doubles] | None) -> tuple[object, ...] | None:
    """Each law once, and which of them is whose: often all have the same."""
    if laws is None:
        return None
    once = list({id(each): each for each in laws}.values())
    whose = tuple(next(i for i, own in enumerate(once) if own is each) for each in laws)
    return np.array(once), whose


def _laws(stack: Any) -> list[Doubles]:
    once, whose = stack
    each = list(once)
    return [each[place] for place in whose]
