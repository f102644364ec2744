"""Learners against games, many times over."""

import json
import math

import attrs
import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon.audit.running import Chunks
from antiphon.learners import (
    Hedge,
    LazyExperts,
    Regret,
    ShrinkingDartboard,
    Standings,
    contest,
    games,
    regret_of,
)
from antiphon.learners.contests import Contest, checkpoints
from antiphon.learners.regret import BestInTurn

GAME = games.StochasticGap(rounds=600, experts=300, grid=2)
LAZY = LazyExperts(horizon=600, experts=300, grid=2, rate=0.1, cost=1, batch=7)


def test_the_same_whoever_plays_it():
    alone = contest(LAZY, GAME, repetitions=5, seed=4, executor="serial")
    many = contest(LAZY, GAME, repetitions=5, seed=4, executor=2)
    assert alone == many
    assert contest(LAZY, GAME, repetitions=3, seed=4).regrets.tolist() == alone.regrets[:3].tolist()
    assert contest(LAZY, GAME, repetitions=5, seed=5) != alone


TIMES = (1, 2, 7, 100, 218, 219, 220, 500, 600)
"""Within blocks of 218 rounds, and at their ends."""


class Plain(ap.ContinualMechanism):
    """A learner of which nothing is known but its steps."""

    signature = initial_state = None

    def __init__(self, learner):
        self.learner = learner
        self.signature = learner.signature
        self.initial_state = learner.initial_state

    def step(self, state, message, coins):
        return self.learner.step(state, message, coins)


def test_blocks_and_steps_say_the_same():
    by_steps = contest(Plain(LAZY), GAME, repetitions=2, seed=4, executor="serial")
    by_blocks = contest(LAZY, GAME, repetitions=2, seed=4, executor="serial")
    assert by_steps.regrets.tolist() == by_blocks.regrets.tolist()


@pytest.mark.parametrize("experts", [3, 300])
def test_regret_at_a_checkpoint_is_that_of_a_view(experts):
    learner = attrs.evolve(LAZY, experts=experts)
    for kind in (games.StochasticGap, games.BlameShown):
        game = kind(rounds=600, experts=experts, grid=2)
        once = Contest(learner, game, TIMES).once(np.random.SeedSequence(3), 0)[0]
        coins = [np.random.SeedSequence(3, spawn_key=(0, who)) for who in range(2)]
        adversary, own = (ap.protocol.SampledCoins(each) for each in coins)
        state, (key, answer) = learner.initial_state, (game.initial_state, ap.EMPTY)
        said = []
        while True:
            key, message = game.step(key, answer, adversary)
            if message is ap.HALT:
                break
            state, answer = learner.step(state, message, own)
            said.append((message, answer))
        view = ap.interact(ap.scripted([m for m, _ in said]), Told([a for _, a in said]), seed=0)
        found = regret_of(view, grid=2).fixed
        assert once.tolist() == [found[time - 1] for time in TIMES]


class Told(ap.ContinualMechanism):
    """Says what it was given."""

    signature = ap.Signature(ap.protocol.spaces.Anything(), ap.protocol.spaces.Anything())
    initial_state = 0

    def __init__(self, answers):
        self.answers = answers

    def step(self, state, message, coins):
        return state + 1, self.answers[state]


@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_expected_regret_is_the_mean_over_the_learners_coins(batch):
    """One key, 400 games: within 5 standard errors, but for 1e-6."""
    game = games.LossTable.of(np.random.default_rng(1).random((100, 3)), grid=5)
    learner = LazyExperts(horizon=100, experts=3, grid=5, rate=0.4, cost=0.5, batch=batch)
    found = contest(learner, game, repetitions=400, seed=1, expected=True, executor="serial")
    assert np.ptp(found.expected, axis=0).max() < 1e-9
    error = found.regrets.std(axis=0) / 20 + 1e-9
    assert np.all(abs(found.regrets.mean(axis=0) - found.expected[0]) < 5 * error)
    assert np.all(found.mean == found.expected.mean(axis=0))
    assert found.band().max() < 1e-9 < np.ptp(found.regrets, axis=0).max()
    assert found.expected[0][-1] <= learner.regret_bound


def test_expected_losses_are_those_of_the_whole_table_at_once():
    """Blocks end within batches."""
    game = games.LossTable.of(np.random.default_rng(3).random((600, 300)), grid=2)
    whole = contest(LAZY, game, repetitions=1, seed=1, expected=True)
    lost = LAZY.expected_losses(np.zeros(300, np.int64), game.table).cumsum()
    best = game.table.cumsum(axis=0).min(axis=1)
    places = np.array(whole.checkpoints) - 1
    assert np.allclose(whole.expected[0], (lost - best)[places] / 2)

    key = game_key(4)
    table = np.concatenate([GAME.losses(key, i) for i in range(3)])
    parts = contest(LAZY, GAME, repetitions=1, seed=4, expected=True)
    lost = LAZY.expected_losses(np.zeros(300, np.int64), table).cumsum()
    best = table.cumsum(axis=0).min(axis=1)
    assert np.allclose(parts.expected[0], (lost - best)[places] / 2)


