"""Helpers of the checks: global randomness, comparable copies of states, source locations."""

import ctypes
import inspect
import os
import random
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import attrs
import numpy as np

PYTHON: Final = "Python's global generator (random.…)"
NUMPY: Final = "NumPy's global generator (np.random.…)"
SYSTEM: Final = "the system's entropy (np.random.default_rng(), os.urandom, secrets, uuid4, …)"


@contextmanager
def record_randomness(used: set[str]) -> Generator[None, None, None]:
    """A context manager that adds to ``used`` the names of the global generators drawn from."""
    before, numbers = random.getstate(), _numbers()
    entropy = os.urandom
    module: Any = random

    def noticed(size: int) -> bytes:
        used.add(SYSTEM)
        return bytes(entropy(size))

    own = module._urandom
    os.urandom = module._urandom = noticed
    try:
        yield
    finally:
        os.urandom, module._urandom = entropy, own
        if random.getstate() != before:
            used.add(PYTHON)
        if _numbers() != numbers:
            used.add(NUMPY)


@contextmanager
def isolated_global_state(seed: int) -> Generator[None, None, None]:
    """A context manager that seeds the global generators, and restores their states at its end."""
    before, numbers = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed % 2**32)
    try:
        yield
    finally:
        random.setstate(before)
        np.random.set_state(numbers)


_WORDS: Final = ctypes.sizeof(ctypes.c_uint32 * 624) + ctypes.sizeof(ctypes.c_int)
"""The size in bytes of a Mersenne Twister's state: 624 words, and the position among them."""
_known: dict[bytes, object] = {}
"""The last state of NumPy's global generator without a stored normal variate, by its bytes."""


def _numbers() -> object:
    """The state of NumPy's global generator.

    NumPy's own call takes longer than most steps, so one state is cached. If the words are equal,
    so is the state: a stored normal variate implies that more words were drawn.
    """
    module: Any = np.random  # the type stubs lack this function
    twister = module.get_bit_generator()
    if type(twister) is not np.random.MT19937:
        return content(np.random.get_state(legacy=False))
    words = ctypes.string_at(twister.ctypes.state_address, _WORDS)
    if (found := _known.get(words)) is None:
        state: Any = np.random.get_state(legacy=False)
        found = content(state)
        _known.clear()
        if not state["has_gauss"]:
            _known[words] = found
    return found


_DEEPEST: Final = 40


def content(value: Any, depth: int = 0) -> object:
    """A deep, comparable copy of a value; an object of an unknown kind counts by its identity.

    Of an attrs class the compared fields are copied only: the others are caches.
    """
    kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType]
    if depth > _DEEPEST or getattr(kind, "__immutable__", False):
        return kind, id(value)
    inner = partial(content, depth=depth + 1)
    if kind is np.ndarray:
        if value.dtype.hasobject:
            return kind, tuple(inner(item) for item in value.ravel().tolist())
        return kind, value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return kind, tuple((inner(k), inner(v)) for k, v in value.items())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, set | frozenset):
        return kind, frozenset(inner(item) for item in value)  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list | tuple):
        return kind, tuple(inner(item) for item in value)  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, bytearray):
        return kind, bytes(value)
    if attrs.has(kind):
        fields = (field.name for field in attrs.fields(kind) if field.eq)
        return kind, tuple(inner(getattr(value, name, None)) for name in fields)
    if hasattr(value, "__dict__") and not isinstance(value, type) and not callable(value):
        return kind, id(value), inner(vars(value))
    return kind, repr(value) if kind in (int, float, complex, str, bytes, bool) else id(value)


def source_place(part: object, *names: str) -> str:
    """FILE:LINE of a decorated part's function, of its first method in ``names``, or its class."""
    kind: type[Any] = part if inspect.isclass(part) else type(part)  # pyright: ignore[reportUnknownVariableType]
    function = getattr(part, "function", None)
    own = [function, *(inspect.getattr_static(kind, name, None) for name in names), kind]
    for each in own:
        found: Any = getattr(each, "fget", each)
        try:
            _, line = inspect.getsourcelines(found)
            return f"{inspect.getsourcefile(found)}:{line}"
        except (TypeError, OSError):
            continue
    return f"{kind.__module__}.{kind.__qualname__}"
