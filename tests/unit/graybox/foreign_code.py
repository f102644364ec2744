"""Known faults of public libraries, re-created small, each beside its mended twin."""

import math
import random
import secrets

import numpy as np
from numpy.random import default_rng

EPSILON = 1.0
rng = default_rng()
"""A generator that a module holds."""


def laplace_by_inversion(size, scale):
    """SmartNoise SDK, ``dp_covariance.py``: Laplace noise from NumPy's uniform numbers."""
    noise = np.random.uniform(size=size)
    for i in range(len(noise)):
        p = noise[i]
        noise[i] = scale * np.log(2 * p) if p < 0.5 else -scale * np.log(2 - 2 * p)
    return noise


def covariance_of_raw_data(data):
    """Clips, and goes on with what is not clipped (opendp/smartnoise-sdk issue 622)."""
    clipped = np.clip(data, 0, 1)
    assert clipped.shape == data.shape
    moments = data.T @ data
    return moments[np.tril_indices(2)] + laplace_by_inversion(3, 3 / EPSILON)


def covariance(data):
    clipped = np.clip(data, 0, 1)
    moments = clipped.T @ clipped
    return moments[np.tril_indices(2)] + laplace_by_inversion(3, 3 / EPSILON)


class SecureLaplace:
    """diffprivlib's ``Laplace``: four uniform numbers of ``secrets`` (Holohan and Braghin 2021)."""

    def __init__(self, sensitivity):
        self.scale = sensitivity / EPSILON
        self.rng = secrets.SystemRandom()

    def randomise(self, value):
        u1, u2, u3, u4 = (self.rng.random() for _ in range(4))
        left = math.log(1 - u1) * math.cos(math.pi * u2)
        right = math.log(1 - u3) * math.cos(math.pi * u4)
        return value - self.scale * (left + right)


def coefficient_by_lower_bound(data):
    """The lower bound twice (IBM/differential-privacy-library issue 105): no noise at all."""
    bounds = (0, 10)
    sensitivity = np.max(np.abs([bounds[0], bounds[0]])) ** 2
    return SecureLaplace(sensitivity).randomise(np.sum(np.clip(data, *bounds) ** 2))


def coefficient(data):
    bounds = (0, 10)
    sensitivity = np.max(np.abs([bounds[0], bounds[1]])) ** 2
    return SecureLaplace(sensitivity).randomise(np.sum(np.clip(data, *bounds) ** 2))


def conditionals_without_noise(data, degree=3):
    """The scale is 0 when the degree is the number of columns (Synthcity's PrivBayes)."""
    scale = (3 - degree) / EPSILON
    counts = np.array([np.sum(data == value) for value in range(3)], dtype=float)
    return counts + np.random.laplace(scale=scale, size=3)


def conditionals(data):
    return conditionals_without_noise(data, degree=2)


def histogram_of_seen_classes(data):
    """Which classes there are is read from the data (diffprivlib, dpmm)."""
    return {
        value: np.sum(np.array(data) == value) + rng.laplace(scale=1 / EPSILON)
        for value in np.unique(data).tolist()
    }


def histogram_of_given_classes(data):
    return {
        value: np.sum(np.array(data) == value) + rng.laplace(scale=1 / EPSILON)
        for value in (0, 1, 2)
    }


def marginal_by_difference(data, sensitivity=2.0):
    """A difference of two errors, scored with the sensitivity of one (ryan112358/mbi issue 65)."""
    scores = np.array([error - public for error, public in data], dtype=float)
    weights = np.exp(EPSILON * scores / (2 * sensitivity))
    return rng.choice(["age", "sex", "race"], p=weights / weights.sum())


def marginal(data):
    return marginal_by_difference(data, sensitivity=4.0)


