"""Private multiplicative weights: its error leaves its bound as rarely as promised."""

import math

import attrs
import numpy as np

from antiphon.composition import ComplexMechanism
from antiphon.mechanisms import learned_weights

ALPHA, BETA, N, QUERIES, ROWS = 1e-8, 0.1, 1000, 30, 3000


def failures(learner, promised):
    """Of N runs, how many err by more than promised, or need more updates than the theorem says."""
    most = promised.most_updates(QUERIES, rows=ROWS, beta=BETA)
    bound = promised.error_bound(QUERIES, beta=BETA)
    counts = np.array([ROWS, 0, 0, 0, 0, 0])
    failed = 0
    for seed in np.random.SeedSequence(3).spawn(N):
        session = ComplexMechanism(learner).start(seed=seed)
        session.send(counts)
        generator = np.random.default_rng(seed)
        for _ in range(QUERIES):
            query = generator.integers(0, 2, 6).astype(float)
            answer = session.send(query)
            if session.over or abs(answer - query @ counts) > bound:
                failed += 1
                break
        else:
            failed += session._now[0][0].updates > most
    return failed / N


def test_errors_leave_their_bound_as_rarely_as_promised():
    """β = 0.1, n = 1000: more than 0.1 + 0.096 has probability below 1e-8 (Hoeffding). A twin
    with a sixteenth of the ε, so sixteen times the noise, fails in most runs."""
    learner = learned_weights(size=6, rows=ROWS, queries=QUERIES, epsilon=2, beta=BETA)
    limit = BETA + math.sqrt(math.log(1 / ALPHA) / (2 * N))
    assert failures(learner, learner) <= limit
    assert failures(attrs.evolve(learner, epsilon_each=learner.epsilon_each / 16), learner) > limit
