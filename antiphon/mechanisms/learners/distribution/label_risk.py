"""What predictions cost: KL-risk and averaged TV-risk."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antiphon.mechanisms.learners.distribution.hypotheses import Doubles
from antiphon.mechanisms.learners.distribution.local_mixture import LocalMixture
from antiphon.protocol.coins import SampledCoins


class LabelRisk(NamedTuple):
    """Of predictions p̂_t of f(x_t), over all users."""

    kl: float
    """Σ_t KL(f(x_t), p̂_t), in nats."""
    tv: float
    """(1/T) Σ_t TV(f(x_t), p̂_t)."""
    uniform: float
    """Σ_t KL(f(x_t), the mixture with equal weights): what it costs to learn nothing."""
    average: Doubles
    """The mean of the weights over all users: by it p̂ in a batch is chosen."""


def risk_of(learner: LocalMixture, key: int, *, truth: int = 0) -> LabelRisk:
    """Users with labels Y ~ f_truth(x), contexts uniform, by the key; exact given the weights.

    O(KM) a user, for the KL divergences.

    >>> from antiphon.mechanisms.learners.distribution import Hypotheses, OneCoordinate
    >>> hypotheses = Hypotheses([[[0.75, 0.25], [0.25, 0.75]]])
    >>> learner = LocalMixture(
    ...     hypotheses=hypotheses, horizon=4000, channel=OneCoordinate(epsilon=2))
    >>> found = risk_of(learner, 1)
    >>> found.kl < found.uniform / 3
    True
    """
    hypotheses = learner.hypotheses
    contexts, labels = hypotheses.users(key, learner.horizon, truth=truth)
    coins = SampledCoins(np.random.SeedSequence((key, 2)))
    kl = tv = uniform = 0.0
    average = np.zeros(hypotheses.count)
    flat = np.full(hypotheses.count, 1 / hypotheses.count)
    block = max(1, min(4096, (1 << 21) // hypotheses.labels))
    for these, weights in learner.follow(contexts, labels, coins, block=block):
        average += weights.sum(axis=0)
        here = contexts[these]
        for context in np.unique(here).tolist():
            rows = weights[here == context]
            kl_here, tv_here = _costs(learner, context, rows, truth)
            kl, tv = kl + kl_here, tv + tv_here
            uniform += len(rows) * _costs(learner, context, flat[None], truth)[0]
    return LabelRisk(kl, tv / learner.horizon, uniform, average / learner.horizon)


def _costs(
    learner: LocalMixture, context: int, weights: Doubles, truth: int
) -> tuple[float, float]:
    """Σ KL and Σ TV over rows of weights in one context."""
    sizes, table = learner.clipping.sizes[context], learner.hypotheses.tables[context]
    part, told = float(learner.clipping.clip), table[truth]
    predicted = (1 - part) * (weights @ table) + part / sizes.sum() * sizes
    seen = told > 0
    entropy = told[seen] @ np.log(told[seen])
    kl = len(weights) * entropy - float((np.log(predicted[:, seen]) @ told[seen]).sum())
    return float(kl), float(abs(predicted - told).sum() / 2)
