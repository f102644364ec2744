"""Oblivious adversaries: those of a mechanism whose answers are told at the end, all at once."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import attrs

from antiphon.audit.game import PrivacyGame
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import HALT, TOP
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Anything, Either, Finite, Signature
from antiphon.verifiers.models import updates_and_queries

OPEN: Final = "open"
"""What a sealed mechanism answers by all that it has answered so far."""
_OPENING: Final = Finite((OPEN,))


class Envelope(NamedTuple):
    """M's state, and its answers; None once they have been told."""

    inner: object
    answers: tuple[object, ...] | None = ()


@register("antiphon.Sealed/1")
@attrs.frozen
class Sealed(ContinualMechanism[Envelope, object, object]):
    """M with sealed answers: ⊤ to every message, and ``OPEN`` -> all of M's answers; then HALT.

    Who plays against it chooses every message without having heard anything, and sees all in the
    end: a deterministic adversary of it is an *oblivious* one of M, a fixed sequence of pairs, and
    a randomised one does no better. So the tight δ of ``oblivious(game)`` is what M loses to
    oblivious adversaries, and that of the game itself what it loses to adaptive ones.

    >>> from antiphon.mechanisms import RandomizedResponse
    >>> session = Sealed(RandomizedResponse(epsilon=100)).start(seed=1)
    >>> session.send(1), session.send(OPEN), session.send(OPEN)
    (TOP, ((1, BOTTOM),), HALT)
    """

    mechanism: ContinualMechanism

    @property
    def signature(self) -> Signature:
        own = self.mechanism.signature
        return Signature(Either((own.queries, _OPENING)), Anything(), own.updates)

    @property
    def initial_state(self) -> Envelope:
        return Envelope(self.mechanism.initial_state)

    def is_over(self, state: Envelope) -> bool:
        return state.answers is None

    def step(self, state: Envelope, message: Any, coins: Coins) -> tuple[Envelope, object]:
        inner, answers = state
        if answers is None:
            return state, HALT
        if type(message) is str and message == OPEN:
            return Envelope(None, None), answers
        answer: object = HALT
        if not (answers and answers[-1] is HALT and self.mechanism.is_over(inner)):
            inner, answer = self.mechanism.step(inner, message, coins)
        return Envelope(inner, (*answers, answer)), TOP


def oblivious(game: PrivacyGame) -> PrivacyGame:
    """The same game against oblivious adversaries, with a last message ``OPEN``."""
    return PrivacyGame(Sealed(game.system), updates_and_queries(game.verification, _OPENING))
