"""Gaussian noise and noise on grids in the exact engine: tight δ against the claim.

Noise is cut off and finite, as in ``test_counter_tight_delta``; there, too, what the cut adds.
"""

from fractions import Fraction
from typing import Any

import attrs
import pytest
from test_counter_tight_delta import ROUNDING, Cut, claimed_delta

import antiphon as ap
from antiphon import ContinualMechanism
from antiphon.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    GridGaussian,
    GridLaplace,
)
from antiphon.protocol.spaces import Anything, Finite, Integers
from antiphon.verifiers import Within, neighbouring_start

GROWTHS = [Fraction(3, 2), Fraction(3), Fraction(15, 2), Fraction(55)]


@attrs.frozen(eq=False)
class OnDatasets(ContinualMechanism[Any, Any, Any]):
    """A NIM with finite noise, on some datasets."""

    mechanism: Any
    datasets: Any
    noted: list = attrs.field(factory=list)

    @property
    def signature(self):
        return ap.Signature(self.datasets, Anything(), self.datasets)

    @property
    def initial_state(self):
        return self.mechanism.initial_state

    def step(self, state, message, coins):
        return self.mechanism.step(state, message, Cut(coins, self.noted))


def tight(mechanism, datasets, f=None):
    """[(growth, the tight δ at ε = ln(growth), how much of it may be due to the cut), …]."""
    played = OnDatasets(mechanism, datasets)
    game = ap.PrivacyGame(played, f or mechanism.verification)
    curve = game.privacy_curve(epsilons=map(ap.Log, GROWTHS), rounds=1)
    most = 2 * max(played.noted) + ROUNDING
    return [
        (growth, float(delta), (1 + float(growth)) * most)
        for growth, (_, delta) in zip(GROWTHS, curve, strict=True)
    ]


NOISE = [
    (DiscreteGaussian(rho=Fraction(1, 2)), Integers(0, 1)),
    (DiscreteGaussian(rho=2, sensitivity=3), Integers(0, 3)),
    (DiscreteLaplace(epsilon=1, sensitivity=2), Integers(0, 2)),
    (GridGaussian(rho=1, sensitivity=0.4, step_size=0.25), Finite((0.0, 0.1, 0.25, 0.4, 0.5))),
    (GridLaplace(epsilon=2, sensitivity=0.4, step_size=0.25), Finite((0.0, 0.1, 0.25, 0.4, 0.5))),
]  # fmt: skip


@pytest.mark.parametrize(("mechanism", "datasets"), NOISE, ids=repr)
def test_the_tight_delta_is_at_most_the_claim(mechanism, datasets):
    found = tight(mechanism, datasets)
    assert all(delta <= claimed_delta(mechanism, growth) + cut for growth, delta, cut in found)
    assert any(delta > 10 * cut for growth, delta, cut in found)


@pytest.mark.parametrize(
    ("mechanism", "datasets", "distance"),
    [
        (DiscreteGaussian(rho=Fraction(1, 2)), Integers(0, 3), 3),
        (GridGaussian(rho=1, sensitivity=0.4, step_size=0.25), Finite((0.0, 1.5)), 1.5),
        (GridLaplace(epsilon=1, sensitivity=0.4, step_size=0.25), Finite((0.0, 2.0)), 2),
    ],
    ids=repr,
)
def test_neighbours_further_apart_are_noticed(mechanism, datasets, distance):
    found = tight(mechanism, datasets, neighbouring_start(Within(distance)))
    assert any(delta > claimed_delta(mechanism, growth) + cut for growth, delta, cut in found)
