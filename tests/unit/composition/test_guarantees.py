"""What guarantees say, and how they are told; that they are true is in tests/exact."""

import json
import math
from fractions import Fraction
from xml.etree import ElementTree

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import over

import antiphon as ap
from antiphon import Claim, Log, spaces
from antiphon.composition import (
    BasicFilter,
    Certified,
    ComplexMechanism,
    ConcentratedFilter,
    GaussianFilter,
    Lifting,
    NoGuarantee,
    RenyiFilter,
    WhitehouseFilter,
    adaptive_parameters,
    each_valid,
    fixed_mechanisms,
    fixed_parameters,
    sparse_parallel,
)
from antiphon.composition.accounting.bounds import (
    GroupCurve,
    group_curve,
    least_curve,
    of_measure,
    shifted_curve,
)
from antiphon.composition.guarantees.inclusion import group_size, includes
from antiphon.composition.guarantees.text import points
from antiphon.mechanisms import (
    COUNT,
    Laplace,
    LeakyBit,
    RandomizedResponse,
    RoundToGrid,
    UnboundedCounter,
)
from antiphon.mechanisms import TreeCounter as Counter
from antiphon.numbers.rounded_text import shown_up
from antiphon.protocol import (
    Approximate,
    IdentityPostProcessor,
    Pure,
    Renyi,
    Status,
    ZeroConcentrated,
)
from antiphon.protocol.records.codec import decode, encode
from antiphon.selfcheck.theorems.complex_mechanisms import EachBit
from antiphon.verifiers import (
    AddOrRemove,
    Within,
    bounded,
    event_level,
    every_pair,
    neighbouring_start,
    updates_and_queries,
    user_level,
)

RESPONSE = RandomizedResponse(epsilon=Log(3), delta=0.1)
COUNTER = Counter(horizon=8, epsilon=0.5)
EXT = ap.ExtConComp()


def claiming(*claims, answers=spaces.BITS, queries=spaces.BITS):
    @ap.mechanism(queries=queries, answers=answers, claims=claims)
    def echo(state, message, coins):
        return state, message

    return echo


def claim(measure, f=None, status=Status.PROVED):
    return Claim(measure, f or event_level(), status, "a test")


class TestWhatIsAsked:
    def test_figures_are_promised(self):
        guarantee = ap.guarantee(EXT, fixed_parameters([(1, 0.1)] * 2), catalogue=[])
        assert guarantee.epsilon_at(0.19) == 2
        assert 0.19 <= guarantee.delta_at(1) < 1
        assert guarantee.delta_at(2) == 0.19
        with pytest.raises(ap.InvalidArgument, match="floor"):
            guarantee.epsilon_at(0.1)

    def test_a_claim_of_it_is_exact(self):
        promise = ap.guarantee(EXT, fixed_parameters([(Log(3), 0.1), (Log(2), 0)]), catalogue=[])
        assert promise.claim().parameters == (Log(6), Fraction(1, 10))
        epsilon, delta = promise.claim(delta=0.2).parameters
        assert delta == Fraction(1, 5)
        assert promise.delta_at(epsilon) <= 0.2

    def test_a_narrowed_question_claims_nothing_proved(self):
        f = sparse_parallel([(0.5, 0)])
        assert ap.guarantee(EXT, f, catalogue=[COUNTER]).status is Status.PROVED
        assert ap.guarantee(EXT, f, catalogue=[COUNTER]).claim().status is Status.ASSUMED
        assert ap.guarantee(ap.ConComp([COUNTER])).claim().status is Status.PROVED

    @pytest.mark.parametrize("wrong", [-1, 1.0, True, "2"])
    def test_max_creations_is_a_number(self, wrong):
        with pytest.raises(ap.InvalidArgument):
            ap.guarantee(EXT, sparse_parallel([(0, 0.1)]), max_creations=wrong)

    @pytest.mark.parametrize("system", [None, 3, RESPONSE.claims[0], ap.Identifier()])
    def test_of_mechanisms_only(self, system):
        with pytest.raises(ap.InvalidArgument, match="mechanism"):
            ap.guarantee(system)

    def test_with_respect_to_verification_functions_only(self):
        for wrong in ({"verification": COUNTER}, {"inner": 3}):
            with pytest.raises(ap.InvalidArgument, match="verification function"):
                ap.guarantee(EXT, **wrong)


