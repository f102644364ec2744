"""Sliding and decayed sums: values, errors by linear algebra, lower bounds, privacy by age."""

from fractions import Fraction

import attrs
import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon.mechanisms import (
    COUNT,
    BalancedTreeCounter,
    BufferedToeplitzCounter,
    DecayedCounter,
    GaussianTreeCounter,
    Laplace,
    RefinedTreeCounter,
    SquareRootCounter,
    TreeCounter,
    UnboundedCounter,
    Window,
)
from antiphon.mechanisms.counters import ExactSum, lower_bound
from antiphon.mechanisms.counters.balanced_tree import (
    best_for_window,
    heights,
    most_between,
    nodes,
)
from antiphon.mechanisms.counters.factors.blt_parameters import WINDOWS
from antiphon.mechanisms.counters.factors.buffers import Buffers
from antiphon.protocol import Status, ZeroConcentrated
from antiphon.verifiers import event_level, updates_and_queries
from antiphon.verifiers.models import UntilAge

LONG = 10**9


# --- values ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [None, 2])
def test_a_window_sums_the_last_updates(dimension):
    updates = [3, 1, 4, 1, 5, 9, 2, 6]
    session = (Window(3) @ ExactSum(horizon=8, largest=9, dimension=dimension)).start()
    for end, update in enumerate(updates, start=1):
        message = update if dimension is None else np.array([update, 1])
        found, wanted = session.send(message), sum(updates[max(0, end - 3) : end])
        if dimension is None:
            assert found == wanted
        else:
            assert (found.tolist(), found.dtype) == ([wanted, min(end, 3)], np.int64)


def test_it_is_a_difference_of_what_the_counter_tells():
    counter = BufferedToeplitzCounter(horizon=20, rho=0.5, dimension=2, window=4)
    asked, sliding = counter.start(seed=1), (Window(4) @ counter).start(seed=1)
    told = [np.zeros(2)]
    for _ in range(9):
        asked.send(np.array([1, 0]))
        told.append(asked.send(COUNT))
        assert np.array_equal(sliding.send(np.array([1, 0])), told[-1] - told[max(-5, -len(told))])


def test_a_window_is_as_private_as_its_counter():
    counter = BalancedTreeCounter(horizon=64, epsilon=1, window=7)
    promise = ap.guarantee(Window(7) @ counter, event_level())
    assert (promise.status, promise.epsilon_at(0)) == (Status.PROVED, 1)
    gaussian = BufferedToeplitzCounter(horizon=64, rho=0.5, window=7)
    promise = ap.guarantee(Window(7) @ gaussian, event_level())
    assert promise.status is Status.PROVED
    assert promise.epsilon_at(1e-6) == ap.guarantee(gaussian).epsilon_at(1e-6)


def test_a_halt_ends_a_window_at_once():
    queries = ap.spaces.Either((ap.spaces.Integers(), ap.spaces.Finite((COUNT,))))

    @ap.mechanism(
        queries=queries, answers=ap.spaces.Anything(), updates=ap.spaces.Integers(), initial_state=0
    )
    def tired(total, message, coins):
        return total, ap.HALT if message in (2, COUNT) else ap.TOP

    for last in (1, 2):
        assert (Window(2) @ tired).start().send(last) is ap.HALT
    with pytest.raises(ap.CompositionError, match="asks a counter"):
        Window(2) @ Laplace(epsilon=1)


@pytest.mark.parametrize("decay", [Fraction(1, 2), 0.9])
def test_decayed_sums_forget(decay):
    counter, wanted = DecayedCounter(horizon=30, rho=10**9, decay=decay, largest=9), 0.0
    updates = [(7 * t) % 10 for t in range(30)]
    rows = attrs.evolve(counter, dimension=2, sensitivity=1)
    session, beside = counter.start(seed=1), rows.start(seed=1)
    for update in updates:
        wanted = wanted * float(decay) + update
        session.send(update)
        beside.send(np.array([update, 0]))
        assert abs(session.send(COUNT) - wanted) < 1e-2
        assert np.abs(beside.send(COUNT) - [wanted, 0]).max() < 1e-2
    assert abs(counter.counts(updates, seed=2)[-1] - wanted) < 1e-2
    table = np.array([updates, updates]).T
    assert np.abs(rows.counts(table, seed=2)[-1] - wanted).max() < 1e-2


