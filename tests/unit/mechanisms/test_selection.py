"""Choosing the best candidate: the exact laws, ties, and errors."""

import math
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import over

import antiphon as ap
from antiphon import Log
from antiphon.mechanisms import ExponentialMechanism, PermuteAndFlip, ReportNoisyMax
from antiphon.mechanisms.noise.selection import divided
from antiphon.numbers import exact
from antiphon.protocol import Draw, ReplayedCoins, SampledCoins
from antiphon.verifiers import EachWithin, Monotone, Near, neighbouring_start

scores = st.tuples(*[st.integers(-2, 3)] * 3)


def law(mechanism, dataset):
    found = [Fraction(0)] * mechanism.candidates
    for p, (_, answer) in ap.outcomes(lambda c: mechanism.step(False, dataset, c)):
        found[answer] += p
    return found


def exponential(base, dataset):
    """P(i) ∝ base^score."""
    weights = [Fraction(base) ** score for score in dataset]
    return [weight / sum(weights) for weight in weights]


def permute_and_flip(base, dataset):
    """McKenna and Sheldon 2020, Algorithm 1, over all orders."""
    best, found = max(dataset), [Fraction(0)] * len(dataset)
    orders = list(permutations(range(len(dataset))))
    for order in orders:
        left = Fraction(1, len(orders))
        for place in order:
            heads = Fraction(base) ** (dataset[place] - best)
            found[place] += left * heads
            left *= 1 - heads
    return found


@given(scores)
def test_the_laws_are_those_of_the_papers(dataset):
    """e^ε = 9 and Δ = 1, so a unit of score is worth √9; or Δ = 2 and the fourth root of 81."""
    for epsilon, sensitivity in ((Log(9), 1), (Log(81), 2)):
        common = {"epsilon": epsilon, "candidates": 3, "sensitivity": sensitivity}
        assert law(ExponentialMechanism(**common), dataset) == exponential(3, dataset)
        assert law(PermuteAndFlip(**common), dataset) == permute_and_flip(3, dataset)


@given(scores)
def test_permute_and_flip_never_errs_more_than_the_exponential_mechanism(dataset):
    """McKenna and Sheldon 2020, Thm 2: P(error >= t) is no larger, for every t."""
    best, (one, other) = max(dataset), (permute_and_flip(3, dataset), exponential(3, dataset))
    for gap in range(6):
        worse = [i for i, score in enumerate(dataset) if best - score >= gap]
        assert sum(one[i] for i in worse) <= sum(other[i] for i in worse)


@pytest.mark.parametrize("kind", [ExponentialMechanism, PermuteAndFlip])
def test_a_rational_epsilon_is_sampled_from_the_same_law(kind):
    """n = 30,000; 6 standard errors (p < 2·10⁻⁹ a cell): 0.018. At half the ε it would be off by
    0.07."""
    mechanism, coins = kind(epsilon=2.0, candidates=3), SampledCoins(seed=4)
    counts = [0] * 3
    for _ in range(30_000):
        counts[mechanism.respond((5, 3, 4), coins)] += 1
    reference = exponential if kind is ExponentialMechanism else permute_and_flip
    expected = [float(p) for p in reference(Fraction(math.e), (5, 3, 4))]
    assert all(abs(n / 30_000 - p) < 0.018 for n, p in zip(counts, expected, strict=True))
    wrong = [float(p) for p in reference(Fraction(math.exp(0.5)), (5, 3, 4))]
    assert any(abs(n / 30_000 - p) > 0.018 for n, p in zip(counts, wrong, strict=True))


def test_a_tie_goes_to_the_smallest_index():
    mechanism = ReportNoisyMax(epsilon=1, candidates=3)
    for noises, answer in (
        ((0, 0, 0), 1),
        ((2, 0, 0), 0),
        ((1, 0, 0), 1),
        ((0, 0, 3), 1),
        ((0, 0, 4), 2),
    ):
        coins = ReplayedCoins([Draw("discrete_laplaces", (Fraction(2), 3), noises)])
        assert mechanism.respond((3, 5, 2), coins) == answer


def noisy_max(ratio, dataset, radius=60):
    """P(i) for two-sided geometric noise truncated far out: (a lower bound for) the law."""
    scale = (1 - ratio) / (1 + ratio)
    mass = {n: scale * ratio ** abs(n) for n in range(-radius, radius + 1)}
    found = [0.0] * len(dataset)
    for index, score in enumerate(dataset):
        for own, p in mass.items():
            rest = p
            for other, theirs in enumerate(dataset):
                if other != index:
                    strict = other < index  # an earlier one wins ties
                    rest *= sum(q for n, q in mass.items() if theirs + n + strict <= score + own)
            found[index] += rest
    return found


