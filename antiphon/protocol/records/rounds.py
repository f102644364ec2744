"""The record of an interaction: its rounds, and how it ended (CM §2.2.1)."""

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
    """The file stops before the interaction ends: cut short, or still being written."""


@attrs.frozen
class Round:
    """One message and its answer, with the coins that the adversary drew to choose the message."""

    message: Any = attrs.field(eq=SAME)
    answer: Any = attrs.field(eq=SAME)
    draws: tuple[Draw, ...] = ()


class _ForTheCaller:
    """The attributes of a view that only the caller who played it has; they are never saved.

    These may hold data, so they are no attrs fields: printing, saving, pickling, copying or
    converting a view omits them.
    """

    __slots__ = ("_failures", "_why_halted")

    def tell(self, failures: tuple[BaseException, ...], why_halted: str | None) -> None:
        """Store the failures and the reason for a halt, as the session reports them."""
        set_derived(self, _failures=failures, _why_halted=why_halted)

    @property
    def failures(self) -> tuple[BaseException, ...]:
        """The exceptions of the steps that failed; kept in memory for the caller, never saved."""
        return getattr(self, "_failures", ())

    @property
    def why_halted(self) -> str | None:
        """The reason why the mechanism halted, if known; in memory for the caller, never saved."""
        return getattr(self, "_why_halted", None)


@attrs.frozen(repr=False)
class Interaction(_ForTheCaller):
    """An interaction, as it is saved and drawn: its parties, its rounds and how it ended."""

    header: Header
    rounds: Sequence[Round] = attrs.field(repr=False)
    ending: Ending
    closing: tuple[Draw, ...] = attrs.field(default=(), repr=False)
    """The coins that the adversary drew to choose its last message, HALT."""
    cut: str | None = attrs.field(default=None, eq=False, repr=False)
    """A description of the part of a file that was left out, because the file stops inside a line
    or a round; None if the file is complete."""

    @property
    def messages(self) -> tuple[Any, ...]:
        """The messages of the adversary: m₁, m₂, …."""
        return tuple(each.message for each in self.rounds)

    @property
    def answers(self) -> tuple[Any, ...]:
        """The answers that the adversary received, in order."""
        return tuple(each.answer for each in self.rounds)

    @property
    def coins(self) -> tuple[Draw, ...]:
        """The adversary's own coins r_A, in order."""
        return (*(draw for each in self.rounds for draw in each.draws), *self.closing)

    @property
    def complete(self) -> bool:
        """Whether the interaction has ended: false for a file that was cut short."""
        return self.ending is not Ending.OPEN
