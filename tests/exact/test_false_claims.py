"""A simulator of a mechanism whose claim is false says so, as soon as the claim is put to use."""

from fractions import Fraction

import pytest

import antiphon as ap
from antiphon import Log, Side
from antiphon.audit import lyu, vadhan_wang
from antiphon.mechanisms import RandomizedResponse
from antiphon.protocol import SampledCoins


@pytest.mark.parametrize("epsilon", [Log(2), Log(Fraction(29, 10))])
def test_a_pure_claim_that_is_false_is_named(epsilon):
    simulator = vadhan_wang(RandomizedResponse(epsilon=Log(3)), epsilon=epsilon)
    with pytest.raises(ap.CompositionError, match="not epsilon-DP: its claim is false"):
        simulator.step(simulator.initial_state, Side.LEFT, ap.Pair(0, 1), SampledCoins(1))


def test_an_approximate_claim_that_is_false_is_named():
    """The tight δ of RR with ε = ln 3 at ε = ln 2 is 1/4."""
    rr = RandomizedResponse(epsilon=Log(3))
    for delta, false in ((Fraction(1, 4), False), (Fraction(24, 100), True)):
        simulator = lyu(rr, epsilon=Log(2), delta=delta, rounds=1)
        step = (simulator.initial_state, Side.LEFT, ap.Pair(0, 1), SampledCoins(1))
        if false:
            with pytest.raises(ap.CompositionError, match="claim is false"):
                simulator.step(*step)
        else:
            simulator.step(*step)
