"""Laws 1, 5, 8: what a review found to pass for the same, or to leave the game."""

import attrs
import numpy as np
import pytest

import antiphon as ap
from antiphon import Claim
from antiphon.mechanisms import LeakyBit, RandomizedResponse, TreeCounter
from antiphon.numbers.interning import fingerprint
from antiphon.protocol import Pure, SampledCoins, Status, identical

BITS = ap.spaces.BITS
CLAIM = Claim(Pure(0), ap.verifiers.event_level(), Status.PROVED, "ignores its input")


@attrs.frozen
class Labelled(ap.ContinualMechanism):
    """Truly (0, 0)-DP: it answers its label whatever it is asked."""

    label: int = attrs.field(eq=False)
    initial_state = None
    signature = ap.Signature(BITS, BITS)
    claims = (CLAIM,)

    def step(self, state, message, coins):
        return state, self.label


@attrs.frozen
class Holder:
    content: object


def sparse(messages, bit):
    game = ap.PrivacyGame(ap.ExtConComp(), ap.composition.sparse_parallel([(0, 0)]))
    return game.play(ap.scripted(messages), bit=bit).answers


@pytest.mark.parametrize("bit", [0, 1])
def test_creations_that_differ_in_a_field_without_eq_are_not_the_same(bit):
    pair = ap.Pair(ap.Create(Labelled(0)), ap.Create(Labelled(1)))
    assert sparse([pair, ap.same(ap.Ask(0, 0))], bit) == (ap.HALT,)


def test_equal_creations_go_on_as_one_object():
    """Whatever hides in the other object never reaches the mechanism."""
    c0, c1 = ap.Create(LeakyBit(delta=0)), ap.Create(LeakyBit(delta=0))
    object.__setattr__(c1, "step", lambda state, query, coins: (state, 1))
    script = [ap.Pair(c0, c1), ap.same(ap.Ask(0, 0))]
    assert sparse(script, 0) == sparse(script, 1)


def test_arrays_inside_messages_are_frozen():
    array = np.zeros(2)
    pair = ap.same(Holder(array))
    array[0] = 1
    assert identical(pair.zero, Holder(np.zeros(2)))
    with pytest.raises(ap.InvalidArgument, match="immutable"):
        ap.mechanism(queries=ap.spaces.Integers(), answers=BITS)(print).start().send([1])


def test_a_composition_function_guards_compositions_only():
    f = ap.composition.sparse_parallel([(0, 0)])
    with pytest.raises(ap.CompositionError, match="SparseParallel"):
        ap.PrivacyGame(LeakyBit(delta=0), f).mechanism(0)
    with pytest.raises(ap.InvalidArgument):
        ap.Verifier(3)
    fixed = ap.PrivacyGame(ap.ConComp([LeakyBit(delta=0)]), f)
    create = ap.same(ap.Create(LeakyBit(delta=0)))
    assert fixed.play(ap.scripted([create]), bit=0).answers == (ap.HALT,)


def test_a_refusal_behind_a_verifier_is_a_halt_in_the_transcript():
    counter = TreeCounter(horizon=1, epsilon=1)
    game = ap.PrivacyGame(counter, counter.claims[0].verification)
    view = game.play(ap.scripted([ap.same(1), ap.same(1), ap.same(1)]), bit=0)
    assert view.answers == (ap.TOP, ap.HALT)
    assert "refused" in view.why_halted
    session = counter.start()
    session.send(1)
    with pytest.raises(ap.InvalidArgument, match="horizon"):
        session.send(1)


def test_a_grandchilds_halt_ends_the_grandchild_only():
    rr, ask = RandomizedResponse(epsilon=1), ap.Ask
    session = ap.ExtConComp().start()
    for message in (ap.Create(ap.ExtConComp()), ask(ap.Create(rr), 0), ask(ap.Create(rr), 0)):
        assert session.send(message) is ap.TOP
    session.send(ask(ask(1, 0), 0))
    assert session.send(ask(ask(1, 0), 0)) is ap.HALT
    assert session.send(ask(ask(1, 1), 0)) is not ap.HALT


def test_a_reading_that_cannot_go_on_is_no_answer():
    @ap.mechanism(queries=BITS, answers=ap.spaces.Anything())
    def wide(state, x, coins):
        return state, coins.laplace(1.0) if coins.bernoulli(0.5) else 0

    with pytest.raises(ap.Intractable):
        list(ap.outcomes(lambda coins: wide.start(coins=coins).send(1)))
    with pytest.raises(ap.Intractable):
        list(ap.outcomes(lambda coins: coins.uniform_integer(10**8)))


@pytest.mark.parametrize("draw", ["uniform_integer", "discrete_laplace", "discrete_gaussian"])
def test_coins_do_not_show_what_they_were_asked(draw):
    with pytest.raises(ap.InvalidArgument) as caught:
        getattr(SampledCoins(), draw)(-424242)
    assert "424242" not in str(caught.value)


def test_interact_says_when_the_parties_are_swapped():
    with pytest.raises(ap.InvalidArgument, match="adversary first"):
        ap.interact(LeakyBit(delta=0), ap.scripted([]))


def test_a_declaration_that_nobody_checked_leaves_a_claim_assumed():
    """The figure of a user's link that says it forwards is no proof; our own links are tested."""

    class Remembers(ap.protocol.IdentityPostProcessor):
        def step(self, state, side, message, coins):
            return super().step(state, side, message, coins)

    counter = TreeCounter(horizon=4, epsilon=1)
    assert (ap.mechanisms.RoundToGrid() @ counter).claims[0].status is Status.PROVED
    assert (Remembers() @ counter).claims[0].status is Status.ASSUMED


class PassesForComplex(type):
    """A metaclass: its classes hash as ``complex`` does, and equal everything.

    Not as ``int``: Python itself keeps classes by hash, in what it knows of ABCs.
    """

    def __hash__(cls):
        return hash(complex)

    def __eq__(cls, other):
        return True


class Liar(metaclass=PassesForComplex):
    def __init__(self, said):
        self.said = said

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return True


class Other(Liar):
    pass


def test_a_class_that_passes_for_complex_is_no_number():
    assert not identical(Liar(0), Liar(1))
    assert not identical(Liar(0), 0j)


def test_two_of_its_objects_are_a_pair_that_differs():
    @ap.mechanism(queries=ap.spaces.Anything(), answers=ap.spaces.Anything())
    def deaf(state, message, coins):
        return state, ap.TOP

    game = ap.PrivacyGame(deaf, ap.verifiers.event_level())
    differing = ap.Pair(Liar(0), Liar(1))
    assert game.play(ap.scripted([differing, differing]), bit=0).answers == (ap.TOP, ap.HALT)


def test_classes_that_say_they_are_equal_have_keys_of_their_own():
    assert fingerprint(Liar(0)) != fingerprint(Other(0))
    assert fingerprint(Liar(0)) != fingerprint(1j)


def test_none_of_its_objects_is_in_a_finite_space():
    bits = ap.spaces.Finite((1, 0))
    assert not bits.contains(Liar(0))
    assert not bits.contains_all((Liar(0), Liar(1)))
    assert not ap.spaces.Tuples((bits, bits)).contains((Liar(0), Liar(1)))
