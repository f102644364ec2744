"""Guarantees against the exact engine: never optimistic, and tight where the theorem is.

Every figure of a guarantee is compared with the tight δ of the game that it is about. A
system with a premise removed must be refused or marked as assumed; where the engine can
reach it, it shows that the premise was needed.
"""

import math
import re
from fractions import Fraction

import attrs
import pytest
from hypothesis import HealthCheck, given, reject
from hypothesis import strategies as st
from trying import examples, over, sized

import antiphon as ap
from antiphon import Claim, Log, spaces
from antiphon.composition import (
    BasicFilter,
    Certified,
    ComplexMechanism,
    NoGuarantee,
    Violation,
    WhitehouseFilter,
    adaptive_parameters,
    each_valid,
    fixed_mechanisms,
    fixed_parameters,
    sparse_parallel,
)
from antiphon.composition.accounting import optimal, sparse
from antiphon.composition.filters.concentrated import half_square
from antiphon.composition.guarantees.derivation import Mark
from antiphon.composition.guarantees.inclusion import consistent
from antiphon.mechanisms import (
    AboveThreshold,
    HistogramMonitor,
    KthLargest,
    LeakyBit,
    RandomizedResponse,
)
from antiphon.numbers import exact
from antiphon.protocol import IdentityPostProcessor, Pure, Status, ZeroConcentrated
from antiphon.selfcheck.corpus.targets.composed import SwapsStates
from antiphon.selfcheck.theorems.complex_mechanisms import EachBit, Leak, Router
from antiphon.selfcheck.theorems.components import (
    LEAKY,
    PURE_RESPONSE,
    RESPONSE,
    ForgetsSparsity,
    ForgetsTheirs,
    ForgetsToCharge,
    corners,
    secret,
    threshold,
    walk,
)
from antiphon.selfcheck.theorems.finite import SECRET, WALK, FiniteResponse, Table, promised
from antiphon.verifiers import bounded, event_level, neighbouring_start, user_level

TENTH = Fraction(1, 10)
EPSILONS = (0, Log(Fraction(5, 4)), Log(2), Log(3), Log(6), Log(12))
SMALL = 1e-12


def both(system, verification=None, *, rounds, catalogue=None, max_creations=None, **search):
    """The guarantee, and at each ε (what it promises, the truth)."""
    narrowed = {"catalogue": catalogue} if catalogue is not None else {}
    guarantee = ap.guarantee(system, verification, **narrowed)
    game = ap.PrivacyGame(system, guarantee.verification)
    question = game.question(
        catalogue=catalogue, max_creations=max_creations, report=None, **search
    )
    truths = [question.solve(epsilon, rounds).delta for epsilon in EPSILONS]
    promised_ = [guarantee.delta_at(epsilon) for epsilon in EPSILONS]
    return guarantee, list(zip(promised_, truths, strict=True))


def never_optimistic(points):
    return all(promise >= truth for promise, truth in points)


def tight(points):
    return all(promise <= float(truth) + SMALL for promise, truth in points)


# --- never optimistic, theorem by theorem -----------------------------------------------------


def responses(*parameters):
    return [ap.Create(RandomizedResponse(epsilon=e, delta=d)) for e, d in parameters]


TWO = responses((Log(2), TENTH), (Log(3), 0))
SAME = responses((Log(2), TENTH), (Log(2), TENTH))
EXT = ap.ExtConComp()

TIGHT = [
    ("claim", RandomizedResponse(epsilon=Log(3), delta=TENTH), None, {"rounds": 1}),
    ("M_δ", LeakyBit(delta=TENTH), None, {"rounds": 2}),
    ("4.10", EXT, fixed_mechanisms(SAME), {"rounds": 4}),
    ("4.12", EXT, fixed_parameters([SAME[0].parameters] * 2),
     {"rounds": 4, "catalogue": SAME[:1]}),
    ("5.2", EXT, sparse_parallel([TWO[1].parameters] * 2),
     {"rounds": 6, "catalogue": TWO[1:], "max_creations": 3}),
    ("5.5", EXT, sparse_parallel([SAME[0].parameters] * 2, first_pair_consistent=True),
     {"rounds": 6, "catalogue": SAME[:1], "max_creations": 3}),
    ("ConComp", ap.ConComp(SAME), None, {"rounds": 2}),
    ("budget", ap.ExtConComp(budget=BasicFilter(epsilon=Log(3))), None,
     {"rounds": 2, "catalogue": TWO[1:], "max_creations": 1}),
]  # fmt: skip


