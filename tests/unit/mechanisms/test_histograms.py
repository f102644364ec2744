"""H and HSS: what they compute, what is derived of them, and what they refuse."""

import random
from fractions import Fraction
from functools import partial
from operator import add
from types import SimpleNamespace

import attrs
import bounds
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import over, sized

import antiphon as ap
from antiphon.audit import search_properties
from antiphon.composition import ComplexMechanism, TwoCopies
from antiphon.composition.accounting import from_renyi, response_divergence
from antiphon.composition.properties import Broken, Property, advance_lockstep, begin_lockstep
from antiphon.mechanisms import (
    COUNT,
    HSS,
    BalancedTreeCounter,
    ContinualHistogram,
    CountAbove,
    GaussianTreeCounter,
    HistogramQuery,
    HSSWithoutTest,
    KthLargest,
    Scaled,
    SquareRootCounter,
    Total,
    TreeCounter,
    UnboundedCounter,
    quantile,
)
from antiphon.mechanisms.histograms.continual import MOST, AskEach
from antiphon.mechanisms.noise.discrete import laplace_bound
from antiphon.protocol import SampledCoins, Status
from antiphon.protocol.verification import Refused

D = 3
rows = st.tuples(*[st.integers(0, 1)] * D)
sums = st.tuples(*[st.integers(0, 50)] * D)
KINDS = [HSS, HSSWithoutTest]
QUERIES = [KthLargest(1), quantile(0.5, D), CountAbove(3, width=D), Scaled(Total(), D)]


def counter(kind=TreeCounter, **parameters):
    return kind(largest=MOST, sensitivity=1, **{"horizon": 16, **parameters})


# --- H -----------------------------------------------------------------------------------------


@given(st.lists(sums, max_size=8), st.integers(0, 99))
def test_a_continual_histogram_is_its_counters_side_by_side(stream, seed):
    histogram = ContinualHistogram(counter=counter(epsilon=1), dimension=D)
    live, coins = histogram.start(seed=seed), SampledCoins(seed)
    states = [histogram.counter.initial_state] * D
    for row in stream:
        expected = []
        for i, entry in enumerate(row):
            states[i], _ = histogram.counter.step(states[i], entry, coins)
            states[i], count = histogram.counter.step(states[i], COUNT, coins)
            expected.append(count)
        assert live.send(row) == tuple(expected)


def test_it_is_as_private_as_its_counters_together_and_no_less_than_one_of_vectors():
    histogram = ContinualHistogram(counter=counter(epsilon=Fraction(1, 48)), dimension=16)
    promise = ap.guarantee(histogram)
    assert promise.epsilon_at(0) == pytest.approx(1 / 3, rel=1e-15)
    assert promise.status is Status.PROVED
    assert histogram.claims[0].parameters == (Fraction(1, 3), 0)
    text = promise.explain()
    for theorem in ("CM Thm 4.10", "CM Thm 6.1", "16 × (1/48, 0)"):
        assert theorem in text
    vectors = TreeCounter(horizon=16, epsilon=Fraction(1, 3), dimension=16, sensitivity=16)
    assert histogram.counter.scale == vectors.scale


def test_gaussian_counters_are_composed_in_their_own_measure():
    one = counter(GaussianTreeCounter, rho=Fraction(1, 8))
    histogram = ContinualHistogram(counter=one, dimension=4, delta=1e-6)
    whole = ap.guarantee(counter(GaussianTreeCounter, rho=Fraction(1, 2)))
    claimed = histogram.claims[0].parameters
    assert claimed[1] == Fraction(1, 10**6)
    assert float(claimed[0]) == pytest.approx(whole.epsilon_at(1e-6), rel=1e-6)
    apart = 4 * ap.guarantee(one).epsilon_at(1e-6 / 4)
    assert float(claimed[0]) < 0.6 * apart  # (ε/d, δ/d) each, as the paper says, is twice as much
    again = ContinualHistogram.concentrated(dimension=4, rho=0.5, delta=1e-6)
    assert again.claims[0].parameters[0] == pytest.approx(claimed[0])
    assert isinstance(again.counter, UnboundedCounter)