class TestClaims:
    def test_proved_ones_first_and_those_alike_together(self):
        mechanism = claiming(
            claim(Pure(3), status=Status.ASSUMED), claim(Pure(1)), claim(ZeroConcentrated(0.01))
        )
        guarantee = ap.guarantee(mechanism)
        assert guarantee.status is Status.PROVED
        assert guarantee.epsilon_at(0) == 1
        assert guarantee.epsilon_at(1e-3) < 0.6  # by the ρ
        assert guarantee.delta_at(0.6) < 1e-3
        assert guarantee.delta_at(1) == 0  # by the ε

    def test_refuted_ones_never(self):
        refuted = claim(Pure(1), status=Status.REFUTED)
        with pytest.raises(NoGuarantee, match="refuted"):
            ap.guarantee(claiming(refuted))
        assert ap.guarantee(claiming(refuted, claim(Pure(2)))).epsilon_at(0) == 2

    def test_none_is_no_guarantee(self):
        with pytest.raises(NoGuarantee, match="it has none"):
            ap.guarantee(claiming())

    def test_about_another_f(self):
        with pytest.raises(NoGuarantee, match="EventLevel"):
            ap.guarantee(claiming(claim(Pure(1))), every_pair())

    def test_a_renyi_claim(self):
        concentrated = ap.guarantee(claiming(claim(ZeroConcentrated(0.1))))
        renyi = ap.guarantee(claiming(claim(Renyi(lambda order: 0.1 * order))))
        assert renyi.epsilon_at(1e-6) == pytest.approx(concentrated.epsilon_at(1e-6), rel=1e-6)
        for none in (float("nan"), -1.0):
            nothing = ap.guarantee(claiming(claim(Renyi(lambda order, none=none: none))))
            assert nothing.delta_at(5) == 1

    def test_group_privacy_of_a_pure_claim(self):
        queries = spaces.Finite((COUNT,))
        f = updates_and_queries(event_level(events=3), queries)
        assert ap.guarantee(COUNTER, f).epsilon_at(0) == 1.5
        assert ap.guarantee(COUNTER, bounded(f, 2)).epsilon_at(0) == 1

    def test_groups_of_one_users_updates(self):
        event = claiming(claim(Pure(1)), queries=spaces.Tuples((spaces.BITS, spaces.BITS)))
        assert ap.guarantee(event, user_level(events=4)).epsilon_at(0) == 4
        assert ap.guarantee(event, bounded(user_level(), 3)).epsilon_at(0) == 3
        with pytest.raises(NoGuarantee):
            ap.guarantee(event, user_level())  # any number of updates

    def test_the_cure_of_another_relation_of_records_works(self):
        users = Counter(horizon=8, epsilon=1, users=True)
        names = {"M": users, "ap": ap}
        for f in (user_level(events=3), updates_and_queries(user_level(), spaces.Finite((COUNT,)))):
            with pytest.raises(NoGuarantee, match="OfUpdates: they differ in the last") as refused:
                ap.guarantee(users, f)
            told = str(refused.value)
            cure = told[told.index("ap.verifiers.updates_and") : told.index(", M this mechanism")]
            assert ap.guarantee(users, eval(cure, names)).epsilon_at(0) == 3

    @pytest.mark.parametrize("events", [1, 3, None])
    def test_user_level_of_messages_that_name_no_user_protects_nobody(self, events):
        """V[f] would halt at every pair that differs: a figure would promise nothing, and look as
        if it did."""
        f = user_level(events=events)
        reals = spaces.Either((spaces.Reals(), spaces.Arrays((2,)), spaces.Texts(3)))
        event = claim(Pure(1), f)
        for system in (COUNTER, claiming(event), claiming(event, queries=reals)):
            for asked in (f, bounded(f, 2), updates_and_queries(f, spaces.Finite((COUNT,)))):
                with pytest.raises(NoGuarantee, match=r"takes no records.*users=True"):
                    ap.guarantee(system, asked)
        for records in (spaces.Finite((0, (1, 0))), spaces.Anything()):
            assert ap.guarantee(claiming(event, queries=records), f).epsilon_at(0) == 1

    def test_more_updates_of_a_user_than_a_counter_protects(self):
        """A claim about two updates of a user is none about three, nor about all of them."""
        users = Counter(horizon=8, epsilon=1, users=True, events=2)
        f = users.claims[0].verification

        def with_events(events):
            return attrs.evolve(f, updates=attrs.evolve(f.updates, events=events))

        assert ap.guarantee(users, with_events(1)).epsilon_at(0) == 1
        assert ap.guarantee(users, with_events(3)).epsilon_at(0) == 2
        with pytest.raises(NoGuarantee, match="events=2"):
            ap.guarantee(users, with_events(None))

    def test_nothing_said_is_nothing_lost(self):
        assert ap.guarantee(claiming(claim(Pure(1))), bounded(event_level(events=3), 0))


class TestInheritedClaims:
    """A subclass from elsewhere that changes anything must state its claims anew."""

    @attrs.frozen(kw_only=True, repr=False)
    class Quiet(Counter):
        def _noise(self, *args, **options):
            return 0

    @attrs.frozen
    class Larger(LeakyBit):
        def __attrs_post_init__(self):
            object.__setattr__(self, "delta", 2 * self.delta)

    class Renamed(LeakyBit):
        """Nothing changed."""

    @pytest.mark.parametrize(
        "mechanism", [Quiet(horizon=8, epsilon=1), Larger(delta=0.1)], ids=["step's part", "made"]
    )
    def test_whatever_is_changed(self, mechanism):
        assert ap.guarantee(mechanism).status is Status.ASSUMED
        assert "and claims is inherited; state it anew in" in str(ap.guarantee(mechanism))

    def test_behind_what_passes_its_claims_on(self):
        quiet = self.Quiet(horizon=8, epsilon=1)
        for whole in (
            ap.ConComp([IdentityPostProcessor() @ quiet]),
            ap.ConComp([Certified(quiet, quiet.claims[0].verification)]),
            UnboundedCounter(counter=quiet),
        ):
            assert ap.guarantee(whole).status is Status.ASSUMED

    def test_nothing_changed(self):
        assert ap.guarantee(self.Renamed(delta=0.1)).status is Status.PROVED


INCLUDED = [
    (event_level(), event_level()),
    (event_level(), bounded(event_level(), 2)),
    (bounded(event_level(), 3), bounded(event_level(), 2)),
    (event_level(events=3), event_level(events=2)),
    (event_level(), event_level(AddOrRemove())),
    (event_level(Within(2)), event_level(Within(1))),
    (event_level(), neighbouring_start(Within(1))),
    (event_level(Within(1)), event_level(events=0)),
    (neighbouring_start(), neighbouring_start(AddOrRemove())),
    (user_level(), user_level(AddOrRemove())),
    (user_level(), user_level(events=2)),
    (user_level(events=3), user_level(events=2)),
    (event_level(events=2), user_level(events=2)),
    (
        updates_and_queries(event_level(events=2), spaces.BITS),
        updates_and_queries(event_level(), spaces.BITS),
    ),
]
NOT_INCLUDED = [
    (event_level(), event_level(events=2)),
    (bounded(event_level(), 2), event_level()),
    (bounded(event_level(), 2), bounded(event_level(), 3)),
    (event_level(Within(1)), event_level(Within(2))),
    (event_level(AddOrRemove()), event_level()),
    (event_level(events=0), neighbouring_start()),
    (neighbouring_start(), event_level()),
    (event_level(), user_level()),
    (user_level(events=2), user_level()),
    (user_level(events=2), user_level(events=3)),
    (user_level(events=3), event_level(events=2)),
    (event_level(events=2), user_level(events=3)),
    (updates_and_queries(event_level(), spaces.BITS), event_level()),
    (
        updates_and_queries(event_level(), spaces.BITS),
        updates_and_queries(event_level(), spaces.Integers(1, 2)),
    ),
]
EVERY_F = sorted({repr(f): f for pair in INCLUDED + NOT_INCLUDED for f in pair}.items())