# --- errors, by linear algebra -------------------------------------------------------------------


def factor(counter):
    buffers, length = counter.buffers, counter.horizon
    thetas = 1 - np.array(buffers.poles)
    c = [1.0, *(buffers.weights @ thetas**k for k in range(length - 1))]
    return np.array([[c[i - j] if i >= j else 0.0 for j in range(length)] for i in range(length)])


def sliding(length, window):
    ones = np.tril(np.ones((length, length)))
    return ones - np.tril(ones, -window)


def decaying(length, decay):
    ages = np.subtract.outer(np.arange(length), np.arange(length))
    return np.where(ages >= 0, float(decay) ** np.maximum(ages, 0), 0.0)


@pytest.mark.parametrize("made", [None, 5])
def test_errors_of_windows_are_those_of_the_matrices(made):
    counter = BufferedToeplitzCounter(horizon=40, rho=0.5, window=made)
    root, own = SquareRootCounter(horizon=40, rho=0.5), factor(counter)
    c = np.cumprod([1.0, *(1 - 1 / (2 * k) for k in range(1, 40))])
    other = np.array([[c[i - j] if i >= j else 0.0 for j in range(40)] for i in range(40)])
    for each, matrix in ((counter, own), (root, other)):
        norm = np.linalg.norm(matrix[:, 0])
        for window in (1, 5, 11, 40, 60):
            rows = sliding(40, window) @ np.linalg.inv(matrix)
            wanted = (rows**2).sum(axis=1) * norm**2
            found = [Window(window).squared_error(each, t) for t in range(1, 41)]
            assert np.allclose(found, wanted, rtol=5e-5)
            assert Window(window).max_squared_error(each) == pytest.approx(max(wanted), rel=5e-5)


@pytest.mark.parametrize("decay", [Fraction(1, 3), Fraction(19, 20)])
def test_errors_of_decayed_sums_are_those_of_the_matrices(decay):
    counter = DecayedCounter(horizon=60, rho=0.5, decay=decay)
    matrix = factor(counter)
    wanted = ((decaying(60, decay) @ np.linalg.inv(matrix)) ** 2).sum(axis=1)
    wanted *= (matrix[:, 0] ** 2).sum()
    assert np.allclose([counter.squared_error(t) for t in range(1, 61)], wanted, rtol=5e-5)
    assert counter.max_squared_error == pytest.approx(wanted[-1], rel=5e-5)
    assert counter.mean_squared_error == pytest.approx(wanted.mean(), rel=5e-5)


class Impulse(ap.Coins):
    """Noise 1 in one draw, and 0 in all others."""

    def __init__(self, place):
        super().__init__()
        self.place = place

    def draw(self, kind, parameter):
        self.draws += 1
        return int(self.draws - 1 == self.place)


def responses(counter, window):
    """What each draw of noise adds to each sum of a window, by running the counter."""
    found = []
    for place in range(3 * counter.horizon):
        coins, state, told = Impulse(place), counter.initial_state, [0] * window
        for _ in range(counter.horizon):
            state, _ = counter.step(state, 0, coins)
            state, count = counter.step(state, COUNT, coins)
            told.append(count)
        found.append(np.subtract(told[window:], told[:-window]))
    return np.array(found)


TREES = [
    TreeCounter(horizon=40, epsilon=1),
    GaussianTreeCounter(horizon=40, rho=0.5),
    BalancedTreeCounter(horizon=40, epsilon=1),
    BalancedTreeCounter(horizon=40, epsilon=1, window=30),
    BalancedTreeCounter(horizon=40, epsilon=1, window=14),
    BalancedTreeCounter(horizon=40, epsilon=1, arity=3, window=30),
]


@pytest.mark.every(2)
@pytest.mark.parametrize("counter", TREES, ids=repr)
@pytest.mark.parametrize("window", [1, 14])
def test_errors_of_windows_count_the_nodes_that_are_used(counter, window):
    uses = responses(counter, window)
    assert set(np.unique(uses)) <= {-1, 0, 1}
    counts = (uses**2).sum(axis=0)
    found = [Window(window).squared_error(counter, t) for t in range(1, 41)]
    assert np.allclose(found, counts * counter.noise_variance, rtol=1e-12)
    assert Window(window).max_squared_error(counter) == pytest.approx(max(found), rel=1e-12)


