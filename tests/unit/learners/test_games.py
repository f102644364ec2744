"""Games of experts: the losses they tell, and the regret that is read off."""

import itertools
import math

import attrs
import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon.learners import ADVICE, Hedge, Regret, ShrinkingDartboard, contest, games, regret_of
from antiphon.learners.games.online_game import ObliviousGame
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol import SampledCoins
from antiphon.protocol.records.codec import decode, encode

ROUNDS, EXPERTS = 2**13, 17
TABLE = np.random.default_rng(1).random((30, 3))
COINED = [
    kind(rounds=ROUNDS, experts=EXPERTS)
    for kind in (
        games.RandomLosses, games.StochasticGap, games.ShiftingBest, games.BatchConstant,
        games.LowerBoundEpochs,
    )
]  # fmt: skip
GAMES = [*COINED, games.BlameShown(rounds=90, experts=4, grid=3), games.LossTable.of(TABLE)]
EVERY = over("game", GAMES, at_least=7)


def rows(game, key):
    return np.concatenate([game.losses(key, i) for i in range(-(-game.rounds // game.block))])


def held(table):
    """How many rounds each row lasts."""
    changes = np.flatnonzero(np.any(np.diff(table, axis=0), axis=1)) + 1
    return np.diff(np.concatenate([[0], changes, [len(table)]]))


@EVERY
def test_a_view_has_the_losses_of_its_key_and_replays(game):
    game = attrs.evolve(game, rounds=90) if game in COINED else game
    learner = Hedge(horizon=90, experts=game.experts, grid=game.grid, rate=0.5)
    view = ap.interact(game, learner, seed=3)
    assert ap.replay(view, game)
    assert view.messages[::2] == (ADVICE,) * game.rounds
    assert view.complete
    keys = [draw.value for draw in view.coins]
    assert len(keys) == game.tossed
    if isinstance(game, ObliviousGame):
        told = np.array(view.messages[1::2])
        assert np.array_equal(told, rows(game, keys[0] if keys else 0))


@EVERY
def test_it_can_be_named_in_a_transcript(game):
    assert decode(encode(game)) == game


@pytest.mark.parametrize("game", COINED, ids=lambda each: type(each).__name__)
def test_blocks_are_parts_of_one_table(game):
    """Row by row, and with another number of rounds, the same losses; nobody can write to them."""
    table = rows(game, 5)
    assert table.shape == (ROUNDS, EXPERTS)
    assert set(np.unique(table)) == {0, 1}
    for time in (0, 1, game.block - 1, game.block, ROUNDS - 1):
        assert np.array_equal(game.loss(5, time, 0), table[time])
    with pytest.raises(ValueError, match="read-only"):
        game.losses(5, 0)[0, 0] = 7
    assert not np.array_equal(rows(game, 6), table)
    changes = len(held(table))
    assert len(np.unique(table, axis=0)) > 0.9 * min(changes, 2**17)
    grid = attrs.evolve(game, grid=9)
    assert np.array_equal(rows(grid, 5), 9 * table)


def test_losses_do_not_depend_on_how_they_are_cut():
    long = rows(games.StochasticGap(rounds=ROUNDS, experts=EXPERTS), 5)
    short = rows(games.StochasticGap(rounds=1000, experts=EXPERTS), 5)
    assert np.array_equal(long[:1000], short)


def test_chances_are_those_stated():
    """Means of 8,192 fair coins have σ = .0055: 17 of them are within 5σ but for 1e-5."""
    sigma = 0.5 / math.sqrt(ROUNDS)
    fair, gap, shifting, constant, epochs = (rows(game, 9) for game in COINED)
    assert np.all(abs(fair.mean(axis=0) - 0.5) < 5 * sigma)
    means = np.sort(gap.mean(axis=0))
    assert abs(means[0] - 0.4) < 5 * sigma
    assert np.all(abs(means[1:] - 0.5) < 5 * sigma)
    best = [part.mean(axis=0).argmin() for part in np.split(shifting, 8)]
    assert len(set(best)) > 2
    assert best == [COINED[2].best(9, epoch) for epoch in range(8)]
    assert set(held(constant)) == {16}
    assert COINED[4].epochs == math.floor((ROUNDS / 10) ** (4 / 3))
    assert set(held(epochs)) <= {COINED[4].hold * k for k in range(1, 4)}
    assert abs(constant.mean() - 0.5) < 5 * 4 * sigma / math.sqrt(EXPERTS)


def test_the_best_expert_is_none_in_particular():
    game = games.StochasticGap(rounds=2, experts=4)
    found = {game.best(key) for key in range(64)}
    assert found == {0, 1, 2, 3}


def test_blame_falls_on_who_was_shown():
    game = GAMES[5]
    view = ap.interact(game, Hedge(horizon=90, experts=4, grid=3, rate=0.5), seed=1)
    for advice, loss in zip(view.answers[::2], view.messages[1::2], strict=True):
        assert loss.tolist() == [3 * (i == advice) for i in range(4)]
    assert regret_of(view, grid=3).total >= 90 * 3 / 4


def test_the_grid_is_that_of_the_game():
    game = GAMES[5]
    hedge = Hedge(horizon=90, experts=4, grid=3, rate=0.5)
    view = ap.interact(game, hedge, seed=1)
    assert regret_of(view).total == regret_of(view, grid=3).total <= 90
    with pytest.raises(ap.InvalidArgument, match="grid=3: leave"):
        regret_of(view, grid=1)
    unnamed = ap.interact(ap.scripted(view.messages), hedge, seed=1)
    assert (regret_of(unnamed).grid, regret_of(unnamed, grid=3).grid) == (3, 3)


# --- tables ---------------------------------------------------------------------------------------


def test_tables_are_rounded_and_checked(tmp_path):
    game = games.LossTable.of([[0, 1], [0.5, 0.24]], grid=4)
    assert game.table.tolist() == [[0, 4], [2, 1]]
    assert (game.rounds, game.experts, game.grid) == (2, 2, 4)
    (tmp_path / "losses.csv").write_text("0,1\n0.5,0.24\n")
    np.save(tmp_path / "losses.npy", np.array([[0, 1], [0.5, 0.24]]))
    assert games.LossTable.load(tmp_path / "losses.csv", grid=4) == game
    assert games.LossTable.load(tmp_path / "losses.npy", grid=4) == game


@pytest.mark.every(6)
@pytest.mark.parametrize("game", COINED)
def test_a_table_of_what_a_game_tosses(game):
    table = games.LossTable.tossed_by(game, SampledCoins(5))
    key = game.key(SampledCoins(5))
    assert (table.rounds, table.experts, table.grid) == (game.rounds, game.experts, game.grid)
    for time in range(game.rounds):
        assert np.array_equal(table.loss(0, time, 0), game.loss(key, time, 0))


def test_a_game_that_listens_has_no_table():
    with pytest.raises(InvalidArgument, match="depend on the advice"):
        games.LossTable.tossed_by(games.BlameShown(rounds=4, experts=2), SampledCoins(1))


@pytest.mark.parametrize("wrong", [[[0, 1.1]], [[-0.1, 0]], [[math.nan, 0]], [0, 1], [[]]])
def test_tables_that_are_none_are_refused(wrong):
    with pytest.raises(ap.InvalidArgument, match="losses"):
        games.LossTable.of(wrong)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("a,b\n", "at row 0, column 1)"),
        ("0,1\n0,Ada\n", "at row 1, column 2)"),
        ("0,1\n0\n", "at row 2"),
        ("", "has no numbers"),
        ("\xff", "no heading"),
    ],
)
def test_a_file_that_is_no_table_is_refused_and_what_it_says_is_not_told(tmp_path, text, where):
    (tmp_path / "losses.csv").write_text(text, "latin-1")
    with pytest.raises(ap.InvalidArgument, match=r"losses\.csv (is no table|has no)") as refused:
        games.LossTable.load(tmp_path / "losses.csv")
    assert where in str(refused.value)
    assert "Ada" not in str(refused.value)


@pytest.mark.parametrize(
    "array",
    [
        np.array([["a", "b"]]), np.ones((2, 2), complex), np.ones(3), np.ones((2, 2, 2)),
        np.empty((0, 2)), np.array([[None, 1]]),
    ],
    ids=lambda each: f"{each.dtype} {each.shape}",
)  # fmt: skip
def test_an_array_that_is_no_table_is_refused(tmp_path, array):
    np.save(tmp_path / "losses.npy", array)
    with pytest.raises(ap.InvalidArgument, match=r"losses\.npy .*\.npy file of one array"):
        games.LossTable.load(tmp_path / "losses.npy")


def test_files_that_are_no_arrays_are_refused(tmp_path):
    path = tmp_path / "losses.npy"
    for content in (b"", b"0,1", b"\x93NUMPY"):
        path.write_bytes(content)
        with pytest.raises(ap.InvalidArgument, match="no table of numbers"):
            games.LossTable.load(path)
    np.savez(tmp_path / "several.npz", np.ones((2, 2)))
    (tmp_path / "several.npz").rename(path)
    with pytest.raises(ap.InvalidArgument, match="no table of numbers"):
        games.LossTable.load(path)


def test_a_game_may_be_of_the_first_rounds_of_a_table():
    game = games.LossTable.of([[0, 1], [0.5, 0.24], [1, 1]], grid=4)
    assert game.first(2) == games.LossTable.of([[0, 1], [0.5, 0.24]], grid=4)
    assert game.first(3) == game
    with pytest.raises(ap.InvalidArgument, match="3 rounds, not 4"):
        game.first(4)


@pytest.mark.parametrize("gap", [0, -1, 0.6, math.nan])
def test_gaps_are_checked(gap):
    with pytest.raises(ap.InvalidArgument, match="gap"):
        games.StochasticGap(rounds=9, experts=2, gap=gap)


# --- regret ---------------------------------------------------------------------------------------


def test_regret_by_hand():
    losses = np.array([[2, 0, 1], [2, 0, 1], [0, 2, 1], [0, 2, 1]])
    found = Regret(np.array([0, 0, 1, 2]), losses, 2)
    assert found.own.tolist() == [1, 2, 3, 3.5]
    assert found.fixed.tolist() == [1, 2, 2, 1.5]
    assert found.total == 1.5
    assert found.shifting(0).tolist() == found.fixed.tolist()
    assert found.shifting(1).tolist() == [1, 2, 3, 3.5]
    assert found.shifting(3).tolist() == [1, 2, 3, 3.5]


def best_sequence(losses, shifts):
    """The least loss of any sequence with so few shifts, of all of them."""
    rounds, experts = losses.shape
    return min(
        sum(int(losses[t, x]) for t, x in enumerate(sequence))
        for sequence in itertools.product(range(experts), repeat=rounds)
        if sum(a != b for a, b in itertools.pairwise(sequence)) <= shifts
    )


@pytest.mark.parametrize("shifts", range(4))
def test_dynamic_regret_is_against_the_best_of_all_sequences(shifts):
    losses = np.random.default_rng(shifts).integers(0, 5, (6, 3))
    shown = np.zeros(6, np.int64)
    least = best_sequence(losses, shifts)
    assert Regret(shown, losses, 1).shifting(shifts)[-1] == losses[:, 0].sum() - least


def test_views_without_advice_have_no_regret():
    loss = np.array([0, 1])
    said = ap.scripted([ADVICE, loss, loss])
    view = ap.interact(said, Hedge(horizon=3, experts=2, rate=1), seed=1)
    with pytest.raises(ap.InvalidArgument, match="no advice"):
        regret_of(view)
    assert regret_of(ap.interact(ap.scripted([]), Hedge(horizon=3, experts=2, rate=1))).total == 0
    with pytest.raises(ap.InvalidArgument, match="shifts"):
        Regret(np.zeros(1, np.int64), np.zeros((1, 2), np.int64)).shifting(-1)


def test_a_learner_regrets_little_where_one_is_better():
    """By Hoeffding more than 200 has a probability below 1e-9; uniform play has about 240."""
    game = games.StochasticGap(rounds=2**12, experts=8)
    learner = ShrinkingDartboard.tuned(horizon=2**12, experts=8)
    losses = rows(game, 3)
    shown = learner.follow(learner.initial_state, losses, SampledCoins(1))[1]
    assert Regret(shown, losses).total < 200


# --- streams --------------------------------------------------------------------------------------


class Rows:
    """Can be read again; notes how often it was opened."""

    def __init__(self, rows):
        self.rows, self.opened = rows, 0

    def __iter__(self):
        self.opened += 1
        yield from self.rows


WIDE = np.random.default_rng(2).random((300, 1000))
"""Blocks of 65 rounds."""


def stream(source, **changed):
    return games.LossStream(
        **{"source": source, "rounds": 300, "experts": 1000, "grid": 8} | changed
    )


def test_a_stream_is_the_table_of_its_rows():
    game, table = stream(Rows(WIDE)), games.LossTable.of(WIDE, grid=8).table
    assert np.array_equal(rows(game, 0), table)
    assert np.array_equal(game.losses(0, 2), table[130:195])
    assert np.array_equal(game.losses(0, 4), table[260:])
    assert game.source.opened == 2
    assert all(np.array_equal(game.loss(0, time, 0), table[time]) for time in (299, 3, 64, 65))


def test_a_stream_that_can_be_read_again_replays_and_repeats():
    game = stream(Rows(TABLE), rounds=30, experts=3)
    learner = Hedge(horizon=30, experts=3, grid=8, rate=0.5)
    view = ap.interact(game, learner, seed=3)
    assert ap.replay(view, game)
    found = contest(learner, game, repetitions=3, seed=1, executor="serial")
    fixed = games.LossTable.of(TABLE, grid=8)
    assert found.regrets.tolist() == contest(learner, fixed, repetitions=3, seed=1).regrets.tolist()


def test_a_generator_serves_one_game():
    game = stream((row for row in TABLE), rounds=30, experts=3)
    learner = Hedge(horizon=30, experts=3, grid=8, rate=0.5)
    assert contest(learner, game, repetitions=1, seed=1, executor="serial").repetitions == 1
    blocks = stream(row for row in WIDE)
    blocks.losses(0, 1)
    with pytest.raises(ap.InvalidArgument, match="read once only"):
        blocks.losses(0, 0)


@over(
    ("source", "text"),
    [
        (TABLE[:29], "ended after 29 of 30"),
        (TABLE[:, :2], "3 numbers"),
        ([*TABLE[:29], [0, 1]], "3 numbers"),
        (["no", *TABLE[:29]], "3 numbers"),
        (TABLE + 1, r"lie in \[0, 1\]"),
        (TABLE * np.nan, r"lie in \[0, 1\]"),
    ],
)
def test_rows_that_are_no_losses_are_refused_when_they_come(source, text):
    game = stream(source, rounds=30, experts=3)
    with pytest.raises(ap.InvalidArgument, match=text):
        game.losses(0, 0)
