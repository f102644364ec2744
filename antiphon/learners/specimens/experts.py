"""Example learners ("specimens") of experts, for the self-check, and broken twins of them.

The twins never leave an expert without a loss, decide too often, use one coin twice, or read the
losses.
"""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

import attrs
import numpy as np

from antiphon import learners
from antiphon.composition import ComplexMechanism, ExtConComp, guarantee
from antiphon.learners.experts.lazy import LazyDartboard
from antiphon.learners.experts.lazy_policy import Following
from antiphon.learners.experts.noisy_leader import Led
from antiphon.learners.experts.weighted import Holding, Softmax, times
from antiphon.learners.l2p import ExponentialWeights, Printed, Repaired
from antiphon.learners.l2p.lazy_to_private import PairedExperts
from antiphon.learners.learner import Losses
from antiphon.learners.specimens import Altered, TwinExchange, TwinMechanism, TwinProcessor
from antiphon.mechanisms import DiscreteLaplace, TreeCounter
from antiphon.numbers.exact import Log, exp
from antiphon.protocol import TOP, Coins, Exchanged, Pair, column_safe, register, same
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.cursor import LEFT, RIGHT, Side
from antiphon.protocol.spaces import BITS, Arrays, Either, Finite
from antiphon.selfcheck.corpus import specimen
from antiphon.selfcheck.corpus.entry import Entry, Truth, saying

_ZERO: Final = np.array([1, 0])
"""The losses of a round in which only expert 0 loses."""
_ONE: Final = np.array([0, 1])
_NONE: Final = np.array([0, 0])
_ASKED: Final = same(learners.ADVICE)
_TOLD: Final = saying("10 | 00, asked", [_ASKED, Pair(_ZERO, _NONE), _ASKED])
_LAZY: Final[dict[str, Any]] = {"horizon": 2, "experts": 2, "rate": Log(5), "cost": 2}
_LEAVES: Final = Truth(math.inf, delta=1 / 2 * 4 / 5 * 5 / 6)
"""The true ε and δ of a lazy learner without the cost c: ε is infinite, and δ the probability that
it follows expert 0, leaves it after a loss that comes in one world only, and draws expert 1."""
_LOOKS: Final = Truth(math.log(5), delta=1 / 2 - math.e / 10)
"""The true ε and δ of softmax on exact losses, which follows expert 0 with probability 1/10 in one
world and 1/2 in the other."""


def specimens() -> Iterator[specimen.Specimen]:
    """The example learners of experts for the self-check: Hedge, dartboards, lazy experts, noisy
    leaders and L2P."""
    yield specimen.Specimen(_of_two(learners.Hedge), _of_two(learners.Hedge, rate=0.3))
    yield specimen.Specimen(_of_two(learners.ShrinkingDartboard))
    yield _softmax()
    yield _lazy()
    yield _stay_bit(learners.LazyExperts(**_LAZY))
    yield _lazy_policy(learners.LazyExperts(**_LAZY))
    yield _leader()
    yield _dartboard()
    yield _l2p()


def _of_two(kind: Any, **parameters: Any) -> specimen.Example:
    learner = kind(**{"horizon": 8, "experts": 2, "rate": Log(2), **parameters})
    return specimen.Example(learner, specimen.NOT_LOSSES, finite="rate" not in parameters)


def _softmax() -> specimen.Specimen:
    """The example of ``Softmax`` on the left of a single noisy answer, with its broken twin."""
    softmax, peeks = Softmax(rate=Log(9)), PeekingSoftmax(Softmax(rate=Log(9)))
    noisy = DiscreteLaplace(epsilon=1, dimension=2)
    sums = Arrays((2,), "int64", -9, 9)
    asked = saying("10 | 00", [Pair(_ZERO, _NONE)])
    rows = specimen.derived(
        "softmax of noisy sums", softmax @ noisy,
        "softmax that looks at the loss", peeks @ noisy, asked, _LOOKS,
    )  # fmt: skip
    link = specimen.Link(part=softmax, right=noisy, queries=sums, answers=sums)
    return specimen.Specimen(link, *specimen.slow(*rows))


