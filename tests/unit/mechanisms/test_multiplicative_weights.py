"""Private multiplicative weights: its arithmetic, its answers, its properties, its theorem."""

import math
from fractions import Fraction

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import over

import antiphon as ap
from antiphon import Claim, ContinualMechanism
from antiphon.audit import search_properties
from antiphon.composition import ComplexMechanism, check_properties
from antiphon.composition.properties import Property
from antiphon.mechanisms import AboveThreshold, Echo, MultiplicativeWeights, learned_weights
from antiphon.mechanisms.multiplicative_weights.design import updates_for
from antiphon.mechanisms.multiplicative_weights.hypothesis import expected, powers, weights
from antiphon.protocol import Draw, Pure, ReplayedCoins, SampledCoins, Status
from antiphon.protocol.spaces import Finite, Integers
from antiphon.verifiers import ReplacedRow

ONE_UPDATE = {"size": 2, "epsilon_each": 8, "updates": 1, "threshold": 5, "rate": 1.0}


def test_what_is_claimed_is_of_one_replaced_row_in_steps():
    """A row moves an answer by 1, four steps of 1/4; queries are the same in both worlds."""
    learned = MultiplicativeWeights(**ONE_UPDATE, step=Fraction(1, 4))
    assert learned.test.sensitivity == learned.value.sensitivity == learned.steps == 4
    f = learned.lifting.outer
    rows = [np.array(each) for each in ([3, 1], [2, 2], [1, 3])]
    queries = [np.array(each) for each in ([0.25, 1.0], [0.5, 1.0])]
    assert f([ap.Pair(rows[0], rows[1]), ap.Pair(queries[0], queries[0])]) is ap.TOP
    assert f([ap.Pair(rows[0], rows[2])]) is ap.BOTTOM
    assert f([ap.Pair(*queries)]) is ap.BOTTOM


def test_three_replaced_rows_cost_three_times_as_much():
    """Group privacy, of the pairs of rows alone: queries are still the same in both worlds."""
    learned = MultiplicativeWeights(**ONE_UPDATE)
    rows = ap.verifiers.event_level(ReplacedRow(), events=3)
    f = ap.verifiers.updates_and_queries(rows, learned.questions)
    assert ap.guarantee(ComplexMechanism(learned), f).epsilon_at(0) == 3 * 8


# --- the hypothesis ----------------------------------------------------------------------------


def test_powers_are_those_of_e():
    x = np.concatenate([-np.geomspace(1e-12, 100, 4000), [0.0]])
    exact = np.array([math.exp(each) for each in x])
    assert np.abs(powers(x) / exact - 1).max() < 2.0**-45
    assert powers(np.array([0.0]))[0] == 1.0


@given(
    st.lists(st.tuples(st.integers(-400, 400), st.integers(0, 4)), min_size=1, max_size=8),
    st.floats(0.01, 2),
    st.integers(0, 10**9),
)
def test_the_hypothesis_answers_as_real_numbers_would(entries, rate, rows):
    """Within the slack of the accuracy theorem: against e^x in doubles, 60 bits of mantissa off."""
    sums, query = (np.array(column, np.int64) for column in zip(*entries, strict=True))
    mass = [math.exp((s - sums.max()) * rate) for s in sums.tolist()]
    wanted = rows * math.fsum(v * m for v, m in zip(query.tolist(), mass, strict=True))
    wanted /= math.fsum(mass)
    for fineness in (16, 30, 40):
        heavy = weights(sums, rate, fineness)
        assert heavy.max() == 1 << fineness
        slack = 0.5 + 2 * rows * 4 * len(entries) / 2.0**fineness
        assert abs(expected(query, heavy, rows) - wanted) <= slack + 1e-9 * rows


def test_ties_round_up_and_nothing_is_nothing():
    assert expected(np.array([1, 0]), np.array([4, 4]), 3) == 2  # 1.5
    assert expected(np.array([1, 0]), np.array([4, 4]), 0) == 0


# --- answers -------------------------------------------------------------------------------------


