"""Lemma 2.4 and Theorem 2.5: randomized response, and every NIM as a post-processing of it."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import partial

import attrs

from antiphon.audit.exact.question import Question
from antiphon.audit.game import PrivacyGame
from antiphon.audit.simulators import lyu, vadhan_wang
from antiphon.mechanisms.randomized_response import RandomizedResponse
from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.protocol.chain import PostProcessor
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import Symbol
from antiphon.protocol.spaces import Pairs
from antiphon.protocol.verification import Verification
from antiphon.selfcheck.theorems.parts.finite import (
    FiniteResponse,
    promised,
)
from antiphon.selfcheck.theorems.theorem import (
    Check,
    Evidence,
    in_both_worlds,
    private,
    same_views,
)
from antiphon.verifiers.identifier import Identifier
from antiphon.verifiers.models import bounded, neighbouring_start

TENTH = Fraction(1, 10)

SECTION = (2, 4)


def checks() -> Iterable[Check]:
    """The rows."""
    yield from _lemma_2_4()
    yield from _theorem_2_5()


# --- Lemma 2.4: RR_{ε,δ} is (ε, δ)-DP, and tightly so ------------------------------------


@attrs.frozen
class TooTrue(RandomizedResponse):
    """RR with too much truth, for a broken twin: in 1 of 20 answers the lie is withdrawn."""

    def respond(self, dataset: int, coins: Coins) -> tuple[int, Symbol]:
        answer = RandomizedResponse.respond(self, dataset, coins)
        return (dataset, answer[1]) if coins.bernoulli(Fraction(1, 20)) else answer


def _lemma_2_4() -> Iterable[Check]:
    rows = [
        Check(
            "Lemma 2.4",
            f"RR(ln {growth}, {delta})",
            partial(_claimed, epsilon=Log(growth), delta=delta),
        )
        for growth, delta in ((1, Fraction(1, 7)), (Fraction(7, 2), Fraction(0)), (2, TENTH))
    ]
    yield from rows
    yield rows[-1].twin("RR(ln 2, 1/10) that tells the truth too often", kind=TooTrue)


def _claimed(
    epsilon: Log, delta: Fraction, kind: type[RandomizedResponse] = RandomizedResponse
) -> Evidence:
    mechanism = kind(epsilon=epsilon, delta=delta)
    claim = mechanism.claims[0]
    return private(mechanism, claim.verification, [claim.parameters], rounds=2, exactly=True)


# --- Theorem 2.5: every finite NIM is a post-processing of RR ----------------------------

NIM = FiniteResponse(((6, 3, 2, 0, 1), (2, 3, 5, 1, 1)))
"""Answer 3 never comes on 0, so it is (ε, δ)-DP only with δ >= 1/12."""
PURE_NIM = FiniteResponse(((6, 3, 2, 1), (2, 3, 4, 3)))


def _theorem_2_5() -> Iterable[Check]:
    rows = [
        Check(
            "Thm 2.5",
            f"five answers, ε = ln {growth}, δ tight; T = Lyu's",
            partial(_post_processed, Log(growth)),
        )
        for growth in (1, 2, Fraction(5, 2))
    ]
    yield from rows
    yield Check("Thm 2.5", "four answers, tight ε; T = Vadhan-Wang's", _pure_post_processed)
    yield rows[1].twin("five answers, ε = ln 2, δ too small by 1/100", missing=Fraction(1, 100))


def _post_processed(given: ExactEpsilon, *, missing: Fraction = Fraction(0)) -> Evidence:
    f = neighbouring_start()
    delta = Question(NIM, f, report=None).solve(given, 1).delta - missing
    simulator = lyu(NIM, f, epsilon=given, delta=delta, rounds=2)
    return simulated(simulator, NIM, f, given, delta, rounds=2)


def _pure_post_processed() -> Evidence:
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
) -> Evidence:
    """T ∘* RR_{ε,δ}(b) ≡ V[f] ∘* I(b) ∘* M for both b."""
    response = RandomizedResponse(epsilon=given, delta=delta)
    game = PrivacyGame(mechanism, f)
    pairs = Pairs(mechanism.signature.queries).enumerate()
    systems = in_both_worlds(lambda b: simulator @ Identifier(b) @ response, game.mechanism)
    return same_views(systems, rounds, pairs, note=f"T ∘* RR({_named(given)}, {delta})")


def _named(given: ExactEpsilon) -> str:
    return f"ln {given.argument}" if isinstance(given, Log) else str(given)
