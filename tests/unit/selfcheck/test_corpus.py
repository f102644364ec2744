"""The targets of the corpus against their definitions: which noise, which ties, which answers."""

import ast
import inspect
import itertools
import math
from fractions import Fraction
from pathlib import Path

import attrs
import bounds
import numpy as np
import pytest
from sources import nodes
from trying import over, sized

import antiphon as ap
from antiphon import Create, Log, PostProcessor
from antiphon.composition import Budget, TwoCopies
from antiphon.composition.concurrent import Concurrent
from antiphon.mechanisms import COUNT, BufferedToeplitzCounter, TreeCounter
from antiphon.protocol import Draw, SampledCoins, Status
from antiphon.protocol.coins.column_safety import is_column_safe
from antiphon.protocol.coins.tapes import ReplayedCoins
from antiphon.protocol.records.rounds import Ending
from antiphon.protocol.registry import registered_name
from antiphon.selfcheck.corpus import corpus
from antiphon.selfcheck.corpus.entry import Truth, input_pairs
from antiphon.selfcheck.corpus.targets.floats import (
    Snapping,
    TextbookLaplace,
    TruncatedGeometric,
    trailing_bits,
)
from antiphon.selfcheck.corpus.targets.interactive import (
    GaussianNoise,
    LaggingCounter,
    SharedNoiseCounter,
    gaussian_delta,
)
from antiphon.selfcheck.corpus.targets.neighbours import SameHead, TotalWithin
from antiphon.selfcheck.corpus.targets.one_answer import (
    WIDE,
    NoisyHistogram,
    NoisyMax,
    ParallelLaplace,
    PrefixSum,
    Rappor,
)
from antiphon.selfcheck.corpus.targets.sparse_vectors import SparseVectorVariant
from antiphon.selfcheck.specimens.choices import NoisyMaxValue, TruthfulLies
from antiphon.selfcheck.specimens.counters import ColumnsFromTheEnd
from antiphon.selfcheck.specimens.histograms import OneSensitiveTotal

ENTRIES = corpus()
EVERY = over("entry", ENTRIES, at_least=141)


def laplaces(*draws):
    return [Draw("laplace", float(scale), float(value)) for scale, value in draws]


def run(mechanism, messages, tape):
    """The answers on a tape, which must be used up."""
    coins, state, answers = ReplayedCoins(tape), mechanism.initial_state, []
    for message in messages:
        state, answer = mechanism.step(state, message, coins)
        answers.append(answer)
    coins.feed(())
    return answers


# --- the table ---------------------------------------------------------------------------------


def test_names_are_unique_and_every_standard_target_is_there():
    names = [entry.name for entry in ENTRIES]
    assert len(set(names)) == len(names)
    standard = {
        *(f"SVT{i}" for i in range(1, 7)), *(f"NoisyMax{i}" for i in range(1, 5)), "NoisyHist1",
        "NoisyHist2", "truncated geometric", "RAPPOR", "one-time RAPPOR", "parallel Laplace",
        "PrefixSum", "numeric SVT", "float-bits Laplace", "snapping", "Laplace",
    }  # fmt: skip
    assert standard <= set(names)


def test_the_broken_ones_are_those_of_the_literature_and_our_twins():
    broken = {entry.name for entry in ENTRIES if not entry.private}
    published = {"SVT3", "SVT4", "SVT5", "SVT6", "NoisyMax3", "NoisyMax4", "NoisyHist2"}
    assert published | {"PrefixSum", "float-bits Laplace"} <= broken
    assert not broken & {"SVT1", "SVT2", "NoisyMax1", "NoisyMax2", "RAPPOR", "snapping"}
    assert sum(entry.claim.status is Status.REFUTED for entry in ENTRIES) == len(broken)