@over(("name", "system", "f", "search"), TIGHT, at_least=8)
def test_of_equal_randomized_responses_it_is_exactly_the_truth(name, system, f, search):
    guarantee, points = both(system, f, **search)
    assert guarantee.status is Status.PROVED
    assert never_optimistic(points)
    assert tight(points), points


UPPER = [
    ("4.10", EXT, fixed_mechanisms([walk(), RESPONSE]), {"rounds": 5}),
    ("4.10, an IM", EXT, fixed_mechanisms([secret(), PURE_RESPONSE]), {"rounds": 6}),
    ("4.12", EXT, fixed_parameters([walk().parameters, threshold().parameters]),
     {"rounds": 6, "catalogue": [walk(), threshold()]}),
    ("5.2", EXT, sparse_parallel([walk().parameters, PURE_RESPONSE.parameters]),
     {"rounds": 6, "catalogue": [walk(), PURE_RESPONSE, LEAKY], "max_creations": 3}),
    ("5.5", EXT, sparse_parallel([secret().parameters, RESPONSE.parameters],
                                 first_pair_consistent=True),
     {"rounds": 7, "catalogue": [secret(), RESPONSE], "max_creations": 3}),
    ("5.5 by catalogue", EXT, sparse_parallel([RESPONSE.parameters]),
     {"rounds": 6, "catalogue": [RESPONSE], "max_creations": 3}),
    ("ConComp", ap.ConComp([walk(), LEAKY]), None, {"rounds": 4}),
    ("ConComp, f given", ap.ConComp([walk()]), each_valid(ap.ConComp([walk()])), {"rounds": 2}),
    ("post-processing", IdentityPostProcessor() @ LEAKY.mechanism, None, {"rounds": 2}),
    ("fewer", PURE_RESPONSE.mechanism, bounded(neighbouring_start(), 2), {"rounds": 2}),
    ("Whitehouse", ap.ExtConComp(budget=WhitehouseFilter(epsilon=Log(6), delta=0.25)), None,
     {"rounds": 4, "catalogue": responses((0.2, 0.01)), "max_creations": 2}),
]  # fmt: skip


@over(("name", "system", "f", "search"), UPPER, at_least=11)
def test_it_is_never_optimistic(name, system, f, search):
    guarantee, points = both(system, f, **search)
    assert guarantee.status is Status.PROVED
    assert never_optimistic(points), points
    assert any(truth > 0 for _, truth in points)


def test_concurrent_renyi_composition():
    """RR_{ln 3} as an (ln 3)²/2-zCDP mechanism, beside M_δ."""

    def compared(rho):
        claim = Claim(ZeroConcentrated(rho), neighbouring_start(), Status.PROVED, "a test")
        response = FiniteResponse(((3, 1), (1, 3)), (claim,))
        return both(ap.ConComp([response, response, LEAKY]), rounds=4)

    guarantee, points = compared(half_square(Log(3)))
    assert "Rényi" in guarantee.theorem
    assert guarantee.status is Status.PROVED
    assert never_optimistic(points)
    assert points[-1][0] > Fraction(1, 5) == points[-1][1]
    assert not never_optimistic(compared(half_square(Log(3)) / 4)[1])  # a false claim


@pytest.mark.parametrize("copies", [1, 2, 3])
def test_of_bounded_creations_theorem_s_is_the_exact_truth(copies):
    """CM §5.2: 1-(1-δ)^ℓ, found by search, and promised by Theorem S."""
    created = ap.Create(LeakyBit(delta=TENTH))
    f = bounded(sparse_parallel([created.parameters]), 2 * copies + 1)
    guarantee = ap.guarantee(EXT, f, catalogue=[created])
    game = ap.PrivacyGame(EXT, sparse_parallel([created.parameters]))
    truth = game.tight_delta(
        epsilon=0, rounds=2 * copies + 1, catalogue=[created], max_creations=copies
    )
    assert truth == 1 - (1 - TENTH) ** copies
    assert "Theorem S" in guarantee.explain()
    assert truth <= guarantee.delta_at(0) <= float(truth) + SMALL


GENERAL = {(2, 2): Fraction(9, 16), (2, 3): Fraction(43, 64)}
"""δ at ε = ln 2 of k of n with E = 2, δ = 1/4, f' that allows (0, 1) only (theory §2.2)."""


