"""The hard sequence of a learner: the proof of ``mistakes_lower_bound``, carried out."""

from __future__ import annotations

from itertools import pairwise

import attrs

from antiphon.audit.mistakes.mistake_law import MistakeLaw, Number
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument

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
