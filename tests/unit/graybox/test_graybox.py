"""``audit.sensitivity``: known faults are found with their lines, sound code is not blamed."""

import gc
import inspect
import math
import random

import foreign_code as code
import numpy as np
import pytest
from trying import over, sized

import antiphon as ap
from antiphon.graybox import sensitivity

ROWS = np.array([[0.5, 1.0], [1.0, 0.0]])
FAR = np.array([[0.5, 1.0], [9.0, 4.0]])
OPPOSITE = np.array([[0.5, 1.0], [-9.0, 0.0]])
CODES = np.array([0, 1]), np.array([0, 2])
ERRORS = [(4, 2)] * 3, [(6, 0), (2, 4), (2, 4)]
PURE = {"epsilon": 1}
FAULTS = [
    (code.covariance_of_raw_data, (ROWS, FAR), {"sensitivity": 3}, "values", "by_inversion(3"),
    (
        code.coefficient_by_lower_bound,
        ([1, 2], [1, 10]),
        {"sensitivity": 0},
        "answers",
        "return value -",
    ),
    (code.conditionals_without_noise, CODES, {"epsilon": 2}, "budget", "counts + np"),
    (
        code.histogram_of_seen_classes,
        ([0, 1, 2], [0, 1, 1]),
        {"epsilon": 2},
        "branches",
        "value: np.sum",
    ),
    (code.marginal_by_difference, ERRORS, PURE, "budget", "rng.choice"),
    (code.gradient_by_batch, (ROWS, OPPOSITE), PURE | {"delta": 0.01}, "budget", "clipped.sum"),
    (code.sum_that_keeps_nan, ([0.5, 1.0], [0.5, math.nan]), PURE, "values", "np.clip"),
    (code.above_threshold_without_noise, ([9, 11], [10, 10]), PURE, "cancelling", "query >="),
    (code.mean_with_bounds_from_data, ([1, 2], [1, 9]), PURE, "scales", "np.mean"),
    (code.count_of_many, ([1, 2], [1, 2, 3]), PURE, "branches", "if len(data) < 3"),
    (code.seeded_count, ([1, 2], [1, 2, 3]), PURE, "seeds", "default_rng(7)"),
    (code.count_with_size, ([1, 2], [1, 2, 3]), PURE, "answers", "np.random"),
    (code.cancelled_noise, ([1, 2], [1, 2, 3]), PURE, "cancelling", "noise = np"),
    (code.total_with_error, ([1, 2], [1, 20]), PURE, "branches", "if max(data) > 9"),
]
SOUND = [
    (code.covariance, (ROWS, FAR), {"sensitivity": 3}),
    (code.coefficient, ([1, 2], [1, 10]), {"sensitivity": 100}),
    (code.conditionals, CODES, {"epsilon": 2}),
    (code.histogram_of_given_classes, ([0, 1, 2], [0, 1, 1]), {"epsilon": 2}),
    (code.marginal, ERRORS, PURE),
    (code.gradient, (ROWS, OPPOSITE), {"epsilon": 1, "delta": 0.01}),
    (code.sum_of_numbers, ([0.5, 1.0], [0.5, math.nan]), {"sensitivity": 2, "epsilon": 1}),
    (code.above_threshold, ([9, 11], [10, 10]), {"sensitivity": 1, "epsilon": 1}),
    (code.mean, ([1, 2], [1, 9]), {"epsilon": 1, "delta": 0.01}),
    (code.count, ([1, 2], [1, 2, 3]), {"epsilon": 1}),
    (code.randomized_response, (0, 1), {"epsilon": math.log(3)}),
    (code.report_noisy_max, ([1, 2, 3], [2, 1, 4]), {"sensitivity": 3, "epsilon": 1}),
    (code.subsampled, ([1, 2, 3], [1, 2]), {"epsilon": 1}),
    (code.two_sided_geometric, ([1, 0], [1, 1]), {"epsilon": 1}),
    (code.tree, ([0, 1, 1, 0], [0, 1, 1, 1]), {"epsilon": 1, "delta": 0.1}),
    (code.processed, ([1, 2], [2, 2]), {"sensitivity": 1, "epsilon": 1}),
]
"""The twins of the faults, and six that the tape cannot follow to the end."""


def named(row):
    return row[0].__name__


@over("row", FAULTS, at_least=14)
@pytest.mark.every(3)
@pytest.mark.parametrize("seed", range(3))
def test_a_known_fault_is_found_with_its_line(row, seed):
    function, pair, declared, check, text = row
    report = sensitivity(function, ap.Pair(*pair), seed=seed, **declared)
    found = [each for each in report.findings if each.check == check]
    assert found, report
    file, line = found[0].where.split(" ")[0].rstrip(":").rsplit(":", 1)
    assert file == inspect.getsourcefile(code)
    assert text in inspect.getsource(code).splitlines()[int(line) - 1]