def test_the_law_of_report_noisy_max_and_its_privacy():
    """All neighbours of some scores: no candidate's probability changes by more than e^ε."""
    ratio, worst = 0.5, 0.0  # scale 1/ln 2 = 2/ε, so e^ε = 4
    for dataset in ((0, 0, 0), (0, 1, 0), (2, 0, 1)):
        one = noisy_max(ratio, dataset)
        assert sum(one) == pytest.approx(1, abs=1e-9)
        for moves in product((-1, 0, 1), repeat=3):
            other = noisy_max(ratio, tuple(map(sum, zip(dataset, moves, strict=True))))
            worst = max(worst, *(a / b for a, b in zip(one, other, strict=True)))
    assert 2.5 < worst <= 4 + 1e-9


def test_report_noisy_max_is_sampled_from_that_law():
    """n = 30,000 as above."""
    mechanism, coins = ReportNoisyMax(epsilon=1, candidates=3), SampledCoins(seed=4)
    counts = [0] * 3
    for _ in range(30_000):
        counts[mechanism.respond((5, 3, 4), coins)] += 1
    expected = noisy_max(math.exp(-0.5), (5, 3, 4))
    assert all(abs(n / 30_000 - p) < 0.018 for n, p in zip(counts, expected, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [ExponentialMechanism, PermuteAndFlip, ReportNoisyMax])
def test_errors_exceed_their_bound_as_rarely_as_it_says(kind):
    """n = 2000, β = 0.2: more than 500 would be 5.5 standard deviations too many. The bounds hold
    for all scores; on many equal ones just below the best some error must occur."""
    mechanism, coins = kind(epsilon=1, candidates=20), SampledCoins(seed=3)
    bound = mechanism.error_bound(beta=0.2)
    for dataset in ((bound + 1,) + (0,) * 19, (bound // 2,) + (0,) * 19):
        errors = [dataset[0] - dataset[mechanism.respond(dataset, coins)] for _ in range(2000)]
        assert sum(error > bound for error in errors) < 500
    assert any(errors)


@given(st.integers(1, 10**30), st.integers(1, 9))
def test_integer_roots(value, degree):
    root = exact.integer_root(value, degree)
    assert root**degree <= value < (root + 1) ** degree


def test_a_log_needs_a_root():
    assert divided(Log(Fraction(9, 4)), 2) == Log(Fraction(3, 2))
    assert divided(Fraction(1), 2) == Fraction(1, 2)
    with pytest.raises(ap.InvalidArgument, match="power 2"):
        PermuteAndFlip(epsilon=Log(3), candidates=2)
    with pytest.raises(ap.InvalidArgument, match="power 4"):
        PermuteAndFlip(epsilon=Log(9), candidates=2, sensitivity=2)
    with pytest.raises(ap.InvalidArgument, match="as a number"):
        PermuteAndFlip(epsilon=Log((1 + Fraction(1, 10**9)) ** 2), candidates=2)


@pytest.mark.parametrize("kind", [ExponentialMechanism, PermuteAndFlip])
def test_scores_far_below_the_best_count_as_not_so_far(kind):
    mechanism = kind(epsilon=Log(9), candidates=2)
    far = law(mechanism, (0, -(10**20)))
    assert 0 < far[1] < Fraction(1, 2**127)
    assert far == law(mechanism, (0, -1000)) != law(mechanism, (0, -70))
    assert kind(epsilon=2, candidates=2).start(seed=1).send((0, -(10**20))) == 0


# --- scores in an array, and monotone ones --------------------------------------------------------

ALL = over("kind", [ExponentialMechanism, PermuteAndFlip, ReportNoisyMax])


@given(scores)
def test_scores_in_an_array_have_the_law_of_those_in_a_tuple(dataset):
    for monotone, epsilon in ((False, Log(9)), (True, Log(3))):
        common = {"epsilon": epsilon, "candidates": 3, "arrays": True, "monotone": monotone}
        array = np.array(dataset)
        assert law(ExponentialMechanism(**common), array) == exponential(3, dataset)
        assert law(PermuteAndFlip(**common), array) == permute_and_flip(3, dataset)


def test_noise_is_added_to_scores_in_an_array_as_to_those_in_a_tuple():
    for monotone, scale in ((False, 2), (True, 1)):
        mechanism = ReportNoisyMax(epsilon=1, candidates=3, arrays=True, monotone=monotone)
        for noises, answer in (((2**70, 0, 0), 0), ((2, 0, 0), 0), ((1, 0, 0), 1), ((0, 0, 4), 2)):
            coins = ReplayedCoins([Draw("discrete_laplaces", (Fraction(scale), 3), noises)])
            assert mechanism.respond(np.array([3, 5, 2]) + 2**62, coins) == answer


def test_scores_far_below_the_best_of_an_array_count_as_not_so_far():
    mechanism = ExponentialMechanism(epsilon=Log(9), candidates=3, arrays=True)
    far = law(mechanism, np.array([0, -1000, -1]))
    assert 0 < far[1] < Fraction(1, 2**127)
    assert (
        far == law(mechanism, np.array([0, -(2**63), -1])) != law(mechanism, np.array([0, -70, -1]))
    )
    ends = law(mechanism, np.array([-(2**63), -(2**63) + 1, 2**63 - 1]))
    assert ends[0] == ends[1] < ends[2]
    assert sum(ends) == 1


@ALL
def test_only_arrays_of_scores_are_taken(kind):
    mechanism = kind(epsilon=1, candidates=2, arrays=True)
    session = mechanism.start(seed=1)
    for wrong in ((0, 1), [0, 1], np.array([0.0, 1.0]), np.array([0, 1], np.int32),
                  np.array([0, 1, 2]), np.array([[0, 1]]), None):  # fmt: skip
        with pytest.raises(ap.InvalidArgument):
            session.send(wrong)
    assert session.send(np.array([0, 10**6])) == 1
    for wrong in (1, None, "yes"):
        with pytest.raises(ap.InvalidArgument, match="True or False"):
            kind(epsilon=1, candidates=2, arrays=wrong)
        with pytest.raises(ap.InvalidArgument, match="True or False"):
            kind(epsilon=1, candidates=2, monotone=wrong)


@ALL
def test_the_claim_is_about_the_scores_that_are_taken(kind):
    for arrays, near in ((False, EachWithin(2)), (True, Near(2, math.inf))):
        common = {"epsilon": 1, "candidates": 2, "sensitivity": 2, "arrays": arrays}
        claim, *_ = kind(**common).claims
        assert claim.verification == neighbouring_start(near)
        claim, *_ = kind(**common, monotone=True).claims
        assert claim.verification == neighbouring_start(Monotone(near))
        assert claim.status.value == "proved"
    assert kind(epsilon=1, candidates=9).error_bound(beta=0.1) > kind(
        epsilon=1, candidates=9, monotone=True
    ).error_bound(beta=0.1)


def test_a_log_needs_a_smaller_root_where_scores_are_monotone():
    ExponentialMechanism(epsilon=Log(3), candidates=2, monotone=True)
    with pytest.raises(ap.InvalidArgument, match="power 2"):
        ExponentialMechanism(epsilon=Log(3), candidates=2, monotone=True, sensitivity=2)


@pytest.mark.slow
def test_the_law_of_report_noisy_max_on_monotone_scores():
    """As above with scale 1/ln 2 = 1/ε, so e^ε = 2; what goes both ways leaks more."""
    ratio, one_way, both = 0.5, 0.0, 0.0
    for dataset in ((0, 0, 0), (0, 1, 0), (2, 0, 1)):
        one = noisy_max(ratio, dataset)
        for moves in product((-1, 0, 1), repeat=3):
            other = noisy_max(ratio, tuple(map(sum, zip(dataset, moves, strict=True))))
            found = max(max(a / b, b / a) for a, b in zip(one, other, strict=True))
            both = max(both, found)
            if set(moves) <= {0, 1} or set(moves) <= {-1, 0}:
                one_way = max(one_way, found)
    assert 1.5 < one_way <= 2 + 1e-9 < both


def test_an_array_of_scores_is_sampled_from_that_law():
    """n = 30,000; 6 standard errors (p < 2·10⁻⁹ a cell): 0.018. At half the ε it would be off by
    0.07."""
    mechanism, coins = ExponentialMechanism(epsilon=2.0, candidates=3, arrays=True), SampledCoins(5)
    counts = [0] * 3
    for _ in range(30_000):
        counts[mechanism.respond(np.array([5, 3, 4]), coins)] += 1
    expected = [float(p) for p in exponential(Fraction(math.e), (5, 3, 4))]
    assert all(abs(n / 30_000 - p) < 0.018 for n, p in zip(counts, expected, strict=True))
    wrong = [float(p) for p in exponential(Fraction(math.exp(0.5)), (5, 3, 4))]
    assert any(abs(n / 30_000 - p) > 0.018 for n, p in zip(counts, wrong, strict=True))
