"""One run ("world") of the audited function, with all randomness from the tape.

This covers the generators of NumPy and Python, and the system's entropy.
"""

import copy
import inspect
import math
import os
import random
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Final, Union

import attrs
import numpy as np

from antiphon.graybox.generators import Taped, TapedCoins, any_draw, python_methods, seeded
from antiphon.graybox.noisy import Noisy, applied, resolved
from antiphon.graybox.tape import Foreign, Parted, Tape, foreign

_MATH: Final = (
    "log", "log1p", "log2", "exp", "expm1", "sqrt", "sin", "cos", "tan", "atan", "tanh", "copysign",
    "pow", "fabs",
)  # fmt: skip
_GENERATORS: Final = (np.random.Generator, np.random.RandomState)
Undo = Callable[[], object]


@contextmanager
def patched(tape: Tape) -> Generator[None, None, None]:
    """A context manager: all generators of NumPy, Python and the system draw from the tape.

    Names in modules are replaced, too, both those of functions and those of existing generators.
    All are restored afterwards. For use in one thread only.
    """
    with ExitStack() as undo:
        for holder, name, new in _replacements(tape):
            undo.callback(_set(holder, name, new))
        yield


def _set(holder: Foreign, name: str, new: Foreign) -> Undo:
    """Set an attribute of ``holder``; returns a function that restores the old value."""
    own: Mapping[str, Foreign] = holder.__dict__
    if name not in own:
        setattr(holder, name, new)
        return lambda: delattr(holder, name)
    old = own[name]
    setattr(holder, name, new)
    return lambda: setattr(holder, name, old)


def _replacements(tape: Tape) -> Generator[tuple[Foreign, str, Foreign], None, None]:
    """For each attribute to be replaced while the audited function runs: (its holder, its name, its
    replacement)."""
    taped = Taped(tape)
    # the identity (``id``) of a function or class -> its replacement in all modules
    known = dict[int, Foreign]()
    module: Foreign = random
    methods = python_methods(tape)
    bound = {name: getattr(random, name) for name in methods}
    for kind in (random.Random, random.SystemRandom):
        for name, method in methods.items():
            yield kind, name, method
    for name, old in bound.items():
        known[id(old)] = getattr(module._inst, name)

    def entropy(size: int) -> bytes:
        drawn: bytes = any_draw(tape, "urandom", size, lambda: tape.source.bytes(size))
        return drawn

    known[id(os.urandom)] = entropy
    for name in dir(np.random):
        old = getattr(np.random, name)
        if isinstance(getattr(old, "__self__", None), np.random.RandomState):
            known[id(old)] = getattr(taped, name, old)
    for made in (np.random.default_rng, *_GENERATORS):
        known[id(made)] = _made(tape, taped)
    for name in _MATH:
        known[id(getattr(math, name))] = _mathematics(getattr(math, name))
    for holder in list(sys.modules.values()):
        yield from _held(holder, known, taped)


def _held(
    holder: Foreign, known: dict[int, Foreign], taped: Taped
) -> Generator[tuple[Foreign, str, Foreign], None, None]:
    """(module, name, replacement) for each attribute of a module that must be replaced."""
    if not isinstance(holder, ModuleType) or holder.__name__.startswith("antiphon."):
        return
    own = foreign(getattr(holder, "__file__", None) or "<frozen")
    for name, value in list(vars(holder).items()):
        if id(value) in known:
            yield holder, name, known[id(value)]
        elif type(value) in _GENERATORS and (own or name == "_rand"):
            yield holder, name, taped


def _made(tape: Tape, taped: Taped) -> Foreign:
    """A class to be put in place of NumPy's class of generators: its instances draw from the tape,
    and count as instances of NumPy's class."""

    class Kind(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return type(instance) is Taped

        def __call__(cls, seed: Foreign = None, *_: object) -> Foreign:
            if not isinstance(seed, np.random.BitGenerator):
                seeded(tape, seed)
            return taped

    return Kind("Generator", (Taped,), {})


def _mathematics(function: Callable[..., Foreign]) -> Callable[..., Foreign]:
    """A function of the module ``math``, extended so that it also accepts noisy numbers."""

    def known(*arguments: Foreign) -> Foreign:
        if any(type(each) is Noisy for each in arguments):
            return applied(function, *arguments)
        return function(*arguments)

    return known


@contextmanager
def own_generators(function: Foreign, tape: Tape) -> Generator[None, None, None]:
    """A context manager that replaces the generators that a function holds in its closure, its
    object, or its arguments."""
    taped = Taped(tape)
    with ExitStack() as undo:
        for cell in getattr(function, "__closure__", None) or ():
            if type(cell.cell_contents) in _GENERATORS:
                undo.callback(_set_cell(cell, taped))
        owner = getattr(function, "__self__", None)
        held: Foreign = getattr(owner, "__dict__", {})
        for name, value in list(held.items()):
            if type(value) in _GENERATORS:
                undo.callback(_set(owner, name, taped))
        yield


def _set_cell(cell: Foreign, new: Foreign) -> Undo:
    old = cell.cell_contents
    cell.cell_contents = new
    return lambda: setattr(cell, "cell_contents", old)


Function = Callable[..., Foreign]


@attrs.frozen(eq=False)
class World:
    """The record of one run of the audited function: its noise tape, and its answer or failure."""

    tape: Tape
    answer: Foreign
    failure: Union[Exception, None]
    parted: bool
    """Whether this world drew or read something different from the first one."""


def run(function: Function, data: object, tape: Tape) -> World:
    """Run the audited function on a copy of the data, with the tape's ``coins`` if it takes coins;
    returns the record of this run."""
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
    """Whether the function has a parameter ``coins``."""
    try:
        return "coins" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