@given(st.lists(sums, min_size=1, max_size=6), st.integers(0, 5), sums, st.integers(0, 99))
def test_neighbours_differ_in_one_vector_by_one_in_each_entry(stream, place, moves, seed):
    histogram = ContinualHistogram.pure(dimension=D, epsilon=1)
    f, at = histogram.verification, place % len(stream)
    near = tuple(entry + move % 2 for entry, move in zip(stream[at], moves, strict=True))
    far = (stream[at][0] + 2, *stream[at][1:])
    pairs = [ap.same(row) for row in stream]
    assert f([*pairs[:at], ap.Pair(stream[at], near), *pairs[at + 1 :]]) is ap.TOP
    assert f([*pairs[:at], ap.Pair(stream[at], far), *pairs[at + 1 :]]) is ap.BOTTOM
    game = ap.PrivacyGame(histogram, f)
    view = game.play(ap.scripted([*pairs, ap.Pair(stream[at], near)]), bit=1, seed=seed)
    assert len(view.answers[len(pairs)]) == D


def reply(message, created):
    """Some answers of what AskEach and HSS have on their right."""
    query = message.query if type(message) is ap.Ask else message
    if type(query) is ap.Create or (type(query) is ap.Ask and type(query.query) is ap.Create):
        return [ap.TOP]
    if type(query) is not ap.Ask:
        return [(0, 0, 0), (-3, 4, 9)] if type(query) is tuple else [-1, 5]
    return [ap.TOP, ap.BOTTOM] if message.index == 1 else [-2000, 2000]


FEW = [(0, 0, 0), (1, 0, 0), (1, 1, 1)]


def violation(processor, outer, inner):
    """The first property that one of 300 random pairs of runs breaks; quicker than a search."""
    for seed in range(300):
        pick, lock = random.Random(seed), begin_lockstep(processor, outer, inner)
        for _ in range(40):
            if lock.sent is None:
                zero = pick.choice(FEW)
                side, one = ap.Side.LEFT, pick.choice(FEW) if pick.random() < 0.2 else zero
            else:
                side, zero = ap.Side.RIGHT, pick.choice(reply(lock.sent[0], lock.created))
                one = zero
            after = advance_lockstep(processor, outer, inner, lock, side, zero, one)
            if isinstance(after, Broken):
                return after.property
            lock = lock if isinstance(after, Refused) else after
    return None


def test_asking_each_has_the_three_properties():
    asks = AskEach(counter=counter(epsilon=1), dimension=D)
    f, inner = asks.lifting.outer, asks.lifting.inner
    assert (
        search_properties(asks, f, inner, queries=FEW, answers=reply, rounds=20, examples=60)
        is None
    )
    two = ap.verifiers.event_level(f.relation, events=2)
    assert violation(asks, f, inner) is None
    assert violation(asks, two, inner) is Property.VALIDITY


@pytest.mark.every(3)
@pytest.mark.parametrize(
    "histogram",
    [
        ContinualHistogram(counter=counter(epsilon=2), dimension=D),
        ContinualHistogram(counter=SquareRootCounter(horizon=16, rho=1), dimension=D, delta=1e-3),
        ContinualHistogram.pure(dimension=D, epsilon=2),
    ],
    ids=["tree", "square root", "pure"],
)
def test_errors_are_as_bounded_and_rounded_to_ints(histogram):
    """n = 500 runs of 5 steps; P(an entry errs) <= β = 0.1."""
    bound = [histogram.error_bound(t, beta=0.1) for t in range(6)]
    assert bound[0] == 0
    failed, coins = 0, SampledCoins(seed=bounds.seeded(1))
    for _ in range(500):
        state = histogram.initial_state
        for _ in range(5):
            state, answer = histogram.step(state, (1, 0, 1), coins)
        assert all(type(each) is int for each in answer)
        failed += any(abs(a - b) > bound[5] for a, b in zip(answer, (5, 0, 5), strict=True))
    level = bounds.level("unit/mechanisms/test_histograms", 3)
    assert failed <= bounds.at_most(500, 0.1, level)


def test_a_horizon_refuses_and_changes_nothing():
    live = ContinualHistogram(counter=counter(epsilon=1, horizon=2), dimension=2).start(seed=1)
    first = [live.send((1, 0)), live.send((0, 3))]
    with pytest.raises(ap.InvalidArgument, match="UnboundedCounter"):
        live.send((0, 0))
    assert not live.over
    assert len(first) == 2


