"""An interaction that was played: its rounds, and how it ended (CM §2.2.1)."""

import enum
from collections.abc import Sequence
from typing import Any

import attrs

from antiphon.protocol.coins.coins import Draw
from antiphon.protocol.messages import SAME
from antiphon.protocol.records.headers import Header
from antiphon.protocol.registry import set_derived


class Ending(enum.Enum):
    """How an interaction ended."""

    ROUNDS = "rounds"
    ADVERSARY = "adversary"
    MECHANISM = "mechanism"
    OPEN = "open"
    """The file stops here: it was cut short, or is still being written."""


@attrs.frozen
class Round:
    """m_t and its answer, with the coins the adversary drew to choose m_t."""

    message: Any = attrs.field(eq=SAME)
    answer: Any = attrs.field(eq=SAME)
    draws: tuple[Draw, ...] = ()


class _ForTheCaller:
    """The part of a view that only the caller who played it sees.

    These may hold data, so they are no fields: nothing that prints, saves, pickles, copies or
    converts a view comes across them.
    """

    __slots__ = ("_failures", "_why_halted")

    def tell(self, failures: tuple[BaseException, ...], why_halted: str | None) -> None:
        """Note what the session knows."""
        set_derived(self, _failures=failures, _why_halted=why_halted)

    @property
    def failures(self) -> tuple[BaseException, ...]:
        """The exceptions of steps that failed; in the memory of this view only."""
        return getattr(self, "_failures", ())

    @property
    def why_halted(self) -> str | None:
        """Why the mechanism halted, if it says so; in the memory of this view only."""
        return getattr(self, "_why_halted", None)


@attrs.frozen(repr=False)
class Interaction(_ForTheCaller):
    """An interaction that was played: the parties, the rounds, and the ending; it is saved and
    drawn."""

    header: Header
    rounds: Sequence[Round] = attrs.field(repr=False)
    ending: Ending
    closing: tuple[Draw, ...] = attrs.field(default=(), repr=False)
    """The coins the adversary drew to say HALT."""
    cut: str | None = attrs.field(default=None, eq=False, repr=False)
    """The part of a file that was left out, as it stops inside a line or a round."""

    @property
    def messages(self) -> tuple[Any, ...]:
        """m₁, m₂, …: what the adversary said."""
        return tuple(each.message for each in self.rounds)

    @property
    def answers(self) -> tuple[Any, ...]:
        """The answer that the adversary heard."""
        return tuple(each.answer for each in self.rounds)

    @property
    def coins(self) -> tuple[Draw, ...]:
        """r_A: the adversary's own coins, in order."""
        return (*(draw for each in self.rounds for draw in each.draws), *self.closing)

    @property
    def complete(self) -> bool:
        """Whether the interaction came to its end."""
        return self.ending is not Ending.OPEN
