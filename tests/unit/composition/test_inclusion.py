"""How many pairs may differ, and which models are about others' messages."""

import math
from fractions import Fraction

import pytest
from trying import over

import antiphon as ap
from antiphon.composition import sparse_parallel
from antiphon.composition.accounting import optimal, sparse
from antiphon.composition.guarantees.inclusion import differing, group_size, includes
from antiphon.verifiers import bounded, event_level, every_pair, neighbouring_start, user_level


@over(
    ("f", "most"),
    [
        (neighbouring_start(), 1),
        (event_level(events=3), 3),
        (user_level(events=4), 4),
        (user_level(), math.inf),
        (every_pair(), math.inf),
        (bounded(event_level(events=9), 4), 4),
        (bounded(event_level(events=3), 8), 3),
        (bounded(user_level(), 5), 5),
        (bounded(neighbouring_start(), 5), 1),
    ],
)
def test_how_many_pairs_may_differ(f, most):
    assert differing(f) == most


@pytest.mark.parametrize("events", [1, 5, None])
def test_what_starts_with_any_neighbours_is_about_no_users(events):
    """f_∼ lets (0, 1) pass, which are no records (user, …)."""
    assert not includes(user_level(events=events), neighbouring_start())
    assert group_size(user_level(events=events), neighbouring_start()) is None
    assert not includes(user_level(events=events), event_level())


@pytest.mark.parametrize("turn", [1, -1])
def test_over_all_created_each_counts_as_the_worst(turn):
    """The largest ε_i with the largest δ_i, wherever in the list they stand."""
    fixed = [(Fraction(1, 10), Fraction(1, 10)), (1, Fraction(1, 20))][::turn]
    promise = ap.guarantee(ap.ExtConComp(), sparse_parallel(fixed), max_creations=3)
    worst = optimal([(1, Fraction(1, 10))], times=3)
    general = sparse(fixed, k=2, creations=3)
    for epsilon in (0, Fraction(1, 4), 1, Fraction(11, 10), 3):
        figures = worst.delta_at(epsilon), general.delta_at(epsilon)
        assert promise.delta_at(epsilon) == min(figures)
    assert promise.epsilon_at(Fraction(271, 1000)) == general.epsilon_at(Fraction(271, 1000))
