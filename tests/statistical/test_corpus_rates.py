"""How often a private entry of the corpus is refuted: no more often than α allows.

200 audits of each at α = 0.05, each with its own seed. The number of refutations is at
most Bin(200, 0.05) in law, so more than ``MOST`` of them has a probability below ``LEVEL``, per
entry. A twin that chooses the event on the samples that test it is caught.
"""

import math

import bounds
import numpy as np
import pytest

from antiphon.audit.statistical import Goal, Hits, Rates, Training, choose_event, play_sample
from antiphon.audit.statistical.audit import LEAST_SAMPLES
from antiphon.selfcheck.corpus import corpus

REPETITIONS, ALPHA = 200, 0.05
SAMPLES = 4000
ENTRIES = {entry.name: entry for entry in corpus()}
LEVEL = bounds.level(
    "statistical/test_corpus_rates", sum(entry.private for entry in ENTRIES.values()) + 1
)


def tail(hits, n, p):
    """Pr[Bin(n, p) >= hits]."""
    return sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(hits, n + 1))


MOST = max(k for k in range(REPETITIONS) if tail(k, REPETITIONS, ALPHA) >= LEVEL)


def seeds(name):
    return np.random.SeedSequence([bounds.seeded(20), *name.encode()]).spawn(REPETITIONS)


@pytest.mark.slow
@pytest.mark.parametrize("name", [entry.name for entry in ENTRIES.values() if entry.private])
def test_a_true_claim_is_not_refuted_too_often(name):
    entry = ENTRIES[name]
    epsilon, delta = entry.parameters
    refuted = sum(
        entry.game.audit(
            entry.players[-1].adversary,
            epsilon=epsilon,
            delta=delta,
            samples=SAMPLES if entry.samples > 10_000 else LEAST_SAMPLES,  # one by one
            confidence=1 - ALPHA,
            feature=entry.feature,
            seed=seed,
            executor="serial",
            progress=False,
        ).refuted
        for seed in seeds(name)
    )
    assert refuted <= MOST


def test_an_auditor_that_tests_on_its_training_samples_is_caught():
    """Of 243 kinds of view, half have a loss of exactly ε: those that look worse are chosen."""
    entry = ENTRIES["f_{∞,FPC}: one of five RR"]
    epsilon, delta = map(float, entry.parameters)
    worlds = [entry.game.mechanism(bit) for bit in (0, 1)]
    naive, fair, n, times = 0, 0, 2000, 12
    for seed in seeds("naive")[:times]:
        zero, one, *fresh = (
            play_sample(entry.players[0].adversary, worlds[i % 2], replicas=n, seed=each)
            for i, each in enumerate(seed.spawn(4))
        )
        goal = Goal("delta", epsilon, delta, ALPHA, n)
        event = choose_event(Training((zero, one), (zero, one)), goal, "counts").event
        naive += refutes(event, (zero, one), epsilon, delta)
        fair += refutes(event, fresh, epsilon, delta)
    assert tail(naive, times, ALPHA) < LEVEL
    assert tail(fair, times, ALPHA) > LEVEL


def refutes(event, samples, epsilon, delta):
    own, other = samples[event.bit], samples[1 - event.bit]
    hits = Hits(event.hits(own), own.replicas, event.hits(other), other.replicas)
    return Rates.of(hits, alpha=ALPHA).delta_at(epsilon) > delta