class TestInclusion:
    @over(("outer", "inner"), INCLUDED, at_least=14)
    def test_known(self, outer, inner):
        assert includes(outer, inner)

    @over(("outer", "inner"), NOT_INCLUDED, at_least=14)
    def test_not_known(self, outer, inner):
        assert not includes(outer, inner)

    @given(
        st.sampled_from(EVERY_F),
        st.sampled_from(EVERY_F),
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=5),
    )
    def test_what_is_known_holds_on_sequences(self, outer, inner, pairs):
        messages = [ap.Pair(*pair) for pair in pairs]
        records = [ap.Pair((1, zero), (1, one)) for zero, one in pairs]
        for each in (messages, records) if includes(outer[1], inner[1]) else ():
            assert inner[1](each) is ap.BOTTOM or outer[1](each) is ap.TOP

    def test_of_a_subclass_nothing_is_known(self):
        class Own(type(event_level())):
            pass

        assert not includes(event_level(), Own())
        assert group_size(event_level(), Own(events=2)) is None

    @over(
        ("outer", "inner", "size"),
        [
            (event_level(), event_level(events=4), 4),
            (event_level(events=2), event_level(events=5), 3),
            (event_level(), bounded(event_level(events=9), 4), 4),
            (bounded(event_level(), 5), bounded(event_level(events=2), 5), 2),
            (bounded(event_level(), 5), event_level(events=2), None),
            (bounded(event_level(), 2), bounded(event_level(events=2), 5), None),
            (event_level(events=0), event_level(), None),
            (event_level(Within(1)), event_level(Within(2), events=2), None),
            (neighbouring_start(), event_level(), None),
            (event_level(), user_level(events=3), 3),
            (event_level(events=2), bounded(user_level(), 7), 4),
            (user_level(events=2), user_level(events=3), 2),
            (user_level(events=2), event_level(events=3), None),
            (event_level(), user_level(), None),
        ],
    )
    def test_groups(self, outer, inner, size):
        assert group_size(outer, inner) == size


@ap.mechanism(
    queries=spaces.BITS,
    answers=spaces.BITS,
    claims=(Claim(Pure(Log(2)), event_level(), Status.ASSUMED, "RR of each bit"),),
)
def each_bit(state, bit, coins):
    return state, bit ^ int(coins.bernoulli(Fraction(1, 3)))


class TestCurves:
    def test_a_group_of_approximate_dp(self):
        one = of_measure(Approximate(Log(2), 0.01))
        curve = GroupCurve(one, 3)
        exact = 0.01 * (1 + 2 + 4)  # δ(1 + e^ε + e^2ε)
        assert exact <= curve.delta_at(Log(8)) <= exact * 1.001
        assert curve.delta_at(50) <= exact * 1.001  # never worse further on
        assert curve.epsilon_at(0.071) <= math.log(8) + 1e-9

    def test_a_group_of_pure_dp_is_pure(self):
        """k changes of an ε-DP mechanism are kε-DP, which implies less at every smaller ε than the
        sum over hybrids."""
        promise = ap.guarantee(each_bit, event_level(events=2))
        assert promise.claim().measure == Approximate(Log(4), 0)
        assert promise.statement().of("How much")[0] == "ε = 1.3863 and δ = 0, rounded up."
        assert 0.6 <= promise.delta_at(0) <= 0.6 + 1e-9
        assert (4 - math.e) / 5 <= promise.delta_at(1) <= (4 - math.e) / 5 + 1e-9
        known = least_curve([of_measure(ZeroConcentrated(2)), of_measure(Pure(1))])
        assert group_curve(known, 100).epsilon_at(0) == 100
        loose = of_measure(Approximate(Log(2), 0.01))
        assert group_curve(loose, 2).delta_at(Log(4)) >= 0.01 * (1 + 2)

    @over("rounds", [2, 3])
    def test_a_group_is_no_less_than_what_it_leaks(self, rounds):
        f = event_level(events=2)
        promise, game = ap.guarantee(each_bit, f), ap.PrivacyGame(each_bit, f)
        for epsilon in (0, Log(Fraction(3, 2)), Log(3), Log(4)):
            truth = game.tight_delta(epsilon=epsilon, rounds=rounds)
            assert truth <= promise.delta_at(epsilon)

    def test_but_for_an_event(self):
        one = of_measure(ZeroConcentrated(0.5))
        curve = shifted_curve(one, Fraction(1, 100))
        assert 0.01 + one.delta_at(3) <= curve.delta_at(3) <= 0.0100001 + one.delta_at(3)
        assert curve.delta_at(curve.epsilon_at(0.02)) <= 0.02
        assert curve.epsilon_at(0.02) == one.epsilon_at(Fraction(1, 100))
        assert curve.epsilon_at(Fraction(1, 90)) < math.inf
        assert shifted_curve(one, Fraction(0)) is one
        with pytest.raises(ap.InvalidArgument, match="floor"):
            curve.epsilon_at(0.005)

    @given(st.floats(0, 20), st.floats(0, 20))
    def test_they_decrease(self, one, other):
        pure, loose = of_measure(Pure(1)), of_measure(Approximate(0.5, 0.01))
        curves = [
            least_curve([pure, of_measure(ZeroConcentrated(0.1))]),
            shifted_curve(of_measure(ZeroConcentrated(0.1)), Fraction(1, 50)),
            of_measure(Renyi(lambda order: order * 0.1)),
            GroupCurve(pure, 2),
            GroupCurve(loose, 4),
        ]
        for curve in curves:
            low, high = (curve.delta_at(e) for e in sorted((one, other)))
            assert 1 >= low >= high >= 0

    @given(st.floats(1e-12, 1e6))
    def test_what_is_shown_is_promised(self, value):
        assert value <= float(shown_up(value)) <= value * 1.00002

    def test_points_are_promised(self):
        """Also above a floor of 1/4, where no round δ is and none is reached."""
        zcdp = of_measure(ZeroConcentrated(0.1))
        floors = [shifted_curve(zcdp, each) for each in (Fraction(1, 4), 1 - Fraction(1, 10**9))]
        for curve in (of_measure(Pure(1)), zcdp, *floors):
            assert points(curve)
            for epsilon, delta in points(curve):
                assert curve.delta_at(Fraction(epsilon)) <= delta * (1 + 1e-12)


