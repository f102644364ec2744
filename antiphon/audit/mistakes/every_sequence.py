"""The worst of all 2^T streams of ⊥ and (1, 1), for small T."""

from __future__ import annotations

import attrs

from antiphon.audit.mistakes.finite_law import MOST_LISTED, FiniteLaw
from antiphon.audit.mistakes.mistake_law import MistakeFigure, MistakeLaw
from antiphon.audit.mistakes.simulated_law import SimulatedLaw
from antiphon.numbers.errors import Intractable

_FEW = 10
"""Rounds of which streams are looked at one by one."""


@attrs.frozen
class WorstSequence:
    """The stream with the most mistakes, and how many that is."""

    hits: tuple[int, ...]
    mistakes: MistakeFigure
    tied: int
    """How many streams have as many."""


def most_rounds(law: MistakeLaw) -> int:
    """For how many rounds all streams of a law can be looked at."""
    return MOST_LISTED if isinstance(law, FiniteLaw) else _FEW


def worst_sequence(law: MistakeLaw) -> WorstSequence:
    """The best of all adversaries that choose beforehand where to say (1, 1).

    Exact for a ``FiniteLaw``. By simulation the stream is the one that looks worst, of which the
    mean is higher than the truth for having been looked for: so it is played anew.
    Raises: Intractable past 16 rounds; 10, where it is not exact.

    >>> from antiphon.mechanisms.learners.littlestone import NameAndShame
    >>> found = worst_sequence(FiniteLaw(NameAndShame(delta=0.5), 3))
    >>> found.hits, str(found.mistakes), found.tied
    ((1, 2, 3), '1.75', 1)
    """
    if law.rounds > most_rounds(law):
        raise Intractable("looking at all streams", f"2^{law.rounds}", 1 << most_rounds(law))
    if isinstance(law, FiniteLaw):
        costs = law.every()
        most = max(costs)
        hits = _hits(costs.index(most), law.rounds)
        return WorstSequence(hits, MistakeFigure.at(most, law.how), costs.count(most))
    figures = [law.mistakes(_hits(number, law.rounds)) for number in range(1 << law.rounds)]
    values = [figure.value for figure in figures]
    number = values.index(max(values))
    hits = _hits(number, law.rounds)
    again = law.anew(hits) if isinstance(law, SimulatedLaw) else figures[number]
    return WorstSequence(hits, again, values.count(max(values)))


def _hits(number: int, rounds: int) -> tuple[int, ...]:
    """Round t is a hit iff bit T - t of the number is 1."""
    return tuple(t for t in range(1, rounds + 1) if number >> (rounds - t) & 1)
