"""Purses of measures: what V[f] lets pass, and what a purse may not hold."""

from fractions import Fraction

import pytest
from trying import over

import antiphon as ap
from antiphon import Claim
from antiphon.composition import fixed_parameters, sparse_parallel
from antiphon.composition.validity import FixedMeasures, SparseMeasures
from antiphon.mechanisms import DiscreteGaussian, Gaussian, RandomizedResponse
from antiphon.protocol import (
    Approximate,
    BoundedRange,
    GaussianDP,
    Pure,
    Renyi,
    Status,
    ZeroConcentrated,
)
from antiphon.protocol.measures import converted
from antiphon.protocol.records.codec import decode, encode

NOISE = RandomizedResponse(epsilon=1)


def created(measure, mechanism=NOISE):
    claim = mechanism.claims[0]
    return ap.Create(mechanism, Claim(measure, claim.verification, claim.status, claim.source))


HALF = created(ZeroConcentrated(Fraction(1, 2)))
WHOLE = created(ZeroConcentrated(1))


def asked(index, zero=0, one=1):
    return ap.Pair(ap.Ask(zero, index), ap.Ask(one, index))


def said(*messages):
    return [ap.same(each) if type(each) is ap.Create else each for each in messages]


class TestWhatPasses:
    def test_fixed_measures_are_a_sub_multiset(self):
        f = fixed_parameters([ZeroConcentrated(Fraction(1, 2)), ZeroConcentrated(1)])
        assert f(said(HALF, WHOLE, asked(0), asked(1))) is ap.TOP
        assert f(said(WHOLE, HALF)) is ap.TOP
        assert f(said(HALF, HALF)) is ap.BOTTOM

    def test_k_sparse_charges_the_first_differing_pair(self):
        f = sparse_parallel([ZeroConcentrated(Fraction(1, 2))])
        assert f(said(HALF, HALF, WHOLE, asked(0, 1, 1), asked(1))) is ap.TOP
        assert f(said(HALF, HALF, asked(0), asked(1))) is ap.BOTTOM
        assert f(said(WHOLE, asked(0))) is ap.BOTTOM  # it is not among the fixed ones
        assert f(said(HALF, asked(0), asked(0))) is ap.BOTTOM  # nor is that f'-valid

    def test_first_pair_consistency_is_seen_to(self):
        f = sparse_parallel([ZeroConcentrated(Fraction(1, 2))], first_pair_consistent=True)
        assert f(said(HALF, HALF, asked(0, 1, 1), asked(1))) is ap.TOP
        assert f(said(HALF, HALF, asked(0, 1, 1), asked(0))) is ap.BOTTOM

    def test_creations_assert_that_kind(self):
        for f in (sparse_parallel([ZeroConcentrated(1)]), fixed_parameters([ZeroConcentrated(1)])):
            assert f(said(WHOLE)) is ap.TOP
            assert f(said(ap.Create(NOISE))) is ap.BOTTOM  # asserts ε
            assert f(said(created(GaussianDP(2)))) is ap.BOTTOM

    def test_a_refuted_claim_does_not_pass(self):
        claim = Claim(ZeroConcentrated(1), NOISE.claims[0].verification, Status.REFUTED, "a test")

        class Wrong(RandomizedResponse):
            @property
            def claims(self):
                return (claim,)

        assert sparse_parallel([ZeroConcentrated(1)])(said(ap.Create(Wrong(epsilon=1)))) is (
            ap.BOTTOM
        )

    def test_continuous_answers_do_not_pass(self):
        noise = Gaussian(rho=1, sensitivity=1)
        one = ap.Create(noise, next(c for c in noise.claims if type(c.measure) is ZeroConcentrated))
        for f in (fixed_parameters([one.claim.measure]), sparse_parallel([one.claim.measure])):
            assert f(said(one)) is ap.BOTTOM

    def test_curves_are_told_apart_by_identity(self):
        mechanism = RandomizedResponse(epsilon=1)
        curve = converted(Pure(1), Renyi)
        other = converted(Pure(1), Renyi)

        class Curved(RandomizedResponse):
            @property
            def claims(self):
                f = mechanism.claims[0].verification
                return tuple(Claim(m, f, Status.ASSUMED, "a test") for m in (curve, other))

        one = Curved(epsilon=1)
        first, second = (ap.Create(one, claim) for claim in one.claims)
        f = fixed_parameters([curve])
        assert f(said(first)) is ap.TOP
        assert f(said(second)) is ap.BOTTOM

    def test_a_bound_on_the_number_of_messages(self):
        f = ap.verifiers.bounded(sparse_parallel([ZeroConcentrated(Fraction(1, 2))]), 3)
        assert f(said(HALF, HALF, asked(0))) is ap.TOP
        assert f(said(HALF, HALF, asked(0), asked(0, 1, 1))) is ap.BOTTOM


