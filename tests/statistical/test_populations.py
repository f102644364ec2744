"""The laws of what a population draws, at a proven level, with a computed power (see ``bounds``).

n = 200,000 in every row, and each has a broken twin that must be rejected.
"""

import itertools
import math
from collections import Counter
from fractions import Fraction

import bounds
import numpy as np
import pytest
from test_sampling import (
    convolved,
    discrete_gaussian,
    discrete_laplace,
    distribution,
    gaussian,
    laplace,
)
from trying import over

import antiphon as ap
from antiphon.populations.each_replica import for_each
from antiphon.populations.play import play_population, play_sample
from antiphon.populations.sample import NUMBER
from antiphon.protocol.registry import column_safe

N = 200_000
ALPHA = bounds.level("statistical/test_populations", 12 + 5 + 3 + 1 + 1 + 3 + 4 + 2 + 2)


def one_draw(draw, *, after=None):
    """A CM that answers one draw; with ``after``, once replicas are numbered."""

    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Anything(), initial_state=0)
    @column_safe
    def mechanism(state, message, coins):
        if after is not None:
            after(coins)
        return state, draw(coins)

    return mechanism


def listed(draw, seed, **options):
    adversary = ap.scripted([0])
    return play_population(
        adversary,
        one_draw(draw, **options),
        replicas=N,
        seed=bounds.seeded(seed),
        feature=column_safe(lambda answers: answers[0]),
    )


def numbers(draw, seed):
    sample = play_sample(ap.scripted([0]), one_draw(draw), replicas=N, seed=bounds.seeded(seed))
    ((skeleton, cell),) = sample.cells.items()
    assert skeleton == (NUMBER,)
    return cell.columns[:, 0].tolist()


def start(coins):
    coins.laplace(1.0)


ROW = np.array([3, 1, 4, 1])


def powers(rate):
    weights = np.exp(rate * ROW)
    return dict(enumerate(weights / weights.sum()))


THIRDS = {0: 1 / 6, 1: 1 / 3, 2: 1 / 2}
FINITE = {
    "bernoulli": (lambda c: c.bernoulli(Fraction(1, 3)), lambda c: c.bernoulli(0.35),
                  {True: 1 / 3, False: 2 / 3}, {True: 0.35, False: 0.65}),
    "bernoulli_exp": (lambda c: c.bernoulli_exp(Fraction(7, 2)), lambda c: c.bernoulli_exp(3),
                      {True: math.exp(-3.5), False: -math.expm1(-3.5)},
                      {True: math.exp(-3), False: -math.expm1(-3)}),
    "bernoulli_exp, a log": (lambda c: c.bernoulli_exp(ap.Log(3)), lambda c: c.bernoulli_exp(1),
                             {True: 1 / 3, False: 2 / 3},
                             {True: math.exp(-1), False: -math.expm1(-1)}),
    "categorical": (lambda c: c.categorical((1, 2, 3)), lambda c: c.categorical((1, 2, 4)), THIRDS,
                    {0: 1 / 7, 1: 2 / 7, 2: 4 / 7}),
    "categorical_exp": (lambda c: c.categorical_exp(1, ROW), lambda c: c.categorical_exp(0.9, ROW),
                        powers(1), powers(0.9)),
    "uniform": (lambda c: c.uniform_integer(7), lambda c: min(c.uniform_integer(8), 6),
                dict.fromkeys(range(7), 1 / 7), dict.fromkeys(range(6), 1 / 8) | {6: 1 / 4}),
}  # fmt: skip


@over("name", FINITE)
@over("after", [None, start])
def test_finite_draws(name, after):
    draw, twin, law, other = FINITE[name]
    assert bounds.cells_power(N, law, other, ALPHA) >= 1 - bounds.BETA
    assert not bounds.cells(Counter(listed(draw, 11, after=after)), law, ALPHA)
    assert bounds.cells(Counter(listed(twin, 11, after=after)), law, ALPHA)


WIDE = {
    "laplace": (lambda c, scale: c.laplace(scale), laplace, 2, 2.2),
    "gaussian": (lambda c, sigma: c.gaussian(sigma), gaussian, 3, 3.3),
    "discrete_laplace": (lambda c, scale: c.discrete_laplace(scale),
                         lambda scale: distribution(discrete_laplace(scale)), 2.5, 3),
    "discrete_gaussian": (lambda c, sigma: c.discrete_gaussian(sigma),
                          lambda sigma: distribution(discrete_gaussian(sigma)), 3.5, 4),
    "discrete_laplaces": (lambda c, scale: c.discrete_laplaces(scale, 3)[2],
                          lambda scale: distribution(discrete_laplace(scale)), 2.5, 3),
}  # fmt: skip


