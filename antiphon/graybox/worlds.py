"""One world: the function is run on its data, with the tape."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Union

import attrs

from antiphon.graybox.generators import TapedCoins
from antiphon.graybox.noisy import resolved
from antiphon.graybox.patched import own_generators, patched
from antiphon.graybox.tape import Foreign, Parted, Tape

Function = Callable[..., Foreign]


@attrs.frozen(eq=False)
class World:
    """What happened in one world."""

    tape: Tape
    answer: Foreign
    failure: Union[Exception, None]
    parted: bool
    """Whether it drew or read something else than the first."""


def run(function: Function, data: object, tape: Tape) -> World:
    """The function of a copy of the data; ``coins`` are the tape's, if it takes any."""
    own = copy.deepcopy(data)
    arguments = (own, TapedCoins(tape)) if takes_coins(function) else (own,)
    answer, failure, parted = None, None, False
    with own_generators(function, tape), patched(tape):
        try:
            with tape.lines.followed():
                answer = function(*arguments)
            answer = resolved(answer)
        except Parted:
            parted = True
        except Exception as raised:
            failure = raised
    if not parted and tape.first is not None and len(tape.events) < len(tape.first.events):
        parted = True
        tape.marks.append(len(tape.lines.taken))
    return World(tape, answer, failure, parted)


def takes_coins(function: Function) -> bool:
    """Whether it has a parameter ``coins``."""
    try:
        return "coins" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