def said(learner, messages, noises):
    """The answers on given noise: (scale, value) by draw, all used up."""
    coins = ReplayedCoins([Draw("discrete_laplace", Fraction(s), v) for s, v in noises])
    session = ComplexMechanism(learner).start(coins=coins)
    answers = [session.send(np.array(message)) for message in messages]
    coins.feed([])
    return answers


def test_far_answers_are_noisy_and_teach_and_near_ones_are_public():
    """10 rows of kind 0. Test: scales 1/3 and 2/3; 5 + 0. Answer: scale 1/2."""
    learner = MultiplicativeWeights(**ONE_UPDATE | {"updates": 2, "rate": math.log(9)})
    rho, nu, own = Fraction(1, 3), Fraction(2, 3), Fraction(1, 2)
    answers = said(
        learner,
        [[10, 0], [0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]],
        # off by 0; by 5 (a tie is far), told 10 + 2; after W = (9, 1)/10 off by 1, and by 1
        [(rho, 0), (nu, 4), (nu, 0), (own, 2), (rho, 1), (nu, 4), (nu, 4), (nu, 0)],
    )
    assert answers == [ap.TOP, 0.0, 12.0, 9.0, 1.0, 10.0]


def test_an_answer_that_is_too_high_lowers_the_weights():
    learner = MultiplicativeWeights(**ONE_UPDATE | {"updates": 2, "rate": math.log(9)})
    rho, nu, own = Fraction(1, 3), Fraction(2, 3), Fraction(1, 2)
    answers = said(
        learner, [[0, 10], [1.0, 0.0], [1.0, 0.0]],
        [(rho, 0), (nu, 0), (own, -1), (rho, 0), (nu, 0)],
    )  # fmt: skip
    assert answers == [ap.TOP, -1.0, 1.0]


def test_it_halts_after_its_updates_and_says_why():
    session = ComplexMechanism(MultiplicativeWeights(**ONE_UPDATE)).start(seed=1)
    query = np.array([1.0, 0.0])
    assert session.send(np.array([1000, 0])) is ap.TOP
    assert abs(session.send(query) - 1000) < 50
    assert session.why_halted == "all 1 updates are used up"
    assert session.send(query) is ap.HALT
    assert session.over


def test_rows_come_at_once_or_one_by_one():
    learner = MultiplicativeWeights(**ONE_UPDATE | {"threshold": 10**6, "step": 0.5})
    for batches in ([[3, 4]], [[1, 0], [2, 4]], [[0, 1]] * 4 + [[1, 0]] * 3):
        session = ComplexMechanism(learner).start(seed=1)
        assert {session.send(np.array(batch)) for batch in batches} == {ap.TOP}
        assert session.send(np.array([1.0, 0.5])) == 5.5  # 7 rows of ¾, in steps of ½


@given(
    st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), max_size=25), st.integers(0, 9)
)
def test_it_is_the_published_algorithm(queries, seed):
    """Against the algorithm in one loop, on distributions in doubles (Dwork and Roth, §4.2)."""
    learner = MultiplicativeWeights(
        size=3, epsilon_each=4, updates=3, threshold=20, rate=0.4, share=0.5
    )
    counts = np.array([70, 20, 10])
    session = ComplexMechanism(learner).start(seed=seed)
    session.send(counts)
    coins, w, left, level = SampledCoins(seed), np.ones(3) / 3, 3, None
    for each in queries:
        u = np.array(each, float)
        if not left:
            assert session.send(u) is ap.HALT
            return
        if level is None:
            level = 20 + coins.discrete_laplace(learner.test.threshold_scale)
        guess = math.floor(100 * float(u @ w) + 0.5)
        gap = abs(int(u @ counts) - guess) + coins.discrete_laplace(learner.test.query_scale)
        answer = guess
        if gap >= level:
            answer = int(u @ counts) + coins.discrete_laplace(learner.value.scale)
            w = w * np.exp((0.4 if answer >= guess else -0.4) * u)
            w, left, level = w / w.sum(), left - 1, None
        assert session.send(u) == answer


