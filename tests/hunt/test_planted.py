"""None of the false proofs that were once found is called proved again."""

from fractions import Fraction

import pytest

import antiphon as ap
from antiphon.protocol import Status, ZeroConcentrated
from antiphon.selfcheck.corpus.specimens.counters import ColumnsFromTheEnd
from antiphon.selfcheck.theorems.parts.finite import FiniteResponse
from antiphon.verifiers import neighbouring_start

from .planted import PLANTED, proved
from .referee import judged


@pytest.mark.parametrize("name", PLANTED)
def test_it_is_not_called_proved_unless_it_is_true(name):
    verdict = judged(PLANTED[name])
    assert not verdict.find, verdict.why
    assert verdict.kind != "unread", verdict.why


def test_a_twin_with_continuous_noise_is_not_called_proved():
    """Too wide to enumerate; the corpus refutes it on samples."""
    assert ap.guarantee(ColumnsFromTheEnd(horizon=3, rho=1)).status is not Status.PROVED


def test_a_false_claim_of_zcdp_is_refuted_by_name():
    """RR_{ln 3} has divergences of up to ln 3, far above 1/100 an order."""
    false = proved(ZeroConcentrated(Fraction(1, 100)), neighbouring_start())
    game = ap.PrivacyGame(FiniteResponse(((3, 1), (1, 3)), (false,)), false.verification)
    assert [check.status for check in game.check_claims(rounds=1)] == [Status.REFUTED]
