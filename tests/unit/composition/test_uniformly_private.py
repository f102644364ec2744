"""Theorem U: sparse composition of uniformly private mechanisms, and what is not known to be."""

from fractions import Fraction

import pytest

import antiphon as ap
from antiphon.composition import Create, NoGuarantee, sparse_parallel
from antiphon.composition.accounting import optimal
from antiphon.mechanisms import BufferedToeplitzCounter, LeakyBit, SquareRootCounter, TreeCounter
from antiphon.protocol import Status

DELTA = Fraction(1, 10**6)


def created(mechanism):
    [claim] = mechanism.claims
    return Create(mechanism, claim.at(DELTA) if hasattr(claim.measure, "rho") else claim)


def guarantee(catalogue, times=2):
    f = sparse_parallel([catalogue[0].parameters] * times)
    return ap.guarantee(ap.ExtConComp(), f, catalogue=catalogue)


@pytest.mark.parametrize("kind", [BufferedToeplitzCounter, SquareRootCounter])
def test_toeplitz_counters_may_be_created_without_end(kind):
    made = created(kind(horizon=64, rho=Fraction(1, 50)))
    beside = Create(TreeCounter(horizon=8, epsilon=Fraction(1, 9)))
    found = guarantee([made, beside])
    assert found.derivation.theorem == "Theorem U (docs/sparse.md)"
    assert found.status is Status.PROVED
    expected = optimal([made.parameters], times=2)
    assert found.delta_at(1) == pytest.approx(expected.delta_at(1), rel=1e-9)


class OwnCounter(BufferedToeplitzCounter):
    """A user's counter, about which nothing is proved."""

    def step(self, state, message, coins):
        return super().step(state, message, coins)


def test_what_is_not_known_to_be_uniform_is_refused():
    own = OwnCounter(horizon=8, rho=Fraction(1, 50))
    leaky = Create(LeakyBit(delta=DELTA))
    for wrong in (Create(own, own.claims[0].at(DELTA)), leaky):
        with pytest.raises(NoGuarantee, match="learns everything"):
            guarantee([wrong])
    with pytest.raises(NoGuarantee, match="learns everything"):
        guarantee([created(SquareRootCounter(horizon=8, rho=Fraction(1, 50))), leaky])


def test_without_a_catalogue_nothing_is_known():
    f = sparse_parallel([(1, DELTA)])
    with pytest.raises(NoGuarantee, match="learns everything"):
        ap.guarantee(ap.ExtConComp(), f)
