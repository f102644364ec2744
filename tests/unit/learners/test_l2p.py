"""L2P: what it answers, what its accountings say and ask for, and how it is tuned."""

import math
from fractions import Fraction

import attrs
import numpy as np
import pytest
from accounting_reference import range_moment
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from trying import examples, over, sized

import antiphon as ap
from antiphon import Log
from antiphon.composition.accounting import from_renyi
from antiphon.composition.accounting.calibration import short_rate
from antiphon.learners import ADVICE, Hedge, LazyToPrivate, contest, games
from antiphon.learners.l2p import (
    Accounting,
    ExponentialWeights,
    L2PCurve,
    L2PSetting,
    Measures,
    Optimised,
    Printed,
    Repaired,
    check_assumption,
)
from antiphon.learners.searching import best_l2p
from antiphon.protocol import RecordedCoins, SampledCoins, Status
from antiphon.protocol.messages import TOP

WEIGHTS = ExponentialWeights(experts=3, rate=0.2, grid=4)
LEARNER = LazyToPrivate(measures=WEIGHTS, horizon=40, fakes=0.3, batch=3)


@attrs.frozen(kw_only=True)
class Uneven(Measures):
    """Of a user: a public prior, and losses that count by their squares."""

    @property
    def unit(self):
        return Fraction(1, 80)

    @property
    def reach(self):
        return self.grid**2

    @property
    def first(self):
        return np.arange(self.experts)

    def after(self, scores, loss):
        return scores - loss**2


LEARNERS = [
    LEARNER,
    attrs.evolve(LEARNER, batch=1, margin=1),
    attrs.evolve(LEARNER, measures=attrs.evolve(WEIGHTS, rate=Log(16))),
    attrs.evolve(LEARNER, measures=Uneven(experts=3, grid=4), batch=4),
]
EVERY = over("learner", LEARNERS, at_least=4)


def table(learner, seed=0, rounds=None):
    rounds = learner.horizon if rounds is None else rounds
    draw = np.random.default_rng(seed).integers
    return draw(0, learner.grid + 1, (rounds, learner.experts), np.int64)


def shown(learner, losses, asks=1, seed=5):
    session, found = learner.start(seed=seed), []
    for loss in losses:
        said = [session.send(ADVICE) for _ in range(asks)]
        assert len(set(said)) == 1
        found.append(said[0])
        assert session.send(loss) is TOP
    return [*found, session.send(ADVICE)]


# --- the algorithm --------------------------------------------------------------------------------


@EVERY
def test_to_ask_twice_or_never_changes_nothing(learner):
    losses = table(learner)
    assert shown(learner, losses) == shown(learner, losses, asks=3)
    silent = learner.start(seed=5)
    for loss in losses:
        silent.send(loss)
    assert silent.send(ADVICE) == shown(learner, losses)[-1]


@EVERY
@given(seed=st.integers(0, 2**32), cuts=st.lists(st.integers(0, 40), max_size=3))
@examples(10)
def test_whole_streams_follow_whom_a_session_advises(learner, seed, cuts):
    losses, coins = table(learner, seed), SampledCoins(seed)
    state, found = learner.initial_state, []
    for part in np.split(losses, sorted(cuts)):
        state, followed = learner.follow(state, part, coins)
        found += followed.tolist()
    assert [*found, learner.step(state, ADVICE, coins)[1]] == shown(learner, losses, seed=seed)


def test_past_the_horizon_it_is_refused():
    session = LEARNER.start(seed=1)
    for loss in table(LEARNER):
        session.send(loss)
    with pytest.raises(ap.InvalidArgument, match="horizon of 40 losses"):
        session.send(table(LEARNER)[0])