@over(
    "wrong",
    [{"counter": TreeCounter}, {"counter": counter(epsilon=1, dimension=2)}, {"dimension": 0},
     {"counter": counter(epsilon=1, users=True)}, {"delta": 2}, {"dimension": True}],
)  # fmt: skip
def test_what_a_histogram_is_made_of_is_checked(wrong):
    with pytest.raises(ap.InvalidArgument):
        ContinualHistogram(**{"counter": counter(epsilon=1), "dimension": 2, **wrong})


# --- HSS ---------------------------------------------------------------------------------------


def algorithm_4(hss, stream, coins):
    """CM Algorithm 4 line by line, the test reading what ``hss.printed`` says."""
    q, e, zeros, answers = hss.query, hss.epsilon, (0,) * hss.dimension, []
    inner, h, c, out, j = hss.histogram.initial_state, zeros, zeros, q(zeros), 1
    svt, tau, thresh = h, None, hss.gamma(1, 1)
    for t, x in enumerate(stream, start=1):
        c, svt = tuple(map(add, c, x)), tuple(map(add, svt, x))
        tau = coins.discrete_laplace(6 / e) if tau is None else tau
        if q(svt) + coins.discrete_laplace(12 / e) > thresh + tau:
            before, ended = h, c
            inner, answer = hss.histogram.step(inner, c, coins)
            h, c = tuple(max(0, each) for each in answer), zeros
            out, svt, tau = q(h), h, None
            compared = q(tuple(map(add, c, h) if hss.printed else map(add, ended, before)))
            if compared + coins.discrete_laplace(3 / e) > thresh - hss.xi(t, j):
                thresh += hss.gamma(t, j)
            j += 1
            thresh += hss.gamma(t, j) - hss.gamma(t, j - 1)
        answers.append((out, j))
        thresh += hss.gamma(t + 1, j) - hss.gamma(t, j)
    return answers


@given(
    st.sampled_from(QUERIES), st.booleans(), st.sampled_from([1, 30, 1000]), st.integers(0, 10**6),
    st.lists(rows, min_size=20, max_size=120),
)  # fmt: skip
def test_hss_is_algorithm_4(query, printed, epsilon, seed, stream):
    hss = HSS(epsilon=epsilon, query=query, dimension=D, printed=printed, beta=0.5)
    live = ComplexMechanism(hss).start(seed=seed)
    assert [live.send(x) for x in stream] == algorithm_4(hss, stream, SampledCoins(seed))


@pytest.mark.slow
@given(st.sampled_from(QUERIES), st.lists(rows, min_size=20, max_size=60), st.integers(0, 99))
def test_without_noise_to_speak_of_errors_are_as_bounded(query, stream, seed):
    for kind in KINDS:
        hss = kind(epsilon=10**6, query=query, dimension=D, beta=1e-9)
        live, total = ComplexMechanism(hss).start(seed=seed), (0,) * D
        for t, x in enumerate(stream, start=1):
            total = tuple(map(add, total, x))
            out, j = live.send(x)
            assert abs(out - query(total)) <= hss.error_bound(t, j)
            assert j <= hss.most_intervals(query(total))
        assert j > 1 or query(total) < 3


@over("kind", KINDS)
def test_a_stream_of_ones_stays_within_its_bounds(kind):
    """Without noise to speak of: errors, and intervals, of which there are nearly as many."""
    hss = kind(epsilon=10**6, query=KthLargest(1), dimension=D, beta=1e-9)
    live = ComplexMechanism(hss).start(seed=1)
    for t in range(1, 41):
        out, j = live.send((1,) * D)
        assert abs(out - t) <= hss.error_bound(t, j)
        assert j <= hss.most_intervals(t)
    assert j + 1 >= hss.most_intervals(40)


def test_a_bound_of_hss_has_the_errors_of_all_its_parts():
    hss = HSS(epsilon=1, query=KthLargest(1), dimension=D)
    alpha, before = hss.slack.alpha(100, 3), hss.slack.of_histogram(2)
    assert min(alpha, before) > 0
    assert hss.error_bound(100, 3) == hss.gamma(100, 3) + 2 * alpha + 3 * before
    width = hss.gamma(1, 1)
    assert [hss.most_intervals(n) for n in (0, 1, width, width + 1)] == [1, 2, 2, 3]