def _lazy() -> specimen.Specimen:
    several = (
        _of_two(learners.LazyExperts, cost=1),
        _of_two(learners.LazyExperts, cost=1, batch=3),
        _of_two(learners.LazyExperts, rate=0.3, cost=0.7),
    )
    honest = learners.LazyExperts(**_LAZY)
    rows = specimen.derived(
        "lazy experts", honest, "lazy experts that never leave for nothing", costless(honest),
        _TOLD, _LEAVES, specimen.DELTA,
    )  # fmt: skip
    return specimen.Specimen(*several, *specimen.slow(*rows))


def _stay_bit(learner: learners.LazyExperts) -> specimen.Specimen:
    """The example of ``StayBit``, with its broken twin, which leaves an expert without a loss
    never, and an expert with a loss with probability 4/5."""
    bit, leaves = learners.StayBit(learner), Truth(math.inf, delta=4 / 5)
    rows = specimen.derived(
        "a decision to stay", bit,
        "a decision to stay that costs nothing", CostlessBit(bit),
        specimen.numbers(0, 1), leaves, specimen.DELTA,
    )  # fmt: skip
    return specimen.Specimen(
        specimen.Example(bit, specimen.NOT_BITS[1:], finite=True), *specimen.slow(*rows)
    )


def _lazy_policy(learner: learners.LazyExperts) -> specimen.Specimen:
    """The example of ``LazyPolicy`` on the left of ExtConComp, with its broken twin."""
    policy = learners.LazyPolicy(attrs.evolve(learner, horizon=8, cost=1), draws=2)
    losses = Arrays((2,), "int64", 0, 1)
    link = specimen.Link(
        part=policy, right=ExtConComp(), queries=Either((losses, Finite((learners.ADVICE,)))),
        answers=BITS, hops=8,
    )  # fmt: skip
    whole = specimen.Example(
        ComplexMechanism(policy), ("count", (0, 1), np.array([0, 2])), finite=True
    )
    asked = learners.LazyPolicy(learner, draws=1)
    system, unasked = ComplexMechanism(asked), ComplexMechanism(StaysUnasked(asked))
    # As lazy experts do, the policy draws anew after a loss with probability 1 - 5^(-3) = 124/125.
    leaves = Truth(math.inf, delta=1 / 2 * 124 / 125 * 5 / 6)
    rows = specimen.derived(
        "lazy experts of parts", system,
        "lazy experts of parts, of which one is not asked", unasked, _TOLD, leaves, specimen.DELTA,
    )  # fmt: skip
    return specimen.Specimen(link, whole, *specimen.slow(*rows, *_of_one()))


def _of_one() -> Iterator[Entry]:
    """Cases of the self-check: broken copies of ``LazyExperts`` with its claim."""
    often = saying("10 | 01, asked six times", [_ASKED, Pair(_ZERO, _ONE), *[_ASKED] * 6])
    second = [_ASKED, same(_ZERO), _ASKED, Pair(_ZERO, _ONE), _ASKED]
    for name, kind, horizon, player, delta in (
        ("lazy experts that decide when asked", DecidesWhenAsked, 2, often, 0.80497),
        ("lazy experts with one coin", OneCoin, 3, saying("10, then 10 | 01, asked", second),
         0.41984),
    ):  # fmt: skip
        honest = learners.LazyExperts(**{**_LAZY, "horizon": horizon})
        claim = guarantee(honest).claim(delta=specimen.DELTA)
        yield specimen.broken(name, kind(honest), claim, player, Truth(delta=delta))


def _leader() -> specimen.Specimen:
    leader = learners.NoisyLeader(
        rate=Log(9), counter=TreeCounter(horizon=1, epsilon=1, dimension=2)
    )
    asked = saying("10 | 00, then asked", [Pair(_ZERO, _NONE), _ASKED])
    rows = specimen.derived(
        "a noisy leader",
        leader,
        "a noisy leader that looks at the loss",
        PeekingLeader(leader),
        asked,
        _LOOKS,
    )
    longer = learners.NoisyLeader(rate=0.3, counter=TreeCounter(horizon=8, epsilon=1, dimension=2))
    examples = tuple(specimen.Example(each, specimen.NOT_LOSSES) for each in (longer, leader))
    return specimen.Specimen(*examples, *specimen.slow(*rows))


