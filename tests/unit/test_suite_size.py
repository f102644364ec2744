"""The everyday suite stays small, and its helpers tell of what fails."""

from types import SimpleNamespace

import pytest
from hypothesis import settings
from trying import USUAL, examples, over, sized

EVERYDAY = 8000
"""Items of `make test` at most: who needs more raises it, and says why."""


def everyday(items):
    return [item for item in items if item.get_closest_marker("slow") is None]


def test_the_everyday_suite_has_few_items(request):
    """Of what was collected for this run; slow tests do not count."""
    count = len(everyday(request.session.items))
    assert count <= EVERYDAY, "let one test go over many cases (tests/trying.py: over)"


def test_items_are_counted():
    items = [SimpleNamespace(get_closest_marker={"slow": mark}.get) for mark in (None, 1, None)]
    assert len(everyday(items)) == 2


@over(("one", "other"), [(1, 2), (3, 4)])
def test_cases_may_have_several_values(one, other):
    assert other == one + 1


def test_all_cases_that_fail_are_told():
    @over("number", range(5), at_least=5)
    def odd(number):
        if number == 4:
            pytest.fail("four")
        assert number % 2

    with pytest.raises(BaseExceptionGroup, match="3 of 5 cases failed") as caught:
        odd()
    assert [each.__notes__[-1] for each in caught.value.exceptions] == [
        f"The case: {{'number': {number}}}" for number in (0, 2, 4)
    ]


def test_cases_of_cases_and_fixtures(tmp_path):
    seen = []

    @over("one", "ab")
    @over("two", [1, pytest.param(2, id="two")])
    def seeing(one, two, tmp_path):
        seen.append((one, two, tmp_path))

    seeing(tmp_path=tmp_path)
    assert seen == [(one, two, tmp_path) for one in "ab" for two in (1, 2)]


def test_cases_that_have_gone_are_missed():
    with pytest.raises(AssertionError, match="0 cases, and there should be 1"):
        over("case", [])
    with pytest.raises(AssertionError, match="2 cases, and there should be 3"):
        over("case", [1, 2], at_least=3)
    with pytest.raises(AssertionError, match="a test of its own"):
        over("case", [pytest.param(1, marks=pytest.mark.slow)])


def test_an_unknown_name_is_a_fault_of_the_test():
    with pytest.raises(AssertionError, match="another"):
        over("another", [1])(lambda case: None)


def test_long_examples_grow_in_proportion():
    usual = settings.default.max_examples
    assert examples(USUAL).max_examples == usual
    assert examples(3).max_examples == 3 * usual // USUAL
    with pytest.raises(AssertionError):
        examples(USUAL + 1)


def test_a_size_is_the_larger_one_where_more_is_tried():
    slowly = settings.default.max_examples > USUAL
    assert sized("small", "large") == ("large" if slowly else "small")


def test_cases_that_take_long_are_made_by_the_test():
    made = []
    decorated = over("case", lambda: made.append(1) or made, at_least=2)(lambda case: None)
    assert made == []
    with pytest.raises(AssertionError, match="1 cases, and there should be 2"):
        decorated()
    decorated()
    assert made == [1, 1]
