"""Three counterexamples about counts of distinct items (theory §10), as exact figures.

The counter is 3-ary randomized response on every change, (1/2, 1/4, 1/4), as in
``antiphon verify``, which has the same figures for events and items.
"""

from fractions import Fraction

import numpy as np
import pytest

import antiphon as ap
from antiphon.mechanisms import Distinct
from antiphon.mechanisms.counters.square_root import coefficients
from antiphon.numbers.exact import Log
from antiphon.protocol import EMPTY, LEFT, Pair
from antiphon.selfcheck.theorems.distinct_items import NoisyChanges
from antiphon.verifiers import OneItem, event_level

ONCE, BOTH_WAYS = (("a",), ("b",), EMPTY), (("a", True), ("a", False), EMPTY)


def tight(part, f, queries, most=4):
    game = ap.PrivacyGame(part @ NoisyChanges(), f)
    growths = [Fraction(at) for at in range(1, most + 1)]
    return [game.tight_delta(epsilon=Log(at), rounds=3, queries=queries) for at in growths]


def fractions(text):
    return [Fraction(each) for each in text.split()]


def test_an_event_is_two_responses_and_an_item_is_one():
    event, item = Distinct(), Distinct(unit="item")
    assert tight(event, event.lifting.outer, ONCE) == fractions("5/16 1/8 1/16 0")
    assert tight(item, item.lifting.outer, ONCE, 2) == fractions("1/4 0")


def test_one_item_without_a_limit_differs_at_every_step():
    """Insert, delete, insert against nothing: three responses of three; with w = 1, one."""
    endless = Distinct(deletions=True)
    assert tight(endless, OneItem(), BOTH_WAYS, 2) == fractions("25/64 3/16")
    frozen = Distinct(deletions=True, flips=1, unit="item")
    assert tight(frozen, frozen.lifting.outer, BOTH_WAYS, 2) == fractions("1/4 0")


def changes(part, stream):
    state, found = part.initial_state, []
    for message in stream:
        state, _, change = part.step(state, LEFT, message, None)
        found.append(change)
    return np.array(found)


def test_an_event_that_is_replaced_costs_more_than_one_added_or_removed():
    """With w = 2 flips an item: ℓ₁ = 6 > 4 = 2w, and ‖Cv‖² = 9.9‖C‖² > 8‖C‖² = 4w‖C‖², where
    changes of one sign come together and others far from them."""
    part, apart = Distinct(deletions=True, flips=2), [EMPTY] * 3333
    first, then = [("b", True)], [("b", False), ("a", False), ("a", True)]
    zero = [*first, ("a", True), *apart, *then, *apart, ("a", False)]
    one = [*first, ("b", False), *apart, *then, *apart, ("a", False)]
    told = [changes(part, zero), changes(part, one)]
    v = told[1] - told[0]
    assert v[v != 0].tolist() == [-2, 1, 1, 1, -1]
    assert abs(v).sum() == 6 > 2 * part.flips
    factor = np.pad(coefficients(10**4), (0, 10**4))
    moved = np.fft.irfft(np.fft.rfft(factor) * np.fft.rfft(v, 2 * 10**4))[: 10**4]
    assert moved @ moved / (factor @ factor) == pytest.approx(9.94, abs=0.02)
    pairs = list(map(Pair, zero, one))
    assert event_level()(pairs) is ap.TOP
    assert part.lifting.outer(pairs) is ap.BOTTOM
    assert part.lifting.inner(list(map(Pair, *[each.tolist() for each in told]))) is ap.BOTTOM