def test_the_error_of_a_histogram_is_the_largest_so_far():
    """With trees it may fall: at 2^k a count is of one node."""
    bounds = {1: 5, 2: 3, 3: 7, 4: 4}
    trees = SimpleNamespace(error_bound=lambda updates, *, beta: bounds[updates])
    honest = HSS(epsilon=1, query=KthLargest(1), dimension=D).slack
    for asked in ([1, 2, 3, 4], [4, 2]):
        slack = attrs.evolve(honest, histogram=trees)
        assert [slack.of_histogram(j) for j in asked] == [{1: 5, 2: 5}.get(j, 7) for j in asked]


@attrs.frozen
class OwnMaximum(HistogramQuery):
    def __call__(self, counts):
        return max(counts)

    def sensitivity(self, dimension):
        return 1


@pytest.mark.parametrize("kind", KINDS)
def test_the_guarantee_is_derived(kind):
    for dimension in (1, 2, 16):
        hss = kind(epsilon=0.3, query=KthLargest(1), dimension=dimension)
        promise = ap.guarantee(ComplexMechanism(hss))
        assert 0.3 <= promise.epsilon_at(0) < 0.3 + 1e-15
        assert promise.status is Status.PROVED
    text = promise.explain()
    for theorem in ("CM Thm 6.1", "CM Thm 4.10", "CM Thm 5.2", "Lemma 7.3", "every fixed δ is 0"):
        assert theorem in text
    assert promise.verification == ap.verifiers.event_level()
    own = kind(epsilon=0.3, query=OwnMaximum(), dimension=2)
    assert ap.guarantee(ComplexMechanism(own)).status is Status.ASSUMED
    assert ap.guarantee(ComplexMechanism(own)).epsilon_at(0) < 0.3 + 1e-15
    assert {each.claim.status for each in own.created[1:]} == {Status.ASSUMED}


def test_with_an_approximate_histogram_hss_is_too():
    histogram = ContinualHistogram.concentrated(dimension=4, rho=0.01, delta=1e-7)
    epsilon, delta = histogram.claims[0].parameters
    hss = HSS(epsilon=0.3, query=KthLargest(1), dimension=4, histogram=histogram)
    promise = ap.guarantee(ComplexMechanism(hss))
    assert promise.status is Status.PROVED
    # H stays ρ-zCDP inside: with the tests and the comparisons, ε/3 each, as Rényi divergences
    added = from_renyi(lambda order: 2 * response_divergence(Fraction(1, 10), order) + 0.01 * order)
    assert promise.epsilon_at(delta) == pytest.approx(added.epsilon_at(delta), rel=1e-6)
    assert promise.epsilon_at(delta) < 0.2 + float(epsilon)
    assert promise.delta_at(promise.epsilon_at(delta)) == pytest.approx(1e-7, rel=1e-9, abs=0)
    assert promise.delta_at(0) > 0.05
    assert promise.epsilon_at(delta / 2) > promise.epsilon_at(delta)


@pytest.mark.every(3)
@pytest.mark.parametrize("make", [HSS, HSSWithoutTest, partial(HSS, printed=True)])
def test_the_three_properties_hold(make):
    hss = make(epsilon=100, query=KthLargest(2), dimension=D)
    f, inner = hss.lifting.outer, hss.lifting.inner
    tried = {"rounds": 24, "examples": sized(2, 50)}
    assert search_properties(hss, f, inner, queries=FEW, answers=reply, **tried) is None
    assert violation(hss, f, inner) is None
    assert violation(hss, ap.verifiers.event_level(events=2), inner) is Property.VALIDITY


@pytest.mark.slow
@given(st.lists(rows, min_size=30, max_size=60), st.integers(0, 29), rows, st.integers(0, 99),
       st.integers(0, 1), st.sampled_from(KINDS))  # fmt: skip
def test_the_proof_of_theorem_6_1_runs(stream, place, other, seed, bit, kind):
    """V[f] ∘* I(b) ∘* P ∘* Ext and V[f] ∘* P² ∘* V[f'] ∘* I(b) ∘* Ext say the same (6.3, 6.4)."""
    hss = kind(epsilon=300, query=KthLargest(1), dimension=D, beta=0.5)
    f, inner = hss.lifting.outer, hss.lifting.inner
    pairs = [ap.same(x) for x in stream]
    pairs[place] = ap.Pair(stream[place], other)
    guarded = ap.Verifier(inner) @ ap.Identifier(bit) @ ap.ExtConComp()
    systems = (
        ap.Verifier(f) @ ap.Identifier(bit) @ ComplexMechanism(hss),
        ap.Verifier(f) @ TwoCopies(hss) @ guarded,
    )
    lives = [system.start(seed=seed) for system in systems]
    answers = [[live.send(pair) for pair in pairs] for live in lives]
    assert answers[0] == answers[1]
    assert ap.HALT not in answers[0]


