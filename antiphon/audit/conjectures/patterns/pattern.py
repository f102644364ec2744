"""What a conjecture is about: a composition of which some part is not known, but what it claims."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final, Protocol

import numpy as np

from antiphon.audit.conjectures.judging import Judged
from antiphon.numbers.exact import ExactEpsilon, Log

Generator = np.random.Generator
Sizes = tuple[tuple[int, int], ...]
SOURCE: Final = "computed exactly (antiphon.audit.exact)"
"""Of the claims of what is found."""


class Reached(Protocol):
    """What one climb has reached."""

    @property
    def gain(self) -> float:
        """In doubles."""
        ...


class Pattern(ABC):
    """A family of games, one for each choice of what is sought. Abstract.

    ``climbs`` looks in doubles for what loses most; ``judged`` says exactly what it loses.
    """

    @abstractmethod
    def described(self, epsilon: ExactEpsilon) -> str:
        """What is bounded, and of what."""

    @abstractmethod
    def facts(self, epsilon: ExactEpsilon) -> dict[str, object]:
        """The same, for JSON."""

    def least(self, epsilon: ExactEpsilon) -> tuple[Fraction, str] | None:
        """What a bound must not be below, for who loses as much; None if nothing is known."""
        return None

    @abstractmethod
    def sizes(self, rounds: int, answers: int) -> Sizes:
        """Of what is sought, from small ones on: by default, (rounds, answers) of mechanisms."""

    def in_words(self, sizes: Sizes) -> str:
        """Those sizes."""
        return f"mechanisms of rounds × answers {', '.join(f'{r} × {a}' for r, a in sizes)}"

    @abstractmethod
    def climbs(
        self, rounds: int, answers: int, epsilon: ExactEpsilon, random: Generator
    ) -> Iterator[Reached]:
        """Climb after climb; ends where nothing is left to be looked at.

        Raises: Intractable if the largest size is too large.
        """

    @abstractmethod
    def judged(self, found: Any, epsilon: ExactEpsilon) -> Judged:
        """What a climb has found, exactly. Raises: Intractable where that cannot be computed."""


def grid(rounds: int, answers: int, *, least: int = 1) -> list[tuple[int, int]]:
    """(rounds, answers) up to these, all that tell anything."""
    return [(r, a) for r in range(least, rounds + 1) for a in range(2, answers + 1)]


def shown(epsilon: ExactEpsilon) -> str:
    """ε in words."""
    return f"ln {epsilon.argument}" if isinstance(epsilon, Log) else str(epsilon)


def grown(epsilon: ExactEpsilon) -> float:
    """e^ε as a double."""
    return float(epsilon.argument) if isinstance(epsilon, Log) else math.exp(epsilon)
