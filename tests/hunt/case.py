"""A case: one system, the question asked about it, and how far the exact engine is to look."""

from __future__ import annotations

from typing import Any

import attrs


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

    @property
    def search(self) -> dict[str, Any]:
        """The engine's part of it."""
        return {
            "queries": self.queries,
            "catalogue": self.catalogue,
            "max_creations": self.max_creations,
        }
