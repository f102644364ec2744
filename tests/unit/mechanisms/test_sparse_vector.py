"""Sparse vector: when it answers what, with which noise, and that it halts."""

from fractions import Fraction

import bounds
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import over

import antiphon as ap
from antiphon.audit.statistical import play_population
from antiphon.composition import ComplexMechanism, check_properties
from antiphon.mechanisms import (
    AboveThreshold,
    GapSparseVector,
    HistogramMonitor,
    HistogramQuery,
    HistogramSVT,
    KthLargest,
    NumericSparseVector,
    SparseVector,
)
from antiphon.protocol import Draw, ReplayedCoins, SampledCoins, Status

THIRD = Fraction(1, 3)

LEVEL = bounds.level("unit/mechanisms/test_sparse_vector", 1 + 4 * 2 + 1)
"""Hypotheses: a law, two of each mechanism, a value."""


def said(mechanism, messages, noises):
    """The answers on given noise: (scale, value) by draw, all used up."""
    coins = ReplayedCoins([Draw("discrete_laplace", Fraction(s), v) for s, v in noises])
    session = mechanism.start(coins=coins)
    answers = [session.send(message) for message in messages]
    coins.feed([])
    return answers


def test_a_tie_is_above():
    """T + ρ = 10 + 2: 12 with noise is ⊤, 11 is ⊥."""
    mechanism = AboveThreshold(epsilon=1, threshold=10)
    noises = [(2, 2), (4, -3), (4, 5)]
    assert said(mechanism, [14, 6], noises) == [ap.BOTTOM, ap.BOTTOM]
    noises = [(2, 2), (4, -3), (4, 6)]
    assert said(mechanism, [14, 6, 99], noises) == [ap.BOTTOM, ap.TOP, ap.HALT]


def test_a_tie_is_below_on_a_histogram():
    """As CM Algorithm 3 prints it: ⊤ iff q(h) + ν > Thresh + τ."""
    mechanism = HistogramSVT(epsilon=1, query=KthLargest(), histogram=(5, 0))
    x = (1, 0), 7
    assert said(mechanism, [x, x, x], [(2, 2), (4, 3), (4, 1), (4, 2)]) == [ap.BOTTOM] * 2 + [
        ap.TOP
    ]


@over(
    ("mechanism", "threshold", "query"),
    [
        (AboveThreshold(epsilon=1), 2, 4),
        (AboveThreshold(epsilon=THIRD, sensitivity=2), 12, 24),
        (AboveThreshold(epsilon=1, monotone=True), 2, 2),
        (SparseVector(epsilon=1, tops=5), 2, 20),
        (SparseVector(epsilon=1, tops=5, monotone=True, sensitivity=3), 6, 30),
        (SparseVector(epsilon=1, tops=2, share=Fraction(1, 5)), 5, 5),
        (GapSparseVector(epsilon=1, tops=5), 2, 20),
        (NumericSparseVector(epsilon=1, tops=5), 3, 30),
    ],
)
def test_the_scales_are_those_of_the_paper(mechanism, threshold, query):
    """Lyu, Su, Li 2017, Algorithm 7: ρ ~ Δ/ε₁, ν ~ 2cΔ/ε₂ (monotone: cΔ/ε₂), here by draws."""
    assert (
        said(mechanism, [-100, -100], [(threshold, 0), (query, 0), (query, 0)]) == [ap.BOTTOM] * 2
    )


def test_a_gap_and_a_value_are_told_for_what_is_above():
    gap = GapSparseVector(epsilon=1, threshold=10, tops=2)
    noises = [(2, 1), (8, 4), (8, 4), (8, 5)]
    assert said(gap, [14, 6, 6, 0], noises) == [7, ap.BOTTOM, 0, ap.HALT]
    numeric = NumericSparseVector(epsilon=3, threshold=10, tops=2)
    noises = [(1, 1), (4, 4), (2, -9), (4, 4), (4, 5), (2, 3)]
    assert said(numeric, [14, 6, 6, 0], noises) == [5, ap.BOTTOM, 9, ap.HALT]


def test_after_the_last_top_it_halts_and_draws_no_more():
    session = SparseVector(epsilon=1000, tops=2).start(coins=(coins := SampledCoins(seed=1)))
    assert [session.send(v) for v in (9, -9, 9)] == [ap.TOP, ap.BOTTOM, ap.TOP]
    drawn = coins.draws
    assert drawn == 4  # one for the threshold, one a query
    assert session.send(-9) is ap.HALT
    assert coins.draws == drawn
    assert session.over
    with pytest.raises(ap.ProtocolError):
        session.send(9)


@given(st.lists(st.integers(-50, 50), max_size=30), st.integers(1, 4), st.integers(0, 99))
def test_answers_are_those_of_the_definition(values, tops, seed):
    """A reference that keeps nothing but the noise."""
    coins = SampledCoins(seed=seed)
    mechanism = SparseVector(epsilon=1, threshold=5, tops=tops)
    session, left, rho = mechanism.start(seed=seed), tops, None
    for value in values:
        answer = session.send(value)
        if not left:
            assert answer is ap.HALT
            break
        rho = coins.discrete_laplace(2) if rho is None else rho
        above = value + coins.discrete_laplace(4 * tops) >= 5 + rho
        assert answer is (ap.TOP if above else ap.BOTTOM)
        left -= above