class TestCompositions:
    def test_rho_beside_a_large_delta(self):
        """No round δ is above the floor: texts need a point all the same."""
        budget = ConcentratedFilter(rho=1, delta=Fraction(1, 4))
        assert "-DP with respect to" in str(ap.guarantee(ap.ExtConComp(budget=budget)))
        measures = ZeroConcentrated(1), Approximate(Log(2), Fraction(1, 4))
        parts = [claiming(claim(measure)) for measure in measures]
        both = ap.guarantee(ap.ConComp(parts), event_level(events=1))
        assert both.delta_at(1) < 1

    def test_continuous_answers_have_no_theorem(self):
        laplace = Laplace(epsilon=1)
        with pytest.raises(NoGuarantee, match="RoundToGrid"):
            ap.guarantee(EXT, fixed_mechanisms([laplace]))
        with pytest.raises(NoGuarantee, match="discrete"):
            ap.guarantee(ap.ConComp([laplace]))
        rounded = ap.guarantee(ap.ConComp([RoundToGrid() @ laplace]))
        assert rounded.status is Status.ASSUMED  # Laplace's own claim
        assert rounded.epsilon_at(0) == 1

    def test_claims_of_several_measures_add_up_by_renyi(self):
        concentrated = claiming(claim(ZeroConcentrated(0.01)))
        mixed = ap.guarantee(ap.ConComp([concentrated, RESPONSE, concentrated]))
        assert mixed.status is Status.PROVED
        assert "Rényi" in mixed.theorem
        assert 0.1 < mixed.delta_at(3) < 0.1001
        assert mixed.epsilon_at(0.11) > ap.guarantee(ap.ConComp([RESPONSE])).epsilon_at(0.11)
        ten = ap.guarantee(ap.ConComp([concentrated] * 10))
        one = ap.guarantee(claiming(claim(ZeroConcentrated(0.1))))
        assert ten.epsilon_at(1e-6) == pytest.approx(one.epsilon_at(1e-6), rel=1e-9)

    def test_each_needs_a_claim_and_discrete_answers(self):
        concentrated = claim(ZeroConcentrated(1))
        with pytest.raises(NoGuarantee, match=r"pass Create\(mechanism, claim\)"):
            ap.guarantee(EXT, fixed_mechanisms([claiming()]))
        with pytest.raises(NoGuarantee, match="discrete"):
            ap.guarantee(ap.ConComp([claiming(concentrated, answers=spaces.Reals())]))
        with pytest.raises(NoGuarantee, match="asserts none, or a refuted one"):
            ap.guarantee(ap.ConComp([claiming(concentrated), claiming()]))

    def test_any_few_of_the_fixed_parameters(self):
        f = fixed_parameters([(0.2, 0), (0.5, 0.1), (1, 0)])
        few = ap.guarantee(EXT, f, max_creations=2, catalogue=[])
        assert few.claim().parameters == (Fraction(3, 2), Fraction(1, 10))
        assert "any 2 of" in few.explain()
        assert ap.guarantee(EXT, bounded(f, 5), catalogue=[]).epsilon_at(0.1) == 1.5
        assert ap.guarantee(EXT, bounded(f, 6), catalogue=[]).claim().parameters[0] == Fraction(
            17, 10
        )
        assert ap.guarantee(EXT, bounded(f, 1), catalogue=[]).delta_at(0) == 0

    def test_claims_of_the_catalogue_are_looked_at(self):
        f = fixed_parameters([(1, 0)])
        assumed = claiming(claim(Pure(1), status=Status.ASSUMED))
        assert ap.guarantee(EXT, f, catalogue=[COUNTER]).status is Status.PROVED
        assert ap.guarantee(EXT, f, catalogue=[COUNTER, assumed]).status is Status.ASSUMED
        refuted = claiming(claim(Pure(1), status=Status.REFUTED))  # V[f] lets it not pass
        assert ap.guarantee(EXT, f, catalogue=[COUNTER, refuted]).status is Status.PROVED

    def test_nothing_fixed_is_nothing_lost(self):
        for f in (fixed_parameters([]), sparse_parallel([]), fixed_mechanisms([])):
            assert ap.guarantee(EXT, f, catalogue=[]).delta_at(0) == 0
        assert ap.guarantee(ap.ConComp([])).delta_at(0) == 0
        f = bounded(sparse_parallel([(0, 0.1)]), 1)
        bare = ap.guarantee(EXT, f, catalogue=[LeakyBit(delta=0.1)])
        assert bare.delta_at(0) == 0

    def test_pure_parameters_need_no_consistency(self):
        f = sparse_parallel([(1, 0)] * 3, first_pair_consistent=True)
        assert ap.guarantee(EXT, f).theorem == "CM Thm 5.2"
        f = sparse_parallel([(1, 0.1)], first_pair_consistent=True)
        assert ap.guarantee(EXT, f).theorem == "CM Thm 5.5"

    def test_the_number_of_creations_may_be_given(self):
        f = sparse_parallel([(1, 0.001), (0.5, 0.01)])
        guarantee = ap.guarantee(EXT, f, max_creations=100)
        assert "100" in guarantee.explain()
        epsilon, delta = guarantee.claim().parameters
        assert 1.5 <= epsilon < 1.500001
        assert 0 <= delta - (1 - Fraction(99, 100) ** 100) < 1e-12
        alike = ap.guarantee(EXT, sparse_parallel([(0.5, 0.01)] * 2), max_creations=100)
        assert alike.claim().parameters == (1, 1 - Fraction(99, 100) ** 100)
        assert guarantee.epsilon_at(1) == 0
        assert guarantee.delta_at(100) == pytest.approx(1 - 0.99**100, rel=1e-12)
        few = ap.guarantee(EXT, bounded(f, 7), max_creations=100)
        assert "at most 3 of the created" in few.explain()
        fewer = ap.guarantee(EXT, bounded(f, 700), max_creations=2)
        assert fewer.delta_at(100) == pytest.approx(1 - 0.99**2, rel=1e-12)

    def test_a_users_word_for_consistency_is_assumed(self):
        class Own(type(neighbouring_start())):
            pass

        own = Claim(Approximate(0, 0.1), Own(), Status.PROVED, "a test")
        f = sparse_parallel([own.parameters])
        wide = ap.mechanism(queries=spaces.Integers(), answers=spaces.BITS, claims=(own,))
        guarantee = ap.guarantee(EXT, f, catalogue=[wide(lambda s, m, c: (s, 0))])
        assert (guarantee.theorem, guarantee.status) == ("CM Thm 5.5", Status.ASSUMED)
        bound = attrs.evolve(own, verification=bounded(Own(), 9))
        wide = ap.mechanism(queries=spaces.Integers(), answers=spaces.BITS, claims=(bound,))
        guarantee = ap.guarantee(EXT, f, catalogue=[wide(lambda s, m, c: (s, 0))])
        assert guarantee.status is Status.ASSUMED
        narrow = ap.mechanism(queries=spaces.BITS, answers=spaces.BITS, claims=(own,))
        guarantee = ap.guarantee(EXT, f, catalogue=[narrow(lambda s, m, c: (s, 0))])
        assert guarantee.status is Status.PROVED  # all its sequences were looked at

    def test_the_f_of_a_catalogue_has_to_say_that_it_is_consistent(self):
        """Of event level an identical pair may come first; not all its sequences are listed."""
        claim = Claim(Approximate(0, 0.1), event_level(), Status.PROVED, "a test")
        wide = ap.mechanism(queries=spaces.Integers(), answers=spaces.BITS, claims=(claim,))
        with pytest.raises(NoGuarantee, match="every f' to be first-pair consistent"):
            ap.guarantee(EXT, sparse_parallel([(0, 0.1)]), catalogue=[wide(lambda s, m, c: (s, 0))])

    def test_the_counterexample_of_any_delta(self):
        for delta, copies in ((1, 1), (0.5, 1), (0.3, 2), (1e-6, 693_147)):
            with pytest.raises(NoGuarantee) as caught:
                ap.guarantee(EXT, sparse_parallel([(0, delta)]))
            assert caught.value.counterexample.copies == copies

    def test_f_must_be_one_of_compositions(self):
        with pytest.raises(NoGuarantee, match="none was given"):
            ap.guarantee(EXT)
        with pytest.raises(NoGuarantee, match="EventLevel"):
            ap.guarantee(EXT, event_level())
        with pytest.raises(NoGuarantee, match="each_valid"):
            ap.guarantee(ap.ConComp([COUNTER]), sparse_parallel([(1, 0)]))

    def test_con_comp_with_fewer_messages(self):
        system = ap.ConComp([COUNTER, RESPONSE])
        f = bounded(each_valid(system), 3)
        assert ap.guarantee(system, f).delta_at(9) == ap.guarantee(system).delta_at(9) == 0.1

    def test_what_only_says_that_it_is_equal_is_another_f(self):
        class Lying(type(each_valid(ap.ConComp([])))):
            def __eq__(self, other):
                return True

            def __ne__(self, other):
                return False

            __hash__ = None

        system = ap.ConComp([COUNTER])
        for f in (Lying(system.created), bounded(Lying(system.created), 3)):
            with pytest.raises(NoGuarantee, match="each_valid"):
                ap.guarantee(system, f)


