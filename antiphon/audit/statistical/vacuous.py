"""Whether an audit could have found anything: without a differing pair both worlds are one."""

from __future__ import annotations

from typing import Final

import numpy as np

from antiphon.audit.statistical.experiment import VACUOUS, Playing, child
from antiphon.protocol.adversary import Adversary
from antiphon.protocol.messages import Pair, identical
from antiphon.protocol.post_processor import LEFT
from antiphon.protocol.records.interaction import interact
from antiphon.protocol.verification import Refused
from antiphon.verifiers.verifier import Verifier

_PLAYS: Final = 64


def why_vacuous(playing: Playing, adversary: Adversary, seed: np.random.SeedSequence) -> str:
    """Why nothing was tested, or "": whether V[f] lets a differing pair pass in a few plays.

    Views without one have the same law in both worlds, whatever the mechanism does. Plays end at
    the first such pair, so where there is something to test this costs one.
    """
    said = pairs = differing = 0
    reason = ""
    for number in range(_PLAYS):
        world = playing.game.mechanism(number % 2)
        guard = world.links[0]
        if not isinstance(guard, Verifier):
            return ""
        view = interact(adversary, world, rounds=playing.rounds, seed=child(seed, VACUOUS, number))
        state = guard.initial_state
        for message in view.messages:
            said += 1
            pairs += type(message) is Pair
            differs = type(message) is Pair and not identical(message.zero, message.one)
            differing += differs
            state, _, _ = guard.step(state, LEFT, message, None)
            if type(state) is Refused:
                reason = state.reason
            elif differs:
                return ""
    if not said:
        return "nothing was said"
    if not pairs:
        return "every view was halted by V[f]: its messages are no pairs; say Pair(m0, m1), same(m)"
    if not differing:
        return f"no differing pair was sent in {_PLAYS} plays, so both worlds are one"
    return f"every view was halted by V[f] before a differing pair could pass: {reason}"
