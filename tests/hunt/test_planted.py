"""None of the false proofs that were once found is called proved again."""

from fractions import Fraction

import pytest
from trying import over

import antiphon as ap
from antiphon import Log
from antiphon.protocol import BoundedRange, GaussianDP, Renyi, Status, ZeroConcentrated
from antiphon.selfcheck.specimens.counters import ColumnsFromTheEnd
from antiphon.selfcheck.theorems.finite import FiniteResponse
from antiphon.verifiers import neighbouring_start

from .case import Case
from .planted import PLANTED, proved
from .referee import judged


@over("name", PLANTED, at_least=26)
def test_it_is_not_called_proved_unless_it_is_true(name):
    verdict = judged(PLANTED[name])
    assert not verdict.find, verdict.why
    assert verdict.kind != "unread", verdict.why


def test_a_twin_with_continuous_noise_is_not_called_proved():
    """Too wide to enumerate; the corpus refutes it on samples."""
    assert ap.guarantee(ColumnsFromTheEnd(horizon=3, rho=1)).status is not Status.PROVED


FALSE = {
    "zCDP": ZeroConcentrated(Fraction(1, 100)),
    "Rényi, at one order": Renyi(lambda order: 0.1 if order == 8 else 9.0),
    "GDP": GaussianDP(Fraction(134, 100)),
    "bounded range": BoundedRange(Log(8)),
}
"""Of RR_{ln 3}: ln 3-DP, 1.349-GDP, of range ln 9."""
TRUE = {"GDP": GaussianDP(Fraction(135, 100)), "bounded range": BoundedRange(Log(9))}


def response(measure):
    return FiniteResponse(((3, 1), (1, 3)), (proved(measure, neighbouring_start()),))


@pytest.mark.parametrize("name", FALSE)
def test_a_false_claim_of_another_measure_is_found(name):
    mechanism = response(FALSE[name])
    game = ap.PrivacyGame(mechanism, neighbouring_start())
    assert [check.status for check in game.check_claims(rounds=1)] == [Status.REFUTED]
    verdict = judged(lambda: Case(mechanism, rounds=1))
    assert verdict.find
    assert "REFUTED" in verdict.why


@pytest.mark.parametrize("name", TRUE)
def test_a_true_claim_of_another_measure_is_not(name):
    assert judged(lambda: Case(response(TRUE[name]), rounds=1)).kind == "true"
