# pyright: reportIncompatibleMethodOverride=false, reportAssignmentType=false
"""Checks of Lemma 2.4 and Theorem 2.5: randomized response, and every NIM as a post-processing of
it.

Also of Algorithms 1 and 2, and of associativity: flat chains against the algorithms as printed.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction

import attrs

from antiphon.audit import PrivacyGame, Question, lyu, vadhan_wang
from antiphon.mechanisms.randomized_response import RandomizedResponse
from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.protocol import LEFT, RIGHT, Coins, PostProcessor, Side, Signal, Verification
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.display import as_data
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.spaces import Pairs, Signature
from antiphon.selfcheck.theorems import theorem
from antiphon.selfcheck.theorems.finite import WALK, FiniteResponse, promised
from antiphon.verifiers import Identifier, bounded, neighbouring_start

TENTH = Fraction(1, 10)

SECTION = (2, 4)


def checks() -> Iterable[theorem.Check]:
    """The checks of Lemma 2.4, Theorem 2.5 and Algorithms 1 and 2, with broken twins."""
    given = (1, Fraction(1, 7)), (Fraction(7, 2), Fraction(0)), (2, TENTH)
    made = theorem.rows("Lemma 2.4", "RR(ln {}, {})", _claimed, *given)
    yield from made
    yield made[-1].twin("RR(ln 2, 1/10) that tells the truth too often", twin=TooTrue)
    text = "five answers, ε = ln {}, δ tight; T = Lyu's"
    made = theorem.rows("Thm 2.5", text, _post_processed, (1,), (2,), (Fraction(5, 2),))
    yield from made
    yield theorem.Check("Thm 2.5", "four answers, tight ε; T = Vadhan-Wang's", _pure_post_processed)
    yield made[1].twin("five answers, ε = ln 2, δ too small by 1/100", missing=Fraction(1, 100))
    p1, p2, p3 = PARTS
    yield theorem.Check("Alg. 1-2", "P₁∘*(P₂∘*(P₃∘*walk)), Alg. 1 as printed", lambda: _same(
        NaiveChain(p1, NaiveChain(p2, NaiveChain(p3, WALK)))
    ))  # fmt: skip
    two = theorem.Check("Alg. 1-2", "((P₁∘*P₂)∘*P₃)∘*walk, Alg. 2 as printed", _linked)
    yield two
    yield theorem.Check("Alg. 1-2", "(P₁∘*(P₂∘*P₃))∘*walk: associativity", lambda: _same(
        NaiveChain(NaiveLinks(p1, NaiveLinks(p2, p3)), WALK)
    ))  # fmt: skip
    yield two.twin("a cursor that goes past P₁ on its way left", skips=True)


# --- checks of Lemma 2.4: RR_{ε,δ} is (ε, δ)-DP, and tightly so --------------------------


@attrs.frozen
class TooTrue(NoninteractiveMechanism[int, tuple[int, Signal]]):
    """A broken randomized response: with probability 1/20 it tells the true bit, without noise."""

    response: RandomizedResponse

    @property
    def signature(self) -> Signature:
        return self.response.signature

    def respond(self, dataset: int, coins: Coins) -> tuple[int, Signal]:
        answer = self.response.respond(dataset, coins)
        return (dataset, answer[1]) if coins.bernoulli(Fraction(1, 20)) else answer


def _claimed(
    growth: object, delta: Fraction, twin: Callable[[RandomizedResponse], TooTrue] | None = None
) -> theorem.Evidence:
    response = RandomizedResponse(epsilon=Log(growth), delta=delta)
    claim, mechanism = response.claims[0], twin(response) if twin else response
    return theorem.private(
        mechanism, claim.verification, [claim.parameters], rounds=2, exactly=True
    )


# --- checks of Theorem 2.5: every finite NIM is a post-processing of RR ------------------

NIM = FiniteResponse(((6, 3, 2, 0, 1), (2, 3, 5, 1, 1)))
"""A NIM with five answers; answer 3 has probability 0 on input 0, so δ >= 1/12 at any ε."""
PURE_NIM = FiniteResponse(((6, 3, 2, 1), (2, 3, 4, 3)))


def _post_processed(growth: object, *, missing: Fraction = Fraction(0)) -> theorem.Evidence:
    f, given = neighbouring_start(), Log(growth)
    delta = Question(NIM, f, report=None).solve(given, 1).delta - missing
    simulator = lyu(NIM, f, epsilon=given, delta=delta, rounds=2)
    return simulated(simulator, NIM, f, given, delta, rounds=2)


def _pure_post_processed() -> theorem.Evidence:
    f = neighbouring_start()
    mechanism = promised(PURE_NIM, bounded(f, 2), 2)
    given = mechanism.claims[0].parameters[0]
    simulator = vadhan_wang(mechanism, f, epsilon=given)
    return simulated(simulator, mechanism, f, given, Fraction(0), rounds=2)


def simulated(
    simulator: PostProcessor,
    mechanism: ContinualMechanism,
    f: Verification,
    given: ExactEpsilon,
    delta: Fraction,
    rounds: int,
) -> theorem.Evidence:
    """Evidence that T ∘* RR_{ε,δ}(b) has the views of V[f] ∘* I(b) ∘* M, for the simulator T."""
    response = RandomizedResponse(epsilon=given, delta=delta)
    game = PrivacyGame(mechanism, f)
    pairs = Pairs(mechanism.signature.queries).enumerate()
    systems = theorem.in_both_worlds(lambda b: simulator @ Identifier(b) @ response, game.mechanism)
    return theorem.same_views(systems, rounds, pairs, note=f"T ∘* RR({as_data(given)}, {delta})")


@attrs.frozen
class NaiveChain(ContinualMechanism):
    """The chain P ∘* M exactly as CM Alg. 1: while P sends right, M's answer goes back to P."""

    post_processor: PostProcessor
    mechanism: ContinualMechanism

    @property
    def signature(self) -> Signature:
        return self.post_processor.signature(self.mechanism.signature)

    @property
    def initial_state(self) -> tuple[object, object]:
        return self.post_processor.initial_state, self.mechanism.initial_state

    def step(
        self, state: tuple[object, object], message: object, coins: Coins
    ) -> tuple[tuple[object, object], object]:
        own, inner = state
        own, side, message = self.post_processor.step(own, LEFT, message, coins)
        while side is RIGHT:
            inner, answer = self.mechanism.step(inner, message, coins)
            own, side, message = self.post_processor.step(own, RIGHT, answer, coins)
        return (own, inner), message