@attrs.frozen(kw_only=True)
class Keeps(HSS):
    """A broken twin: c is not set to 0 after an interval."""

    def renewed(self, ended, h, raised):
        return HSS.renewed(self, ended, h, raised)._replace(c=ended.c)


@attrs.frozen(kw_only=True)
class Tells(HSS):
    """A broken twin: ``out`` is the exact count."""

    def renewed(self, ended, h, raised):
        return HSS.renewed(self, ended, tuple(map(add, ended.c, ended.interval.h)), raised)


@attrs.frozen(kw_only=True)
class Hurries(HSS):
    """A broken twin: only what is not 0 is sent to the sparse vector."""

    def exchange(self, state, x):
        if state.t and not any(x):
            return state, state.interval.answer
        return (yield from HSS.exchange(self, state, x))


@attrs.frozen(kw_only=True)
class Aims(HSS):
    """A broken twin: Thresh depends on the data."""

    def threshold(self, interval, t):
        return HSS.threshold(self, interval, t)

    def step(self, state, side, message, coins):
        state, side, out = HSS.step(self, state, side, message, coins)
        if type(out) is ap.Ask and type(out.query) is ap.Ask and type(out.query.query) is tuple:
            x, threshold = out.query.query
            out = ap.Ask(ap.Ask((x, threshold + sum(x)), out.query.index), out.index)
        return state, side, out


@pytest.mark.parametrize(
    ("twin", "property"),
    [(Keeps, Property.VALIDITY), (Tells, Property.VALIDITY), (Aims, Property.VALIDITY),
     (Hurries, Property.DESTINATION)],
)  # fmt: skip
def test_broken_twins_lack_a_property(twin, property):
    hss = twin(epsilon=100, query=KthLargest(1), dimension=D)
    f, inner = hss.lifting.outer, hss.lifting.inner
    assert violation(hss, f, inner) is property
    wider = twin(epsilon=100, query=KthLargest(1), dimension=4)  # too many steps to be explored
    assert ap.guarantee(ComplexMechanism(wider)).status is Status.ASSUMED


def test_the_printed_reading_differs_where_h_errs():
    """H errs downward, within its bound: the ended interval passes the test, q(h) does not."""

    class Low(ap.Coins):
        """No noise but H's, which is as low as it may be."""

        def draw(self, kind, parameter):
            return -hss.slack.of_histogram(1) if parameter == scale else 0

    hss = HSS(epsilon=30, query=KthLargest(1), dimension=16)
    assert hss.slack.of_histogram(1) > hss.xi(100, 1)
    scale = hss.histogram.counter.epoch(0).scale
    ended = [], []
    for each, answers in zip((hss, attrs.evolve(hss, printed=True)), ended, strict=True):
        live = ComplexMechanism(each).start(coins=Low())
        answers += [live.send((1,) * 16) for _ in range(2 * hss.gamma(1, 1))]
    first, printed = ended
    end = next(t for t, (_, j) in enumerate(first) if j > 1)
    assert first[: end + 1] == printed[: end + 1]
    assert first[-1][1] == 2  # Thresh has grown by γ
    assert printed[-1][1] > 2  # it has not, so there are interval after interval
    with pytest.raises(ap.InvalidArgument, match="printed"):
        attrs.evolve(hss, printed=True).error_bound(1, 1)