def test_a_tree_with_averages_and_epochs_are_bounded_from_above():
    counter = RefinedTreeCounter(horizon=40, rho=0.5)
    uses = responses(counter, 14)
    truth = (uses**2).sum(axis=0) * counter.noise_variance
    bound = [Window(14).squared_error(counter, t) for t in range(1, 41)]
    assert np.all(truth <= np.array(bound) * (1 + 1e-6))
    assert max(bound) < 3 * max(truth)
    epochs = UnboundedCounter(counter=GaussianTreeCounter(horizon=4, rho=0.5))
    last = epochs.epoch(1)
    assert epochs.squared_error(12, 8) == last.squared_error(8, 4)
    assert epochs.error_bound(12, since=8, beta=0.1) == last.error_bound(8, since=4, beta=0.1)
    deviations = [epochs.squared_error(t) ** 0.5 for t in (3, 12)]
    assert epochs.squared_error(12, 3) == pytest.approx(sum(deviations) ** 2)
    both = epochs.error_bound(12, beta=0.05) + epochs.error_bound(3, beta=0.05)
    assert epochs.error_bound(12, since=3, beta=0.1) == both


@over("window", [1, 2, 7, 30, 100])
def test_the_tree_of_a_window_is_the_best(window):
    """And no time errs more than the two periods that are looked at."""
    base, levels = best_for_window(window, None)
    tried = [
        (height**2 * most_between(LONG, window, arity, height), height, arity)
        for arity in range(3, 60, 2)
        for height in range(1, heights(window, arity) + 1)
    ]
    assert levels**2 * most_between(LONG, window, base, levels) == min(tried)[0]
    times = range(1, 5 * max(window, base ** (levels - 1)))
    every = [nodes(t, base, max(0, t - window), levels) for t in times]
    assert max(every) == most_between(LONG, window, base, levels)


# --- figures, and the least there is ---------------------------------------------------------


@pytest.mark.parametrize(
    ("window", "buffers", "tree", "least"),
    [(365, 3.67, 14.55, 3.3805), (1000, 4.113, 19.40, 3.7890), (7, 1.881, 3.591, 1.7783)],
)
def test_figures_of_windows(window, buffers, tree, least):
    """Upper bounds rounded up, and lower bounds down: within 0.1 % of the truth."""
    gaussian = BufferedToeplitzCounter(horizon=LONG, rho=0.5, window=window)
    laplace = BalancedTreeCounter(horizon=LONG, epsilon=1, window=window)
    bound = lower_bound(horizon=LONG, rho=0.5, window=window) ** 0.5
    for counter, figure in ((gaussian, buffers), (laplace, tree)):
        found = Window(window).max_squared_error(counter) ** 0.5
        assert 0.999 * figure < found <= figure
    assert 0 < bound - least < 1e-3 * least


@pytest.mark.parametrize(
    ("length", "figure", "least"), [(365, 2.545, 2.5429), (1000, 2.865, 2.8619)]
)
def test_figures_of_decay(length, figure, least):
    decay = 1 - Fraction(1, length)
    found = DecayedCounter(horizon=LONG, rho=0.5, decay=decay).max_squared_error ** 0.5
    assert 0.999 * figure < found <= figure
    bound = lower_bound(horizon=LONG, rho=0.5, decay=decay) ** 0.5
    assert 0 < bound - least < 1e-3 * least


@over("window", WINDOWS, at_least=35)
def test_the_table_of_windows(window):
    """Poles and zeros alternate; within 11 % of the least deviation there is."""
    gaps = WINDOWS[window]
    assert list(gaps) == sorted(set(gaps))
    assert 0 < gaps[0] < gaps[-1] < 1
    buffers = Buffers(gaps[0::2], gaps[1::2])
    assert np.all(buffers.weights > 0)
    assert buffers.weights.sum() < 1
    square = buffers.squared_norm(2**50) * buffers.squared_row(2**50, 2**50 - window)
    bound = lower_bound(horizon=2**50, rho=0.5, window=window)
    assert bound < square < 1.11**2 * bound