def test_the_goals_are_those_of_the_issue():
    goals = {entry.name: entry.goal for entry in ENTRIES if entry.goal}
    (delta,) = (entry for entry in ENTRIES if entry.goal and entry.goal_of == "delta")
    assert goals.pop(delta.name) == pytest.approx(0.98 * (1 - 0.98**50))
    assert 2 * delta.thorough <= 10**6
    assert all(2 * entry.thorough < 2 * 10**8 for entry in ENTRIES)
    assert goals == {
        "NoisyHist2": 4.6, "NoisyMax3": 0.244, "NoisyMax4": 0.346, "SVT4": 0.165, "SVT5": 1.7,
        "SVT6": 0.27, "one-time RAPPOR": 0.595, "PrefixSum": 0.7, "float-bits Laplace": 0.25,
    }  # fmt: skip


def classes_in(system):
    """The classes of a system and of all it holds."""
    found, left = set(), [system]
    while left:
        each = left.pop()
        found.add(type(each))
        if isinstance(each, tuple):
            left.extend(each)
        elif attrs.has(type(each)):
            left.extend(getattr(each, field.name) for field in attrs.fields(type(each)))
    return found


def test_every_mechanism_of_the_library_is_there_and_private():
    """In an entry whose claim is true, by itself or within what is audited."""
    audited = set()
    for entry in ENTRIES:
        if entry.private:
            audited |= classes_in(entry.system)
            audited |= classes_in(tuple(_created(entry)))
    exported = {
        kind
        for room in (ap.mechanisms, ap.composition)
        for name in room.__all__
        if inspect.isclass(kind := getattr(room, name))
        and issubclass(kind, ap.ContinualMechanism | PostProcessor | Budget)
        and not inspect.isabstract(kind)
        and getattr(kind, "private", True)  # Hedge, and what else claims nothing
    }
    assert len(exported) > 30
    odometers = {ap.composition.Odometer, ap.composition.RenyiOdometer}
    assert exported - audited <= {ap.composition.Certified, *odometers, TwoCopies}


def _created(entry):
    """What its players create."""
    said = (getattr(player.adversary, "messages", ()) for player in entry.players)
    return [pair.zero.mechanism for pair in itertools.chain(*said) if type(pair.zero) is Create]


@over("entry", ENTRIES, at_least=141)
def test_a_private_entry_has_a_claim_that_is_not_refuted_and_a_broken_one_says_why(entry):
    assert entry.claim.source
    if not entry.private:
        assert entry.truth != Truth()


@EVERY
def test_every_player_is_heard_to_the_end_in_both_worlds(entry):
    """V lets all of it pass; only a sparse vector that is done halts before the player does."""
    for player in entry.players:
        for bit in (0, 1):
            view = entry.game.play(player.adversary, bit=bit, seed=7)
            assert view.failures == ()
            if view.ending is Ending.MECHANISM:
                assert any("SVT" in k.__name__ or "Sparse" in k.__name__ or "Above" in k.__name__
                           for k in classes_in(entry.system))  # fmt: skip
                assert view.why_halted == "the mechanism halted"


@EVERY
def test_nothing_of_the_corpus_is_exported(entry):
    kind = type(entry.system)
    if kind.__module__.startswith("antiphon.selfcheck.corpus"):
        for room in (ap, ap.mechanisms, ap.composition, ap.audit):
            assert all(kind is not each for each in vars(room).values())
        assert registered_name(kind) is not None
        assert entry.claim.status is not Status.REFUTED or entry.claim.source


def test_no_other_room_imports_the_corpus():
    root = Path(ap.__file__).parent
    for path in root.rglob("*.py"):
        places = {*path.relative_to(root).parts, path.stem}
        if {"selfcheck", "specimens", "cli", "commands"} & places:
            continue
        if "antiphon.selfcheck.corpus" not in path.read_text():
            continue
        names = [node.module for node in nodes(path) if isinstance(node, ast.ImportFrom)]
        assert not [name for name in names if name.startswith("antiphon.selfcheck.corpus")], path


