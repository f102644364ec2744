"""The laws of what is sampled, at a proven level and with a computed power (see ``bounds``).

Every row of ``CASES`` is one test of a true hypothesis, with a broken twin, sampled with the same
n, that must be rejected. The power against it is computed from the two laws. Bounds:
Chernoff for counts, DKW-Massart for distribution functions, Hoeffding for a truncated second
moment.
"""

import math
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import attrs
import bounds
import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon import Log
from antiphon.audit import CounterexampleAdversary, counterexample_game, learned_bit
from antiphon.mechanisms import COUNT, LeakyBit, RandomizedResponse, TreeCounter
from antiphon.protocol import SampledCoins
from antiphon.protocol.coins.samplers import discrete_laplace as series

# --- laws ------------------------------------------------------------------------------------


def laplace(scale):
    return lambda x: 0.5 * math.exp(x / scale) if x < 0 else 1 - 0.5 * math.exp(-x / scale)


def gaussian(sigma):
    return lambda x: 0.5 * math.erfc(-x / (sigma * math.sqrt(2)))


WIDE = np.arange(-1500, 1501)


def discrete_laplace(scale):
    weights = np.exp(-np.abs(WIDE) / scale)
    return weights / weights.sum()


def discrete_gaussian(sigma):
    weights = np.exp(-(WIDE**2) / (2 * sigma**2))
    return weights / weights.sum()


def distribution(masses):
    sums = np.concatenate([[0.0], np.cumsum(masses)])
    return lambda x: float(sums[min(max(int(x) + 1501, 0), 3001)])


def convolved(masses, times):
    out = masses
    for _ in range(times - 1):
        out = np.convolve(out, masses, mode="same")
    return out / out.sum()


# --- rows --------------------------------------------------------------------------------------


@attrs.frozen
class Case:
    """``draw`` and ``twin`` take coins; ``rejected`` a sample and α, ``power`` α."""

    name: str
    n: int
    draw: object
    twin: object
    rejected: object
    power: object


def counted(name, n, draw, twin, p, q):
    """Draws that are true with probability p; the twin's with probability q."""

    def rejected(sample, alpha):
        return bounds.chernoff(sum(sample), len(sample), p, alpha)

    return Case(name, n, draw, twin, rejected, lambda a: bounds.chernoff_power(n, p, q, a))


def listed(name, n, draw, twin, law, other):
    """Draws of a finite law; the twin's of the other."""

    def rejected(sample, alpha):
        return bounds.cells(Counter(sample), law, alpha)

    return Case(name, n, draw, twin, rejected, lambda a: bounds.cells_power(n, law, other, a))


def spread(name, n, draw, twin, cdf, apart, *, discrete=False):
    """Draws with a distribution function; the twin's is so far apart, or is given."""
    if callable(apart):
        grid = WIDE if discrete else np.linspace(-20, 20, 4001)
        apart = bounds.apart(cdf, apart, grid.tolist())

    def rejected(sample, alpha):
        return bounds.dkw(sample, cdf, alpha, discrete=discrete)

    return Case(name, n, draw, twin, rejected, lambda a: bounds.dkw_power(n, apart, a))


def integers(name, n, draw, twin, masses, other):
    """Integers with these masses; the twin's has the others, or is so far apart."""
    apart = other if isinstance(other, float) else distribution(other)
    return spread(name, n, draw, twin, distribution(masses), apart, discrete=True)


SCORES = np.array([3, 0, 5, 4, 1])
MANY_WEIGHTS = (1.5,) * 70 + (3.5,) * 30


def powers(rate):
    weights = np.exp(rate * SCORES)
    return dict(enumerate(weights / weights.sum()))


def pair_of(draw):
    return lambda coins: (draw(coins), draw(coins))


def stuck(coins):
    value = coins.uniform_integer(4)
    return value, value


def modulo(n):
    """The textbook mistake: a 64-bit word modulo n, for n = 3·2⁶²."""
    return lambda coins: coins.uniform_integer(2**64) % n


COUNTER = TreeCounter(horizon=8, epsilon=1)
"""levels = 4, so every node has discrete Laplace noise of scale 4."""
ROUGH = TreeCounter(horizon=8, epsilon=Fraction(10, 13))
"""Noise larger by 30 %."""