def _dartboard() -> specimen.Specimen:
    honest = learners.PrivateDartboard(**_LAZY, draws=1)
    rows = specimen.derived(
        "a private dartboard", honest, "a dartboard that never leaves for nothing",
        costless(honest), _TOLD, _LEAVES, specimen.DELTA,
    )  # fmt: skip
    examples = (
        _of_two(learners.PrivateDartboard, cost=1, draws=2),
        _of_two(learners.PrivateDartboard, cost=0.7, draws=2, rate=0.3),
    )
    return specimen.Specimen(*examples, *specimen.slow(*rows))


def _l2p() -> specimen.Specimen:
    """The examples of L2P (lazy to private), with each accounting."""
    tail = Fraction(1, 1000)
    small: dict[str, Any] = {"rate": Log(Fraction(101, 100)), "horizon": 8}
    several = (
        of_two(horizon=8),
        of_two(horizon=8, batch=3, margin=1),
        of_two(rate=0.3, horizon=8, batch=2),
        of_two(**small, accounting=Printed(tail=tail)),
        of_two(**small, accounting=Repaired(tail=tail)),
    )
    examples = tuple(
        specimen.Example(each, specimen.NOT_LOSSES, finite=isinstance(each.measures.rate, Log))
        for each in several
    )
    honest, reused = (
        of_two(kind, rate=Log(2), fakes=0.01) for kind in (learners.LazyToPrivate, Reused)
    )
    # The event that distinguishes the worlds best: the advice is 1 before the loss and 0 after it.
    growth = math.exp(guarantee(honest).claim(delta=specimen.DELTA).parameters[0])
    known = Truth(math.log(1349 / 214), delta=2309 / 9600 - growth * 107 / 4800)
    asked = saying("10 | 01, asked", [_ASKED, Pair(_ZERO, _ONE), _ASKED])
    slip = "L2P that draws with the coin it stayed by"
    rows = specimen.derived("L2P", honest, slip, reused, asked, known, specimen.DELTA)
    return specimen.Specimen(*examples, *specimen.slow(*rows))


def of_two(kind: type[PairedExperts] = learners.LazyToPrivate, **changed: Any) -> PairedExperts:
    """A small L2P learner on exponential weights, whose runs can be enumerated; it has two experts
    by default."""
    rate, experts = changed.pop("rate", Log(Fraction(11, 10))), changed.pop("experts", 2)
    weights = ExponentialWeights(experts=experts, rate=rate)
    parameters: dict[str, Any] = {"measures": weights, "horizon": 2, "fakes": Fraction(3, 10)}
    return kind(**parameters | changed)


# --- broken twins of learners of experts ----------------------------------------------------------


@register("antiphon.corpus.PeekingSoftmax/1")
@column_safe
@attrs.frozen
class PeekingSoftmax(TwinProcessor):
    """A broken ``Softmax`` that uses the last loss itself instead of the noisy sums."""

    forwards_queries = True

    def step(
        self, state: Any, side: Side, message: object, coins: Coins
    ) -> tuple[Any, Side, object]:
        if side is LEFT:
            return message, RIGHT, message
        return self.honest.step(None, side, state, coins)  # type: ignore[no-any-return]


@register("antiphon.corpus.PeekingLeader/1")
@column_safe(of="honest")
@attrs.frozen
class PeekingLeader(TwinMechanism):
    """A broken ``NoisyLeader`` that uses the last loss itself instead of the noisy sums."""

    def step(self, state: Led, message: Any, coins: Coins) -> tuple[Led, Any]:
        after, answer = self.honest.step(state, message, coins)
        if type(message) is not str:
            after = after._replace(expert=self.honest.softmax.drawn(message, coins))
        return after, answer


def costless(learner: LazyDartboard) -> Altered:
    """A broken copy of a lazy learner, without the cost c: it always keeps an expert that lost
    nothing."""
    known = range(learner.batch * learner.grid + 1)
    exponents = tuple(times(learner.unit, loss) for loss in known)
    return Altered(learner, (("_exponents", exponents),))


@register("antiphon.corpus.CostlessBit/2")
@attrs.frozen
class CostlessBit(TwinMechanism, NoninteractiveMechanism[int, int]):
    """A broken ``StayBit`` without the cost c: after the loss L it answers 1 (stay) with
    probability e^(-ηL), so always if L = 0."""

    def respond(self, dataset: int, coins: Coins) -> int:
        return int(coins.bernoulli_exp(times(self.honest.learner.unit, dataset)))


