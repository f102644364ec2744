"""One round of an interaction, and how an interaction ends (CM §2.2.1)."""

from __future__ import annotations

import enum
from typing import Any

import attrs

from antiphon.protocol.coins import Draw
from antiphon.protocol.messages import SAME


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
