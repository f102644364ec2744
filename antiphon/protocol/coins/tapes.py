"""Tapes: coins that are recorded, and coins that are read back (law 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from antiphon.numbers.errors import ForeignError, ReplayMismatch
from antiphon.protocol.coins.coins import Coins, Draw, told_scores
from antiphon.protocol.messages import HALT, identical


class RecordedCoins(Coins):
    """Hands on the draws of other coins and keeps them on a tape.

    ``strict``: as that of any coins; those that are read here do not decide it.
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
        value: object = HALT  # stands on the tape for a draw that failed
        try:
            value = self._coins.foreign(source, argument, toss)
        finally:
            self._tape.append(Draw("foreign", (source, argument), value))
        return value

    def note_death(self) -> None:
        super().note_death()
        self._coins.note_death()

    def be(self, coins: Coins) -> None:
        """From now on, toss these: the step in which an exchange goes on has coins of its own."""
        self._coins, self.many, self.strict = coins, coins.many, coins.strict

    def take(self) -> tuple[Draw, ...]:
        """The draws since the last call: one round's stretch of the tape."""
        tape, self._tape = tuple(self._tape), []
        return tape


class ReplayedCoins(Coins):
    """Reads its draws from a tape.

    Raises: ReplayMismatch where the mechanism asks for another draw than the one
    recorded (kind and parameter), or for one more than the tape holds.
    """

    __slots__ = ("_tape",)

    def __init__(self, tape: Iterable[Draw] = ()) -> None:
        super().__init__()
        self._tape = list(tape)[::-1]

    def __repr__(self) -> str:
        return f"ReplayedCoins({len(self._tape)} left)"

    def feed(self, tape: Iterable[Draw]) -> None:
        """Put the next stretch of the tape in place, once this one is used up."""
        if self._tape:
            raise ReplayMismatch(None, f"{len(self._tape)} more draws", "no more draws")
        self._tape = list(tape)[::-1]

    def draw(self, kind: str, parameter: object) -> object:
        if not self._tape:
            raise ReplayMismatch(None, "the end of the tape", f"a {kind} draw")
        recorded = self._tape[-1]
        if recorded.kind != kind or not identical(recorded.parameter, parameter):
            raise ReplayMismatch(
                None, f"a {recorded.kind} draw", f"a {kind} draw, or another parameter of it"
            )
        if not _possible(kind, parameter, recorded.value):
            raise ReplayMismatch(None, f"a value of a {kind} draw", "a value it cannot have")
        self._tape.pop()
        self.draws += 1
        return recorded.value

    def foreign(self, source: str, argument: object, toss: Callable[[], object]) -> Any:
        value = self.draw("foreign", (source, argument))
        if value is HALT:
            raise ForeignError(f"{source} failed when this was recorded")
        return value


def _possible(kind: str, parameter: Any, value: object) -> bool:
    """Whether a draw can have had this value: a tape may come from anywhere."""
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