@pytest.mark.parametrize("window", [33, 50, 300, 430, 3000])
def test_between_the_rows_of_the_table(window):
    counter = BufferedToeplitzCounter(horizon=LONG, rho=0.5, window=window)
    bound = lower_bound(horizon=LONG, rho=0.5, window=window)
    assert Window(window).max_squared_error(counter) < 1.11**2 * bound


@pytest.mark.parametrize("window", [1, 2, 3, 8, 15])
def test_the_lower_bound_of_windows_is_below_the_singular_values(window):
    for length in (16, 60):
        truth = np.linalg.svd(sliding(length, window), compute_uv=False).sum() / length
        found = lower_bound(horizon=length, rho=0.5, window=window) ** 0.5
        assert found <= truth
        assert found > truth * (1 - 0.6 * window / length)
    assert lower_bound(horizon=16, rho=0.5, window=16) == lower_bound(horizon=16, rho=0.5)


@pytest.mark.parametrize("decay", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), 0.97])
def test_the_lower_bound_of_decay_is_below_the_singular_values(decay):
    for length in (40, 200):
        truth = np.linalg.svd(decaying(length, decay), compute_uv=False).sum() / length
        found = lower_bound(horizon=length, rho=0.5, decay=decay) ** 0.5
        assert found <= truth
        assert found > truth * (1 - 1 / length / (1 - float(decay)))


# --- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Window(0), "length"),
        (lambda: Window(2**21), "length"),
        (lambda: BufferedToeplitzCounter(horizon=9, rho=1, window=2, normalised=True), "totals"),
        (lambda: BufferedToeplitzCounter(horizon=2**30, rho=1, window=2**22), "tabled"),
        (lambda: BalancedTreeCounter(horizon=2**30, epsilon=1, window=2**22), "windows are"),
        (lambda: DecayedCounter(horizon=9, rho=1, decay=1), "between 0 and 1"),
        (lambda: DecayedCounter(horizon=9, rho=1, decay=0), "decay"),
        (lambda: DecayedCounter(horizon=9, rho=1, decay=0.5, normalised=True), "totals"),
        (lambda: UnboundedCounter(counter=DecayedCounter(horizon=9, rho=1, decay=0.5)), "epochs"),
        (lambda: DecayedCounter(horizon=9, rho=1, decay=0.5).squared_error(3, 1), "decayed"),
        (lambda: TreeCounter(horizon=9, epsilon=1).squared_error(3, 4), "since"),
        (lambda: TreeCounter(horizon=9, epsilon=1).error_bound(3, since=-1, beta=0.1), "since"),
        (lambda: lower_bound(horizon=9, rho=1, window=2, decay=0.5), "not for both"),
        (lambda: lower_bound(horizon=2**40, rho=1, window=2**30), "at most"),
        (lambda: BufferedToeplitzCounter(horizon=9, rho=1, normalised=True).rho_by_age(1), "norm"),
        (lambda: BufferedToeplitzCounter(horizon=9, rho=1).rho_by_age(-1), "age"),
    ],
)
def test_bad_input_is_refused(make, text):
    with pytest.raises(ap.InvalidArgument, match=text):
        make()


# --- privacy by age ------------------------------------------------------------------------------


def test_an_update_costs_more_the_older_it_is():
    counter = BufferedToeplitzCounter(horizon=1000, rho=0.5)
    curve = [counter.rho_by_age(age) for age in range(1000)]
    assert curve == sorted(curve)
    assert curve[0] < Fraction(1, 2) * curve[-1]
    assert 0.9999 < curve[-1] / counter.rho <= 1
    claim = counter.claim_by_age(10)
    assert claim.measure == ZeroConcentrated(curve[10])
    assert claim.verification == UntilAge(counter.verification, 10)
    assert claim.status is Status.PROVED


def test_after_a_difference_so_many_updates_may_come():
    f = UntilAge(updates_and_queries(event_level(), ap.spaces.Finite((COUNT,))), 1)
    count, same, other = (COUNT, COUNT), (1, 1), (0, 1)
    for pairs, valid in (
        ([same, same, other, count, same, count, count], True),
        ([same, other, same, same], False),
        ([other, same, count, same], False),
        ([other, other], False),
        ([same] * 5, True),
    ):
        assert f(ap.Pair(*each) for each in pairs) == (ap.TOP if valid else ap.BOTTOM), pairs
