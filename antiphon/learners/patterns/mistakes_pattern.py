"""A pattern of conjectures on private learners that leave a first hypothesis f⁽⁰⁾ once: a bound on
the probability of fewer than k mistakes on the hard sequence."""

from fractions import Fraction
from itertools import product
from typing import Final

import attrs
import numpy as np

from antiphon.audit import PrivacyGame, Question, StrategyAdversary, StrategyNode
from antiphon.conjectures.climbing import Climb, Generator, Size, needs_scipy
from antiphon.conjectures.exact_figures import epsilon_text, exp_epsilon
from antiphon.conjectures.law_trees import Doubles
from antiphon.conjectures.patterns.pattern import Pattern, Sizes
from antiphon.conjectures.tables import Judged
from antiphon.learners.littlestone import BLANK, HIT, FiniteLearner
from antiphon.learners.mistakes import FiniteLaw, HardSequence, hard_sequence
from antiphon.learners.patterns import leaving_learners
from antiphon.numbers import ExactEpsilon, Intractable, InvalidArgument, exact, shown_up
from antiphon.protocol import register, same

_MARGINS: Final = (0.0, 1e-4)
"""The margins by which the chosen half of a block must have a smaller probability of leaving f⁽⁰⁾
than the other; of two equal halves the first is taken."""


def _horizon(_: object, __: object, given: object) -> None:
    if not 3 <= exact.whole(given, "horizon") <= leaving_learners.LONGEST:
        raise InvalidArgument(
            f"horizon is 3 to {leaving_learners.LONGEST} rounds: in fewer there is no second "
            "block, and for more there are too many streams. A bound that fails fails in few"
        )


def _beta(_: object, __: object, given: Fraction) -> None:
    if given > Fraction(1, 2):
        raise InvalidArgument("beta is at most 1/2: the hard sequence is for learners that stay")


@register("antiphon.MistakesPattern/1")
@attrs.frozen(kw_only=True)
class MistakesPattern(Pattern):
    """A pattern of conjectures: a bound on P(fewer than k mistakes) - (first·q_0 + each·Σ q_i),
    where q_i is the probability of leaving f⁽⁰⁾ in block i of a learner's hard sequence.

    The search is over learners that are (ε, δ)-DP at event level, leave their first hypothesis f⁽⁰⁾
    once, and do so with probability at most ``beta`` if the first T - 1 samples are ⊥. The hard
    sequence has k hits in ``horizon`` rounds; q_i is the probability of leaving in the block B_i
    before B_i gets its hits (``learners.mistakes.hard_sequence``). The conjecture's bound is 0 for
    the claim P(fewer than k) <= Σ q_i, and 2kδ with first = 3 and each = 0; its ε is not used.
    """

    epsilon: ExactEpsilon = attrs.field(converter=exact.epsilon)
    delta: Fraction = attrs.field(converter=exact.probability)
    horizon: int = attrs.field(default=7, validator=_horizon)
    beta: Fraction = attrs.field(
        default=Fraction(1, 2), converter=exact.probability, validator=_beta
    )
    first: Fraction = attrs.field(default=Fraction(0), converter=exact.fraction)
    each: Fraction = attrs.field(default=Fraction(1), converter=exact.fraction)

    @property
    def bounded(self) -> str:
        """The difference that the conjecture bounds, as a formula to be shown."""
        counted = " + ".join(
            f"{'' if weight == 1 else weight}{name}"
            for weight, name in ((self.first, "q₀"), (self.each, "Σq_i"))
            if weight
        )
        return f"P(fewer than k mistakes) - ({counted or 0})"

    def described(self, epsilon: ExactEpsilon) -> str:
        return (
            f"{self.bounded} of a ({epsilon_text(self.epsilon)}, "
            f"{self.delta})-DP learner that is {self.beta}-concentrated, in {self.horizon} rounds"
        )

    def facts(self, epsilon: ExactEpsilon) -> dict[str, object]:
        return {
            "figure": self.bounded, "first": str(self.first), "each": str(self.each),
            "claim": f"({epsilon_text(self.epsilon)}, {self.delta})-DP", "horizon": self.horizon,
            "beta": str(self.beta),
        }  # fmt: skip

    def sizes(self, rounds: int, answers: int) -> Sizes:
        return ((self.horizon, 2),)  # Answers are the hypotheses f⁽⁰⁾ and f⁽¹⁾.

    def least(self, epsilon: ExactEpsilon) -> None:
        return None

    def known_by(self, sizes: Sizes) -> object:
        return self

    def in_words(self, sizes: Sizes) -> str:
        return f"learners of {self.horizon} rounds that leave once"

    def weights(self, count: int) -> list[Fraction]:
        """The weights of q_0, q_1, … (probabilities of leaving f⁽⁰⁾) in the difference."""
        return [self.each + (0 if place else self.first) for place in range(count)]

    @property
    def most(self) -> int:
        return len(_MARGINS) * sum(1 for _ in leaving_learners.paths(self.horizon))

    def climber(self, size: Size, epsilon: ExactEpsilon) -> "PathByPath":
        needs_scipy()
        return PathByPath(self, size)

    def difference(self, staying: leaving_learners.Staying) -> Fraction:
        """The difference that the conjecture bounds, for the learner with this table of
        probabilities to keep f⁽⁰⁾."""
        hard = hard_sequence(leaving_learners.LeavingLaw(staying, self.horizon))
        slope = leaving_learners.fewer_mistakes(
            hard.hits, hard.blocks, self.weights(len(hard.blocks)), len(staying)
        )
        entries = zip(slope.tolist(), staying, strict=True)
        return sum((Fraction(weight) * each for weight, each in entries), Fraction(0))

    def judged(self, found: Climb, epsilon: ExactEpsilon) -> Judged:
        """The learner that a search has found, made as private as it claims, and its probability of
        few mistakes on its own hard sequence."""
        learner, lost, staying = self._kept(self.staying(found.laws[0]))
        law = FiniteLaw(learner, self.horizon)
        hard = hard_sequence(law)
        fewer = sum(law.distribution(hard.hits)[: len(hard.hits)], Fraction(0))
        kept = (
            w * Fraction(q) for w, q in zip(self.weights(len(hard.kept)), hard.kept, strict=True)
        )
        adversary = oblivious(hard, fewer)
        game = PrivacyGame(learner, learner.verification)
        prefixes = (leaving_learners.stream(hard.hits, n) for n in range(self.horizon))
        stayed = ", ".join(shown_up(staying[each]) for each in prefixes)
        facts = (
            ("learner", f"after 0, 1, … samples of its hard sequence it has stayed with {stayed}"),
            ("k", str(len(hard.hits))),
            ("hits", f"in the rounds {', '.join(map(str, hard.hits))}"),
            ("q₀", shown_up(Fraction(hard.kept[0])) if len(hard.kept) else "none"),
            ("P(fewer than k mistakes)", f"{fewer} ≈ {shown_up(fewer)}"),
        )
        loss = fewer - sum(kept, Fraction(0))
        return Judged((learner,), (lost,), adversary, loss, game, facts=facts)

    def staying(self, law: Doubles) -> leaving_learners.Staying:
        """The table of the probabilities of keeping f⁽⁰⁾, in rationals, mixed with that of never
        leaving f⁽⁰⁾ so that on ⊥ the learner leaves with probability at most ``beta``."""
        return leaving_learners.falling(law, self.horizon, self.beta)

    def _kept(
        self, staying: leaving_learners.Staying
    ) -> tuple[FiniteLearner, Fraction, leaving_learners.Staying]:
        """The mixture of the learner of a table and one that never leaves f⁽⁰⁾, with a weight for
        which the exact engine confirms its (ε, δ); with the mixture's δ and table."""
        while True:
            learner = leaving_learners.finite_learner(staying)
            asked = Question(learner, learner.verification, [BLANK, HIT], report=None)
            lost = asked.solve(self.epsilon, self.horizon).delta
            if lost <= self.delta:
                return learner, lost, staying
            staying = leaving_learners.rarer(
                staying, self.delta / lost
            )  # The loop seldom runs twice, as δ is convex in y.


