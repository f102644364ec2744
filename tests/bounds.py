"""Tests with a proven level and a computed power, and the table of all levels of a run.

Nothing is asymptotic, so both hold for every n and at every seed. A test of a true hypothesis
is failed with probability at most its α, and a broken twin passes with probability at most
``BETA``; each test takes as many samples as that needs, and checks that it does. The table says
how many true hypotheses each file tests: Σα over a run of everything is at most ``BUDGET``.

All seeds go through ``seeded``: another ``SEEDS`` in the environment is another run,
``SEEDS=3 make test ARGS=tests/statistical``.

Each test returns whether the sample is *rejected* under the null hypothesis; each
``…_power`` bounds the probability that its twin is, from below.
"""

import math
import os

import numpy as np

BUDGET = 1e-6
ALPHA = BETA = 1e-9
LEVELS = {
    "statistical/test_sampling": 53,
    "statistical/test_populations": 33,
    "statistical/test_counter_simulation": 115,
    "statistical/test_histogram_accuracy": 5,
    "statistical/test_lazy_audit": 1,
    "statistical/test_learners_audit": 13,
    "statistical/test_multiplicative_weights_accuracy": 1,
    "statistical/test_corpus_rates": 96,
    "statistical/test_corpus_once": 96,
    "statistical/test_coverage": 1,
    "statistical/test_trade_off_rates": 4,
    "unit/test_statistical": 7,
    "unit/audit/test_audit": 3,
    "unit/selfcheck/test_corpus": 20,
    "unit/sessions/durable/test_killed": 24,
    "unit/mechanisms/test_histograms": 3,
    "unit/mechanisms/test_noise": 8,
    "unit/mechanisms/test_sparse_vector": 10,
    "exact/test_best_adversary": 1,
}
"""How many true hypotheses a file tests, each at level ``ALPHA``."""


def level(file, tests):
    """α of each of so many tests in a file. Raises: where the table does not count them all."""
    assert tests <= LEVELS[file], f"{file} tests {tests} hypotheses: say so in bounds.LEVELS"
    return ALPHA


def seeded(seed):
    """A seed of this run."""
    return seed + 1_000_003 * int(os.environ.get("SEEDS", "0"))


# --- a binomial count ------------------------------------------------------------------------


def divergence(share, p):
    """KL(share ‖ p) of two coins, in nats."""
    total = 0.0
    for mine, theirs in ((share, p), (1 - share, 1 - p)):
        if mine > 0:
            if theirs <= 0:
                return math.inf
            total += mine * math.log(mine / theirs)
    return total


def chernoff(hits, n, p, alpha):
    """n·KL(hits/n ‖ p) > ln(2/α) has probability at most α (Chernoff)."""
    return n * divergence(hits / n, p) > math.log(2 / alpha)


def chernoff_power(n, p, q, alpha):
    """Of ``chernoff`` for p where q is true: a Chernoff bound on the other side of its threshold.

    The share that is not yet rejected and nearest to q is exceeded towards p with probability
    at most e^(-n·KL(share ‖ q)).
    """
    near, far = p, q  # near is not rejected, far is
    if n * divergence(q, p) <= math.log(2 / alpha):
        return 0.0
    for _ in range(60):
        middle = (near + far) / 2
        rejected = n * divergence(middle, p) > math.log(2 / alpha)
        near, far = (near, middle) if rejected else (middle, far)
    return -math.expm1(-n * divergence(near, q))


def at_most(n, p, alpha):
    """The least k with n·KL(k/n ‖ p) > ln(1/α): as many hits have probability at most α."""
    return next(k for k in range(math.ceil(n * p), n + 1)
                if n * divergence(k / n, p) >= math.log(1 / alpha)) - 1  # fmt: skip


# --- a finite law -----------------------------------------------------------------------------


def cells(counts, law, alpha):
    """A finite law, cell by cell: a union bound over Chernoff tests at α/cells."""
    n = sum(counts.values())
    if set(counts) - {value for value, p in law.items() if p}:
        return True
    return any(chernoff(counts.get(v, 0), n, p, alpha / len(law)) for v, p in law.items())


def cells_power(n, law, twin, alpha):
    """Of ``cells`` where the twin is true: that of its best cell."""
    impossible = sum(q for value, q in twin.items() if not law.get(value))
    known = (chernoff_power(n, p, twin.get(v, 0.0), alpha / len(law)) for v, p in law.items() if p)
    return max(-math.expm1(n * math.log1p(-min(impossible, 1 - 1e-16))), *known)


# --- a distribution function -------------------------------------------------------------------


def distance(sample, cdf, *, discrete=False):
    """sup |F_n - F|, for an integer law on the integers; else on both sides of every jump."""
    values, counts = np.unique(np.asarray(sample), return_counts=True)
    after = np.cumsum(counts) / len(sample)
    before = np.concatenate([[0.0], after[:-1]])
    here = np.array([cdf(x) for x in values.tolist()])
    left = np.array([cdf(x - 1) for x in values.tolist()]) if discrete else here
    return max(np.abs(after - here).max(), np.abs(before - left).max())


def reach(n, alpha):
    """√(ln(2/α)/2n): sup |F_n - F| exceeds it with probability at most α (DKW, Massart)."""
    return math.sqrt(math.log(2 / alpha) / (2 * n))


def dkw(sample, cdf, alpha, *, discrete):
    """Dvoretzky, Kiefer, Wolfowitz with Massart's constant."""
    return bool(distance(sample, cdf, discrete=discrete) > reach(len(sample), alpha))


def dkw_power(n, apart, alpha, *, slack=0.0):
    """Of ``dkw`` for a law so far from the true one: the sample is near to its own law."""
    room = apart - reach(n, alpha) - slack
    return 1 - 2 * math.exp(-2 * n * room**2) if room > 0 else 0.0


def apart(cdf, twin, points):
    """sup |F - G| over some points: at most what it is."""
    return max(abs(cdf(x) - twin(x)) for x in points)


# --- a mean -------------------------------------------------------------------------------------


def hoeffding(sample, mean, top, alpha):
    """The mean of values in [0, top]: off by top·√(ln(2/α)/2n) with probability at most α."""
    return abs(sum(sample) / len(sample) - mean) > top * reach(len(sample), alpha)


def hoeffding_power(n, gap, top, alpha):
    """Of ``hoeffding`` where the mean is off by the gap."""
    return dkw_power(n, gap / top, alpha)
