"""Alternating differences and item level, against what their definitions say."""

from itertools import accumulate, product

import pytest

from antiphon import InvalidArgument
from antiphon.protocol import BOTTOM, EMPTY, TOP, Pair
from antiphon.verifiers import AlternatingDifferences, OneItem


def allowed(changes, most, crossing, within):
    """By the definition: running sums, their spread, how long each sign lasts, and all in all."""
    levels = list(accumulate(changes))
    signs = {each for each in levels if each}
    longest, run, before = 0, 0, 0
    for each in levels:
        run = run + 1 if each and each == before else 1
        longest, before = max(longest, run if each else 0), each
    return (
        max(map(abs, levels), default=0) <= 1
        and (crossing or len(signs) <= 1)
        and sum(map(abs, changes)) <= most
        and (within is None or longest <= within)
    )


@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("crossing", [False, True])
@pytest.mark.parametrize("within", [None, 1, 2])
def test_it_allows_what_its_definition_allows(most, crossing, within):
    f = AlternatingDifferences(most, crossing=crossing, within=within)
    seen = set()
    for changes in product((-2, -1, 0, 1, 2), repeat=4):
        sides = [Pair(0, change) for change in changes]
        expected = allowed(changes, most, crossing, within)
        assert (f(sides) is TOP) is expected, changes
        assert (f([Pair(each.one, each.zero) for each in sides]) is TOP) is expected
        seen.add(expected)
    assert seen == {True, False}


@pytest.mark.parametrize("pair", [Pair(0, 1.0), Pair("0", "1"), Pair(True, 0), Pair(0, None)])
def test_only_ints_may_differ(pair):
    assert AlternatingDifferences(2)([pair]) is BOTTOM


@pytest.mark.parametrize("wrong", [{"changes": 0}, {"changes": 2.0}, {"within": 0}])
def test_bad_bounds_are_refused(wrong):
    with pytest.raises(InvalidArgument, match="must be an int between"):
        AlternatingDifferences(**wrong)


MESSAGES = (("a",), ("b",), EMPTY)


def one_item(zeros, ones):
    """By the definition: some item is on one side only, and replacing it by EMPTY gives that."""
    if zeros == ones:
        return True
    sides = [(zeros, ones), (ones, zeros)]
    return any(
        tuple([EMPTY if each == (item,) else each for each in full]) == rest
        for full, rest in sides
        for item in "ab"
    )


def test_one_item_allows_what_its_definition_allows():
    f, valid = OneItem(), 0
    for zeros in product(MESSAGES, repeat=4):
        for ones in product(MESSAGES, repeat=4):
            found = f(list(map(Pair, zeros, ones))) is TOP
            assert found is one_item(zeros, ones), (zeros, ones)
            valid += found
    assert 100 < valid < 500


def test_what_is_no_event_may_not_differ():
    assert OneItem()([Pair(("a",), ("b",))]) is BOTTOM
    assert OneItem()([Pair("a", EMPTY)]) is BOTTOM
    assert OneItem()([Pair((), EMPTY)]) is BOTTOM