@pytest.mark.parametrize(("k", "n"), GENERAL)
def test_of_bounded_creations_theorem_g_is_the_exact_truth(k, n):
    one = corners(2, Fraction(1, 4))
    f = sparse_parallel([one.parameters] * k)
    guarantee = ap.guarantee(EXT, f, catalogue=[one], max_creations=n)
    assert guarantee.theorem == "Theorem G (docs/sparse.md)"
    game = ap.PrivacyGame(EXT, f)
    truth = game.tight_delta(epsilon=Log(2), rounds=3 * n + k, catalogue=[one], max_creations=n)
    assert truth == GENERAL[k, n]
    assert truth <= guarantee.delta_at(Log(2)) <= float(truth) + SMALL
    of_the_user = corners(2, Fraction(1, 4), symmetric=True)  # an f' whose word is its own
    other = ap.guarantee(EXT, f, catalogue=[of_the_user], max_creations=n)
    assert other.theorem == guarantee.theorem


def test_one_f_that_goes_one_way_is_enough_for_theorem_g():
    walks = ap.Create(promised(WALK, bounded(event_level(), 2), 2, epsilon=Log(Fraction(5, 4))))
    one_way = corners(Fraction(5, 4), walks.parameters[1])
    f = sparse_parallel([walks.parameters] * 2)
    found = [
        ap.guarantee(EXT, f, catalogue=catalogue, max_creations=3)
        for catalogue in ([walks], [walks, one_way], None)
    ]
    theorems = [each.theorem.split(" (")[0] for each in found]
    assert theorems == ["Theorem S", "Theorem G", "Theorem G"]
    assert found[0].delta_at(0) < found[1].delta_at(0) == found[2].delta_at(0)


@pytest.mark.parametrize("n", [10, 100, 1000])
def test_of_a_thousand_creations_one_pays(n):
    delta = Fraction(1, 10**6)
    guarantee = ap.guarantee(EXT, sparse_parallel([(1, delta)]), max_creations=n)
    assert Fraction(99, 100) < guarantee.epsilon_at(2 * n * delta) <= Fraction(1001, 1000)


@pytest.mark.parametrize("n", [7, 10, 99, 1000])
def test_the_closed_bound_is_printed_rounded_up(n):
    purse = sparse_parallel([(1, Fraction(1, 7919))] * 3)
    guarantee = ap.guarantee(EXT, purse, max_creations=n)
    found = re.search(r"at δ = (\S+): ε = (\S+), by the closed bound (\S+)", guarantee.explain())
    delta, tight, closed = map(Fraction, found.groups())
    assert delta >= 2 * Fraction(guarantee.curve.floor.upper)
    assert guarantee.epsilon_at(2 * guarantee.curve.floor.upper) <= tight
    assert guarantee.curve.closed.epsilon_at(2 * guarantee.curve.floor.upper) <= closed


def test_unequal_parameters_pay_no_more_than_all_created_as_the_worst():
    purse = [(1, Fraction(1, 100)), (2, Fraction(1, 10))]
    for n in (1, 2, 3, 50):
        guarantee = ap.guarantee(EXT, sparse_parallel(purse), max_creations=n)
        every = optimal([(2, Fraction(1, 10))], times=n)
        general = sparse(purse, k=2, creations=n)
        for at in (0, Fraction(1, 2), 2):
            assert guarantee.delta_at(at) == min(every.delta_at(at), general.delta_at(at))


@pytest.mark.parametrize("events", [2, 3])
def test_group_privacy(events):
    f = bounded(event_level(), 3)
    group = bounded(event_level(events=events), 3)
    mechanism = promised(WALK, f, 3)
    guarantee, points = both(mechanism, group, rounds=3)
    assert "group" in guarantee.theorem
    assert never_optimistic(points)
    loose = promised(WALK, f, 3, epsilon=Log(Fraction(5, 4)))
    assert loose.claims[0].parameters[1] > 0
    assert never_optimistic(both(loose, group, rounds=3)[1])


def router(leak=None):
    return Router(walk(), PURE_RESPONSE, leak)


INNER = sparse_parallel([walk().parameters, PURE_RESPONSE.parameters])
OUTER = bounded(event_level(), 2)


