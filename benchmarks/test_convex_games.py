"""Learners in a body, one round at a time and whole games; and the best in hindsight.

    make bench ARGS="-k convex_games"

A *round* is the advice and then the datum; for each test of rounds the time of one is in its
extra_info. ``descent_by_hand`` is projected gradient descent in NumPy, which is no mechanism. Of
``optimum`` the certified gap is noted, for 2^16 data that are all different, and how long a contest
looks for it at all its checkpoints.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from antiphon.learners import ADVICE, contest, games
from antiphon.learners.convex import (
    AbsoluteLoss,
    Ball,
    Box,
    GradientDescent,
    LogisticLoss,
    Origin,
    SquaredLoss,
    optimum,
)
from antiphon.protocol import SampledCoins

DIMENSION, ROUNDS = 20, 1 << 12
BALL = Ball(dimension=DIMENSION)
GAP = games.LinearGap(rounds=ROUNDS, body=BALL)


def report(benchmark, rounds: int) -> None:
    """Note the time of one round; nothing where benchmarks are disabled."""
    if benchmark.stats is not None:
        each = benchmark.stats.stats.min / rounds * 1e6
        benchmark.extra_info["µs a round"] = round(each, 3)
        print(f"\n{each:.3f} µs a round")


def table(loss, body, rounds: int) -> games.DataTable:
    """Random features of norm 1, and labels that a point explains in part."""
    draw = np.random.default_rng(0)
    features = draw.normal(size=(rounds, DIMENSION))
    features /= np.linalg.norm(features, axis=1)[:, None]
    labels = np.sign(features @ np.ones(DIMENSION) + draw.normal(size=rounds) / 2)
    return games.DataTable.of(features, labels, loss=loss, body=body, bound=1)


def made(kind, game):
    return kind(horizon=game.rounds, body=game.body, loss=game.convex_loss)


@pytest.mark.parametrize("kind", [GradientDescent, Origin])
@pytest.mark.benchmark(group="convex games: steps")
def test_a_session(benchmark, kind):
    learner, data = made(kind, GAP), GAP.losses(1, 0)

    def play():
        session = learner.start()
        for datum in data:
            session.send(ADVICE)
            session.send(datum)

    benchmark(play)
    report(benchmark, len(data))


@pytest.mark.parametrize("kind", [GradientDescent, Origin])
@pytest.mark.benchmark(group="convex games: whole games")
def test_whole_games(benchmark, kind):
    learner, data = made(kind, GAP), GAP.losses(1, 0)
    benchmark(lambda: learner.follow(learner.initial_state, data, SampledCoins()))
    report(benchmark, len(data))


@pytest.mark.benchmark(group="convex games: whole games")
def test_descent_by_hand(benchmark):
    data = GAP.losses(1, 0)

    def play():
        point = np.zeros(DIMENSION)
        for time, datum in enumerate(data, 1):
            point = point - math.sqrt(2 / time) * datum / 1024
            norm = math.sqrt(point @ point)
            if norm > 1:
                point = point / norm

    benchmark(play)
    report(benchmark, len(data))


@pytest.mark.parametrize("body", [Ball, Box])
@pytest.mark.parametrize("loss", [SquaredLoss, LogisticLoss, AbsoluteLoss])
@pytest.mark.benchmark(group="convex games: the best in hindsight")
def test_optimum(benchmark, loss, body):
    game = table(loss, body(dimension=DIMENSION), 1 << 16)
    found = benchmark.pedantic(
        lambda: optimum(game.convex_loss, game.body, game.table), rounds=1, iterations=1
    )
    benchmark.extra_info["gap"] = found.gap


@pytest.mark.parametrize("name", ["gap", "table"])
@pytest.mark.benchmark(group="convex games: contests")
def test_a_contest(benchmark, name):
    rounds = 1 << 14
    game = games.LinearGap(rounds=rounds, body=BALL)
    if name == "table":
        game = table(LogisticLoss, BALL, rounds)
    learner = made(Origin, game)
    benchmark.pedantic(
        lambda: contest(learner, game, repetitions=2, seed=1, executor="serial"), rounds=1
    )
    report(benchmark, 2 * rounds)
