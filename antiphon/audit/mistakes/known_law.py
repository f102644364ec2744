"""The law of a learner that leaves f⁽⁰⁾ once, at a time whose law is known: in doubles."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from antiphon.audit.mistakes.mistake_law import Hits, How, MistakeFigure, MistakeLaw, Number
from antiphon.composition.complex_mechanism import ComplexMechanism
from antiphon.mechanisms.learners.littlestone.counting_learners import OnceAbove
from antiphon.mechanisms.learners.littlestone.crossing import Crossing, Run
from antiphon.mechanisms.learners.littlestone.name_and_shame import NameAndShame
from antiphon.mechanisms.learners.littlestone.point_learner import PointLearner
from antiphon.mechanisms.sparse_vector import AboveThreshold
from antiphon.protocol.chain import AnyChain
from antiphon.protocol.mechanism import ContinualMechanism

_FEW = 1 << 8
"""Hits that are looked at first."""


class Quiet(Protocol):
    """What knows when f⁽⁰⁾ is left."""

    def quiet(self, runs: Sequence[Run], /) -> NDArray[np.float64]:
        """P(f⁽⁰⁾ so far) after each run of samples."""
        ...

    def rising(self, last: int, /) -> NDArray[np.float64]:
        """P(f⁽⁰⁾ so far) after each of the first samples, all (1, 1)."""
        ...


class KnownLaw(MistakeLaw):
    """Of a learner that leaves f⁽⁰⁾ for another hypothesis, and stays with it.

    For f⁽¹⁾; or for a wrong one, with a probability that is a function of the number of hits
    (``points``). Probabilities below 1e-15 are left out.
    """

    how: ClassVar[How] = "in doubles"

    def __init__(self, leaves: Quiet, rounds: int, points: PointLearner | None = None) -> None:
        self.rounds = rounds
        self._leaves, self._points = leaves, points

    def _kept(self, hits: Hits, cuts: Sequence[int]) -> list[float]:
        """P(f⁽⁰⁾ so far) after so many samples, for each of the cuts."""
        ends = sorted({*cuts, *(hit - 1 for hit in hits)} - {0})
        begins = [0, *ends][: len(ends)]
        runs = [
            (bisect_right(hits, end), end - begin) for begin, end in zip(begins, ends, strict=True)
        ]
        after = dict(zip(ends, self._leaves.quiet(runs).tolist(), strict=True)) if runs else {}
        return [after[cut] if cut else 1.0 for cut in cuts]

    def left(self, hits: Hits, times: Sequence[int]) -> list[Number]:
        kept = self._kept(self.check(hits), [max(0, time - 1) for time in times])
        return [1 - each for each in kept]

    def mistakes(self, hits: Hits) -> MistakeFigure:
        self.check(hits)
        few = _FEW
        while True:  # as many hits as matter, of perhaps a million
            some = hits[:few]
            kept = self._before(some)
            if few >= len(hits) or kept[-1] < 1e-15:
                break
            few *= 4
        return MistakeFigure.at(sum(kept) + self._in_vain(some, kept, len(hits)), self.how)

    def _before(self, hits: Hits) -> list[float]:
        """P(f⁽⁰⁾ so far) before each hit."""
        if isinstance(hits, range) and hits and hits[0] == 1:
            return [1.0, *self._leaves.rising(len(hits) - 1).tolist()]
        return self._kept(hits, [hit - 1 for hit in hits])

    def _in_vain(self, some: Hits, kept: list[float], hits: int) -> float:
        """The mistakes after a wrong hypothesis was taken for good, while so many hits had come."""
        if self._points is None:
            return 0.0
        (last,) = self._kept(some, [self.rounds if len(some) == hits else some[-1]])
        leaves = -np.diff([1.0, *kept, last])
        return float(
            sum(
                mass * self._points.wrong(count) * (hits - count)
                for count, mass in enumerate(leaves.tolist())
            )
        )


def known_law(learner: ContinualMechanism[Any], rounds: int) -> KnownLaw | None:
    """The law of one of the learners whose law is known; None of another."""
    if type(learner) is NameAndShame:
        return KnownLaw(learner, rounds)
    if type(learner) is ComplexMechanism and type(learner.post_processor) is PointLearner:
        points = learner.post_processor
        return KnownLaw(Crossing(points.above), rounds, points)
    if isinstance(learner, AnyChain) and [type(each) for each in learner.links] == [OnceAbove]:
        above = learner.mechanism
        return KnownLaw(Crossing(above), rounds) if type(above) is AboveThreshold else None
    return None
