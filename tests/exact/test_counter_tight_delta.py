"""Small counters in the exact engine: the best adversary gets no more than the claim.

Noise is cut off at a few standard deviations and drawn as a finite law, so that the engine can
enumerate it. A run then differs from a real one with probability at most η, the mass that
was cut off, and an (ε, δ) claim becomes (ε, δ + (1 + e^ε)·η).
"""

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

import attrs
import pytest

import antiphon as ap
from antiphon import ContinualMechanism
from antiphon.mechanisms import (
    COUNT,
    BalancedTreeCounter,
    BufferedToeplitzCounter,
    GaussianTreeCounter,
    RefinedTreeCounter,
    SquareRootCounter,
    TreeCounter,
)
from antiphon.protocol import Pure
from antiphon.protocol.measures.conversions import zcdp_epsilon
from antiphon.protocol.registry import set_derived

ROUNDING = 1e-7
"""More than rounding the weights of a law to 2^-60 makes of δ."""


@lru_cache(maxsize=64)
def law(kind, parameter, most):
    """Integer weights of the noise on -most, …, most, and the mass that is cut off."""
    scale = float(parameter)

    def weight(x):
        return math.exp(-abs(x) / scale if kind == "discrete_laplace" else -((x / scale) ** 2) / 2)

    weights = [weight(x) for x in range(-most, most + 1)]
    beyond = 2 * sum(weight(x) for x in range(most + 1, 40 * most))
    return tuple(round(w * 2**60) for w in weights), beyond / (sum(weights) + beyond)


class Cut(ap.Coins):
    """Discrete noise, cut off at 5 (Gaussian) or 14 (Laplace) times its scale."""

    def __init__(self, coins, noted):
        super().__init__()
        self.coins, self.noted = coins, noted

    def draw(self, kind, parameter):
        most = math.ceil((14 if kind == "discrete_laplace" else 5) * parameter)
        weights, beyond = law(kind, parameter, most)
        self.noted.append(beyond)
        return self.coins.categorical(weights) - most


@attrs.frozen(eq=False)
class Answering(ContinualMechanism[Any, Any, Any]):
    """A counter with finite noise that answers each update with the count, then halts."""

    counter: Any
    noted: list = attrs.field(factory=list)

    @property
    def signature(self):
        values = self.counter.signature.updates
        return ap.Signature(values, ap.spaces.Anything(), values)

    @property
    def initial_state(self):
        return self.counter.initial_state

    def step(self, state, message, coins):
        if state.updates >= self.counter.horizon:
            return state, ap.HALT
        cut = Cut(coins, self.noted)
        state, _ = self.counter.step(state, message, cut)
        return self.counter.step(state, COUNT, cut)


def tight(counter, growths):
    """[(growth, the tight δ at ε = ln(growth), how much of it may be due to the cut), …]."""
    mechanism = Answering(counter)
    game = ap.PrivacyGame(mechanism, counter.verification.updates)
    curve = game.privacy_curve(epsilons=map(ap.Log, growths), rounds=counter.horizon)
    most = 2 * counter.horizon * max(mechanism.noted) + ROUNDING  # draws in one run
    return [
        (growth, float(delta), (1 + float(growth)) * most)
        for growth, (_, delta) in zip(growths, curve, strict=True)
    ]


def claimed_delta(counter, growth):
    """The least δ for which the claim gives ε = ln(growth)."""
    measure, epsilon = counter.claims[0].measure, Fraction(math.log(growth))
    if isinstance(measure, Pure):
        return 0.0 if measure.epsilon <= epsilon else 1.0
    low, high = Fraction(1, 2**40), 1 - Fraction(1, 2**40)
    for _ in range(50):
        middle = (low + high) / 2
        if zcdp_epsilon(measure.rho, middle) <= epsilon:
            high = middle
        else:
            low = middle
    return float(high)


SMALL = [
    TreeCounter(horizon=2, epsilon=2),
    TreeCounter(horizon=3, epsilon=4),
    BalancedTreeCounter(horizon=2, epsilon=3, arity=3),
    GaussianTreeCounter(horizon=2, rho=1),
    GaussianTreeCounter(horizon=3, rho=2),
    RefinedTreeCounter(horizon=3, rho=3),
    *(
        kind(horizon=horizon, rho=rho, resolution=4, normalised=normalised)
        for kind in (SquareRootCounter, BufferedToeplitzCounter)
        for horizon, rho in ((2, 1), (2, Fraction(1, 2)))
        for normalised in (False, True)
    ),
]
GROWTHS = [Fraction(3, 2), Fraction(3), Fraction(15, 2), Fraction(20), Fraction(55)]


@pytest.mark.every(6)
@pytest.mark.parametrize("counter", SMALL, ids=repr)
def test_no_adversary_gets_more_than_the_claim(counter):
    found = tight(counter, GROWTHS)
    assert all(delta <= claimed_delta(counter, growth) + cut for growth, delta, cut in found)
    assert found[0][1] > 0.01


def test_laplace_claims_are_tight():
    """An update that lies in as many nodes as any: the loss is all of ε = 2, e² = 7.39."""
    ((_, below, cut), (_, above, _)) = tight(SMALL[0], [Fraction(7), Fraction(15, 2)])
    assert below > 100 * cut
    assert above <= cut


def test_a_counter_with_less_noise_than_it_claims_is_caught():
    tree = attrs.evolve(SMALL[0])
    set_derived(tree, scale=tree.scale / 2)
    assert tight(tree, [Fraction(15, 2)])[0][1] > 0.1
    for kind in (GaussianTreeCounter, BufferedToeplitzCounter):
        more = {"resolution": 4} if kind is BufferedToeplitzCounter else {}
        counter = kind(horizon=2, rho=Fraction(1, 2), **more)
        twin = attrs.evolve(counter)
        if kind is GaussianTreeCounter:
            set_derived(twin, sigma=twin.sigma / 2)
        else:
            set_derived(twin, _only=3 * twin.divisor(0))
        ((growth, delta, cut),) = tight(twin, [Fraction(20)])
        assert delta > claimed_delta(counter, growth) + cut
