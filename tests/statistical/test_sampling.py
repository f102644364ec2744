"""The laws of what is sampled, at a proven level.

Every row of ``CASES`` is one test of a true hypothesis at level α = ``ALPHA`` = 2·10⁻⁸, with
a fixed seed; there are at most 50 rows, so Σα <= 10⁻⁶ (a test counts them). Every row
also has a broken twin, sampled with the same n, that must be rejected. The power against
the twin is stated in the row; it is computed from the bound's threshold and the
distance of the two laws, and exceeds 1 - 10⁻⁶ throughout. Bounds: Chernoff for counts,
DKW-Massart for distribution functions, Hoeffding for a truncated second moment; none of
them is asymptotic.
"""

import math
from collections import Counter
from fractions import Fraction

import attrs
import bounds
import numpy as np
import pytest

import antiphon as ap
from antiphon.audit import CounterexampleAdversary, counterexample_game, learned_bit
from antiphon.mechanisms import COUNT, LeakyBit, RandomizedResponse, TreeCounter
from antiphon.protocol import Log, SampledCoins

ALPHA = 2e-8
BUDGET = 1e-6


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
    """``draw`` and ``twin`` take coins; ``rejected`` takes the sample."""

    name: str
    n: int
    draw: object
    twin: object
    rejected: object
    power: str


def counted(name, n, draw, twin, p, power):
    def rejected(sample):
        return bounds.chernoff(sum(sample), len(sample), p, ALPHA)

    return Case(name, n, draw, twin, rejected, power)


def listed(name, n, draw, twin, law, power):
    def rejected(sample):
        return bounds.cells(Counter(sample), law, ALPHA)

    return Case(name, n, draw, twin, rejected, power)


def spread(name, n, draw, twin, cdf, power, *, discrete=False):
    def rejected(sample):
        return bounds.dkw(sample, cdf, ALPHA, discrete=discrete)

    return Case(name, n, draw, twin, rejected, power)


def integers(name, n, draw, twin, masses, power):
    return spread(name, n, draw, twin, distribution(masses), power, discrete=True)


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


def truncated_variance(sample):
    return bounds.hoeffding(sample, SECOND, TOP, ALPHA)


def responded(epsilon):
    rr = RandomizedResponse(epsilon=epsilon, delta=Fraction(1, 10))
    return lambda coins: rr.step(False, 1, coins)[1]


RR_LAW = {
    (1, ap.TOP): 0.1,
    (1, ap.BOTTOM): 0.9 * 0.75,
    (0, ap.BOTTOM): 0.9 * 0.25,
}


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


