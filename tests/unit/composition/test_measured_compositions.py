"""Compositions in each measure: which routes are taken, what is kept of them, what is not."""

import math
from fractions import Fraction

import pytest
from test_measured_purses import asked, said
from trying import over

import antiphon as ap
from antiphon import Claim
from antiphon.composition import (
    BasicFilter,
    Certified,
    ConcentratedFilter,
    NoGuarantee,
    WhitehouseFilter,
    adaptive_parameters,
    fixed_mechanisms,
    fixed_parameters,
    sparse_parallel,
)
from antiphon.composition.accounting import from_concentrated, from_renyi, optimal
from antiphon.composition.accounting.bounds import of_measure
from antiphon.composition.accounting.creations.k_sparse import SparseDivergence
from antiphon.composition.accounting.summed_measures import Summed, sum_of_one_kind, sums_by_measure
from antiphon.mechanisms import DiscreteGaussian, LeakyBit, RandomizedResponse
from antiphon.protocol import (
    Approximate,
    BoundedRange,
    GaussianDP,
    IdentityPostProcessor,
    Pure,
    Renyi,
    Status,
    ZeroConcentrated,
)
from antiphon.verifiers import bounded, event_level

EXT = ap.ExtConComp()
NOISE = DiscreteGaussian(rho=Fraction(1, 10))
TENTH = ZeroConcentrated(Fraction(1, 10))
DELTA = Fraction(1, 10**6)


def claiming(*measures, status=Status.PROVED, base=RandomizedResponse, f=None):
    class Says(base):
        @property
        def claims(self):
            own = f or super().claims[0].verification
            return tuple(Claim(measure, own, status, "a test") for measure in measures)

    return Says(epsilon=1)


class TestFixedMechanisms:
    @pytest.mark.slow
    def test_first_created_or_from_the_start_is_the_same(self):
        for made in ([NOISE] * 3, [NOISE, RandomizedResponse(epsilon=1)]):
            first = ap.guarantee(EXT, fixed_mechanisms(made))
            start = ap.guarantee(ap.ConComp(made))
            assert first.theorem == start.theorem
            assert first.status is start.status is Status.PROVED
            assert first.epsilon_at(DELTA) == start.epsilon_at(DELTA)

    def test_rho_adds_up(self):
        promise = ap.guarantee(ap.ConComp([NOISE] * 3))
        assert promise.claim(measure=ZeroConcentrated).measure == ZeroConcentrated(Fraction(3, 10))
        wanted = from_concentrated(Fraction(3, 10)).epsilon_at(DELTA)
        assert 0.8 * wanted < promise.epsilon_at(DELTA) <= wanted * (1 + 1e-9)

    def test_every_claim_of_the_same_f_counts(self):
        both = claiming(Pure(1), ZeroConcentrated(Fraction(1, 100)))
        promise = ap.guarantee(ap.ConComp([both] * 4))
        assert promise.theorem == "CM Thm 4.10"
        assert promise.claim().parameters == (4, 0)
        wanted = from_concentrated(Fraction(4, 100)).epsilon_at(DELTA)
        assert promise.epsilon_at(DELTA) <= wanted * (1 + 1e-9)
        assert promise.epsilon_at(0) == 4  # where Rényi promises nothing
        assert optimal([(1, 0)] * 4).epsilon_at(DELTA) > 2 * wanted

    def test_nor_does_one_of_another_f(self):
        class Two(RandomizedResponse):
            @property
            def claims(self):
                own = super().claims[0].verification
                return (
                    Claim(Pure(1), own, Status.PROVED, "a test"),
                    Claim(ZeroConcentrated(Fraction(1, 100)), bounded(own, 3), Status.PROVED, "."),
                )

        promise = ap.guarantee(ap.ConComp([Two(epsilon=1)] * 4))
        assert promise.epsilon_at(DELTA) == optimal([(1, 0)] * 4).epsilon_at(DELTA)
        assert not promise.derivation.measures

    def test_nor_one_that_is_less_sure(self):
        class Two(RandomizedResponse):
            @property
            def claims(self):
                own = super().claims[0].verification
                return (
                    Claim(Pure(1), own, Status.PROVED, "a test"),
                    Claim(ZeroConcentrated(Fraction(1, 100)), own, Status.ASSUMED, "a test"),
                    Claim(GaussianDP(Fraction(1, 100)), own, Status.REFUTED, "a test"),
                )

        promise = ap.guarantee(ap.ConComp([Two(epsilon=1)] * 4))
        assert promise.status is Status.PROVED
        assert promise.epsilon_at(DELTA) == optimal([(1, 0)] * 4).epsilon_at(DELTA)
        least = ap.Create(Two(epsilon=1), Two(epsilon=1).claims[1])
        worse = ap.guarantee(ap.ConComp([least] * 4))
        assert worse.status is Status.ASSUMED
        assert worse.epsilon_at(DELTA) < promise.epsilon_at(DELTA)

    def test_pure_ones_are_composed_as_ever(self):
        promise = ap.guarantee(ap.ConComp([RandomizedResponse(epsilon=1)] * 4))
        assert promise.curve == optimal([(1, 0)] * 4)
        assert not promise.derivation.measures

    def test_a_delta_is_lost(self):
        mixed = [NOISE, LeakyBit(delta=Fraction(1, 100))]
        promise = ap.guarantee(ap.ConComp(mixed))
        assert promise.curve.floor.upper >= 0.01
        alone = from_concentrated(Fraction(1, 10)).delta_at(1)
        assert 0.01 < promise.delta_at(1) <= alone + 0.01 + 1e-12
        assert not promise.derivation.measures  # no Rényi bound holds where all is told w.p. δ

    def test_a_chain_is_its_mechanism(self):
        promise = ap.guarantee(ap.ConComp([IdentityPostProcessor() @ NOISE, NOISE]))
        assert promise.claim(measure=ZeroConcentrated).measure == ZeroConcentrated(Fraction(1, 5))