def test_input_pairs_are_those_of_the_literature():
    pairs = {name: (a, b) for name, a, b in input_pairs(4)}
    assert list(pairs.values()) == [
        ((1, 1, 1, 1), (0, 1, 1, 1)), ((1, 1, 1, 1), (2, 1, 1, 1)),
        ((1, 1, 1, 1), (2, 0, 0, 0)), ((1, 1, 1, 1), (0, 2, 2, 2)),
        ((1, 1, 1, 1), (2, 2, 0, 0)), ((1, 1, 1, 1), (2, 2, 2, 2)),
        ((1, 1, 1, 1), (0, 0, 0, 0)), ((1, 1, 0, 0), (0, 0, 1, 1)),
    ]  # fmt: skip
    assert len(pairs) == 8


# --- sparse vector ------------------------------------------------------------------------------


@over(
    ("algorithm", "count", "rho", "nu"),
    [("1", 1, 20, 40), ("1", 3, 20, 120), ("2", 3, 60, 120), ("3", 2, 20, 40), ("4", 5, 40, 40 / 3),
     ("6", 1, 20, 20), ("numeric", 2, 30, 120), ("never halts", 1, 20, 40)],
)  # fmt: skip
def test_the_scales_of_sparse_vector(algorithm, count, rho, nu):
    svt = SparseVectorVariant(algorithm, count=count)
    assert run(svt, [1], laplaces((rho, 0.5), (nu, -1))) == [ap.BOTTOM]


@pytest.mark.parametrize("algorithm", ["1", "2", "4", "6", "never halts"])
def test_a_tie_is_top(algorithm):
    svt = SparseVectorVariant(algorithm)
    _, rho, nu = 0, *svt._scales[:2]
    assert run(svt, [1], laplaces((rho, 0.25), (nu, 0.25))) == [ap.TOP]
    assert run(svt, [1], laplaces((rho, 0.25), (nu, 0.2499))) == [ap.BOTTOM]


def test_it_stops_after_c_times_top():
    svt = SparseVectorVariant("1", count=2)
    tape = laplaces((20.0, 0), (80.0, 0), (80.0, -9), (80.0, 3))
    answers = run(svt, [1, 0, 2, 1, 1], tape)
    assert answers == [ap.TOP, ap.BOTTOM, ap.TOP, ap.HALT, ap.HALT]


def test_algorithm_2_draws_the_threshold_again_after_each_top():
    svt = SparseVectorVariant("2", count=2)
    tape = laplaces((40.0, 0), (80.0, 0), (40.0, 5), (80.0, 0))
    assert run(svt, [1, 1], tape) == [ap.TOP, ap.BOTTOM]


def test_algorithm_3_tells_what_it_compared():
    tape = laplaces((20.0, 0), (20.0, -4), (20.0, 2.5))
    assert run(SparseVectorVariant("3"), [1, 1, 1], tape) == [ap.BOTTOM, 3.5, ap.HALT]


def test_algorithm_5_has_one_noise_and_never_stops():
    answers = run(SparseVectorVariant("5"), [0, 1, 2, 2, 0], laplaces((20.0, 0.5)))
    assert answers == [ap.BOTTOM, ap.BOTTOM, ap.TOP, ap.TOP, ap.BOTTOM]
    assert run(SparseVectorVariant("5"), [1], laplaces((20.0, 0.0))) == [ap.TOP]  # a tie


@pytest.mark.parametrize(("algorithm", "nu"), [("6", 20.0), ("never halts", 40.0)])
def test_these_go_on_after_top(algorithm, nu):
    tape = laplaces((20.0, 0), *[(nu, 1)] * 4)
    assert run(SparseVectorVariant(algorithm), [1] * 4, tape) == [ap.TOP] * 4


def test_the_numeric_one_tells_a_fresh_noise():
    svt = SparseVectorVariant("numeric", count=2)
    tape = laplaces((30.0, 0), (120.0, 7), (60.0, -2), (120.0, -9), (120.0, 0), (60.0, 1))
    assert run(svt, [1, 1, 1, 1], tape) == [-1.0, ap.BOTTOM, 2.0, ap.HALT]


def test_an_unknown_algorithm_is_refused():
    with pytest.raises(ap.InvalidArgument, match="algorithm"):
        SparseVectorVariant("7")


