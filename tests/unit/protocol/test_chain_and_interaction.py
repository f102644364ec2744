"""Chains that do not fit, endless talk, interactions and who ends them."""

import attrs
import pytest
from strategies import adder, breakable, tosser

import antiphon as ap
from antiphon import Side
from antiphon.mechanisms import COUNT, Laplace, LeakyBit, RandomizedResponse, RoundToGrid
from antiphon.protocol import Chain, IdentityPostProcessor
from antiphon.protocol.chain import AnyChain, Links
from antiphon.protocol.records.rounds import Ending, Round


@ap.post_processor(deterministic=True)
def right_for_ever(state, side, message, coins):
    return state, Side.RIGHT, 0


@ap.post_processor()
def nowhere(state, side, message, coins):
    return state, "up", message


@pytest.mark.parametrize(
    "join",
    [
        lambda: ap.Verifier(ap.verifiers.event_level()) @ adder,
        lambda: ap.Verifier(ap.verifiers.event_level()) @ RoundToGrid() @ Laplace(epsilon=1),
        lambda: RoundToGrid() @ ap.ExtConComp(),
        lambda: ap.Identifier(0) @ RoundToGrid() @ ap.ExtConComp(),
    ],
)
def test_parts_that_do_not_fit_fail_at_the_join(join):
    with pytest.raises(ap.CompositionError):
        join()


@pytest.mark.parametrize("other", [5, None, "M", adder.start()])
def test_only_parts_can_be_joined(other):
    with pytest.raises(TypeError):
        _ = IdentityPostProcessor() @ other
    with pytest.raises(ap.CompositionError, match="a post-processor stands on the left of @"):
        _ = adder @ IdentityPostProcessor()


def test_signatures_resolve_from_the_right():
    chain = ap.Verifier(ap.verifiers.event_level()) @ ap.Identifier(0) @ LeakyBit(delta=0)
    assert chain.signature.queries == ap.spaces.Anything()
    assert chain.signature.answers.includes(LeakyBit(delta=0).signature.answers)
    assert (ap.Identifier(0) @ adder).signature.queries == ap.spaces.Pairs(adder.signature.queries)
    rounded = RoundToGrid(0.5) @ Laplace(epsilon=1)
    assert rounded.signature.answers.discrete
    assert rounded.signature.queries == Laplace(epsilon=1).signature.queries


def test_rounding_changes_a_finite_answer_space_too():
    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Finite((0.4, 0.6, 1.4, "x")))
    def some(state, message, coins):
        return state, 1.4

    system = RoundToGrid() @ some
    assert system.start().send(0) == 1.0
    assert list(system.signature.answers.enumerate()) == [0.0, 1.0, "x"]


def test_kinds_of_chains():
    assert type(IdentityPostProcessor() @ IdentityPostProcessor()) is Links
    assert type(ap.Identifier(0) @ adder) is Chain
    assert type(ap.Identifier() @ adder) is AnyChain
    links = ap.Identifier(0) @ IdentityPostProcessor()
    assert (links @ adder).parts == (*links.links, adder)
    assert (IdentityPostProcessor() @ (ap.Identifier(0) @ adder)).parts[1:] == (
        ap.Identifier(0),
        adder,
    )


def test_endless_talk_is_bounded():
    chain = attrs.evolve(right_for_ever @ adder, max_hops=50)
    session = chain.start()
    with pytest.raises(ap.ProtocolError, match="max_hops"):
        session.send(1)
    assert attrs.evolve(ap.Identifier(0) @ adder, max_hops=3).start().send(ap.same(4)) == 4
    with pytest.raises(ap.ProtocolError):
        attrs.evolve(ap.Identifier(0) @ adder, max_hops=2).start().send(ap.same(4))


def test_a_message_to_nowhere_is_refused():
    with pytest.raises(ap.ProtocolError):
        (nowhere @ adder).start().send(1)


def test_a_link_that_sends_what_is_no_query_is_stopped():
    @ap.post_processor()
    def wrong(state, side, message, coins):
        return state, Side.RIGHT if side is Side.LEFT else Side.LEFT, "not a number"

    with pytest.raises(ap.InvalidArgument, match="post-processor"):
        (wrong @ adder).start().send(1)


# --- interactions ---------------------------------------------------------------------------