def test_the_garbage_collector_waits_while_a_world_is_followed():
    """Its callbacks ran at other lines in the other world, and were blamed."""
    phases = []

    def callback(phase, info):
        phases.append(phase)

    def cycles(data):
        for _ in range(5_000):
            each = []
            each.append(each)
        assert not gc.isenabled()
        return code.count_with_size(data)

    gc.callbacks.append(callback)
    try:
        report = sensitivity(cycles, ap.Pair([1, 2], [1, 2, 3]), seed=1, epsilon=1)
    finally:
        gc.callbacks.remove(callback)
    assert gc.isenabled()
    assert report.findings
    places = [each.where.split(" ")[0].rstrip(":").rsplit(":", 1)[0] for each in report.findings]
    assert {*places} == {inspect.getsourcefile(code)}


@over("row", sized(SOUND[::2], SOUND), at_least=8)
@pytest.mark.every(5)
@pytest.mark.parametrize("seed", range(5))
def test_sound_code_is_not_blamed(row, seed):
    function, pair, declared = row
    report = sensitivity(function, ap.Pair(*pair), seed=seed, **declared)
    assert report, report
    if sized(False, True):
        assert sensitivity(function, ap.Pair(*reversed(pair)), seed=seed, **declared)


def everything():
    """What is replaced during a call."""
    names = [getattr(np.random, name) for name in dir(np.random)]
    own = [getattr(random, name) for name in dir(random)]
    methods = {**vars(random.Random), **vars(random.SystemRandom), **vars(math)}
    return [*names, *own, *methods.values(), code.rng, code.default_rng, np.random.mtrand._rand]


def test_everything_is_put_back():
    states = np.random.get_state()[1].tolist(), random.getstate(), code.rng.bit_generator.state
    before = everything()
    sensitivity(code.histogram_of_given_classes, ap.Pair([0], [1]))
    with pytest.raises(ZeroDivisionError):
        sensitivity(lambda data: data / 0, ap.Pair(1, 2))
    after = everything()
    # Methods are bound anew at each look, so that they are compared by value.
    assert all(one is two or one == two for one, two in zip(before, after, strict=True))
    now = np.random.get_state()[1].tolist(), random.getstate(), code.rng.bit_generator.state
    assert now == states


def test_a_seed_repeats_the_report_and_data_are_not_changed():
    def sorts(data):
        data.sort()
        return data[-1] + random.gauss(0, 1)

    data = [3, 1, 2]
    one = sensitivity(sorts, ap.Pair(data, [3, 1, 5]), sensitivity=1)
    assert data == [3, 1, 2]
    assert one == sensitivity(sorts, ap.Pair(data, [3, 1, 5]), sensitivity=1, seed=one.seed)
    assert (
        one.findings[0].what == "values before noise differ by 2, where sensitivity 1 is declared"
    )


def test_what_does_not_repeat_is_not_judged():
    seen = []

    def remembers(data):
        seen.append(data)
        return len(seen) + np.random.laplace(scale=1)

    report = sensitivity(remembers, ap.Pair(1, 2), epsilon=1)
    assert report.findings == () == report.done
    assert "does not repeat" in str(report)


def test_coins_are_from_the_tape():
    def response(bit, coins):
        return bit ^ coins.bernoulli(0.25)

    def choice(weights, coins):
        return coins.categorical(weights)

    def histogram(data, coins):
        return np.array(data) + coins.laplace_array(2, 2), coins.discrete_laplace(1) + data[0]

    assert sensitivity(response, ap.Pair(0, 1), epsilon=1)
    pair = ap.Pair((1, 1), (3, 1))
    assert "ε = 0.693147" in str(sensitivity(choice, pair, epsilon=0.6))
    assert sensitivity(choice, pair, epsilon=0.7)
    assert sensitivity(histogram, ap.Pair((1, 2), (2, 2)), epsilon=1.5)
    assert not sensitivity(histogram, ap.Pair((1, 2), (2, 2)), epsilon=1.49)


@pytest.mark.every(3)
@pytest.mark.parametrize("law", ["gumbel", "logistic", "exponential", "laplace", "normal"])
def test_scales_of_all_noise_are_compared(law):
    def by_keyword(data):
        return getattr(np.random, law)(scale=max(data))

    def by_factor(data):
        return max(data) * getattr(code.rng, law)()

    for function in (by_keyword, by_factor):
        (found,) = sensitivity(function, ap.Pair([1], [2])).findings
        assert found.check == "scales"


def test_a_cancelled_number_of_a_gaussian_vector_is_found():
    def twice(data):
        noise = np.random.standard_normal(3)
        return data + 2 * noise, 2 * data + 4 * noise, data[:1] + 4 * noise[:1]

    report = sensitivity(twice, ap.Pair(np.zeros(3), np.eye(3)[0]))
    assert [each.check for each in report.findings] == ["cancelling"]