@pytest.mark.parametrize("name", WIDE)
def test_wide_draws(name):
    draw, law, scale, other = WIDE[name]
    discrete = name.startswith("discrete")
    points = range(-60, 61) if discrete else np.linspace(-20, 20, 2001).tolist()
    apart = bounds.apart(law(scale), law(other), points)
    assert bounds.dkw_power(N, apart, ALPHA) >= 1 - bounds.BETA
    for own, rejected in ((scale, False), (other, True)):
        sample = numbers(lambda c, own=own: draw(c, own), 12)
        assert bounds.dkw(sample, law(scale), ALPHA, discrete=discrete) is rejected


def test_replicas_draw_independently():
    """What is drawn after a split has nothing to do with it, nor with other replicas.

    The correlation of N independent pairs, clipped to [-3, 3], is a mean of values in an
    interval of length 18, so Hoeffding bounds it; a shared draw has correlation 1.
    """

    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Anything(), initial_state=None)
    @column_safe
    def mechanism(state, message, coins):
        fresh = coins.gaussian(1)
        if state is not None and state > 0:
            return fresh, coins.gaussian(1)
        return fresh, fresh

    sample = play_sample(ap.scripted([0, 0]), mechanism, replicas=N, seed=bounds.seeded(5))
    pairs = np.concatenate([cell.columns for cell in sample.cells.values()]).clip(-3, 3)
    assert len(pairs) == N
    width = 18 * bounds.reach(N, ALPHA)
    assert abs((pairs[:, 0] * pairs[:, 1]).mean()) < width
    for first in (0, 1):  # neighbours, every other pair of them: those are independent
        assert abs((pairs[first:-1:2, 1] * pairs[first + 1 :: 2, 1]).mean()) < 2**0.5 * width
    # The twin is one draw told twice; its square has the mean 0.97, six widths from 0.
    assert bounds.hoeffding_power(N, 0.9, 18, ALPHA) >= 1 - bounds.BETA
    assert abs((pairs[:, 0] * pairs[:, 0]).mean()) > width


def signs(threshold):
    """⊤ iff a Laplace draw exceeds the threshold: blocks split, and are joined again."""

    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Anything())
    @column_safe
    def mechanism(state, message, coins):
        return state, ap.TOP if coins.laplace(1.0) > threshold else ap.BOTTOM

    return play_population(ap.scripted([0] * 4), mechanism, replicas=N, seed=bounds.seeded(6))


def test_joined_blocks():
    """Sixteen transcripts of four fair signs; the twin says ⊤ w.p. 0.4524 and not 0.5."""
    law = dict.fromkeys(itertools.product((ap.TOP, ap.BOTTOM), repeat=4), 1 / 16)
    above = math.exp(-0.1) / 2
    twin = {said: above ** (tops := said.count(ap.TOP)) * (1 - above) ** (4 - tops)
            for said in law}  # fmt: skip
    assert bounds.cells_power(N, law, twin, ALPHA) >= 1 - bounds.BETA
    assert not bounds.cells(signs(0.0), law, ALPHA)
    assert bounds.cells(signs(0.1), law, ALPHA)


