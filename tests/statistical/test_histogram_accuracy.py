"""HSS errs by more than it says with probability at most β: by simulation, with broken twins.

n = 300 runs each every day, or 400, β = 0.3. Twins fail in at least 70 % of the runs. Level and
power: ``bounds``.
"""

from functools import cache

import bounds
import pytest
from trying import sized

import antiphon as ap
from antiphon.composition import ComplexMechanism
from antiphon.mechanisms import HSS, ContinualHistogram, HSSWithoutTest, KthLargest
from antiphon.protocol import SampledCoins

RUNS, STEPS, BETA = sized(300, 400), 250, 0.3
ALPHA = bounds.level("statistical/test_histogram_accuracy", 5)
MOST = bounds.at_most(RUNS, BETA, ALPHA)


class Watched(ap.Coins):
    """Tossed coins whose noise is ``factor`` times as large, and what they gave, by scale."""

    def __init__(self, seed, factor=1):
        super().__init__()
        self.inner, self.factor, self.heard = SampledCoins(seed), factor, {}

    def draw(self, kind, parameter):
        value = self.factor * self.inner.draw(kind, parameter)
        self.heard.setdefault(parameter, []).append(value)
        return value


@cache
def runs(kind, factor=1):
    """[(P, noise by scale, H's errors by j, errors as (error, t, j) at each t) of every run]."""
    histogram = ContinualHistogram.pure(dimension=1, epsilon=0.7)  # noise of a scale of its own
    hss = kind(epsilon=2, query=KthLargest(), dimension=1, beta=BETA, histogram=histogram)
    system, found = ComplexMechanism(hss), []
    for seed in map(bounds.seeded, range(RUNS)):
        coins, state, errors = Watched(seed, factor), system.initial_state, []
        h, ended = state[0].interval.h, {}
        for t in range(1, STEPS + 1):
            state, (out, j) = system.step(state, (1,), coins)
            if state[0].interval.h is not h:
                h, ended[j - 1] = state[0].interval.h, abs(state[0].interval.h[0] - t)
            errors.append((abs(out - t), t, j))
        found.append((hss, coins.heard, ended, errors))
    return found


def noise_is_larger(hss, heard, ended, share):
    """Whether any noise is larger than the part that the proof of accuracy allows it."""
    slack = hss.slack
    thresholds, queries = heard[slack.threshold], heard[slack.query]
    tests = heard.get(slack.test, []) if type(hss) is HSS else []
    return (
        any(abs(v) > share * (slack.alpha(1, j) - slack.of_query(1))
            for j, v in enumerate(thresholds, start=1))
        or any(abs(v) > share * slack.of_query(t) for t, v in enumerate(queries, start=1))
        or any(abs(v) > share * slack.of_test(j) for j, v in enumerate(tests, start=1))
        or any(v > share * slack.of_histogram(j) for j, v in ended.items())
    )  # fmt: skip


def failures(kind, *, factor=1, share=1):
    return sum(noise_is_larger(hss, heard, ended, share)
               for hss, heard, ended, _ in runs(kind, factor))  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", [HSS, HSSWithoutTest])
def test_noise_is_as_bounded(kind):
    """All of γ, ξ and Γ is made of these bounds. They are no larger than they must be, either."""
    assert 10 < failures(kind) <= MOST


@pytest.mark.slow
@pytest.mark.parametrize("kind", [HSS, HSSWithoutTest])
def test_noise_of_twice_the_size_is_noticed(kind):
    assert bounds.chernoff_power(RUNS, BETA, 0.7, ALPHA) >= 1 - bounds.BETA
    assert failures(kind, factor=2) > MOST


@pytest.mark.slow
@pytest.mark.parametrize("kind", [HSS, HSSWithoutTest])
def test_bounds_of_half_the_size_are_noticed(kind):
    assert failures(kind, share=0.5) > MOST


@pytest.mark.slow
@pytest.mark.parametrize("kind", [HSS, HSSWithoutTest])
def test_errors_and_intervals_are_as_bounded(kind):
    failed = ends = 0
    bound = cache(runs(kind)[0][0].error_bound)
    for hss, _, _, errors in runs(kind):
        ends += errors[-1][2] - 1
        failed += any(error > bound(t, j) for error, t, j in errors) or (
            errors[-1][2] > hss.most_intervals(STEPS)
        )
    assert ends >= RUNS  # intervals do end
    assert failed <= MOST


def test_an_approximate_histogram_too():
    """H of Gaussian trees: n = 200 runs of 3 inputs."""
    histogram = ContinualHistogram.concentrated(dimension=4, rho=0.5, delta=1e-6)
    bound, failed, coins = (
        histogram.error_bound(3, beta=BETA),
        0,
        SampledCoins(seed=bounds.seeded(2)),
    )
    for _ in range(200):
        state = histogram.initial_state
        for _ in range(3):
            state, answer = histogram.step(state, (2, 0, 1, 3), coins)
        failed += any(abs(a - 3 * b) > bound for a, b in zip(answer, (2, 0, 1, 3), strict=True))
    assert failed <= bounds.at_most(200, BETA, ALPHA)
