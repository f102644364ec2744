"""One run ("world") of the audited function, with all random draws from the noise tape.

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
    """A context manager in which the generators of NumPy, Python and the system draw from the tape.

    Names in modules are replaced, too, both those of functions and those of existing generators.
    All are restored afterwards. For use in one thread only.
    """
    with ExitStack() as undo:
        for holder, name, new in _replacements(tape):
            undo.callback(_set(holder, name, new))
        yield


def _set(holder: Foreign, name: str, new: Foreign) -> Undo:
    """Set an attribute of ``holder``. Returns a function that restores the old value."""
    own: Mapping[str, Foreign] = holder.__dict__
    if name not in own:
        setattr(holder, name, new)
        return lambda: delattr(holder, name)
    old = own[name]
    setattr(holder, name, new)
    return lambda: setattr(holder, name, old)


def _replacements(tape: Tape) -> Generator[tuple[Foreign, str, Foreign], None, None]:
    """The attributes to replace while the audited function runs, each as (holder, name,
    replacement)."""
    taped = Taped(tape)
    # Replacements by the identity (``id``) of the original function or class.
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
    """The attributes of a module to replace, each as (module, name, replacement)."""
    if not isinstance(holder, ModuleType) or holder.__name__.startswith("antiphon."):
        return
    own = foreign(getattr(holder, "__file__", None) or "<frozen")
    for name, value in list(vars(holder).items()):
        if id(value) in known:
            yield holder, name, known[id(value)]
        elif type(value) in _GENERATORS and (own or name == "_rand"):
            yield holder, name, taped


def _made(tape: Tape, taped: Taped) -> Foreign:
    """A class in place of NumPy's generators: its instances draw from the tape, and ``isinstance``
    takes them for NumPy's."""

    class Kind(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return type(instance) is Taped

        def __call__(cls, seed: Foreign = None, *_: object) -> Foreign:
            if not isinstance(seed, np.random.BitGenerator):
                seeded(tape, seed)
            return taped

    return Kind("Generator", (Taped,), {})


def _mathematics(function: Callable[..., Foreign]) -> Callable[..., Foreign]:
    """A function of the module ``math``, extended to noisy numbers."""

    def known(*arguments: Foreign) -> Foreign:
        if any(type(each) is Noisy for each in arguments):
            return applied(function, *arguments)
        return function(*arguments)

    return known


@contextmanager
def own_generators(function: Foreign, tape: Tape) -> Generator[None, None, None]:
    """A context manager that replaces generators in a function's closure or a method's object."""
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
    """Whether this world drew or read otherwise than the first one."""


def run(function: Function, data: object, tape: Tape) -> World:
    """A run of the audited function on a copy of the data, and with ``coins`` from the tape if it
    takes coins."""
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
    """Whether the function has a parameter named ``coins``."""
    try:
        return "coins" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
