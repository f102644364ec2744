"""Law 5: nothing that is not f-valid reaches the identifier, whatever its type."""

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import (
    ALIENS,
    HostileAsk,
    HostilePair,
    Int,
    PairSubclass,
    breakable,
    messages,
    nested_pair,
    nested_tuple,
    unset,
)

import antiphon as ap
from antiphon import Claim, Log, Side, spaces
from antiphon.composition import fixed_mechanisms, fixed_parameters, sparse_parallel
from antiphon.mechanisms import LeakyBit, RandomizedResponse, TreeCounter
from antiphon.protocol import Approximate, Status
from antiphon.verifiers import event_level, neighbouring_start, user_level

LEAKY = ap.Create(LeakyBit(delta=0.1))
RESPONSE = ap.Create(RandomizedResponse(epsilon=Log(3)))
REFUTED = ap.Create(
    LeakyBit(delta=0.1),
    Claim(Approximate(0, 0.1), LEAKY.claim.verification, Status.REFUTED, "broken"),
)
SILENT = ap.Create(breakable)


@attrs.define
class Spy(ap.PostProcessor):
    """Stands between V and I and writes down what comes by."""

    seen: list = attrs.field(factory=list)
    deterministic = True

    @property
    def initial_state(self):
        return None

    def step(self, state, side, message, coins):
        if side is Side.LEFT:
            self.seen.append(message)
            return None, Side.RIGHT, message
        return None, Side.LEFT, message


def guarded(f, system, bit=0):
    spy = Spy()
    return spy, ap.Verifier(f) @ spy @ ap.Identifier(bit) @ system


def saying(messages):
    """An adversary that says just these objects; ``scripted`` would refuse some of them."""
    return ap.adversary(lambda answers, coins: [*messages, ap.HALT][len(answers)])


def assert_halts(f, system, valid, hostile, tmp_path=None):
    """After some valid messages, the hostile one is halted, seen by nobody, and written down."""
    spy, game = guarded(f, system)
    session = game.start(seed=0, keep=True)
    for message in valid:
        assert session.send(message) is not ap.HALT
    assert len(spy.seen) == len(valid)
    assert session.send(hostile) is ap.HALT
    assert len(spy.seen) == len(valid)
    assert session.over
    assert session.why_halted
    assert session.failures == ()
    assert session.transcript[-1].answer is ap.HALT
    assert len(session.transcript) == len(valid) + 1
    if hostile is ap.HALT:
        return  # an adversary that says it ends the interaction
    for bit in (0, 1):  # and in an interaction, in memory and streamed
        _, game = guarded(f, system, bit)
        view = ap.interact(saying([*valid, hostile, 0]), game)
        assert view.answers[-1] is ap.HALT
        assert len(view.rounds) == len(valid) + 1
        assert view.why_halted
    if tmp_path is not None:
        path = tmp_path / "view"
        ap.interact(saying([*valid, hostile]), game, sink=path, overwrite=True)
        loaded = ap.View.load(path)
        assert loaded.complete
        assert loaded.answers[-1] is ap.HALT
        view.save(path, overwrite=True)
        assert ap.View.load(path).answers == view.answers
        assert ap.replay(ap.View.load(path), saying([*valid, hostile, 0])).complete


SYSTEMS = [
    (neighbouring_start(), RandomizedResponse(epsilon=1), []),
    (event_level(), LeakyBit(delta=0.5), [ap.same(0)]),
    (LEAKY.claim.verification, LeakyBit(delta=0), [ap.Pair(0, 1)]),
    (TreeCounter(horizon=9, epsilon=1).claims[0].verification, TreeCounter(horizon=9, epsilon=1),
     [ap.Pair(1, 0), ap.same("count")]),
]  # fmt: skip
COMPOSED = [
    (fixed_mechanisms([LEAKY]), [ap.same(LEAKY)]),
    (fixed_parameters([(0, 0.1)]), [ap.same(LEAKY)]),
    (sparse_parallel([(0, 0.1)]), [ap.same(LEAKY), ap.same(ap.Ask(0, 0))]),
    (sparse_parallel([(Log(3), 0)], first_pair_consistent=True), [ap.same(RESPONSE)]),
]
EVERY = pytest.mark.parametrize(("f", "system", "valid"), SYSTEMS, ids=lambda v: repr(v)[:40])
EVERY_COMPOSED = pytest.mark.parametrize(("f", "valid"), COMPOSED, ids=lambda v: repr(v)[:40])


@EVERY
def test_a_lone_message_of_any_kind_is_halted(f, system, valid, tmp_path):
    for alien in ALIENS:
        if type(alien) is not ap.Pair:
            assert_halts(f, system, valid, alien, tmp_path)


@pytest.mark.every(2)
@EVERY
def test_an_alien_on_either_side_of_a_pair_is_halted(f, system, valid, tmp_path):
    for alien in ALIENS:
        for hostile in (ap.Pair(alien, 0), ap.Pair(0, alien), ap.same(alien)):
            assert_halts(f, system, valid, hostile, tmp_path)


@given(messages() | st.builds(ap.Pair, st.integers(-1, 2), st.integers(0, 1) | messages()))
def test_any_message_is_halted_unless_it_is_a_pair_of_bits(message):
    good = type(message) is ap.Pair and all(
        type(side) is int and side in (0, 1) for side in (message.zero, message.one)
    )
    if good:
        spy, game = guarded(neighbouring_start(), RandomizedResponse(epsilon=1))
        assert game.start().send(message) is not ap.HALT
        assert spy.seen == [message]
    else:
        assert_halts(neighbouring_start(), RandomizedResponse(epsilon=1), [], message)


