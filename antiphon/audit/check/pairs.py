"""Pairs of messages that a verification function allows, drawn."""

from __future__ import annotations

from typing import Final

import numpy as np

from antiphon.protocol.messages import Pair, identical, same
from antiphon.protocol.verification import Refused, Verification, read

_TRIES: Final = 200
"""Pairs that f is asked about, before it is taken to allow none."""
_FEW: Final = 24
NEITHER: Final = Refused("it raises")


def after(f: Verification, state: object, pair: Pair) -> object:
    """The state of f after a pair; a refusal if it raises."""
    try:
        return read(f, state, pair.zero, pair.one)
    except Exception:
        return NEITHER


def differing(
    f: Verification, state: object, messages: tuple[object, ...], drawn: np.random.Generator
) -> Pair | None:
    """A pair of two messages that f allows in a state; None where none was found."""
    count = len(messages)
    for place in drawn.permutation(count**2)[:_TRIES].tolist():
        pair = Pair(messages[place // count], messages[place % count])
        if identical(pair.zero, pair.one):
            continue
        if type(after(f, state, pair)) is not Refused:
            return pair
    return None


def agreeing(
    f: Verification, state: object, messages: tuple[object, ...], drawn: np.random.Generator
) -> Pair | None:
    """A message that f allows in a state in both worlds; None where none was found."""
    for place in drawn.permutation(len(messages))[:_TRIES].tolist():
        pair = same(messages[place])
        if type(after(f, state, pair)) is not Refused:
            return pair
    return None


def questions(f: Verification, messages: tuple[object, ...]) -> tuple[object, ...]:
    """The messages that f allows at first, and in both worlds alike only."""
    start, few = f.initial_state, messages[:_FEW]

    def allowed(zero: object, one: object) -> bool:
        return type(after(f, start, Pair(zero, one))) is not Refused

    return tuple(
        each
        for each in few
        if allowed(each, each)
        and not any(allowed(each, x) or allowed(x, each) for x in few if not identical(each, x))
    )
