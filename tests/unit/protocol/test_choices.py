"""Choices among many: exact laws, bounds that hold at the extremes, and what is refused."""

import contextlib
import math
from collections import Counter
from fractions import Fraction
from itertools import product
from unittest import mock

import attrs
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from trying import sized

import antiphon as ap
from antiphon import Log
from antiphon.numbers import exact
from antiphon.protocol import Draw, RecordedCoins, ReplayedCoins, SampledCoins
from antiphon.protocol.coins import choices, samplers

RATES = [Fraction(0), Fraction(1, 3), Fraction(50), Fraction(1, 10**30), Fraction(10**30),
         Log(2), Log(Fraction(10**9 + 1, 10**9)), Log(10**400)]  # fmt: skip
words64 = st.integers(-(2**63), 2**63 - 1)
rows = st.lists(words64 | st.integers(-40, 40), min_size=1, max_size=8)


@given(rows, st.sampled_from(RATES) | st.fractions(0, 10))
@example([2**63 - 1, -(2**63)], Fraction(1, 3))  # a gap of 64 bits
def test_a_candidate_has_at_least_its_places(row, rate):
    """2^bits·w, rounded up: never less, or it would be chosen too rarely; and nearly w."""
    choice = choices.by_scores(rate, np.array(row, np.int64))
    best, one = max(row), 1 << choice.bits
    assert choice._tops.dtype == np.int64
    assert sum(choice._tops.tolist()) < 2**63
    for score, top in zip(row, choice._tops.tolist(), strict=True):
        low, high = choices._weight(rate, best - score)(choice.bits)
        assert high - 1 <= top <= one
        # A gap, or a rate, past what doubles hold is weighed as somewhat nearer: for speed alone.
        assert top <= 1.005 * low + 2 or rate < Fraction(1, 10**20)
        assert top == one or best > score


def test_the_table_is_nowhere_below_its_powers():
    for bits in sized([61], [41, 61]):
        for k, entry in enumerate(choices._table(bits).tolist()):
            power = exact.exp_bracket(Fraction(k, 256), bits + 64)
            assert power[1] <= entry << 64 <= power[0] + 2**65
        assert entry == 1


@given(st.fractions(0) | st.sampled_from(RATES), st.integers(0, 2**64 - 1))
def test_a_gap_is_weighed_as_no_wider_than_it_is(rate, gap):
    low, high = exact.bracket(rate, 40)
    cells = Fraction(float(gap) * choices._speed(rate))
    assert cells <= low * gap * 256
    assert cells >= min(high, 2**60) * gap * 256 * (1 - Fraction(1, 2**48)) or not choices._speed(
        rate
    )


@given(st.fractions(1, 50), st.integers(0, 60), st.integers(0, 200))
def test_around_the_weight_of_a_log(base, gap, bits):
    low, high = choices._weight(exact.epsilon(Log(base)), gap)(bits)
    assert low <= 2**bits / base**gap <= high <= low + 3


@given(st.lists(st.integers(0, 2**63 - 1), min_size=1, max_size=8).filter(any))
def test_whole_weights_have_their_own_places(row):
    choice = choices.by_weights(np.array(row, np.int64))
    shift = max(0, max(row).bit_length() - choice.bits)
    for i, (each, top) in enumerate(zip(row, choice._tops.tolist(), strict=True)):
        assert top << shift >= each
        assert (top - 1) << shift <= each or not each
        assert top or not each
        assert choice._weight(i)(choice.bits + shift) == (each, each)
    assert shift or choice._tops.tolist() == row


@given(st.lists(st.floats(0, allow_infinity=False), min_size=1, max_size=8).filter(any))
def test_doubles_count_as_the_rationals_they_are(row):
    choice = choices.by_weights(np.array(row))
    scale = Fraction(2) ** math.frexp(max(row))[1]
    for i, (each, top) in enumerate(zip(row, choice._tops.tolist(), strict=True)):
        places = Fraction(each) / scale * 2**choice.bits
        assert places <= top <= min(places + 1, 1 << choice.bits)
        low, high = choice._weight(i)(300)
        assert low <= Fraction(each) / scale * 2**300 <= high <= low + 1


def exactly(weight):
    """Around a rational number."""
    return lambda bits: (math.floor(weight * 2**bits), math.ceil(weight * 2**bits))


