"""The systems that the benchmarks drive."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import attrs

import antiphon as ap
from antiphon import Claim
from antiphon.protocol import IdentityPostProcessor, Pure, Status

REALS = ap.spaces.Reals()
F = ap.verifiers.event_level()


@attrs.frozen
class Noisy(ap.ContinualMechanism[None, float, int]):
    """Answers every number with one Laplace draw added, rounded: the least a mechanism can do."""

    initial_state = None
    signature = ap.Signature(REALS, ap.spaces.Integers())
    claims = (Claim(Pure(1), F, Status.ASSUMED, "for timing only"),)

    def step(self, state: None, message: float, coins: Any) -> tuple[None, int]:
        return state, round(message + coins.laplace(1.0))


CREATE = ap.same(ap.Create(Noisy()))
ASK = ap.same(ap.Ask(1.0, 0))


def session(*, identities: int = 0, created: int = 1) -> ap.Session:
    """V[f] ∘* I(0) ∘* identities ∘* ExtConComp, with mechanisms created."""
    verifier = ap.Verifier(ap.composition.sparse_parallel([(1, 0)]))
    chain = ap.ExtConComp()
    for _ in range(identities):
        chain = IdentityPostProcessor() @ chain
    live = (verifier @ ap.Identifier(0) @ chain).start()
    for _ in range(created):
        live.send(CREATE)
    return live


def bare_cursor() -> Callable[[Any], Any]:
    """A hand-written cursor: the same five hops and one Laplace draw, and nothing else.

    No spaces, no checks, no lock: plain functions (state, side, message) ->
    (state, side, message) that update a list of states.
    """
    left, right = 0, 1
    uniform, log = random.Random(1).random, math.log

    def verifier(state: Any, side: int, message: Any) -> tuple[Any, int, Any]:
        return (state, right, message) if side == left else (state, left, message)

    def identifier(state: Any, side: int, message: Any) -> tuple[Any, int, Any]:
        return (state, right, message[state]) if side == left else (state, left, message)

    def child(state: Any, message: float) -> tuple[Any, float]:
        u = uniform() - 0.5
        return state, round(message + (log(1 - 2 * u) if u > 0 else -log(1 + 2 * u)))

    children: dict[int, tuple[Any, Any]] = {0: (child, None)}

    def composition(state: Any, message: Any) -> tuple[Any, Any]:
        query, index = message
        step, own = children[index]
        own, answer = step(own, query)
        children[index] = step, own
        return state, answer

    steps, states = [verifier, identifier], [(), 0, ()]

    def send(message: Any) -> Any:
        here, side = 0, left
        while True:
            if here == 2:
                states[2], message = composition(states[2], message)
                here, side = 1, right
                continue
            states[here], side, message = steps[here](states[here], side, message)
            if side == left:
                if here == 0:
                    return message
                here, side = here - 1, right
            else:
                here, side = here + 1, left

    return send