CASES = [
    counted("bernoulli float", 40_000, lambda c: c.bernoulli(0.3), lambda c: c.bernoulli(0.33),
            0.3, "threshold 0.0139, distance 0.03 = 6.8 s.d. beyond it"),
    counted("bernoulli Fraction", 40_000, lambda c: c.bernoulli(Fraction(1, 3)),
            lambda c: c.bernoulli(Fraction(11, 30)), 1 / 3, "as above: distance 0.033"),
    counted("bernoulli rare", 40_000, lambda c: c.bernoulli(0.001), lambda c: c.bernoulli(0.004),
            0.001, "rejects from 85 hits on; the twin has 160 ± 13"),
    counted("bernoulli almost sure", 40_000, lambda c: c.bernoulli(1 - 1e-3),
            lambda c: c.bernoulli(1 - 4e-3), 1 - 1e-3, "as above"),
    counted("bernoulli long Fraction", 40_000,
            lambda c: c.bernoulli(Fraction(10**40, 2 * 10**40 + 1)), lambda c: c.bernoulli(0.53),
            0.5, "threshold 0.0152, distance 0.03"),
    listed("categorical exact", 20_000, lambda c: c.categorical((1, 2, Fraction(1, 2))),
           lambda c: c.categorical((2, 1, Fraction(1, 2))), {0: 2 / 7, 1: 4 / 7, 2: 1 / 7},
           "threshold 0.021, distance 2/7"),
    listed("categorical float", 20_000, lambda c: c.categorical((0.5, 0.25, 0.25)),
           lambda c: c.categorical((0.5, 0.3, 0.2)), {0: 0.5, 1: 0.25, 2: 0.25},
           "threshold 0.019, distance 0.05"),
    listed("uniform 6", 20_000, lambda c: c.uniform_integer(6), lambda c: 1 + c.uniform_integer(6),
           dict.fromkeys(range(6), 1 / 6), "a 6 is impossible and never missing"),
    listed("uniform 100", 20_000, lambda c: c.uniform_integer(100),
           lambda c: c.uniform_integer(99), dict.fromkeys(range(100), 1 / 100),
           "200 expected, the twin has none: n·KL = 201 > 23"),
    listed("uniform 64", 20_000, lambda c: c.uniform_integer(64), lambda c: c.uniform_integer(65),
           dict.fromkeys(range(64), 1 / 64), "a 64 comes among 20,000 w.p. 1 - e^-310"),
    spread("uniform wide", 20_000, lambda c: c.uniform_integer(3 * 2**62) / (3 * 2**62),
           lambda c: modulo(3 * 2**62)(c) / (3 * 2**62), lambda x: x,
           "distance 1/6, threshold 0.0215"),
    spread("uniform beyond a word", 20_000, lambda c: c.uniform_integer(3 * 2**100) / (3 * 2**100),
           lambda c: c.uniform_integer(2**102) % (3 * 2**100) / (3 * 2**100), lambda x: x,
           "distance 1/6, threshold 0.0215"),
    listed("uniform in pairs", 20_000, pair_of(lambda c: c.uniform_integer(4)), stuck,
           {(i, j): 1 / 16 for i in range(4) for j in range(4)}, "12 of 16 cells are empty"),
    spread("laplace", 20_000, lambda c: c.laplace(2), lambda c: c.laplace(2.6), laplace(2),
           "distance 0.048, threshold 0.0215: 1 - 10⁻¹¹"),
    spread("laplace Fraction", 20_000, lambda c: c.laplace(Fraction(1, 3)),
           lambda c: c.laplace(Fraction(7, 30)), laplace(1 / 3), "distance 0.065"),
    spread("gaussian", 20_000, lambda c: c.gaussian(1.5), lambda c: c.gaussian(1.95),
           gaussian(1.5), "distance 0.063, threshold 0.0215"),
    spread("gaussian small", 20_000, lambda c: c.gaussian(Fraction(1, 100)),
           lambda c: c.gaussian(0.007), gaussian(0.01), "distance 0.085"),
    integers("discrete laplace", 20_000, lambda c: c.discrete_laplace(Fraction(3, 2)),
             lambda c: c.discrete_laplace(Fraction(39, 20)), discrete_laplace(1.5),
             "distance 0.050, threshold 0.0215"),
    integers("discrete laplace narrow", 20_000, lambda c: c.discrete_laplace(0.5),
             lambda c: c.discrete_laplace(0.65), discrete_laplace(0.5), "distance 0.058"),
    integers("discrete laplace wide", 20_000, lambda c: c.discrete_laplace(40),
             lambda c: c.discrete_laplace(52), discrete_laplace(40), "distance 0.048"),
    integers("discrete laplace is not rounded laplace", 20_000, lambda c: c.discrete_laplace(0.5),
             lambda c: round(c.laplace(0.5)), discrete_laplace(0.5),
             "P(0) is 0.762 against 0.632"),
    integers("discrete gaussian", 20_000, lambda c: c.discrete_gaussian(2.5),
             lambda c: c.discrete_gaussian(3.25), discrete_gaussian(2.5), "distance 0.063"),
    integers("discrete gaussian narrow", 20_000, lambda c: c.discrete_gaussian(Fraction(4, 5)),
             lambda c: c.discrete_gaussian(Fraction(26, 25)), discrete_gaussian(0.8),
             "distance 0.057"),
    integers("discrete gaussian wide", 20_000, lambda c: c.discrete_gaussian(30),
             lambda c: c.discrete_gaussian(39), discrete_gaussian(30), "distance 0.063"),
    integers("discrete laplace many", 20_000, many("discrete_laplaces", Fraction(3, 2)),
             many("discrete_laplaces", Fraction(39, 20)), discrete_laplace(1.5), "distance 0.050"),
    integers("discrete laplace many, digits", 20_000, many("discrete_laplaces", 40),
             many("discrete_laplaces", 52), discrete_laplace(40), "distance 0.048"),
    integers("discrete gaussian many", 20_000, many("discrete_gaussians", 2.5),
             many("discrete_gaussians", 3.25), discrete_gaussian(2.5), "distance 0.063"),
    spread("discrete laplace by the series", 20_000, lambda c: c.discrete_laplace(2**50) / 2**50,
           lambda c: c.discrete_laplace(13 * 2**50 // 10) / 2**50, laplace(1), "distance 0.048"),
    counted("bernoulli exp", 40_000, lambda c: c.bernoulli_exp(Fraction(7, 2)),
            lambda c: c.bernoulli_exp(3), math.exp(-3.5), "0.030 against 0.050, threshold 0.005"),
    counted("bernoulli exp small", 40_000, lambda c: c.bernoulli_exp(Fraction(1, 3)),
            lambda c: c.bernoulli_exp(0.4), math.exp(-1 / 3), "0.717 against 0.670"),
    counted("bernoulli exp of a log", 40_000, lambda c: c.bernoulli_exp(Log(3)),
            lambda c: c.bernoulli_exp(1), 1 / 3, "0.333 against 0.368, threshold 0.014"),
    integers("tree counter, one node", 20_000, error_of(COUNTER, 8), error_of(ROUGH, 8),
             discrete_laplace(4), "distance 0.048"),
    integers("tree counter, three nodes", 20_000, error_of(COUNTER, 7), error_of(ROUGH, 7), NODES3,
             "distance 0.058"),
    integers("tree counter, fresh noise a node", 20_000, error_of(COUNTER, 7), reusing(7), NODES3,
             "distance 0.099"),
    Case("tree counter variance", 60_000, square(error_of(COUNTER, 7), TOP),
         square(error_of(ROUGH, 7), TOP), truncated_variance,
         "E[min(X², 1500)] is 95 against 158, threshold 18.6"),
    listed("randomized response", 20_000, responded(Log(3)), responded(Log(Fraction(39, 10))),
           RR_LAW, "0.675 against 0.716, threshold 0.020: 1 - 10⁻⁸"),
    counted("counterexample wins", 12_000, wins(0.1), wins(0.07), 1 - 0.9**5,
            "0.410 against 0.304, threshold 0.027"),
]  # fmt: skip


def test_the_levels_add_up_to_the_budget():
    assert len(CASES) * ALPHA <= BUDGET
    assert len({case.name for case in CASES}) == len(CASES)
    assert all(case.power for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_law_is_as_stated(case):
    """n and power: in the row. α = 2·10⁻⁸. Seed 2024."""
    coins = SampledCoins(seed=2024)
    assert not case.rejected([case.draw(coins) for _ in range(case.n)])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_broken_twin_is_rejected(case):
    """The same n and threshold; a test that cannot reject is no test. Seed 2025."""
    coins = SampledCoins(seed=2025)
    assert case.rejected([case.twin(coins) for _ in range(case.n)])


def test_the_law_of_three_nodes_has_the_variance_of_the_theory():
    """Var = 3·2q/(1-q)² with q = e^(-1/4); no sampling, so no α."""
    q = math.exp(-1 / 4)
    assert math.isclose(float((NODES3 * WIDE**2).sum()), 6 * q / (1 - q) ** 2, rel_tol=1e-9)


def test_the_adversary_is_never_wrong_when_it_answers():
    """Certain, so no α: 400 plays in each world."""
    for bit in (0, 1):
        game, player = counterexample_game(0.3), CounterexampleAdversary(delta=0.3, copies=3)
        learned = {learned_bit(game.play(player, bit=bit, seed=seed)) for seed in range(400)}
        assert learned == {None, bit}


# --- the bounds themselves ---------------------------------------------------------------------


@pytest.mark.parametrize(("n", "p"), [(20, 0.3), (50, 0.01), (200, 0.5), (1, 0.5)])
@pytest.mark.parametrize("alpha", [0.2, 0.01])
def test_chernoff_keeps_its_level_exactly(n, p, alpha):
    """The probability of rejecting, summed over the binomial law."""
    wrong = sum(
        math.comb(n, k) * p**k * (1 - p) ** (n - k)
        for k in range(n + 1)
        if bounds.chernoff(k, n, p, alpha)
    )
    assert wrong <= alpha


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
