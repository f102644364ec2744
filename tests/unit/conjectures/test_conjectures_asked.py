"""What may be asked of a search for what breaks a bound, and what its outcome may say."""

import math
import time
from fractions import Fraction

import attrs
import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon import Intractable, InvalidArgument, Pair, same
from antiphon.composition import BasicFilter
from antiphon.conjectures import (
    AnyMechanism,
    Conjecture,
    FilterPattern,
    GamePattern,
    ListedPairs,
    SparsePattern,
    SparseRenyi,
    conjecture,
)
from antiphon.conjectures.ascent import looked_at, place_of
from antiphon.conjectures.climbing import Program
from antiphon.protocol.claims import Status

TENTH = Fraction(1, 10)
PATTERN = SparsePattern(epsilon=0, delta=TENTH, creations=2, sparse=1)
BOTH = attrs.evolve(PATTERN, sparse=2)
"""Lose 1 - (9/10)² = 19/100, and no more."""
SHORT = {"seed": 1, "starts": 12, "seconds": None}


def test_searched_is_what_was_looked_at():
    found = conjecture(BOTH, 1, seed=1, starts=2, seconds=None)
    assert found.searched == ((1, 2),)
    assert "rounds × answers 1 × 2\n" in str(found) + "\n"
    assert conjecture(BOTH, 1, **SHORT).searched == ((1, 2), (1, 3), (2, 2), (2, 3))


@pytest.mark.parametrize("count", [1, 2, 3, 7, 30])
def test_each_size_is_looked_at_in_time(count):
    sizes = tuple((1, each) for each in range(count))
    for starts in (0, 1, 5, 40, 10**9):
        places = {place_of(number, count) for number in range(min(starts, 2000))}
        assert looked_at(starts, sizes) == tuple(sizes[place] for place in sorted(places))


def test_of_how_many_where_there_are_so_many():
    pattern = FilterPattern(budget=BasicFilter(epsilon=1), claims=[(Fraction(1, 2), 0), (1, 0)])
    found = conjecture(pattern, 1, starts=2, seconds=None)
    assert "starts    2 of 3\n" in str(found)


@pytest.mark.parametrize("bound", [1 - (1 - 0.1) ** 2, lambda _: 1 - (1 - 0.1) ** 2])
def test_a_true_bound_in_doubles_is_not_refuted_by_their_rounding(bound):
    assert 1 - (1 - 0.1) ** 2 < 0.19
    found = conjecture(BOTH, bound, **SHORT)
    assert found.loss == Fraction(19, 100)
    assert not found.refuted
    assert "bound     0.190001\n" in str(found)
    assert conjecture(BOTH, Fraction(18_999_999, 10**8), **SHORT).refuted
    assert conjecture(BOTH, 0.18999999999, **SHORT).refuted


def test_a_decimal_is_what_it_says():
    assert Conjecture(BOTH, 0.3).figure == Fraction(3, 10)
    assert Conjecture(BOTH, np.float64(0.3)).figure == Fraction(3, 10)


@over(
    ("how", "words"),
    [
        ({"seconds": "5"}, "seconds"),
        ({"seconds": True}, "seconds"),
        ({"seconds": [1]}, "seconds"),
        ({"seconds": math.nan}, "seconds"),
        ({"to_the_end": "no"}, "to_the_end must be True or False"),
        ({"watch": 3}, "watch"),
    ],
)
def test_how_nobody_can_search(how, words):
    with pytest.raises(InvalidArgument, match=words):
        conjecture(BOTH, 1, **(SHORT | how))


@pytest.mark.parametrize("epsilon", [800, Fraction(10**400), ap.Log(10**400)])
def test_what_is_past_doubles(epsilon):
    with pytest.raises(InvalidArgument, match=r"in doubles|at most 1000 nats"):
        conjecture(PATTERN, 1, epsilon, **SHORT)
    with pytest.raises(InvalidArgument, match=r"in doubles|at most 1000 nats"):
        conjecture(attrs.evolve(PATTERN, epsilon=epsilon), 1, **SHORT)
    game = GamePattern(parts=(AnyMechanism(epsilon=epsilon),), compose=alone, rounds=1)
    with pytest.raises(InvalidArgument, match=r"in doubles|at most 1000 nats"):
        conjecture(game, 1, **SHORT)


def alone(mechanism):
    return ap.PrivacyGame(mechanism, ListedPairs())


EVENTS = {"most": 1}


def allowing_events(mechanism):
    """Whose lines are the same whatever EVENTS are."""
    return ap.PrivacyGame(mechanism, ListedPairs(events=EVENTS["most"]))