# --- bad input -----------------------------------------------------------------------------------


@over(
    "wrong",
    [
        {"size": 0}, {"size": 2.0}, {"epsilon_each": 0}, {"epsilon_each": -1},
        {"epsilon_each": math.nan}, {"updates": 0}, {"threshold": 0.5}, {"rate": 0},
        {"rate": math.inf}, {"step": 0.3}, {"step": 2}, {"step": 0}, {"share": 1},
        {"step": 2.0**-45},
    ])  # fmt: skip
def test_parameters_are_checked(wrong):
    with pytest.raises(ap.InvalidArgument):
        MultiplicativeWeights(**ONE_UPDATE | wrong)


@over(
    "wrong",
    [
        np.array([1.0, 0.5]), np.array([1.0, 2.0]), np.array([1.0]), np.array([-1.0, 0.0]),
        np.array([math.nan, 0.0]), np.array([-1, 0]), np.array([1, 2, 3]), np.array([2**41, 0]),
        (1, 0), "query", 1,
    ])  # fmt: skip
def test_messages_are_checked_and_nothing_changes(wrong):
    session = ComplexMechanism(MultiplicativeWeights(**ONE_UPDATE)).start(seed=1)
    session.send(np.array([1, 1]))
    with pytest.raises(ap.InvalidArgument):
        session.send(wrong)
    assert session.send(np.array([1.0, 1.0])) == 2.0


def test_rows_that_overflow_are_refused():
    learner = MultiplicativeWeights(**ONE_UPDATE | {"step": 2.0**-22})
    session = ComplexMechanism(learner).start(seed=1)
    assert session.send(np.array([2**39, 0])) is ap.TOP
    with pytest.raises(ap.InvalidArgument, match="62 bits"):
        session.send(np.array([2**39, 2**39]))
    assert session.send(np.array([0, 1])) is ap.TOP


def test_a_tiny_epsilon_overflows_nothing():
    learner = MultiplicativeWeights(**ONE_UPDATE | {"epsilon_each": Fraction(1, 10**400)})
    answers = set()
    for seed in range(20):
        session = ComplexMechanism(learner).start(seed=seed)
        session.send(np.array([1, 0]))
        answers.add(session.send(np.array([1.0, 0.0])))
        assert session.failures == ()
    assert answers <= {1.0, 2.0**62, -(2.0**62)}
    assert len(answers) == 3
    assert learner.error_bound(1, beta=0.5) == math.inf
    assert learner.most_updates(1, rows=1, beta=0.5) is None
    for wrong in ({"epsilon": Fraction(1, 10**400)}, {"rows": 10}, {"epsilon": 0}, {"delta": 1}):
        with pytest.raises(ap.InvalidArgument):
            learned_weights(**{"size": 9, "rows": 10**6, "queries": 5, "epsilon": 1} | wrong)


# --- privacy -------------------------------------------------------------------------------------


def test_neighbours_are_histograms_with_one_row_replaced():
    zero, relation = np.array([3, 1, 0]), ReplacedRow()
    for other, near in (
        ([3, 1, 0], True), ([2, 2, 0], True), ([3, 0, 1], True), ([4, 1, 0], False),
        ([2, 1, 0], False), ([1, 3, 0], False), ([4, 0, 0], True), ([2, 0, 2], False),
    ):  # fmt: skip
        assert relation.holds(zero, np.array(other)) is near
    for wrong in ((3, 1, 0), np.array([3.0, 1.0, 0.0]), np.array([3, 1]), np.array([[3, 1, 0]])):
        assert not relation.holds(zero, wrong)


