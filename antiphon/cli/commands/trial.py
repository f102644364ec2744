"""The counterexample of CM §5.2, played many times."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

from antiphon.audit.counterexample import CounterexampleAdversary, counterexample_game, learned_bit
from antiphon.numbers.errors import Intractable
from antiphon.populations.play import play_population
from antiphon.protocol.records.view import View

_MOST_BITS = 1 << 18
_TRIES = 200


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


def trial(adversary: CounterexampleAdversary, bit: int, runs: int, seed: int | None) -> Trial:
    """Play ``runs`` games in the world ``bit``, as one population: all alike step once."""
    mechanism = counterexample_game(adversary.delta).mechanism(bit)
    counts = play_population(
        adversary, mechanism, replicas=runs, feature=_guess, seed=stream(seed, bit)
    )
    return Trial(bit, runs, counts.get(bit, 0), counts.get(1 - bit, 0))


def _guess(answers: Sequence[object]) -> int | None:
    """The bit that the adversary reads off, if it does: the last answer, as ``learned_bit``."""
    return answers[-1] if type(answers[-1]) is int else None


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