def game_key(seed):
    chunk = Chunks(total=1, size=1, seed=seed)[0].seed
    key = np.random.SeedSequence(chunk.entropy, spawn_key=(*chunk.spawn_key, 0, 0))
    return GAME.key(ap.protocol.SampledCoins(key))


def test_hedge_and_the_dartboard_have_one_marginal():
    game = games.LossTable.of(np.random.default_rng(2).random((50, 4)), grid=5)
    found = [
        contest(kind(horizon=50, experts=4, grid=5, rate=0.4), game, repetitions=1, expected=True)
        for kind in (Hedge, ShrinkingDartboard)
    ]
    assert np.allclose(found[0].expected, found[1].expected)


@pytest.mark.parametrize("shifts", [0, 1, 7])
def test_dynamic_regret_is_that_of_the_whole_table_at_once(shifts):
    """Blocks of 218 rounds, and a game that listens."""
    for kind in (games.ShiftingBest, games.BlameShown):
        game = kind(rounds=600, experts=300, grid=2)
        found = contest(LAZY, game, repetitions=2, seed=4, shifts=shifts, at=TIMES)
        assert found.shifts == shifts
        assert np.all(found.shifting >= found.regrets)
        listens = kind is games.BlameShown  # and never hits most experts
        assert (listens or shifts == 0) == np.array_equal(found.shifting, found.regrets)
    game = games.LossTable.of(np.random.default_rng(3).random((600, 300)), grid=2)
    _, shown = LAZY.follow(LAZY.initial_state, game.table, ap.protocol.SampledCoins(1))
    wanted = Regret(shown, game.table, 2).shifting(shifts)
    halves = BestInTurn(shifts, 300)
    best = np.concatenate([halves.after(game.table[:250]), halves.after(game.table[250:])])
    assert np.array_equal(wanted, Regret(shown, game.table, 2).own - best / 2)


def test_standings_are_told():
    table = np.array([[1.0, 4.0], [3.0, 6.0]])
    found = Standings("learner", "game", (1, 9), table)
    assert found.mean.tolist() == [2, 5]
    assert found.band()[0] == pytest.approx(1.959964)
    title = "learner: regret 5.0 ± 2.0 after 9 rounds, 2 repetitions of game"
    assert repr(found) == f"<Standings: {title}>"
    rows = ["  rounds  regret    ±", "       1     2.0  2.0", "       9     5.0  2.0"]
    assert str(found).splitlines() == [title, *rows, "± at 95 %"]
    data = json.loads(json.dumps(found.to_dict()))
    assert (data["mean"], data["repetitions"], data["expected"]) == ([2, 5], 2, None)
    longer = Standings("learner", "game", (1, 9, 81), np.array([[1.0, 3.0, 27.0]]))
    assert str(longer).endswith("from 9 to 81 rounds it grows like T^1.00")
    alone = Standings("learner", "game", (1, 9), table[:1])
    assert math.isinf(alone.band()[0])
    assert alone.to_dict()["band"] == [None, None]


def test_checkpoints():
    assert checkpoints(1) == (1,)
    assert checkpoints(8) == (1, 2, 4, 8)
    found = contest(LAZY, GAME, repetitions=1, at=[5, 600, 17])
    assert found.checkpoints == (5, 17, 600)


@over(
    ("learner", "game", "options", "text"),
    [
        (LAZY, games.RandomLosses(rounds=600, experts=299, grid=2), {}, "299 experts"),
        (LAZY, games.RandomLosses(rounds=600, experts=300, grid=3), {}, "same"),
        (LAZY, games.RandomLosses(rounds=601, experts=300, grid=2), {}, "horizon is 600"),
        (LAZY, GAME, {"at": [0]}, "read off"),
        (LAZY, GAME, {"at": [601]}, "read off"),
        (LAZY, GAME, {"repetitions": 0}, "repetitions"),
        (LAZY, GAME, {"shifts": -1}, "shifts"),
        (LAZY, games.BlameShown(rounds=9, experts=300, grid=2), {"expected": True}, "expected"),
        (Plain(LAZY), GAME, {"expected": True}, "expected"),
    ],
)
def test_what_does_not_fit_is_refused(learner, game, options, text):
    with pytest.raises(ap.InvalidArgument, match=text):
        contest(learner, game, **options)