class TestBudgets:
    @over(
        ("budget", "epsilon", "delta"),
        [
            (BasicFilter(epsilon=2, delta=0.1), 2, 0.1),
            (WhitehouseFilter(epsilon=2, delta=1e-6), 2, 1e-6),
            (ap.composition.RogersFilter(epsilon=2, delta=1e-6), 2, 1e-6),
            (ConcentratedFilter(rho=0.02, delta=1e-7), 1.2, 1e-6),
            (RenyiFilter(order=32, budget=0.5, delta=1e-7), 0.82, 1e-6),
            (GaussianFilter(mu=0.2, delta=1e-7), 0.86, 1e-6),
        ],
    )
    def test_a_filter_promises_its_epsilon_and_delta(self, budget, epsilon, delta):
        guarantee = ap.guarantee(ap.ExtConComp(budget=budget), catalogue=[])
        assert guarantee.verification == adaptive_parameters(budget)
        assert guarantee.status is Status.PROVED
        assert guarantee.epsilon_at(delta) <= epsilon
        assert "Haney" in guarantee.theorem

    def test_other_theorems_hold_beside_a_budget(self):
        system = ap.ExtConComp(budget=BasicFilter(epsilon=9))
        guarantee = ap.guarantee(system, fixed_parameters([(1, 0)]), catalogue=[])
        assert guarantee.theorem == "CM Thm 4.12"