@register("antiphon.corpus.DecidesWhenAsked/1")
@attrs.frozen
class DecidesWhenAsked(TwinMechanism):
    """A broken ``LazyExperts`` that decides on each query for advice whether to keep its expert: so
    one loss can be used for any number of decisions."""

    def step(self, state: Holding, message: Any, coins: Coins) -> tuple[Holding, Any]:
        state, expert = self.honest.step(state, learners.ADVICE, coins)
        if type(message) is not str:
            scores = state.scores - message
            return Holding(state.rounds + 1, scores, expert, int(message[expert])), TOP
        if state.rounds and not coins.bernoulli_exp(self.honest.exponent(state.batch)):
            expert = coins.categorical_exp(self.honest.unit, state.scores.view(np.ndarray))
        return state._replace(expert=expert), expert


@register("antiphon.corpus.OneCoin/1")
@attrs.frozen
class OneCoin(TwinMechanism):
    """A broken ``LazyExperts`` that uses one uniform number u twice: after a batch with loss L to
    draw anew if u >= e^(-η(c+L)), η its rate and c its cost, and to select the new expert.

    Of two experts, with a rate ``Log(q)``.
    """

    def step(self, state: Holding, message: Any, coins: Coins) -> tuple[Holding, Any]:
        learner: learners.LazyExperts = self.honest
        state, expert = learner.step(state, learners.ADVICE, coins)
        if type(message) is str:
            return state, expert
        rounds, scores = state.rounds + 1, state.scores - message
        batch = state.batch + int(message[expert])
        if rounds % learner.batch or rounds == learner.horizon:
            return Holding(rounds, scores, expert, batch), TOP
        exponent, unit, (zero, one) = learner.exponent(batch), learner.unit, scores.tolist()
        assert isinstance(exponent, Log)
        assert isinstance(unit, Log)
        stays, first = 1 / exponent.argument, 1 / (1 + unit.argument ** (one - zero))
        drawn = max(first, stays) - stays
        told = coins.categorical((stays, drawn, 1 - stays - drawn))
        return Holding(rounds, scores, (expert, 0, 1)[told]), TOP


@register("antiphon.corpus.StaysUnasked/1")
@attrs.frozen
class StaysUnasked(TwinExchange):
    """A broken ``LazyPolicy`` that makes no decision after a batch without a loss: so the
    destination of its messages depends on the data.

    For one decision.
    """

    passes_halt = True

    def exchange(self, state: Following, message: Any) -> Exchanged[Following]:
        lost = type(message) is not str and message[state.expert or 0]
        asks = type(message) is str or lost or bool(state.batch)
        told = state if asks else state._replace(refused=True)
        honest: Exchanged[Following] = self.honest.exchange(told, message)
        state, answer = yield from honest
        if asks:
            return state, answer
        return state._replace(refused=False), answer


@register("antiphon.corpus.Reused/1")
@attrs.frozen(kw_only=True)
class Reused(PairedExperts):
    """A broken L2P learner that uses one uniform number V twice: to decide whether the followed
    expert is kept, and to select the new one.

    For ``rate=Log(…)``.
    """

    def _decided(
        self, pair: tuple[int, int], begun: tuple[int, int], scores: Losses, coins: Coins
    ) -> tuple[int, int]:
        x, y = pair
        stay = 1 / Fraction(exp(self._exponent(pair, begun, scores)))
        zero = self._chance(scores)
        ends = sorted({Fraction(0), stay, zero, Fraction(1)})
        widths = [high - low for low, high in itertools.pairwise(ends)]
        v = ends[coins.categorical(widths)]
        if not (v < stay and coins.bernoulli(1 - self.fakes)):
            x = int(v >= zero)
        if not coins.bernoulli(1 - self.fakes):
            y = self._drawn(scores, coins)
        return x, y

    def _chance(self, scores: Losses) -> Fraction:
        """The probability with which the first of the two experts is drawn, given their scores."""
        apart = int(scores[0]) - int(scores[1])
        ratio = Fraction(exp(times(self.unit, abs(apart))))
        return ratio / (1 + ratio) if apart > 0 else 1 / (1 + ratio)
