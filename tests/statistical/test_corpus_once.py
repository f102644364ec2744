"""Every entry of the corpus is audited once: true claims stand, false ones fall where cheap.

The α of a private entry is that of ``bounds``. What it would notice is tried, too: the same
sample tests a claim four times too good, and refutes it in most entries (``FOUR_TIMES``).
"""

import bounds
import numpy as np
import pytest

from antiphon.audit.corpus import corpus

ENTRIES = {entry.name: entry for entry in corpus()}
PRIVATE = [entry.name for entry in ENTRIES.values() if entry.private]
CHEAP = [e.name for e in ENTRIES.values() if not e.private and e.samples <= 200_000]
ALPHA = bounds.level("statistical/test_corpus_once", len(PRIVATE))
SAMPLES = 40_000


def audited(name, player=-1, samples=SAMPLES):
    """An entry's audit by one of its players, half of it to choose the event."""
    entry = ENTRIES[name]
    epsilon, delta = entry.parameters
    samples = min(samples, entry.samples)
    return entry.game.audit(
        entry.players[player].adversary,
        epsilon=epsilon,
        delta=delta,
        samples=samples,
        training=samples // 2,
        confidence=1 - ALPHA,
        feature=entry.feature,
        score=entry.score,
        seed=np.random.SeedSequence([bounds.seeded(40), *name.encode()]),
        executor="serial",
        progress=False,
    )


@pytest.mark.parametrize("name", PRIVATE)
def test_a_true_claim_stands(name):
    assert not audited(name).refuted
