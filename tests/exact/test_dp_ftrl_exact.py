"""DP-FTRL in the exact engine: no adversary gets more than is claimed; of three twins one does.

Noise is cut off and drawn as a finite law, as in ``test_counter_tight_delta``.
"""

import math
from typing import Any

import attrs
import numpy as np
import pytest
from test_counter_tight_delta import ROUNDING, Cut

import antiphon as ap
from antiphon import ContinualMechanism, Log
from antiphon.learners import ADVICE
from antiphon.learners.convex import (
    Ball,
    HedgedLeader,
    LinearLoss,
    RegularisedLeader,
)
from antiphon.learners.convex.convex_losses import RowByRow
from antiphon.learners.specimens.convex import BoxClipped, Remembering
from antiphon.mechanisms import GaussianTreeCounter
from antiphon.protocol.messages import EMPTY
from antiphon.protocol.spaces import Anything, Arrays

GROWTHS = (1.5, 3, 8)


@attrs.frozen(kw_only=True)
class Distance(RowByRow):
    """|x - z|, whose gradient depends on where one stands."""

    @property
    def data(self):
        return Arrays((self.dimension,), "int64", -self.grid, self.grid)

    def lipschitz(self, body):
        return 1.0

    def value(self, point, datum):
        return float(abs(point[0] - datum[0] / self.grid))

    def gradient(self, point, datum):
        return np.sign(point - datum / self.grid)


@attrs.frozen(eq=False)
class Standing(ContinualMechanism[Any, Any, Any]):
    """A learner with finite noise that says after each datum where it stands, then halts."""

    learner: Any
    noted: list = attrs.field(factory=list)

    @property
    def signature(self):
        updates = self.learner.signature.updates
        return ap.Signature(updates, Anything(), updates)

    @property
    def initial_state(self):
        return 0, self.learner.initial_state

    def step(self, state, message, coins):
        rounds, inner = state
        if rounds == self.learner.mechanism.horizon:
            return state, ap.HALT
        cut = Cut(coins, self.noted)
        inner, _ = self.learner.step(inner, message, cut)
        inner, point = self.learner.step(inner, ADVICE, cut)
        return (rounds + 1, inner), tuple(point.tolist())


def built(kind=RegularisedLeader, horizon=1, dimension=2, steps=2, rho=2, start=1000, **changed):
    parameters = {
        "body": Ball(dimension=dimension), "loss": LinearLoss(dimension=dimension, grid=1),
        "steps": steps, "clip": 1, "start": start,
    }  # fmt: skip
    leader = kind(**parameters | changed)
    return leader @ GaussianTreeCounter(
        horizon=horizon, dimension=leader.width, smallest=-steps, largest=steps, rho=rho,
        sensitivity=leader.sensitivity,
    )  # fmt: skip


def excess(learner, data, growths=GROWTHS):
    """By how much the tight δ is above the claimed one, at most what the cut may have added."""
    mechanism, (leader,) = Standing(learner), learner.links
    game = ap.PrivacyGame(mechanism, leader.verification.updates)
    horizon = learner.mechanism.horizon
    curve = game.privacy_curve(epsilons=map(Log, growths), rounds=horizon, queries=data)
    cut = 2 * horizon * leader.width * max(mechanism.noted) + ROUNDING
    promise = ap.guarantee(learner)
    claimed = [promise.delta_at(math.log(growth)) for growth in growths]
    rows = zip(growths, claimed, curve, strict=True)
    return [float(tight) - delta - (1 + growth) * cut for growth, delta, (_, tight) in rows]


LINE = [np.array([each]) for each in (-1, 1)]
PLANE = [np.array(each) for each in ((1, 0), (-1, 0), (1, 1), (-1, -1))]


@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("learner", "data"),
    [
        (built(), PLANE),
        (built(start=1), PLANE),
        (built(zero_out=True), [*PLANE[:3], EMPTY]),
        (built(horizon=2, dimension=1, steps=1), LINE),
        (built(horizon=2, dimension=1, steps=1, loss=Distance(dimension=1, grid=2)),
         [*LINE, np.array([2])]),
        (built(horizon=2, dimension=1, steps=1, rho=4, start=0, growth=3,
               loss=Distance(dimension=1, grid=2)), LINE),
        (built(HedgedLeader, horizon=2, dimension=1, rho=80, start=1, caution=9, spread=2,
               loss=Distance(dimension=1, grid=1)), LINE),
        (built(horizon=3, dimension=1, steps=1, rho=8, loss=Distance(dimension=1, grid=1)), LINE),
    ])  # fmt: skip
def test_no_adversary_gets_more_than_is_claimed(learner, data):
    assert max(excess(learner, data)) < 0


@attrs.frozen(kw_only=True)
class ScaledUp(RegularisedLeader):
    """Clips, and then finds that it was meant in other units."""

    def gradient(self, point, datum):
        return 2 * RegularisedLeader.gradient(self, point, datum)


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("kind", "data"),
    [(BoxClipped, PLANE[2:]), (Remembering, PLANE[:2]), (ScaledUp, PLANE[2:])],
)
def test_twins_are_refuted(kind, data):
    learner = built(rho=4, steps=4)
    (leader,), right = learner.links, learner.mechanism
    other = kind(leader) @ right if kind is Remembering else built(kind, rho=4, steps=4)
    honest, twin = (excess(each, data, (400, 3000)) for each in (learner, other))
    assert max(honest) < 0 < max(twin)