# --- the other standard targets ---------------------------------------------------------------


def test_noisy_max_tells_the_first_of_equals():
    tape = laplaces((20.0, 1), (20.0, 1), (20.0, 0), (20.0, 2), (20.0, 0))
    assert run(NoisyMax(), [(1, 1, 2, 0, 0)], tape) == [0]
    assert run(NoisyMax(tells_value=True), [(1, 1, 2, 0, 0)], tape) == [2.0]


def test_exponential_noise_is_the_size_of_laplace_noise():
    tape = laplaces((20.0, -3), (20.0, 1), (20.0, -0.5), (20.0, 0), (20.0, 2.5))
    assert run(NoisyMax(exponential=True), [(1,) * 5], tape) == [0]
    assert run(NoisyMax(tells_value=True, exponential=True), [(1,) * 5], tape) == [4.0]


def test_histograms():
    values = (1, -2, 3, 0, 0.5)
    right = laplaces(*((10.0, v) for v in values))
    wrong = laplaces(*((0.1, v) for v in values))
    expected = [(2.0, -1.0, 4.0, 1.0, 1.5)]
    assert run(NoisyHistogram(), [(1,) * 5], right) == expected
    assert run(NoisyHistogram(inverted=True), [(1,) * 5], wrong) == expected


def test_sums():
    assert run(PrefixSum(), [1, 2, 0], laplaces((10.0, 1), (10.0, -3), (10.0, 0.5))) == [2, 1, 1.5]
    tape = laplaces((200.0, 1), *[(200.0, 0)] * 19)
    assert run(ParallelLaplace(), [1], tape) == [(2.0, *[1.0] * 19)]


def test_the_truncated_geometric_law():
    """Clipped two-sided geometric noise of ratio 8/9, in exact integers; its ε is ln 9/8."""
    system = TruncatedGeometric()
    whole = 17 * 9**4
    for count in range(6):
        law = [system.distribution(count, z) - system.distribution(count, z - 1) for z in range(6)]
        noise = lambda z: Fraction(1, 17) * Fraction(8, 9) ** abs(z - count)  # noqa: B023, E731
        inner = [noise(z) for z in range(6)]
        inner[0], inner[5] = inner[0] * 9, inner[5] * 9  # the tails: Σ (8/9)^i = 9
        assert [Fraction(weight, whole) for weight in law] == inner
    game = ap.PrivacyGame(system, system.claims[0].verification)
    assert game.tight_epsilon(delta=0, rounds=1) == Log(Fraction(9, 8))


def bits(*draws):
    return [Draw("uniform_integer", n * WIDE, value) for n, value in draws]


def test_rappor_bit_by_bit():
    """The permanent bit at 1 − f/2 or f/2, then q or p; each draw on both sides of its edge."""
    system = Rappor(Fraction(3, 4), Fraction(9, 20), Fraction(11, 20), hashes=1, bits=2)
    value = next(v for v in range(9) if system.bloom(v) == {0})
    keep, flip, zero, one = 5 * WIDE, 3 * WIDE, 9 * WIDE, 11 * WIDE
    tape = bits((8, keep - 1), (20, zero), (20, one - 1), (8, flip), (20, zero - 1), (20, one))
    assert run(system, [value], tape) == [(1, 1)]
    tape = bits((8, keep), (20, zero), (20, one - 1), (8, flip - 1), (20, zero - 1), (20, one))
    assert run(system, [value], tape) == [(0, 0)]
    once = Rappor(Fraction(19, 20), hashes=1, bits=2)
    tape = bits((40, 21 * WIDE - 1), (40, 19 * WIDE))
    assert run(once, [value], tape) == [(1, 0)]


