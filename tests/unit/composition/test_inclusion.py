"""How many pairs may differ, and which models are about others' messages."""

import math

import pytest

from antiphon.composition.guarantees.inclusion import differing, group, includes
from antiphon.verifiers import bounded, event_level, every_pair, neighbouring_start, user_level


@pytest.mark.parametrize(
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
    assert group(user_level(events=events), neighbouring_start()) is None
    assert not includes(user_level(events=events), event_level())