def test_the_first_answer_has_the_law_of_two_noises():
    """P(⊤) for q = T is P(ν >= ρ), by the population and by a double sum.

    The tie counts: without it the probability would be lower by P(ν = ρ) = 0.085.
    """
    n, first, seed = 200_000, AboveThreshold(epsilon=1), bounds.seeded(2)
    counts = play_population(ap.scripted([0]), first, replicas=n, seed=seed)
    reach = np.arange(-200, 201)
    rho, nu = (np.exp(-np.abs(reach) / scale) for scale in (2, 4))
    rho, nu = rho / rho.sum(), nu / nu.sum()
    expected = sum(rho[i] * nu[i:].sum() for i in range(401))
    assert not bounds.chernoff(counts[(ap.TOP,)], n, expected, LEVEL)
    untied = expected - (rho * nu).sum()
    assert bounds.chernoff_power(n, expected, untied, LEVEL) >= 1 - bounds.BETA


@pytest.mark.parametrize(
    "mechanism",
    [
        AboveThreshold(epsilon=1, threshold=50),
        SparseVector(epsilon=1, threshold=50, tops=3),
        GapSparseVector(epsilon=2, threshold=50, tops=2, monotone=True),
        NumericSparseVector(epsilon=2, threshold=50, tops=2),
    ],
    ids=repr,
)
def test_answers_are_as_accurate_as_they_say(mechanism):
    """n = 1500 runs of 8 queries at T - α - 1, then at T + α + 1: P(a wrong answer) <= β = 0.1."""
    alpha, coins, wrong = mechanism.error_bound(8, beta=0.1), SampledCoins(bounds.seeded(6)), 0
    assert alpha < 60 * mechanism.tops
    for low in (True, False):
        value = 50 - alpha - 1 if low else 50 + alpha + 1
        failures = 0
        for _ in range(1500):
            state, bad = mechanism.initial_state, False
            for _ in range(8):
                state, answer = mechanism.step(state, value, coins)
                if answer is ap.HALT:
                    break
                bad |= (answer is not ap.BOTTOM) if low else answer is ap.BOTTOM
            failures += bad
        assert failures <= bounds.at_most(1500, 0.1, LEVEL)
        wrong += failures
    assert wrong > 0


def test_values_are_as_accurate_as_they_say():
    """n = 2000; P(error > bound) <= β = 0.1."""
    mechanism, coins = (
        NumericSparseVector(epsilon=2, threshold=-1000),
        SampledCoins(bounds.seeded(6)),
    )
    bound = mechanism.value_error_bound(beta=0.1)
    answers = [mechanism.step(mechanism.initial_state, 10, coins)[1] for _ in range(2000)]
    failures = sum(abs(answer - 10) > bound for answer in answers)
    assert 20 < failures <= bounds.at_most(2000, 0.1, LEVEL)


# --- on a histogram ---------------------------------------------------------------------------

rows = st.lists(st.integers(0, 1), min_size=3, max_size=3).map(tuple)
counts = st.lists(st.integers(-3, 9), min_size=3, max_size=3).map(tuple)


@given(counts, st.lists(st.integers(-1, 1), min_size=3, max_size=3), st.integers(1, 3))
def test_the_kth_largest_is_1_sensitive_and_monotone(x, moves, rank):
    q, y = KthLargest(rank), tuple(map(sum, zip(x, moves, strict=True)))
    assert abs(q(x) - q(y)) <= 1
    assert q(x) == sorted(x, reverse=True)[rank - 1]
    up = tuple(each + max(move, 0) for each, move in zip(x, moves, strict=True))
    assert q(up) >= q(x)


@given(counts, st.lists(st.tuples(rows, st.integers(-5, 9)), max_size=9), st.integers(0, 99))
def test_a_histogram_is_asked_as_above_threshold_is_for_its_values(start, script, seed):
    mechanism = HistogramSVT(epsilon=1, query=KthLargest(2), histogram=start)
    session = mechanism.start(seed=seed)
    asked = AboveThreshold(epsilon=1, threshold=1).start(seed=seed)
    total = list(start)
    for x, threshold in script:
        answer = session.send((x, threshold))
        total = [a + b for a, b in zip(total, x, strict=True)]
        assert answer is asked.send(sorted(total)[-2] - threshold)
        if answer is ap.HALT:
            break


def test_streams_that_differ_in_one_update_are_neighbours_whatever_it_is():
    mechanism = HistogramSVT(epsilon=1, query=KthLargest(), histogram=(0, 0))
    game = ap.PrivacyGame(mechanism, mechanism.verification)
    differ = ap.Pair(((1, 1), 5), ((0, 0), 5))
    again = [ap.same(((1, 0), 5)), differ, ap.same(((1, 0), 5))]
    assert mechanism.verification(again) is ap.TOP
    assert mechanism.verification([differ, differ]) is ap.BOTTOM
    assert mechanism.verification([ap.Pair(((1, 1), 5), ((1, 1), 6))]) is ap.BOTTOM
    view = game.play(ap.scripted([differ, differ]), bit=1, seed=1)
    assert view.answers[-1] is ap.HALT