@pytest.mark.parametrize(("delta", "updates"), [(0, 7), (1e-6, 50)])
def test_the_guarantee_is_derived(delta, updates):
    learner = MultiplicativeWeights(**ONE_UPDATE | {"updates": updates, "epsilon_each": 0.01})
    promise = ap.guarantee(ComplexMechanism(learner))
    assert promise.status is Status.PROVED
    assert promise.theorem == "CM Thm 6.1"
    parts = [(Fraction(3, 400), 0), (Fraction(1, 400), 0)]
    expected_ = ap.composition.accounting.optimal(parts, times=updates).epsilon_at(delta)
    assert promise.epsilon_at(delta) == pytest.approx(expected_, rel=1e-6)
    assert promise.epsilon_at(0) == pytest.approx(0.01 * updates)
    assert delta == 0 or promise.epsilon_at(delta) < 0.005 * updates


@attrs.frozen
class FewAnswers(ContinualMechanism):
    """Stands for a mechanism where all runs are listed: its claims, few answers."""

    claims: tuple
    queries: object
    answers: tuple

    @property
    def initial_state(self):
        return None

    @property
    def signature(self):
        return ap.Signature(self.queries, Finite(self.answers))

    def step(self, state, message, coins):
        return None, self.answers[coins.uniform_integer(len(self.answers))]


def with_few_answers(kind, updates=2, **parameters):
    learner = kind(**ONE_UPDATE | {"updates": updates, "threshold": 0, **parameters})
    echo, test, value = (each.mechanism for each in learner._creations)
    few = FewAnswers(echo.claims, echo.signature.queries, (0, 1, ap.TOP, ap.BOTTOM))
    some = FewAnswers(value.claims, Integers(), (-1, 0, 1))
    object.__setattr__(learner, "_creations", tuple(map(ap.Create, (few, test, some))))
    return learner


ALPHABET = [np.array(each) for each in ([1, 0], [0, 1], [1.0, 0.0])]


def violation(learner, messages=ALPHABET, outer=None, rounds=12, strict=False):
    lifting = learner.lifting
    return check_properties(
        learner, outer or lifting.outer, lifting.inner, queries=messages, rounds=rounds,
        strict=strict,
    )  # fmt: skip


def test_it_has_the_three_properties():
    assert violation(with_few_answers(MultiplicativeWeights)) is None


@pytest.mark.slow
def test_noise_is_for_the_steps_that_a_row_moves_a_value():
    """A row moves Σ v_x count_x by up to R = 1/step, and each test and answer promises for that.

    Twins whose test, or whose answer, is for neighbours 1 apart are caught.
    """
    messages = [np.array(each) for each in ([1, 0], [0, 1], [1.0, 0.0], [0.5, 0.0])]
    for step in (1.0, 0.5):
        learner = MultiplicativeWeights(**ONE_UPDATE | {"step": step})
        test, value = learner.test, learner.value
        steps = Fraction(1 / step)
        assert (test.sensitivity, value.sensitivity) == (steps, steps)
        assert test.threshold_scale == 2 * steps / (Fraction(3, 4) * 8)
        assert value.scale == steps / (Fraction(1, 4) * 8)
        assert violation(with_few_answers(MultiplicativeWeights, step=step), messages) is None
    for place in (1, 2):
        twin = with_few_answers(MultiplicativeWeights, step=0.5)
        made = [each.mechanism for each in twin._creations]
        if place == 1:
            made[1] = attrs.evolve(made[1], sensitivity=1)
        else:
            made[2] = attrs.evolve(made[2], claims=attrs.evolve(value, sensitivity=1).claims)
        object.__setattr__(twin, "_creations", tuple(map(ap.Create, made)))
        assert violation(twin, messages).property is Property.VALIDITY


@pytest.mark.slow
def test_the_properties_are_searched_with_real_noise_too():
    learner = MultiplicativeWeights(**ONE_UPDATE | {"updates": 3})
    lifting = learner.lifting

    def answers(message, created):
        if type(message) is ap.Create:
            return [ap.TOP]
        mechanism = created[message.index].mechanism
        if isinstance(mechanism, AboveThreshold):
            return [ap.TOP, ap.BOTTOM, ap.HALT]
        return [message.query] if isinstance(mechanism, Echo) else [-3, 0, 1, 7, ap.HALT]

    assert search_properties(learner, lifting.outer, lifting.inner, queries=ALPHABET,
                             answers=answers, rounds=25, examples=150) is None  # fmt: skip