class TestPurses:
    def test_fixed_measures_add_up(self):
        f = fixed_parameters([TENTH, ZeroConcentrated(Fraction(2, 10))])
        promise = ap.guarantee(EXT, f, catalogue=[NOISE])
        assert promise.status is Status.PROVED
        assert promise.epsilon_at(DELTA) == from_concentrated(Fraction(3, 10)).epsilon_at(DELTA)
        few = ap.guarantee(EXT, f, catalogue=[NOISE], max_creations=1)
        assert few.epsilon_at(DELTA) == from_concentrated(Fraction(2, 10)).epsilon_at(DELTA)
        assert ap.guarantee(EXT, f, max_creations=0).delta_at(0) == 0
        assert ap.guarantee(EXT, f).status is Status.ASSUMED  # who knows what may be created

    def test_squares_of_mu_add_up(self):
        promise = ap.guarantee(EXT, fixed_parameters([GaussianDP(3), GaussianDP(4)]))
        assert promise.claim(measure=GaussianDP).measure == GaussianDP(5)

    def test_ranges_by_two_routes(self):
        f = [BoundedRange(Fraction(1, 10))] * 100
        for promise in (
            ap.guarantee(EXT, fixed_parameters(f)),
            ap.guarantee(EXT, sparse_parallel(f, first_pair_consistent=True)),
        ):
            assert promise.epsilon_at(0) == 10
            assert (
                promise.epsilon_at(DELTA) < optimal([(0.1, 0)], times=100).epsilon_at(DELTA) / 1.5
            )
        bare = ap.guarantee(EXT, sparse_parallel(f))
        assert bare.theorem == "CM Thm 5.2"
        assert bare.claim().parameters == (10, 0)
        some = ap.guarantee(EXT, sparse_parallel(f), max_creations=101)
        assert some.epsilon_at(0) == 10
        assert some.epsilon_at(DELTA) < bare.epsilon_at(DELTA)

    def test_what_is_consistent_by_catalogue(self):
        f = sparse_parallel([TENTH])
        promise = ap.guarantee(EXT, f, catalogue=[NOISE])  # f_∼ is first-pair consistent
        assert promise.epsilon_at(DELTA) == from_concentrated(Fraction(1, 10)).epsilon_at(DELTA)

    def test_bounded_messages_bound_creations(self):
        f = sparse_parallel([TENTH] * 2)
        promise = ap.guarantee(EXT, bounded(f, 9))
        wanted = from_renyi(SparseDivergence((TENTH,) * 2, 4))
        assert promise.epsilon_at(DELTA) == wanted.epsilon_at(DELTA)

    @over("other", [Fraction(1, 5), Fraction(1, 4000)])
    def test_of_an_unequal_purse_the_lesser_of_two_bounds(self, other):
        """n of each kind are there, or all n are of the worse (docs/sparse.md): α = 3, n = 4."""
        rhos = Fraction(1, 4), other
        c, d = (math.expm1(2 * 3 * rho) for rho in rhos)
        of_each, of_the_worse = (1 + 4 * c) * (1 + 4 * d), 1 + 4 * c + 6 * c**2
        found = SparseDivergence(tuple(map(ZeroConcentrated, rhos)), 4)(3.0)
        assert found == pytest.approx(math.log(min(of_each, of_the_worse)) / 2, rel=1e-12)
        assert (of_each < of_the_worse) == (other < Fraction(1, 5))

    @pytest.mark.slow
    def test_without_a_bound_it_is_refuted(self):
        for measure in (ZeroConcentrated(Fraction(1, 2)), GaussianDP(1)):
            with pytest.raises(NoGuarantee, match="bound the number of creations") as caught:
                ap.guarantee(EXT, sparse_parallel([measure]))
            found = caught.value.counterexample
            game = ap.PrivacyGame(EXT, found.verification)
            wins = 0
            for seed in range(40):
                view = game.play(found.adversary, bit=1, seed=seed)
                wins += ap.audit.learned_bit(view) == 1
            assert wins >= 8  # of about 19, half of the time exposed, then RR_E tells the truth

    def test_of_other_curves_nothing_is_known(self):
        with pytest.raises(NoGuarantee, match="no figure is known") as caught:
            ap.guarantee(EXT, sparse_parallel([Renyi(lambda order: order)]))
        assert caught.value.counterexample is None

    def test_a_filter_holds_what_f_does_not(self):
        filtered = ap.ExtConComp(budget=ConcentratedFilter(rho=Fraction(1, 10), delta=0))
        promise = ap.guarantee(filtered, sparse_parallel([TENTH]), catalogue=[LeakyBit(delta=0)])
        assert promise.epsilon_at(DELTA) == from_concentrated(Fraction(1, 10)).epsilon_at(DELTA)

    def test_a_filter_of_rho_alone_adds_up_with_what_stands_beside_it(self):
        """Within Σρ <= 1/10 it is 1/10-zCDP; with a δ to spend, or as an (ε, δ), it is not."""
        kept = {
            ConcentratedFilter(rho=Fraction(1, 10)): (TENTH,),
            ConcentratedFilter(rho=Fraction(1, 10), delta=1e-6): (),
            WhitehouseFilter(epsilon=1, delta=1e-6): (),
            BasicFilter(epsilon=1): (),
        }
        for budget, measures in kept.items():
            assert ap.guarantee(ap.ExtConComp(budget=budget)).derivation.measures == measures
        filtered = ap.ExtConComp(budget=ConcentratedFilter(rho=Fraction(1, 10)))
        one = Certified(filtered, adaptive_parameters(filtered.budget))
        two = ap.guarantee(ap.ConComp([one, one]))
        wanted = from_concentrated(Fraction(1, 5)).epsilon_at(DELTA)
        assert two.epsilon_at(DELTA) <= wanted * (1 + 1e-9)