def test_rappor_probabilities_by_frequency():
    """4000 reports of 20 bits, and 1000 every day. The twin has p and q exchanged: it is seen."""
    alpha = bounds.level("unit/selfcheck/test_corpus", 20)
    system = Rappor(Fraction(1, 2), Fraction(1, 4), Fraction(3, 4))
    coins, n = SampledCoins(seed=bounds.seeded(3)), sized(1000, 4000)
    counts = np.sum([system.respond(3, coins) for _ in range(n)], axis=0)
    for place, count in enumerate(counts):
        p = float(system.reported(place in system.bloom(3)))
        assert not bounds.chernoff(count, n, p, alpha)
        assert bounds.chernoff_power(n, 1 - p, p, alpha) >= 1 - bounds.BETA
        assert bounds.chernoff(count, n, 1 - p, alpha)


# --- floats ---------------------------------------------------------------------------------------


def ticket(value):
    return [Draw("uniform_integer", 2**53, value)]


def test_textbook_laplace_is_the_inverse_distribution_function():
    mechanism = TextbookLaplace()
    half = 2**52 - 2  # the ticket of u = 1/2
    assert run(mechanism, [1], ticket(half)) == [1 + 10 * math.log(0.5)]
    assert run(mechanism, [1], ticket(half + 1)) == [1 - 10 * math.log(0.5)]
    assert run(mechanism, [1], ticket(2**53 - 2)) == [1.0]  # u = 1
    assert run(mechanism, [0], ticket(0)) == [10 * math.log(2.0**-52)]
    assert type(run(mechanism, [0], ticket(12345))[0]) is float


@pytest.mark.parametrize("q", [1, 2, 5])
def test_a_sum_is_a_multiple_of_what_the_noise_is_not(q):
    """What makes it leak: q + noise is on the grid of q's last bits, a small noise alone is not."""
    coins = SampledCoins(seed=5)
    grid = (False, True) if q == 1 else (True, True)
    sums = {trailing_bits((TextbookLaplace().respond(q, coins),)) for _ in range(4000)}
    assert sums <= {grid, (True, True)}
    alone = [trailing_bits((TextbookLaplace().respond(0, coins),)) for _ in range(4000)]
    assert alone.count((False, False)) > 100


def test_trailing_bits():
    found = {y: trailing_bits((y,)) for y in (1.0, 0.0, 3 * 2.0**-52, -5 * 2.0**-53, 2.0**-54)}
    assert list(found.values()) == [(True, True)] * 3 + [(False, True), (False, False)]


def test_snapping():
    mechanism = Snapping()
    assert mechanism.grid == 16
    assert mechanism.scale == pytest.approx(10)
    assert run(mechanism, [8], ticket(2**53 - 2)) == [16.0]  # a half goes up
    assert run(mechanism, [7], ticket(2**53 - 2)) == [0.0]
    assert run(mechanism, [-8], ticket(2**53 - 2)) == [0.0]
    assert run(mechanism, [900], ticket(2**53 - 2)) == [96.0]  # clamped, then snapped
    assert run(mechanism, [0], ticket(0)) == [-100.0]
    assert run(mechanism, [0], ticket(1)) == [100.0]
    answers = mechanism.signature.answers
    coins = SampledCoins(seed=1)
    assert all(answers.contains(mechanism.respond(1, coins)) for _ in range(200))


@pytest.mark.parametrize("epsilon", [4, 1, Fraction(1, 1000)])
def test_the_grid_is_the_least_power_of_two_at_least_lambda(epsilon):
    mechanism = Snapping(epsilon=epsilon)
    assert mechanism.grid / 2 < mechanism.scale <= mechanism.grid
    assert math.frexp(mechanism.grid)[0] == 0.5


# --- interactive ones ---------------------------------------------------------------------------


def test_reused_noise_cancels():
    counter = SharedNoiseCounter(horizon=8, epsilon=1)
    for seed in range(20):
        for last in (0, 1):
            session = counter.start(seed=seed)
            counts = []
            for x in (0, 1, last):
                session.send(x)
                counts.append(session.send(COUNT))
            assert counts[2] - counts[1] - counts[0] == last
    with pytest.raises(ap.InvalidArgument, match="horizon"):
        run(SharedNoiseCounter(horizon=1, epsilon=1), [1, 1], ())


