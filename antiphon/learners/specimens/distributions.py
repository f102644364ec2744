"""Example mechanisms and learners ("specimens") for locally private labels, for the self-check; and
broken twins of them, with too little noise or without privacy."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

import attrs
import numpy as np

from antiphon.composition import ComplexMechanism, ExtConComp, guarantee
from antiphon.learners import distribution
from antiphon.learners.distribution.local_mixture import Mixing
from antiphon.learners.specimens import TwinExchange, TwinMechanism
from antiphon.populations.array_columns import int64s
from antiphon.protocol import TOP, Ask, Coins, Exchanged, Integers, Pair, Tuples, register, same
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.selfcheck.corpus import specimen
from antiphon.selfcheck.corpus.entry import Entry, Truth, saying

_OUTSIDE: Final = (-1, 4, True, 0.0, "0", None, (0,), np.array([0]))
_NOT_USERS: Final = (
    0, (0, 4), (0, -1), (1, 0), (0, True), (0, 1.0), (0,), (0, 0, 0), [0, 1],
    (distribution.PREDICT, 1), (distribution.PREDICT,), ("advice", 0), distribution.PREDICT, None,
)  # fmt: skip
_TWO: Final = distribution.Hypotheses([[[0.5, 0.3, 0.2, 0.0], [0.0, 0.0, 0.3, 0.7]]])
_CLIPPING: Final = distribution.ClippingMap(_TWO, clip=Fraction(1, 100), grid=8)
_COARSE: Final[dict[str, Any]] = {"hypotheses": _TWO, "horizon": 100, "grid": 8}


def specimens() -> Iterator[specimen.Specimen]:
    """The examples of label responses, and of the learners that use them."""
    yield _one_score()
    yield _all_scores()
    yield _mixture()
    yield _knockout()


def _one_score() -> specimen.Specimen:
    one = distribution.OneScore(clipping=_CLIPPING, context=0, epsilon=1)
    half = distribution.ClippingMap(_ROUNDED_UP, clip=Fraction(1, 10), grid=64)
    enough, printed = (
        kind(clipping=half, context=0, epsilon=2) for kind in (distribution.OneScore, printed_scale)
    )
    player, claim = specimen.numbers(0, 3), enough.claims[0]
    rows = specimen.slow(
        specimen.as_claimed("one score", one, player),
        specimen.broken(
            "one score, chosen by the label", WhichByLabel(one), one.claims[0], player,
            Truth(math.inf),
        ),
    )  # fmt: skip
    less = specimen.broken(
        "one score with noise for ln(KT)", printed, claim, specimen.numbers(0, 9), Truth(2.27877)
    )
    less = attrs.evolve(less, samples=9_900, thorough=40_000)
    return specimen.Specimen(specimen.Example(one, _OUTSIDE), *rows, less)


def _all_scores() -> specimen.Specimen:
    given: dict[str, Any] = {"clipping": _CLIPPING, "context": 0, "epsilon": 1, "delta": 0.01}
    every = distribution.AllScores(**given)
    player = specimen.numbers(0, 3)
    # Unless the clipping map draws a uniform label, the twin reveals the difference of the two
    # scores exactly.
    told = Truth(delta=0.98)
    claim = every.claims[0]
    rows = specimen.slow(
        specimen.as_claimed("all scores", every, player),
        specimen.broken("all scores with one noise", OneNoise(every), claim, player, told),
    )
    return specimen.Specimen(specimen.Example(every, _OUTSIDE), *rows)


def _mixture() -> specimen.Specimen:
    channels = (
        distribution.OneCoordinate(epsilon=1),
        distribution.AllCoordinates(epsilon=1, delta=0.01),
        distribution.WholeLabel(epsilon=1),
    )
    one, every, label = (
        distribution.LocalMixture(channel=channel, **_COARSE) for channel in channels
    )
    link = specimen.Link(
        part=one, right=ExtConComp(), queries=one.signature(_ANY).updates,
        answers=Tuples((Integers(0, 1), Integers(-9, 9))),
    )  # fmt: skip
    examples = [
        specimen.Example(ComplexMechanism(each), _NOT_USERS) for each in (one, every, label)
    ]
    player = saying("label 0 | 3, asked", [Pair((0, 0), (0, 3)), same((distribution.PREDICT, 0))])
    rows = specimen.derived(
        "a local mixture", ComplexMechanism(one),
        "a local mixture that looks at the label", ComplexMechanism(PeekingMixture(one)),
        player, Truth(math.inf),
    )  # fmt: skip
    return specimen.Specimen(link, *examples, *specimen.slow(*rows))


def _knockout() -> specimen.Specimen:
    part = distribution.ScheffeKnockout(hypotheses=_TWO, horizon=3, epsilon=1)
    link = specimen.Link(
        part=part, right=ExtConComp(), queries=part.signature(_ANY).updates, answers=Integers(0, 1)
    )
    system = ComplexMechanism(part)
    player = saying("label 0 | 3, thrice", [Pair((0, 0), (0, 3)), *[same((0, 0))] * 2,
                                           same((distribution.PREDICT, 0))])  # fmt: skip
    claim = guarantee(system).claim()
    once = saying("label 0 | 3", [Pair((0, 0), (0, 3)), same((distribution.PREDICT, 0))])
    loud = ComplexMechanism(attrs.evolve(part, horizon=1, epsilon=4))
    rows = (
        Entry("a knockout of tests", system, claim, (player,), specimen.UNKNOWN),
        specimen.broken("a knockout with four times the ε", loud, claim, once, Truth(4.0)),
    )
    examples = link, specimen.Example(system, _NOT_USERS, finite=True)
    return specimen.Specimen(*examples, *specimen.slow(*rows))


_ANY: Final[Any] = None
"""A stand-in for the signature of the mechanism on the right, which these learners ignore."""
_ROUNDED_UP: Final = distribution.Hypotheses([[[0.1, *[0.1125] * 8, 0.0]]])
"""Hypotheses for which the clipping map has N' = 18 finer labels, more than the LDP paper's bound
KM = 10 for K = 1 hypothesis on M = 10 labels, which overlooks that numbers are rounded up."""


@register("antiphon.corpus.WhichByLabel/1")
@attrs.frozen
class WhichByLabel(TwinMechanism, NoninteractiveMechanism[int, Any]):
    """A broken ``OneScore`` in which the label, not a random draw, decides which hypothesis its
    answer names."""

    def respond(self, dataset: int, coins: Coins) -> tuple[int, int]:
        _, score = self.honest.respond(dataset, coins)
        return dataset % self.honest.clipping.hypotheses.count, score


def printed_scale(
    *, clipping: distribution.ClippingMap, context: int, epsilon: float
) -> distribution.OneScore:
    """The mechanism ``OneScore`` for ε, but with the noise of the LDP paper, which is too little:
    its scale is ln(K/c)/ε for K hypotheses and the clipping probability c (there 1/T)."""
    printed = Fraction(math.log(clipping.hypotheses.count / clipping.clip) / clipping.width)
    larger = Fraction(epsilon) / printed
    return distribution.OneScore(clipping=clipping, context=context, epsilon=larger)


@register("antiphon.corpus.OneNoise/1")
@attrs.frozen
class OneNoise(TwinMechanism, NoninteractiveMechanism[int, Any]):
    """A broken ``AllScores`` that adds the same noise to all scores."""

    def respond(self, dataset: int, coins: Coins) -> Any:
        clipping, context = self.honest.clipping, self.honest.context
        fine = clipping.drawn(context, dataset, coins)
        noise = coins.discrete_laplace(self.honest.scale)
        return int64s([score + noise for score in clipping.scores[context, fine].tolist()])


@register("antiphon.corpus.PeekingMixture/1")
@attrs.frozen
class PeekingMixture(TwinExchange):
    """A broken ``LocalMixture`` that learns from the exact score of the user's label instead of the
    private answer."""

    def exchange(self, state: Mixing, message: Any) -> Exchanged[Mixing]:
        (context, label), learner = message, self.honest
        if type(context) is str:
            return state, learner.predicted(state, label)
        yield learner.creation(state, context)
        yield Ask(label, state.users)
        seen = 0, int(learner.clipping.scores[context, label, 0])
        return learner.learned(state, context, seen), TOP
