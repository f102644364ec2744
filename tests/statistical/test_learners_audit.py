"""No audit of two million interactions refutes a learner at its claim, and its broken twins fall.

n = 2·10⁶ in each world, half to choose the event and half to test it, for every learner in the
corpus whose replicas are counted. Of those that are played one by one it is 5·10⁴, or as many as
``REPLICAS`` says: 2·10⁶ of DP-FTRL take ten minutes of a core. α of each private one as in
``bounds``; a twin's p-value is to be below 10⁻³.
"""

import os

import bounds
import numpy as np
import pytest

from antiphon.audit.statistical import p_value
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
ONE_BY_ONE = ("softmax", "leader", "Gibbs", "DP-")
REPLICAS, SURE = int(os.environ.get("REPLICAS", "50000")), 1e-3
ALPHA = bounds.level("statistical/test_learners_audit", len(PRIVATE))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::antiphon.populations.slow.SlowAudit")
@pytest.mark.parametrize("name", ENTRIES)
def test_a_learner_is_not_refuted_and_its_twin_is(name):
    entry = ENTRIES[name]
    epsilon, delta = entry.parameters
    samples = REPLICAS if any(each in name for each in ONE_BY_ONE) else 2_000_000
    report = entry.game.audit(
        entry.players[-1].adversary, epsilon=epsilon, delta=delta, samples=samples,
        confidence=1 - ALPHA, feature=entry.feature, score=entry.score,
        seed=np.random.SeedSequence([bounds.seeded(41), *name.encode()]), progress=False,
    )  # fmt: skip
    if entry.private:
        assert not report.refuted
    else:
        assert p_value(report.hits, epsilon=float(epsilon), delta=float(delta)) < SURE