def test_groups_of_one_users_records():
    """Each record is answered by a randomized response: k records of a user cost k times ε."""
    records = spaces.Finite(((1, 0), (1, 1), (2, 0), (2, 1)))
    f = event_level()
    claims = (Claim(Pure(Log(3)), f, Status.PROVED, "an RR for every record"),)

    @ap.mechanism(queries=records, answers=spaces.BITS, claims=claims)
    def survey(state, record, coins):
        return state, record[1] ^ coins.bernoulli(Fraction(1, 4))

    for events, rounds in ((1, 3), (2, 3), (3, 3)):
        guarantee = ap.guarantee(survey, user_level(events=events))
        game = ap.PrivacyGame(survey, guarantee.verification)
        found = guarantee.epsilon_at(0)
        assert events * math.log(3) - SMALL < found < events * math.log(3) + SMALL
        question = game.question(report=None)
        for epsilon in EPSILONS:
            assert question.solve(epsilon, rounds).delta <= guarantee.delta_at(epsilon)
        just_below = Log(Fraction(3**events * 99, 100))
        assert question.solve(just_below, rounds).delta > 0  # and no smaller ε is promised


@pytest.mark.parametrize(
    ("processor", "outer", "inner", "rounds"),
    [
        (router(), OUTER, INNER, 2),
        (EachBit(RESPONSE), bounded(event_level(), 3),
         sparse_parallel([RESPONSE.parameters], first_pair_consistent=True), 3),
    ],
)  # fmt: skip
def test_a_complex_mechanism(processor, outer, inner, rounds):
    system = ComplexMechanism(processor)
    guarantee = ap.guarantee(system, outer, inner=inner)
    assert guarantee.status is Status.PROVED
    assert guarantee.theorem == "CM Thm 6.1"
    game = ap.PrivacyGame(system, outer)
    for epsilon in EPSILONS:
        assert game.tight_delta(epsilon=epsilon, rounds=rounds) <= guarantee.delta_at(epsilon)


def test_compositions_nest():
    """All responses of a kind are one mechanism, an ExtConComp; beside it stands another."""
    one = PURE_RESPONSE
    group = ap.Create(Certified(EXT, sparse_parallel([one.parameters])))
    system, f = EXT, fixed_mechanisms([group, RESPONSE])
    guarantee = ap.guarantee(system, f)
    assert guarantee.status is Status.ASSUMED  # whatever is created in the group
    proved = Certified(EXT, sparse_parallel([one.parameters]), truth="this test")
    f = fixed_mechanisms([proved, RESPONSE.mechanism])
    guarantee = ap.guarantee(system, f)
    assert guarantee.status is Status.PROVED
    assert "CM Thm 5.2" in guarantee.explain()
    asks = [one, ap.Ask(0, 0), ap.Ask(1, 0), ap.Ask(0, 1), ap.Ask(1, 1), 0, 1]
    question = ap.PrivacyGame(system, f).question(queries=asks, report=None)
    epsilons = sized(EPSILONS[:2], EPSILONS)
    found = [question.solve(epsilon, 6).delta for epsilon in epsilons]
    assert found[0] > 0.5
    assert never_optimistic(zip(map(guarantee.delta_at, epsilons), found, strict=True))


# --- never optimistic, on random systems ------------------------------------------------------


@st.composite
def tables(draw):
    """A mechanism with two hidden states on bits, with its exact parameters as its claim."""
    weights = st.lists(st.integers(1, 6), min_size=4, max_size=4).map(tuple)
    rows = tuple(tuple(draw(weights) for _ in range(2)) for _ in range(2))
    f = draw(st.sampled_from([bounded(event_level(), 2), bounded(neighbouring_start(), 2)]))
    epsilon = draw(st.sampled_from([None, 0, Log(Fraction(3, 2))]))
    return ap.Create(promised(Table("random", rows), f, 2, epsilon=epsilon))


FUNCTIONS = [
    fixed_mechanisms,
    lambda made: fixed_parameters([each.parameters for each in made]),
    lambda made: sparse_parallel([made[0].parameters]),
    lambda made: sparse_parallel([each.parameters for each in made]),
    lambda made: sparse_parallel([made[0].parameters], first_pair_consistent=True),
    lambda made: bounded(sparse_parallel([each.parameters for each in made]), 4),
]


