"""Errors when the columns of a factor are normalised: B = A·D·C⁻¹, which is not Toeplitz.

Noise v = C⁻¹z is scaled by d_t and summed: n_t = Σ_{i<=t} d_i v_i. With C⁻¹ = 1 - Σ α_i
x/(1 - λ_i x) it is driven by r_i ← λ_i r_i + z, and Var n_t follows from Cov(r_i, r_j)
(closed form) and Cov(r_i, n_t) (a first-order recursion in t).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from antiphon.mechanisms.counters.factors.buffers import Vector

_CHUNK: Final = 1 << 10
"""Times that are taken together: small arrays, for the cache."""


def squared_errors(scales: Vector, weights: Vector, gaps: Vector) -> Vector:
    """Var n_t for t = 1, …, len(scales), with d = scales, α = weights, λ = 1 - gaps.

    O(len(scales)·len(gaps)) memory and a little more time.
    """
    logs = np.log1p(-gaps)
    ratio = weights / -np.expm1(logs[:, None] + logs)
    stationary = ratio.sum(axis=1)
    carry, found = np.zeros(len(gaps)), np.empty(len(scales))
    for start in range(0, len(scales), _CHUNK):
        own = scales[start : start + _CHUNK]
        powers = np.exp(logs[:, None] * np.arange(start, start + len(own)))
        # Σ_j α_j Cov(r_i, r_j) at each time: 0 at time 0, then ever nearer to its limit.
        spread = stationary[:, None] - powers * _product(ratio, powers)
        inputs = own * (1 - (1 - gaps)[:, None] * spread)
        with_sum = _scan(logs, inputs, carry)
        before = np.concatenate([carry[:, None], with_sum[:, :-1]], axis=1)
        carry = with_sum[:, -1]
        variance, covariance = (_product(weights[None], each)[0] for each in (spread, before))
        found[start : start + len(own)] = own**2 * (1 + variance) - 2 * own * covariance
    return np.cumsum(found)


def _product(left: Vector, right: Vector) -> Vector:
    """left @ right, in one thread: the matrices are too small for more."""
    return np.asarray(np.einsum("ij,jt->it", left, right))


def _scan(logs: Vector, inputs: Vector, carry: Vector) -> Vector:
    """y_t = λ y_{t-1} + x_t along the last axis, from y_{-1} = carry; one λ for each row.

    By doubling: after j passes y_t has the last 2^j inputs.
    """
    found = inputs.copy()
    found[:, 0] += np.exp(logs) * carry
    lag = 1
    while lag < inputs.shape[1]:
        found[:, lag:] += np.exp(logs * lag)[:, None] * found[:, :-lag]
        lag *= 2
    return found
