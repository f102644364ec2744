"""What a check reads of states, claims and pairs."""

import numpy as np
import pytest

from antiphon.audit.check.steps.verifications import _Asks
from antiphon.audit.check.subject import NUMPY, content, isolated_global_state, record_randomness
from antiphon.verifiers import bounded, event_level


class Held:
    def __init__(self):
        self.values = [1, 2]


@pytest.mark.parametrize("make", [Held, lambda: [1, [2]], lambda: {"a": [1]}, lambda: {1, 2}])
def test_what_is_changed_in_place_has_another_content(make):
    value = make()
    before = content(value)
    assert content(value) == before
    if isinstance(value, Held):
        value.values.append(3)
    elif isinstance(value, set):
        value.add(3)
    elif isinstance(value, dict):
        value["a"].append(2)
    else:
        value[1].append(3)
    assert content(value) != before


def noticed(act):
    used = set()
    with record_randomness(used):
        act()
    return used


def test_each_draw_of_numpys_generator_is_seen_also_of_a_variate_that_was_kept():
    """Of two normal variates that it makes at once, it keeps one: no word is drawn for it."""
    draws = [np.random.normal] * 4 + [np.random.rand, *[np.random.normal] * 3]
    with isolated_global_state(1):
        for draw in draws:
            assert noticed(lambda: None) == set()
            assert noticed(draw) == {NUMPY}
        assert noticed(lambda: np.random.seed(2)) == {NUMPY}
        assert noticed(lambda: np.random.seed(2)) == set()


def test_another_bit_generator_is_watched_too():
    own = np.random.get_bit_generator()
    np.random.set_bit_generator(np.random.PCG64(1))
    try:
        assert noticed(np.random.rand) == {NUMPY}
        assert noticed(lambda: None) == set()
    finally:
        np.random.set_bit_generator(own)


def test_what_holds_itself_has_a_content():
    array = np.empty(1, object)
    array[0] = array
    assert content(array) == content(array)
    listed = []
    listed.append(listed)
    assert content(listed) == content(listed)


def test_the_numbers_that_f_is_asked_about_begin_with_the_least():
    f = bounded(event_level(), 3)
    asker = _Asks(f, int, 4, 5)
    assert [asker._side(place) for place in range(3)] == [5, 6, 7]
    halves = _Asks(f, float, 4, 0.5)
    assert [halves._side(place) for place in range(3)] == [0.5, 1.0, 1.5]
