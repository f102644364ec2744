"""No audit of two million interactions refutes a learner at its claim, and its broken twins fall.

n = 2·10⁶ in each world, half to choose the event and half to test it, or as many as ``REPLICAS``
says, for every learner in the corpus: where replicas are counted that takes a few seconds, and
up to two minutes of a core where each has numbers of its own. None is taken apart, of which an
audit would warn. α of each private one as in ``bounds``; a twin's p-value is to be below 10⁻³.
"""

import os

import bounds
import numpy as np
import pytest

from antiphon.audit.statistical import p_value
from antiphon.learners.specimens import convex, experts

ROOMS = (experts, convex)
ENTRIES = {row.name: row for room in ROOMS for each in room.specimens() for row in each.rows}
PRIVATE = [name for name, entry in ENTRIES.items() if entry.private]
REPLICAS, SURE = int(os.environ.get("REPLICAS", "2000000")), 1e-3
ALPHA = bounds.level("statistical/test_learners_audit", len(PRIVATE))


@pytest.mark.slow
@pytest.mark.parametrize("name", ENTRIES)
def test_a_learner_is_not_refuted_and_its_twin_is(name):
    entry = ENTRIES[name]
    epsilon, delta = entry.parameters
    report = entry.game.audit(
        entry.players[-1].adversary, epsilon=epsilon, delta=delta, samples=REPLICAS,
        confidence=1 - ALPHA, feature=entry.feature, score=entry.score,
        seed=np.random.SeedSequence([bounds.seeded(41), *name.encode()]), progress=False,
    )  # fmt: skip
    if entry.private:
        assert not report.refuted
    else:
        assert p_value(report.hits, epsilon=float(epsilon), delta=float(delta)) < SURE