def test_norms_are_those_of_the_noise():
    def laplace(data):
        return data + np.random.laplace(size=2)

    def gauss(data):
        return data + np.random.normal(size=2)

    pair = ap.Pair(np.zeros(2), np.array([3.0, 4.0]))
    assert sensitivity(laplace, pair, sensitivity=7)
    assert sensitivity(gauss, pair, sensitivity=5)
    assert "7 in ℓ1" in str(sensitivity(laplace, pair, sensitivity=6.9))
    assert "5 in ℓ2" in str(sensitivity(gauss, pair, sensitivity=4.9))


def test_a_mean_is_judged_as_its_sum_was():
    def average(data):
        return (sum(data) + np.random.laplace(scale=10)) / 4

    pair = ap.Pair([1, 2, 3, 4], [1, 2, 3, 9])
    assert sensitivity(average, pair, sensitivity=5, epsilon=0.5)
    assert len(sensitivity(average, pair, sensitivity=4, epsilon=0.4).findings) == 2


@pytest.mark.slow
def test_several_pairs_are_one_report():
    pairs = [([1], [2]), ap.Pair([1], [1, 2, 3]), ([1, 2, 3], [1])]
    report = sensitivity(code.count_of_many, pairs, epsilon=1)
    assert len(report.findings) == 1


@over(
    ("function", "pairs", "options"),
    [(1, ap.Pair(1, 2), {}), (len, [], {}), (len, [1], {}), (len, ap.Pair("a", "b"), {"delta": -1}),
     (len, ap.Pair("a", "b"), {"sensitivity": math.inf}), (len, [("a", "b", "c")], {}),
     (len, ap.Pair("a", "b"), {"epsilon": -1})],
)  # fmt: skip
def test_bad_input(function, pairs, options):
    with pytest.raises(ap.InvalidArgument):
        sensitivity(function, pairs, **options)


def uniform(scale):
    return lambda data: sum(data) + np.random.uniform(-scale, scale)


def doubly(size):
    return lambda data: size * sum(data) + np.random.laplace(scale=1) + np.random.laplace(scale=0.5)


def beside_its_offset(data):
    offset = random.random()
    return offset, sum(data) + offset


def told_twice(data):
    once = 9 * sum(data) + np.random.laplace(scale=1)
    return once, once + np.random.laplace(scale=1)


def combined(data):
    one, other = sum(data) + np.random.laplace(scale=1), np.random.laplace(scale=1)
    return one, other, one + other, one - 2 * other


def two_gaussians(data):
    return sum(data) + np.random.normal(scale=3) + np.random.normal(scale=4)


@over(
    ("function", "delta", "check", "what"),
    [
        (uniform(1), 0, "budget", "δ = 0.5 at every ε"),
        (uniform(4), 0.1, "budget", "δ = 0.125 at every ε"),
        (beside_its_offset, 1, "cancelling", "noise cancels"),
        (doubly(9), 0, "budget", "costs ε = 9,"),
        (told_twice, 0, "budget", "costs ε = 9,"),
        (two_gaussians, 0, "budget", "declare delta="),
        (two_gaussians, 1e-9, "budget", "costs δ ="),
    ],
)
def test_noise_of_any_kind_is_held_to_the_budget(function, delta, check, what):
    (first, *_) = sensitivity(
        function, ap.Pair([1, 2], [1, 3]), epsilon=0.5, delta=delta, seed=1
    ).findings
    assert (first.check, what in first.what) == (check, True), first


def test_one_laplace_draw_is_held_to_the_delta_of_its_law():
    """Moved by 1.5 scales it is (1/2, δ)-DP for δ = 1 - e^(-1/2) = 0.393…, and for none below."""

    def found(delta):
        function = lambda data: 1.5 * sum(data) + np.random.laplace(scale=1)  # noqa: E731
        pair = ap.Pair([1, 2], [1, 3])
        return sensitivity(function, pair, epsilon=0.5, delta=delta, seed=1).findings

    assert not found(0.394)
    (finding,) = found(0.393)
    assert "costs ε = 1.5," in finding.what


def test_what_the_budget_does_not_add_up_is_said():
    def unjudged(function, delta):
        pair = ap.Pair([1, 2], [1, 3])
        report = sensitivity(function, pair, epsilon=9, delta=delta, seed=1)
        return [why for check, why in report.left_out if check == "budget"]

    assert "several noises" in unjudged(doubly(9), 0.01)[0]
    assert "standard_cauchy" in unjudged(lambda d: sum(d) + np.random.standard_cauchy(), 0)[0]
    assert "share noise" in unjudged(told_twice, 0)[0]
    assert unjudged(doubly(9), 0) == unjudged(combined, 0) == unjudged(uniform(9), 0.1) == []


def test_a_little_uniform_noise_may_cost_little():
    pair = ap.Pair([1, 2], [1, 3])
    assert not sensitivity(uniform(8), pair, epsilon=0, delta=1 / 16, seed=1).findings
    assert not sensitivity(combined, pair, epsilon=1, seed=1).findings
    assert not sensitivity(doubly(0.5), pair, epsilon=0.5, seed=1).findings
