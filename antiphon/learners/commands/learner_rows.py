"""What learners did, in lines; by what they have in common; and how it grows."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from typing import TypeVar

import attrs

from antiphon.learners.contests import Standings, slope


@attrs.frozen
class LearnerRow:
    """What one learner did in one game."""

    name: str
    privacy: str
    """What it was made for, "any" ε and δ, or "no"."""
    epsilon: Fraction | None
    standings: Standings

    @property
    def rounds(self) -> int:
        """T."""
        return self.standings.checkpoints[-1]

    @property
    def regret(self) -> float:
        """The mean at the end."""
        return float(self.standings.mean[-1])

    @property
    def band(self) -> float:
        """Half the width of its interval of confidence 95 %."""
        return float(self.standings.band()[-1])


Key = TypeVar("Key", bound=Hashable)


def shared(
    rows: Iterable[LearnerRow], key: Callable[[LearnerRow], Key]
) -> dict[Key, list[LearnerRow]]:
    """Rows by what they have in common, in their order."""
    found = dict[Key, list[LearnerRow]]()
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def power(
    rows: Sequence[LearnerRow],
    at: Callable[[LearnerRow], float],
    figure: Callable[[LearnerRow], float],
) -> float | None:
    """The exponent of a figure in another; None of fewer than two figures above 0."""
    found = slope([at(row) for row in rows], [figure(row) for row in rows])
    return found if math.isfinite(found) else None
