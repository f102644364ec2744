"""What the commands about learners share: how often something is played, and what is told of it."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

INTERRUPTED: Final = "Interrupted: the rest was not looked at."


class PlayOptions(NamedTuple):
    """How often, with which seed, on how many processes; and where it goes."""

    repeat: int
    seed: int | None
    workers: int | None
    plot: Path | None
    as_json: bool

    @property
    def drawn(self) -> str | None:
        """Where, for JSON."""
        return None if self.plot is None else str(self.plot)
