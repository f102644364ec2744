"""V[f] and I(b)."""

from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon import Side, spaces
from antiphon.protocol import SampledCoins
from antiphon.verifiers import Refused, event_level

F = event_level()
M = ap.mechanisms.LeakyBit(delta=0)


def verifier():
    return ap.Verifier(F).wired((ap.Identifier(0) @ M).signature)


def test_a_valid_pair_goes_right_and_answers_go_left_unchanged():
    v = verifier()
    state, side, message = v.step(v.initial_state, Side.LEFT, ap.Pair(0, 1), None)
    assert (side, message) == (Side.RIGHT, ap.Pair(0, 1))
    assert v.step(state, Side.RIGHT, "anything", None) == (state, Side.LEFT, "anything")


def test_once_refused_it_halts_for_ever():
    v = verifier()
    state, side, message = v.step(v.initial_state, Side.LEFT, ap.Pair(0, 7), None)
    assert (side, message) == (Side.LEFT, ap.HALT)
    assert v.why_halted(state)
    again, side, message = v.step(state, Side.LEFT, ap.Pair(0, 0), None)
    assert (side, message) == (Side.LEFT, ap.HALT)
    assert v.why_halted(again) == v.why_halted(state)


def test_a_live_verifier_gives_no_reason():
    assert verifier().why_halted(verifier().initial_state) is None


def test_a_verifier_stands_left_of_what_takes_pairs():
    with pytest.raises(ap.CompositionError):
        ap.Verifier(F) @ M
    with pytest.raises(ap.CompositionError):
        ap.Verifier(F) @ ap.mechanisms.RoundToGrid() @ ap.mechanisms.Laplace(epsilon=1)


def test_the_identifier_forwards_its_side():
    for bit in (0, 1):
        i = ap.Identifier(bit)
        assert i.step(i.initial_state, Side.LEFT, ap.Pair("a", "b"), None)[1:] == (
            Side.RIGHT,
            "ab"[bit],
        )
        assert i.step(i.initial_state, Side.RIGHT, "c", None)[1:] == (Side.LEFT, "c")


def test_the_identifier_refuses_a_lone_message():
    session = (ap.Identifier(0) @ M).start()
    with pytest.raises(ap.InvalidArgument):
        session.send(0)
    assert session.send(ap.same(0)) is ap.TOP


@over("wrong", [2, -1, True, False, 0.0, "0"])
def test_a_bit_is_zero_or_one(wrong):
    with pytest.raises(ap.InvalidArgument):
        ap.Identifier(wrong)


def test_an_identifier_without_a_bit_is_chosen_at_start():
    game = ap.PrivacyGame(ap.mechanisms.RandomizedResponse(epsilon=0, delta=1), F).interactive
    assert game.initial_states == spaces.BITS
    assert game.start(1, seed=0).send(ap.Pair(0, 1)) == (1, ap.TOP)
    assert game.start(0, seed=0).send(ap.Pair(0, 1)) == (0, ap.TOP)
    for wrong in (None, True, 2):
        with pytest.raises(ap.InvalidArgument):
            game.start(wrong)
    with pytest.raises(ap.CompositionError):
        _ = ap.Identifier().initial_state


def test_two_identifiers_need_two_choices():
    system = ap.Identifier() @ ap.Identifier() @ M
    assert list(system.initial_states.enumerate()) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    echo = ap.mechanisms.LeakyBit(delta=1)
    state = (ap.Identifier() @ ap.Identifier() @ echo).enter((1, 0))
    deep = ap.Identifier() @ ap.Identifier() @ echo
    pairs = ap.Pair(ap.Pair(0, 0), ap.Pair(1, 0))
    state, _ = deep.step(state, pairs, SampledCoins())
    assert deep.step(state, pairs, SampledCoins())[1] == 1


def test_a_hostile_verification_function_cannot_let_a_message_pass_by_raising():
    class Raises(ap.Verification):
        initial_state = 0

        def step(self, state, zero, one, /):
            raise RuntimeError("secret")

    session = (ap.Verifier(Raises()) @ ap.Identifier(0) @ M).start()
    assert session.send(ap.same(0)) is ap.HALT
    assert "secret" not in session.why_halted


def test_refused_is_final():
    assert Refused("x") == Refused("x")


# --- what is no state of f ---------------------------------------------------------------

NO_STATES = [False, None, ap.BOTTOM, ap.HALT, np.False_, Refused]


@attrs.frozen
class Returns(ap.Verification):
    """An f that forgot to say Refused of a differing pair."""

    what: Any
    initial_state = 0

    def step(self, state, zero, one, /):
        return self.what if zero != one else state


EVERY_SLIP = over("what", NO_STATES, at_least=6)


@EVERY_SLIP
def test_what_is_no_state_does_not_open_the_verifier(what):
    f = Returns(what)
    session = (ap.Verifier(f) @ ap.Identifier(0) @ M).start(seed=1)
    for _ in range(2):
        with pytest.raises(ap.PartError, match=r"Returns.*return Refused\('why'\)"):
            session.send(ap.Pair(0, 1))
    assert session.send(ap.same(0)) is not ap.HALT  # nothing was changed


@EVERY_SLIP
def test_what_is_no_state_is_refused_wherever_f_is_asked(what):
    f = Returns(what)
    bounded = ap.verifiers.bounded(f, 3)
    mixed = ap.verifiers.updates_and_queries(f, spaces.Finite(("q",)))
    claim = attrs.evolve(M.claims[0], verification=f, status=ap.protocol.Status.ASSUMED)
    child = Claiming((claim,))
    create = ap.Create(child)
    composed = ap.composition.sparse_parallel([claim.parameters])
    questions = [
        lambda: f([ap.Pair(0, 1)]),
        lambda: bounded([ap.Pair(0, 1)]),
        lambda: mixed([ap.Pair(0, 1)]),
        lambda: composed([ap.same(create), ap.Pair(ap.Ask(0, 0), ap.Ask(1, 0))]),
        lambda: ap.PrivacyGame(M, f).tight_epsilon(delta=0, rounds=1),
        lambda: ap.PrivacyGame(M, bounded).tight_delta(epsilon=0, rounds=1),
        lambda: ap.PrivacyGame(ap.ExtConComp(), composed).tight_delta(
            epsilon=0, rounds=2, catalogue=[child]
        ),
        lambda: ap.PrivacyGame(M, f).audit(
            ap.scripted([ap.Pair(0, 1)]), epsilon=1, samples=1000, seed=1
        ),
    ]
    for question in questions:
        with pytest.raises(ap.PartError, match="Returns"):
            question()


@attrs.frozen
class Claiming(ap.mechanisms.LeakyBit):
    """A mechanism with the claims it is given."""

    stated: tuple = ()
    delta: Any = Fraction(1, 3)

    @property
    def claims(self):
        return self.stated


@over("state", [0, (), True, np.True_, "", 0.0, frozenset()])
def test_falsy_values_may_be_states(state):
    f = Returns(state)
    assert f([ap.Pair(0, 1)]) is ap.TOP


def test_no_subclass_of_refused_passes_for_a_state():
    with pytest.raises(TypeError, match="final"):

        class Mine(Refused):
            pass
