"""Law 10: claims are data. That every mechanism carries one is in tests/conformance."""

from fractions import Fraction

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import over

import antiphon as ap
from antiphon import Claim, Log, Side
from antiphon.mechanisms import Laplace, LeakyBit, RandomizedResponse, RoundToGrid, TreeCounter
from antiphon.numbers import exact
from antiphon.protocol import (
    Approximate,
    IdentityPostProcessor,
    Pure,
    Renyi,
    Status,
    ZeroConcentrated,
)
from antiphon.protocol.records.codec import decode, encode
from antiphon.verifiers import event_level, neighbouring_start

F, G = event_level(), neighbouring_start()
epsilons = st.fractions(0, 10) | st.builds(Log, st.fractions(1, 100))
deltas = st.fractions(0, 1)


@given(epsilons, deltas, epsilons, deltas)
def test_a_claim_follows_from_a_stronger_one_only(epsilon, delta, epsilon0, delta0):
    weak = Claim(Approximate(epsilon, delta), F, Status.PROVED, "")
    strong = Claim(Approximate(epsilon0, delta0), F, Status.PROVED, "")
    difference = float(epsilon) - float(epsilon0)
    if abs(difference) > 1e-9:
        assert weak.follows_from(strong) is (difference > 0 and delta >= delta0)
    assert weak.follows_from(weak)
    assert not Claim(weak.measure, G, Status.PROVED, "").follows_from(strong)


@given(epsilons, deltas)
def test_pure_is_approximate_with_delta_zero(epsilon, delta):
    pure = Claim(Pure(epsilon), F, Status.PROVED, "")
    approximate = Claim(Approximate(epsilon, delta), F, Status.PROVED, "")
    assert approximate.follows_from(pure)
    assert pure.follows_from(approximate) is (delta == 0)
    assert pure.parameters == (exact.epsilon(epsilon), 0)


def test_an_approximate_claim_says_nothing_of_a_smaller_delta_or_epsilon():
    claim = Claim(Approximate(1, Fraction(1, 10)), F, Status.PROVED, "")
    assert claim.at(Fraction(1, 10)) is claim.at(Fraction(1, 5)) is claim
    with pytest.raises(ap.CompositionError, match="with δ = 1/10 implies none for δ = 1/20"):
        claim.at(Fraction(1, 20))
    for epsilon, follows in ((Fraction(1, 2), False), (1, True), (2, True)):
        weaker = Claim(Approximate(epsilon, Fraction(1, 5)), F, Status.PROVED, "")
        assert weaker.follows_from(claim) is follows


def test_no_claim_is_more_certain_than_what_it_follows_from():
    order = [Status.REFUTED, Status.ASSUMED, Status.PROVED]
    for i, known in enumerate(order):
        for j, asserted in enumerate(order):
            one = Claim(Pure(1), F, asserted, "")
            assert one.follows_from(Claim(Pure(1), F, known, "")) is (j <= i)


def test_other_measures_follow_from_themselves():
    rho = Claim(ZeroConcentrated(0.5), F, Status.PROVED, "")
    assert rho.follows_from(Claim(ZeroConcentrated(Fraction(1, 2)), F, Status.PROVED, "other"))
    assert not rho.follows_from(Claim(ZeroConcentrated(1), F, Status.PROVED, ""))
    assert not rho.follows_from(Claim(Pure(0), F, Status.PROVED, ""))
    for measure in (ZeroConcentrated(1), Renyi(lambda order: order)):
        with pytest.raises(ap.CompositionError):
            _ = Claim(measure, F, Status.PROVED, "").parameters


def test_parameters_are_normalised():
    assert Approximate(0.1, 0.1) == Approximate(Fraction(1, 10), Fraction(1, 10))
    assert Approximate(Log(1), 0) == Approximate(0, 0.0)
    assert hash(Pure(0.5)) == hash(Pure(Fraction(1, 2)))
    assert LeakyBit(delta=0.1) == LeakyBit(delta=Fraction(1, 10))