def test_sums_that_lag_are_wrong_by_the_last_update():
    counter = LaggingCounter(TreeCounter(horizon=8, epsilon=1000))
    session = counter.start(seed=1)
    counts = []
    for x in (1, 0, 1, 1):
        session.send(x)
        counts.append(session.send(COUNT))
    assert counts == [0, 1, 1, 2]
    assert counter.claims == counter.counter.claims


# --- slips ---------------------------------------------------------------------------------------


def test_the_value_is_told_not_whose_it_is():
    told = NoisyMaxValue(epsilon=1, candidates=3)
    tape = [Draw("discrete_laplaces", (Fraction(2), 3), (1, -3, 2))]
    assert run(told, [(4, 9, 5)], tape) == [7]
    assert told.signature.answers == ap.spaces.Integers()


def test_a_lie_may_be_true():
    lies = TruthfulLies(epsilon=Log(3), values=4)
    tape = [Draw("bernoulli", Fraction(1, 2), value=False), Draw("uniform_integer", 4, 2)]
    assert run(lies, [2], tape) == [2]


def test_columns_from_the_end_have_the_divisors_of_their_twin_reversed():
    wrong = ColumnsFromTheEnd(horizon=8, rho=2, normalised=True)
    right = BufferedToeplitzCounter(horizon=8, rho=2, normalised=True)
    divisors = [right.divisor(t) for t in range(8)]
    assert [wrong.divisor(t) for t in range(8)] == divisors[::-1]
    assert divisors[0] < divisors[-1]
    assert [c.verification for c in wrong.claims] == [c.verification for c in right.claims]


def test_a_sum_that_promises_too_much():
    assert OneSensitiveTotal()((1, 1, 1)) - OneSensitiveTotal()((0, 0, 0)) == 3
    assert OneSensitiveTotal().sensitivity(3) == 1


def test_gaussian_noise():
    assert run(GaussianNoise(), [0.5], [Draw("gaussian", 0.2, 1.0)]) == [1.5]
    wrong = GaussianNoise(takes_variance=True)
    assert run(wrong, [0.5], [Draw("gaussian", 0.04, 1.0)]) == [1.5]
    assert wrong.claims[0].status is Status.REFUTED
    large = GaussianNoise(sigma=2, sensitivity=1, takes_variance=True)
    assert large.claims[0].status is Status.ASSUMED  # too much noise: wrong, but private


def test_the_delta_of_gaussian_noise_by_integration():
    x = np.linspace(-18, 18, 600_001)
    for ratio in (0.4, 1.0, 2.0):
        p, q = (np.exp(-((x - m) ** 2) / (2 * ratio**2)) for m in (1, 0))
        excess = np.maximum(p - math.e * q, 0).sum() * (x[1] - x[0])
        found = gaussian_delta(Fraction(str(ratio)))
        assert found == pytest.approx(excess / math.sqrt(2 * math.pi) / ratio, rel=1e-5)
    delta = GaussianNoise().claims[0].parameters[1]
    assert 0 < delta - gaussian_delta(Fraction(2)) < 1e-6  # rounded up


# --- neighbours -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("relation", "near", "far"),
    [
        (TotalWithin(1), ((1, 1), (1, 2)), ((1, 1), (2, 0))),
        (SameHead(), ((2, 0), (2, 1)), ((2, 0), (3, 0))),
    ],
)
def test_relations(relation, near, far):
    assert relation.holds(*near)
    assert relation.holds(*near[::-1])
    assert not relation.holds(*far)
    for alien in ((1, 1, 1), 1, None, ("a", "b"), [1, 1], (1,)):
        assert not relation.holds(near[0], alien)
        assert not relation.holds(alien, near[0])


def test_column_safe_mechanisms_say_so():
    for entry in ENTRIES:
        kind = type(entry.system)
        own = kind.__module__.startswith("antiphon.selfcheck.corpus")
        if own and {"respond", "step"} & vars(kind).keys():
            few = entry.samples < 10_000  # of one interaction at a time
            whole = isinstance(entry.system, Concurrent)
            assert few or whole or is_column_safe(entry.system)
