"""Softmax, on the left of what answers each loss by sums."""

from fractions import Fraction

import attrs
import numpy as np
import pytest

import antiphon as ap
from antiphon import Log
from antiphon.learners import Softmax, contest, games
from antiphon.mechanisms import DiscreteGaussian
from antiphon.protocol import RecordedCoins, SampledCoins
from antiphon.protocol.coins.tapes import outcomes
from antiphon.protocol.messages import HALT, freeze
from antiphon.protocol.spaces import Arrays, Signature


@attrs.frozen
class Sums(ap.ContinualMechanism):
    """Answers each loss by the sums so far, without noise."""

    experts: int
    dtype: str = "int64"

    @property
    def signature(self):
        losses = Arrays((self.experts,), "int64", 0, 1)
        return Signature(losses, Arrays((self.experts,), self.dtype), losses)

    @property
    def initial_state(self):
        return (0,) * self.experts

    def step(self, state, message, coins):
        state = tuple(a + int(b) for a, b in zip(state, message, strict=True))
        return state, freeze(np.array(state, self.dtype))


def test_it_draws_by_the_weights_of_the_sums():
    chain = Softmax(rate=Log(3)) @ Sums(2)

    def play(coins):
        state = chain.initial_state
        for loss in ((1, 0), (1, 0), (0, 1)):
            state, answer = chain.step(state, np.array(loss), coins)
        return answer

    found = sum(p for p, answer in outcomes(play) if answer == 0)
    assert found == Fraction(1, 3**2) / (Fraction(1, 3**2) + Fraction(1, 3))


def test_sums_in_doubles_are_rounded_to_parts_of_one():
    coins = RecordedCoins(SampledCoins(1))
    softmax = Softmax(rate=Fraction(1, 2))
    sums = np.array([0.25, -1e300, 1e300, 3.0])
    softmax.step(None, ap.Side.RIGHT, sums, coins)
    ((kind, (rate, scores), _),) = coins.take()
    assert (kind, rate) == ("categorical_exp", Fraction(1, 512))
    assert np.frombuffer(scores, np.int64).tolist() == [-64, 2**52, -(2**52), -768]
    whole = np.array([2**63 - 1, -(2**63), 5])
    softmax.step(None, ap.Side.RIGHT, whole, coins)
    ((_, (rate, scores), _),) = coins.take()
    assert rate == Fraction(1, 2)
    assert np.frombuffer(scores, np.int64).tolist() == [-(2**52), 2**52, -5]


def test_its_guarantee_is_that_of_the_right():
    noisy = DiscreteGaussian(rho=0.1, dimension=3)
    found, alone = ap.guarantee(Softmax(rate=1) @ noisy), ap.guarantee(noisy)
    assert found.status is alone.status
    assert found.epsilon_at(1e-6) == alone.epsilon_at(1e-6)


def test_a_halt_goes_left():
    softmax = Softmax(rate=1)
    assert softmax.step(None, ap.Side.RIGHT, HALT, SampledCoins(1))[1:] == (
        ap.Side.LEFT, HALT,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rate", "right", "text"),
    [(1, ap.mechanisms.TreeCounter(horizon=3, epsilon=1), "arrays of sums"),
     (Log(2), Sums(2, "float64"), "whole numbers")],
)  # fmt: skip
def test_a_right_that_does_not_fit_is_refused(rate, right, text):
    with pytest.raises(ap.CompositionError, match=text):
        Softmax(rate=rate) @ right


@pytest.mark.every(2)
@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_it_plays_a_contest_without_being_asked(dtype):
    """Means of 20 games: Hedge has about 40 here, uniform play 184."""
    game = games.StochasticGap(rounds=2048, experts=10)
    chain = Softmax(rate=0.1) @ Sums(10, dtype)
    found = contest(chain, game, seed=1, executor="serial", repetitions=5)
    assert 0 < found.mean[-1] < 90