@examples(3)
@given(st.lists(tables(), min_size=2, max_size=2), st.sampled_from(FUNCTIONS))
def test_on_random_systems_it_is_refused_or_not_optimistic(made, function):
    f = function(made)
    try:
        guarantee = ap.guarantee(EXT, f, catalogue=made)
    except NoGuarantee:
        assert any(delta > 0 for _, delta in f.parameters)
        return
    inside = f.verification if hasattr(f, "pairs") else f
    question = ap.PrivacyGame(EXT, inside).question(catalogue=made, max_creations=2, report=None)
    try:
        question.solvers()
    except ap.InvalidArgument:  # f takes nothing that is created
        return
    for epsilon in EPSILONS[:4]:
        assert question.solve(epsilon, 4).delta <= guarantee.delta_at(epsilon)


# --- broken twins -----------------------------------------------------------------------------


def refused(system, f=None, **narrowed):
    with pytest.raises(NoGuarantee) as caught:
        ap.guarantee(system, f, **narrowed)
    assert isinstance(caught.value, ap.CompositionError)
    assert caught.value.premise.mark.value == "failed"
    return caught.value


@pytest.mark.parametrize("leak", Leak)
def test_p_without_a_property_is_refused_with_both_runs(leak):
    outer = bounded(event_level(), 3)
    longer = ap.Create(promised(WALK, outer, 3))
    inner = sparse_parallel([longer.parameters, PURE_RESPONSE.parameters])
    broken = ComplexMechanism(Router(longer, PURE_RESPONSE, leak))
    error = refused(broken, outer, inner=inner)
    assert isinstance(error.counterexample, Violation)
    assert error.counterexample.property.value in str(error)
    assert len(error.counterexample.replay()) == 2
    if leak is not Leak.VALIDITY:  # and the property was needed
        sound = ap.guarantee(ComplexMechanism(Router(longer, PURE_RESPONSE)), outer, inner=inner)
        tight = ap.PrivacyGame(broken, outer).tight_delta(epsilon=Log(6), rounds=3)
        assert tight > sound.delta_at(Log(6))


def test_an_inner_f_without_room_is_refused():
    error = refused(ComplexMechanism(router()), OUTER, inner=sparse_parallel([walk().parameters]))
    assert error.counterexample.property.value == "f→f'"


@attrs.frozen
class Coin(EachBit):
    """It says that it is deterministic, and draws."""

    def step(self, state, side, message, coins):
        coins.bernoulli(Fraction(1, 2))
        return EachBit.step(self, state, side, message, coins)


def test_p_that_draws_is_refused():
    inner = sparse_parallel([RESPONSE.parameters], first_pair_consistent=True)
    error = refused(ComplexMechanism(Coin(RESPONSE)), bounded(event_level(), 2), inner=inner)
    assert "drew a coin" in str(error)


@pytest.mark.parametrize(
    ("base", "forgets", "made"),
    [
        (fixed_mechanisms((LEAKY,)), {"judge": ForgetsTheirs.judge}, [LEAKY]),
        (fixed_parameters([RESPONSE.parameters]), {"admit": ForgetsToCharge.admit}, [RESPONSE]),
        (sparse_parallel([PURE_RESPONSE.parameters]), {"differ": ForgetsSparsity.differ},
         [PURE_RESPONSE]),
    ],
)  # fmt: skip
def test_a_subclass_of_a_verification_function_has_no_theorem(base, forgets, made):
    given = (getattr(base, each.name) for each in attrs.fields(type(base)) if each.init)
    f = attrs.frozen(type("Own", (type(base),), forgets))(*given)
    refused(EXT, f, catalogue=made)
    promise = ap.guarantee(EXT, base, catalogue=made)
    tight = [
        ap.PrivacyGame(EXT, f).tight_delta(
            epsilon=e, rounds=6, catalogue=made, max_creations=2 if len(made) else 1
        )
        for e in EPSILONS[:4]
    ]
    assert any(t > promise.delta_at(e) for t, e in zip(tight, EPSILONS[:4], strict=True))


def test_a_composition_that_mixes_up_its_children_has_no_theorem():
    subclass = attrs.frozen(type("Own", (ap.ExtConComp,), {"step": SwapsStates.step}))
    for mixed in (SwapsStates(), subclass()):
        refused(mixed, sparse_parallel([(1, 0)]))


