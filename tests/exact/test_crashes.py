"""A step that crashes is no outcome whose privacy could be examined: it raises, and says where."""

import pytest

import antiphon as ap
from antiphon import spaces
from antiphon.audit import law_of_views, vadhan_wang

EVENT = ap.verifiers.event_level()


@ap.mechanism(queries=spaces.BITS, answers=spaces.BITS, initial_state=())
def crashes(state, message, coins):
    return state, {}[message]


@ap.mechanism(queries=spaces.BITS, answers=spaces.BITS, initial_state=())
def crashes_now_and_then(state, message, coins):
    return state, 1 // int(coins.bernoulli(0.5))


@ap.mechanism(queries=spaces.BITS, answers=spaces.BITS, initial_state=())
def refuses(state, message, coins):
    if message:
        raise ap.InvalidArgument("not this one")
    return state, 0


def composed(mechanism):
    claims = (ap.Claim(ap.protocol.Pure(1), EVENT, ap.protocol.Status.ASSUMED, "test"),)
    return ap.protocol.adapters.FunctionMechanism(
        mechanism.function, mechanism.signature, (), claims
    )


@pytest.mark.parametrize(
    ("mechanism", "cause"), [(crashes, KeyError), (crashes_now_and_then, ZeroDivisionError)]
)
def test_a_step_that_crashes_is_not_perfectly_private(mechanism, cause):
    game = ap.PrivacyGame(mechanism, EVENT)
    one = composed(mechanism)
    sparse = ap.composition.sparse_parallel([(1, 0)])
    together = ap.ConComp([one, one])
    complex_one = ap.composition.ComplexMechanism(Creates(one))
    simulator = vadhan_wang(one, EVENT, epsilon=ap.Log(3))
    questions = [
        lambda: game.tight_epsilon(delta=0, rounds=1),
        lambda: game.tight_delta(epsilon=0, rounds=1),
        lambda: game.best_adversary(epsilon=0, rounds=1),
        lambda: ap.equivalent(mechanism, mechanism, rounds=1),
        lambda: law_of_views(ap.scripted([0]), mechanism, rounds=1),
        lambda: simulator.step(simulator.initial_state, ap.Side.LEFT, ap.Pair(0, 1), None),
        lambda: ap.PrivacyGame(ap.ExtConComp(), sparse).tight_delta(
            epsilon=0, rounds=2, catalogue=[one]
        ),
        # and where a composition would make it the HALT of a child
        lambda: ap.PrivacyGame(together, ap.composition.each_valid(together)).tight_delta(
            epsilon=0, rounds=1
        ),
        lambda: ap.PrivacyGame(complex_one, EVENT).tight_delta(epsilon=0, rounds=1),
    ]
    for question in questions:
        with pytest.raises(ap.PartError, match=r"test_crashes\.py:\d+") as caught:
            question()
        assert isinstance(caught.value.__cause__, cause)
        assert caught.value.__cause__.__traceback__ is not None


def test_an_audit_says_that_a_step_crashed():
    one = composed(crashes_now_and_then)
    together = ap.ConComp([one, one])
    game = ap.PrivacyGame(together, ap.composition.each_valid(together))
    script = ap.scripted([ap.Pair(ap.Ask(0, 0), ap.Ask(1, 0))])
    with pytest.raises(ZeroDivisionError):
        game.audit(script, epsilon=1, samples=1000, seed=1)
    with pytest.raises(ZeroDivisionError):
        ap.PrivacyGame(crashes_now_and_then, EVENT).audit(
            ap.scripted([ap.Pair(0, 1)]), epsilon=1, samples=1000, seed=1
        )


def test_a_refusal_is_a_halt_of_the_game_as_before():
    game = ap.PrivacyGame(refuses, EVENT)
    assert game.tight_delta(epsilon=5, rounds=1) == 1  # heard in one world only
    assert game.tight_epsilon(delta=0, rounds=1) == float("inf")


class Creates(ap.PostProcessor):
    """Creates the mechanism at the first message, then asks it."""

    deterministic = True
    initial_state = False

    def __init__(self, mechanism):
        self.create = ap.Create(mechanism)

    def signature(self, right):
        return ap.Signature(spaces.BITS, spaces.Either((spaces.BITS, spaces.Finite((ap.HALT,)))))

    def step(self, state, side, message, coins):
        if side is ap.Side.LEFT:
            return message, ap.Side.RIGHT, self.create
        if message is ap.TOP:
            return state, ap.Side.RIGHT, ap.Ask(state, 0)
        return state, ap.Side.LEFT, message
