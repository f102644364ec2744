"""Blocks that are alike again go on as one, and every replica keeps its own transcript."""

from typing import Any

import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon.populations import play as populations
from antiphon.populations.arithmetic import Lanes
from antiphon.populations.column_coins import ColumnCoins
from antiphon.populations.joining import OneOf, key, one_of
from antiphon.populations.play import Population, play_population, play_sample
from antiphon.populations.sample import NUMBER, Placeholder
from antiphon.protocol.messages import BOTTOM, HALT, TOP
from antiphon.protocol.registry import column_safe
from antiphon.protocol.spaces import Anything
from antiphon.selfcheck.corpus.targets.sparse_vectors import SparseVectorVariant

N = 20_000


def answering(step, initial=None):
    return ap.mechanism(queries=Anything(), answers=Anything(), initial_state=initial)(
        column_safe(step)
    )


def steps(mechanism, rounds, **options):
    """How many block steps a population takes, and how many replicas end."""
    adversary = ap.scripted([0] * rounds)
    population = Population(adversary, mechanism, None, ColumnCoins(1), **options)
    ended = sum(lanes.size for lanes, _ in population.play(N))
    return population.blocks, ended


@answering
def sign(state, message, coins):
    return state, TOP if coins.laplace(1.0) > 0 else BOTTOM


def test_a_sparse_vector_that_never_halts_stays_one_block():
    six = SparseVectorVariant("6")
    blocks, ended = steps(six, 10, joins=True)
    assert ended == N
    assert blocks == 1 + 3 * 10  # the adversary's last step; then one of its own, two of the svt
    assert steps(six, 10)[0] > 1000


@pytest.mark.every(3)
@pytest.mark.parametrize("rounds", [3, 17, 70])  # 2^16 are tabled; 2^62 fit into an int64
def test_every_replica_has_one_transcript(rounds):
    counts = play_population(ap.scripted([0] * rounds), sign, replicas=N, seed=1)
    assert sum(counts.values()) == N
    assert all(len(said) == rounds and set(said) <= {TOP, BOTTOM} for said in counts)
    for place in range(rounds):
        up = sum(n for said, n in counts.items() if said[place] is TOP)
        assert abs(up - N / 2) < 6 * (N / 4) ** 0.5
    assert rounds > 3 or len(counts) == 8
    assert rounds < 70 or len(counts) == N


def test_parts_with_states_of_their_own_stay_apart():
    """⊤ is counted in the state; after two of them it halts."""

    @lambda step: answering(step, 0)
    def counting(state, message, coins):
        if state == 2:
            return state, HALT
        above = coins.laplace(1.0) > 0
        return (state + 1, TOP) if above else (state, BOTTOM)

    counts = play_population(ap.scripted([0] * 5), counting, replicas=N, seed=1)
    assert sum(counts.values()) == N
    for said in counts:
        tops = said.count(TOP)
        assert tops <= 2
        assert (HALT in said) is (tops == 2 and said[-1] is not TOP)


def test_some_parts_are_joined_and_others_not():
    """Of three parts two have the same state; the third goes on alone, with its own answers."""

    @lambda step: answering(step, "begun")
    def three(state, message, coins):
        if state != "begun":
            return state, state
        number = coins.laplace(1.0)
        if number > 1:
            return "large", TOP
        return "small", BOTTOM if number > 0 else 7

    counts = play_population(ap.scripted([0, 0]), three, replicas=N, seed=1)
    assert counts.keys() == {(TOP, "large"), (BOTTOM, "small"), (7, "small")}
    expected = {(TOP, "large"): np.exp(-1) / 2, (7, "small"): 0.5}
    for said, share in expected.items():
        assert abs(counts[said] - share * N) < 6 * (share * (1 - share) * N) ** 0.5


def test_one_who_listens_hears_plain_answers():
    heard = []

    @ap.adversary
    @column_safe
    def listener(answers, coins):
        heard.extend(answers)
        return HALT if len(answers) == 4 else 0

    assert listener.listens
    counts = play_population(listener, sign, replicas=N, seed=1)
    assert len(counts) == 16
    assert set(heard) == {TOP, BOTTOM}
    assert not ap.scripted([]).listens


def test_a_subclass_with_a_step_of_its_own_listens_again():
    class Wary(type(ap.scripted([]))):
        def step(self, state, message, coins):
            return super().step(state, message, coins)

    class Silent(type(ap.scripted([]))):
        """Has no step of its own."""

    assert Wary((0,)).listens
    assert not Silent((0,)).listens


def test_true_is_no_one():
    answers = iter([True, 1])

    @answering
    def confusing(state, message, coins):
        return state, True if coins.laplace(1.0) > 0 else 1

    sample = play_sample(ap.scripted([0, 0]), confusing, replicas=N, seed=1)
    assert len(sample.cells) == 4
    assert {type(item) for kind in sample.cells for item in kind} == {int, Placeholder}
    assert len({key(answer) for answer in answers}) == 2