class TestWhatIsKept:
    def test_certified_keeps_its_curve(self):
        whole = Certified(
            ap.ConComp([NOISE] * 2), ap.composition.each_valid(ap.ConComp([NOISE] * 2))
        )
        kinds = [type(each.measure) for each in whole.claims]
        assert kinds == [ZeroConcentrated, GaussianDP, Renyi] or kinds == [ZeroConcentrated, Renyi]
        assert whole.claims[0].measure == ZeroConcentrated(Fraction(1, 5))
        assert ap.guarantee(whole).status is Status.PROVED
        wanted = from_concentrated(Fraction(1, 5)).epsilon_at(DELTA)
        assert 0.8 * wanted < ap.guarantee(whole).epsilon_at(DELTA) <= wanted * (1 + 1e-9)

    def test_certified_goes_into_a_purse_of_rho(self):
        f = fixed_mechanisms([NOISE] * 2)
        one = ap.Create(Certified(EXT, f))
        assert one.claim.measure == ZeroConcentrated(Fraction(1, 5))
        purse = fixed_parameters([one.claim.measure] * 2)
        assert purse(said(one, one)) is ap.TOP
        promise = ap.guarantee(EXT, purse, catalogue=[one])
        assert promise.status is Status.PROVED
        assert promise.epsilon_at(DELTA) == from_concentrated(Fraction(2, 5)).epsilon_at(DELTA)

    def test_with_a_delta_it_claims_the_point_first(self):
        f = fixed_mechanisms([NOISE] * 2)
        whole = Certified(EXT, f, delta=DELTA)
        assert whole.claims[0].parameters[1] == DELTA
        assert type(whole.claims[1].measure) is ZeroConcentrated

    def test_a_curve_that_was_changed_since_is_assumed(self):
        f = fixed_mechanisms([NOISE] * 2)
        whole = Certified(EXT, f)
        less = tuple(
            Claim(ZeroConcentrated(Fraction(1, 100)), c.verification, c.status, c.source)
            for c in whole.claims[:1]
        )
        object.__setattr__(whole, "claims", less)
        assert ap.guarantee(whole).status is Status.ASSUMED

    def test_what_adds_no_loss_hands_it_on(self):
        f = fixed_mechanisms([NOISE] * 2)
        for system in (
            IdentityPostProcessor() @ NOISE,
            ap.Verifier(NOISE.claims[0].verification) @ ap.Identifier() @ NOISE,
        ):
            assert TENTH in ap.guarantee(system).derivation.measures
        few = ap.guarantee(EXT, bounded(f, 5))
        assert few.claim(measure=ZeroConcentrated).measure == ZeroConcentrated(Fraction(1, 5))

    def test_a_group_does_not(self):
        one = claiming(TENTH, f=event_level())
        group = ap.guarantee(one, event_level(events=2))
        assert not group.derivation.measures
        with pytest.raises(ap.InvalidArgument, match="no ZeroConcentrated is promised"):
            group.claim(measure=ZeroConcentrated)

    def test_a_narrowed_question_is_assumed(self):
        promise = ap.guarantee(EXT, sparse_parallel([TENTH]), max_creations=3, catalogue=[NOISE])
        assert promise.status is Status.PROVED
        assert promise.claim(measure=ZeroConcentrated).status is Status.ASSUMED
        with pytest.raises(ap.InvalidArgument, match="no Pure is promised"):
            promise.claim(measure=Pure)


