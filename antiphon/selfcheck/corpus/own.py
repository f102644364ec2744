"""Interactive and continual targets of our own, beside twins that a bug makes leak."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from antiphon.mechanisms.counters import COUNT, TreeCounter
from antiphon.mechanisms.leaky_bit import TWO_BITS, LeakyBit
from antiphon.mechanisms.randomized_response import RandomizedResponse
from antiphon.numbers.exact import Log
from antiphon.protocol.claims import Status
from antiphon.protocol.messages import Pair, same
from antiphon.selfcheck.corpus.entry import Entry, Truth
from antiphon.selfcheck.corpus.inputs import saying
from antiphon.selfcheck.corpus.ours.answers import as_claimed, mechanisms_that_answer_once
from antiphon.selfcheck.corpus.ours.histograms import mechanisms_on_histograms
from antiphon.selfcheck.corpus.ours.streams import mechanisms_that_go_on
from antiphon.selfcheck.corpus.ours.systems import systems
from antiphon.selfcheck.corpus.targets.composed import composition_targets
from antiphon.selfcheck.corpus.targets.interactive import (
    GaussianNoise,
    LaggingCounter,
    ResponseFilter,
    SharedNoiseCounter,
    gaussian_delta,
)
from antiphon.selfcheck.corpus.targets.miswired import LastMessageOnly
from antiphon.selfcheck.corpus.targets.stated import claimed

TENTH: Final = Fraction(1, 10)
DIFFER: Final = Pair(0, 1)


def own_targets() -> Iterator[Entry]:
    """Every one of them."""
    yield from _finite()
    yield from _continual()
    yield from _gaussian()
    yield from composition_targets()
    yield from mechanisms_that_answer_once()
    yield from mechanisms_that_go_on()
    yield from mechanisms_on_histograms()
    yield from systems()


def _finite() -> Iterator[Entry]:
    response = RandomizedResponse(epsilon=Log(3), delta=Fraction(1, 7))
    yield as_claimed(
        "randomized response", response, saying("0 | 1", [DIFFER]), Truth(math.log(3), delta=1 / 7)
    )
    leaky = LeakyBit(delta=TENTH)
    asked = saying("00 | 01", [same(0), DIFFER])
    yield as_claimed("M_δ", leaky, asked, Truth(0.0, delta=0.1))
    forgetful = LastMessageOnly(TWO_BITS)
    (false,) = claimed(forgetful, Status.REFUTED, "checks one pair", epsilon=0, delta=TENTH)
    asked = saying("000000 | 000001", [*[same(0)] * 5, DIFFER])
    truth = Truth(math.inf, delta=1 - 0.9**5)
    yield Entry("M_δ, V checks only the last message", leaky, false, (asked,), truth)
    prices = [Pair((growth, 0), (growth, 1)) for growth in (2, 2, 3)]
    right, late = ResponseFilter(), ResponseFilter(late=True)
    yield as_claimed("filter", right, saying("ln 2, ln 3", prices[1:]), Truth(math.log(6)))
    asked = saying("ln 2, ln 2, ln 3", prices)
    yield as_claimed("filter that charges after running", late, asked, Truth(math.log(12)))


def _continual() -> Iterator[Entry]:
    zeros, count = [same(0)] * 8, same(COUNT)
    early = [message for update in (DIFFER, *zeros[1:]) for message in (update, count)]
    tree = TreeCounter(horizon=8, epsilon=1)
    yield as_claimed("tree counter", tree, saying("x₁ differs", early), Truth(1.0))
    lags = saying("x₁ differs", [*early, *[same(0), count]])
    yield as_claimed("tree counter that lags by one", LaggingCounter(tree), lags, Truth(1.0))
    late = [message for update in (*zeros[:2], DIFFER) for message in (update, count)]
    shared = SharedNoiseCounter(horizon=8, epsilon=1)
    player = saying("x₃ differs", late)
    yield as_claimed("tree counter that reuses noise", shared, player, Truth(math.inf, delta=1.0))


def _gaussian() -> Iterator[Entry]:
    right, wrong = GaussianNoise(), GaussianNoise(takes_variance=True)
    player = saying("0 | Δ", [Pair(0.0, float(right.sensitivity))])
    ratio = right.sigma / right.sensitivity
    yield as_claimed("Gaussian noise", right, player, Truth(1.0, delta=gaussian_delta(ratio)))
    truth = Truth(delta=gaussian_delta(ratio * wrong.sigma))
    yield as_claimed("Gaussian noise of standard deviation σ²", wrong, player, truth)
