"""Inversion by tables of integers, against the definition in rational arithmetic."""

import math
from fractions import Fraction
from itertools import count, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import over

from antiphon.numbers.exact import exp_bracket
from antiphon.protocol import SampledCoins
from antiphon.protocol.coins import discrete_noise
from antiphon.protocol.coins.discrete_noise import GaussianDraws, LaplaceDraws, Series
from antiphon.protocol.coins.inversion import Geometric, Uniform, power, threshold
from antiphon.protocol.coins.sampled import seeded_words

WORD = 2**64


def series(rate, digits=400):
    """Rationals around e^(-rate), from the Taylor series of e^(rate/n) alone."""
    pieces = max(1, math.ceil(rate))
    x, term, total = rate / pieces, Fraction(1), Fraction(1)
    for n in count(1):
        term = term * x / n
        total += term
        if term * 2**digits < 1:  # x <= 1, so the rest is below this term
            break
    return 1 / (total + term) ** pieces, 1 / total**pieces


def bound(geometric, k):
    """Rationals around P(D < k)."""
    ends = series(geometric.rate * k)
    last = (0, 0) if geometric.size is None else series(geometric.rate * geometric.size)
    return (1 - ends[1]) / (1 - last[0]), (1 - ends[0]) / (1 - last[1])


@given(st.fractions(0, 60, max_denominator=50), st.integers(0, 300))
def test_the_bracket_holds_and_is_close(rate, bits):
    low, high = exp_bracket(rate, bits)
    below, above = series(rate)
    assert low <= 2**bits * above
    assert 2**bits * below <= high
    assert 0 <= high - low <= 2


@pytest.mark.parametrize("rate", [Fraction(10**400), Fraction(1, 10**400), Fraction(700)])
def test_brackets_at_the_ends(rate):
    low, high = exp_bracket(rate, 100)
    assert (low, high) == ((2**100 - 1, 2**100) if rate < 1 else (0, 1))


LAWS = [
    (Fraction(1, 4), None, 63), (Fraction(1, 4), None, 8), (Fraction(5, 3), None, 64),
    (Fraction(40), None, 63), (Fraction(10**9), None, 63), (Fraction(1, 7), 64, 64),
    (Fraction(1, 10**9), 64, 64), (Fraction(3, 2), 2, 64), (Fraction(1, 2), 5, 6),
]  # fmt: skip


@over(("rate", "size", "bits"), LAWS, at_least=9)
def test_the_table_is_rounded_down_from_the_law(rate, size, bits):
    law = Geometric(rate, size, bits)
    if rate < 1000:
        for k, entry in enumerate(law.table, start=1):
            low, high = bound(law, k)
            assert entry == math.floor(2**bits * low) == math.floor(2**bits * high)
    if size is None:
        assert law.table[-1] == 2**bits - 1 not in law.table[:-1]
    else:
        assert len(law.table) == size - 1


@pytest.mark.every(2)
@pytest.mark.parametrize(("rate", "size"), [(Fraction(1, 4), None), (Fraction(1, 2), 5)])
def test_a_word_that_decides_lies_inside_its_outcome_s_interval(rate, size):
    """All words of 8 bits: those not in the table have one outcome, whatever bits follow."""
    law = Geometric(rate, size, 8)
    decided = [word for word in range(256) if word not in law.table]
    assert len(decided) > 200
    for word in decided:
        k = sum(entry <= word for entry in law.table)
        assert bound(law, k)[1] <= Fraction(word, 256)
        if size is None or k + 1 < size:
            assert Fraction(word + 1, 256) <= bound(law, k + 1)[0]


