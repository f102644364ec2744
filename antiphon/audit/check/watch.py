"""Watches Python's and NumPy's global randomness, and the system's entropy, during a step."""

from __future__ import annotations

import os
import random
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

PYTHON: Final = "Python's global generator (random.…)"
NUMPY: Final = "NumPy's global generator (np.random.…)"
SYSTEM: Final = "the system's entropy (np.random.default_rng(), os.urandom, secrets, uuid4, …)"


@contextmanager
def watched(used: set[str]) -> Generator[None, None, None]:
    """Adds to ``used`` what is drawn from meanwhile."""
    before, numbers = random.getstate(), _key(_numpy())
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
        if _key(_numpy()) != numbers:
            used.add(NUMPY)


@contextmanager
def borrowed(seed: int) -> Generator[None, None, None]:
    """The global generators, seeded meanwhile, and afterwards as they were before."""
    before, numbers = random.getstate(), _numpy()
    random.seed(seed)
    np.random.seed(seed % 2**32)
    try:
        yield
    finally:
        random.setstate(before)
        np.random.set_state(numbers)


def _numpy() -> Any:
    return np.random.get_state()


def _key(state: Any) -> tuple[object, ...]:
    name, words, *rest = state
    return name, words.tobytes(), *rest