class SaysItself(MultiplicativeWeights):
    """Answers from the hypothesis without Echo: what is public, f-valid pairs have in common."""

    def exchange(self, state, message):
        run, heard = super().exchange(state, message), None
        while True:
            try:
                sent = run.send(heard)
            except StopIteration as ended:
                return ended.value
            public = type(sent) is ap.Ask and sent.index == 0 and sent.query is not ap.BOTTOM
            heard = sent.query if public else (yield sent)


class LearnsFromTheTruth(MultiplicativeWeights):
    """A twin whose hypothesis learns from the data, not from the noisy answer."""

    def _learned(self, state, asked, noisy):
        return super()._learned(state, asked, asked.value)


class Rowwise(MultiplicativeWeights):
    """A twin that compares with a hypothesis of so many rows as it sees of kind 0."""

    def _heard(self, state, message):
        if message.dtype == np.int64:
            state = state._replace(rows=state.rows - 1 + int(message[0]))
        return super()._heard(state, message)


class SaysTheTruth(MultiplicativeWeights):
    """A twin that answers from the data, whatever Echo says."""

    def exchange(self, state, message):
        state, _ = yield from super().exchange(state, message)
        return state, int(state.counts[0])


class AsksWhereItMay(MultiplicativeWeights):
    """A twin that asks nobody while there are rows of kind 0."""

    def exchange(self, state, message):
        if message.dtype != np.int64 and state.counts[0]:
            return state, 0
        return (yield from super().exchange(state, message))


TELLTALES = {
    LearnsFromTheTruth: Property.VALIDITY,
    Rowwise: Property.VALIDITY,
    SaysTheTruth: Property.RESPONSE,
    AsksWhereItMay: Property.DESTINATION,
}


@pytest.mark.parametrize("twin", TELLTALES)
def test_twins_that_tell_more_are_caught(twin):
    found = violation(with_few_answers(twin, rate=9.0))
    assert found.property is TELLTALES[twin]


def test_more_rows_than_f_allows_are_caught():
    outer = ap.verifiers.updates_and_queries(
        ap.verifiers.event_level(ReplacedRow(), events=3),
        MultiplicativeWeights(**ONE_UPDATE).questions,
    )
    found = violation(with_few_answers(MultiplicativeWeights), outer=outer)
    assert found.property is Property.VALIDITY  # three replaced rows move a value by 3


@pytest.mark.slow
def test_what_is_public_p_may_say_itself():
    """Not as the response property is printed: of any two queries, not of identical ones."""
    assert violation(with_few_answers(SaysItself)) is None
    found = violation(with_few_answers(SaysItself), strict=True)
    assert found.property is Property.RESPONSE


def test_echo_promises_for_identical_pairs_only():
    assert Echo().claims == (
        Claim(Pure(0), ap.verifiers.event_level(events=0), Status.PROVED,
              "both sides of each pair are the same message"),
    )  # fmt: skip
    game = ap.PrivacyGame(Echo(), Echo().claims[0].verification)
    assert game.play(ap.scripted([ap.Pair(1, 1), ap.Pair(1, 2)]), bit=0).answers == (1, ap.HALT)


# --- accuracy ------------------------------------------------------------------------------------


class Within(ap.Coins):
    """Noise anywhere within its bounds: the event of the accuracy theorem, at its worst."""

    def __init__(self, learner, queries, beta, choose):
        super().__init__()
        test, third = learner.test, beta / 3
        bound = ap.mechanisms.noise.discrete.laplace_bound
        self.bounds = {
            test.threshold_scale: bound(test.threshold_scale, third / learner.updates),
            test.query_scale: bound(test.query_scale, third / queries),
            learner.value.scale: bound(learner.value.scale, third / learner.updates),
        }
        self.choose = choose

    def draw(self, kind, parameter):
        return self.choose(self.bounds[parameter])