def test_the_adversary_speaks_first_on_the_empty_message():
    heard = []

    @attrs.frozen
    class Listener(ap.Adversary):
        @property
        def initial_state(self):
            return 0

        def step(self, state, message, coins):
            heard.append(message)
            return state + 1, ap.HALT if state == 2 else 10 * state

    view = ap.interact(Listener(), adder)
    assert heard == [ap.EMPTY, 0, 10]
    assert view.messages == (0, 10)
    assert view.answers == (0, 10)
    assert view.ending is Ending.ADVERSARY
    assert view.rounds == (Round(0, 0), Round(10, 10))


def test_who_ends_it():
    scripted = ap.scripted([0] * 9)
    assert ap.interact(scripted, adder).ending is Ending.ADVERSARY
    assert ap.interact(scripted, adder, rounds=4).ending is Ending.ROUNDS
    assert len(ap.interact(scripted, adder, rounds=4).rounds) == 4
    assert ap.interact(scripted, adder, rounds=0).rounds == ()
    view = ap.interact(scripted, RandomizedResponse(epsilon=1))
    assert view.ending is Ending.MECHANISM
    assert view.answers[-1] is ap.HALT
    assert len(view.rounds) == 2
    assert view.complete


@pytest.mark.parametrize("wrong", [-1, 1.5, True, "3"])
def test_rounds_are_counted_in_integers(wrong):
    with pytest.raises(ap.InvalidArgument):
        ap.interact(ap.scripted([0]), adder, rounds=wrong)


def test_a_refused_message_raises_out_of_the_interaction(tmp_path):
    path = tmp_path / "view"
    with pytest.raises(ap.InvalidArgument):
        ap.interact(ap.scripted([1, 2, "three"]), adder, sink=path)
    cut = ap.View.load(path)
    assert cut.answers == (1, 3)
    assert not cut.complete


def test_watch_sees_every_round_as_it_ends():
    seen = []
    view = ap.interact(ap.scripted([1, 2]), adder, watch=seen.append)
    assert tuple(seen) == view.rounds


def test_the_view_holds_the_adversarys_coins_and_not_the_mechanisms():
    @ap.adversary
    def player(answers, coins):
        coins.uniform_integer(5)
        return ap.HALT if len(answers) == 2 else 1

    view = ap.interact(player, tosser, seed=1)
    assert [draw.kind for draw in view.coins] == ["uniform_integer"] * 3
    assert [len(each.draws) for each in view.rounds] == [1, 1]
    assert len(view.closing) == 1


def test_a_run_with_a_sink_is_the_run_without(tmp_path):
    plain = ap.interact(ap.scripted([0, 1, 1]), tosser, seed=6)
    streamed = ap.interact(ap.scripted([0, 1, 1]), tosser, seed=6, sink=tmp_path / "view")
    assert streamed.answers == plain.answers
    assert streamed == plain
    assert list(streamed.rounds) == list(plain.rounds)
    assert streamed.rounds[-1] == plain.rounds[-1]
    assert streamed.rounds[1:] == plain.rounds[1:]
    assert ap.View.load(tmp_path / "view") == plain
    with pytest.raises(IndexError):
        _ = streamed.rounds[3]


def test_a_counter_end_to_end():
    system = ap.mechanisms.TreeCounter(horizon=8, epsilon=10**6)
    view = ap.interact(ap.scripted([1, 0, 1, COUNT, 1, COUNT, COUNT]), system, seed=0)
    assert view.answers == (ap.TOP,) * 3 + (2, ap.TOP, 3, 3)


def test_interactions_do_not_need_names_or_a_json_form():
    """Only saving does, and then the type's name stands for it."""

    @ap.register("tests.WithAList/1")
    @attrs.frozen
    class WithAList(ap.ContinualMechanism):
        things: list
        signature = adder.signature
        initial_state = 0

        def step(self, state, message, coins):
            return state, message

    view = ap.interact(ap.scripted([1]), WithAList([1, 2]))
    assert view.header.system == {"unregistered": WithAList.__qualname__}
    assert ap.interact(ap.scripted([1]), breakable, seed=1, rounds=0).answers == ()


def test_what_is_no_view_is_named_before_it_is_replayed():
    with pytest.raises(ap.InvalidArgument, match="a view or a recording first, then the adversary"):
        ap.replay(ap.scripted([1]), ap.scripted([1]))


def test_a_class_that_is_looked_for_in_the_wrong_room_says_where_it_is():
    with pytest.raises(AttributeError, match=r"; it is antiphon\.mechanisms\.TreeCounter$"):
        _ = ap.TreeCounter
    with pytest.raises(AttributeError, match=r"no attribute 'Nowhere'$"):
        _ = ap.Nowhere
