"""Figures and answers, each at a value that tells it from the one beside it."""

import math
from fractions import Fraction

import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon.learners import NoisyLeader
from antiphon.learners.experts import noisy_leader
from antiphon.mechanisms import (
    COUNT,
    AboveThreshold,
    BufferedToeplitzCounter,
    ContinualHistogram,
    HistogramMonitor,
    KthLargest,
    NumericSparseVector,
    RefinedTreeCounter,
    SparseVector,
    TreeCounter,
    UnboundedCounter,
)
from antiphon.mechanisms.counters import tails
from antiphon.mechanisms.counters.factors.rows import Row, integers, nearest
from antiphon.mechanisms.counters.tree_counter import weight
from antiphon.mechanisms.histograms.intervals import clipped
from antiphon.mechanisms.noise.discrete import laplace_bound


class Told(ap.Coins):
    """Draws from a list."""

    def __init__(self, values):
        super().__init__()
        self.values = list(values)

    def draw(self, kind, parameter):
        self.draws += 1
        return self.values.pop(0)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_node_is_averaged_with_its_two_children(place):
    """Noise of a leaf, of the other, of the node above: one alone is 3."""
    coins = Told(3 * (place == each) for each in range(3))
    session = RefinedTreeCounter(horizon=2, rho=0.5).start(coins=coins)
    session.send(0), session.send(0)
    own = Fraction(weight(1), 1 << 16)
    assert abs(own - Fraction(2, 3)) < Fraction(1, 1 << 16)
    assert session.send(COUNT) == 3 * (own if place == 2 else 1 - own)


def test_noise_is_for_the_span_of_an_update():
    wide, moved = (
        TreeCounter(horizon=4, smallest=smallest, largest=largest, epsilon=1)
        for smallest, largest in ((-3, 2), (0, 5))
    )
    assert wide.max_squared_error == moved.max_squared_error


def test_epochs_cost_what_the_counter_claims_and_the_total():
    claim = UnboundedCounter(counter=TreeCounter(horizon=4, epsilon=1)).claims[0]
    assert claim.measure.epsilon == 2


def test_tails_are_of_both_sides():
    assert tails.gaussian_tail(2.0, 0.5) == math.sqrt(4 * math.log(4))
    of_both = [(math.log(2 / 0.01) - 999 * math.log1p(-(g**2))) / g
               for g in np.arange(1, 999) / 999]  # fmt: skip
    found = tails.laplace_tail(Fraction(10), 999, 0.01)
    assert found == pytest.approx(10 * min(of_both), rel=0.01)


@over("scale, count", [(Fraction(1, 2), 3), (Fraction(3, 2), 9), (3, 1), (6, 2), (6, 5)])
def test_a_tail_of_few_draws_is_the_least_but_for_one(scale, count):
    """Against the distribution of the sum itself, by convolution."""
    ratio, ends = math.exp(-1 / float(scale)), np.arange(-300, 301)
    one = (1 - ratio) / (1 + ratio) * ratio ** np.abs(ends)
    summed = one
    for _ in range(count - 1):
        summed = np.convolve(summed, one)
    sizes = np.abs(np.arange(len(summed)) - len(summed) // 2)
    for beta in (0.5, 0.05, 0.01, 1e-6):
        found = tails.laplace_tail(Fraction(scale), count, beta)
        assert summed[sizes > found].sum() <= beta
        assert summed[sizes > found - 2].sum() > beta


def test_entries_past_64_bits_are_clipped():
    assert integers(2**63, 2).tolist() == [2**63 - 1] * 2
    assert integers(-(2**63) - 1, 1).tolist() == [-(2**63)]


def test_a_row_is_rounded_to_the_nearest_as_numbers_are():
    noise, feedback = np.array([5.0, -5.0, 4.0]), np.array([0.25, -0.25, 1.5])
    rounded = nearest(noise.view(Row), feedback.view(Row), 3.0)
    alone = [nearest(*each, 3.0) for each in zip(noise.tolist(), feedback.tolist(), strict=True)]
    assert rounded.tolist() == alone == [2.0, -1.0, 1.0]


def test_a_bound_of_a_sparse_vector_is_of_both_noises():
    sparse = AboveThreshold(epsilon=1)
    parts = [laplace_bound(sparse.threshold_scale, 0.05), laplace_bound(sparse.query_scale, 0.025)]
    assert sparse.error_bound(2, beta=0.1) == sum(parts)


def test_values_of_a_numeric_sparse_vector_have_noise_for_the_sensitivity():
    one, three = (NumericSparseVector(epsilon=1, sensitivity=each) for each in (1, 3))
    assert three.value_scale == 3 * one.value_scale


def test_a_monitor_takes_no_monotone_sparse_vector():
    for kind in (AboveThreshold, SparseVector):
        with pytest.raises(ap.InvalidArgument, match="monotone=False"):
            HistogramMonitor(
                mechanism=kind(epsilon=1, monotone=True), queries=(KthLargest(1),), dimension=2
            )


def test_a_monitor_tells_the_other_part_of_each_update():
    """So that both worlds ask the same of the parts: one message on the right for each update."""
    monitor = HistogramMonitor(
        mechanism=AboveThreshold(epsilon=1), queries=(KthLargest(1),), dimension=2
    )
    exchange = monitor.exchange(((0, 0), True), (0, 1))
    assert next(exchange) == ap.Ask(ap.TOP, 1)


def test_a_histogram_s_bound_is_of_all_its_items():
    histogram = ContinualHistogram(counter=TreeCounter(horizon=8, epsilon=1), dimension=5)
    alone = histogram.counter.error_bound(8, beta=0.02)
    assert histogram.error_bound(8, beta=0.1) == math.floor(alone)


def test_no_count_is_negative():
    assert clipped((-2, 0, 3)) == (0, 0, 3)


def test_regret_is_bounded_by_errors_in_steps_of_the_grid():
    counters = [
        BufferedToeplitzCounter(horizon=64, dimension=2, largest=g, rho=0.5) for g in (1, 8)
    ]
    one, eight = (noisy_leader.regret_bound(0.1, each) for each in counters)
    assert eight == pytest.approx(one, rel=0.02)  # noise grows with the grid, losses do too
    assert NoisyLeader(rate=0.1, counter=counters[0]).regret_bound == pytest.approx(one)
