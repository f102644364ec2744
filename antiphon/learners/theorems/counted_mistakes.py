"""The price of privacy in mistakes: name and shame, and the lemma of the lower bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import Final

from antiphon.audit.exact.question import Question
from antiphon.learners.littlestone import BLANK, HIT, FiniteLearner, NameAndShame
from antiphon.learners.littlestone.mistake_learner import MistakeLearner, Sample
from antiphon.learners.mistakes import FiniteLaw, HardSequence, hard_sequence
from antiphon.numbers.exact import Log, epsilon
from antiphon.protocol.coins.coins import Coins
from antiphon.selfcheck.theorems.theorem import Bound, Check, Evidence, private

SECTION = (8, 3)
THEOREM: Final = "Mistakes"
TENTH: Final = Fraction(1, 10)
EPSILON: Final = epsilon(Log(Fraction(3, 2)))
ROUNDS: Final = 7
NAMES: Final = NameAndShame(delta=TENTH)


def checks() -> Iterable[Check]:
    """The rows."""
    named = Check(THEOREM, "name and shame: δ(0) = δ, T = 4", _named)
    yield named
    twice = LooksTwice(delta=TENTH)
    yield named.twin("name and shame that looks at a sample twice", learner=twice)
    rows = dict[str, Check]()
    for name, learner in (("name and shame", NAMES), ("a learner found out late", LATE),
                          ("a learner that wavers", WAVERS)):  # fmt: skip
        instance = f"{name}, T = 7: q_{{i+1}} ≤ ¾q_i + δ/2"
        rows[instance] = Check(THEOREM, instance, partial(_kept, learner))
        instance = f"{name}, T = 7: P(< k) ≤ 3q₀ + 2kδ"
        rows[instance] = Check(THEOREM, instance, partial(_fewer, learner))
    yield from rows.values()
    wavers = rows["a learner that wavers, T = 7: q_{i+1} ≤ ¾q_i + δ/2"]
    yield wavers.twin("a learner that wavers, T = 7: q_{i+1} ≤ ½q_i + δ/2", part=Fraction(1, 2))
    fewer = rows["name and shame, T = 7: P(< k) ≤ 3q₀ + 2kδ"]
    yield fewer.twin("name and shame, T = 7: P(< k) ≤ Σ q_i", bound=_told)


# --- name and shame -------------------------------------------------------------------------------


class LooksTwice(NameAndShame):
    """Each sample has two chances to join S."""

    def step(self, state: int, message: Sample, coins: Coins) -> tuple[int, int]:
        state, _ = NameAndShame.step(self, state, message, coins)
        return NameAndShame.step(self, state, message, coins)


def _named(*, learner: NameAndShame = NAMES) -> Evidence:
    claimed = [(epsilon(0), TENTH), (epsilon(Log(100)), TENTH)]
    return private(learner, learner.verification, claimed, rounds=4, exactly=True)


# --- the lemma ------------------------------------------------------------------------------------


def _table(*rows: Sequence[Sequence[object]], labels: Sequence[int]) -> FiniteLearner:
    return FiniteLearner(labels=labels, table=rows)


_ZERO: Final = (1, 0, 0)
_ONE: Final = (0, 1, 0)
_HALF: Final = TENTH / 2
LATE: Final = _table(
    (_ZERO, _ZERO, (1 - TENTH, _HALF, _HALF)), (_ONE, _ONE, _ONE), (_ONE, _ONE, _ONE),
    labels=(0, 1, 0),
)  # fmt: skip
"""A sample is found out with probability δ: at once, or a round later."""
_QUIET: Final = (Fraction(31, 32), Fraction(1, 32), 0)
_ALARMED: Final = (0, Fraction(3, 64), Fraction(61, 64))
WAVERS: Final = _table((_QUIET, _QUIET, _ALARMED), (_ONE,) * 3, (_ALARMED,) * 3, labels=(0, 1, 0))
"""Leaves without cause, too: and half as often again once it heard of a cause."""


def _delta(learner: MistakeLearner[int]) -> Fraction:
    """The tight δ at ε = ln 3/2."""
    question = Question(learner, learner.verification, [BLANK, HIT], report=None)
    return question.solve(EPSILON, ROUNDS).delta


def _kept(learner: MistakeLearner[int], *, part: Fraction = Fraction(3, 4)) -> Evidence:
    """q_{i+1} beside part·q_i + δ/2."""
    law = FiniteLaw(learner, ROUNDS)
    hard, delta = hard_sequence(law), _delta(learner)
    kept = [Fraction(each) for each in hard.kept]
    claimed = tuple((EPSILON, part * each + delta / 2) for each in kept[:-1])
    return _compared(claimed, tuple(kept[1:]), hard)


Bounding = Callable[[HardSequence, Fraction], Fraction]


def _repaired(hard: HardSequence, delta: Fraction) -> Fraction:
    return 3 * Fraction(hard.kept[0]) + 2 * len(hard.hits) * delta


def _told(hard: HardSequence, delta: Fraction) -> Fraction:
    """As the slides have it."""
    return Fraction(sum(hard.kept))


def _fewer(learner: MistakeLearner[int], *, bound: Bounding = _repaired) -> Evidence:
    """P(fewer than k mistakes) on the hard sequence, of k samples (1, 1)."""
    law = FiniteLaw(learner, ROUNDS)
    hard = hard_sequence(law)
    found = sum(law.distribution(hard.hits)[: len(hard.hits)], Fraction(0))
    return _compared(((EPSILON, bound(hard, _delta(learner))),), (found,), hard)


def _compared(
    claimed: tuple[Bound, ...], tight: tuple[Fraction, ...], hard: HardSequence
) -> Evidence:
    adversary = f"(1, 1) in the rounds {', '.join(map(str, hard.hits))}, (0, 0) in the others"
    note = "probabilities, on the hard sequence"
    return Evidence(claimed, tight, adversary, note)