@given(st.lists(st.integers(0, 64), min_size=1, max_size=4).filter(any), st.data())
def test_the_law_is_the_stated_one_whatever_the_bounds(quarters, data):
    """16 places of a weight 1; weights are 64ths, so that two more bits settle every place.

    Every place is tossed, with all two bits that may follow. What is accepted is in exact
    proportion to the weights, for all bounds above them.
    """
    least = [-(-each // 4) for each in quarters]
    tops = [data.draw(st.integers(each, 20)) for each in least]
    weights = [Fraction(each, 64) for each in quarters]
    choice, found = choices.Candidates(4, np.array(tops), lambda i: exactly(weights[i])), Counter()
    for place, more in product(range(sum(tops)), range(4)):
        tossed = mock.patch.object(choices, "below", side_effect=[place])
        with tossed, contextlib.suppress(StopIteration):  # raised where it is tossed again
            found[choice.draw(Given(more << 62))] += 1
    assert [found[i] for i in range(len(quarters))] == quarters


class Given:
    """Words that are given one by one."""

    def __init__(self, *words):
        self.words = list(words)

    def __call__(self):
        return self.words.pop(0)


def test_a_place_in_what_was_rounded_up_is_tossed_again():
    """w = (1, 1/2, 1/4) has 2^60, and somewhat more than 2^59 and 2^58 places."""
    choice = choices.by_scores(Log(2), np.array([2, 1, 0]))
    assert choice.bits == 60
    one, half, quarter = choice._tops.tolist()
    assert one == 2**60
    assert 2**59 < half < 2**59 * 1.005
    shift = 64 - (one + half + quarter - 1).bit_length()

    def drawn(*places):
        word = Given(*(each << shift for each in places), 0, 0)
        return choice.draw(word), len(word.words)

    assert drawn(0) == (0, 2)
    assert drawn(one - 1) == (0, 2)
    assert drawn(one) == (1, 2)
    assert drawn(one + 2**59 - 2) == (1, 2)
    assert drawn(one + 2**59 + 1, 0) == (0, 2)  # refused, then the next word
    assert drawn(one + half - 1, one + half) == (2, 2)


def test_a_place_that_the_weight_cuts_is_settled_by_more_bits():
    """2^bits·e^-1 is no integer: in its place 64 more bits decide."""
    choice = choices.by_scores(Fraction(1), np.array([1, 0]))
    one, _ = choice._tops.tolist()
    cut, rest = divmod(exact.exp_bracket(Fraction(1), choice.bits + 64)[0], 1 << 64)
    shift = 64 - (int(choice._tops.sum()) - 1).bit_length()
    word = (one + cut) << shift
    assert choice.draw(Given(word, rest - 1)) == 1
    assert choice.draw(Given(word, rest + 3, 0)) == 0


@given(
    st.fractions(0, 10) | st.sampled_from(RATES), st.integers(0, 2**40), st.integers(40, 61),
    st.integers(-3, 3) | st.integers(-(2**62), 2**62),
)  # fmt: skip
def test_doubles_settle_a_toss_as_the_exact_weight_does(rate, gap, bits, away):
    """Near the weight, too: what doubles leave open draws another word."""
    settled = by_both(rate, gap, bits, away)
    assert settled[0] is settled[1]


def by_both(rate, gap, bits, away):
    """Whether a place so far from the weight is accepted: with doubles, and without."""
    place = max(0, choices._weight(exact.epsilon(rate), gap)(bits)[0] + away)
    quick = choices.by_scores(exact.epsilon(rate), np.array([gap, 0]))
    both = (attrs.evolve(quick, bits=bits), attrs.evolve(quick, bits=bits, near=None))
    return [each._accepts(1, place, Given(*[2**63] * 4)) for each in both]


def test_where_doubles_are_too_coarse_they_settle_nothing():
    """Of 61 bits a double has 53."""
    for gap in range(1, 40):
        for away in range(-3, 4):
            settled = by_both(Fraction(1, 30), gap, 61, away)
            assert settled[0] is settled[1]


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=6), st.sampled_from([0, Log(2), Log(3)]))
def test_the_law_is_enumerated(row, rate):
    base = rate.argument if rate else 1
    law = dict.fromkeys(range(len(row)), Fraction(0))
    for p, i in ap.outcomes(lambda c: c.categorical_exp(rate, np.array(row, np.int64))):
        law[i] += p
    weights = [Fraction(base) ** score for score in row]
    assert list(law.values()) == [weight / sum(weights) for weight in weights]


def test_what_is_not_rational_or_too_long_is_not_enumerated():
    for rate, row in ((Fraction(1, 2), [0, 1]), (Log(3), [0, 10**6]), (Log(2), [-(2**63), 2**62])):
        with pytest.raises(ap.Intractable):
            list(ap.outcomes(lambda c: c.categorical_exp(rate, np.array(row))))  # noqa: B023
    assert list(ap.outcomes(lambda c: c.categorical_exp(0.5, np.array([7])))) == [(1, 0)]
    alike = np.array([4, 4]).tobytes()
    assert samplers.law("categorical_exp", (Fraction(1), alike)) == [(0, 0.5), (1, 0.5)]


