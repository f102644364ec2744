"""The chooser ranks learners by what is proved of their regret."""

import json

import numpy as np
import pytest

import antiphon as ap
from antiphon.learners import LazyExperts, NoisyLeader, choose, contest, games


@pytest.fixture(scope="module")
def found():
    return choose(rounds=2**10, experts=10, epsilon=1)


def test_learners_are_ranked_by_their_proved_bounds(found):
    bounds = [each.regret_bound for each in found.ranked]
    assert bounds == sorted(bounds)
    kinds = {type(each.learner) for each in found.ranked}
    assert {NoisyLeader, LazyExperts, type(None)} < kinds
    for each in found.ranked:
        if each.learner is not None:
            assert each.regret_bound == each.learner.regret_bound
            assert ap.guarantee(each.learner).epsilon_at(1e-6) <= 1
    assert found.best is found.ranked[0].learner


def test_a_choice_says_by_what_it_ranks(found):
    text = str(found)
    assert text.startswith("1,024 rounds, 10 experts, ε = 1: use LazyExperts")
    assert "Ranked by the proved bound on expected regret" in text
    told = json.loads(json.dumps(found.to_dict()))
    assert told["ranked"][0]["name"] == "LazyExperts"
    assert "regret at most" in repr(found.ranked[0])


def test_a_choice_for_losses_of_your_own_is_made_for_their_grid():
    game = games.LossTable.of(np.random.default_rng(1).random((64, 3)))
    other = choose(rounds=64, experts=3, epsilon=4)
    with pytest.raises(ap.InvalidArgument, match=r"write choose\(rounds=64, .*grid=1024, eps"):
        contest(other.ranked[0].learner, game)
    own = choose(rounds=64, experts=3, epsilon=4, grid=game.grid)
    assert contest(own.ranked[0].learner, game, repetitions=1, seed=1).repetitions == 1
    noisy = next(each.learner for each in own.ranked if each.name == "NoisyLeader")
    with pytest.raises(ap.InvalidArgument, match="leave expected=True out"):
        contest(noisy, game, expected=True)
    with pytest.raises(AttributeError, match=r"write choose\(…\).best"):
        _ = own.learner


def test_an_array_of_losses_as_a_game_is_told_the_call():
    with pytest.raises(ap.InvalidArgument, match=r"write LossTable\.of\(losses\), for") as found:
        games.LossTable(np.zeros((100, 3)))
    assert "array(" not in str(found.value)


@pytest.mark.slow
def test_where_no_bound_is_below_uniform_play_none_is_chosen():
    little = choose(rounds=2**6, experts=10, epsilon=0.01)
    assert little.best is None
    assert "no learner is proved better than uniform" in str(little)


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ({"rounds": 10}, "write learners.choose"),
        ({"rounds": 10, "experts": 1, "epsilon": 1}, "at least 2"),
        ({"rounds": 0, "experts": 2, "epsilon": 1}, "rounds must be"),
        ({"rounds": 10, "experts": 3, "epsilon": 0}, "epsilon"),
        ({"rounds": 10, "experts": 3, "epsilon": 1, "delta": 2}, "delta"),
        ({"rounds": 10, "experts": 3, "epsilon": 1, "delta": 0}, "no learner of experts here is"),
    ],
)
def test_bad_sizes_are_refused(sizes, told):
    with pytest.raises(ap.InvalidArgument, match=told):
        choose(**sizes)
