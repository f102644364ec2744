"""No audit refutes lazy experts at their claim, and the same audit refutes a broken twin.

n = 2·10⁶ interactions in each world, half to choose the event and half to test it; d = 100, T = 8,
B = 4. α as in ``bounds``. The twin leaves nobody who had no loss: it changes its mind with
probability ½(1-e^(-1/2))·(about 99/100) > 0.19 in one world and never in the other, so that
the claim, (ε, 10⁻³), fails by 0.19; that 10⁶ coins of that bias show less than 0.18 heads has
probability e^(-10⁶·KL(0.18‖0.19)) < 10⁻¹⁴⁰. Blocks of a population split by whom is followed, so
that 2·10⁶ interactions take about as long as 2·10⁵: half a minute of a core.
"""

from fractions import Fraction

import bounds
import numpy as np
import pytest

import antiphon as ap
from antiphon import Pair, same
from antiphon.learners import ADVICE, LazyExperts
from antiphon.learners.specimens.experts import costless

ALPHA = bounds.level("statistical/test_lazy_audit", 1)
SAMPLES, EXPERTS, BATCH, DELTA = 2_000_000, 100, 4, Fraction(1, 1000)


def player():
    """Half of the experts lose in the first round of a world; then nobody does; asked after B."""
    losses = np.arange(EXPERTS) < EXPERTS // 2
    nothing = np.zeros(EXPERTS, np.int64)
    told = [Pair(losses.astype(np.int64), nothing), *[same(nothing)] * (BATCH - 1)]
    return ap.scripted([same(ADVICE), *told, same(ADVICE)])


@pytest.mark.slow
@pytest.mark.parametrize(("broken", "verdict"), [(False, "not refuted"), (True, "refuted")])
def test_lazy_experts_are_not_refuted_and_a_broken_twin_is(broken, verdict):
    parameters = {"horizon": 8, "experts": EXPERTS, "rate": Fraction(1, 2), "cost": 1, "batch": 4}
    learner = LazyExperts(**parameters)
    epsilon = ap.guarantee(learner).epsilon_at(DELTA)
    report = ap.PrivacyGame(costless(learner) if broken else learner, learner.verification).audit(
        player(), epsilon=epsilon, delta=DELTA, samples=SAMPLES, confidence=1 - ALPHA,
        seed=bounds.seeded(1), chunk=SAMPLES, executor="serial", progress=False,
    )  # fmt: skip
    assert report.verdict == verdict
    assert (report.delta_lower > 0.18) is (verdict == "refuted")
