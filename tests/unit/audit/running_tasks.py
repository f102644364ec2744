"""Tasks that workers of the tests run: at the top of a module, so that they can be sent."""

import os
import time
from fractions import Fraction
from pathlib import Path

import attrs
import numpy as np

import antiphon as ap
from antiphon.audit import CounterexampleAdversary, counterexample_game
from antiphon.audit.running import CountViews
from antiphon.numbers.errors import BudgetExceeded

GAME = CountViews(
    CounterexampleAdversary(delta=0.1, copies=5),
    counterexample_game(0.1).mechanism(1),
    feature=len,
)


@ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.BITS)
def noisy(state, bit, coins):
    return state, bit ^ coins.bernoulli(Fraction(1, 3))


@ap.adversary
def asker(answers, coins):
    return ap.HALT if answers else 1


first = lambda answers: answers[0]  # noqa: E731
DECORATED = CountViews(asker, noisy, feature=first)


def indices(chunk):
    """Shows the order of a merge: lists are joined."""
    return [(chunk.index, chunk.size)]


def join(left, right):
    return left + right


def total(chunk):
    """The sum of as many uniform numbers: depends on the seed in every bit."""
    return float(np.random.default_rng(chunk.seed).random(chunk.size).sum())


def add(left, right):
    return left + right


@attrs.frozen
class Dies:
    """Kills its worker on one chunk, as long as it can count a death in the marker file."""

    marker: str
    on: int = 3
    times: int = 1

    def __call__(self, chunk):
        marker = Path(self.marker)
        deaths = len(marker.read_text()) if marker.exists() else 0
        if chunk.index == self.on and deaths < self.times:
            with marker.open("a") as file:
                file.write("x")
            os._exit(7)
        return total(chunk)


@attrs.frozen
class Fails:
    """Raises on one chunk."""

    error: Exception
    on: int = 3

    def __call__(self, chunk):
        if chunk.index == self.on:
            raise self.error
        return total(chunk)


def overspends(chunk):
    raise BudgetExceeded(3, 1, 2)


def imports_nothing_there(chunk):
    import a_module_that_is_not_installed  # noqa: F401


@attrs.frozen
class Slow:
    """Sleeps; says that it has begun by making a file."""

    seconds: float
    begun: str = ""

    def __call__(self, chunk):
        if self.begun:
            Path(self.begun).touch()
        time.sleep(self.seconds)
        return total(chunk)


def killed_by_its_result(chunk):
    return lambda: chunk
