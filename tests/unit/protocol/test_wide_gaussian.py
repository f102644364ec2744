"""Wide discrete Gaussian noise: tables against decimals, words against the definition."""

from bisect import bisect_right
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from antiphon.protocol import Draw, RecordedCoins, ReplayedCoins, SampledCoins
from antiphon.protocol.coins import discrete_noise
from antiphon.protocol.coins import wide_gaussian as wide
from antiphon.protocol.coins.sampled import seeded_words
from antiphon.protocol.coins.wide_gaussian import WideGaussian

WORD = 2**64


def made(exponent):
    return discrete_noise.discrete_gaussian(Fraction(2**exponent))


words64 = st.integers(0, WORD - 1)


@lru_cache(maxsize=1)
def sums():
    """E_0 + … + E_(k-1) for k = 0, 1, …, to 60 digits: E_k = e^(-(k/128)²/2)."""
    with localcontext() as context:
        context.prec = 80
        found = [Decimal(0)]
        for k in range(2600):
            found.append(found[-1] + (-Decimal(k * k) / (2 * 128**2)).exp())
        return found


@lru_cache(maxsize=1)
def bounds():
    """P(cell < k) for k = 0, 1, …"""
    with localcontext() as context:
        context.prec = 80
        total = sums()[-1]
        return [each / total for each in sums()]


def test_the_table_is_rounded_down_from_the_law():
    with localcontext() as context:
        context.prec = 80
        for k, entry in enumerate(wide._table(), start=1):
            assert entry == int(bounds()[k] * WORD)
            low, high = wide._bound(k)(100)
            assert low <= bounds()[k] * 2**100 <= high <= low + 2
    assert wide._table()[-1] == WORD - 1


def test_sums_in_fixed_point_are_rounded_outward():
    with localcontext() as context:
        context.prec = 80
        found, low, high = wide._sums(100)
        for (below, above), truth in zip(found, sums(), strict=False):
            assert below <= truth * 2**100 <= above
        assert low <= sums()[-1] * 2**100 <= high


def test_the_guide_is_the_table_seen_from_afar():
    for start, cell in enumerate(wide._guide()):
        ends = start << 48, (start + 1 << 48) - 1
        cells = [bisect_right(wide._table(), end) for end in ends]
        near = wide._table()[max(0, cells[0] - 1) : cells[1] + 1]
        inside = any(ends[0] <= entry <= ends[1] for entry in near)
        assert cell == (-1 if inside else cells[0])
    undecided = wide._guide().count(-1)
    assert 0 < undecided < 700


def reference(sampler, exponent, words):
    """x, from the definition in decimals, and how many words that took; None: tossed again."""
    with localcontext() as context:
        context.prec = 60
        left, place = sampler._left, sampler._place
        first, used = words[0], 1
        start, decided = first >> 48, wide._guide()[first >> 48] >= 0
        if not decided:
            used += 1
            uniform = Decimal(start << 48 | words[1] >> 16) / WORD
        else:
            uniform = Decimal(start) / 2**16
        cell = bisect_right(bounds(), uniform) - 1
        size = cell << place | first >> left & (1 << place) - 1
        rest = first & (1 << left) - 1
        edge = cell << place
        rate = Decimal((size - edge) * (size + edge)) / (2 * Decimal(4) ** exponent)
        if Decimal(rest) / 2**left >= (-Decimal(2 * cell + 1) / (2 * 128**2)).exp() - 2 ** Decimal(
            -left
        ):
            chance = Decimal(rest << 64 | words[used]) / (WORD << left)
            used += 1
            accepted = chance < (-rate).exp()
        else:
            accepted = True
        negative = first >> 47 & 1
        x = -size if negative else size
        return (x if accepted and (size or not negative) else None), used


@given(st.sampled_from([16, 24, 32, 40]), st.lists(words64, min_size=3, max_size=3))
def test_a_draw_is_what_its_words_say(exponent, words):
    sampler = made(exponent)
    expected, used = reference(sampler, exponent, words)
    assume(expected is not None)
    rest = iter(words)
    assert sampler.draw(lambda: next(rest)) == expected
    assert len(list(rest)) == 3 - used