def test_a_query_of_your_own_is_trusted_but_said_so():
    class Total(HistogramQuery):
        def __call__(self, counts):
            return sum(counts)

        def sensitivity(self, dimension):
            return 1

    own = HistogramSVT(epsilon=1, query=Total(), histogram=(0,))
    assert own.claims[0].status is Status.ASSUMED
    assert (
        HistogramSVT(epsilon=1, query=KthLargest(), histogram=(0,)).claims[0].status
        is Status.PROVED
    )
    counts = play_population(ap.scripted([((1,), 0)]), own, replicas=100, seed=1)
    assert sum(counts.values()) == 100


TWO_QUERIES = KthLargest(1), KthLargest(2)


def monitored(kind=AboveThreshold, queries=TWO_QUERIES, **parameters):
    mechanism = kind(epsilon=1, **parameters)
    return HistogramMonitor(mechanism=mechanism, queries=queries, dimension=2)


@given(
    st.lists(
        st.tuples(st.integers(0, 1), st.integers(0, 1))
        | st.tuples(st.sampled_from([KthLargest(1), KthLargest(2)]), st.integers(-5, 5)),
        max_size=12,
    ),
    st.integers(0, 99),
)
def test_a_monitor_asks_its_mechanism_for_values_of_the_histogram(script, seed):
    live = ComplexMechanism(monitored(SparseVector, tops=2)).start(seed=seed)
    asked, total = SparseVector(epsilon=1, tops=2).start(seed=seed), (0, 0)
    for message in script:
        answer = live.send(message)
        if type(message[0]) is int:
            total = tuple(map(sum, zip(total, message, strict=True)))
            assert answer is ap.TOP
            continue
        if asked.over:
            assert answer is ap.HALT
            continue
        assert answer is asked.send(message[0](total) - message[1])


@pytest.mark.parametrize("kind", [AboveThreshold, SparseVector])
def test_a_monitor_has_the_three_properties_and_the_guarantee_of_its_mechanism(kind):
    monitor = monitored(kind)
    lifting, messages = monitor.lifting, [(0, 1), (1, 1), (1, 0), (KthLargest(1), 1)]
    assert check_properties(
        monitor, lifting.outer, lifting.inner, queries=messages, rounds=8) is None  # fmt: skip
    promise = ap.guarantee(ComplexMechanism(monitor))
    assert promise.epsilon_at(0) == 1
    assert promise.status is Status.PROVED
    two = ap.verifiers.updates_and_queries(ap.verifiers.event_level(events=2), monitor.questions)
    broken = check_properties(
        monitor, two, lifting.inner, queries=[(0, 0), (1, 0), (KthLargest(1), 1)], rounds=8
    )
    assert "f'-valid" in broken.reason  # two updates move a value by 2


def test_a_monitor_checks_what_it_is_given():
    with pytest.raises(ap.InvalidArgument, match="monotone"):
        monitored(monotone=True)
    for queries in ((), (max,), None):
        with pytest.raises(ap.InvalidArgument):
            monitored(queries=queries)
    session = ComplexMechanism(monitored()).start(seed=1)
    for wrong in ((0, 2), (0,), (KthLargest(3), 1), (KthLargest(1), 0.5), 1):
        with pytest.raises(ap.InvalidArgument):
            session.send(wrong)


@over(
    "wrong",
    [
        {"histogram": ()}, {"histogram": (0.5,)}, {"histogram": (True,)},
        {"histogram": (0,), "rank": 2}, {"histogram": (0,), "query": max},
        {"histogram": (0,), "query": None},
    ],
)  # fmt: skip
def test_histograms_and_queries_are_checked(wrong):
    rank = wrong.pop("rank", 1)
    with pytest.raises(ap.InvalidArgument):
        HistogramSVT(**{"epsilon": 1, "query": KthLargest(rank), **wrong})


@pytest.mark.parametrize(
    ("name", "wrongs"),
    [
        ("threshold", [0.5, "1", None, True]),
        ("monotone", [0, 1, None, "yes"]),
        ("share", [0, 1, 1.5, -0.1, "1"]),
        ("tops", [0, -1, 1.0, True]),
    ],
)
def test_parameters_are_checked(name, wrongs):
    for wrong in wrongs:
        with pytest.raises(ap.InvalidArgument, match=name):
            SparseVector(**{"epsilon": 1, name: wrong})
    with pytest.raises(ap.InvalidArgument, match="share"):
        NumericSparseVector(epsilon=1, value_share=1)
    with pytest.raises(ap.InvalidArgument, match="tops"):
        AboveThreshold(epsilon=1, tops=2)
    with pytest.raises(ap.InvalidArgument, match="queries"):
        SparseVector(epsilon=1).error_bound(0, beta=0.1)