class TestWhatAPurseHolds:
    def test_pure_and_approximate_are_pairs(self):
        assert sparse_parallel([Pure(1)]) == sparse_parallel([(1, 0)])
        assert fixed_parameters([Pure(1), Approximate(1, 0.5)]) == fixed_parameters(
            [(1, 0), (1, 0.5)]
        )

    def test_numbers_are_exact(self):
        assert sparse_parallel([ZeroConcentrated(0.1)]).measures[0].rho == Fraction(1, 10)

    def test_any_iterable_will_do(self):
        f = fixed_parameters(GaussianDP(n) for n in (1, 2, 1))
        assert type(f) is FixedMeasures
        assert tuple(f.purse) == (2, 1)

    @pytest.mark.parametrize(
        "given",
        [
            [Pure(1), ZeroConcentrated(1)],
            [GaussianDP(1), ZeroConcentrated(1)],
            [ZeroConcentrated(1), (1, 0)],
            ["rho", Renyi(lambda order: order)],
        ],
    )
    def test_of_one_kind(self, given):
        for make in (fixed_parameters, sparse_parallel, FixedMeasures, SparseMeasures):
            with pytest.raises(ap.InvalidArgument, match=r"measures of one kind.* here they are"):
                make(given)

    @pytest.mark.parametrize("given", [3, None, [3], ["rho"], [(1, 0, 0)]])
    def test_unknown_things(self, given):
        for make in (fixed_parameters, sparse_parallel):
            with pytest.raises(ap.InvalidArgument, match=r"pairs .*, or measures of one kind"):
                make(given)

    def test_no_measure_is_no_purse_of_measures(self):
        with pytest.raises(ap.InvalidArgument, match="here they are none"):
            SparseMeasures(())
        assert sparse_parallel([]).parameters == ()

    @over("kind", [ZeroConcentrated, GaussianDP, BoundedRange])
    @over("size", [-1, float("nan"), float("-inf"), "1", None])
    def test_sizes_are_positive_numbers(self, kind, size):
        with pytest.raises(ap.InvalidArgument):
            sparse_parallel([kind(size)])

    def test_recordings_name_them(self):
        f = sparse_parallel([ZeroConcentrated(0.1)] * 2, first_pair_consistent=True)
        assert decode(encode(f)) == f


def test_the_exact_engine_reads_them():
    """RR(ln 3) asserted as ρ: one of two pays, so the tight δ at 0 is that of one."""
    one = RandomizedResponse(epsilon=ap.Log(3))
    half = created(converted(Pure(ap.Log(3)), ZeroConcentrated), one)
    search = {"rounds": 4, "catalogue": [half], "max_creations": 2}
    for f, delta in (
        (sparse_parallel([half.claim.measure]), Fraction(1, 2)),
        (fixed_parameters([half.claim.measure] * 2), Fraction(1, 2)),
        (sparse_parallel([half.claim.measure] * 2), Fraction(1, 2)),
    ):
        game = ap.PrivacyGame(ap.ExtConComp(), f)
        assert game.tight_delta(epsilon=0, **search) == delta
    both = ap.PrivacyGame(ap.ExtConComp(), sparse_parallel([half.claim.measure] * 2))
    alone = ap.PrivacyGame(ap.ExtConComp(), sparse_parallel([half.claim.measure]))
    assert both.tight_delta(epsilon=ap.Log(3), **search) == Fraction(3, 8)
    assert alone.tight_delta(epsilon=ap.Log(3), **search) == 0


def test_a_gaussian_claims_its_rho():
    noise = DiscreteGaussian(rho=1, sensitivity=1)
    rho = next(c for c in noise.claims if type(c.measure) is ZeroConcentrated)
    assert sparse_parallel([rho.measure])(said(ap.Create(noise, rho), asked(0))) is ap.TOP