@pytest.mark.parametrize("rest", [0, WORD // 2, WORD - 1])
def test_one_draw_settles_a_word_in_the_table(rest):
    law = Geometric(Fraction(1, 7), 64, 64)
    outcomes = []
    for entry in law.table:
        outcomes.append(law.draw(iter([entry, rest, rest, rest]).__next__))
        assert outcomes[-1] == law.settle(entry, iter([rest, rest, rest]).__next__)
    for k, found in enumerate(outcomes, start=1):  # below c_k as long as the bits that follow are
        assert found == (k if Fraction(law.table[k - 1] * WORD + rest, WORD**2) >= bound(law, k)[1]
                         else k - 1)  # fmt: skip


@given(st.sampled_from(LAWS), st.data())
def test_a_word_in_the_table_is_settled_by_the_bits_that_follow(parameters, data):
    law = Geometric(*parameters)
    first = data.draw(st.sampled_from(law.table))
    rest = data.draw(st.lists(st.integers(0, WORD - 1) | st.sampled_from([0, WORD - 1]),
                              min_size=8, max_size=8))  # fmt: skip
    words = iter(rest)
    k = law.settle(first, lambda: next(words))
    uniform = Fraction(first, 2**law.bits)
    for place, word in enumerate(rest, start=1):
        uniform += Fraction(word, 2**law.bits * WORD**place)
    if law.rate < 1000:
        assert bound(law, k)[0] <= uniform
        if law.size is None or k + 1 < law.size:
            assert uniform <= bound(law, k + 1)[1]


def test_more_bits_are_tossed_only_until_it_is_sure():
    rate = Fraction(1)
    exact = exp_bracket(rate, 192)[0]  # all but the last bit or two of 2^192/e
    first, second, third = exact >> 128, exact >> 64 & (WORD - 1), exact & (WORD - 1)
    for shift, below in ((-(2**32), True), (2**32, False)):
        words = iter([second, (third + shift) % WORD])
        assert Uniform(first, 64, lambda w=words: next(w)).below(power(rate)) is below
        assert list(words) == []
    assert Uniform(first - 1, 64, lambda: pytest.fail("it was sure")).below(power(rate))


def test_no_bit_is_tossed_at_a_number_that_is_known_exactly():
    """Of 5/2^64 and of 4/2^64: what is not below stays so, whatever bits follow."""
    for digits, below in ((5, False), (4, True)):
        uniform = Uniform(digits, 64, lambda: pytest.fail("it was sure"))
        assert uniform.below(lambda bits: (5 << bits - 64,) * 2) is below


def test_a_table_that_is_too_coarse_is_made_anew():
    law = Geometric(Fraction(1, 7), 64, 64)
    made = [law._computed(precision) for precision in range(64, 100)]
    assert made[0] is None
    assert made[-1] == law.table
    assert all(table is None or table == law.table for table in made)


def test_thresholds():
    assert threshold(power(Fraction(0))) == WORD
    assert threshold(power(Fraction(1000))) == 0
    low, high = series(Fraction(1, 3))
    assert threshold(power(Fraction(1, 3))) == math.floor(WORD * low) == math.floor(WORD * high)


# --- discrete Laplace ----------------------------------------------------------------------

SCALES = [Fraction(1, 100), Fraction(1, 2), Fraction(1), Fraction(4), Fraction(9, 2), Fraction(10),
          Fraction(300), Fraction(10**6, 7), Fraction(2**40)]  # fmt: skip


def stream(seed, ties=()):
    """Words one by one and in blocks, some of them at ties."""
    words, first = seeded_words(seed), list(ties)

    def block(number):
        told = first[:number]
        del first[:number]
        return np.array([*told, *words(number - len(told)).tolist()], np.uint64)

    return block


@over("scale", SCALES)
@over("tied", [False, True])
def test_one_at_a_time_and_many_at_once_make_the_same_of_the_same_words(scale, tied):
    sampler, seen = LaplaceDraws(scale), set()
    for seed in range(150):
        ties = sampler.table[seed % len(sampler.table) :][:1] if tied else []
        one, other = stream(seed, ties), stream(seed, ties)
        x = sampler.draw(lambda o=one: int(o(1)[0]))
        assert sampler.many(1, other).tolist() == [x]
        assert one(1) == other(1)  # and have used as many
        seen.add(x)
    assert len(seen) > 1 or scale < 1


@over("scale", SCALES, at_least=9)
def test_coins_draw_what_the_sampler_draws(scale):
    """The hot path of ``SampledCoins`` is written out; a recorded draw takes the other."""
    one, other = SampledCoins(seed=5), SampledCoins(seed=5)
    drawn = [one.discrete_laplace(scale) for _ in range(300)]
    assert drawn == [other.draw("discrete_laplace", scale) for _ in range(300)]
    fresh = SampledCoins(seed=5)
    assert drawn == [fresh.discrete_laplace(Fraction(scale)) for _ in range(300)]


def test_a_scale_is_known_by_its_object_only_while_the_object_lives():
    coins = SampledCoins(seed=1)
    for n in range(1, 2000):
        coins.discrete_laplace(Fraction(1, n))
        assert abs(coins.discrete_laplace(Fraction(1, 10**9 + n))) == 0
    assert len(coins._known) <= 256


@pytest.mark.parametrize("scale", [Fraction(10), Fraction(1000)])
def test_digits_make_up_the_geometric_number(scale):
    """The law of the first word and of each digit multiply to e^(-size/scale)."""
    sampler = LaplaceDraws(scale)
    rates = [sampler._top.rate, *(digit.rate for _, digit in sampler._digits)]
    units = [sampler._sizes[1], *(1 << start for start, _ in sampler._digits)]
    assert all(rate == unit / scale for rate, unit in zip(rates, units, strict=True))
    # Each digit's size is the unit of the next, so every number is written in one way.
    ends = [*(units[1:]), units[0]]
    assert ends[0] == 1
    for (start, digit), (low, high) in zip(sampler._digits, pairwise(ends), strict=True):
        assert low == 1 << start
        assert low * digit.size == high


def test_very_large_scales_are_drawn_by_the_series():
    assert isinstance(discrete_noise.discrete_laplace(Fraction(2**41)), Series)
    coins = SampledCoins(seed=1)
    drawn = [coins.discrete_laplace(10**300) for _ in range(20)]
    assert min(drawn) < 0 < max(drawn)
    assert min(map(abs, drawn)) > 10**290
    assert discrete_noise.many("discrete_laplace", Fraction(10**300), 3, stream(0)) is None
    assert len(coins.discrete_laplaces(10**300, 3)) == 3
    assert len(coins.discrete_gaussians(10**30, 3)) == 3


# --- discrete Gaussian -------------------------------------------------------------------------


@pytest.mark.parametrize("sigma", [Fraction(1, 2), Fraction(5, 2), Fraction(40)])
def test_a_candidate_is_taken_with_the_probability_of_the_paper(sigma):
    """e^(-(|x| - σ²/t)²/(2σ²)), t = ⌊σ⌋ + 1 (CKS Algorithm 3); equality by more bits."""
    sampler, t = GaussianDraws(sigma), math.floor(sigma) + 1
    for size in range(6):
        gap = (size - sigma**2 / t) ** 2 / (2 * sigma**2)
        low, high = (math.floor(WORD * end) for end in series(gap))
        limit = sampler._threshold(size)
        assert limit == low == high
        if limit == WORD:
            continue
        assert sampler._accepts(size, limit - 1, None)
        assert not sampler._accepts(size, limit + 1, None)
        assert sampler._accepts(size, limit, lambda: 0)
        assert not sampler._accepts(size, limit, lambda: WORD - 1)


def test_many_at_once_take_a_tie_as_one_does():
    sampler = GaussianDraws(Fraction(3))
    for size in (0, 1, 2):
        limit = sampler._threshold(size)

        class Proposal(LaplaceDraws):
            def many(self, count, words, size=size):
                return np.full(count, size)

        sampler.proposal = Proposal(Fraction(4))
        # The candidates' words: all at the limit, then bits that decide, then certainty.
        told = [limit] * 9 + [0, WORD - 1] * 4 + [0]
        drawn = sampler.many(1, stream(0, told))
        assert drawn.tolist() == [size]


@pytest.mark.parametrize(
    "sigma", [Fraction(1, 10**200), Fraction(1, 7), 1, Fraction(5909, 10), 10**11]
)
def test_many_at_once_are_taken_as_their_thresholds_say(sigma):
    """Doubles decide where they are sure; near a threshold more bits do."""
    sampler, source = GaussianDraws(Fraction(sigma)), stream(3)
    sizes = np.abs(sampler.proposal.many(1000, source))
    limits = [sampler._threshold(size) for size in sizes.tolist()]
    for shift in (0, 1, 7, 20, 40, 63):
        for side in (-1, 1):
            first = [min(WORD - 1, max(0, limit + (side << shift))) for limit in limits]
            taken = sampler._taken(sizes, np.array(first, np.uint64), stream(4))
            wrong = [t != (w < k) for t, w, k in zip(taken, first, limits, strict=True) if w != k]
            assert not any(wrong)
