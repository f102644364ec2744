"""Coins that record their draws on a tape, that replay a tape, or that enumerate all outcomes."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, TypeVar

from antiphon.numbers import errors
from antiphon.numbers.errors import Intractable, ReplayMismatch, with_article
from antiphon.protocol.coins import samplers
from antiphon.protocol.coins.coins import Coins, Draw, told_scores
from antiphon.protocol.messages import HALT, identical


class RecordedCoins(Coins):
    """Coins that pass on the draws of other coins and record them on a tape.

    ``strict`` has the meaning that it has for any coins; the wrapped coins do not decide it.
    """

    __slots__ = ("_coins", "_tape", "strict")

    def __init__(self, coins: Coins, *, strict: bool = False) -> None:
        super().__init__()
        self._coins, self.strict = coins, strict
        self._tape: list[Draw] = []

    def __repr__(self) -> str:
        return f"RecordedCoins({self.draws} draws)"

    def draw(self, kind: str, parameter: object) -> object:
        value = self._coins.draw(kind, parameter)
        self.draws += 1
        self._tape.append(Draw(kind, parameter, value))
        return value

    def foreign(self, source: str, argument: object, toss: Callable[[], object]) -> Any:
        self.draws += 1
        value: object = HALT  # A draw that fails is recorded as HALT.
        try:
            value = self._coins.foreign(source, argument, toss)
        finally:
            self._tape.append(Draw("foreign", (source, argument), value))
        return value

    def be(self, coins: Coins) -> None:
        """Use these coins from now on, as each step of an exchange (a generator) gets new coins."""
        self._coins, self.many, self.strict = coins, coins.many, coins.strict

    def take(self) -> tuple[Draw, ...]:
        """Remove from the tape the draws recorded since the last call, which are those of one
        round, and return them."""
        tape, self._tape = tuple(self._tape), []
        return tape


class ReplayedCoins(Coins):
    """Coins that read their draws from a tape.

    Raises: ReplayMismatch where the mechanism asks for another draw than the one
    recorded (kind and parameter), or for more draws than the tape holds.
    """

    __slots__ = ("_tape",)

    def __init__(self, tape: Iterable[Draw] = ()) -> None:
        super().__init__()
        self._tape = list(tape)[::-1]

    def __repr__(self) -> str:
        return f"ReplayedCoins({len(self._tape)} left)"

    def feed(self, tape: Iterable[Draw]) -> None:
        """Set the draws that will be read next, such as those of one round. Raises: ReplayMismatch
        if draws set before have not been read."""
        if self._tape:
            raise ReplayMismatch(None, f"{len(self._tape)} more draws", "no more draws")
        self._tape = list(tape)[::-1]

    def draw(self, kind: str, parameter: object) -> object:
        if not self._tape:
            raise ReplayMismatch(None, "the end of the tape", f"{with_article(kind)} draw")
        recorded = self._tape[-1]
        if recorded.kind != kind or not identical(recorded.parameter, parameter):
            raise ReplayMismatch(
                None,
                f"{with_article(recorded.kind)} draw",
                f"{with_article(kind)} draw, or another parameter of it",
            )
        if not _possible(kind, parameter, recorded.value):
            raise ReplayMismatch(
                None, f"a value of {with_article(kind)} draw", "a value it cannot have"
            )
        self._tape.pop()
        self.draws += 1
        return recorded.value

    def foreign(self, source: str, argument: object, toss: Callable[[], object]) -> Any:
        value = self.draw("foreign", (source, argument))
        if value is HALT:
            raise errors.ForeignError(f"{source} failed when this was recorded")
        return value


def _possible(kind: str, parameter: Any, value: object) -> bool:
    """Whether a draw can have had this value; a tape may come from an untrusted file."""
    if kind in ("bernoulli", "bernoulli_exp"):
        return type(value) is bool
    if kind in ("laplace", "gaussian"):
        return type(value) is float
    if kind == "uniform_integer":
        return type(value) is int and 0 <= value < parameter
    if kind == "categorical":
        return type(value) is int and 0 <= value < len(parameter)
    if kind == "categorical_exp":
        return type(value) is int and 0 <= value < len(told_scores(parameter[1]))
    if kind in ("discrete_laplaces", "discrete_gaussians"):
        return type(value) is tuple and list(map(type, value)) == [int] * parameter[1]  # pyright: ignore[reportUnknownArgumentType]
    return type(value) is int or not kind.startswith("discrete_")


Result = TypeVar("Result")

LONGEST: Final = 1_000
"""The largest number of draws in one run that is enumerated."""
MOST: Final = 1_000_000
"""The largest number of outcomes of one function of coins that is enumerated."""


class _EnumeratedCoins(Coins):
    """Coins that follow a given path: the outcomes of the first draws; each further draw has its
    first outcome."""

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
    """The possible values of a finite draw with their positive probabilities, from a cache."""
    return [(value, p) for value, p in samplers.law(kind, parameter) if p]


def outcomes(run: Callable[[Coins], Result]) -> Iterator[tuple[Fraction, Result]]:
    """Run a function of coins once for every combination of outcomes of its finite draws.

    Yields (probability, result), where the probabilities are Fractions that sum to 1: a probability
    given as a float counts as the rational that it equals. Equal results are not merged. Cost: one
    run per outcome.

    Raises: Intractable at a draw without a finite distribution (Laplace, Gaussian, …), past 1,000
    draws in one run (the function may draw for ever) or 10^6 outcomes.

    >>> [(p, x) for p, x in outcomes(lambda coins: coins.bernoulli(Fraction(1, 3)))]
    [(Fraction(2, 3), False), (Fraction(1, 3), True)]
    """
    if not callable(run):  # pyright: ignore[reportUnnecessaryComparison]
        raise errors.InvalidArgument(
            f"outcomes takes a function of coins, not {errors.of_kind(run)}; write "
            "ap.outcomes(lambda coins: M.step(state, message, coins))"
        )
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
