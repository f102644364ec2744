"""``check_claims`` refutes what is somewhat too good, and only that."""

from fractions import Fraction

import attrs
import pytest

import antiphon as ap
from antiphon import Claim, Log
from antiphon.audit.exact.claimed import CURVE, ORDERS
from antiphon.numbers import exact
from antiphon.protocol import (
    Approximate,
    BoundedRange,
    Dominated,
    DominatingPair,
    GaussianDP,
    Pure,
    Renyi,
    Status,
    ZeroConcentrated,
)
from antiphon.protocol.measures import converted
from antiphon.selfcheck.theorems.finite import FiniteResponse
from antiphon.verifiers import neighbouring_start

RR = FiniteResponse(((3, 1), (1, 3)))
F = neighbouring_start()
GAME = ap.PrivacyGame(RR, F)


def row_of(measure):
    claimed = attrs.evolve(RR, claims=(Claim(measure, F, Status.PROVED, "by hand"),))
    (row,) = ap.PrivacyGame(claimed, F).check_claims(rounds=1)
    return row


def verdict(measure):
    return row_of(measure).verdict


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


@pytest.mark.parametrize("share", [Fraction(2, 3), Fraction(99, 100), Fraction(1), Fraction(3, 2)])
def test_a_share_of_the_tight_range(share):
    eta = exact.epsilon(Log(9)) if share == 1 else share * exact.bracket(Log(9), 30)[0]
    row = row_of(BoundedRange(eta))
    assert row.verdict == ("holds" if share >= 1 else "REFUTED")
    assert row.range.tight == Log(9)
    assert "tight ln 9" in str(row)


@pytest.mark.parametrize("share", [Fraction(2, 3), Fraction(99, 100), Fraction(1), Fraction(3, 2)])
def test_a_share_of_the_tight_mu(share):
    """2Φ⁻¹(3/4): at that μ both δ(0) and nothing else of RR_{ln 3} is met."""
    mu = converted(Pure(Log(3)), GaussianDP).mu
    row = row_of(GaussianDP(share * mu))
    assert row.verdict == ("holds" if share >= 1 else "REFUTED")
    assert [each.tight.epsilon for each in row.points] == list(CURVE)
    assert [each.tight.order for each in row.orders] == list(ORDERS)


@attrs.frozen
class Stated(DominatingPair):
    """What is said of a pair: the truth about RR_{ln 3}, times two shares."""

    of_delta: Fraction = Fraction(1)
    of_divergence: float = 1.0

    def delta_at(self, epsilon):
        return float(self.of_delta * GAME.tight_delta(epsilon=epsilon, rounds=1))

    def divergence_at(self, order):
        return self.of_divergence * GAME.tight_renyi(Fraction(order), rounds=1).upper


def test_a_dominating_pair_is_compared_at_points_and_orders():
    assert row_of(Dominated(Stated())).verdict == "holds"
    assert "δ(0) claimed 1/2, tight 1/2; D_" in str(row_of(Dominated(Stated())))
    for pair in (Stated(of_delta=Fraction(99, 100)), Stated(of_divergence=0.99)):
        row = row_of(Dominated(pair))
        assert row.verdict == "REFUTED"
        assert "only ε 0, ln 5/4" in str(row)


def test_a_pair_that_fails_is_not_compared():
    for share in (Fraction(-1), Fraction(5)):
        row = row_of(Dominated(Stated(of_delta=share)))
        assert row.verdict == "not compared"
    with pytest.raises(ap.InvalidArgument, match="points, orders and range"):
        row_of(GaussianDP(2)).tight  # noqa: B018
