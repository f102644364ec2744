"""No audit of two million interactions refutes a learner at its claim, and its broken twins fall.

n = 2·10⁶ in each world, half to choose the event and half to test it, for every learner in the
corpus. α of each private one as in ``bounds``; a twin, whose δ is some 0.1 above its claim or whose
ε is infinite (tests/exact), has a p-value below 10⁻⁹ with room to spare.
"""

import bounds
import numpy as np
import pytest

from antiphon.selfcheck.corpus.specimens.learning import (
    experts,
    l2p,
    lazy_points,
    lazy_policies,
    leaders,
    noisy_leaders,
)

ROOMS = (experts, l2p, lazy_points, lazy_policies, leaders, noisy_leaders)
ENTRIES = {row.name: row for room in ROOMS for each in room.specimens() for row in each.rows}
PRIVATE = [name for name, entry in ENTRIES.items() if entry.private]
SAMPLES = 2_000_000
ALPHA = bounds.level("statistical/test_learners_audit", len(PRIVATE))


@pytest.mark.slow
@pytest.mark.parametrize("name", ENTRIES)
def test_a_learner_is_not_refuted_and_its_twin_is(name):
    entry = ENTRIES[name]
    epsilon, delta = entry.parameters
    report = entry.game.audit(
        entry.players[-1].adversary, epsilon=epsilon, delta=delta, samples=SAMPLES,
        confidence=1 - ALPHA, feature=entry.feature, score=entry.score,
        seed=np.random.SeedSequence([bounds.seeded(41), *name.encode()]), progress=False,
    )  # fmt: skip
    assert report.refuted is not entry.private