def error_of(counter, updates):
    """The error of the count after some updates of 1; no coins are drawn before it."""
    state = counter.initial_state
    for _ in range(updates):
        state, _ = counter.step(state, 1, None)

    def draw(coins):
        return counter.step(state, COUNT, coins)[1] - updates

    return draw


def many(kind, scale):
    """The same law from draws of a hundred at once, each used in turn."""
    waiting = []

    def draw(coins):
        if not waiting:
            waiting.extend(getattr(coins, kind)(scale, 100))
        return waiting.pop()

    return draw


def square(draw, top):
    def squared(coins):
        return min(draw(coins) ** 2, top)

    return squared


def reusing(updates):
    """A counter that gives all its nodes the same noise."""
    nodes = bin(updates).count("1")
    return lambda coins: nodes * coins.discrete_laplace(4)


NODES3 = convolved(discrete_laplace(4), 3)
TOP = 1500
SECOND = float((NODES3 * np.minimum(WIDE**2, TOP)).sum())


ROUGH_SECOND = float((convolved(discrete_laplace(5.2), 3) * np.minimum(WIDE**2, TOP)).sum())


def truncated_variance(sample, alpha):
    return bounds.hoeffding(sample, SECOND, TOP, alpha)


def responded(epsilon):
    rr = RandomizedResponse(epsilon=epsilon, delta=Fraction(1, 10))
    return lambda coins: rr.step(False, 1, coins)[1]


def response_law(odds):
    truth = odds / (1 + odds)
    return {(1, ap.TOP): 0.1, (1, ap.BOTTOM): 0.9 * truth, (0, ap.BOTTOM): 0.9 * (1 - truth)}


def wins(delta):
    """Plays the counterexample against M_δ of this δ: whether it learns the bit."""
    adversary = CounterexampleAdversary(delta=0.1, copies=5)
    create = ap.same(ap.Create(LeakyBit(delta=delta)))
    f = counterexample_game(delta).verification
    system = ap.PrivacyGame(ap.ExtConComp(), f).mechanism(1)

    def play(coins):
        state, heard, own = system.initial_state, ap.EMPTY, adversary.initial_state
        while True:
            own, message = adversary.step(own, heard, None)
            if message is ap.HALT:
                return heard == 1
            if type(message.zero) is ap.Create:
                message = create
            state, heard = system.step(state, message, coins)

    return play


def signed_size(coins):
    """A twin that takes (-, 0) for 0: a geometric size, and then its sign."""
    size = 0
    while coins.bernoulli_exp(Fraction(2, 3)):
        size += 1
    return -size if coins.bernoulli(Fraction(1, 2)) else size


def signed_size_law(scale):
    sizes = np.exp(-np.abs(WIDE) / scale) * (1 - math.exp(-1 / scale))
    return np.where(WIDE == 0, 1.0, 0.5) * sizes


