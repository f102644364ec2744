"""Post-processors that say how they forward queries: what a guarantee makes of it."""

from fractions import Fraction

import attrs
import pytest

import antiphon as ap
from antiphon import Claim, Side
from antiphon.composition.guarantees.inclusion import includes
from antiphon.mechanisms import (
    COUNT,
    CountAfter,
    LeakyBit,
    RandomizedResponse,
    RoundToGrid,
    TreeCounter,
    UnboundedCounter,
)
from antiphon.protocol import Forwarding, Pure, Status
from antiphon.protocol.spaces import BITS, Either, Finite, Integers
from antiphon.verifiers import event_level, updates_and_queries, user_level

PROVED = Forwarding(Status.PROVED, "two lines")
QUERIES = Finite((COUNT,))
TREE = TreeCounter(horizon=8, epsilon=1)
MIXED = updates_and_queries(event_level(), QUERIES)


class Passes(ap.PostProcessor):
    """A user's link that forwards, and proves it."""

    deterministic = True
    forwards_queries = PROVED
    initial_state = None

    def step(self, state, side, message, coins):
        return state, Side.RIGHT if side is Side.LEFT else Side.LEFT, message


class PassesBare(Passes):
    forwards_queries = True


class PassesAssumed(Passes):
    forwards_queries = Forwarding(source="I think so")


class Inherits(Passes):
    """States nothing anew, and has another step."""

    def step(self, state, side, message, coins):
        return super().step(state, side, message, coins)


class Truthy(Passes):
    forwards_queries = "yes"


@ap.post_processor(deterministic=True, forwards_queries=PROVED)
def stepped(state, side, message, coins):
    return state, Side.RIGHT if side is Side.LEFT else Side.LEFT, message


@ap.exchange(forwards_queries=PROVED)
def exchanged(state, message):
    heard = yield message
    return None, heard


@ap.exchange(forwards_queries=PROVED)
def exchanged_with_coins(state, message, coins):
    heard = yield message
    return None, heard if coins.bernoulli(Fraction(1, 2)) else 0


# --- whose word is believed ------------------------------------------------------------------


@pytest.mark.parametrize(
    "link", [Passes(), stepped, exchanged, exchanged_with_coins], ids=lambda p: type(p).__name__
)
def test_a_stated_proof_is_believed_with_its_source(link):
    promise = ap.guarantee(link @ RandomizedResponse(epsilon=1))
    assert promise.status is Status.PROVED
    assert promise.derivation.premises[0].evidence == "two lines"
    assert [claim.status for claim in (link @ RandomizedResponse(epsilon=1)).claims] == [
        Status.PROVED
    ]


@pytest.mark.parametrize(
    ("link", "why"),
    [
        (PassesBare(), "its class says so; "),
        (PassesAssumed(), "I think so; "),
        (Inherits(), "forwards_queries is inherited"),
    ],
)
def test_any_other_word_is_assumed_and_says_why(link, why):
    system = link @ RandomizedResponse(epsilon=1)
    promise = ap.guarantee(system)
    assert promise.status is Status.ASSUMED
    assert promise.epsilon_at(0) == 1
    assert why in promise.derivation.premises[0].evidence
    assert [claim.status for claim in system.claims] == [Status.ASSUMED]


def test_a_proof_set_on_an_object_is_not_that_of_its_class():
    link = Passes()
    link.step = stepped.step
    assert ap.guarantee(link @ RandomizedResponse(epsilon=1)).status is Status.ASSUMED


def test_links_inside_links_are_asked_one_by_one():
    for inner, status in ((RoundToGrid(), Status.PROVED), (PassesBare(), Status.ASSUMED)):
        links = ap.protocol.chain.Links((ap.protocol.chain.Links((inner,)),))
        assert ap.guarantee(links @ RandomizedResponse(epsilon=1)).status is status


def test_what_is_neither_true_nor_a_forwarding_says_nothing():
    system = Truthy() @ RandomizedResponse(epsilon=1)
    assert system.claims == ()
    with pytest.raises(
        ap.composition.NoGuarantee, match="it declares none; give it forwards_queries"
    ):
        ap.guarantee(system)


# --- the count after each update -------------------------------------------------------------