def test_a_game_that_is_composed_otherwise_is_another_one(tmp_path, monkeypatch):
    part = AnyMechanism(epsilon=0, delta=TENTH)
    pattern = GamePattern(parts=(part,), compose=allowing_events, rounds=2)
    search = {"seed": 1, "seconds": None, "checkpoint": tmp_path / "search.json"}
    for starts in (2, 3):
        assert conjecture(pattern, 1, starts=starts, **search).starts == starts
    monkeypatch.setitem(EVENTS, "most", 2)
    with pytest.raises(ap.CheckpointError, match="differs in pattern"):
        conjecture(pattern, 1, starts=4, **search)


def test_so_many_rounds_are_refused_at_once():
    begun = time.monotonic()
    with pytest.raises(Intractable, match="fewer rounds"):
        conjecture(PATTERN, 1, rounds=10**9, **SHORT)
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"first_pair_consistent": True}, "first-pair consistent"),
        ({"inner": ListedPairs(events=0)}, "nothing is lost"),
        ({"inner": ListedPairs((same(0), same(1)))}, "nothing is lost"),
        ({"pairs": (Pair(5, 6),)}, "nothing is lost"),
    ],
)
def test_a_pattern_that_lets_nothing_through(change, words):
    """Of which "not refuted" would be said for ever."""
    pattern = SparsePattern(epsilon=0, delta=TENTH, creations=2, sparse=1, **change)
    with pytest.raises(InvalidArgument, match=words):
        conjecture(pattern, 1, **SHORT)


def test_flags_are_true_or_false():
    for wrong in ("no", 1, None):
        with pytest.raises(InvalidArgument, match="first_pair_consistent must be True or False"):
            attrs.evolve(PATTERN, first_pair_consistent=wrong)
        with pytest.raises(InvalidArgument, match="at_first must be True or False"):
            ListedPairs(at_first=wrong)


def test_another_f_than_was_looked_at_is_the_users_word():
    other = attrs.evolve(PATTERN, played=ListedPairs(events=2))
    assert PATTERN.claim.status is Status.PROVED
    assert other.claim.status is Status.ASSUMED
    found = conjecture(other, Fraction(1, 2), seed=1, starts=1, seconds=None)
    assert "by another f' than the composition's" in found.title
    assert "another" not in PATTERN.described(Fraction(0))


RENYI = SparseRenyi(order=2, moment=Fraction(11, 10), creations=2, sparse=2)


def test_a_divergence_has_no_epsilon():
    with pytest.raises(InvalidArgument, match="no ε"):
        conjecture(RENYI, 2, 1, **SHORT)


@over("order", [0, 1, 12, 10**6, 2.0, True])
def test_orders_that_no_program_has(order):
    with pytest.raises(InvalidArgument, match="order"):
        attrs.evolve(RENYI, order=order)


def test_how_far_apart_worlds_are_in_a_search_is_said():
    found = conjecture(RENYI, 2, seed=1, starts=1, seconds=None)
    assert "of likelihood ratios up to 16" in str(found)


def test_a_solver_that_gives_up_ends_a_climb_and_no_search(monkeypatch):
    """Of a high order it does, now and then, and only in some directions."""
    best, asked = Program.best, []

    def sometimes(self, gains):
        asked.append(gains)
        if len(asked) % 3:
            return best(self, gains)
        raise Intractable("columns", 1, 1)

    monkeypatch.setattr(Program, "best", sometimes)
    found = conjecture(BOTH, 1, **SHORT)
    assert found.starts == 12
    assert found.loss > TENTH


def test_a_solver_that_always_gives_up_is_told(monkeypatch):
    def never(self, gains):
        raise Intractable("columns", 1, 1)

    monkeypatch.setattr(Program, "best", never)
    with pytest.raises(Intractable):
        conjecture(BOTH, 1, **SHORT)


@pytest.mark.slow
def test_more_workers_than_there_is_work():
    begun = time.monotonic()
    assert conjecture(BOTH, 1, executor=10**6, seed=1, starts=2, seconds=None).starts == 2
    assert time.monotonic() - begun < 60


@pytest.mark.parametrize("delta", [0, 1e-9, 1e-12])
def test_a_small_delta_is_not_lost_in_rounding(delta):
    """Laws are rounded to multiples of 1/720720: of RR_{1.7, δ} that may lose 1e-6 at 1.7."""
    pattern = SparsePattern(epsilon=1.7, delta=delta, creations=2, sparse=2)
    found = conjecture(pattern, 1, 0.1, seed=1, starts=7, seconds=None)
    assert max(found.judged.claimed) <= Fraction(str(delta))
    assert found.loss > 0.688