def test_decisions_fall_at_the_ends_of_batches_but_not_at_the_last():
    for horizon in (39, 40):
        learner, coins = attrs.evolve(LEARNER, horizon=horizon), RecordedCoins(SampledCoins(1))
        state, decided = learner.initial_state, []
        for time, loss in enumerate(table(learner), 1):
            state, _ = learner.step(state, loss, coins)
            if any(draw.kind == "bernoulli_exp" for draw in coins.take()):
                decided.append(time)
        assert decided == [3 * k for k in range(1, -(-horizon // 3))]
        assert learner.setting.batches - 1 == len(decided)


@pytest.mark.parametrize("margin", [1, 2])
def test_a_decision_is_that_of_algorithm_1(margin):
    """S with e^(-mBη) times the ratio, S' and A with 1-p; draws by the weights after the batch."""
    learner = attrs.evolve(LEARNER, margin=margin)
    for seed in range(20):
        coins = RecordedCoins(SampledCoins(seed))
        state, _ = learner.step(learner.initial_state, ADVICE, coins)
        x, y = state.pair
        losses = table(learner, seed, rounds=3)
        for loss in losses:
            coins.take()
            state, _ = learner.step(state, loss, coins)
        draws, lost = list(coins.take()), losses.sum(axis=0)
        more = Fraction(int(lost[x] - lost[y]), 4)
        assert draws[0].parameter == Fraction(1, 5) * (margin * 3 + more)
        stays = draws.pop(0).value
        real = draws.pop(0)
        assert real.parameter == Fraction(7, 10)
        if not (stays and real.value):
            x = draws.pop(0).value
        kept = draws.pop(0)
        assert kept.parameter == Fraction(7, 10)
        if not kept.value:
            y = draws.pop(0).value
        assert (state.pair, draws) == ((x, y), [])
        assert state.begun == (-lost[x], -lost[y])
        assert state.scores.tolist() == (-lost).tolist()


def test_a_ratio_past_1_is_cut():
    """Of measures with δ₀ > 0: the exponent is never negative."""
    learner = attrs.evolve(
        LEARNER, measures=Loose(experts=3), accounting=Printed(tail=0.01), batch=1, fakes=0.5
    )
    state, _ = learner.step(learner.initial_state, ADVICE, SampledCoins(0))
    state = state._replace(pair=(1, 0), begun=(0, 0))
    coins = RecordedCoins(SampledCoins(1))
    learner.step(state, np.array([1, 0, 0]), coins)
    assert coins.take()[0].parameter == 0


def test_rates_and_parameters_are_checked():
    with pytest.raises(ap.InvalidArgument, match="4-th power"):
        attrs.evolve(WEIGHTS, rate=Log(3))
    with pytest.raises(ap.InvalidArgument, match="too many digits"):
        LazyToPrivate(
            measures=attrs.evolve(WEIGHTS, rate=Log(2**4000)), horizon=40, fakes=0.5, batch=30
        )
    for wrong in (0, 1, 1.5, -0.1):
        with pytest.raises(ap.InvalidArgument, match="fakes"):
            attrs.evolve(LEARNER, fakes=wrong)
    for wrong in (0, 3, True, 1.0):
        with pytest.raises(ap.InvalidArgument, match="margin"):
            attrs.evolve(LEARNER, margin=wrong)
    with pytest.raises(ap.InvalidArgument, match="measures is of a class of Measures"):
        attrs.evolve(LEARNER, measures=0.2)
    with pytest.raises(ap.InvalidArgument, match="accounting is of a class of Accounting"):
        attrs.evolve(LEARNER, accounting="printed")
    with pytest.raises(ap.InvalidArgument, match="tail"):
        Printed(tail=1)


# --- Assumption 3.1 -------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class Loose(Measures):
    """One expert, of little weight, may fall by much."""

    @property
    def unit(self):
        return Fraction(1, 100)

    @property
    def reach(self):
        return 1

    @property
    def loose(self):
        return Fraction(1, 1000)

    @property
    def first(self):
        return np.array([-2000, 0, 0])

    def after(self, scores, loss):
        return scores - loss * np.array([50, 1, 1])[: self.experts]


@attrs.frozen(kw_only=True)
class Late(ExponentialWeights):
    """A loss counts double once there was one."""

    def after(self, scores, loss):
        return scores - loss * (1 + bool(scores.any()))


def test_own_and_users_measures_satisfy_it():
    assert check_assumption(WEIGHTS, rounds=1) == 20
    assert check_assumption(Uneven(experts=2, grid=2)) > 50
    assert check_assumption(Loose(experts=3)) > 50
    many = ExponentialWeights(experts=1000, rate=0.2, grid=4)
    assert check_assumption(many, list(table(LEARNER, rounds=0)), rounds=1) == 0
    assert check_assumption(many, most=7) == 7


def test_a_ratio_that_knows_data_is_found():
    with pytest.raises(
        ap.InvalidArgument,
        match=r"\(ii\) fails at loss \[0, 1\], x = 1: it moves the score by -1, and after the "
        r"losses \['\[0, 1\]'\] by -2",
    ):
        check_assumption(Late(experts=2, rate=0.1))
    with pytest.raises(ap.InvalidArgument, match="Assumption"):
        attrs.evolve(LEARNER, measures=Late(experts=3, grid=4, rate=0.1))


@attrs.frozen(kw_only=True)
class Far(ExponentialWeights):
    """Further than it says."""

    def after(self, scores, loss):
        return scores - 2 * loss


def test_a_ratio_that_is_too_large_is_found():
    with pytest.raises(ap.InvalidArgument, match=r"\(i\) fails at loss .* by 2 steps, and η is 1"):
        check_assumption(Far(experts=2, rate=0.1))


def test_more_than_delta_0_is_found():
    @attrs.frozen(kw_only=True)
    class Likely(Loose):
        @property
        def first(self):
            return np.array([-400, 0, 0])[: self.experts]

    with pytest.raises(ap.InvalidArgument, match=r"\(i\) fails at loss \[1, .*takes δ₀ = 0.0\d+"):
        check_assumption(Likely(experts=3))
    with pytest.raises(ap.InvalidArgument, match=r"fails at loss \[1, 0\].*takes δ₀ = 0.0\d+"):
        check_assumption(Likely(experts=2))  # of which one falls, and none rises by more than η


def test_scores_of_another_type_are_found():
    @attrs.frozen(kw_only=True)
    class Real(ExponentialWeights):
        def after(self, scores, loss):
            return scores - loss / 2

    with pytest.raises(ap.PartError, match="int64 array of 2 entries, not float64"):
        check_assumption(Real(experts=2, rate=0.1))


# --- accountings ----------------------------------------------------------------------------------

SETTING = L2PSetting(rate=Fraction(1, 1000), horizon=2**14, batch=4, fakes=Fraction(1, 8), margin=2)
TAIL = Fraction(1, 10**10)


def epsilons(setting, tail):
    """Thm 3.2 and its mended form, in fifty digits."""
    rate, p = (mpf(each.numerator) / each.denominator for each in (setting.rate, setting.fakes))
    length, batches = -mp.log(mpf(tail.numerator) / tail.denominator), setting.batches
    spread = batches * rate**2 * p * length
    printed = 2 * rate / p + rate + 3 * spread / 2 + mp.sqrt(6 * spread * length)
    return printed, 2 * rate / p + spread + 2 * mp.sqrt(spread * length)


@given(
    st.fractions(Fraction(1, 10**6), Fraction(1, 10)), st.integers(1, 2**20), st.integers(1, 100),
    st.fractions(Fraction(1, 10**4), Fraction(99, 100)), st.integers(1, 60),
)  # fmt: skip
def test_the_theorem_is_rounded_up_and_the_mended_one_is_smaller(rate, horizon, batch, p, digits):
    setting, tail = L2PSetting(rate=rate, horizon=horizon, batch=batch, fakes=p), TAIL**digits
    with mp.workdps(50):
        for kind, wanted in zip((Printed, Repaired), epsilons(setting, tail), strict=True):
            found = kind(tail=tail).measure(setting)
            assert wanted <= mpf(float(found.epsilon)) <= wanted * (1 + mpf(10) ** -11)
    printed, repaired = (kind(tail=tail).measure(setting) for kind in (Printed, Repaired))
    assert repaired.epsilon < printed.epsilon
    assert (
        repaired.delta
        == 2 * tail
        <= printed.delta
        == min(1, 2 * tail * -(-horizon // batch) * batch)
    )


def test_delta_0_enters_the_printed_delta():
    loose = attrs.evolve(SETTING, loose=Fraction(1, 10**12))
    length = -math.log(TAIL)
    each = (2 / 0.001 + length * 8) * math.e * 4 * 1e-12
    found = float(Printed(tail=TAIL).measure(loose).delta)
    assert found == pytest.approx(2 * 2**14 * (each + 1e-10), rel=1e-9)
    for kind in (Optimised(), Repaired(tail=TAIL)):
        with pytest.raises(ap.InvalidArgument, match="δ₀ = 0"):
            kind.check(loose)


@over("kind", [Printed, Repaired])
@over(
    ("changed", "text"),
    [
        ({"rate": Fraction(1, 8), "batch": 1}, r"η <= 1/10, and here η = 0.125"),
        ({"fakes": Fraction(1, 5000)}, r"⌈T/B⌉·p >= 1, and here 4096·0.0002 = 0.8192"),
        ({"fakes": Fraction(1, 11)}, r"<= 1, and here 0.001·4·23.0259/0.090909 = 1.01314"),
    ],
)
def test_a_premise_of_the_theorem_is_named_with_its_numbers(kind, changed, text):
    setting, by = attrs.evolve(SETTING, **changed), kind(tail=TAIL)
    by.check(SETTING)
    with pytest.raises(ap.InvalidArgument, match=text):
        by.check(setting)
    weights = ExponentialWeights(experts=2, rate=setting.rate)
    with pytest.raises(ap.InvalidArgument, match=text):
        LazyToPrivate(
            measures=weights, horizon=setting.horizon, batch=setting.batch, fakes=setting.fakes,
            accounting=by,
        )  # fmt: skip


def test_what_lies_within_the_premises_is_taken():
    by = Printed(tail=TAIL)
    assert not any(by.violations(attrs.evolve(SETTING, fakes=Fraction(1, 10))))
    just = L2PSetting(rate=Fraction(1, 10), horizon=1000, batch=1, fakes=Fraction(999, 1000))
    assert not any(Printed(tail=Fraction(1, 10**4)).violations(just))
    once = L2PSetting(rate=Fraction(1, 10**4), horizon=4, batch=1, fakes=Fraction(1, 4))
    assert not any(by.violations(once))


def test_the_number_of_draws_is_bounded_where_the_proof_says_so():
    """exp(M(2ℒ(1 + ln((2 + 3/ℒ)/(2ℒ))) - 2 - 3/ℒ)) <= e^-ℒ for ℒ >= 5, M >= 1; not at ℒ = 4."""

    def exponent(length):
        mean = 2 + 3 / length
        return 2 * length * (1 + math.log(mean / (2 * length))) - mean

    assert all(exponent(length) <= -length for length in np.linspace(5, 500, 5000))
    assert exponent(4) > -4
    with pytest.raises(ap.InvalidArgument, match=r"ln\(1/δ₁\) >= 5, and here it is 4.605"):
        Repaired(tail=Fraction(1, 100)).check(SETTING)


def made(by, rate=Fraction(1, 1000), **changed):
    return LazyToPrivate(
        measures=ExponentialWeights(experts=2, rate=rate), horizon=2**14, batch=4, fakes=0.125,
        accounting=by, **changed,
    )  # fmt: skip


def test_what_is_proved_and_what_is_assumed():
    proved = (made(Optimised()), made(Repaired(tail=TAIL)), made(Printed(tail=TAIL)))
    for learner in proved:
        assert [claim.status for claim in learner.claims] == [Status.PROVED]
        assert ap.guarantee(learner).status is Status.PROVED
    # Where the mended proof does not reach, there is the paper's.
    assert made(Printed(tail=0.01)).claims[0].status is Status.ASSUMED
    loose = LazyToPrivate(
        measures=Loose(experts=3), horizon=40, fakes=0.5, accounting=Printed(tail=1e-9)
    )
    assert loose.claims[0].status is Status.ASSUMED
    assert not any(by.covers(loose.setting) for by in (Optimised(), Repaired(tail=TAIL)))
    assert not Printed(tail=TAIL).covers(loose.setting)

    class Lucky(Optimised):
        def measure(self, setting):
            return Printed(tail=TAIL).measure(setting)

    assert made(Lucky()).claims[0].status is Status.ASSUMED
    assert issubclass(Lucky, Accounting)
    users = LazyToPrivate(measures=Uneven(experts=2), horizon=9, fakes=0.5)
    assert users.claims[0].status is Status.ASSUMED


def exactly(curve, order):
    """The joint bound in fifty digits."""
    rate, p, alpha = (mpf(each.numerator) / each.denominator for each in
                      (Fraction(float(curve.rate)), curve.fakes, Fraction(order)))  # fmt: skip
    large = range_moment(2 * rate, alpha)
    low, high = (curve.margin - 1) * curve.batch, (curve.margin + 1) * curve.batch

    def mixed(own, other):
        s, t = ((1 - p) * mp.e ** (-rate * each) for each in (own, other))
        return s**alpha * t ** (1 - alpha) + (1 - s) ** alpha * (1 - t) ** (1 - alpha) * large

    ends = [(low, low + 2), (high - 2, high)]
    after, other = mixed(high, high), 1 + p * (large - 1)
    first = max(after, *(mixed(a, b) for a, b in (*ends, *[e[::-1] for e in ends])))
    total = mp.log(first) + (curve.decisions - 1) * mp.log(after) + curve.decisions * mp.log(other)
    return total / (alpha - 1)


@over("decisions", [1, 2, 3, 10])
@over("margin", [1, 2])
@over("batch", [1, 3])
@over("fakes", [Fraction(1, 500), Fraction(9, 10)])
def test_the_curve_is_the_bound_and_no_more(decisions, margin, batch, fakes):
    """For few decisions, of which each counts."""
    for rate, order in ((0.2, 3), (1e-2, 50), (1e-6, 1.5)):
        curve = L2PCurve(short_rate(rate), fakes, margin, batch, decisions)
        with mp.workdps(50):
            assert float(curve(order)) == pytest.approx(float(exactly(curve, order)), rel=1e-6)


@given(
    st.floats(1e-5, 0.5), st.fractions(Fraction(1, 10**6), Fraction(999, 1000)),
    st.sampled_from((1, 2)), st.integers(1, 200), st.integers(1, 10**6),
    st.sampled_from((1 + 2.0**-10, 1.5, 2, 3, 7.25, 40, 500)),
)  # fmt: skip
def test_the_curve_is_the_bound_rounded_up(rate, fakes, margin, batch, decisions, order):
    with mp.workdps(50):
        curve = L2PCurve(short_rate(rate), fakes, margin, batch, decisions)
        found, wanted = curve(order), exactly(curve, order)
        assert wanted <= found <= wanted * (1 + mpf(10) ** -5) + mpf(10) ** -11


@given(st.floats(1e-4, 0.5), st.integers(1, 100), st.integers(2, 10**4))
def test_more_orders_and_more_decisions_tell_no_less(rate, batch, decisions):
    curve = L2PCurve(short_rate(rate), Fraction(1, 100), 2, batch, decisions)
    found = [curve(order) for order in (1, 1 + 2.0**-20, 1.01, 1.5, 2, 5, 50)]
    assert found == sorted(found)
    assert curve(2) <= attrs.evolve(curve, decisions=decisions + 1)(2)
    assert attrs.evolve(curve, decisions=0)(2) == 0
    assert curve(math.inf) == math.inf


ODD = {
    "after": [
        lambda self, scores, loss: [0, 0, 0], lambda self, scores, loss: None,
        lambda self, scores, loss: scores - 1.0, lambda self, scores, loss: scores[:2],
        lambda self, scores, loss: 1 / 0,
    ],
    "first": [property(lambda self, value=value: value) for value in ([0] * 3, None, np.zeros(3))],
    "reach": [property(lambda self, value=value: value) for value in (1.5, None, True, -1)],
    "unit": [property(lambda self, value=value: value) for value in ("1", None, -1, math.nan)],
    "loose": [property(lambda self, value=value: value) for value in (None, -1, 2, "0")],
}  # fmt: skip


@over(
    ("name", "value"),
    [(name, value) for name, values in ODD.items() for value in values],
    at_least=18,
)
def test_measures_of_odd_types_are_a_fault_of_theirs(name, value):
    """Once an AttributeError or a TypeError from within, or nothing at all."""
    kind = attrs.frozen(kw_only=True)(type("Odd", (Uneven,), {name: value}))
    with pytest.raises(ap.PartError, match=name):
        LazyToPrivate(measures=kind(experts=3), horizon=100, fakes=0.1)


# --- parameters -----------------------------------------------------------------------------------

SIZE = {"horizon": 2**14, "experts": 10, "epsilon": 1, "delta": 1e-6}


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("accounting", "kind", "most"),
    [("optimised", Optimised, 360), ("repaired", Repaired, 1450), ("printed", Printed, 2650)],
)
def test_it_is_tuned_by_each_accounting(accounting, kind, most):
    learner = LazyToPrivate.tuned(**SIZE, accounting=accounting)
    assert type(learner.accounting) is kind
    assert ap.guarantee(learner).status is Status.PROVED
    assert 0.99 < ap.guarantee(learner).epsilon_at(1e-6) <= 1
    assert learner.regret_bound < most


@over("accounting", ["repaired", "printed"])
def test_a_theorem_is_given_all_of_delta_and_no_more(accounting):
    delta = Fraction(1, 1000)
    found = best_l2p(64, 10, Fraction(8), delta, accounting)
    assert found.accounting.measure(found.setting).delta == delta


@over(
    ("horizon", "epsilon"),
    [(1, 3), (2, 0.01), *sized([], [(1, 0.01), (2, 3), (50, 0.01)]), (50, 3)],
)
def test_short_games_are_tuned(horizon, epsilon):
    learner = LazyToPrivate.tuned(horizon=horizon, experts=5, epsilon=epsilon, delta=1e-3)
    assert ap.guarantee(learner).epsilon_at(1e-3) <= epsilon


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1, 10])
@pytest.mark.parametrize("horizon", [64, 1024, 2**14])
def test_the_budget_is_spent_where_that_helps(horizon, epsilon):
    """Once .69 of .001 at 2^14, .74 of 1 at 64: the search took αη²/2 for what a draw tells."""
    found = best_l2p(horizon, 10, Fraction(epsilon), Fraction(1, 10**6), "optimised").setting
    most = math.sqrt(8 * math.log(10) / (found.batch * horizon))
    spent = from_renyi(Optimised().measure(found).curve).epsilon_at(1e-6)
    assert 0.99 * epsilon < spent <= epsilon or found.rate >= 0.999 * most


@pytest.mark.slow
def test_a_setting_with_few_decisions_spends_its_budget():
    found = best_l2p(2**14, 10, Fraction(1, 1000), Fraction(1, 10**6), "optimised").setting
    assert from_renyi(Optimised().measure(found).curve).epsilon_at(1e-6) > 0.00099


def test_budgets_and_names_are_checked():
    for epsilon, delta in [(0, 0.1), (-1, 0.1), (1, 0), (1, 1)]:
        for make in (LazyToPrivate.tuned, LazyToPrivate.corrected, LazyToPrivate.printed):
            with pytest.raises(ap.InvalidArgument, match=r"epsilon|delta"):
                make(horizon=9, experts=2, epsilon=epsilon, delta=delta)
    with pytest.raises(ap.InvalidArgument, match="'optimised', 'repaired' or 'printed'"):
        LazyToPrivate.tuned(**SIZE, accounting="tight")
    with pytest.raises(ap.InvalidArgument, match="p >= 1"):
        LazyToPrivate.tuned(horizon=1, experts=2, epsilon=1, delta=0.1, accounting="printed")


def test_the_closed_form_is_refused_where_it_violates_the_theorem():
    with pytest.raises(
        ap.InvalidArgument, match=r"ln\(1/δ₁\)/p <= 1.* = 2.42\d+: .*use LazyToPrivate.corrected"
    ):
        LazyToPrivate.printed(**SIZE)
    with pytest.raises(ap.InvalidArgument, match=r"p = \d.*Thm 3.10"):
        LazyToPrivate.printed(horizon=30, experts=10, epsilon=0.001, delta=0.5)


def test_the_closed_form_is_taken_where_it_holds():
    """δ is near 1 there: ln(2T/δ) <= 10."""
    learner = LazyToPrivate.printed(horizon=2**13, experts=10, epsilon=1, delta=0.9)
    length = math.log(2 * 2**13 / 0.9)
    rate = ((2**13) ** -0.25 * math.log(10) ** 0.75) ** (2 / 3) / (2**13) ** (1 / 3)
    assert float(learner.measures.rate) == pytest.approx(rate / math.log(2**13 / 0.9), rel=1e-5)
    assert learner.batch == 1
    assert learner.fakes == 10 * learner.measures.rate
    assert length < 10
    assert ap.guarantee(learner).epsilon_at(0.9) <= 1


def test_the_closed_form_is_corrected():
    learner = LazyToPrivate.corrected(**SIZE)
    length = math.log(2 * 2**14 / 1e-6)
    rate = float(learner.measures.rate)
    assert learner.batch == max(1, math.floor(10 / length))
    assert float(learner.fakes) == pytest.approx(
        max(10 * rate, rate * learner.batch * length), rel=2e-4
    )
    assert 0.999 < ap.guarantee(learner).epsilon_at(1e-6) <= 1
    slow = LazyToPrivate.corrected(**SIZE | {"epsilon": 0.01})
    assert slow.batch == math.floor(10 / (0.01 * length))
    with pytest.raises(ap.InvalidArgument, match="p >= 1"):
        LazyToPrivate.corrected(**SIZE | {"horizon": 20, "epsilon": 0.01})


# --- regret ---------------------------------------------------------------------------------------


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("accounting", "low", "high"), [("optimised", 230, 300), ("printed", 1280, 1340)]
)
def test_expected_regret_is_what_the_accounting_leaves(accounting, low, high):
    """The printed formula is what hurts, not the algorithm: uniform play has 1475."""
    learner = LazyToPrivate.tuned(**SIZE, accounting=accounting)
    game = games.StochasticGap(rounds=2**14, experts=10)
    found = contest(learner, game, repetitions=6, seed=1, expected=True, executor="serial")
    assert low < found.expected[:, -1].mean() < high
    played = found.regrets[:, -1]
    assert abs(played.mean() - found.mean[-1]) < 8 * played.std(ddof=1) / 6**0.5


def test_the_rate_of_measures_is_all_that_one_loss_moves():
    assert Uneven(experts=3, grid=4).rate == Fraction(16, 80)
    assert LEARNERS[3].setting.rate == Fraction(1, 5)


def test_expected_regret_of_users_measures():
    """By their own scores, with their prior."""
    learner = LEARNERS[3]
    losses = table(learner)
    scores = np.array([0, 1, 2])
    law = np.exp(scores / 80)
    expected = learner.expected_losses(learner.initial_scores, losses)
    assert expected[0] == pytest.approx(losses[0] @ law / law.sum())
    law = np.exp((scores - (losses[:4] ** 2).sum(axis=0)) / 80)
    assert expected[4] == pytest.approx(losses[4] @ law / law.sum())


def test_a_batch_costs_more_than_the_paper_says():
    """ηBT/16 on batch-constant losses of two, where Prop. 3.3 says O(TB²η²): no constant will do.

    The excess over exponential weights that learn each loss at once, with the same η, in
    expectation over the learners' coins; the ratio to TB²η² is about 1/(16Bη).
    """
    horizon, batch = 2**14, 16
    ratios = []
    for rate in (Fraction(1, 2**12), Fraction(1, 2**14)):
        weights = ExponentialWeights(experts=2, rate=rate)
        learner = LazyToPrivate(measures=weights, horizon=horizon, batch=batch, fakes=0.5)
        hedge = Hedge(horizon=horizon, experts=2, rate=rate)
        game = games.BatchConstant(rounds=horizon, experts=2, batch=batch)
        excess = []
        for key in range(8):
            losses = np.concatenate(
                [game.losses(key, number) for number in range(-(-horizon // game.block))]
            )
            frozen, prompt = (
                each.expected_losses(np.zeros(2, np.int64), losses).sum()
                for each in (learner, hedge)
            )
            excess.append(frozen - prompt)
        mean = np.mean(excess)
        assert mean == pytest.approx(float(rate) * (batch - 1) * horizon / 16, rel=0.05)
        ratios.append(mean / (horizon * batch**2 * float(rate) ** 2))
    assert ratios[0] > 14
    assert ratios[1] == pytest.approx(4 * ratios[0], rel=0.05)
