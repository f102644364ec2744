"""Privacy games as one would write them in NumPy by hand, for one mechanism at a time.

What the populated reading of the real objects is compared with, and checked against. Each
function plays n games under one bit and returns how many end in each outcome.
"""

from __future__ import annotations

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


# --- all queries for all replicas at once, as DP-Sniper and StatDP sample ----------------------


def noisy(n, queries, *, scale, seed):
    """The noisy answers, (n, queries)."""
    generator = np.random.default_rng(seed)
    return np.asarray(queries) + generator.laplace(scale=scale, size=(n, len(queries)))


def noisy_max(n, queries, *, scale, seed):
    """Counts of the place of the largest noisy answer."""
    return np.bincount(noisy(n, queries, scale=scale, seed=seed).argmax(axis=1))


def largest(n, queries, *, scale, seed):
    """The largest noisy answers."""
    return noisy(n, queries, scale=scale, seed=seed).max(axis=1)


def prefix_sums(n, queries, *, scale, seed):
    """The partial sums of the noisy answers."""
    return noisy(n, queries, scale=scale, seed=seed).cumsum(axis=1)


def above_threshold_at_once(n, queries, *, threshold, rho, nu, seed):
    """Counts of the place of the first ⊤, len(queries) for none."""
    limits = threshold + np.random.default_rng(seed + 1).laplace(scale=rho, size=(n, 1))
    above = noisy(n, queries, scale=nu, seed=seed) >= limits
    first = np.where(above.any(axis=1), above.argmax(axis=1), len(queries))
    return np.bincount(first, minlength=len(queries) + 1)