class TestChains:
    def test_a_game_is_what_its_verifier_says(self):
        f = sparse_parallel([(1, 0)])
        game = ap.Verifier(f) @ ap.Identifier() @ EXT
        guarantee = ap.guarantee(game, catalogue=[COUNTER])
        assert guarantee.theorem == "CM Cor. 3.8"
        assert guarantee.epsilon_at(0) == 1
        assert guarantee.verification == neighbouring_start()
        wrapped = ap.guarantee(IdentityPostProcessor() @ game, catalogue=[COUNTER])
        assert wrapped.theorem == "CM Lemma 2.15 (post-processing)"
        assert wrapped.epsilon_at(0) == 1
        adapter = ap.guarantee(ap.InteractiveAsContinual(game), catalogue=[COUNTER])
        assert adapter.theorem == "IM as a CM (CM §3.3)"

    def test_what_is_wrong_with_a_game(self):
        f = event_level()
        with pytest.raises(NoGuarantee, match="verifier right before"):
            ap.guarantee(ap.Identifier() @ COUNTER)
        with pytest.raises(NoGuarantee, match="bit is fixed"):
            ap.guarantee(ap.Verifier(f) @ ap.Identifier(0) @ LeakyBit(delta=0.1))
        game = ap.Verifier(LeakyBit(delta=0.1).claims[0].verification) @ ap.Identifier()
        with pytest.raises(NoGuarantee, match="leave f out"):
            ap.guarantee(game @ LeakyBit(delta=0.1), event_level())
        with pytest.raises(NoGuarantee, match="EventLevel"):
            ap.guarantee(ap.Verifier(event_level()) @ ap.Identifier() @ LeakyBit(delta=0.1))

    def test_an_im_is_no_part_of_a_game(self):
        inside = ap.Verifier(F) @ ap.Identifier() @ COUNTER
        with pytest.raises(NoGuarantee, match="InteractiveAsContinual"):
            ap.guarantee(ap.Verifier(neighbouring_start()) @ ap.Identifier() @ inside)

    def test_a_choice_of_initial_state_is_no_post_processing(self):
        @attrs.frozen
        class Chooses(IdentityPostProcessor):
            @property
            def initial_states(self):
                return spaces.BITS

        game = ap.Verifier(RESPONSE.claims[0].verification) @ ap.Identifier() @ RESPONSE
        with pytest.raises(NoGuarantee, match="one initial state"):
            ap.guarantee(Chooses() @ game)

    def test_an_im_by_its_own_claim(self):
        @attrs.frozen
        class Secret(ap.Mechanism):
            f: object
            signature = ap.Signature(spaces.BITS, spaces.BITS)
            initial_states = spaces.BITS

            @property
            def claims(self):
                return (claim(Pure(1), self.f),)

            def step(self, state, message, coins):
                return state, 0

        assert (
            ap.guarantee(ap.InteractiveAsContinual(Secret(neighbouring_start()))).epsilon_at(0) == 1
        )
        with pytest.raises(NoGuarantee, match="neighbouring_start"):
            ap.guarantee(ap.InteractiveAsContinual(Secret(event_level())))
        adapter = ap.InteractiveAsContinual(Secret(neighbouring_start()))
        with pytest.raises(NoGuarantee, match="Certified"):
            ap.guarantee(ap.ConComp([adapter]))
        certified = Certified(adapter, neighbouring_start())
        both = ap.guarantee(ap.ConComp([certified, certified]))
        assert (both.status, both.epsilon_at(0)) == (Status.PROVED, 2)
        f = sparse_parallel([certified.claims[0].parameters], first_pair_consistent=True)
        assert ap.guarantee(EXT, f, catalogue=[certified]).epsilon_at(0) == 1


@attrs.frozen
class Relay(ap.PostProcessor):
    """Creates one counter and hands it all it is told. Integers have no finite list."""

    lifting: object = None
    deterministic = True
    initial_state = False

    def signature(self, right):
        return COUNTER.signature

    def step(self, state, side, message, coins):
        if side is ap.Side.LEFT and not state:
            return message, ap.Side.RIGHT, ap.Create(COUNTER)
        if side is ap.Side.LEFT:
            return True, ap.Side.RIGHT, ap.Ask(message, 0)
        if state is not True:
            return True, ap.Side.RIGHT, ap.Ask(state, 0)
        return state, ap.Side.LEFT, message


F = COUNTER.claims[0].verification
INNER = sparse_parallel([(0.5, 0)])


class TestComplexMechanisms:
    def test_p_says_between_which_functions(self):
        with pytest.raises(NoGuarantee, match="Lifting"):
            ap.guarantee(ComplexMechanism(Relay()), F)
        declared = Relay(Lifting(F, INNER))
        guarantee = ap.guarantee(ComplexMechanism(declared))
        assert guarantee.status is Status.ASSUMED
        assert guarantee.epsilon_at(0) == 0.5
        given = ap.guarantee(ComplexMechanism(Relay()), F, inner=INNER)
        assert "ap.check(P)" in given.explain()

    def test_a_proved_word_is_believed_for_what_it_is_about(self):
        proved = ComplexMechanism(Relay(Lifting(F, INNER, Status.PROVED, "Relay's docstring")))
        assert ap.guarantee(proved).status is Status.PROVED
        assert "Relay's docstring" in ap.guarantee(proved).explain()
        assert ap.guarantee(proved, bounded(F, 3)).status is Status.PROVED
        two = updates_and_queries(event_level(events=2), spaces.Finite((COUNT,)))
        twice = ap.guarantee(proved, two)
        assert (twice.theorem, twice.epsilon_at(0)) == ("group privacy (Vadhan 2017, Lemma 2.2)", 1)
        with pytest.raises(NoGuarantee, match="allows no more than UpdatesAndQueries"):
            ap.guarantee(proved, every_pair())
        more = sparse_parallel([(0.5, 0), (1, 0)])
        assert ap.guarantee(proved, F, inner=more).status is Status.ASSUMED

    def test_a_proved_word_is_not_inherited_by_what_changes_it(self):
        class Stated(ap.PostProcessor):
            __module__ = "antiphon.mechanisms.stated"
            deterministic, initial_state = True, False
            lifting = Lifting(F, INNER, Status.PROVED, "Stated's docstring")
            signature, step = Relay.signature, Relay.step

        class Changed(Stated):
            def step(self, *args):
                return Relay.step(self, *args)

        assert ap.guarantee(ComplexMechanism(Stated())).status is Status.PROVED
        changed = ap.guarantee(ComplexMechanism(Changed()))
        assert changed.status is Status.ASSUMED
        assert "Changed is not of this library, and lifting is inherited" in changed.explain()

    def test_runs_are_explored_only_where_it_is_known_what_may_be_answered(self):
        response = ap.Create(RESPONSE)
        outer = bounded(event_level(), 2)
        inner = sparse_parallel([response.parameters], first_pair_consistent=True)
        explored = ap.guarantee(EachBit(response) @ EXT, outer, inner=inner)
        assert explored.claim().status is Status.PROVED  # P alone creates, and was explored
        budgeted = EachBit(response) @ ap.ExtConComp(budget=BasicFilter(epsilon=2, delta=0.2))
        guarantee = ap.guarantee(budgeted, outer, inner=adaptive_parameters())
        assert guarantee.status is Status.ASSUMED
        assert guarantee.epsilon_at(0.2) == 2

    def test_p_has_one_initial_state(self):
        @attrs.frozen
        class Chooses(Relay):
            @property
            def initial_states(self):
                return spaces.BITS

        with pytest.raises(NoGuarantee, match="one initial state"):
            ap.guarantee(Chooses() @ EXT, F, inner=INNER)

    def test_a_p_with_coins_has_no_theorem(self):
        @attrs.frozen
        class Random(Relay):
            deterministic = False

        with pytest.raises(NoGuarantee, match="0-DP sub-mechanism"):
            ap.guarantee(ComplexMechanism(Random()), F, inner=INNER)

    def test_a_mechanism_may_say_of_what_chain_it_is_made(self):
        lifting = Lifting(F, INNER, Status.PROVED, "a docstring")

        class Built(ap.ContinualMechanism):
            chain = Relay(lifting) @ EXT
            signature = chain.signature
            initial_state = chain.initial_state
            step = chain.step

        guarantee = ap.guarantee(Built())
        assert guarantee.theorem == "by construction"
        assert guarantee.status is Status.ASSUMED  # as its class says, and is not ours
        assert guarantee.epsilon_at(0) == 0.5