@given(st.integers(1, 10**7), st.integers(1, 10**4), st.floats(1e-9, 0.9), st.sampled_from(KINDS))
def test_gamma_and_xi_are_those_of_the_theory(t, j, beta, kind):
    import math

    hss = kind(epsilon=0.7, query=KthLargest(1), dimension=2, beta=beta)
    slack, families = hss.slack, {HSS: 4, HSSWithoutTest: 3}[kind]
    j = min(j, 200)
    p = [6 * beta / (families * math.pi**2 * n**2) for n in (t, j)]
    assert slack.share(t) == pytest.approx(p[0], rel=1e-9)
    epsilon = float(hss.share) / 2  # ε'
    alpha = math.log(1 / p[1]) / epsilon + 2 * math.log(1 / p[0]) / epsilon
    assert alpha - 1 - 4 / epsilon <= slack.alpha(t, j) <= alpha + 2
    h = slack.of_histogram(j)
    assert h >= hss.histogram.error_bound(j, beta=p[1] * (1 - 1e-9))
    assert h >= slack.of_histogram(j - 1)
    assert slack.of_query(slack.until(t)) == slack.of_query(t) < slack.of_query(slack.until(t) + 1)
    a = slack.alpha(t, j)
    if kind is HSS:
        assert hss.gamma(t, j) == 2 * a + 2 * h + 2
        assert hss.xi(t, j) == a + laplace_bound(3 / hss.epsilon, slack.share(j))
    else:
        assert hss.big_gamma(t, j) == a + 2 * h + 1


@pytest.mark.parametrize("kind", KINDS)
def test_the_smallest_epsilon_overflows_nothing(kind):
    hss = kind(epsilon=Fraction(1, 10**100), query=KthLargest(1), dimension=2, beta=1e-100)
    live = ComplexMechanism(hss).start()
    answers = [live.send((1, 0)) for _ in range(3)]
    assert live.failures == ()
    assert hss.error_bound(10**12, answers[-1][1]) > 10**100


@over("kind", KINDS)
@over("place", [(0, 1), (1, 0), (-1, 1), (1.0, 1), (True, 1)])
def test_bounds_are_of_steps_and_intervals(kind, place):
    with pytest.raises(ap.InvalidArgument):
        kind(epsilon=1, query=KthLargest(1), dimension=2).error_bound(*place)


@pytest.mark.parametrize("kind", KINDS)
def test_messages_that_are_no_step_are_refused_and_change_nothing(kind):
    hss = kind(epsilon=1, query=KthLargest(1), dimension=2)
    live, other = (ComplexMechanism(hss).start(seed=3) for _ in range(2))
    for _ in range(20):
        for wrong in ((1,), (1, 0, 0), (1, 2), (1, True), (1, -1), [1, 0], "10", (0.0, 1)):
            with pytest.raises(ap.InvalidArgument):
                live.send(wrong)
        assert live.send((1, 0)) == other.send((1, 0))
    assert not live.over


def test_past_the_horizon_of_h_it_refuses():
    histogram = ContinualHistogram(counter=counter(epsilon=1000, horizon=2), dimension=1)
    hss = HSSWithoutTest(epsilon=1000, query=KthLargest(1), dimension=1, histogram=histogram)
    live = ComplexMechanism(hss).start(seed=1)
    answer = 0, 1
    while answer[1] < 3:
        answer = live.send((1,))
    for _ in range(2):
        with pytest.raises(ap.InvalidArgument, match="horizon of 2 intervals"):
            live.send((1,))
    assert not live.over
    assert live.failures == ()


@over("kind", KINDS)
@over(
    "wrong",
    [{"epsilon": 0}, {"epsilon": float("nan")}, {"epsilon": Fraction(1, 10**101)},
     {"beta": 0}, {"beta": 1}, {"beta": 1e-101}, {"dimension": 0},
     {"query": Total()}, {"query": max}, {"query": KthLargest(3)}, {"histogram": None},
     {"histogram": ContinualHistogram.pure(dimension=3, epsilon=1)},
     {"histogram": ContinualHistogram(counter=TreeCounter(horizon=9, epsilon=1), dimension=2)},
     {"histogram": ContinualHistogram(counter=counter(
         SquareRootCounter, rho=1, smallest=1), dimension=2, delta=0.1)},
     {"histogram": ContinualHistogram(counter=BalancedTreeCounter(
         horizon=9, epsilon=1, largest=MOST, sensitivity=0.5), dimension=2)}],
)  # fmt: skip
def test_parameters_are_checked(kind, wrong):
    good = {"epsilon": 1, "query": KthLargest(1), "dimension": 2}
    with pytest.raises(ap.InvalidArgument):
        kind(**{**good, **wrong})


def test_the_slack_of_hss_is_the_same_in_every_version():
    """A saved interaction is replayed with the thresholds that it had."""
    hss = HSS(epsilon=1, query=KthLargest(1), dimension=3, beta=0.1)
    assert [hss.slack.of_histogram(j) for j in (1, 2, 10, 39)] == [166, 224, 462, 1257]