def worst(learner, counts, asked, *, queries, choose):
    """The largest error in steps of rows, and how many updates there were."""
    coins = Within(learner, queries, 0.1, choose)
    session = ComplexMechanism(learner).start(coins=coins)
    session.send(counts)
    largest = 0.0
    for query in asked:
        answer = session.send(query)
        if answer is ap.HALT:
            return largest, learner.updates
        largest = max(largest, abs(answer - float(query @ counts)))
    return largest, session._now[0][0].updates


def asked(size, queries, step, seed):
    generator = np.random.default_rng(seed)
    return generator.integers(0, round(1 / step) + 1, (queries, size)) * step


@pytest.mark.parametrize(("step", "seed"), [(1.0, 1), (1.0, 2), (0.25, 3), (1.0, 4)])
def test_the_accuracy_theorem_holds_however_noise_falls_within_its_bounds(step, seed):
    generator = np.random.default_rng(seed)
    learner = learned_weights(size=16, rows=50_000, queries=300, epsilon=3, beta=0.1, step=step)
    counts = np.zeros(16, np.int64)
    counts[: 1 + seed] = 50_000 // (1 + seed)
    most = learner.most_updates(300, rows=int(counts.sum()), beta=0.1)
    for choose in (
        lambda bound: 0,
        lambda bound: int(generator.integers(-bound, bound + 1)),
        lambda bound: bound * int(generator.choice([-1, 1])),
    ):
        largest, updates = worst(
            learner, counts, asked(16, 300, step, seed), queries=300, choose=choose
        )
        assert largest <= learner.error_bound(300, beta=0.1)
        assert updates <= most < learner.updates


class LearnsBackwards(MultiplicativeWeights):
    """A twin whose weights move the wrong way."""

    def _learned(self, state, asked, noisy):
        return super()._learned(state, asked, 2 * asked.guess - noisy)


def test_a_twin_that_learns_backwards_needs_more_updates_than_the_theorem_says():
    learner = learned_weights(size=16, rows=50_000, queries=300, epsilon=3, beta=0.1)
    given_ = {"size", "epsilon_each", "updates", "threshold", "rate", "share"}
    twin = LearnsBackwards(**{name: getattr(learner, name) for name in given_})
    counts = np.zeros(16, np.int64)
    counts[0] = 50_000
    queries = asked(16, 300, 1.0, 7)
    most = learner.most_updates(300, rows=50_000, beta=0.1)
    assert worst(learner, counts, queries, queries=300, choose=lambda _: 0)[1] <= most
    assert worst(twin, counts, queries, queries=300, choose=lambda _: 0)[1] > most


def test_the_design_spends_what_it_is_given():
    for delta in (0, 1e-6):
        learner = learned_weights(size=50, rows=10**5, queries=100, epsilon=2, delta=delta)
        found = ap.guarantee(ComplexMechanism(learner)).epsilon_at(delta)
        assert 1.98 < found <= 2
        assert learner.most_updates(100, rows=10**5, beta=0.05) < learner.updates
    with_delta = learner.error_bound(100, beta=0.05)
    assert with_delta < learned_weights(size=50, rows=10**5, queries=100, epsilon=2).error_bound(
        100, beta=0.05
    )


def test_bounds_say_where_they_say_nothing():
    learner = learned_weights(size=50, rows=10**5, queries=100, epsilon=2)
    assert learner.most_updates(100, rows=10**8, beta=0.05) is None  # a rate for fewer rows
    assert attrs.evolve(learner, threshold=1).most_updates(100, rows=10**5, beta=0.05) is None
    assert learner.error_bound(10**6, beta=0.05) > learner.error_bound(100, beta=0.05)
    for wrong in ({"queries": 0, "beta": 0.1}, {"queries": 1, "beta": 0}):
        with pytest.raises(ap.InvalidArgument):
            learner.error_bound(wrong["queries"], beta=wrong["beta"])
    assert updates_for(100, 0.05) - 1 <= math.log(100) / (2 * 0.05**2) < updates_for(100, 0.05)