@pytest.mark.parametrize("counter", [TREE, UnboundedCounter(counter=TREE)], ids=["tree", "epochs"])
def test_the_count_after_each_update_is_as_private_as_the_counter(counter):
    system = CountAfter() @ counter
    f = counter.claims[0].verification
    for asked in (None, f, f.updates):
        promise = ap.guarantee(system, asked)
        assert promise.status is Status.PROVED
        assert promise.epsilon_at(0) == ap.guarantee(counter).epsilon_at(0)
        assert promise.verification == (f if asked is None else asked)


def test_a_learner_on_the_count_and_a_grid_below_it():
    system = Passes() @ CountAfter() @ RoundToGrid() @ TREE
    assert ap.guarantee(system, event_level()).status is Status.PROVED
    assert ap.guarantee(PassesBare() @ CountAfter() @ TREE).status is Status.ASSUMED


def test_users_and_groups_go_through():
    users = TreeCounter(horizon=8, epsilon=1, users=True, events=2)
    promise = ap.guarantee(CountAfter() @ users, users.verification.updates)
    assert (promise.status, promise.epsilon_at(0)) == (Status.PROVED, 1)
    assert ap.guarantee(CountAfter() @ TREE, event_level(events=3)).epsilon_at(0) == 3


def test_it_can_be_created_with_its_guarantee_as_its_claim():
    after = ap.composition.Certified(CountAfter() @ TREE, event_level())
    both = ap.guarantee(ap.ConComp([after, after]))
    assert (both.status, both.epsilon_at(0)) == (Status.PROVED, 2)
    assert (CountAfter() @ TREE).claims == ()


@ap.mechanism(
    queries=Either((BITS, QUERIES)),
    answers=Either((Finite((ap.TOP,)), BITS)),
    updates=BITS,
    initial_state=0,
    claims=(
        Claim(Pure(ap.Log(3)), updates_and_queries(event_level(), QUERIES), Status.PROVED, ""),
    ),
)
def noisy_parity(state, message, coins):
    """Of the updates so far, one bit of noise each: what it tells has been tossed before."""
    if type(message) is str:
        return state, state
    return state ^ message ^ coins.bernoulli(Fraction(1, 4)), ap.TOP


def test_the_exact_engine_agrees():
    for system, rounds in ((noisy_parity, 4), (CountAfter() @ noisy_parity, 3)):
        f = ap.guarantee(system).verification
        game = ap.PrivacyGame(system, f)
        assert game.tight_delta(epsilon=0, rounds=rounds) == Fraction(1, 2)
        assert game.tight_delta(epsilon=ap.Log(3), rounds=rounds) == 0


# --- where the lemma says nothing ------------------------------------------------------------


class AsksFirst(ap.PostProcessor):
    """Sends each bit on and asks for the secret bit of ``M_δ``: not the f of a counter."""

    forwards_queries = Forwarding(Status.PROVED, "", asks=(0,))
    initial_state = False

    def step(self, state, side, message, coins):
        if side is Side.LEFT:
            return True, Side.RIGHT, message
        return False, Side.RIGHT if state else Side.LEFT, 0 if state else message


def test_an_f_that_reads_what_is_asked_needs_another_theorem():
    """LeakyBit's g counts its pairs, so a question more is no longer valid."""
    with pytest.raises(ap.composition.NoGuarantee):
        ap.guarantee(AsksFirst() @ LeakyBit(delta=Fraction(1, 4)))
    system = AsksFirst() @ noisy_parity
    with pytest.raises(ap.composition.NoGuarantee):
        ap.guarantee(system)  # 0 is an update
    with pytest.raises(ap.composition.NoGuarantee):
        ap.guarantee(system, event_level())


class Open(CountAfter):
    """Takes the counter's query from its left as well."""

    forwards_queries = CountAfter.forwards_queries

    def signature(self, right):
        return right


def test_what_is_asked_must_not_come_from_the_left_where_f_does_not_know_it():
    """A differing pair (COUNT, 1) is event-level, and is no pair of the counter's f."""
    system = Open() @ TREE
    assert ap.guarantee(system, TREE.verification).status is Status.PROVED
    with pytest.raises(ap.composition.NoGuarantee):
        ap.guarantee(system, event_level())


