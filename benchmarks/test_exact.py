"""Exact answers, from mechanism object to figure, beside a probabilistic model checker.

    make bench ARGS="-k test_exact --benchmark-timer=time.process_time"

Storm gets the same question as a POMDP (``storm.py``), in floats. Below the times stand the
figure, the beliefs valued, and beliefs per second. ``docs/exact.md`` has a table of them.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import chain, combinations

import attrs
import by_hand
import pytest
from peers import Peer
from storm import tight_delta

import antiphon as ap
from antiphon import Claim, Log, Verification, spaces
from antiphon.audit import law_of_views
from antiphon.audit.exact.question import CURVE
from antiphon.composition import (
    BasicFilter,
    adaptive_parameters,
    check_properties,
    fixed_mechanisms,
    fixed_parameters,
    sparse_parallel,
)
from antiphon.conjectures import FilterPattern
from antiphon.mechanisms import COUNT, LeakyBit, RandomizedResponse, TreeCounter
from antiphon.protocol import Approximate, Status
from antiphon.selfcheck.theorems.adaptive_choice import NaturalFilter
from antiphon.selfcheck.theorems.complex_mechanisms import EachBit
from antiphon.selfcheck.theorems.histogram import Capped, SmallHSS

TENTH = Fraction(1, 10)


@attrs.frozen
class AnyPairs(Verification):
    """f that allows every pair."""

    initial_state = ()

    def step(self, state, zero, one, /):
        return state


@attrs.frozen
class AboveThreshold(ap.ContinualMechanism):
    """Finite AboveThreshold: ⊤ iff q + ν >= ρ, both two-sided geometric of ratio 1/2 in -R..R."""

    radius: int
    rounds: int
    largest: int = 1
    initial_state = None

    @property
    def signature(self):
        answers = spaces.Finite((ap.TOP, ap.BOTTOM, ap.HALT))
        return ap.Signature(spaces.Integers(0, self.largest), answers)

    @property
    def claims(self):
        f = ap.verifiers.bounded(AnyPairs(), self.rounds)
        return (Claim(Approximate(9, 0), f, Status.ASSUMED, "to be computed"),)

    def noise(self, coins):
        weights = [2 ** (self.radius - abs(z)) for z in range(-self.radius, self.radius + 1)]
        return coins.categorical(weights) - self.radius

    def step(self, state, message, coins):
        if state == "over":
            return state, ap.HALT
        threshold = self.noise(coins) if state is None else state
        above = message + self.noise(coins) >= threshold
        return ("over", ap.TOP) if above else (threshold, ap.BOTTOM)


def ask(benchmark, system, verification, epsilon, rounds, expected=None, **search):
    """Time a question that knows nothing yet."""
    game = ap.PrivacyGame(system, verification)
    search["report"] = None
    solution = benchmark(lambda: game.solve(epsilon=epsilon, rounds=rounds, **search))
    if expected is not None:
        assert f"{float(solution.delta):.{len(expected) - 2}f}" == expected
    benchmark.extra_info["delta"] = float(solution.delta)
    benchmark.extra_info["beliefs"] = solution.nodes
    if benchmark.stats is not None:
        rate = solution.nodes / benchmark.stats.stats.median
        benchmark.extra_info["beliefs per second"] = round(rate)


def copies_of(mechanism, copies, rounds):
    """(system, f, messages) of copies that may each be asked ``rounds`` times."""
    if copies == 1:
        return mechanism, AnyPairs(), rounds
    return ap.ExtConComp(), fixed_mechanisms([mechanism] * copies), copies * (rounds + 1)


STORM = Peer("ask_storm.py")
ABOVE_THRESHOLD = [
    pytest.param(1, 3, 6, "0.129654", id="R=3, 6 rounds"),
    pytest.param(1, 3, 14, "0.139899", id="R=3, 14 rounds"),
    pytest.param(1, 1, 40, "0.259615", id="R=1, 40 rounds"),
    pytest.param(1, 2, 40, "0.188763", id="R=2, 40 rounds"),
    pytest.param(1, 3, 40, "0.144900", id="R=3, 40 rounds"),
    pytest.param(1, 4, 40, "0.119959", id="R=4, 40 rounds"),
    pytest.param(1, 5, 40, "0.106015", id="R=5, 40 rounds"),
    pytest.param(2, 1, 4, "0.430613", id="2 copies, R=1, 4 rounds each"),
    pytest.param(3, 1, 3, "0.532796", id="3 copies, R=1, 3 rounds each"),
]


class TestAboveThreshold:
    """Both sides at e^ε = 2, encoding included, both worlds."""

    @pytest.fixture(autouse=True)
    def _group(self, request, benchmark):
        benchmark.group = f"AboveThreshold, {request.node.callspec.id}"

    @pytest.mark.parametrize(("copies", "radius", "rounds", "expected"), ABOVE_THRESHOLD)
    def test_antiphon(self, benchmark, copies, radius, rounds, expected):
        system, f, messages = copies_of(AboveThreshold(radius, rounds), copies, rounds)
        ask(benchmark, system, f, Log(2), messages, expected)

    @pytest.mark.benchmark(timer=STORM.clock)
    @pytest.mark.parametrize(("copies", "radius", "rounds", "expected"), ABOVE_THRESHOLD)
    def test_storm(self, benchmark, copies, radius, rounds, expected):
        arguments = STORM, [AboveThreshold(radius, rounds)] * copies, rounds, 2
        found = benchmark.pedantic(tight_delta, arguments, rounds=3)
        assert f"{found:.6f}" == expected
        benchmark.extra_info["delta"] = found

    @pytest.mark.parametrize(("copies", "radius", "rounds", "expected"), ABOVE_THRESHOLD)
    def test_by_hand(self, benchmark, copies, radius, rounds, expected):
        """A dynamic program for one copy of it and nothing else, exact too."""
        if copies > 1:
            pytest.skip("the program by hand is of one copy")
        found = benchmark(by_hand.above_threshold_delta, radius, rounds, 2)
        assert f"{float(found):.6f}" == expected
        benchmark.extra_info["delta"] = float(found)


@pytest.mark.benchmark(group="closed forms")
class TestClosedForms:
    def test_randomized_response_k_8(self, benchmark):
        rr = RandomizedResponse(epsilon=Log(2), delta=Fraction(1, 100))
        f = fixed_mechanisms([rr] * 8)
        ask(benchmark, ap.ExtConComp(), f, Log(2), 16, "0.599032902939")

    def test_unlike_randomized_responses_k_6(self, benchmark):
        parts = [RandomizedResponse(epsilon=Log(1 + Fraction(1, n)), delta=0) for n in range(1, 7)]
        f = fixed_parameters([(m.epsilon, m.delta) for m in parts])
        ask(benchmark, ap.ExtConComp(), f, Log(2), 12, catalogue=parts)

    def test_counterexample_10_copies(self, benchmark):
        """1-sparse parallel M_{1/10} at ε = 0: 1 − (9/10)^10; to be answered in 10 s."""
        f, search = sparse_parallel([(0, TENTH)]), {"max_creations": 10}
        catalogue = [LeakyBit(delta=TENTH)]
        ask(benchmark, ap.ExtConComp(), f, 0, 21, "0.6513215599", catalogue=catalogue, **search)


class Cut(ap.Coins):
    """Two-sided geometric noise of ratio 1/2 in -R..R, whatever is asked for."""

    def __init__(self, coins, radius):
        super().__init__()
        self.coins, self.radius = coins, radius

    def draw(self, kind, parameter):
        weights = [2 ** (self.radius - abs(z)) for z in range(-self.radius, self.radius + 1)]
        return self.coins.categorical(weights) - self.radius


@attrs.frozen
class Answering(ap.ContinualMechanism):
    """A tree counter with such noise, that answers each update with the count, and then halts."""

    counter: TreeCounter
    radius: int
    signature = ap.Signature(spaces.BITS, spaces.Integers(), spaces.BITS)

    @property
    def initial_state(self):
        return self.counter.initial_state

    @property
    def claims(self):
        f = ap.verifiers.event_level()
        return (Claim(Approximate(9, 0), f, Status.ASSUMED, "to be computed"),)

    def step(self, state, message, coins):
        if state.updates >= self.counter.horizon:
            return state, ap.HALT
        state, _ = self.counter.step(state, message, cut := Cut(coins, self.radius))
        return self.counter.step(state, COUNT, cut)


def unlike(responses):
    """Responses of ln 2, ln 3/2, ln 4/3, …"""
    return [RandomizedResponse(epsilon=Log(1 + Fraction(1, n + 1))) for n in range(responses)]


@pytest.mark.benchmark(group="compositions")
class TestCompositions:
    """Storm takes the product of all hidden states, where it is small."""

    @pytest.mark.parametrize("creations", [5, 8])
    def test_a_filter(self, benchmark, creations):
        budget = BasicFilter(epsilon=Log(64))
        parts = [RandomizedResponse(epsilon=Log(q)) for q in (2, 3, 4)]
        search = {"catalogue": parts, "max_creations": creations}
        system = ap.ExtConComp(budget=budget)
        f = adaptive_parameters(budget)
        ask(benchmark, system, f, Log(4), 2 * creations, "0.480000", **search)

    @pytest.mark.parametrize("responses", [10, 14, 30])
    def test_unlike_responses(self, benchmark, responses):
        parts = unlike(responses)
        ask(benchmark, ap.ExtConComp(), fixed_mechanisms(parts), Log(2), 2 * responses)

    @pytest.mark.benchmark(timer=STORM.clock)
    @pytest.mark.parametrize(("responses", "expected"), [(8, "0.166926"), (10, "0.170925")])
    def test_unlike_responses_to_storm(self, benchmark, responses, expected):
        found = benchmark.pedantic(tight_delta, (STORM, unlike(responses), 1, 2), rounds=1)
        assert f"{found:.6f}" == expected
        benchmark.extra_info["delta"] = found

    @pytest.mark.parametrize(("horizon", "radius"), [(4, 2), (8, 1)])
    def test_two_tree_counters(self, benchmark, horizon, radius):
        f = fixed_mechanisms([Answering(TreeCounter(horizon=horizon, epsilon=1), radius)] * 2)
        ask(benchmark, ap.ExtConComp(), f, Log(2), 2 * (horizon + 1))

    @pytest.mark.parametrize("copies", [14, 30])
    def test_the_counterexample(self, benchmark, copies):
        leaky = LeakyBit(delta=Fraction(2, 19))
        search = {"catalogue": [leaky], "max_creations": copies}
        f = sparse_parallel([(0, leaky.delta)])
        ask(benchmark, ap.ExtConComp(), f, 0, 2 * copies + 1, **search)

    @pytest.mark.parametrize("rounds", [2, 3])
    def test_three_unlike_sparse_vectors(self, benchmark, rounds):
        parts = [AboveThreshold(radius, rounds) for radius in (1, 2, 3)]
        search = {"catalogue": parts, "max_creations": 3}
        ask(
            benchmark,
            ap.ExtConComp(),
            sparse_parallel([(9, 0)] * 2),
            Log(2),
            3 * rounds + 3,
            **search,
        )

    def test_three_unlike_tree_counters(self, benchmark):
        parts = [Answering(TreeCounter(horizon=4, epsilon=1), radius) for radius in (2, 3, 4)]
        search = {"catalogue": parts, "max_creations": 3}
        ask(benchmark, ap.ExtConComp(), sparse_parallel([(9, 0)] * 2), Log(2), 18, **search)

    @pytest.mark.parametrize("creations", [4, 5])
    def test_a_user_s_filter(self, benchmark, creations):
        """All sets of four claims under a filter that is wrong."""
        claims = [(Log(Fraction(each, 4)), 0) for each in (6, 8, 12, 16)]
        budget = NaturalFilter(Log(2), Fraction(1, 4))
        pattern = FilterPattern(budget=budget, claims=claims, creations=creations)

        def losses():
            sets = chain.from_iterable(combinations(pattern.responses, k) for k in range(1, 5))
            return max(pattern.loss(each, Fraction(0), pattern.rounds) for each in sets)

        assert benchmark.pedantic(losses, rounds=1) == Fraction(1, 2)


CURVES = [pytest.param(1, radius, 40, id=f"R={radius}, 40 rounds") for radius in (1, 3, 5)]
CURVES.append(pytest.param(3, 1, 3, id="3 copies, R=1, 3 rounds each"))


class TestCurve:
    """One ε, and nine."""

    @pytest.mark.parametrize("number", [1, 9])
    @pytest.mark.parametrize(("copies", "radius", "rounds"), CURVES)
    def test_above_threshold(self, benchmark, number, copies, radius, rounds):
        benchmark.group = f"a curve of AboveThreshold, R={radius}, {copies} copies"
        system, f, messages = copies_of(AboveThreshold(radius, rounds), copies, rounds)
        game, epsilons = ap.PrivacyGame(system, f), (CURVE[3:4] if number == 1 else CURVE)
        benchmark(lambda: game.question(report=None).solve_each(epsilons, messages))

    @pytest.mark.parametrize("number", [1, 9])
    def test_unlike_responses_k_30(self, benchmark, number):
        benchmark.group = "a curve of 30 unlike responses"
        game = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms(unlike(30)))
        epsilons = CURVE[3:4] if number == 1 else CURVE
        benchmark(lambda: game.question(report=None).solve_each(epsilons, 60))


@pytest.mark.benchmark(group="the adversary that attains it")
class TestBestAdversary:
    def test_above_threshold_14_rounds(self, benchmark):
        game = ap.PrivacyGame(AboveThreshold(3, 14), AnyPairs())
        question = game.question(report=None)
        best = benchmark(lambda: question.best_adversary(Log(2), 14))
        laws = [law_of_views(best, game.mechanism(bit), rounds=14) for bit in (0, 1)]
        assert laws[best.bit].hockey_stick(laws[1 - best.bit], Fraction(2)) == best.advantage
        benchmark.extra_info["nodes of the strategy"] = len(best.nodes)


class TestGrowth:
    """Growth against rounds, alphabet and number of mechanisms."""

    @pytest.mark.benchmark(group="growth: rounds (R=3)")
    @pytest.mark.parametrize("rounds", [4, 8, 16, 32])
    def test_rounds(self, benchmark, rounds):
        ask(benchmark, AboveThreshold(3, rounds), AnyPairs(), Log(2), rounds)

    @pytest.mark.benchmark(group="growth: alphabet (R=3, 4 rounds)")
    @pytest.mark.parametrize("queries", [2, 4, 8])
    def test_alphabet(self, benchmark, queries):
        ask(benchmark, AboveThreshold(3, 4, queries - 1), AnyPairs(), Log(2), 4)

    @pytest.mark.benchmark(group="growth: alike mechanisms (RR)")
    @pytest.mark.parametrize("copies", [4, 8, 16, 32])
    def test_alike(self, benchmark, copies):
        rr = RandomizedResponse(epsilon=Log(2), delta=Fraction(1, 100))
        ask(benchmark, ap.ExtConComp(), fixed_mechanisms([rr] * copies), Log(2), 2 * copies)

    @pytest.mark.benchmark(group="growth: stateful mechanisms (R=1, 3 rounds each)")
    @pytest.mark.parametrize("copies", [1, 2, 3])
    def test_stateful(self, benchmark, copies):
        mechanism = AboveThreshold(1, 3)
        f = fixed_mechanisms([mechanism] * copies)
        ask(benchmark, ap.ExtConComp(), f, Log(2), 4 * copies)

    @pytest.mark.benchmark(group="growth: created mechanisms (M_1/10)")
    @pytest.mark.parametrize("copies", [4, 8, 12])
    def test_created(self, benchmark, copies):
        search = {"catalogue": [LeakyBit(delta=TENTH)], "max_creations": copies}
        f = sparse_parallel([(0, TENTH)])
        ask(benchmark, ap.ExtConComp(), f, 0, 2 * copies + 1, **search)


class TestExploring:
    """The three properties of CM §6.1, over all pairs of runs of P; strict: as printed."""

    @pytest.mark.benchmark(group="exploring: P of HSS (d = 1)")
    @pytest.mark.parametrize("steps", [1, 2, 3])
    @pytest.mark.parametrize("strict", [False, True])
    def test_histogram(self, benchmark, steps, strict):
        hss = SmallHSS(epsilon=1, query=Capped(), dimension=1)
        options = {"rounds": 9 * steps, "questions": steps, "strict": strict}
        explore(benchmark, hss, fixed_mechanisms(hss.created), ((0,), (1,)), steps, options)

    @pytest.mark.benchmark(group="exploring: the local model")
    @pytest.mark.parametrize("bits", [4, 8, 16])
    def test_each_bit(self, benchmark, bits):
        rr = ap.Create(RandomizedResponse(epsilon=Log(2)))
        inner = sparse_parallel([rr.parameters])
        explore(benchmark, EachBit(rr), inner, (0, 1), bits, {"rounds": 3 * bits})


def explore(benchmark, processor, inner, queries, steps, options):
    f = ap.verifiers.bounded(ap.verifiers.event_level(), steps)
    check = partial(check_properties, processor, f, inner, queries=queries, **options)
    assert benchmark(check) is None
