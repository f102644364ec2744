"""What a learner of experts tells to who listens, and to fixed streams: L2P of two experts."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from antiphon.learners import ADVICE, LazyToPrivate
from antiphon.learners.l2p import ExponentialWeights
from antiphon.learners.learner import Losses
from antiphon.numbers.exact import Log, epsilon
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.enumeration import outcomes
from antiphon.protocol.messages import TOP
from antiphon.selfcheck.theorems.theorem import Check, Evidence, Standing, private

SECTION = (8, 1)
THEOREM: Final = "L2P Alg. 1"
GROWTH: Final = Fraction(11, 10)
"""e^η, and e^ε."""
LEARNER: Final = LazyToPrivate(
    measures=ExponentialWeights(experts=2, rate=Log(GROWTH)), horizon=2, fakes=Fraction(3, 10)
)
LOSSES: Final = tuple(np.array(each) for each in itertools.product((0, 1), repeat=2))
FIXED, LISTENING = Fraction(7, 484), Fraction(7, 242)


def checks() -> Iterable[Check]:
    """The rows."""
    size = "two experts, T = 2, p = 3/10, e^η = 11/10"
    yield Check(THEOREM, f"{size}: two streams that are fixed", _streams)
    row = Check(THEOREM, f"{size}: adversaries that listen", _adaptive)
    yield row
    yield row.twin(f"{size}: as if to listen told no more", delta=FIXED)


def _adaptive(*, delta: Fraction = LISTENING) -> Evidence:
    claimed = [(epsilon(Log(GROWTH)), delta)]
    queries = [*LOSSES, ADVICE]
    return private(LEARNER, LEARNER.verification, claimed, rounds=3, exactly=True,
                   queries=queries)  # fmt: skip


def _streams() -> Evidence:
    """The loss of the one round that is learned from is another; advice is asked before and after.

    δ of each two laws, listed.
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
    """Of the answers, where TOP stands for itself."""

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