@attrs.frozen
class NaiveLinks(PostProcessor):
    """The chain P₁ ∘* P₂ exactly as CM Alg. 2: a cursor says which of them gets the next message.

    ``skips`` is a cursor bug, for a broken twin: messages that P₂ sends left bypass P₁.
    """

    first: PostProcessor
    second: PostProcessor
    skips: bool = False

    @property
    def initial_state(self) -> tuple[object, object]:
        return self.first.initial_state, self.second.initial_state

    def signature(self, right: Signature) -> Signature:
        return self.first.signature(self.second.signature(right))

    def step(
        self, state: tuple[object, object], side: Side, message: object, coins: Coins
    ) -> tuple[tuple[object, object], Side, object]:
        one, two = state
        at_first = side is LEFT
        while True:
            if at_first:
                one, to, message = self.first.step(one, side, message, coins)
                if to is LEFT:
                    return (one, two), LEFT, message
                at_first, side = False, LEFT
            else:
                two, to, message = self.second.step(two, side, message, coins)
                if to is RIGHT or self.skips:
                    return (one, two), to, message
                at_first, side = True, RIGHT


ROUNDS = 3


@attrs.frozen
class Talker(PostProcessor[tuple[int, int, int]]):
    """A post-processor on bits that asks ``extra`` further queries before it answers.

    ``early`` > 0: each early-th message from the left is answered at once, by its XOR with the last
    answer received; ``noisy``: each bit that follows an answer is flipped with probability 1/3.
    """

    extra: int
    early: int = 0
    noisy: bool = False
    initial_state = 0, 0, 0

    def step(
        self, state: tuple[int, int, int], side: Side, message: int, coins: Coins
    ) -> tuple[tuple[int, int, int], Side, int]:
        lefts, pending, heard = state
        if side is LEFT:
            lefts += 1
            if self.early and lefts % self.early == 0:
                return (lefts, 0, heard), LEFT, message ^ heard
            return (lefts, self.extra, heard), RIGHT, 1 - message
        flip = int(self.noisy and coins.bernoulli(Fraction(1, 3)))
        if pending:
            return (lefts, pending - 1, message), RIGHT, message ^ flip
        return (lefts, 0, message), LEFT, message ^ flip


PARTS = Talker(1, noisy=True), Talker(0, early=2), Talker(1)


def _linked(*, skips: bool = False) -> theorem.Evidence:
    p1, p2, p3 = PARTS
    return _same(NaiveChain(NaiveLinks(NaiveLinks(p1, p2, skips=skips), p3), WALK))


def _same(reference: NaiveChain) -> theorem.Evidence:
    """Evidence that a chain of three post-processors and a mechanism, bracketed in two ways, has
    the views of ``reference``."""
    p1, p2, p3 = PARTS
    flat = [((p1 @ p2) @ p3) @ WALK, p1 @ (p2 @ (p3 @ WALK))]
    return theorem.same_views([(chain, reference) for chain in flat], ROUNDS, (0, 1))