@given(st.lists(words64, min_size=40, max_size=40))
def test_many_are_what_their_words_say(words):
    """The first word of each, then those that settle cells, then those that settle acceptance."""
    sampler, stream = made(32), iter([*words, *range(0, WORD, WORD // 200)])
    drawn = sampler._some(40, lambda n: np.array([next(stream) for _ in range(n)], np.uint64))
    undecided = [w for w in words if wide._guide()[w >> 48] < 0]
    second = dict(zip(map(id, undecided), range(0, WORD, WORD // 200), strict=False))
    surely = []
    for word in words:
        settled = [word, second[id(word)]] if id(word) in second else [word]
        expected, _ = reference(sampler, 32, [*settled, 0])  # 0 accepts whatever is doubtful
        if expected is not None:
            surely.append(expected)
    assert set(drawn.tolist()) <= set(surely)
    assert len(drawn) >= len(surely) - 5


def test_ties_are_settled_by_the_bits_that_follow():
    sampler, entry = made(32), wide._table()[100]
    with localcontext() as context:
        context.prec = 80
        following = int((bounds()[101] * WORD - entry) * WORD)
    for shift, cell in ((-1, 100), (1, 101)):
        words = iter([entry >> 48 << 48, (entry & (1 << 48) - 1) << 16, following + shift])
        assert sampler.draw(lambda w=words: next(w)) >> 25 == cell
        assert list(words) == []


def test_acceptance_is_settled_by_the_bits_that_follow():
    sampler, cell, place = made(32), 300, 1 << 24
    rate = Fraction(place * (place + (cell << 26)), 2 * 4**32)
    with localcontext() as context:
        context.prec = 80
        digits = int((-Decimal(rate.numerator) / rate.denominator).exp() * (WORD * WORD << 22))
    rest, more, last = digits >> 128, digits >> 64 & WORD - 1, digits & WORD - 1
    start = wide._guide().index(cell)
    first = start << 48 | place << 22 | rest
    for shift, accepted in ((-2, True), (2, False)):
        words = iter([first, more, last + shift, 7 << 48])
        assert (sampler.draw(lambda w=words: next(w)) == (cell << 25) + place) is accepted
        values = np.array([[(cell << 25) + place], [cell], [rest]])
        stream = iter([more, last + shift])
        taken = sampler._accepted(*values, lambda n, w=stream: np.array([next(w)], np.uint64))
        assert taken.tolist() == [accepted]


@pytest.mark.parametrize("exponent", [16, 32, 40])
def test_a_doubtful_draw_is_accepted_iff_its_uniform_number_is_below_its_chance(exponent):
    """Far from a tie, so by the doubles alone; one at a time and many at once."""
    sampler, cell = made(exponent), 300
    first = wide._guide().index(cell) << 48 | (1 << 47 - sampler._left) - 1 << sampler._left
    first |= (1 << sampler._left) - 1  # the end of the cell, where e^(-rate) is least
    outward = (cell << sampler._place) + (1 << sampler._place) - 1
    assert sampler._surely[cell] <= (1 << sampler._left) - 1
    words = iter([first, 0, 7 << 48])  # its uniform number is next to 1: not accepted
    assert sampler.draw(lambda: next(words)) != outward
    assert list(words) == []
    rest = sampler._surely[cell]  # the first that is doubtful: just about the chance at the end
    first = first >> sampler._left << sampler._left | rest
    half = 1 << sampler._place - 1  # of a cell inwards, where the chance is greater
    words = iter([first - (half << sampler._left), 0])
    assert sampler.draw(lambda: next(words)) == outward - half
    assert list(words) == []


def test_minus_zero_is_tossed_again():
    sampler = made(16)
    words = iter([1 << 47, 0])
    assert sampler.draw(lambda: next(words)) == 0
    assert list(words) == []
    drawn = sampler._some(3, lambda n: np.array([1 << 47, 0, 5 << 48], np.uint64)[:n])
    assert sorted(drawn.tolist()) == sorted([0, wide._guide()[5] << 9])


@pytest.mark.parametrize("count", [1, 100, 40_000])
def test_so_many_are_drawn(count):
    drawn = made(32).many(count, seeded_words(3))
    assert drawn.dtype == np.int64
    assert len(drawn) == count
    if count > 1000:
        assert abs((drawn / 2.0**32).var() - 1) < 0.05


def test_places_are_taken_out():
    for places in ([], [0], [9], [0, 9], [8, 9], list(range(10)), [1, 3, 7, 8]):
        kept = wide._without(np.arange(10), np.array(places, np.int64))
        assert sorted(kept.tolist()) == sorted(set(range(10)) - set(places))


# --- among the coins ---------------------------------------------------------------------------

GRID = Fraction(2**32)


def test_coins_use_it_for_powers_of_two():
    for exponent in (16, 32, 40):
        assert type(discrete_noise.discrete_gaussian(Fraction(2**exponent))) is WideGaussian
    for sigma in (Fraction(2**15), Fraction(2**32 + 1), Fraction(2**41)):
        assert type(discrete_noise.discrete_gaussian(sigma)) is not WideGaussian


def test_all_ways_to_ask_count_and_replay():
    coins = RecordedCoins(SampledCoins(seed=1))
    said = (
        coins.discrete_gaussian(2**32),
        coins.discrete_gaussians(GRID, 3),
        coins.gaussian_array(GRID, 2),
    )
    tape = coins.take()
    assert [draw.kind for draw in tape] == ["discrete_gaussian", *["discrete_gaussians"] * 2]
    replayed = ReplayedCoins(tape)
    again = (replayed.discrete_gaussian(2**32), replayed.discrete_gaussians(GRID, 3),
             replayed.gaussian_array(GRID, 2))  # fmt: skip
    assert again[:2] == said[:2]
    assert again[2].tolist() == said[2].tolist()
    direct = SampledCoins(seed=1)
    assert (
        direct.discrete_gaussian(2**32)
        == said[0]
        == SampledCoins(seed=1).draw("discrete_gaussian", GRID)
    )
    assert direct.gaussian_array(GRID, 3).tolist() == list(said[1])
    assert direct.draws == 2
    assert all(type(draw) is Draw for draw in tape)


def test_few_at_a_time_are_those_of_many():
    few, many = SampledCoins(seed=4), SampledCoins(seed=4)
    parts = [few.gaussian_array(GRID, n) for n in (5, 1000, 15_000, 3000)]
    assert len({id(part) for part in parts}) == 4
    whole = np.concatenate([many.gaussian_array(GRID, 10_000) for _ in range(2)])
    assert np.concatenate(parts).tolist() == whole[: 5 + 1000 + 15_000 + 3000].tolist()
