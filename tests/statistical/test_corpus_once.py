"""Every entry of the corpus is audited once: true claims stand, false ones fall where cheap.

The α of a private entry is that of ``bounds``. What an audit would notice is tried, too: a sample
that lets the claim stand refutes one that is four times as good (``NOTICED``).
"""

import bounds
import numpy as np
import pytest
from trying import over, sized

from antiphon.audit.statistical import p_value
from antiphon.audit.statistical.audit import LEAST_SAMPLES
from antiphon.selfcheck.corpus import corpus

ENTRIES = {entry.name: entry for entry in corpus()}
PRIVATE = [entry.name for entry in ENTRIES.values() if entry.private]
NOTICED = [
    "randomized response", "M_δ", "filter", "f^α: RR ‖ M_δ", "f^α: M_δ ‖ M_δ",
    "f^{ε,δ}: RR ‖ RR, chosen", "f_∞: one of five RR", "f_{∞,FPC}: one of five RR",
    "discrete Laplace", "Laplace on a grid", "Laplace, rounded", "exponential mechanism",
    "permute and flip", "report noisy max", "k-ary response", "balanced tree counter",
    "Gaussian tree counter", "unbounded counter",
]  # fmt: skip
"""Private entries of which a quarter of the claim is refuted by the same sample …"""
FALLEN = [
    "NoisyHist2", "SVT5", "SVT5, ε = 1", "SVT6, ε = 1", "float-bits Laplace",
    "M_δ, V checks only the last message", "filter that charges after running",
    "tree counter that reuses noise", "Gaussian noise of standard deviation σ²",
    "f^α that forgets f_i", "f^α: M_δ ‖ M_δ, states swapped", "f_∞ that forgets sparsity",
    "f_∞ with δ > 0: fifty M_δ", "Laplace on a grid, rounding forgotten",
    "exponential mechanism, scores not halved", "report noisy max that tells the value",
    "k-ary response whose lie may be true",
]  # fmt: skip
"""… and broken ones: p-values near 10⁻⁴⁵ and below, so that 10⁻³ is missed with power to spare."""
ALPHA = bounds.level("statistical/test_corpus_once", len(PRIVATE))
SAMPLES, SURE = 40_000, 1e-3


def audited(name):
    """An entry's audit by the last of its players, half of it to choose the event."""
    entry = ENTRIES[name]
    epsilon, delta = entry.parameters
    samples = SAMPLES if entry.samples > 10_000 else LEAST_SAMPLES  # one by one
    return entry.game.audit(
        entry.players[-1].adversary,
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


@pytest.mark.every(15)
@pytest.mark.parametrize("name", PRIVATE)
def test_a_true_claim_stands_and_one_four_times_as_good_falls(name):
    report = audited(name)
    assert not report.refuted
    if name in NOTICED:
        epsilon, delta = (float(each) / 4 for each in ENTRIES[name].parameters)
        assert p_value(report.hits, epsilon=epsilon, delta=delta) < SURE


@over("name", sized(FALLEN[::2], FALLEN), at_least=9)
def test_a_false_claim_falls(name):
    epsilon, delta = map(float, ENTRIES[name].parameters)
    assert p_value(audited(name).hits, epsilon=epsilon, delta=delta) < SURE
