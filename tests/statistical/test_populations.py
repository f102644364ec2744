"""The laws of what a population draws, at a proven level (see ``test_sampling``).

Eleven rows at α = 2·10⁻⁸ each, n = 200,000, with fixed seeds; with the rows of
``test_sampling`` Σα stays below 10⁻⁶. Every row has a broken twin that must be rejected:
its law is at least 0.01 away in the tested distance, while thresholds are at most
√(ln(2/α)/2n) = 0.0068, so the power exceeds 1 - 10⁻⁶.
"""

import itertools
import math
from collections import Counter
from fractions import Fraction

import bounds
import numpy as np
import pytest
from test_sampling import (
    ALPHA,
    discrete_gaussian,
    discrete_laplace,
    distribution,
    gaussian,
    laplace,
)

import antiphon as ap
from antiphon.audit.statistical.populations import play_population, play_sample
from antiphon.audit.statistical.sample import NUMBER
from antiphon.protocol.readings import column_safe

N = 200_000


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
    return play_population(adversary, one_draw(draw, **options), replicas=N, seed=seed,
                           feature=column_safe(lambda answers: answers[0]))  # fmt: skip


def numbers(draw, seed):
    sample = play_sample(ap.scripted([0]), one_draw(draw), replicas=N, seed=seed)
    ((skeleton, cell),) = sample.cells.items()
    assert skeleton == (NUMBER,)
    return cell.columns[:, 0].tolist()


def start(coins):
    coins.laplace(1.0)


THIRDS = {0: 1 / 6, 1: 1 / 3, 2: 1 / 2}
FINITE = {
    "bernoulli": (lambda c: c.bernoulli(Fraction(1, 3)), lambda c: c.bernoulli(0.35),
                  {True: 1 / 3, False: 2 / 3}),
    "bernoulli_exp": (lambda c: c.bernoulli_exp(Fraction(7, 2)), lambda c: c.bernoulli_exp(3.4),
                      {True: math.exp(-3.5), False: -math.expm1(-3.5)}),
    "bernoulli_exp, a log": (lambda c: c.bernoulli_exp(ap.Log(3)), lambda c: c.bernoulli_exp(1),
                             {True: 1 / 3, False: 2 / 3}),
    "categorical": (lambda c: c.categorical((1, 2, 3)), lambda c: c.categorical((1, 2, 4)), THIRDS),
    "uniform": (lambda c: c.uniform_integer(7), lambda c: min(c.uniform_integer(8), 6),
                dict.fromkeys(range(7), 1 / 7)),
}  # fmt: skip


@pytest.mark.parametrize("name", FINITE)
@pytest.mark.parametrize("after", [None, start], ids=["counts", "arrays"])
def test_finite_draws(name, after):
    draw, twin, law = FINITE[name]
    assert not bounds.cells(Counter(listed(draw, 11, after=after)), law, ALPHA)
    assert bounds.cells(Counter(listed(twin, 11, after=after)), law, ALPHA)


WIDE = {
    "laplace": (lambda c: c.laplace(2), lambda c: c.laplace(2.2), laplace(2), False),
    "gaussian": (lambda c: c.gaussian(3), lambda c: c.gaussian(3.3), gaussian(3), False),
    "discrete_laplace": (lambda c: c.discrete_laplace(Fraction(5, 2)),
                         lambda c: c.discrete_laplace(3), distribution(discrete_laplace(2.5)),
                         True),
    "discrete_gaussian": (lambda c: c.discrete_gaussian(Fraction(7, 2)),
                          lambda c: c.discrete_gaussian(4), distribution(discrete_gaussian(3.5)),
                          True),
    "discrete_laplaces": (lambda c: c.discrete_laplaces(Fraction(5, 2), 3)[2],
                          lambda c: c.discrete_laplaces(3, 3)[2],
                          distribution(discrete_laplace(2.5)), True),
}  # fmt: skip


@pytest.mark.parametrize("name", WIDE)
def test_wide_draws(name):
    draw, twin, cdf, discrete = WIDE[name]
    assert not bounds.dkw(numbers(draw, 12), cdf, ALPHA, discrete=discrete)
    assert bounds.dkw(numbers(twin, 12), cdf, ALPHA, discrete=discrete)


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

    sample = play_sample(ap.scripted([0, 0]), mechanism, replicas=N, seed=5)
    pairs = np.concatenate([cell.columns for cell in sample.cells.values()]).clip(-3, 3)
    assert len(pairs) == N
    width = 18 * math.sqrt(math.log(2 / ALPHA) / (2 * N))
    assert abs((pairs[:, 0] * pairs[:, 1]).mean()) < width
    assert abs((pairs[1:, 1] * pairs[:-1, 1]).mean()) < width
    assert abs((pairs[:, 0] * pairs[:, 0]).mean()) > width


def signs(threshold):
    """⊤ iff a Laplace draw exceeds the threshold: blocks split, and are joined again."""

    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Anything())
    @column_safe
    def mechanism(state, message, coins):
        return state, ap.TOP if coins.laplace(1.0) > threshold else ap.BOTTOM

    return play_population(ap.scripted([0] * 4), mechanism, replicas=N, seed=6)


def test_joined_blocks():
    """Sixteen transcripts of four fair signs; the twin says ⊤ w.p. 0.4524 and not 0.5."""
    law = dict.fromkeys(itertools.product((ap.TOP, ap.BOTTOM), repeat=4), 1 / 16)
    assert not bounds.cells(signs(0.0), law, ALPHA)
    assert bounds.cells(signs(0.1), law, ALPHA)
