"""Checks of Lemma 2.15 and Corollary 3.8: privacy of interactive mechanisms (CM Def. 2.12)."""

from collections.abc import Iterable
from fractions import Fraction
from functools import partial
from typing import NamedTuple, TypeAlias, Union

import attrs

from antiphon.audit import PrivacyGame, Question
from antiphon.composition import Create, ExtConComp, fixed_mechanisms
from antiphon.mechanisms.randomized_response import LeakyBit, RandomizedResponse
from antiphon.numbers.exact import ExactEpsilon, Log, epsilon
from antiphon.protocol import LEFT, RIGHT, Coins, PostProcessor, Side, Verification
from antiphon.protocol.mechanism import ONLY, ContinualMechanism, Mechanism
from antiphon.protocol.messages import HALT, Ask, Pair, same
from antiphon.protocol.spaces import BITS, Pairs, Space
from antiphon.selfcheck.theorems.finite import SECRET, WALK, FiniteAboveThreshold, promised
from antiphon.selfcheck.theorems.theorem import Check, Evidence, private_interactive
from antiphon.verifiers import Identifier, bounded, event_level, neighbouring_start

CURVE: tuple[ExactEpsilon, ...] = (epsilon(0), Log(Fraction(3, 2)), Log(4))

SECTION = (2, 15)


def checks() -> Iterable[Check]:
    """The checks of Lemma 2.15 and Corollary 3.8, with broken twins."""
    noisy = "a noisy P that asks on adaptively ∘* walk, 2 × 2 questions"
    row = Check("Lemma 2.15", noisy, _garbled)
    yield row
    yield row.twin("a P with two initial states", tells=True)
    threshold = FiniteAboveThreshold(2)
    pairs = tuple(Pairs(threshold.signature.queries).enumerate())
    guarded = Instance(threshold, bounded(event_level(), 3), pairs, 3)
    row = Check("Cor. 3.8", "AboveThreshold, 3 messages", partial(_as_interactive, guarded))
    yield row
    yield Check(
        "Cor. 3.8",
        "ExtConComp of RR(ln 2, 1/10), M_{1/5}, secret; interleaved",
        lambda: _as_interactive(_composition()),
    )
    yield row.twin("no V[f] before I: pairs that are not f-valid, too", guarded=False)


# --- checks of Lemma 2.15: post-processing ------------------------------------------------


Garbled: TypeAlias = tuple[Union[int, None], object]
"""The state of ``Garbler``: its initial state, and the first of two answers, None before that."""


@attrs.frozen
class Garbler(PostProcessor[Garbled]):
    """A post-processor that asks twice, the message and then its answer, and returns one answer at
    random.

    With ``tells`` it has two initial states and answers which one it is in: the
    premise of Lemma 2.15 is removed.
    """

    tells: bool = False

    @property
    def initial_states(self) -> Space:  # type: ignore[override]
        return BITS if self.tells else ONLY

    @property
    def initial_state(self) -> Garbled:
        return None, None

    def enter(self, initial: int | None) -> Garbled:
        return initial, None

    def step(
        self, state: Garbled, side: Side, message: object, coins: Coins
    ) -> tuple[Garbled, Side, object]:
        own, heard = state
        if side is LEFT:
            return (own, None), RIGHT, message
        if message is HALT:
            return state, LEFT, HALT
        if heard is None:
            return (own, message), RIGHT, same(message)
        answer = heard if coins.bernoulli(Fraction(1, 3)) else message
        return (own, None), LEFT, answer if own is None else own


def _garbled(*, tells: bool = False) -> Evidence:
    f = bounded(event_level(), 4)
    question = Question(WALK, f, report=None)
    claimed = [(each, question.solve(each, 4).delta) for each in CURVE]
    system = Garbler(tells) @ PrivacyGame(WALK, f).interactive
    initial = ((0, 0), (1, 1)) if tells else (0, 1)
    pairs = Pairs(BITS).enumerate()
    return private_interactive((system, system), initial, claimed, 2, pairs)


# --- checks of Corollary 3.8: a CM's DP is that of the IM V[f] ∘* I ∘* M ------------------


class Instance(NamedTuple):
    """An instance of Cor. 3.8: a continual mechanism, its f, messages, and number of rounds."""

    mechanism: ContinualMechanism
    f: Verification
    messages: tuple[Pair, ...]
    rounds: int

    @property
    def game(self) -> PrivacyGame:
        """The privacy game of CM Def. 3.7."""
        return PrivacyGame(self.mechanism, self.f)


def _composition() -> Instance:
    secret = promised(SECRET, bounded(neighbouring_start(), 3), 3)
    made = [
        Create(RandomizedResponse(epsilon=Log(2), delta=Fraction(1, 10))),
        Create(LeakyBit(delta=Fraction(1, 5))),
        Create(secret),
    ]
    asked = [(i, zero, one) for i in range(3) for zero in (0, 1) for one in (0, 1)]
    questions = [Pair(Ask(zero, i), Ask(one, i)) for i, zero, one in asked]
    return Instance(ExtConComp(), fixed_mechanisms(made), (*map(same, made), *questions), 6)


def _as_interactive(instance: Instance, *, guarded: bool = True) -> Evidence:
    """Evidence for Cor. 3.8: the game of Def. 3.7 and the IM of Def. 2.12 have the same tight δ."""
    question, rounds = instance.game.question(report=None), instance.rounds
    claimed = [(each, question.solve(each, rounds).delta) for each in CURVE]
    system: Mechanism = instance.game.interactive if guarded else Identifier() @ instance.mechanism
    messages = instance.messages
    return private_interactive((system, system), (0, 1), claimed, rounds, messages, exactly=True)
