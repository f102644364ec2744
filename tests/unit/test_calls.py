"""Calls that people write at first work, or are answered by the call to write."""

import pytest

import antiphon as ap
from antiphon.composition import BasicFilter, sparse_parallel
from antiphon.composition.accounting import GaussianPair, compose, optimal
from antiphon.mechanisms import DiscreteGaussian, RandomizedResponse, TreeCounter
from antiphon.protocol import GaussianDP, ZeroConcentrated

TREE = TreeCounter(horizon=8, epsilon=1)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: TreeCounter(8, 1), "write TreeCounter(horizon=8, epsilon=1)"),
        (lambda: TreeCounter(horizon=8), "write TreeCounter(horizon=8, epsilon=…)"),
        (
            lambda: TreeCounter(size=8, epsilon=1),
            "has no parameter 'size'; it has horizon, epsilon",
        ),
        (lambda: sparse_parallel(), "k=1, epsilon=1"),
        (lambda: sparse_parallel([(1, 0)], k=1, epsilon=1), "as [(1, 0)], or measures"),
        (lambda: sparse_parallel(k=1), "k=1, epsilon=1"),
        (lambda: sparse_parallel(k=0, epsilon=1), "k must be an int >= 1"),
        (lambda: compose([ZeroConcentrated(0.1)]), "no dominating pair is known of"),
        (lambda: ap.PrivacyGame(ap.ExtConComp()), "PrivacyGame(M, f)"),
        (lambda: ap.PrivacyGame(TREE, "event level"), "such as ap.verifiers.event_level()"),
    ],
)
def test_what_is_wrong_is_answered_by_the_call_to_write(call, told):
    with pytest.raises(ap.InvalidArgument) as error:
        call()
    assert told in str(error.value)


def test_parameters_that_are_equal_are_counted():
    assert sparse_parallel(k=2, epsilon=1) == sparse_parallel([(1, 0), (1, 0)])
    consistent = sparse_parallel(k=1, epsilon=ap.Log(3), delta=0.1, first_pair_consistent=True)
    assert consistent == sparse_parallel([(ap.Log(3), 0.1)], first_pair_consistent=True)


def test_a_filter_of_one_number_is_of_that_epsilon():
    assert BasicFilter(1) == BasicFilter(epsilon=1)
    assert BasicFilter(1, 1e-6) == BasicFilter(epsilon=1, delta=1e-6)


def test_a_game_is_about_the_only_f_that_is_claimed():
    response = RandomizedResponse(epsilon=ap.Log(3))
    game = ap.PrivacyGame(response)
    assert game.verification == response.claims[0].verification
    assert game.tight_epsilon(delta=0, rounds=2) == ap.Log(3)


def test_measures_and_mechanisms_compose_as_the_pairs_that_dominate_them():
    pairs = compose([GaussianPair(1)], times=3)
    assert compose([GaussianDP(1)], times=3).delta_at(2) == pairs.delta_at(2)
    response = RandomizedResponse(epsilon=1, delta=0.01)
    assert compose([response], times=2).delta_at(1) == pytest.approx(
        optimal([(1, 0.01)], times=2).delta_at(1), rel=1e-6
    )
    noise = DiscreteGaussian(rho=0.125)
    stated = noise.claims[0].measure
    assert compose([noise, stated] if hasattr(stated, "pair") else [noise]).delta_at(1) < 0.1
