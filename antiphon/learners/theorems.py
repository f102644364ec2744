"""Checks of theorems on learners: the privacy of L2P and of users' labels, and the price of privacy
in mistakes.

L2P with two experts is tested against adaptive adversaries, and on fixed streams. Users' reports of
a label (LDP paper, Alg. 2) are tested with noise for the range of scores, and with less. For
mistakes: name and shame, and the lemma of the lower bound.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Any, Final

import numpy as np

from antiphon.audit.exact.question import Question
from antiphon.learners import ADVICE, LazyToPrivate, littlestone
from antiphon.learners.distribution import ClippingMap, Hypotheses, OneScore
from antiphon.learners.l2p import ExponentialWeights
from antiphon.learners.learner import Losses
from antiphon.learners.littlestone.mistake_learner import BLANK, HIT, MistakeLearner, Sample
from antiphon.learners.mistakes import FiniteLaw, HardSequence, hard_sequence
from antiphon.numbers.exact import Log, epsilon
from antiphon.protocol import TOP, Coins, outcomes
from antiphon.protocol.provenance import nothing_proved_in
from antiphon.selfcheck.theorems.finite import FiniteResponse
from antiphon.selfcheck.theorems.theorem import Bound, Check, Evidence, Standing, private
from antiphon.verifiers.models import neighbouring_start

# claims that broken twins inherit from honest learners never count as proved
nothing_proved_in(__name__)

SECTION = (8, 1)


def checks() -> Iterable[Check]:
    """The checks of theorems on learners, as ``antiphon verify`` runs them."""
    return chain(_checks_of_l2p(), _checks_of_labels(), _checks_of_mistakes())


# --- checks of L2P (lazy to private) --------------------------------------------------------------

L2P: Final = "L2P Alg. 1"
GROWTH: Final = Fraction(11, 10)
"""The number e^η = e^ε = 11/10, for the learning rate η and the tested ε."""
LEARNER: Final = LazyToPrivate(
    measures=ExponentialWeights(experts=2, rate=Log(GROWTH)), horizon=2, fakes=Fraction(3, 10)
)
LOSSES: Final = tuple(np.array(each) for each in itertools.product((0, 1), repeat=2))
FIXED, LISTENING = Fraction(7, 484), Fraction(7, 242)


def _checks_of_l2p() -> Iterator[Check]:
    size = "two experts, T = 2, p = 3/10, e^η = 11/10"
    yield Check(L2P, f"{size}: two streams that are fixed", _streams)
    row = Check(L2P, f"{size}: adaptive adversaries", _adaptive)
    yield row
    yield row.twin(f"{size}: as if adaptivity told no more", delta=FIXED)


def _adaptive(*, delta: Fraction = LISTENING) -> Evidence:
    claimed = [(epsilon(Log(GROWTH)), delta)]
    queries = [*LOSSES, ADVICE]
    return private(LEARNER, LEARNER.verification, claimed, rounds=3, exactly=True,
                   queries=queries)  # fmt: skip


def _streams() -> Evidence:
    """The evidence that L2P is private on pairs of fixed streams that differ in one loss, with
    advice asked before and after the loss.

    It lists δ between each two laws.
    """
    laws = [_law([ADVICE, loss, ADVICE]) for loss in LOSSES]
    pairs = list(itertools.permutations(range(len(laws)), 2))
    found = [_excess(laws[zero], laws[one]) for zero, one in pairs]
    tight = max(found)
    zero, one = pairs[found.index(tight)]
    adversary = f"losses {LOSSES[zero].tolist()} against {LOSSES[one].tolist()}"
    claimed = ((epsilon(Log(GROWTH)), FIXED),)
    return Evidence(claimed, (tight,), adversary, relation=Standing.EQUAL)


Law = dict[tuple[object, ...], Fraction]


def _excess(zero: Law, one: Law) -> Fraction:
    rest = (p - GROWTH * one.get(answers, Fraction(0)) for answers, p in zero.items())
    return sum((max(Fraction(0), each) for each in rest), Fraction(0))


def _law(messages: Sequence[str | Losses]) -> Law:
    """The exact law of the answers of ``LEARNER`` to these messages, in which None stands for ⊤."""

    def play(coins: Coins) -> tuple[object, ...]:
        state: Any = LEARNER.initial_state
        answers: list[object] = []
        for message in messages:
            state, answer = LEARNER.step(state, message, coins)
            answers.append(None if answer is TOP else answer)
        return tuple(answers)

    found: Law = {}
    for chance, answers in outcomes(play):
        found[answers] = found.get(answers, Fraction(0)) + chance
    return found


# --- checks of users' labels ----------------------------------------------------------------------

GRID: Final = 4
CLIPPING: Final = ClippingMap(
    Hypotheses([[[0.5, 0.3, 0.2, 0.0], [0.0, 0.0, 0.3, 0.7]]]), clip=Fraction(1, 100), grid=GRID
)
"""A clipping map whose scores have range Λ = 5.411, above ln(KT) = 5.298 (the range in the LDP
paper) for K = 2 hypotheses and T = 100 users; it has N' = 9 finer labels."""