@pytest.mark.parametrize("delta", [TENTH, Fraction(1, 1000)])
@pytest.mark.parametrize("epsilon", [0, Log(2)])
def test_sparse_with_delta_and_without_consistency_offers_its_adversary(epsilon, delta):
    error = refused(EXT, sparse_parallel([(Log(5), 0), (epsilon, delta)]))
    found = error.counterexample
    assert (found.epsilon, found.delta) == (exact.epsilon(epsilon), delta)
    assert found.adversary.success >= Fraction(1, 2)
    assert attrs.evolve(found.adversary, copies=max(1, found.copies - 1)).success < 0.51
    game = ap.PrivacyGame(EXT, found.verification)
    told = [game.play(found.adversary, bit=1, seed=seed) for seed in range(8)]
    learned = {ap.audit.learned_bit(view) for view in told}
    assert learned == {1, None}  # None: no copy broke
    assert all(view.why_halted is None for view in told)


def test_a_lying_consistency_is_seen_through():
    @attrs.frozen
    class Lying(type(LEAKY.claim.verification)):
        @property
        def first_pair_consistent(self):
            return True

    f = Lying(event_level(), 2)
    mechanism = promised(WALK, f, 2, epsilon=0)
    refused(EXT, sparse_parallel([ap.Create(mechanism).parameters]), catalogue=[mechanism])


def test_adaptive_parameters_without_a_filter_name_the_filter():
    assert "WhitehouseFilter" in str(refused(EXT, adaptive_parameters()))
    odometer = ap.composition.Odometer(delta=0.1)
    assert "filter" in str(refused(ap.ExtConComp(budget=odometer)))


@attrs.frozen
class Forgetful(BasicFilter):
    def charge(self, state, measure):
        return state


def test_a_filter_of_ones_own_is_assumed():
    guarantee = ap.guarantee(ap.ExtConComp(budget=Forgetful(epsilon=Log(2))), catalogue=TWO[1:])
    assert guarantee.status is Status.ASSUMED
    game = ap.PrivacyGame(guarantee.system, guarantee.verification)
    tight = game.tight_delta(epsilon=Log(2), rounds=2, catalogue=TWO[1:], max_creations=1)
    assert tight > guarantee.delta_at(Log(2))


def test_a_filter_saves_what_has_no_theorem():
    """Everything created is charged, so f_∞ with δ > 0 is private without consistency."""
    f = sparse_parallel([LEAKY.parameters])
    budget = BasicFilter(epsilon=0, delta=Fraction(2, 5))
    guarantee = ap.guarantee(ap.ExtConComp(budget=budget), f, catalogue=[LEAKY])
    assert "filter" in guarantee.explain()
    tight = ap.PrivacyGame(guarantee.system, f).tight_delta(
        epsilon=0, rounds=5, catalogue=[LEAKY], max_creations=3
    )
    assert Fraction(1, 5) < tight <= guarantee.delta_at(0)


@attrs.frozen
class Braver(LeakyBit):
    """It inherits the claim of M_δ, and breaks twice as often."""

    def step(self, state, message, coins):
        after = LeakyBit.step(self, state, message, coins)
        return after if after[0] is ap.BOTTOM else LeakyBit.step(self, state, message, coins)


def test_an_inherited_claim_about_changed_behaviour_is_assumed():
    guarantee, points = both(Braver(delta=TENTH), rounds=2)
    assert guarantee.status is Status.ASSUMED
    assert not never_optimistic(points)


@attrs.frozen
class Stray(ap.ContinualMechanism):
    """Private, as it says the same to all; but nothing that its signature allows."""

    signature = ap.Signature(spaces.BITS, spaces.BITS)
    initial_state = None
    claims = (Claim(Pure(0), event_level(), Status.PROVED, "it says 2"),)

    def step(self, state, message, coins):
        return state, 2


@attrs.frozen
class Trusting(ap.PostProcessor):
    """Tells what it was told as soon as its sub-mechanism says what it cannot say."""

    deterministic = True
    initial_state = None

    def signature(self, right):
        return ap.Signature(spaces.BITS, spaces.BITS)

    def step(self, state, side, message, coins):
        if side is ap.Side.LEFT:
            return message, ap.Side.RIGHT, ap.Create(Stray())
        if message is ap.TOP:
            return state, ap.Side.RIGHT, ap.Ask(0, 0)
        return state, ap.Side.LEFT, state if message == 2 else 0