CASES = [
    counted("bernoulli float", 60_000, lambda c: c.bernoulli(0.3), lambda c: c.bernoulli(0.33),
            0.3, 0.33),
    counted("bernoulli Fraction", 60_000, lambda c: c.bernoulli(Fraction(1, 3)),
            lambda c: c.bernoulli(Fraction(11, 30)), 1 / 3, 11 / 30),
    counted("bernoulli rare", 40_000, lambda c: c.bernoulli(0.001), lambda c: c.bernoulli(0.005),
            0.001, 0.005),
    counted("bernoulli almost sure", 40_000, lambda c: c.bernoulli(1 - 1e-3),
            lambda c: c.bernoulli(1 - 5e-3), 1 - 1e-3, 1 - 5e-3),
    counted("bernoulli long Fraction", 60_000,
            lambda c: c.bernoulli(Fraction(10**40, 2 * 10**40 + 1)), lambda c: c.bernoulli(0.53),
            0.5, 0.53),
    listed("categorical exact", 20_000, lambda c: c.categorical((1, 2, Fraction(1, 2))),
           lambda c: c.categorical((2, 1, Fraction(1, 2))), {0: 2 / 7, 1: 4 / 7, 2: 1 / 7},
           {0: 4 / 7, 1: 2 / 7, 2: 1 / 7}),
    listed("categorical float", 20_000, lambda c: c.categorical((0.5, 0.25, 0.25)),
           lambda c: c.categorical((0.5, 0.3, 0.2)), {0: 0.5, 1: 0.25, 2: 0.25},
           {0: 0.5, 1: 0.3, 2: 0.2}),
    listed("categorical exp, a log", 20_000, lambda c: c.categorical_exp(Log(2), SCORES),
           lambda c: c.categorical_exp(0.9, SCORES), powers(math.log(2)), powers(0.9)),
    listed("categorical exp", 20_000, lambda c: c.categorical_exp(0.5, SCORES),
           lambda c: c.categorical_exp(0.4, SCORES), powers(0.5), powers(0.4)),
    counted("categorical of many", 20_000, lambda c: c.categorical(MANY_WEIGHTS) < 70,
            lambda c: c.categorical(MANY_WEIGHTS[::-1]) < 70, 0.5, 165 / 210),
    listed("uniform 6", 20_000, lambda c: c.uniform_integer(6), lambda c: 1 + c.uniform_integer(6),
           dict.fromkeys(range(6), 1 / 6), dict.fromkeys(range(1, 7), 1 / 6)),
    listed("uniform 100", 20_000, lambda c: c.uniform_integer(100),
           lambda c: c.uniform_integer(99), dict.fromkeys(range(100), 1 / 100),
           dict.fromkeys(range(99), 1 / 99)),
    listed("uniform 64", 20_000, lambda c: c.uniform_integer(64), lambda c: c.uniform_integer(65),
           dict.fromkeys(range(64), 1 / 64), dict.fromkeys(range(65), 1 / 65)),
    spread("uniform wide", 20_000, lambda c: c.uniform_integer(3 * 2**62) / (3 * 2**62),
           lambda c: modulo(3 * 2**62)(c) / (3 * 2**62), lambda x: x, 1 / 6),
    spread("uniform beyond a word", 20_000, lambda c: c.uniform_integer(3 * 2**100) / (3 * 2**100),
           lambda c: c.uniform_integer(2**102) % (3 * 2**100) / (3 * 2**100), lambda x: x, 1 / 6),
    listed("uniform in pairs", 20_000, pair_of(lambda c: c.uniform_integer(4)), stuck,
           {(i, j): 1 / 16 for i in range(4) for j in range(4)}, {(i, i): 1 / 4 for i in range(4)}),
    spread("laplace", 20_000, lambda c: c.laplace(2), lambda c: c.laplace(2.6), laplace(2),
           laplace(2.6)),
    spread("laplace Fraction", 20_000, lambda c: c.laplace(Fraction(1, 3)),
           lambda c: c.laplace(Fraction(7, 30)), laplace(1 / 3), laplace(7 / 30)),
    spread("gaussian", 20_000, lambda c: c.gaussian(1.5), lambda c: c.gaussian(1.95),
           gaussian(1.5), gaussian(1.95)),
    spread("gaussian small", 20_000, lambda c: c.gaussian(Fraction(1, 100)) * 100,
           lambda c: c.gaussian(0.007) * 100, gaussian(1), gaussian(0.7)),
    integers("discrete laplace", 20_000, lambda c: c.discrete_laplace(Fraction(3, 2)),
             lambda c: c.discrete_laplace(Fraction(39, 20)), discrete_laplace(1.5),
             discrete_laplace(1.95)),
    integers("discrete laplace narrow", 20_000, lambda c: c.discrete_laplace(0.5),
             lambda c: c.discrete_laplace(0.65), discrete_laplace(0.5), discrete_laplace(0.65)),
    integers("discrete laplace wide", 20_000, lambda c: c.discrete_laplace(40),
             lambda c: c.discrete_laplace(52), discrete_laplace(40), discrete_laplace(52)),
    integers("discrete laplace is not rounded laplace", 20_000, lambda c: c.discrete_laplace(0.5),
             lambda c: round(c.laplace(0.5)), discrete_laplace(0.5),
             float(discrete_laplace(0.5)[1500] + math.exp(-1) - 1) / 2),
    integers("discrete gaussian", 20_000, lambda c: c.discrete_gaussian(2.5),
             lambda c: c.discrete_gaussian(3.25), discrete_gaussian(2.5), discrete_gaussian(3.25)),
    integers("discrete gaussian narrow", 20_000, lambda c: c.discrete_gaussian(Fraction(4, 5)),
             lambda c: c.discrete_gaussian(Fraction(26, 25)), discrete_gaussian(0.8),
             discrete_gaussian(1.04)),
    integers("discrete gaussian wide", 20_000, lambda c: c.discrete_gaussian(30),
             lambda c: c.discrete_gaussian(39), discrete_gaussian(30), discrete_gaussian(39)),
    integers("discrete laplace many", 20_000, many("discrete_laplaces", Fraction(3, 2)),
             many("discrete_laplaces", Fraction(39, 20)), discrete_laplace(1.5),
             discrete_laplace(1.95)),
    integers("discrete laplace many, digits", 20_000, many("discrete_laplaces", 40),
             many("discrete_laplaces", 52), discrete_laplace(40), discrete_laplace(52)),
    integers("discrete gaussian many", 20_000, many("discrete_gaussians", 2.5),
             many("discrete_gaussians", 3.25), discrete_gaussian(2.5), discrete_gaussian(3.25)),
    spread("discrete laplace by the series", 20_000, lambda c: c.discrete_laplace(2**50) / 2**50,
           lambda c: c.discrete_laplace(13 * 2**50 // 10) / 2**50, laplace(1), laplace(1.3)),
    integers("discrete laplace by the series, narrow", 20_000,
             lambda c: series(Fraction(3, 2), c.uniform_integer), signed_size,
             discrete_laplace(1.5), signed_size_law(1.5)),
    counted("bernoulli exp", 40_000, lambda c: c.bernoulli_exp(Fraction(7, 2)),
            lambda c: c.bernoulli_exp(3), math.exp(-3.5), math.exp(-3)),
    counted("bernoulli exp small", 40_000, lambda c: c.bernoulli_exp(Fraction(1, 3)),
            lambda c: c.bernoulli_exp(0.4), math.exp(-1 / 3), math.exp(-0.4)),
    counted("bernoulli exp of a log", 60_000, lambda c: c.bernoulli_exp(Log(3)),
            lambda c: c.bernoulli_exp(1), 1 / 3, math.exp(-1)),
    integers("tree counter, one node", 20_000, error_of(COUNTER, 8), error_of(ROUGH, 8),
             discrete_laplace(4), discrete_laplace(5.2)),
    integers("tree counter, three nodes", 20_000, error_of(COUNTER, 7), error_of(ROUGH, 7), NODES3,
             convolved(discrete_laplace(5.2), 3)),
    integers("tree counter, fresh noise a node", 20_000, error_of(COUNTER, 7), reusing(7), NODES3,
             np.where(WIDE % 3 == 0, discrete_laplace(4)[1500 + WIDE // 3], 0.0)),
    Case("tree counter variance", 60_000, square(error_of(COUNTER, 7), TOP),
         square(error_of(ROUGH, 7), TOP), truncated_variance,
         lambda a: bounds.hoeffding_power(60_000, ROUGH_SECOND - SECOND, TOP, a)),
    counted("counterexample wins", 12_000, wins(0.1), wins(0.07), 1 - 0.9**5, 1 - 0.93**5),
    listed("randomized response", 30_000, responded(Log(3)), responded(Log(Fraction(39, 10))),
           response_law(3), response_law(3.9)),
]  # fmt: skip
ALPHA = bounds.level("statistical/test_sampling", len(CASES))


def test_the_levels_of_a_whole_run_add_up_to_the_budget():
    """One table for all files; each says in it how many hypotheses it tests."""
    assert sum(bounds.LEVELS.values()) * bounds.ALPHA <= bounds.BUDGET
    root = Path(__file__).parents[1]
    told = {file for path in root.rglob("test_*.py")
            for file in re.findall(r'level\(\s*"([^"]+)"', path.read_text())
            if path == root / f"{file}.py"}  # fmt: skip
    assert told == set(bounds.LEVELS)
    with pytest.raises(AssertionError, match="LEVELS"):
        bounds.level("statistical/test_sampling", 54)


@pytest.mark.every(4)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_law_is_as_stated(case):
    coins = SampledCoins(seed=bounds.seeded(2024))
    assert not case.rejected([case.draw(coins) for _ in range(case.n)], ALPHA)


@pytest.mark.every(8)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_broken_twin_is_rejected(case):
    """The same n and threshold; a test that cannot reject is no test."""
    assert case.power(ALPHA) >= 1 - bounds.BETA
    coins = SampledCoins(seed=bounds.seeded(2025))
    assert case.rejected([case.twin(coins) for _ in range(case.n)], ALPHA)


def test_the_law_of_three_nodes_has_the_variance_of_the_theory():
    """Var = 3·2q/(1-q)² with q = e^(-1/4); no sampling, so no α."""
    q = math.exp(-1 / 4)
    assert math.isclose(float((NODES3 * WIDE**2).sum()), 6 * q / (1 - q) ** 2, rel_tol=1e-9)


def test_the_adversary_is_never_wrong_when_it_answers():
    """Certain, so no α: 400 plays in each world."""
    for bit in (0, 1):
        game, player = counterexample_game(0.3), CounterexampleAdversary(delta=0.3, copies=3)
        learned = {
            learned_bit(game.play(player, bit=bit, seed=bounds.seeded(seed))) for seed in range(400)
        }
        assert learned == {None, bit}


# --- the bounds themselves ---------------------------------------------------------------------


@over(("n", "p"), [(20, 0.3), (50, 0.01), (200, 0.5), (1, 0.5)])
@over("alpha", [0.2, 0.01])
def test_chernoff_keeps_its_level_exactly(n, p, alpha):
    """The probability of rejecting, summed over the binomial law."""
    wrong = sum(
        math.comb(n, k) * p**k * (1 - p) ** (n - k)
        for k in range(n + 1)
        if bounds.chernoff(k, n, p, alpha)
    )
    assert wrong <= alpha


@pytest.mark.parametrize(("n", "p", "q"), [(50, 0.1, 0.6), (200, 0.5, 0.7), (200, 0.5, 0.2)])
def test_power_is_bounded_from_below(n, p, q):
    """Against the probability of rejecting, summed over the binomial law of the twin."""
    weights = [math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)]
    power = sum(w for k, w in enumerate(weights) if bounds.chernoff(k, n, p, 0.01))
    assert 0.3 < bounds.chernoff_power(n, p, q, 0.01) <= power
    law, twin = ({True: each, False: 1 - each} for each in (p, q))
    both = sum(w for k, w in enumerate(weights)
               if bounds.cells({True: k, False: n - k}, law, 0.01))  # fmt: skip
    assert 0.3 < bounds.cells_power(n, law, twin, 0.01) <= both
    assert bounds.chernoff_power(n, p, p, 0.01) == 0


@pytest.mark.parametrize(("n", "p"), [(400, 0.3), (40, 0.05)])
def test_counts_past_the_most_are_rare_and_it_is_no_trivial_bound(n, p):
    most = bounds.at_most(n, p, 1e-9)
    tail = sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(most + 1, n + 1))
    assert 1e-12 < tail <= 1e-9


def test_the_bounds_see_the_impossible():
    assert bounds.chernoff(1, 10, 0.0, 1e-9)
    assert bounds.chernoff(9, 10, 1.0, 1e-9)
    assert not bounds.chernoff(0, 10, 0.0, 1e-9)
    assert bounds.cells({0: 5, 7: 1}, {0: 1.0}, 1e-9)


def test_dkw_measures_the_distance_of_distribution_functions():
    """α chosen so that the threshold of n = 4 is just below and above the distance 1/4."""
    sample = [0.125, 0.375, 0.625, 0.875]  # distance 1/8 from uniform
    for threshold, rejected in ((0.12, True), (0.13, False)):
        alpha = 2 * math.exp(-8 * threshold**2)
        assert bounds.dkw(sample, lambda x: x, alpha, discrete=False) is rejected
    coin = distribution(np.where((WIDE == 0) | (WIDE == 1), 0.5, 0.0))
    for threshold, rejected in ((0.24, True), (0.26, False)):
        alpha = 2 * math.exp(-8 * threshold**2)
        assert bounds.dkw([0, 0, 0, 1], coin, alpha, discrete=True) is rejected
