"""A case: a system, the question asked about it, how far the engine is to look; and a verdict."""

from __future__ import annotations

from typing import Any

import attrs
from trying import sized

LIMIT = sized(3_000, 10_000)
"""Beliefs of the engine, past which a case is too large."""


@attrs.frozen
class Verdict:
    """What came of a case; "false", "crash" and "engine" are finds."""

    kind: str
    """refused, assumed, true, false, crash, engine; unread: too large for the engine."""
    why: str = ""
    gap: float = 0.0
    """By how much the truth is above the promise."""

    @property
    def find(self) -> bool:
        return self.kind in ("false", "crash", "engine")


@attrs.frozen
class Case:
    """``ap.guarantee(system, verification, **narrowed)`` against ``rounds`` messages."""

    system: Any
    verification: Any = None
    rounds: int = 2
    narrowed: dict[str, Any] = attrs.field(factory=dict)
    """``inner``, ``catalogue``, ``max_creations`` of the question."""
    queries: tuple[Any, ...] | None = None
    catalogue: tuple[Any, ...] | None = None
    max_creations: int | None = None
    base: int | None = None
    """Read discrete Laplace noise in base 2^base in place of e; see ``referee``."""
    truth_of: Any = None
    """What is really run, where it is not the system as it stands."""
    granted: bool = False
    """What is assumed was computed, and is true: the figure is to hold all the same."""

    live: tuple[int, ...] | None = None
    """A session is played, by these choices among what may be said, and its budget is judged."""

    @property
    def search(self) -> dict[str, Any]:
        """The engine's part of it."""
        return {
            "queries": self.queries,
            "catalogue": self.catalogue,
            "max_creations": self.max_creations,
        }