BAD = [(1, (0, 1)), (1, [0, 1]), (1, np.array([0.0, 1.0])), (1, np.array([0, 1], np.int32)),
       (1, np.array([[0, 1]])), (1, np.array(3)), (1, np.array([], np.int64)), (1, None),
       (-1, np.array([0])), (math.nan, np.array([0])), (math.inf, np.array([0])),
       ("1", np.array([0])), (True, np.array([0])), (1, np.array([0, 1], ">i8"))]  # fmt: skip


@pytest.mark.parametrize(
    "make", [SampledCoins, ReplayedCoins, lambda: RecordedCoins(SampledCoins())]
)
def test_what_is_no_rate_or_no_array_of_scores_is_refused(make):
    coins = make()
    for rate, scores in BAD:
        with pytest.raises(ap.InvalidArgument):
            coins.categorical_exp(rate, scores)
    assert coins.draws == 0


def test_it_is_recorded_and_replayed_and_nobody_changes_the_tape():
    coins, scores = RecordedCoins(SampledCoins(seed=1)), np.array([3, 1, 2])
    found = coins.categorical_exp(0.5, scores)
    scores[:] = 0
    (draw,) = coins.take()
    assert draw.kind == "categorical_exp"
    assert ReplayedCoins([draw]).categorical_exp(0.5, np.array([3, 1, 2])) == found
    with pytest.raises(ap.ReplayMismatch):
        ReplayedCoins([draw]).categorical_exp(0.5, np.array([3, 1, 1]))
    with pytest.raises(ap.ReplayMismatch):
        ReplayedCoins([draw]).categorical_exp(0.25, np.array([3, 1, 2]))
    for value in (-1, 3, True, 1.0, None):
        wrong = Draw(draw.kind, draw.parameter, value)
        with pytest.raises(ap.ReplayMismatch):
            ReplayedCoins([wrong]).categorical_exp(0.5, np.array([3, 1, 2]))


def test_a_seed_draws_the_same_however_scores_are_shifted_or_laid_out():
    scores = np.random.default_rng(1).integers(-50, 50, 40_000)
    one = SampledCoins(seed=5).categorical_exp(0.1, scores)
    assert SampledCoins(seed=5).categorical_exp(0.1, scores - 2**62) == one
    assert SampledCoins(seed=5).categorical_exp(0.1, np.repeat(scores, 2)[::2]) == one
    assert SampledCoins(seed=5).categorical_exp(Fraction(1, 10), scores) == one


def test_extreme_scores_and_rates():
    coins, ends = SampledCoins(seed=2), np.array([-(2**63), 2**63 - 1])
    assert {coins.categorical_exp(1, ends) for _ in range(50)} == {1}
    assert {coins.categorical_exp(10**400, np.array([0, 1])) for _ in range(50)} == {1}
    assert {coins.categorical_exp(0, ends) for _ in range(50)} == {0, 1}
    assert {coins.categorical_exp(Fraction(1, 10**400), ends) for _ in range(50)} == {0, 1}
    assert {coins.categorical_exp(Fraction(1, 2**64), ends) for _ in range(50)} == {0, 1}
    assert coins.categorical_exp(1, np.array([5])) == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", [int, float, Fraction])
def test_many_weights_are_drawn_as_few_are(kind):
    """n = 20,000 of 100 weights, two of which are not 0: 6 standard errors are 0.02."""
    weights = [kind(0)] * 98 + [kind(1), kind(3)]
    coins = SampledCoins(seed=7)
    found = Counter(coins.categorical(weights) for _ in range(20_000))
    assert set(found) == {98, 99}
    assert abs(found[98] / 20_000 - 0.25) < 0.02
    big = [2**70] + [0] * 98 + [2**70]
    assert {coins.categorical(big) for _ in range(60)} == {0, 99}


def test_an_array_of_weights_is_read_as_its_numbers():
    for weights in (np.array([1, 3]), np.array([1.0, 3.0]), np.array([1, 3], np.int8)):
        coins = RecordedCoins(SampledCoins(seed=1))
        coins.categorical(weights)
        assert coins.take()[0].parameter == (1, 3)
    wrong = [
        [[1, 2]],
        [-1, 2],
        [np.nan, 1],
        [1, np.nan],
        [0, 0],
        [np.inf, 1],
        [-0.5] + [1] * 99,
        [],
    ]
    for weights in map(np.array, wrong):
        with pytest.raises(ap.InvalidArgument):
            SampledCoins(seed=1).categorical(weights)


@pytest.mark.parametrize("count", [63, 64, 1000])
def test_an_array_of_weights_is_drawn_as_their_tuple(count):
    """With the same words, whether the draw is recorded or not."""
    for weights in (np.arange(count) + 2**40, np.linspace(0, 1, count)):
        given = [weights, tuple(weights.tolist())]
        drawn = [SampledCoins(seed=3).categorical(each) for each in given]
        drawn += [RecordedCoins(SampledCoins(seed=3)).categorical(each) for each in given]
        assert len(set(drawn)) == 1
