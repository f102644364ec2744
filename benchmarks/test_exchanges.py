"""An exchange beside the same post-processor written by hand, in turn on the same machine.

    make bench ARGS="-k exchange"

Target: at most 1.3 times as long, hop by hop; the session around both is the same.
"""

from __future__ import annotations

from time import process_time
from typing import Any, NamedTuple

import pytest

import antiphon as ap
from antiphon.composition import ComplexMechanism
from antiphon.mechanisms import Echo

LEFT, RIGHT = ap.Side
ECHO = ap.Create(Echo())
INTEGERS = ap.Signature(ap.spaces.Integers(), ap.spaces.Integers())
ROUNDS, MESSAGES = 60, 500


class Once(ap.ExchangePostProcessor[int]):
    """Creates an Echo on its first message, and asks it each."""

    initial_state = 0

    def signature(self, right: Any) -> Any:
        return INTEGERS

    def exchange(self, told, message):
        if not told:
            yield ECHO
        heard = yield ap.Ask(message, 0)
        return told + 1, heard


class Notes(NamedTuple):
    told: int
    waiting: int | None


class OnceByHand(ap.PostProcessor[Notes]):
    """The same, as a machine with states."""

    initial_state = Notes(0, None)
    deterministic = True

    def signature(self, right: Any) -> Any:
        return INTEGERS

    def step(self, state, side, message, coins):
        told, waiting = state
        if side is LEFT:
            if told:
                return Notes(told, None), RIGHT, ap.Ask(message, 0)
            return Notes(told, message), RIGHT, ECHO
        if waiting is not None:
            return Notes(told, None), RIGHT, ap.Ask(waiting, 0)
        return Notes(told + 1, None), LEFT, message


class Often(ap.ExchangePostProcessor[int]):
    """Asks the right sixteen times."""

    initial_state = 0

    def exchange(self, told, message):
        total = 0
        for _ in range(16):
            total += yield message
        return told + 1, total


class Adding(NamedTuple):
    told: int
    message: int
    asked: int
    total: int


class OftenByHand(ap.PostProcessor[Adding]):
    """The same, as a machine with states."""

    initial_state = Adding(0, 0, 0, 0)
    deterministic = True

    def step(self, state, side, message, coins):
        told, asking, asked, total = state
        if side is LEFT:
            return Adding(told, message, 1, 0), RIGHT, message
        if asked < 16:
            return Adding(told, asking, asked + 1, total + message), RIGHT, asking
        return Adding(told + 1, 0, 0, 0), LEFT, total + message


def hops(part):
    """A message through P alone, each of its questions answered with a 1."""
    step, state = part.step, part.initial_state
    for _ in range(MESSAGES):
        state, side, _sent = step(state, LEFT, 7, None)
        while side is RIGHT:
            state, side, _sent = step(state, RIGHT, 1, None)


def sent(part):
    """A message through a live session of P ∘* ExtConComp."""
    send = ComplexMechanism(part).start().send
    for _ in range(MESSAGES):
        send(7)


def least(run, *parts):
    """The least µs a message for each, tried in turn: the machine's pace is alike for all."""
    best = [float("inf")] * len(parts)
    for _ in range(ROUNDS):
        for place, part in enumerate(parts):
            started = process_time()
            run(part)
            best[place] = min(best[place], (process_time() - started) / MESSAGES * 1e6)
    return best


@pytest.mark.benchmark(group="exchanges beside post-processors written by hand")
@pytest.mark.parametrize(
    ("name", "run", "parts"),
    [
        ("P alone, one question", hops, (Once(), OnceByHand())),
        ("P alone, sixteen", hops, (Often(), OftenByHand())),
        ("a session, one question", sent, (Once(), OnceByHand())),
    ],
    ids=["hops", "many hops", "session"],
)
def test_exchange(benchmark, name, run, parts):
    ours, by_hand = benchmark.pedantic(lambda: least(run, *parts), rounds=1)
    benchmark.extra_info[f"{name}, times as long"] = round(ours / by_hand, 3)
    benchmark.extra_info["µs by hand"] = round(by_hand, 3)