class TestTotals:
    def test_of_one_kind(self):
        assert sum_of_one_kind([TENTH, TENTH]) == ZeroConcentrated(Fraction(1, 5))
        assert sum_of_one_kind([GaussianDP(1), GaussianDP(2)], most=1) == GaussianDP(2)
        assert sum_of_one_kind([GaussianDP(1)] * 2).mu ** 2 >= 2

    @pytest.mark.parametrize("order", [1.5, 2, 64])
    def test_curves(self, order):
        low, high = (Renyi(lambda at, size=size: size * at) for size in (1, 2))
        assert Summed(((low,), (high,), (high,)))(order) == pytest.approx(5 * order)
        assert Summed(((low,), (high,), (high,)), 2)(order) == pytest.approx(4 * order)
        assert Summed(((low,), (high,), (low,)), 2)(order) == pytest.approx(3 * order)
        assert Summed(((low, high), (high,)))(order) == pytest.approx(3 * order)
        assert Summed(((low,),), 0)(order) == 0

    def test_sums_are_values(self):
        assert Summed(((TENTH,),) * 2) == Summed(((TENTH,),) * 2)
        assert Renyi(Summed(((TENTH,),))) != Renyi(Summed(((TENTH,),) * 2))

    def test_who_tells_nothing_adds_nothing(self):
        assert sums_by_measure([[Pure(0)], [TENTH]])[0] == TENTH
        assert sums_by_measure([[Approximate(0, 0.1)], [TENTH]]) == ()
        assert [type(each) for each in sums_by_measure([[Pure(0)]])] == [Renyi]

    def test_a_curve_of_infinite_divergence(self):
        steep = Renyi(lambda order: math.inf if order > 3 else order)
        assert SparseDivergence((steep,), 5)(4.0) == math.inf
        assert of_measure(Renyi(SparseDivergence((steep,), 5))).delta_at(50) < 1

    @pytest.mark.parametrize("n", [0, -1, 1.5, True])
    def test_a_number_of_creations(self, n):
        with pytest.raises(ap.InvalidArgument, match="creations"):
            SparseDivergence((TENTH,), n)


def test_a_differing_pair_is_paid_for():
    f = sparse_parallel([TENTH])
    made = ap.Create(NOISE)
    assert f(said(made, made, asked(0, 3, 4))) is ap.TOP
    assert f(said(made, made, asked(0, 3, 4), asked(1, 3, 4))) is ap.BOTTOM