def two_choices(*rates, candidates):
    """Of an exponential mechanism on arrays, by eighths of the sum of the scores chosen."""

    @ap.mechanism(queries=ap.spaces.Integers(), answers=ap.spaces.Integers())
    @column_safe
    def mechanism(state, message, coins):
        return state, coins.categorical_exp(rates[message], np.arange(candidates) % 20)

    sample = play_sample(ap.scripted([0, 1]), mechanism, replicas=N, seed=bounds.seeded(8))
    found = Counter()
    for said, cell in sample.cells.items():
        if cell.width:
            sums = (cell.columns % 20).sum(axis=1).astype(int)
            found.update((sums // 8).tolist())
        else:
            found[sum(place % 20 for place in said) // 8] += cell.count
    return found


def law_of_two(*rates):
    first, second = (np.exp(rate * np.arange(20)) for rate in rates)
    sums = np.convolve(first / first.sum(), second / second.sum())
    return {place: float(sums[8 * place : 8 * place + 8].sum()) for place in range(5)}


@pytest.mark.parametrize("candidates", [20, 300], ids=["joined", "columns"])
def test_choices_from_arrays(candidates):
    """The twin's second choice is at 80 % of the rate."""
    law, other = law_of_two(0.1, 0.1), law_of_two(0.1, 0.08)
    assert bounds.cells_power(N, law, other, ALPHA) >= 1 - bounds.BETA
    assert not bounds.cells(two_choices(0.1, 0.1, candidates=candidates), law, ALPHA)
    assert bounds.cells(two_choices(0.1, 0.08, candidates=candidates), law, ALPHA)


@pytest.mark.every(2)
@pytest.mark.parametrize("replicas", [1, 10])
def test_vectors_of_few_replicas(replicas):
    """Made together, and each its own: first less third, over many small populations."""

    def sampled(scale):
        mechanism = one_draw(lambda c: (v := c.discrete_laplaces(scale, 3))[0] - v[2])
        found = []
        for seed in range(3000 // replicas):
            sample = play_sample(
                ap.scripted([0]), mechanism, replicas=replicas, seed=bounds.seeded(10**6 + seed)
            )
            ((_, cell),) = sample.cells.items()
            found += cell.columns[:, 0].tolist()
        return found

    law, other = (distribution(convolved(discrete_laplace(scale), 2)) for scale in (2.5, 5))
    apart = bounds.apart(law, other, range(-90, 91))
    assert bounds.dkw_power(3000, apart, ALPHA) >= 1 - bounds.BETA
    assert not bounds.dkw(sampled(2.5), law, ALPHA, discrete=True)
    assert bounds.dkw(sampled(5), law, ALPHA, discrete=True)


def second_choices(rate, *, candidates, heard):
    """The second of two choices, whose scores are another array for each first one.

    ``heard``: the adversary makes them of what it hears; else the mechanism does, of a draw.
    """
    scores = np.arange(candidates) % 4

    @ap.mechanism(queries=ap.spaces.Anything(), answers=ap.spaces.Integers())
    @column_safe
    def mechanism(state, message, coins):
        if not heard:
            message = scores * (coins.uniform_integer(1000) % 3)
        return state, coins.categorical_exp(rate, message)

    @ap.adversary
    @column_safe
    def listening(answers, coins):
        if len(answers) == 2:
            return ap.HALT
        return scores * (answers[-1] % 4) if answers else scores

    second = column_safe(lambda answers: answers[-1] % 4)
    adversary = listening if heard else ap.scripted([0])
    sample = play_sample(adversary, mechanism, replicas=N, seed=bounds.seeded(9), feature=second)
    found = Counter()
    for said, cell in sample.cells.items():
        if cell.width:
            found.update(cell.columns[:, 0].astype(int).tolist())
        else:
            found[said] += cell.count
    return found


def law_of_second(rate, *, heard):
    powers = [np.exp(rate * times * np.arange(4)) for times in range(4)]
    laws = [each / each.sum() for each in powers]
    # 0, …, 999 modulo 3 is 0 once more than it is 1 or 2
    first = laws[1] if heard else [0.334, 0.333, 0.333, 0.0]
    return dict(enumerate(sum(p * law for p, law in zip(first, laws, strict=True)).tolist()))


@pytest.mark.parametrize("candidates", [4, 20], ids=["split", "columns"])
@pytest.mark.parametrize("heard", [False, True])
def test_choices_from_arrays_that_differ(candidates, heard):
    """The twin's rate is a tenth lower, in both rounds."""
    law, other = (law_of_second(rate, heard=heard) for rate in (1.0, 0.9))
    assert bounds.cells_power(N, law, other, ALPHA) >= 1 - bounds.BETA
    options = {"candidates": candidates, "heard": heard}
    assert not bounds.cells(second_choices(1.0, **options), law, ALPHA)
    assert bounds.cells(second_choices(Fraction(9, 10), **options), law, ALPHA)


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_arrays_of_noise(kind):
    """One coordinate is drawn as a number is; the twin has three times its noise."""

    def sampled(scale):
        def drawn(coins):
            array = coins.laplace_array if kind == "laplace" else coins.gaussian_array
            return (array(scale, 3) + np.arange(3))[2].item() - 2

        return numbers(drawn, 13)

    own = discrete_laplace if kind == "laplace" else discrete_gaussian
    law, other = (distribution(own(scale)) for scale in (2.5, 7.5))
    apart = bounds.apart(law, other, range(-60, 61))
    assert bounds.dkw_power(N, apart, ALPHA) >= 1 - bounds.BETA
    assert not bounds.dkw(sampled(2.5), law, ALPHA, discrete=True)
    assert bounds.dkw(sampled(7.5), law, ALPHA, discrete=True)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Fraction, float])
def test_exponents_that_differ(kind):
    """k is one of four; then a coin of probability e^(-rate·(k+1)). The twin's rate is lower."""

    def counted(rate):
        def drawn(coins):
            k = coins.uniform_integer(1000) % 4
            return 2 * k + coins.bernoulli_exp(for_each(lambda k: kind(rate * (k + 1)), k))

        return Counter(map(int, numbers(drawn, 17)))

    def law(rate):
        stays = [math.exp(-rate * k) for k in (1, 2, 3, 4)]
        return {2 * k + bit: abs(1 - bit - p) / 4 for k, p in enumerate(stays) for bit in (0, 1)}

    rate, lower = Fraction(1, 2), Fraction(9, 20)
    assert bounds.cells_power(N, law(rate), law(lower), ALPHA) >= 1 - bounds.BETA
    assert not bounds.cells(counted(rate), law(rate), ALPHA)
    assert bounds.cells(counted(lower), law(rate), ALPHA)