@over("wrong", [-1, float("nan"), float("inf"), True, None, "1"])
def test_bad_parameters_are_refused(wrong):
    for make in (Pure, ZeroConcentrated, lambda e: Approximate(e, 0), lambda d: Approximate(0, d)):
        with pytest.raises(ap.InvalidArgument):
            make(wrong)
    for make in (
        lambda e: RandomizedResponse(epsilon=e), lambda e: Laplace(epsilon=e),
        lambda e: TreeCounter(horizon=2, epsilon=e), lambda d: LeakyBit(delta=d),
        lambda d: RandomizedResponse(epsilon=1, delta=d),
        lambda h: TreeCounter(horizon=h, epsilon=1),
        lambda s: Laplace(epsilon=1, sensitivity=s), RoundToGrid,
        lambda x: TreeCounter(horizon=2, epsilon=1, largest=x),
    ):  # fmt: skip
        with pytest.raises(ap.InvalidArgument):
            make(wrong)
    for make in (lambda d: LeakyBit(delta=d), lambda d: RandomizedResponse(epsilon=1, delta=d)):
        with pytest.raises(ap.InvalidArgument):
            make(2)
    for make in (Laplace, lambda *, epsilon: TreeCounter(horizon=1, epsilon=epsilon)):
        with pytest.raises(ap.InvalidArgument):
            make(epsilon=0)


def test_claims_of_the_library_are_what_the_docstrings_say():
    def only(mechanism):
        claim, *_ = mechanism.claims
        return claim.measure, claim.status

    assert only(RandomizedResponse(epsilon=Log(3), delta=0.25)) == (
        Approximate(Log(3), Fraction(1, 4)), Status.PROVED)  # fmt: skip
    assert only(LeakyBit(delta=0.1)) == (Approximate(0, 0.1), Status.PROVED)
    assert only(Laplace(epsilon=2, sensitivity=3)) == (Pure(2), Status.ASSUMED)
    assert only(TreeCounter(horizon=8, epsilon=0.5)) == (Pure(0.5), Status.PROVED)


def test_a_chain_keeps_a_claim_exactly_if_its_links_touch_answers_only():
    laplace = Laplace(epsilon=1)
    rounded = RoundToGrid() @ IdentityPostProcessor() @ laplace
    assert rounded.claims[0].measure == Pure(1)
    assert rounded.claims[0].verification == laplace.claims[0].verification
    assert "2.15" in rounded.claims[0].source
    assert (ap.Verifier(F) @ ap.Identifier(0) @ LeakyBit(delta=0)).claims == ()

    @ap.post_processor()
    def doubled(state, side, message, coins):
        return state, ap.Side.LEFT, message

    assert (doubled @ laplace).claims == ()
    assert ap.ExtConComp().claims == ()


def test_a_claim_survives_the_codec():
    for mechanism in (LeakyBit(delta=0.1), TreeCounter(horizon=9, epsilon=Log(2).argument)):
        claim = mechanism.claims[0]
        assert decode(encode(claim)) == claim


@attrs.frozen
class Doubling(ap.PostProcessor):
    """A user's link that says it forwards queries: nobody has checked that it does."""

    forwards_queries = True
    deterministic = True
    initial_state = None

    def signature(self, right):
        return right

    def step(self, state, side, message, coins):
        return (state, Side.RIGHT, message) if side is Side.LEFT else (state, Side.LEFT, message)


def test_a_users_link_makes_a_proved_claim_assumed_and_ours_does_not():
    proved = RandomizedResponse(epsilon=1)
    assert [claim.status for claim in proved.claims] == [Status.PROVED]
    for links, status in [
        ((IdentityPostProcessor(),), Status.PROVED),
        ((Doubling(),), Status.ASSUMED),
        ((IdentityPostProcessor(), Doubling()), Status.ASSUMED),
        ((Doubling(), IdentityPostProcessor()), Status.ASSUMED),
    ]:
        system = proved
        for link in reversed(links):
            system = link @ system
        assert [claim.status for claim in system.claims] == [status], links
        assert system.claims[0].measure == proved.claims[0].measure
    # What was not proved before is not raised, nor is what is refuted.
    for status in (Status.ASSUMED, Status.REFUTED):

        @ap.mechanism(
            queries=ap.spaces.BITS,
            answers=ap.spaces.BITS,
            claims=(attrs.evolve(proved.claims[0], status=status),),
        )
        def mine(state, message, coins):
            return state, message

        assert [claim.status for claim in (Doubling() @ mine).claims] == [status]
