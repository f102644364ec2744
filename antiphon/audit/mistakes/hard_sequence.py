"""A learner's hard sequence, by the proof of ``mistakes_lower_bound``; and the worst of all."""

from __future__ import annotations

from itertools import pairwise

import attrs

from antiphon.audit.mistakes.mistake_law import (
    MOST_LISTED,
    FiniteLaw,
    MistakeFigure,
    MistakeLaw,
    Number,
)
from antiphon.audit.mistakes.simulated_law import SimulatedLaw
from antiphon.numbers import exact
from antiphon.numbers.errors import Intractable, InvalidArgument

Block = tuple[int, int]
"""Its first and its last round."""


@attrs.frozen
class HardSequence:
    """The rounds of its (1, 1), and what the proof speaks of: one entry for each block."""

    hits: tuple[int, ...]
    blocks: tuple[Block, ...]
    """B_0 ⊃ B_1 ⊃ …"""
    kept: tuple[Number, ...]
    """q_i: P(τ ∈ B_i) before the (1, 1) of B_i are put in."""
    leaving: tuple[Number, ...]
    """m_i: P(τ ∈ B_i) once they are."""


def hard_sequence(law: MistakeLaw, *, copies: int = 1, parts: int = 2) -> HardSequence:
    """(1, 1) in the first ``copies`` rounds of a block, and on in the lightest part of its rest.

    The weight of a part is P(τ ∈ part). A block whose rest has fewer rounds than ``parts`` is the
    last. The parts are as even as can be; of those that are equally light the first is taken. By
    simulation the weights are estimates, and the sequence one of many: what it costs is measured
    of it all the same.
    Raises: InvalidArgument for a learner that is not concentrated.

    >>> from antiphon.audit.mistakes import FiniteLaw
    >>> from antiphon.mechanisms.learners.littlestone import NameAndShame
    >>> law = FiniteLaw(NameAndShame(delta=0.1), 7)
    >>> found = hard_sequence(law)
    >>> found.hits, sum(found.kept), sum(law.distribution(found.hits)[:3])
    ((1, 5, 7), Fraction(0, 1), Fraction(19, 100))
    """
    if exact.whole(copies, "copies") > law.rounds or exact.whole(parts, "parts") < 2:
        raise InvalidArgument(f"copies are at most the {law.rounds} rounds, and parts at least 2")
    _concentrated(law)
    block, hits = (1, law.rounds), tuple[int, ...]()
    blocks, kept, leaving = list[Block](), list[Number](), list[Number]()
    weight = law.left((), [law.rounds])[0]
    while True:
        first, last = block
        blocks.append(block)
        kept.append(weight)
        hits += tuple(range(first, first + copies))
        ends = [first - 1, *_ends(first + copies - 1, last, parts)]
        left = law.left(hits, ends)
        leaving.append(left[-1] - left[0])
        if last - first + 1 - copies < parts:
            break
        weights = [after - before for before, after in pairwise(left[1:])]
        place = weights.index(min(weights))
        block, weight = (ends[place + 1] + 1, ends[place + 2]), weights[place]
        if block[1] - block[0] + 1 < copies:
            break
    return HardSequence(hits, tuple(blocks), tuple(kept), tuple(leaving))


def _ends(first: int, last: int, parts: int) -> list[int]:
    """``first``, and where the parts of what comes after it end; the longer ones come first."""
    size, more = divmod(last - first, parts)
    return [first + part * size + min(part, more) for part in range(parts + 1)]


def _concentrated(law: MistakeLaw) -> None:
    found = law.concentration()
    if found.low > 0.5:
        raise InvalidArgument(
            f"the learner is not concentrated: where all samples are (0, 0) it leaves its first "
            f"hypothesis with probability {found}, and the hard sequence is for learners that keep "
            "to it; be wrong every round instead, or look at all sequences"
        )


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