def test_numbers_stay_beside_their_symbols():
    """The sign of a number, and then the number: 2 × 2 kinds, none with a wrong sign."""

    @answering
    def shown(state, message, coins):
        number = coins.laplace(1.0)
        if message:
            return state, number
        return number, TOP if number > 0 else BOTTOM

    @lambda step: answering(step, 0.0)
    def told(state, message, coins):
        if message:
            return state, state
        number = coins.laplace(1.0)
        return number, TOP if number > 0 else BOTTOM

    sample = play_sample(ap.scripted([0, 1]), told, replicas=N, seed=1)
    assert sample.cells.keys() == {(TOP, NUMBER), (BOTTOM, NUMBER)}
    assert np.all(sample.cells[TOP, NUMBER].columns > 0)
    assert np.all(sample.cells[BOTTOM, NUMBER].columns <= 0)
    assert play_sample(ap.scripted([0, 1]), shown, replicas=N, seed=1).replicas == N


@pytest.mark.parametrize("safe", [True, False])
def test_a_feature_sees_plain_answers(safe):
    def tops(answers):
        assert all(type(answer) is ap.protocol.messages.Signal for answer in answers)
        return sum(answer is TOP for answer in answers)

    feature: Any = column_safe(tops) if safe else lambda answers: tops(answers)
    counts = play_population(ap.scripted([0] * 4), sign, replicas=N, feature=feature, seed=1)
    assert sum(counts.values()) == N
    assert abs(counts[2] - 0.375 * N) < 6 * (0.375 * 0.625 * N) ** 0.5


def test_replicas_taken_apart_come_together_again():
    """What needs a Python number is stepped one by one; with equal states it is one block."""

    @lambda step: answering(step, 0.0)
    def rounding(state, message, coins):
        if message:
            return state, f"{state:+.1f}"[0]
        return coins.laplace(1.0), TOP

    adversary, size = ap.scripted([0, 1, 1]), 50
    population = Population(adversary, rounding, None, ColumnCoins(1), joins=True)
    ((lanes, block),) = population.play(size)
    assert (lanes.size, len(block.answers)) == (size, 3)
    counts = play_population(adversary, rounding, replicas=size, seed=1)
    assert counts.keys() == {(TOP, "+", "+"), (TOP, "-", "-")}


def test_a_union_of_some_replicas_keeps_who_is_who():
    whole = Lanes(6)
    whole.numbered = True
    parts = [(whole.only(np.array(ids)), said) for ids, said in (([0, 3], "b"), ([5], "a"))]
    lanes, item = one_of(whole, parts)
    assert type(item) is OneOf
    said = [item.choices[code] for code in item.at(lanes)]
    assert dict(zip(lanes.ids.tolist(), said, strict=True)) == {0: "b", 3: "b", 5: "a"}
    assert item.choices == ("a", "b")
    assert [item.choices[c] for c in item.at(lanes.only(np.array([2, 0])))] == ["a", "b"]


@over(
    ("one", "other"),
    [(0.0, -0.0), (1, True), (1, 1.0), ((1,), [1]), ("1", 1), (TOP, BOTTOM), (None, 0)],
)
def test_states_that_differ_have_different_keys(one, other):
    assert key(one) != key(other)
    assert key((one, (other,))) == key((one, (other,)))


def test_deep_arithmetic_is_computed_in_time():
    """A state that is only ever added to, over more rounds than Python's stack is deep."""

    @lambda step: answering(step, 0.0)
    def summing(state, message, coins):
        state = state + coins.laplace(1.0)
        return state, state if message else TOP

    said = [0] * 2999 + [1]
    (cell,) = play_sample(ap.scripted(said), summing, replicas=100, seed=1).cells.values()
    assert cell.columns.shape == (100, 1)
    assert 6000 / 3 < cell.columns.var() < 6000 * 3


def test_what_overflows_does_so_in_silence():
    """As Python's floats do, also where it is computed after the step."""

    @answering
    def huge(state, message, coins):
        return state, (coins.laplace(1.0) + 1e308) * 1e10

    (cell,) = play_sample(ap.scripted([0]), huge, replicas=10, seed=1).cells.values()
    assert np.isinf(cell.columns).all()


def test_a_long_record_is_not_kept():
    """After so many rounds blocks split again; what they end in is the same."""
    sizes = {}
    for most in (2, 1024):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(populations, "MOST_JOINED", most)
            adversary = ap.scripted([0] * 6)
            population = Population(adversary, sign, None, ColumnCoins(1), joins=True)
            sizes[most] = sum(lanes.size for lanes, _ in population.play(N)), population.blocks
            assert len(play_population(adversary, sign, replicas=N, seed=1)) == 64
    assert sizes[2][0] == sizes[1024][0] == N
    assert sizes[2][1] > 2 * sizes[1024][1]


def test_draws_of_many_outcomes_are_joined_too():
    """100 candidates, again and again: 101 steps a round, not one for each transcript."""
    scores = np.arange(100)

    @answering
    def chooses(state, message, coins):
        return state, coins.categorical_exp(0.01, scores)

    blocks, ended = steps(chooses, 4, joins=True)
    assert ended == N
    assert blocks <= 1 + 101 * 4
    assert steps(chooses, 2)[0] > 5_000
    counts = play_population(ap.scripted([0] * 4), chooses, replicas=N, seed=1)
    assert sum(counts.values()) == N
    assert all({*map(type, said)} == {int} for said in counts)


def test_a_few_outcomes_are_still_counted():
    """So that a billion replicas cost what a thousand do."""

    @answering
    def tosses(state, message, coins):
        return state, coins.uniform_integer(16)

    counts = play_population(ap.scripted([0] * 2), tosses, replicas=10**9, seed=1)
    assert sum(counts.values()) == 10**9
    assert len(counts) == 256