def _checks_of_labels() -> Iterator[Check]:
    for ratio in (Fraction(31, 32), Fraction(3, 4)):
        size = f"2 hypotheses of 4 labels, ε = {-GRID * math.log(ratio):.3f}"
        row = Check("LDP Alg. 2", f"{size}: noise for the range Λ", partial(_scored, ratio))
        yield row
        if ratio == Fraction(31, 32):
            yield row.twin(f"{size}: noise for ln(KT)", printed=True)


class _Silent(Coins):
    """Coins that draw 0 for discrete Laplace noise, and take all other draws from ``coins``."""

    __slots__ = ("coins",)

    def __init__(self, coins: Coins) -> None:
        super().__init__()
        self.coins = coins

    def draw(self, kind: str, parameter: object) -> Any:
        return 0 if kind == "discrete_laplace" else self.coins.draw(kind, parameter)


def _scored(ratio: Fraction, *, printed: bool = False) -> Evidence:
    """The evidence that ``OneScore`` is ε-DP; its noise z has weights ratio^|z|, so that e^ε =
    ratio^(-GRID); if ``printed``, with the noise in the LDP paper, which is too little.

    The ratio is then rounded up, which makes the noise larger, and more private.
    """
    response = OneScore(clipping=CLIPPING, context=0, epsilon=1)
    noise = ratio
    if printed:
        less: float = CLIPPING.width / math.log(CLIPPING.hypotheses.count / CLIPPING.clip)
        noise = Fraction(math.ceil(math.pow(ratio, less) * 2**20), 2**20)
    rows = [list(_score_law(response, label, noise)) for label in range(4)]
    unit = math.lcm(*(weight.denominator for row in rows for weight in row))
    weights = tuple(tuple(int(weight * unit) for weight in row) for row in rows)
    at = epsilon(Log(ratio**-GRID))
    return private(FiniteResponse(weights), neighbouring_start(), [(at, Fraction(0))], rounds=1)


def _score_law(response: OneScore, label: int, ratio: Fraction) -> Iterator[Fraction]:
    """The probabilities of the answers (j, z) of ``OneScore`` to this label: for each j, of z = 0,
    …, GRID, of all z below 0 and of all z above GRID, where all laws fall alike."""
    centres: dict[tuple[int, int], Fraction] = {}
    for chance, told in outcomes(lambda coins: response.respond(label, _Silent(coins))):
        centres[told] = centres.get(told, Fraction(0)) + chance
    for which in range(CLIPPING.hypotheses.count):
        here = [(score, p) for (j, score), p in centres.items() if j == which]
        for z in range(GRID + 1):
            yield sum(p * ratio ** abs(z - score) for score, p in here) * (1 - ratio) / (1 + ratio)
        yield sum(p * ratio ** (score + 1) for score, p in here) / (1 + ratio)
        yield sum(p * ratio ** (GRID + 1 - score) for score, p in here) / (1 + ratio)


