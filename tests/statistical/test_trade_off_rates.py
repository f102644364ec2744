"""Audits of whole curves: true ones, tight at every ε, are refuted no more often than α allows.

``TIMES`` audits of each at α = ``ALPHA``, of mechanisms whose curve is known in closed form, so
that every cut can be wrong at the ε that is its own. The number of refutations is at most
Bin(TIMES, ALPHA) in law. Of the bounds themselves the same is asked: that all of them hold. A
twin that takes frequencies for rates, and one that gives all of α to each event, are caught: in
one run 119 and 92 of 120 failed, where 55 may, and of the audit itself 19 had a wrong bound. The
first needs a quarter as many: 22 of 30 may, and more do but for 5e-10.
"""

import math
from fractions import Fraction
from statistics import NormalDist

import attrs
import bounds
import numpy as np
import pytest

import antiphon as ap
from antiphon.audit.statistical import Rates
from antiphon.audit.statistical import curve_audit as auditing
from antiphon.composition.accounting.curve import FromZero, TheoremCurve
from antiphon.mechanisms import Gaussian, Laplace
from antiphon.numbers.interval import Interval

TIMES, ALPHA, SAMPLES = 120, 0.2, 1500
LEVEL = bounds.level("statistical/test_trade_off_rates", 4)
MOST = bounds.at_most(TIMES, ALPHA, LEVEL)
NORMAL = NormalDist()
PAIR = ap.scripted([ap.Pair(0.0, 1.0)])
MU = 1.0


@attrs.frozen
class Exactly(TheoremCurve, FromZero):
    """A curve by a formula, which a double computes with at most 1e-12 of error."""

    formula: object
    method = source = "by hand"
    floor, _exact_floor = Interval(0.0, 0.0), Fraction(0)
    _enough = math.inf

    def _delta(self, epsilon):
        value = self.formula(float(epsilon))
        return Interval(max(0.0, value - 1e-12), min(1.0, max(0.0, value) + 1e-12))


def gaussian(epsilon):
    """N(0, 1) against N(1, 1) (Balle and Wang 2018, Thm 8)."""
    return NORMAL.cdf(MU / 2 - epsilon / MU) - math.exp(epsilon) * NORMAL.cdf(
        -MU / 2 - epsilon / MU
    )


def laplace(epsilon):
    """1-DP Laplace noise."""
    return -math.expm1((epsilon - 1) / 2) if epsilon < 1 else 0.0


def laplace_cdf(x):
    return math.exp(x) / 2 if x < 0 else 1 - math.exp(-x) / 2


SYSTEMS = {
    "Gaussian": (Gaussian(rho=Fraction(1, 2)), Exactly(gaussian), NORMAL.cdf),
    "Laplace": (Laplace(epsilon=1), Exactly(laplace), laplace_cdf),
}


@pytest.fixture
def audits(monkeypatch):
    """Audits of a system, each with its cuts, which a report does not tell."""
    made, counting = [], auditing.counting

    def spy(*arguments):
        made.append(counting(*arguments))
        return made[-1]

    monkeypatch.setattr(auditing, "counting", spy)
    monkeypatch.setattr(auditing.Setting, "show", lambda *_: None)

    def audits(name, seed, times=TIMES):
        system, curve, _ = SYSTEMS[name]
        game = ap.PrivacyGame(system, system.claims[0].verification)
        for each in np.random.SeedSequence(bounds.seeded(seed)).spawn(times):
            report = game.audit(
                PAIR, curve=curve, samples=SAMPLES, confidence=1 - ALPHA, seed=each,
                score="places", executor="serial", progress=False,
            )  # fmt: skip
            yield report, made.pop().cuts

    return audits


def wrong(report, cuts, cdf):
    """Whether any of the bounds of a report is: each cut is of the one number that was told."""
    for cut, point in zip(cuts, report.bounds.points, strict=True):
        below = [cdf(cut.limit - bit) for bit in (0, 1)]
        rates = [1 - each for each in below] if cut.above else below
        if point.rates.low > rates[point.bit] or point.rates.high < rates[1 - point.bit]:
            return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_a_true_curve_is_not_refuted_too_often_nor_any_bound_wrong(name, audits):
    refuted = failed = 0
    for report, cuts in audits(name, 41):
        refuted += report.refuted
        failed += wrong(report, cuts, SYSTEMS[name][2])
    assert refuted <= failed <= MOST


def test_a_twin_that_takes_frequencies_for_rates_is_caught(audits, monkeypatch):
    def frequencies(hits, *, alpha):
        return Rates(hits.own / hits.trials, hits.against / hits.others)

    monkeypatch.setattr(auditing, "Rates", type("Twin", (), {"of": staticmethod(frequencies)}))
    most = bounds.at_most(TIMES // 4, ALPHA, LEVEL)
    assert sum(report.refuted for report, _ in audits("Gaussian", 42, TIMES // 4)) > most


@pytest.mark.slow
def test_a_twin_that_gives_all_of_alpha_to_each_event_is_caught(audits, monkeypatch):
    monkeypatch.setattr(auditing, "_shares", lambda alpha, events: [alpha] * events)
    found = audits("Gaussian", 43)
    assert sum(wrong(report, cuts, NORMAL.cdf) for report, cuts in found) > MOST


def test_noise_off_by_30_percent_is_refuted():
    """At any seed: of the chosen event alone the bounds are more than 20 σ beyond the claim."""
    quiet = Gaussian(rho=Fraction(1, 2) / Fraction(49, 100))
    game = ap.PrivacyGame(quiet, quiet.claims[0].verification)
    report = game.audit(PAIR, curve=SYSTEMS["Gaussian"][1], samples=40_000, seed=bounds.seeded(44))
    assert report.refuted
    assert 1.25 < report.mu_lower < 1 / 0.7