def test_a_sub_mechanism_that_says_more_than_its_signature_has_no_theorem():
    system, f = ComplexMechanism(Trusting()), bounded(event_level(), 1)
    with pytest.raises(NoGuarantee, match="outside their signatures, but Stray answers 2"):
        ap.guarantee(system, f, inner=sparse_parallel([(0, 0)]))
    assert ap.PrivacyGame(system, f).tight_delta(epsilon=0, rounds=1) == 1


@attrs.frozen
class TrustingWithin(ap.PostProcessor):
    """As Trusting, whose sub-mechanism stands in a composition that it created first."""

    group: Certified
    deterministic = True
    initial_state = (0, 0)

    def signature(self, right):
        return ap.Signature(spaces.BITS, spaces.BITS)

    def step(self, state, side, message, coins):
        bit, heard = state
        if side is ap.Side.LEFT:
            return (message, 0), ap.Side.RIGHT, ap.Create(self.group)
        if message is ap.TOP:
            asked = ap.Ask(0, 0) if heard else ap.Create(Stray())
            return (bit, heard + 1), ap.Side.RIGHT, ap.Ask(asked, 0)
        return state, ap.Side.LEFT, bit if message == 2 else 0


def test_nor_has_one_inside_of_a_composition_that_is_created():
    group = Certified(ap.ExtConComp(), sparse_parallel([(0, 0)]), truth="what Stray claims is true")
    system, f = ComplexMechanism(TrustingWithin(group)), bounded(event_level(), 1)
    with pytest.raises(NoGuarantee, match="outside their signatures, but Stray answers 2"):
        ap.guarantee(system, f, inner=fixed_mechanisms([group]))
    assert ap.PrivacyGame(system, f).tight_delta(epsilon=0, rounds=1) == 1


@attrs.frozen
class Wide(ap.ContinualMechanism):
    """More queries than anybody can list; the answer is a bit of its own."""

    initial_state = None
    signature = ap.Signature(spaces.Tuples((spaces.BITS,) * 64), spaces.BITS)
    claims = (Claim(Pure(0), neighbouring_start(), Status.PROVED, "a coin of its own"),)

    def step(self, state, message, coins):
        return state, int(coins.bernoulli(0.5))


@attrs.frozen
class AsksWide(ap.PostProcessor):
    """Asks it once, and says what it says. ``width``: of its own messages."""

    width: int = 1
    deterministic = True
    initial_state = None

    def signature(self, right):
        return ap.Signature(spaces.Tuples((spaces.BITS,) * self.width), spaces.Anything())

    def step(self, state, side, message, coins):
        if side is ap.Side.LEFT:
            return message, ap.Side.RIGHT, ap.Create(Wide())
        if message is ap.TOP:
            return None, ap.Side.RIGHT, ap.Ask((*state, *(0,) * (64 - self.width)), 0)
        return None, ap.Side.LEFT, message


@pytest.mark.parametrize("width", [1, 64])
def test_queries_past_listing_are_not_listed(width):
    """Nor to see what is answered, nor whether f' is consistent, nor to explore P."""
    system, f = ComplexMechanism(AsksWide(width)), bounded(event_level(), 1)
    inner = sparse_parallel([(0, 0)], first_pair_consistent=True)
    promise = ap.guarantee(system, f, inner=inner)
    assert promise.status is Status.ASSUMED
    assert ("in all f-valid pairs of runs" in promise.explain()) is (width == 1)
    assert consistent(ap.Create(Wide())) is Mark.CHECKED


@attrs.frozen
class Gossip(HistogramMonitor):
    """It inherits the word of HistogramMonitor, and says each update to the left."""

    def step(self, state, side, message, coins):
        after, to, out = HistogramMonitor.step(self, state, side, message, coins)
        return after, to, after.counts[0] if to is ap.Side.LEFT else out


def test_an_inherited_word_of_changed_post_processing_is_assumed():
    parts = {"mechanism": AboveThreshold(epsilon=1), "queries": (KthLargest(1),), "dimension": 1}
    honest, gossip = (ComplexMechanism(kind(**parts)) for kind in (HistogramMonitor, Gossip))
    assert ap.guarantee(honest).status is Status.PROVED
    assert ap.guarantee(gossip).status is Status.ASSUMED
    view = ap.PrivacyGame(gossip, event_level()).play(
        ap.scripted([ap.Pair((0,), (1,))]), bit=1, seed=0
    )
    assert view.answers == (1,)


