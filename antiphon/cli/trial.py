"""The counterexample of CM §5.2, played many times."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from antiphon.audit.counterexample import CounterexampleAdversary, counterexample_game, learned_bit
from antiphon.cli.output import Advance
from antiphon.protocol.chain import Chain
from antiphon.protocol.coins import Coins, SampledCoins
from antiphon.protocol.errors import Intractable
from antiphon.protocol.messages import EMPTY, HALT
from antiphon.protocol.view import View

_MOST_BITS = 1 << 18
_TRIES = 200
_REPORT_EVERY = 256


@attrs.frozen
class Trial:
    """How often the adversary named the bit in one world, rightly and wrongly."""

    bit: int
    runs: int
    right: int
    wrong: int


def check_size(adversary: CounterexampleAdversary) -> None:
    """Raises: Intractable where 1-(1-δ)^copies would have too many digits."""
    bits = adversary.copies * adversary.delta.denominator.bit_length()
    if bits > _MOST_BITS:
        raise Intractable("the exact probability 1-(1-δ)^copies", f"{bits} bits", _MOST_BITS)


def stream(seed: int | None, *key: int) -> np.random.SeedSequence | None:
    """One of the streams of a seed; None, the operating system's entropy, without one."""
    return None if seed is None else np.random.SeedSequence(seed, spawn_key=key)


def trial(
    adversary: CounterexampleAdversary, bit: int, runs: int, seed: int | None, advance: Advance
) -> Trial:
    """Play ``runs`` games in the world ``bit``; one stream of coins, no transcripts."""
    mechanism = counterexample_game(adversary.delta).mechanism(bit)
    coins = SampledCoins(stream(seed, bit))
    right = wrong = 0
    for run in range(runs):
        guess = _guess(adversary, mechanism, coins)
        if guess is not None:
            right, wrong = right + (guess == bit), wrong + (guess != bit)
        if run % _REPORT_EVERY == 0:
            advance(run)
    advance(runs)
    return Trial(bit, runs, right, wrong)


def _guess(adversary: CounterexampleAdversary, mechanism: Chain, coins: Coins) -> int | None:
    """The bit that the adversary reads off, if it does: the last answer, as ``learned_bit``."""
    send = mechanism.start(coins=coins).send
    state: Any = adversary.initial_state
    heard: Any = EMPTY
    while True:
        state, message = adversary.step(state, heard, coins)
        if message is HALT:
            return heard if type(heard) is int else None
        heard = send(message)


def telling_view(adversary: CounterexampleAdversary, seed: int | None) -> View:
    """A view in which the adversary learned the bit, if one turns up soon."""
    game = counterexample_game(adversary.delta)
    view = game.play(adversary, bit=1, seed=stream(seed, 2, 0))
    for number in range(1, _TRIES):
        if learned_bit(view) is not None:
            break
        view = game.play(adversary, bit=1, seed=stream(seed, 2, number))
    return view


def guarded_view(adversary: CounterexampleAdversary, seed: int | None) -> View:
    """The same adversary against f_{∞,FPC}, whose verifier halts it."""
    game = counterexample_game(adversary.delta, first_pair_consistent=True)
    return game.play(adversary, bit=1, seed=stream(seed, 3))