def oblivious(hard: HardSequence, fewer: Fraction) -> StrategyAdversary:
    """An adversary that sends the samples of the hard sequence before its last hit, the same in
    both worlds, and accuses the view if the learner has left its first hypothesis."""
    rounds = hard.hits[-1] - 1
    samples = [HIT if time in hard.hits else BLANK for time in range(1, rounds + 1)]
    nodes = [
        StrategyNode(same(sample), ((0, time), (1, rounds + 1)))
        for time, sample in enumerate(samples, start=1)
    ]
    nodes += [StrategyNode(), StrategyNode(accuses=True)]
    return StrategyAdversary(tuple(nodes), 0, Fraction(0), fewer)


class PathByPath:
    """A search that finds, for each possible course of the hard sequence (``Path``), the best
    learner with this hard sequence.

    This is a linear program, so no local search is needed. If no learner has that path, the result
    is one that never leaves.
    """

    def __init__(self, pattern: MistakesPattern, size: Size) -> None:
        self._pattern, self._size = pattern, size
        self._all = list(product(leaving_learners.paths(pattern.horizon), _MARGINS))

    def climb(self, number: int, random: Generator, near: list[Doubles] | None = None) -> Climb:
        """The best learner for pair ``number`` of a course of the hard sequence and the margin of
        its choices, by linear programming; one that never leaves f⁽⁰⁾ if there is none."""
        (path, margin), asked = self._all[number], self._pattern
        claim = exp_epsilon(asked.epsilon), float(asked.delta), float(asked.beta)
        count = leaving_learners.streams(asked.horizon)
        slope = leaving_learners.fewer_mistakes(
            path.hits, path.blocks, asked.weights(len(path.blocks)), count
        )
        try:
            law = leaving_learners.leaving_program(asked.horizon, *claim, path, margin).best(slope)
        except Intractable:
            law = np.ones(count)
        return Climb(self._size, float(asked.difference(asked.staying(law))), [law])