@EVERY
def test_pairs_that_are_no_pairs_are_halted(f, system, valid, tmp_path):
    for hostile in (HostilePair(0, 0), unset(ap.Pair), unset(HostilePair), (0, 0), [0, 0],
                    nested_pair(2000), nested_tuple(2000), np.array([object()]),
                    np.array([[0, 0]]), ap.Pair[int]):  # fmt: skip
        assert_halts(f, system, valid, hostile, tmp_path)


@pytest.mark.every(2)
@EVERY_COMPOSED
def test_compositions_halt_aliens_anywhere(f, valid):
    good = ap.Ask(0, 0)
    for alien in ALIENS:
        if type(alien) is not ap.Ask:
            for hostile in (alien, ap.Pair(alien, good), ap.Pair(good, alien), ap.same(alien)):
                assert_halts(f, ap.ExtConComp(), valid, hostile)
        assert_halts(f, ap.ExtConComp(), valid, ap.Pair(ap.Ask(alien, 0), good))
        assert_halts(f, ap.ExtConComp(), valid, ap.Pair(good, ap.Ask(alien, 0)))
        assert_halts(f, ap.ExtConComp(), valid, ap.same(ap.Ask(alien, 0)))
        assert_halts(f, ap.ExtConComp(), valid, ap.same(ap.Ask(0, alien)))
        assert_halts(f, ap.ExtConComp(), valid, ap.Pair(good, ap.Ask(0, alien)))


@pytest.mark.every(2)
@EVERY_COMPOSED
def test_compositions_halt_bad_creations_and_questions(f, valid, tmp_path):
    good = valid[0].zero
    for hostile in (
        HostilePair(good, good), HostilePair(ap.Ask(0, 0), ap.Ask(0, 0)), PairSubclass(good, good),
        ap.Pair(LEAKY, RESPONSE), ap.Pair(good, 0), ap.Pair(good, ap.Ask(0, 0)),
        ap.same(SILENT), ap.same(REFUTED), unset(ap.Create), ap.same(unset(ap.Create)),
        good, ap.Ask(0, 0), (good, good), ap.same(good.mechanism),
        ap.same(ap.Ask(0, True)), ap.same(ap.Ask(0, -1)), ap.same(ap.Ask(0, 1)),
        ap.same(ap.Ask(0, 10**400)), ap.same(ap.Ask(0, 10**6000)), ap.same(ap.Ask(0, 0.0)),
        ap.same(ap.Ask(0, Int(0))), ap.same(HostileAsk(0, 0)), ap.same(unset(ap.Ask)),
        ap.Pair(ap.Ask(0, 0), HostileAsk(0, 0)), ap.Pair(ap.Ask(0, 0), ap.Ask(0, 1)),
        ap.Pair(ap.Ask(0, 0), ap.Ask(0, False)), ap.same(ap.Ask(ap.same(0), 0)),
    ):  # fmt: skip
        assert_halts(f, ap.ExtConComp(), valid, hostile, tmp_path)


def test_a_claim_laundered_around_the_constructor_is_still_refuted():
    forged = ap.Create.__new__(ap.Create)
    for name in ("mechanism", "_given", "accepts", "step", "verify"):
        object.__setattr__(forged, name, getattr(LEAKY, name))
    object.__setattr__(forged, "claim", REFUTED.claim)
    assert_halts(sparse_parallel([(0, 0.1)]), ap.ExtConComp(), [], ap.same(forged))


def test_the_two_sides_of_a_creation_differ_in_what_equality_hides():
    """An attrs field with eq=False, a lying __eq__: only the very same object passes."""

    @attrs.frozen(eq=False)
    class Lying(ap.ContinualMechanism):
        secret: int
        claims = LEAKY.mechanism.claims
        signature = LEAKY.mechanism.signature
        initial_state = 0

        def __eq__(self, other):
            return True

        def __hash__(self):
            return 0

        def step(self, state, message, coins):
            return state, self.secret

    zero, one = ap.Create(Lying(0)), ap.Create(Lying(1))
    assert zero == one
    assert_halts(sparse_parallel([(0, 0.1)]), ap.ExtConComp(), [], ap.Pair(zero, one))


def test_an_array_changed_after_the_check_does_not_reach_the_mechanism():
    seen = []

    @ap.mechanism(queries=spaces.Arrays((2,), low=0, high=1), answers=spaces.Finite((ap.TOP,)))
    def keeper(state, message, coins):
        seen.append(message)
        return None, ap.TOP

    array = np.zeros(2)
    pair = ap.same(array)
    array[:] = 99
    session = (ap.Verifier(event_level()) @ ap.Identifier(1) @ keeper).start()
    assert session.send(pair) is ap.TOP
    assert not seen[0].any()
    assert not seen[0].flags.writeable


def test_records_of_users_with_lying_names():
    rows = spaces.Either((spaces.Tuples((spaces.Texts(), spaces.BITS)), spaces.Finite((ap.EMPTY,))))

    @ap.mechanism(queries=rows, answers=spaces.Finite((ap.TOP,)))
    def sink(state, message, coins):
        return None, ap.TOP

    class Name(str):
        def __eq__(self, other):
            return True

        def __hash__(self):
            return hash("ann")

    for hostile in (("bob", 1), (Name("bob"), 1), ("ann", True), ("ann",), ["ann", 1]):
        valid = [ap.Pair(("ann", 0), ap.EMPTY)]
        assert_halts(user_level(), sink, valid, ap.Pair(hostile, ap.EMPTY))


def test_reasons_are_for_the_caller_only(tmp_path):
    _, game = guarded(event_level(), LeakyBit(delta=0.5))
    path = tmp_path / "view"
    view = ap.interact(ap.scripted([7]), game, sink=path, overwrite=True)
    assert view.why_halted == "the message is not a pair"
    assert "pair" not in path.read_text().splitlines()[-2]
    assert ap.View.load(path).why_halted is None