def test_what_only_says_that_it_forwards_is_assumed():
    @attrs.frozen
    class Flips(IdentityPostProcessor):
        """It says that it sends queries on unchanged."""

        def step(self, state, side, message, coins):
            after, to, out = IdentityPostProcessor.step(self, state, side, message, coins)
            return after, to, 1 - out if side is ap.Side.LEFT else out

    assert ap.guarantee(Flips() @ LEAKY.mechanism).status is Status.ASSUMED


def test_secret_is_what_it_says():
    """The claims that these tests rest on are themselves computed exactly."""
    assert promised(SECRET, bounded(neighbouring_start(), 3), 3, epsilon=Log(1.5)).claims == (
        secret().mechanism.claims
    )


# --- random complex mechanisms ----------------------------------------------------------------


@attrs.frozen
class Wired(ap.PostProcessor):
    """Creates its mechanisms, then asks as a table says: P of CM §6 with a random wiring.

    ``asks[mode]`` is (index, query for bit 0, query for bit 1), ``goes[mode][answer]`` is
    (next mode, reply, whether to ask once more first); None stands for the bit told.
    State: (what is awaited, mode, bit, creations so far).
    """

    made: tuple
    asks: tuple
    goes: tuple
    deterministic = True
    initial_state = ("", 0, 0, 0)

    def signature(self, right):
        return ap.Signature(ap.spaces.BITS, ap.spaces.Anything(), ap.spaces.BITS)

    def step(self, state, side, message, coins):
        awaited, mode, bit, created = state
        if side is ap.Side.LEFT:
            bit = message
        if created < len(self.made):
            return ("made", mode, bit, created + 1), ap.Side.RIGHT, self.made[created]
        if awaited in ("", "made"):
            return self.ask("first", mode, bit)
        if message is ap.HALT:
            return ("", mode, 0, created), ap.Side.LEFT, ap.HALT
        after, reply, again = self.goes[mode][message]
        after = bit if after is None else after
        if again and awaited == "first":
            return self.ask("second", after, bit)
        said = bit if reply is None else (reply, message)
        return ("", after, 0, created), ap.Side.LEFT, said

    def ask(self, awaited, mode, bit):
        index, *queries = self.asks[mode]
        query = bit if queries[bit] is None else queries[bit]
        return (awaited, mode, bit, len(self.made)), ap.Side.RIGHT, ap.Ask(query, index)


def mostly(common, *rare):
    return st.sampled_from([common] * 5 + list(rare))


@st.composite
def wirings(draw):
    made = tuple(draw(st.lists(tables(), min_size=1, max_size=2)))
    query = mostly(None, 0, 1)
    asks = st.tuples(st.integers(0, len(made) - 1), query, query)
    goes = st.tuples(st.integers(0, 1) | mostly(0, None), mostly(0, 1, None), st.booleans())
    return Wired(
        made,
        draw(st.tuples(asks, asks)),
        draw(st.tuples(*[st.tuples(goes, goes)] * 2)),
    )


@examples(6, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(wirings(), st.integers(1, 2), st.booleans())
def test_on_random_complex_mechanisms_it_is_refused_or_not_optimistic(wired, rounds, sparse):
    outer, parameters = bounded(event_level(), rounds), [m.parameters for m in wired.made]
    inner = sparse_parallel(parameters) if sparse else fixed_parameters(parameters)
    try:
        guarantee = ap.guarantee(ComplexMechanism(wired), outer, inner=inner)
    except NoGuarantee:
        reject()
    assert guarantee.status is Status.PROVED
    question = ap.PrivacyGame(ComplexMechanism(wired), outer).question(report=None)
    for epsilon in EPSILONS[:4]:
        assert question.solve(epsilon, rounds).delta <= guarantee.delta_at(epsilon)


@attrs.frozen
class Endless(ap.PostProcessor):
    """Creates one mechanism after the other, and never answers."""

    deterministic = True
    initial_state = 0

    def signature(self, right):
        return ap.Signature(spaces.BITS, spaces.BITS)

    def step(self, state, side, message, coins):
        return state + 1, ap.Side.RIGHT, ap.Create(LeakyBit(delta=0))


def test_a_p_that_never_answers_is_not_explored_for_ever():
    system, f = ComplexMechanism(Endless()), bounded(event_level(), 1)
    guarantee = ap.guarantee(system, f, inner=sparse_parallel([(0, 0)]))
    assert guarantee.status is Status.ASSUMED