# --- checks of learners' mistakes -----------------------------------------------------------------

MISTAKES: Final = "Mistakes"
TENTH: Final = Fraction(1, 10)
EPSILON: Final = epsilon(Log(Fraction(3, 2)))
ROUNDS: Final = 7
NAMES: Final = littlestone.NameAndShame(delta=TENTH)


def _checks_of_mistakes() -> Iterator[Check]:
    named = Check(MISTAKES, "name and shame: δ(0) = δ, T = 4", _name_and_shame)
    yield named
    yield named.twin("name and shame that uses a sample twice", learner=LooksTwice())
    rows = dict[str, Check]()
    for name, learner in (("name and shame", NAMES), ("a learner found out late", LATE),
                          ("a learner that wavers", WAVERS)):  # fmt: skip
        instance = f"{name}, T = 7: q_{{i+1}} ≤ ¾q_i + δ/2"
        rows[instance] = Check(MISTAKES, instance, partial(_block_by_block, learner))
        instance = f"{name}, T = 7: P(< k) ≤ 3q₀ + 2kδ"
        rows[instance] = Check(MISTAKES, instance, partial(_few_mistakes, learner))
    yield from rows.values()
    wavers = rows["a learner that wavers, T = 7: q_{i+1} ≤ ¾q_i + δ/2"]
    yield wavers.twin("a learner that wavers, T = 7: q_{i+1} ≤ ½q_i + δ/2", part=Fraction(1, 2))
    fewer = rows["name and shame, T = 7: P(< k) ≤ 3q₀ + 2kδ"]
    yield fewer.twin("name and shame, T = 7: P(< k) ≤ Σ q_i", bound=_bound_of_the_slides)
    for name, learner in (("name and shame", NAMES), ("a learner that wavers", WAVERS)):
        instance = f"{name}, T = 4: P(M < n) ≤ cβ + d"
        yield Check(MISTAKES, instance, partial(_each_number, learner))
    row = Check(MISTAKES, "a learner that leaves at once or never, T = 4: P(M < n) ≤ cβ + d",
                partial(_each_number, HASTY))  # fmt: skip
    yield row
    yield row.twin("the same, f̂₁ not f⁽⁰⁾ for certain: P(M < n) ≤ cβ + d", first=1)


class LooksTwice(MistakeLearner[int]):
    """A broken ``NameAndShame`` in which each sample has two chances to join the set S, and so to
    be revealed."""

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state: int, message: Sample, coins: Coins) -> tuple[int, int]:
        state, _ = NAMES.step(state, message, coins)
        return NAMES.step(state, message, coins)


def _name_and_shame(*, learner: MistakeLearner[int] = NAMES) -> Evidence:
    claimed = [(epsilon(0), TENTH), (epsilon(Log(100)), TENTH)]
    return private(learner, learner.verification, claimed, rounds=4, exactly=True)


def _table(*rows: Sequence[Sequence[object]], labels: Sequence[int]) -> littlestone.FiniteLearner:
    return littlestone.FiniteLearner(labels=labels, table=rows)


_ZERO: Final = (1, 0, 0)
_ONE: Final = (0, 1, 0)
_HALF: Final = TENTH / 2
LATE: Final = _table(
    (_ZERO, _ZERO, (1 - TENTH, _HALF, _HALF)), (_ONE, _ONE, _ONE), (_ONE, _ONE, _ONE),
    labels=(0, 1, 0),
)  # fmt: skip
"""A learner that notices a sample (1, 1) with probability δ, and leaves its first hypothesis f⁽⁰⁾
at once or a round later."""
_QUIET: Final = (Fraction(31, 32), Fraction(1, 32), 0)
_ALARMED: Final = (0, Fraction(3, 64), Fraction(61, 64))
WAVERS: Final = _table((_QUIET, _QUIET, _ALARMED), (_ONE,) * 3, (_ALARMED,) * 3, labels=(0, 1, 0))
"""A learner that leaves its first hypothesis f⁽⁰⁾ with probability 1/32 in each round, and 3/64
from its first sample (1, 1) on."""