def gradient_by_batch(data, batch=4):
    """The bound is divided by the batch, the sum is not (Tramèr et al. 2022, arXiv 2202.12219)."""
    norms = np.linalg.norm(data, axis=1, keepdims=True)
    clipped = data / np.maximum(1, norms)
    return clipped.sum(axis=0) + np.random.normal(0, 5.0 / batch, size=2)


def gradient(data):
    return gradient_by_batch(data, batch=1)


def sum_that_keeps_nan(data):
    """What is no number survives clipping (SmartNoise, Opacus, diffprivlib, Synthcity)."""
    return np.sum(np.clip(data, -1, 1)) + np.random.laplace(scale=2 / EPSILON)


def sum_of_numbers(data):
    return np.sum(np.clip(np.nan_to_num(data), -1, 1)) + np.random.laplace(scale=2 / EPSILON)


def above_threshold_without_noise(data):
    """No noise on the queries (Lyu, Su and Li 2017, Algorithm 5; Stoddard et al. 2014)."""
    threshold = 10 + np.random.laplace(scale=2 / EPSILON)
    return [query >= threshold for query in data]


def above_threshold(data):
    threshold = 10 + np.random.laplace(scale=2 / EPSILON)
    answers = []
    for query in data:
        answers.append(query + np.random.laplace(scale=4 / EPSILON) >= threshold)
        if answers[-1]:
            break
    return answers


def mean_with_bounds_from_data(data):
    """Bounds that are not given are those of the data (diffprivlib's ``PrivacyLeakWarning``)."""
    low, high = min(data), max(data)
    return np.mean(data) + np.random.laplace(scale=(high - low) / len(data) / EPSILON)


def mean(data):
    low, high = 0, 10
    return np.mean(np.clip(data, low, high)) + random.gauss(0, 4 * (high - low) / len(data))


def count_of_many(data):
    """Answers nothing of few records, without noise."""
    if len(data) < 3:
        return None
    return len(data) + np.random.laplace(scale=1 / EPSILON)


def count(data):
    noisy = len(data) + np.random.laplace(scale=1 / EPSILON)
    return noisy if noisy >= 3 else None


def seeded_count(data):
    """The same noise at every call."""
    return len(data) + default_rng(7).laplace(scale=1 / EPSILON)


def count_with_size(data):
    return len(data) + np.random.laplace(scale=1 / EPSILON), len(data)


def cancelled_noise(data):
    noise = np.random.laplace(scale=1 / EPSILON)
    return len(data) + noise, noise


def total_with_error(data):
    if max(data) > 9:
        raise ValueError("too large")
    return sum(data) + np.random.laplace(scale=9 / EPSILON)


# Sound, by means that the tape cannot follow to the end: nothing may be found.


def randomized_response(bit):
    return bit if random.random() < 0.75 else 1 - bit


def report_noisy_max(data):
    return int(np.argmax(np.array(data) + np.random.laplace(scale=2 / EPSILON, size=len(data))))


def subsampled(data):
    chosen = [record for record in data if random.random() < 0.5]
    return len(chosen) + np.random.laplace(scale=1 / EPSILON)


def two_sided_geometric(data):
    p = 1 - math.exp(-EPSILON)
    return sum(data) + int(rng.geometric(p)) - int(rng.geometric(p))


def tree(data, coins):
    """Prefix sums of four bits from a tree of Gaussian nodes: draws are used again."""
    node = {
        (low, high): sum(data[low:high]) + coins.gaussian(3)
        for low, high in [(0, 1), (2, 3), (0, 2), (2, 4), (0, 4)]
    }
    return [node[0, 1], node[0, 2], node[0, 2] + node[2, 3], node[0, 4]]


def processed(data):
    """Whatever is done with noisy numbers."""
    noisy = np.array(data, dtype=float) + rng.laplace(scale=1 / EPSILON, size=2)
    positive = np.maximum(noisy, 0)
    if positive.sum() > 3:
        positive /= positive.sum()
    return {
        "share": positive.tolist(),
        "largest": int(np.argmax(positive)),
        "log": np.log1p(positive),
    }
