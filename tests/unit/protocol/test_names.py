"""A part made of one function goes by the name of the function, wherever it is named."""

from fractions import Fraction

import pytest

import antiphon as ap
from antiphon import spaces
from antiphon.protocol import BoundedRange, GaussianDP
from antiphon.protocol.records.labels import message_label

EVENT = ap.verifiers.event_level()


@ap.mechanism(queries=spaces.Integers(0), answers=spaces.Integers(0), initial_state=("canary",))
def noisy_sum(state, number, coins):
    return state, number


@ap.post_processor(initial_state=("canary",))
def clipped(state, side, message, coins):
    return state, ap.Side.LEFT if side is ap.Side.RIGHT else ap.Side.RIGHT, message


@ap.exchange(initial_state=("canary",))
def asked(state, message):
    return state, (yield message)


@ap.exchange(initial_state=("canary",))
def tossed(state, message, coins):
    return state, (yield message)


@ap.adversary
def curious(answers, coins):
    return len(answers)


@pytest.mark.parametrize("part", [noisy_sum, clipped, asked, tossed, curious], ids=repr)
def test_repr_and_labels_give_its_name(part):
    name = part.function.__name__
    assert name in repr(part)
    assert message_label(part) == name
    assert "0x" not in repr(part)
    assert "canary" not in repr(part)


def test_its_name_stands_in_whatever_it_is_a_part_of():
    assert message_label(clipped @ noisy_sum) == "clipped ∘* noisy_sum"
    assert "clipped" in repr(clipped @ noisy_sum)
    assert repr(noisy_sum.start()) == "<Session of noisy_sum, live>"
    view = ap.interact(curious, noisy_sum, rounds=1, seed=1)
    assert view.header.system == {"unregistered": "noisy_sum"}
    assert "noisy_sum" in view.mermaid()
    assert "curious" in view.mermaid()


def test_errors_say_it():
    with pytest.raises(ap.InvalidArgument, match="query space of noisy_sum"):
        noisy_sum.start().send("0")
    with pytest.raises(ap.InvalidArgument, match="initial states of noisy_sum"):
        noisy_sum.start(initial=1)
    with pytest.raises(ap.InvalidArgument, match="mechanism 0, a noisy_sum"):
        ap.ConComp([noisy_sum]).start().send(ap.Ask("0", 0))
    game = ap.PrivacyGame(noisy_sum, EVENT)
    with pytest.raises(ap.InvalidArgument, match="query space of noisy_sum"):
        game.tight_delta(epsilon=0, rounds=1, queries=["0"])
    with pytest.raises(ap.Intractable, match="messages of noisy_sum"):
        game.tight_delta(epsilon=0, rounds=1)
    with pytest.raises(ap.CompositionError, match="noisy_sum"):
        ap.guarantee(noisy_sum)


def test_a_decorated_post_processor_declares_a_lifting_as_a_class_does():
    rr = ap.mechanisms.RandomizedResponse(epsilon=1)
    bits = ap.Signature(spaces.BITS, rr.signature.answers)
    inner = ap.composition.sparse_parallel([(1, 0)])
    lifting = ap.composition.Lifting(ap.verifiers.bounded(EVENT, 1), inner)

    def forward(state, side, message, coins):
        if side is ap.Side.LEFT:
            return message, ap.Side.RIGHT, ap.Create(rr)
        if message is ap.TOP:
            return state, ap.Side.RIGHT, ap.Ask(state, 0)
        return state, ap.Side.LEFT, message

    decorated = ap.post_processor(
        initial_state=0, deterministic=True, signature=lambda right: bits, lifting=lifting
    )(forward)

    class Forward(ap.PostProcessor):
        initial_state = 0
        deterministic = True
        lifting = decorated.lifting

        def signature(self, right):
            return bits

        def step(self, state, side, message, coins):
            return forward(state, side, message, coins)

    guarantees = [
        ap.guarantee(ap.composition.ComplexMechanism(each)) for each in (decorated, Forward())
    ]
    assert [each.epsilon_at(0) for each in guarantees] == [1, 1]
    assert guarantees[0].status is guarantees[1].status
    assert guarantees[0].verification == lifting.outer
    assert "forward" in guarantees[0].explain()
    undeclared = ap.post_processor(deterministic=True, signature=lambda right: bits)(forward)
    with pytest.raises(ap.CompositionError, match="three properties"):
        ap.guarantee(ap.composition.ComplexMechanism(undeclared))


def test_a_parameter_with_many_digits_is_shown_rounded_up():
    mu = GaussianDP(Fraction(10**30 + 1, 10**30))
    assert message_label(mu) == "GaussianDP(mu=≈1.00001)"
    assert message_label(-Fraction(2 * 10**30 + 1, 10**30)) == "≈-2"
    assert message_label(Fraction(1, 10**2000)) == "a long fraction"
    assert message_label(BoundedRange(ap.Log(4))) == "BoundedRange(eta=ln 4)"