class TestCertified:
    def test_it_behaves_as_what_it_certifies(self):
        system = Certified(ap.ConComp([COUNTER]), each_valid(ap.ConComp([COUNTER])))
        session = system.start(seed=0)
        assert session.send(ap.Ask(1, 0)) is ap.TOP
        assert isinstance(session.send(ap.Ask(COUNT, 0)), int)
        assert decode(encode(system)) == system

    def test_its_claim_is_its_guarantee(self):
        f = fixed_parameters([(Log(3), 0.1)])
        assert ap.Create(Certified(EXT, f)).parameters == (Log(3), Fraction(1, 10))
        assert Certified(EXT, f).claims[0].status is Status.ASSUMED
        assert Certified(EXT, f, truth="docstring").claims[0].status is Status.PROVED
        epsilon, delta = Certified(EXT, f, delta=0.55).claims[0].parameters
        assert (epsilon < 1e-12, delta) == (True, Fraction(11, 20))

    def test_answers_are_countable_where_a_theorem_saw_to_it(self):
        class Loud(type(EXT)):
            signature = ap.Signature(spaces.BITS, spaces.Reals())
            claims = (claim(Pure(1)),)

        assert not Certified(Loud(), event_level()).signature.answers.discrete
        assert Certified(EXT, fixed_parameters([(1, 0)])).signature.answers.discrete

    def test_what_has_no_guarantee_is_not_certified(self):
        with pytest.raises(NoGuarantee):
            Certified(EXT, sparse_parallel([(0, 0.1)]))

    def test_a_limit_is_no_point(self):
        concentrated = claiming(claim(ZeroConcentrated(0.1)))
        guarantee = ap.guarantee(concentrated)
        assert guarantee.epsilon_at(0) == math.inf
        with pytest.raises(ap.InvalidArgument, match="larger delta"):
            guarantee.claim()
        assert 0 < float(guarantee.claim(delta=1e-6).parameters[0]) < 4
        assert ap.guarantee(concentrated, event_level(events=2)).epsilon_at(1e-6) < 8


class TestTelling:
    GUARANTEE = ap.guarantee(ap.ConComp([COUNTER, RoundToGrid() @ Laplace(epsilon=1)]))

    def test_text_marks_every_premise(self):
        text = str(self.GUARANTEE)
        assert text.startswith("ConComp(")
        assert "status: assumed: 1 premise could not be checked" in text
        assert "✓ the 2 mechanisms are fixed in advance" in text
        assert "▸ the pairs sent to M_i are f_i-valid (by V[f])" in text
        assert "? it is true (Dwork et al. 2006; in doubles only assumed" in text
        assert "CM Thm 4.10" in text
        assert "Mironov" in text

    def test_a_floor_above_every_round_delta_is_told_at_twice_its_delta(self):
        filtered = ap.ExtConComp(budget=ap.composition.ConcentratedFilter(rho=0.5, delta=0.01))
        assert "at δ = 0.02" in str(ap.guarantee(filtered))

    def test_markdown_is_escaped(self):
        assert "V\\[f\\]" in self.GUARANTEE.explain("markdown")

    def test_the_drawn_tree_is_a_picture_of_its_own(self):
        root = ElementTree.fromstring(self.GUARANTEE.explain("svg"))
        assert root.tag.endswith("svg")
        words = "".join(root.itertext())
        assert "CM Thm 4.10" in words
        assert "Mironov" in words
        assert (
            len(root.findall("{*}path")) == 4
        )  # two parts hang on the theorem; one is a chain, of two steps

    def test_the_flowchart(self):
        text = self.GUARANTEE.explain("mermaid")
        assert text.startswith("flowchart TD\n")
        assert text.count(" --> ") == 4
        assert "V[f]" not in text

    def test_hostile_names_are_escaped(self):
        evil = ap.guarantee(claiming(attrs.evolve(claim(Pure(1)), source='<script>"]&#')))
        assert "<script>" not in evil.explain("svg")
        assert "<script>" not in evil.explain("mermaid")
        ElementTree.fromstring(evil.explain("svg"))

    def test_for_machines(self):
        data = json.loads(json.dumps(self.GUARANTEE.to_dict(), allow_nan=False))
        assert data["status"] == "assumed"
        assert data["derivation"]["theorem"] == "CM Thm 4.10"
        assert data["curve"]["points"][0] == {"epsilon": 1.5, "delta": 0.0}
        assert len(data["derivation"]["parts"]) == 2
        marks = {p["mark"] for p in data["derivation"]["premises"]}
        assert marks == {"checked", "enforced"}
        assert data["assumed"] == ["it is true"]

    def test_unknown_style(self):
        with pytest.raises(ap.InvalidArgument, match="markdown"):
            self.GUARANTEE.explain("html")

    def test_repr_is_short(self):
        assert repr(self.GUARANTEE) == "<Guarantee by CM Thm 4.10, assumed>"


