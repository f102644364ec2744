"""Private multiplicative weights: its error leaves its bound as rarely as promised."""

import attrs
import bounds
import numpy as np
import pytest

from antiphon.composition import ComplexMechanism
from antiphon.mechanisms import learned_weights

BETA, N, QUERIES, ROWS = 0.1, 1000, 30, 3000
ALPHA = bounds.level("statistical/test_multiplicative_weights_accuracy", 1)


def failures(learner, promised):
    """Of N runs, how many err by more than promised, or need more updates than the theorem says."""
    most = promised.most_updates(QUERIES, rows=ROWS, beta=BETA)
    bound = promised.error_bound(QUERIES, beta=BETA)
    counts = np.array([ROWS, 0, 0, 0, 0, 0])
    failed = 0
    for seed in np.random.SeedSequence(bounds.seeded(3)).spawn(N):
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
    return failed


@pytest.mark.slow
def test_errors_leave_their_bound_as_rarely_as_promised():
    """β = 0.1, n = 1000. A twin with a sixteenth of the ε, so sixteen times the noise, fails in
    most runs, where half would be enough for its power."""
    learner = learned_weights(size=6, rows=ROWS, queries=QUERIES, epsilon=2, beta=BETA)
    limit = bounds.at_most(N, BETA, ALPHA)
    assert bounds.chernoff_power(N, BETA, 0.5, ALPHA) >= 1 - bounds.BETA
    assert failures(learner, learner) <= limit
    assert failures(attrs.evolve(learner, epsilon_each=learner.epsilon_each / 16), learner) > limit
