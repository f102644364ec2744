"""Mistakes of private learners: a claim on how seldom the hard sequence fools one."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple

import attrs
import numpy as np

from antiphon.audit.conjectures.climbing import Climb, Climber, Size
from antiphon.audit.conjectures.judging import Judged
from antiphon.audit.conjectures.law_trees import Doubles
from antiphon.audit.conjectures.patterns.leaving_learners import (
    LeavingLaw,
    Staying,
    falling,
    fewer_mistakes,
    finite_learner,
    leaving_program,
    size,
)
from antiphon.audit.conjectures.patterns.pattern import Pattern, Sizes, grown, shown
from antiphon.audit.exact.question import Question
from antiphon.audit.exact.strategy import StrategyAdversary, StrategyNode
from antiphon.audit.game import PrivacyGame
from antiphon.audit.mistakes import FiniteLaw, HardSequence, hard_sequence
from antiphon.mechanisms.learners.littlestone import BLANK, HIT, FiniteLearner
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import ExactEpsilon
from antiphon.protocol.messages import same
from antiphon.protocol.registry import register

_DENOMINATOR: Final = 720_720
_LONGEST: Final = 8
"""Rounds: a program has some (T + 1)·2^T columns."""


def _horizon(_: object, __: object, given: object) -> None:
    if not 3 <= exact.whole(given, "horizon") <= _LONGEST:
        raise InvalidArgument(
            f"horizon is 3 to {_LONGEST} rounds: in fewer there is no second block, and for more "
            "there are too many streams. A bound that fails fails in few"
        )


@register("antiphon.MistakesPattern/1")
@attrs.frozen(kw_only=True)
class MistakesPattern(Pattern):
    """P(fewer than k mistakes) - (first·q_0 + each·Σ q_i), on the hard sequence of a learner.

    The learner is sought: (ε, δ)-DP at event level, and one that leaves f⁽⁰⁾ once. Its hard
    sequence has k hits in ``horizon`` rounds; q_i is how likely it leaves in the block B_i before
    the hits of B_i are put in (``audit.mistakes.hard_sequence``). A bound is what more may be lost:
    0 where P(fewer than k) <= Σ q_i is claimed, 2kδ with first = 3 and each = 0; ε of a conjecture
    is no matter here.
    """

    epsilon: ExactEpsilon = attrs.field(converter=exact.epsilon)
    delta: Fraction = attrs.field(converter=exact.probability)
    horizon: int = attrs.field(default=7, validator=_horizon)
    first: Fraction = attrs.field(default=Fraction(0), converter=exact.fraction)
    each: Fraction = attrs.field(default=Fraction(1), converter=exact.fraction)

    def described(self, epsilon: ExactEpsilon) -> str:
        counted = " + ".join(
            f"{'' if weight == 1 else weight}{name}"
            for weight, name in ((self.first, "q₀"), (self.each, "Σq_i"))
            if weight
        )
        return (
            f"P(fewer than k mistakes) - ({counted or 0}) of a ({shown(self.epsilon)}, "
            f"{self.delta})-DP learner, in {self.horizon} rounds"
        )

    def facts(self, epsilon: ExactEpsilon) -> dict[str, object]:
        return {
            "figure": "P(fewer than k mistakes)", "first": str(self.first), "each": str(self.each),
            "claim": f"({shown(self.epsilon)}, {self.delta})-DP", "horizon": self.horizon,
        }  # fmt: skip

    def sizes(self, rounds: int, answers: int) -> Sizes:
        return ((self.horizon, 2),)  # two hypotheses

    def in_words(self, sizes: Sizes) -> str:
        return f"learners of {self.horizon} rounds that leave once"

    def weights(self, hard: HardSequence) -> list[Fraction]:
        """Of q_0, q_1, …"""
        return [self.each + (0 if place else self.first) for place in range(len(hard.kept))]

    def climber(self, size: Size, epsilon: ExactEpsilon) -> Climber:
        keep = leaving_program(self.horizon, grown(self.epsilon), float(self.delta))
        return Climber(size, HardSequences(self), [keep])

    def judged(self, found: Climb, epsilon: ExactEpsilon) -> Judged:
        """A learner that keeps its claim, and the law of its mistakes on its own hard sequence."""
        learner, lost = self._kept(falling(found.laws[0], _DENOMINATOR))
        law = FiniteLaw(learner, self.horizon)
        hard = hard_sequence(law)
        fewer = sum(law.distribution(hard.hits)[: len(hard.hits)], Fraction(0))
        kept = (w * Fraction(q) for w, q in zip(self.weights(hard), hard.kept, strict=True))
        adversary = oblivious(hard, fewer)
        game = PrivacyGame(learner, learner.verification)
        return Judged((learner,), (lost,), adversary, fewer - sum(kept, Fraction(0)), game)

    def _kept(self, staying: Staying) -> tuple[FiniteLearner, Fraction]:
        """The learner mixed with one that stays, until the exact engine says it keeps its claim."""
        while True:
            learner = finite_learner(staying)
            asked = Question(learner, learner.verification, [BLANK, HIT], report=None)
            lost = asked.solve(self.epsilon, self.horizon).delta
            if lost <= self.delta:
                return learner, lost
            part = self.delta / lost  # seldom twice: the loss is convex in y
            staying = tuple(1 - part * (1 - each) for each in staying)


def oblivious(hard: HardSequence, fewer: Fraction) -> StrategyAdversary:
    """Says the hard sequence, (1, 1) for both worlds; accuses a learner that left in time."""
    rounds = hard.hits[-1] - 1
    samples = [HIT if time in hard.hits else BLANK for time in range(1, rounds + 1)]
    nodes = [
        StrategyNode(same(sample), ((0, time), (1, rounds + 1)))
        for time, sample in enumerate(samples, start=1)
    ]
    nodes += [StrategyNode(), StrategyNode(accuses=True)]
    return StrategyAdversary(tuple(nodes), 0, Fraction(0), fewer)


class Fooled(NamedTuple):
    """What a hard sequence gains from a learner, and its slope in y."""

    gain: float
    slope: Doubles


class HardSequences:
    """The hard sequence of each learner, for a climber. There is but one world."""

    def __init__(self, pattern: MistakesPattern) -> None:
        self._pattern = pattern

    def best(self, laws: list[Doubles], bit: int) -> Fooled:
        """Of the law as it is rounded: ties between parts of a block are ties."""
        staying, rounds = falling(laws[0], _DENOMINATOR), self._pattern.horizon
        hard = hard_sequence(LeavingLaw(staying, rounds))
        slope = fewer_mistakes(hard, self._pattern.weights(hard), size(rounds))
        return Fooled(float(slope @ np.array([float(each) for each in staying])), slope)

    def slope(self, seen: Fooled, place: int, size: int) -> Doubles:
        """Of that sequence."""
        return seen.slope
