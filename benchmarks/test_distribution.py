"""Learners of distributions under local privacy: many users at once, and in a session.

    make bench ARGS="-k distribution"

K = 32 hypotheses, M = 5000 labels. For each test the time of one user is in its extra_info.
"""

from __future__ import annotations

import pytest

from antiphon.composition import ComplexMechanism
from antiphon.learners.distribution import (
    AllCoordinates,
    Hypotheses,
    LocalMixture,
    OneCoordinate,
    WholeLabel,
)
from antiphon.protocol import SampledCoins

USERS = 2_000
CLASS = Hypotheses.dirichlet(contexts=4, count=32, labels=5000, key=1)
CHANNELS = pytest.mark.parametrize(
    "channel",
    [OneCoordinate(epsilon=1), AllCoordinates(epsilon=1, delta=1e-6), WholeLabel(epsilon=1)],
    ids=lambda each: type(each).__name__,
)


def report(benchmark) -> None:
    """Note the time of one user; nothing where it is disabled."""
    if benchmark.stats is not None:
        each = benchmark.stats.stats.min / USERS * 1e6
        benchmark.extra_info["µs a user"] = round(each, 3)
        print(f"\n{each:.3f} µs a user")


@CHANNELS
def test_distribution_learner_follows(benchmark, channel):
    learner = LocalMixture(hypotheses=CLASS, horizon=10**5, channel=channel)
    contexts, labels = CLASS.users(1, USERS)
    benchmark(lambda: list(learner.follow(contexts, labels, SampledCoins(1))))
    report(benchmark)


@CHANNELS
def test_distribution_learner_in_a_session(benchmark, channel):
    learner = LocalMixture(hypotheses=CLASS, horizon=10**5, channel=channel)
    contexts, labels = CLASS.users(1, USERS)
    users = list(zip(contexts.tolist(), labels.tolist(), strict=True))

    def play():
        session = ComplexMechanism(learner).start(seed=1)
        for user in users:
            session.send(user)

    benchmark(play)
    report(benchmark)
