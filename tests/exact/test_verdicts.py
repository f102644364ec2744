"""``check_claims`` refutes what is somewhat too good, and only that."""

from fractions import Fraction

import attrs
import pytest

import antiphon as ap
from antiphon.protocol import Claim, Log, Status
from antiphon.protocol.claims import Approximate, Renyi, ZeroConcentrated
from antiphon.selfcheck.theorems.parts.finite import FiniteResponse
from antiphon.verifiers import neighbouring_start

RR = FiniteResponse(((3, 1), (1, 3)))
F = neighbouring_start()
GAME = ap.PrivacyGame(RR, F)


def verdict(measure):
    claimed = attrs.evolve(RR, claims=(Claim(measure, F, Status.PROVED, "by hand"),))
    (row,) = ap.PrivacyGame(claimed, F).check_claims(rounds=1)
    return row.verdict


@pytest.mark.parametrize("share", [Fraction(2, 3), Fraction(99, 100), Fraction(1), Fraction(3, 2)])
def test_a_share_of_the_tight_delta(share):
    tight = GAME.tight_delta(epsilon=Log(2), rounds=1)
    assert tight == Fraction(1, 4)
    assert verdict(Approximate(Log(2), share * tight)) == ("holds" if share >= 1 else "REFUTED")


@pytest.mark.parametrize("share", [Fraction(2, 3), Fraction(99, 100), Fraction(101, 100)])
def test_a_share_of_the_tight_rho(share):
    """The largest D_α/α over the orders that are compared."""
    orders = [Fraction(101, 100), Fraction(3, 2), *map(Fraction, (2, 3, 5, 8, 16, 64))]
    rho = max(Fraction(GAME.tight_renyi(a, rounds=1).upper) / a for a in orders)
    assert verdict(ZeroConcentrated(share * rho)) == ("holds" if share >= 1 else "REFUTED")


@pytest.mark.parametrize("share", [0.66, 0.99, 1.01])
def test_a_share_of_the_tight_curve(share):
    def curve(order):
        return share * GAME.tight_renyi(Fraction(order), rounds=1).upper

    assert verdict(Renyi(curve)) == ("holds" if share >= 1 else "REFUTED")
