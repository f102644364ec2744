"""What a check reads of states, claims and pairs."""

import numpy as np
import pytest

from antiphon.audit.check.steps.verifications import _Asks
from antiphon.audit.check.watch import content
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
