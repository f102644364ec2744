"""What a conjecture is about: a composition of which some part is not known, but what it claims."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Final

from antiphon.audit.conjectures.climbing import Climb, Climbing, Size
from antiphon.audit.conjectures.judging import Judged
from antiphon.audit.conjectures.tables import TableMechanism
from antiphon.numbers.exact import ExactEpsilon

Sizes = tuple[Size, ...]
SOURCE: Final = "computed exactly (antiphon.audit.exact)"
"""Of the claims of what is found."""


class Pattern(ABC):
    """A family of games, one for each choice of what is sought. Abstract.

    ``climber`` looks in doubles for what loses most; ``judged`` says exactly what it loses.
    """

    @property
    def most(self) -> int | None:
        """Climbs after which nothing is left to be looked at; None where there always is more."""
        return None

    def known_by(self, sizes: Sizes) -> object:
        """What has to be the same for a search to be gone on with."""
        return self

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
        """Of what is sought, from small ones on, up to these rounds and answers.

        Raises: Intractable if the largest is too large; InvalidArgument where nothing can be found.
        """

    def in_words(self, sizes: Sizes) -> str:
        """Those sizes."""
        return f"mechanisms of rounds × answers {', '.join(f'{r} × {a}' for r, a in sizes)}"

    @abstractmethod
    def climber(self, size: Size, epsilon: ExactEpsilon) -> Climbing:
        """Who climbs among what is sought of one size. Raises: MissingExtra without scipy."""

    def heard(self, mechanism: TableMechanism) -> frozenset[int] | None:
        """The histories of a mechanism that was found which can be; None: any can."""
        return None

    @abstractmethod
    def judged(self, found: Climb, epsilon: ExactEpsilon) -> Judged:
        """What a climb has found, exactly. Raises: Intractable where that cannot be computed."""


def grid(rounds: int, answers: int) -> list[Size]:
    """(rounds, answers) up to these, all that tell anything."""
    return [(r, a) for r in range(1, rounds + 1) for a in range(2, answers + 1)]