_LEAVES: Final = (0, TENTH, 1 - TENTH)
HASTY: Final = _table((_LEAVES,) * 3, (_ONE,) * 3, ((0, 0, 1),) * 3, labels=(0, 1, 0))
"""A (0, 0)-DP learner that leaves its first hypothesis f⁽⁰⁾ with probability 1/10 after the first
sample, whatever the sample is, and never later."""


def _delta(learner: MistakeLearner[int]) -> Fraction:
    """The tight δ of a learner at ε = ln(3/2), by the exact engine."""
    question = Question(learner, learner.verification, [BLANK, HIT], report=None)
    return question.solve(EPSILON, ROUNDS).delta


def _block_by_block(learner: MistakeLearner[int], *, part: Fraction = Fraction(3, 4)) -> Evidence:
    """The evidence that q_{i+1} <= part·q_i + δ/2 on a learner's hard sequence, q_i being the
    probability of leaving the first hypothesis in block i."""
    law = FiniteLaw(learner, ROUNDS)
    hard, delta = hard_sequence(law), _delta(learner)
    kept = [Fraction(each) for each in hard.kept]
    claimed = tuple((EPSILON, part * each + delta / 2) for each in kept[:-1])
    return _compared(claimed, tuple(kept[1:]), hard)


Bounding = Callable[[HardSequence, Fraction], Fraction]


def _repaired_bound(hard: HardSequence, delta: Fraction) -> Fraction:
    return 3 * Fraction(hard.kept[0]) + 2 * len(hard.hits) * delta


def _bound_of_the_slides(hard: HardSequence, delta: Fraction) -> Fraction:
    """The bound Σ q_i on P(fewer than k mistakes) that the talk's slides state: the sum of the
    probabilities of leaving f⁽⁰⁾ in each block."""
    return Fraction(sum(hard.kept))


def _few_mistakes(learner: MistakeLearner[int], *, bound: Bounding = _repaired_bound) -> Evidence:
    """The evidence for a bound on P(fewer than k mistakes), on a learner's hard sequence of k hits
    (1, 1)."""
    law = FiniteLaw(learner, ROUNDS)
    hard = hard_sequence(law)
    found = sum(law.distribution(hard.hits)[: len(hard.hits)], Fraction(0))
    return _compared(((EPSILON, bound(hard, _delta(learner))),), (found,), hard)


def _each_number(learner: MistakeLearner[int], *, first: int = 0) -> Evidence:
    """The evidence for ``few_mistakes_upper_bound`` with n = 1, …, T mistakes, each on the stream
    on which P(fewer than n mistakes) is least.

    ``first``: the samples after which the T rounds begin. Then f̂₁ is the answer to the last of
    them, ⊥, and drawn at random.
    """
    rounds = 4
    law, delta = FiniteLaw(learner, first + rounds), _delta(learner)
    times = range(first + 1, first + rounds + 1)
    streams = list(chain.from_iterable(itertools.combinations(times, n) for n in range(rounds + 1)))
    told = [law.distribution(hits) for hits in streams]
    claimed = [
        littlestone.few_mistakes_upper_bound(n, rounds, epsilon=EPSILON, delta=delta, beta=TENTH)
        for n in range(1, rounds + 1)
    ]
    tight = [min(sum(each[: n + 1], Fraction(0)) for each in told) for n in range(rounds)]
    bounds = tuple((EPSILON, Fraction(each)) for each in claimed)
    return Evidence(bounds, tuple(tight), "(1, 1) in each round", "probabilities, the best stream")


def _compared(
    claimed: tuple[Bound, ...], tight: tuple[Fraction, ...], hard: HardSequence
) -> Evidence:
    adversary = f"(1, 1) in the rounds {', '.join(map(str, hard.hits))}, (0, 0) in the others"
    note = "probabilities, on the hard sequence"
    return Evidence(claimed, tight, adversary, note)
