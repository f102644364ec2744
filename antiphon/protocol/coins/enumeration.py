"""Enumeration: every outcome of finite draws, with its exact probability."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Final, TypeVar

from antiphon.numbers.errors import Intractable
from antiphon.protocol.coins import samplers
from antiphon.protocol.coins.coins import Coins

Result = TypeVar("Result")

LONGEST: Final = 1_000
"""Draws of one run that are still enumerated."""
MOST: Final = 1_000_000
"""Outcomes of one function of coins that are still enumerated."""


class _EnumeratedCoins(Coins):
    """Follows a path of choices, then takes the first outcome of each new draw."""

    __slots__ = ("branches", "exact", "path")
    strict = True

    def __init__(self, path: list[int]) -> None:
        super().__init__()
        self.path = path
        self.branches: list[list[tuple[int, Fraction]]] = []

    def draw(self, kind: str, parameter: object) -> int:
        if self.draws == LONGEST:
            raise Intractable("enumerating the draws of one run", f"over {LONGEST}", LONGEST)
        branches = branch(kind, parameter)
        if self.draws == len(self.path):
            self.path.append(0)
        self.branches.append(branches)
        value, _ = branches[self.path[self.draws]]
        self.draws += 1
        return value

    def probability(self) -> Fraction:
        weight = Fraction(1)
        for branch, choice in zip(self.branches, self.path, strict=True):
            weight = weight * branch[choice][1]
        return weight


@lru_cache(maxsize=1024)
def branch(kind: str, parameter: Hashable) -> list[tuple[int, Fraction]]:
    """The possible values of a finite draw with their probabilities, kept for the next time."""
    return [(value, p) for value, p in samplers.law(kind, parameter) if p]


def outcomes(run: Callable[[Coins], Result]) -> Iterator[tuple[Fraction, Result]]:
    """Run a function of coins once for every outcome of its finite draws.

    Yields (probability, result), the probabilities Fractions that sum to 1: a
    probability given as a float counts as the rational it is, as when it is sampled.
    Results are not merged. Cost: one run per leaf.

    Raises: Intractable at a draw without a finite law (Laplace, Gaussian, …), past 1,000
    draws in one run (it may draw for ever) or 10^6 outcomes.

    >>> [(p, x) for p, x in outcomes(lambda coins: coins.bernoulli(Fraction(1, 3)))]
    [(Fraction(2, 3), False), (Fraction(1, 3), True)]
    """
    path: list[int] = []
    for _ in range(MOST):
        coins = _EnumeratedCoins(path)
        result = run(coins)
        yield coins.probability(), result
        path = coins.path
        while path and path[-1] + 1 == len(coins.branches[len(path) - 1]):
            path.pop()
        if not path:
            return
        path[-1] += 1
    raise Intractable("enumerating the outcomes of a function of coins", f"over {MOST}", MOST)
