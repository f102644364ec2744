"""Numbers near their ends: counters of arrays past 2^53, and figures near delta = 1 and far out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from antiphon.mechanisms import TreeCounter
from antiphon.numbers.interval import least_reading

from .builder import case, system
from .case import Case

SHIFTS = (-128, -1, 0, 1, 128)
NEAR_ONE = (1 - Fraction(1, 10**16), 1 - Fraction(1, 10**40))
FAR = (50, 1000, 10**12)


def near_ends(one: Callable[..., Any]) -> dict[str, Any]:
    """A recipe: arrays far from 0, or responses whose δ is nearly 1."""
    if one(True, False):
        span = one(1, 2, 2, 3)  # noise is read where its scale is one over an integer
        return {"kind": "far", "epsilon": span * one(1, 2), "power": one(2, 53, 53, 54, 60, 61),
                "shift": one(-127, -1, 0, 1, 3, 127), "span": span, "rounds": 2,
                "base": 1}  # fmt: skip
    strong = {"kind": "response", "q": one(10**3, 10**9, 10**16),
              "delta": one([0, 1], [1, 10], [1, 2])}  # fmt: skip
    count = one(1, 2, 3)
    return {"kind": "concomp", "parts": [strong] * count, "rounds": count}


@system
def far(epsilon: int, power: int, shift: int, span: int, rounds: int, base: int) -> Case:
    """A counter of arrays of one entry, far from 0, and every update near its ends it takes."""
    smallest = 2**power + shift
    ends = {"smallest": smallest, "largest": smallest + span}
    counter = TreeCounter(horizon=1, epsilon=epsilon, dimension=1, **ends)
    near = (*ends.values(), *map(int, map(float, ends.values())))
    tried = {end + more for end in near for more in SHIFTS}
    arrays = [np.array([each]) for each in sorted(tried) if abs(each) < 2**63]
    said = (*filter(counter.signature.queries.contains, arrays), "count")
    whole = case(counter, None, rounds, base=base)
    return Case(whole.system, None, rounds, queries=said, base=base)


def near_one(guarantee: Any) -> Iterator[tuple[Any, Fraction]]:
    """(ε, δ) with δ nearly 1."""
    for delta in NEAR_ONE:
        if delta >= guarantee.curve.floor.upper:
            yield guarantee.epsilon_at(delta), delta


def broken(guarantee: Any) -> str | None:
    """A figure that is not kept: δ at the ε that is promised at a δ, or a δ that grows with ε."""
    for epsilon, delta in near_one(guarantee):
        if epsilon < float("inf") and least_reading(guarantee.delta_at(epsilon)) > delta:
            return f"delta_at(epsilon_at({delta})) is more"
    least = min(map(guarantee.delta_at, FAR))
    if least < guarantee.curve.floor.lower:
        return f"delta = {least!r} is below the floor"
    return None