@attrs.frozen
class Fickle(ap.protocol.Space):
    """A user's space: what it holds today it need not hold tomorrow."""

    def contains(self, value):
        return value == COUNT

    @property
    def discrete(self):
        return True


def test_a_users_space_is_not_taken_at_its_word():
    f = updates_and_queries(event_level(), Fickle())
    claim = Claim(Pure(1), f, Status.PROVED, "")
    mine = ap.mechanism(
        queries=Either((BITS, QUERIES)), answers=Integers(), updates=BITS, claims=(claim,)
    )(lambda state, message, coins: (state, 0))
    assert ap.guarantee(mine).status is Status.PROVED
    promise = ap.guarantee(CountAfter() @ mine)
    assert promise.status is Status.ASSUMED
    assert "Fickle" in promise.derivation.premises[1].evidence


def test_an_f_that_passes_over_equal_pairs_allows_any_queries():
    assert includes(event_level(), MIXED)
    assert includes(event_level(), updates_and_queries(user_level(events=1), QUERIES))
    assert not includes(event_level(), updates_and_queries(event_level(events=2), QUERIES))
    assert not includes(ap.verifiers.neighbouring_start(), MIXED)
    assert not includes(ap.verifiers.every_pair(), MIXED)


class AsksBoth(CountAfter):
    """Asks for the count, and then adds a bit of its own."""

    forwards_queries = Forwarding(Status.PROVED, "", asks=(COUNT, 1))

    def step(self, state, side, message, coins):
        return super().step(state, side, 1 if state == 2 else message, coins)


def test_all_that_is_asked_must_be_a_query_of_f():
    with pytest.raises(ap.composition.NoGuarantee):
        ap.guarantee(AsksBoth() @ TREE)
    with pytest.raises(ap.composition.NoGuarantee):
        ap.guarantee(AsksBoth() @ TREE, MIXED)


def test_a_query_is_no_first_pair():
    first = ap.verifiers.neighbouring_start()
    assert not includes(first, updates_and_queries(first, QUERIES))


class Doubles(ap.PostProcessor):
    initial_state = None

    def step(self, state, side, message, coins):
        return state, Side.LEFT, message


def test_links_say_what_each_of_them_says():
    def links(*parts):
        return ap.protocol.chain.Links(parts)

    assert links(Passes(), RoundToGrid()).forwards_queries is True
    for other in (Doubles(), CountAfter()):
        assert links(Passes(), other).forwards_queries is False
    assert links(Passes(), CountAfter()).deterministic
    assert not links(Passes(), Doubles()).deterministic


def test_a_mechanism_in_doubt_stays_so_behind_links_that_are_not():
    class Stated(RandomizedResponse):
        claims = (Claim(Pure(1), event_level(), Status.PROVED, "here"),)

    class Silent(Stated):
        def respond(self, query, coins):
            return query

    for kind, status in ((Stated, Status.PROVED), (Silent, Status.ASSUMED)):
        system = RoundToGrid() @ kind(epsilon=1)
        assert [claim.status for claim in system.claims] == [status]


def test_what_passes_through_carries_data_as_it_does_on_the_right():
    for link, count_is_data in ((Passes(), False), (Doubles(), True)):
        chain = link @ TREE
        assert chain.carries_data(chain.initial_state, 1)
        assert chain.carries_data(chain.initial_state, COUNT) is count_is_data


def test_a_question_that_may_come_from_the_left_is_named():
    """A P that asks M's own query, and declares no spaces of its own, is told to declare them."""

    @ap.exchange(forwards_queries=Forwarding(Status.PROVED, "two lines", asks=(COUNT,)))
    def asks(state, message):
        yield message
        return state, (yield COUNT)

    with pytest.raises(ap.composition.NoGuarantee, match="give P a signature without it") as error:
        ap.guarantee(asks @ TREE, event_level())
    assert "cannot come from the left" in str(error.value)


def test_an_f_of_ones_own_is_compared_with_itself_only():
    @attrs.frozen
    class Own(type(event_level())):
        """A user's verification function."""

    with pytest.raises(ap.composition.NoGuarantee, match="of your own is compared with itself"):
        ap.guarantee(RandomizedResponse(epsilon=1), Own())
    with pytest.raises(ap.composition.NoGuarantee) as error:
        ap.guarantee(TREE, user_level())
    assert "your own" not in str(error.value)