class Chosen(ap.Mechanism):
    """Answers its initial state, whatever it is asked; it promises something of state 0 only."""

    initial_states = spaces.BITS
    signature = spaces.Signature(spaces.Finite((7,)), spaces.BITS)
    claims = (
        Claim(Pure(0), neighbouring_start(initial=spaces.Finite((0,))), Status.PROVED, "one state"),
    )

    def enter(self, initial):
        return initial

    def step(self, state, message, coins):
        return state, state


def test_an_im_that_promises_something_of_some_initial_states():
    """f_∼ of the CM was that of all of them."""
    system = ap.InteractiveAsContinual(Chosen())
    promise = ap.guarantee(system)
    assert promise.verification.initial == spaces.Finite((0,))
    assert ap.PrivacyGame(system, promise.verification).tight_delta(epsilon=0, rounds=2) == 0
    everywhere = neighbouring_start(initial=spaces.BITS)
    assert ap.PrivacyGame(system, everywhere).tight_delta(epsilon=0, rounds=2) == 1
    with pytest.raises(NoGuarantee):
        ap.guarantee(system, everywhere)


class ChosenElsewhere(Chosen):
    claims = (
        Claim(Pure(0), neighbouring_start(initial=spaces.Integers()), Status.PROVED, "of others"),
    )


def test_an_im_that_promises_something_of_what_is_no_initial_state():
    with pytest.raises(NoGuarantee, match="initial states"):
        ap.guarantee(ap.InteractiveAsContinual(ChosenElsewhere()))


def test_a_verifier_that_was_wired_to_nothing():
    """It lets ⊤ against a refusal pass: one world answers, the other halts."""
    counter = Counter(horizon=2, epsilon=1)
    f = counter.claims[0].verification
    game = ap.Verifier(f) @ ap.Identifier() @ counter
    assert ap.guarantee(game).status is Status.PROVED
    unwired = attrs.evolve(game, links=(ap.Verifier(f), ap.Identifier()))
    with pytest.raises(NoGuarantee, match="chain the parts by @"):
        ap.guarantee(unwired)
    other = ap.Verifier(f) @ ap.Identifier() @ Counter(horizon=2, epsilon=1, largest=9)
    with pytest.raises(NoGuarantee, match="chain the parts by @"):
        ap.guarantee(attrs.evolve(other, mechanism=counter))


# --- what the mechanisms that P creates may answer -----------------------------------------------


def once(last, first=0):
    """Tells a bit, and then answers ``last``."""

    @ap.mechanism(queries=spaces.BITS, answers=spaces.BITS, initial_state=0, claims=each_bit.claims)
    def answered_once(state, bit, coins):
        return (1, first or bit ^ int(coins.bernoulli(Fraction(1, 3)))) if not state else (1, last)

    return answered_once


def relay(created, on_halt=lambda bit: ap.HALT, told=lambda answer: answer):
    """A post-processor that creates a mechanism and passes three bits on."""

    @ap.exchange(initial_state=0, signature=lambda right: ap.Signature(spaces.BITS, spaces.BITS))
    def passed_on(n, bit):
        if n == 3:
            return n, ap.HALT
        if not n:
            yield ap.Create(created)
        answer = yield ap.Ask(bit, 0)
        return n + 1, on_halt(bit) if answer is ap.HALT else told(answer)

    return ComplexMechanism(passed_on)


BEHIND = {"verification": event_level(), "inner": sparse_parallel([(Log(2), 0)])}


def test_halt_need_not_be_declared_and_is_tried():
    assert ap.guarantee(relay(once(ap.HALT)), **BEHIND).claim().measure == Approximate(Log(2), 0)
    for created in (once(ap.HALT), once(0), each_bit):
        with pytest.raises(NoGuarantee, match="response property"):
            ap.guarantee(relay(created, on_halt=lambda bit: bit), **BEHIND)


def test_an_answer_outside_the_signature_is_named():
    with pytest.raises(NoGuarantee, match=r"answered_once answers 7 \(int\) to 0; .*Finite"):
        ap.guarantee(relay(once(7)), **BEHIND)


def test_an_answer_that_cannot_come_is_told_as_one_that_the_signature_allows():
    """No counter answers ⊤ to COUNT, but it may, as far as its signature says."""
    text = r"on the answer ⊤ from the right.* if type\(x\) is not int: return state, ap.HALT"
    counter = attrs.evolve(each_bit.signature, answers=spaces.Finite((0, 1, ap.TOP)))

    @ap.mechanism(queries=counter.queries, answers=counter.answers, claims=each_bit.claims)
    def counted(state, bit, coins):
        return state, bit ^ int(coins.bernoulli(Fraction(1, 3)))

    with pytest.raises(ap.PartError, match=text):
        ap.guarantee(relay(counted, told=lambda answer: 0 + answer), **BEHIND)
    whole = relay(counted, told=lambda x: x if type(x) is int else ap.HALT)
    assert ap.guarantee(whole, **BEHIND).delta_at(Log(2)) == 0


def test_the_f_that_a_counter_needs_is_written_out():
    counter = Counter(horizon=4, epsilon=1)
    with pytest.raises(NoGuarantee) as caught:
        ap.guarantee(counter, neighbouring_start())
    assert "queries=Finite(values=('count'))" in str(caught.value)
    assert "updates_and_queries(your_f, M.claims[0].verification.queries)" in str(caught.value)
    queries = counter.claims[0].verification.queries
    f = ap.verifiers.updates_and_queries(event_level(events=2), queries)
    assert ap.guarantee(counter, f).epsilon_at(0) == 2


def test_a_lifting_is_imported_from_where_the_error_says():
    with pytest.raises(NoGuarantee, match=r"lifting = ap\.composition\.Lifting\(f, f', …\)"):
        ap.guarantee(relay(each_bit))
    assert ap.composition.Lifting is Lifting
