"""Tests with a proven level: no asymptotics, so the stated α holds for every n.

Each returns whether the sample is *rejected* under the null hypothesis.
"""

import math


def chernoff(hits, n, p, alpha):
    """A binomial count: n·KL(hits/n ‖ p) > ln(2/α) has probability at most α (Chernoff)."""
    share, divergence = hits / n, 0.0
    for mine, theirs in ((share, p), (1 - share, 1 - p)):
        if mine > 0:
            if theirs <= 0:
                return True
            divergence += mine * math.log(mine / theirs)
    return n * divergence > math.log(2 / alpha)


def cells(counts, law, alpha):
    """A finite law, cell by cell: a union bound over Chernoff tests at α/cells."""
    n = sum(counts.values())
    if set(counts) - {value for value, p in law.items() if p}:
        return True
    return any(chernoff(counts.get(v, 0), n, p, alpha / len(law)) for v, p in law.items())


def dkw(sample, cdf, alpha, *, discrete):
    """sup|F_n − F| > √(ln(2/α)/2n) has probability at most α (Dvoretzky–Kiefer–Wolfowitz, Massart).

    For an integer law F is compared on the integers; else on both sides of every jump.
    """
    n = len(sample)
    worst, seen = 0.0, 0
    ordered = sorted(sample)
    while seen < n:
        value = ordered[seen]
        before = seen
        while seen < n and ordered[seen] == value:
            seen += 1
        worst = max(worst, abs(seen / n - cdf(value)))
        left = cdf(value - 1) if discrete else cdf(value)
        worst = max(worst, abs(before / n - left))
    return worst > math.sqrt(math.log(2 / alpha) / (2 * n))


def hoeffding(sample, mean, top, alpha):
    """The mean of values in [0, top]: off by top·√(ln(2/α)/2n) with probability at most α."""
    n = len(sample)
    return abs(sum(sample) / n - mean) > top * math.sqrt(math.log(2 / alpha) / (2 * n))
