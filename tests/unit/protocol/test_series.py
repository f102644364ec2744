"""CKS Algorithms 1 and 2 step by step, on uniform integers that are given."""

from fractions import Fraction

import pytest
from trying import over

from antiphon.protocol.coins import samplers
from antiphon.protocol.coins.discrete_noise import LaplaceDraws


def scripted(*values):
    """``below`` that says these values, each for the n that it is asked for."""
    waiting = list(values)

    def below(n):
        asked, value = waiting.pop(0)
        assert (asked, value < n) == (n, True)
        return value

    return below, waiting


HEADS = [(1, 0), (2, 0), (3, 2)]
"""e^(-1): 0 < 1, 0 < 1, then 2 >= 1 at the third: odd."""
TAILS = [(1, 0), (2, 1)]


@over(
    ("exponent", "script", "value"),
    [
        ((3, 7), [(7, 3)], True),  # at once: 1 - x
        ((3, 7), [(7, 2), (14, 3)], False),
        ((3, 7), [(7, 2), (14, 2), (21, 3)], True),
        ((0, 7), [(7, 0)], True),
        ((1, 1), TAILS, False),
        ((5, 2), TAILS, False),  # e^(-1) e^(-1) e^(-1/2)
        ((5, 2), [*HEADS, *TAILS], False),
        ((5, 2), [*HEADS, *HEADS, (2, 1)], True),
        ((5, 2), [*HEADS, *HEADS, (2, 0), (4, 1)], False),
    ],
)
def test_an_exponential_coin(exponent, script, value):
    below, left = scripted(*script)
    assert samplers.bernoulli_exp(*exponent, below) is value
    assert left == []


@over(("sign", "factor"), [(1, 1), (0, -1)])
@over(("u", "v", "size"), [(3, 0, 1), (3, 1, 5), (6, 2, 10), (0, 1, 3)])
def test_a_size_is_a_part_of_the_scale_and_whole_scales(u, v, size, sign, factor):
    """Scale 7/2: (u + 7v) // 2, u accepted with probability e^(-u/7)."""
    coin = [(7, 6)] if u < 6 else [(7, 5), (14, 5), (21, 6)]
    below, left = scripted((7, u), *coin, *HEADS * v, *TAILS, (2, sign))
    assert samplers.discrete_laplace(Fraction(7, 2), below) == factor * size
    assert left == []


def test_what_is_not_accepted_is_tossed_again_and_so_is_minus_zero():
    nothing = [(7, 0), (7, 3), *TAILS, (2, 0)]  # u = 0, v = 0, minus
    refused = [(7, 5), (7, 4), (14, 5)]
    below, left = scripted(*nothing, *refused, *nothing, (7, 4), (7, 4), *TAILS, (2, 0))
    assert samplers.discrete_laplace(Fraction(7, 2), below) == -2
    assert left == []


def test_plus_zero_is_zero():
    below, left = scripted((7, 1), (7, 3), *TAILS, (2, 1))
    assert samplers.discrete_laplace(Fraction(7, 2), below) == 0
    assert left == []


def words(*values):
    waiting = [value << 60 for value in values]
    return lambda: waiting.pop(0)


def test_uniform_integers_are_drawn_by_rejection():
    """n = 5 takes three bits of a word; here words begin with four."""
    assert samplers.below(5, words(8)) == 4
    assert samplers.below(5, words(10, 15, 13, 6)) == 3
    assert samplers.below(8, words(14)) == 7
    assert samplers.below(1, words(15)) == 0


def test_finite_laws():
    third = Fraction(1, 3)
    assert samplers.law("bernoulli", third) == [(False, 1 - third), (True, third)]
    assert samplers.law("categorical", (1, 0, 3)) == [
        (0, Fraction(1, 4)),
        (1, 0),
        (2, Fraction(3, 4)),
    ]
    assert samplers.law("uniform_integer", 2) == [(0, Fraction(1, 2)), (1, Fraction(1, 2))]


@pytest.mark.parametrize("place", [0, 1, 5])
def test_a_word_that_is_a_bound_is_settled_by_the_bits_that_follow(place):
    """Of a tie the least continuation is below the bound, the greatest is not."""
    sampler = LaplaceDraws(Fraction(2))
    for first, sign in ((sampler.table[place], 1), (sampler.table[place] | 1 << 63, -1)):
        ends = [sampler.begun(first, lambda bits=bits: bits) for bits in (0, 2**64 - 1)]
        assert ends == [sign * place or (0 if sign > 0 else None), sign * (place + 1)]
