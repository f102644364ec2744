"""Example learners ("specimens") whose mistakes are counted, for the self-check, and broken twins
of them."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

import attrs

from antiphon.composition import ComplexMechanism, ExtConComp
from antiphon.learners import littlestone
from antiphon.learners.littlestone.counting_learners import Counted
from antiphon.learners.littlestone.mistake_learner import MistakeLearner, Sample, samples
from antiphon.learners.littlestone.point_learner import Seen
from antiphon.learners.specimens import TwinExchange
from antiphon.mechanisms import AboveThreshold, PermuteAndFlip, TreeCounter
from antiphon.protocol import BOTTOM, TOP, Coins, Exchanged, Pair, column_safe, register, same
from antiphon.protocol.spaces import Either, Finite, Integers
from antiphon.selfcheck.corpus import specimen
from antiphon.selfcheck.corpus.entry import Player, Truth, saying
from antiphon.selfcheck.corpus.specimen import Example, Link, Specimen

_OUTSIDE: Final = ((0, 1), (1, 2), (2, 1), (1,), [1, 1], (True, True), (1.0, 1), 1, "11", None)


def _first_differs(blanks: int) -> Player:
    return saying(
        f"⊥ | (1, 1), and {blanks} times ⊥",
        [Pair(littlestone.BLANK, littlestone.HIT), *[same(littlestone.BLANK)] * blanks],
    )


def specimens() -> Iterator[Specimen]:
    """The example learners: name and shame, halving, a table, and learners on a sparse vector, on a
    tree counter, and on a sparse vector with an argmax."""
    yield _name_and_shame()
    yield Specimen(
        Example(littlestone.Halving(), _OUTSIDE, finite=True),
        Example(littlestone.Halving(points=3), finite=True),
    )
    third, rest, stays = (Fraction(1, 3), Fraction(2, 3)), (1, 0), (0, 1)
    table = ((third, rest, stays), (stays, third, third))
    yield Specimen(
        Example(littlestone.FiniteLearner(labels=(0, 1), table=table), _OUTSIDE, finite=True)
    )
    yield _once_above()
    yield _count_is_above()
    yield _point_learner()


def _name_and_shame() -> Specimen:
    names, often = (kind(delta=Fraction(1, 10)) for kind in (littlestone.NameAndShame, TossesAgain))
    player = _first_differs(5)
    # In the twin a sample (1, 1) joins the set, which reveals it, with probability 0.1 in each of
    # six rounds.
    joins = Truth(math.inf, delta=1 - 0.9**6)
    return Specimen(
        Example(names, _OUTSIDE, finite=True),
        Example(littlestone.NameAndShame(delta=0.5, points=3), ((4, 1), (0, 1)), finite=True),
        specimen.as_claimed("name and shame", names, player, Truth(0.0, delta=0.1)),
        specimen.broken("name and shame, tossed for again", often, names.claims[0], player, joins),
    )


@register("antiphon.corpus.TossesAgain/1")
@column_safe
@attrs.frozen(kw_only=True)
class TossesAgain(MistakeLearner[int]):
    """A broken ``NameAndShame`` that draws every round whether an old sample joins the set.

    State: -x while the sample (x, 1) waits, x once it has joined.
    """

    delta: Fraction

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state: int, message: Sample, coins: Coins) -> tuple[int, int]:
        waiting = state or -message[0] * message[1]
        joined = coins.bernoulli(self.delta) and waiting < 0
        state = -waiting if joined else waiting
        return state, max(state, 0)


def _once_above() -> Specimen:
    above = AboveThreshold(epsilon=1, threshold=3, monotone=True)
    rows = specimen.derived(
        "sparse-vector learner", (honest := littlestone.OnceAbove()) @ above,
        "sparse-vector learner, counts five times too large", HeavyCounts(honest) @ above,
        _first_differs(5), Truth(_HEAVY),
    )  # fmt: skip
    link = Link(part=honest, right=above, queries=samples(), answers=Finite((TOP, BOTTOM)))
    return Specimen(link, *specimen.slow(*rows))


_HEAVY: Final = 2.3023
"""The true ε of ``HeavyCounts``: the log-ratio of the probabilities of no ⊤ in six rounds, for the
count 0 and for the count 5."""


@register("antiphon.corpus.HeavyCounts/1")
@attrs.frozen
class HeavyCounts(TwinExchange):
    """A broken ``OnceAbove`` that counts each sample (1, 1) five times."""

    def exchange(self, state: Counted, message: Sample) -> Exchanged[Counted]:
        hits, found = state
        hits += 5 * (message == littlestone.HIT)
        found = found or (yield hits) is TOP
        return Counted(hits, found), int(found)


def _count_is_above() -> Specimen:
    counter = TreeCounter(horizon=8, epsilon=1)
    rows = specimen.derived(
        "tree-counter learner", (honest := littlestone.CountIsAbove(1)) @ counter,
        "tree-counter learner without the noise", CountsItself(honest) @ counter,
        _first_differs(0), Truth(math.inf, delta=1),
    )  # fmt: skip
    answers = Either((Finite((TOP,)), Integers(-3, 9)))
    link = Link(part=littlestone.CountIsAbove(2), right=counter, queries=samples(), answers=answers)
    return Specimen(link, *specimen.slow(*rows))


@register("antiphon.corpus.CountsItself/1")
@attrs.frozen
class CountsItself(TwinExchange):
    """A broken ``CountIsAbove`` that ignores the counter and answers its last sample's bit."""

    def exchange(self, state: None, message: Sample) -> Exchanged[None]:
        yield 0
        return None, int(message == littlestone.HIT)


def _point_learner() -> Specimen:
    above = AboveThreshold(epsilon=Fraction(1, 2), threshold=-40)
    # The argmax has six candidates, so there are too many runs to enumerate.
    argmax = PermuteAndFlip(epsilon=Fraction(1, 2), candidates=6)
    private = littlestone.PointLearner(above=above, argmax=argmax)
    answers = Either((Finite((TOP, BOTTOM)), Integers(0, 5)))
    link = Link(part=private, right=ExtConComp(), queries=samples(6), answers=answers, hops=4)
    rows = specimen.derived(
        "SVT and argmax", ComplexMechanism(private),
        "SVT and argmax without the noise of the argmax", ComplexMechanism(SureLearner(private)),
        saying("(1, 1) | (2, 1)", [Pair(littlestone.HIT, (2, 1))]), Truth(math.inf, delta=_BELOW),
    )  # fmt: skip
    return Specimen(link, *specimen.slow(*rows))


_BELOW: Final = 0.99629
"""The probability that a sparse vector with the threshold -40 answers ⊤ at once."""


@register("antiphon.corpus.SureLearner/1")
@attrs.frozen
class SureLearner(TwinExchange):
    """A broken ``PointLearner`` that takes the exact argmax instead of a noisy argmax."""

    def exchange(self, state: Seen, message: Sample) -> Exchanged[Seen]:
        counts, _, _ = state
        honest: Exchanged[Seen] = self.honest.exchange(state, message)
        found, hypothesis = yield from honest
        if hypothesis:
            x, positive = message
            told = [count + (positive and place == x) for place, count in enumerate(counts, 1)]
            hypothesis = told.index(max(told)) + 1
        return found, hypothesis
