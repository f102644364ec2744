"""Privacy games as one would write them by hand, for one mechanism at a time.

What the populated reading of the real objects is compared with, and checked against. A function
of n plays n games under one bit, in NumPy, and returns how many end in each outcome.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np


def counterexample(n, bit, *, delta, copies, seed):
    """M_δ created and asked (0, 0) until one breaks, then asked (0, 1): which copy broke.

    Returns: counts of (copy that broke, its last answer); (copies, −1) for none.
    """
    generator = np.random.default_rng(seed)
    state = np.zeros(n, np.int8)  # 0: whole
    broke_at = np.full(n, copies)
    answer = np.full(n, -1, np.int8)
    playing = np.arange(n)
    for copy in range(copies):
        broken = generator.random(len(playing)) < delta
        found = playing[broken]
        state[found], broke_at[found] = 1, copy
        answer[found] = bit  # the pair (0, 1) to a broken copy, which echoes its side
        playing = playing[~broken]
        if not len(playing):
            break
    keys, counts = np.unique(broke_at * 4 + answer, return_counts=True)
    return {
        (int((k + 1) // 4), int((k + 1) % 4) - 1): int(c) for k, c in zip(keys, counts, strict=True)
    }


def above_threshold(n, queries, *, threshold, rho, nu, seed):
    """Sparse vector that halts at the first ⊤: counts of its place, len(queries) for none."""
    generator = np.random.default_rng(seed)
    noisy = threshold + generator.laplace(scale=rho, size=n)
    counts = np.zeros(len(queries) + 1, int)
    for place, query in enumerate(queries):
        below = query + generator.laplace(scale=nu, size=len(noisy)) < noisy
        noisy = noisy[below]
        counts[place] = len(below) - len(noisy)
    counts[-1] = len(noisy)
    return counts


def above_threshold_delta(radius, rounds, growth):
    """Tight δ of finite AboveThreshold on bits, exactly: integers over one denominator a round.

    A belief is (t, a, b): after t answers ⊥, of which a and b were to the query 1 in each world.
    """
    size, noise = 2 * radius + 1, range(-radius, radius + 1)
    law = [2 ** (radius - abs(z)) for z in noise]
    whole = sum(law)
    above = [[sum(law[n + radius] for n in noise if q + n >= r) for r in noise] for q in (0, 1)]
    below = [[whole - each for each in row] for row in above]
    following = []
    for t in range(rounds, -1, -1):
        weights = [
            [law[i] * below[0][i] ** (t - a) * below[1][i] ** a for i in range(size)]
            for a in range(t + 1)
        ]
        masses, left = [sum(each) for each in weights], rounds - t
        tops = [[sum(w * p for w, p in zip(each, above[q], strict=True)) for q in (0, 1)]
                for each in weights]  # fmt: skip
        values = [[max(0, own - growth * other) * whole**left for other in masses]
                  for own in masses]  # fmt: skip
        for a in range(t + 1 if left else 0):
            for b in range(t + 1):
                for q in (0, 1):
                    for r in (0, 1):
                        gain = max(0, tops[a][q] - growth * tops[b][r]) * whole ** (left - 1)
                        values[a][b] = max(values[a][b], gain + following[a + q][b + r])
        following = values
    return Fraction(following[0][0], whole ** (rounds + 1))


# --- all queries for all replicas at once, as DP-Sniper and StatDP sample: (n, answers) ---------


def noisy(n, queries, *, scale, seed):
    """The noisy answers."""
    generator = np.random.default_rng(seed)
    return np.asarray(queries) + generator.laplace(scale=scale, size=(n, len(queries)))


def _raised(n, queries, scale, seed, exponential):
    if not exponential:
        return noisy(n, queries, scale=scale, seed=seed)
    generator = np.random.default_rng(seed)
    return np.asarray(queries) + generator.exponential(scale=scale, size=(n, len(queries)))


def noisy_max(n, queries, *, scale, seed, exponential=False):
    """The place of the largest noisy answer."""
    return _raised(n, queries, scale, seed, exponential).argmax(axis=1)[:, None]


def largest(n, queries, *, scale, seed, exponential=False):
    """The largest noisy answer."""
    return _raised(n, queries, scale, seed, exponential).max(axis=1)[:, None]


def prefix_sums(n, queries, *, scale, seed):
    """The partial sums of the noisy answers."""
    return noisy(n, queries, scale=scale, seed=seed).cumsum(axis=1)


def sparse_vector(n, queries, *, threshold, rho, nu, seed, told=None, tops=1):
    """1 for ⊤ and 0 for ⊥, −1 once there were so many ⊤ (0: it never halts).

    ``told``: a number instead of ⊤; the one compared for 0, else with fresh noise of that scale.
    """
    generator = np.random.default_rng(seed)
    queries = np.asarray(queries, float)
    limits = threshold + generator.laplace(scale=rho, size=(n, 1))
    compared = queries + generator.laplace(scale=nu, size=(n, len(queries))) if nu else queries
    above = compared >= limits
    said = above.astype(float)
    if told is not None:
        fresh = queries + generator.laplace(scale=told, size=above.shape) if told else compared
        said = np.where(above, fresh, 0.0)
    count = np.zeros(n, int)
    for place in range(len(queries) if tops else 0):
        said[count >= tops, place] = -1
        count += above[:, place]
    return said


def reports(n, chosen, *, f, p, q, seed):
    """RAPPOR: bits that are 1 where chosen, randomised for ever, and then once more if p > 0."""
    generator = np.random.default_rng(seed)
    kept = np.broadcast_to(np.asarray(chosen), (n, len(chosen)))
    draw = generator.random(kept.shape)
    permanent = np.where(draw < f / 2, 1, np.where(draw < f, 0, kept))
    if not p:
        return permanent
    return (generator.random(kept.shape) < np.where(permanent == 1, q, p)).astype(int)


def geometric(n, ends, *, seed):
    """The least z with u <= F(z), for a uniform u in 1..F(n)."""
    drawn = np.random.default_rng(seed).integers(1, ends[-1] + 1, size=n)
    return np.searchsorted(ends, drawn)[:, None]


def random_numbers(n, draws, *, seed):
    """So many Laplace draws each, and nothing else: what NumPy itself takes."""
    np.random.default_rng(seed).laplace(size=(n, draws))
