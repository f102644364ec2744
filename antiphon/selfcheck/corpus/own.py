"""Targets of our own that are no mechanism of the library, beside twins that a bug makes leak."""

from __future__ import annotations

import math
from collections.abc import Iterator

from antiphon.protocol.messages import Pair
from antiphon.selfcheck.corpus.as_claimed import as_claimed
from antiphon.selfcheck.corpus.entry import Entry, Truth
from antiphon.selfcheck.corpus.inputs import saying
from antiphon.selfcheck.corpus.targets.composed import composition_targets
from antiphon.selfcheck.corpus.targets.interactive import (
    GaussianNoise,
    ResponseFilter,
    gaussian_delta,
)


def own_targets() -> Iterator[Entry]:
    """Every one of them."""
    yield from _filters()
    yield from _gaussian()
    yield from composition_targets()


def _filters() -> Iterator[Entry]:
    prices = [Pair((growth, 0), (growth, 1)) for growth in (2, 2, 3)]
    right, late = ResponseFilter(), ResponseFilter(late=True)
    yield as_claimed("filter", right, saying("ln 2, ln 3", prices[1:]), Truth(math.log(6)))
    asked = saying("ln 2, ln 2, ln 3", prices)
    yield as_claimed("filter that charges after running", late, asked, Truth(math.log(12)))


def _gaussian() -> Iterator[Entry]:
    right, wrong = GaussianNoise(), GaussianNoise(takes_variance=True)
    player = saying("0 | Δ", [Pair(0.0, float(right.sensitivity))])
    ratio = right.sigma / right.sensitivity
    yield as_claimed("Gaussian noise", right, player, Truth(1.0, delta=gaussian_delta(ratio)))
    truth = Truth(delta=gaussian_delta(ratio * wrong.sigma))
    yield as_claimed("Gaussian noise of standard deviation σ²", wrong, player, truth)
