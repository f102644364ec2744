"""Parts of every kind that know nothing of columns play as they would alone, and are named."""

from typing import Any

import attrs
from trying import over

import antiphon as ap
from antiphon import InteractiveAsContinual, Signature, Verification
from antiphon.populations.column_coins import KNOWN, ColumnCoins
from antiphon.populations.play import Population, play_population, taken_apart
from antiphon.protocol import Space
from antiphon.protocol.registry import column_safe
from antiphon.protocol.spaces import BITS, Anything, Either, Finite, Integers
from antiphon.protocol.verification import Refused

REPLICAS = 40


@ap.adversary
@column_safe
def follower(answers, coins):
    """Says back what it hears, halved: columns, if the answers are."""
    return ap.HALT if len(answers) == 3 else ap.same(answers[-1] // 2 if answers else 0)


@attrs.frozen
class Whole(Space):
    """As Integers, but by a look at the type."""

    @property
    def discrete(self) -> bool:
        return True

    def contains(self, value: Any) -> bool:
        return type(value) is int


@attrs.frozen
class Only(Verification[int]):
    """An f that looks at types."""

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state: int, zero: Any, one: Any, /) -> Any:
        return state if type(zero) is type(one) is int else Refused("it is no int")


@attrs.frozen
class Near:
    """A relation that does."""

    def holds(self, zero: Any, one: Any) -> bool:
        return type(zero) is type(one) is int


def noisy(queries=None, safe=True):
    """Answers with noise that a population draws as a column."""

    def noise(state, message, coins):
        assert safe or type(message) is int
        return state, message + coins.discrete_laplace(1000)

    space = Integers() if queries is None else queries
    made = ap.mechanism(queries=space, answers=space)(noise)
    return column_safe(made) if safe else made


@ap.post_processor()
def rounding(state, side, message, coins):
    assert type(message) is int
    return state, ap.Side.RIGHT if side is ap.Side.LEFT else ap.Side.LEFT, message


def game(mechanism, f=None):
    f = ap.verifiers.event_level() if f is None else f
    return ap.Verifier(f) @ ap.Identifier(0) @ mechanism


def child(mechanism):
    create = ap.same(ap.Create(mechanism))

    @ap.adversary
    @column_safe
    def player(answers, coins):
        if not answers:
            return create
        if len(answers) == 4:
            return ap.HALT
        said = answers[-1] // 2 if len(answers) > 1 else 0
        return ap.same(ap.Ask(said, 0))

    return player, ap.Verifier(ap.composition.sparse_parallel([(1, 0)])) @ ap.Identifier(0) @ (
        ap.ExtConComp()
    )


def claimed(mechanism, f=None):
    f = ap.verifiers.event_level() if f is None else f
    claim = ap.Claim(ap.protocol.Pure(1), f, ap.protocol.Status.ASSUMED, "for this test")
    return attrs.evolve(mechanism, claims=(claim,))


SYSTEMS = {
    "mechanism": (follower, game(noisy(safe=False)), ("noise",)),
    "link": (follower, game(rounding @ noisy()), ("rounding",)),
    "f": (follower, game(noisy(), Only()), ("Only",)),
    "relation": (follower, game(noisy(), ap.verifiers.every_pair(Near())), ("Near",)),
    "space": (follower, game(noisy(Whole())), ("Whole",)),
    "space of a space": (follower, game(noisy(Either((BITS, Whole())))), ("Whole",)),
    "child": (*child(claimed(noisy(safe=False))), ("noise",)),
    "space of a child": (*child(claimed(noisy(Whole()))), ("Whole",)),
    "f of a child": (*child(claimed(noisy(), Only())), ("Only",)),
    "all declared": (follower, game(noisy()), ()),
    "a child, all declared": (*child(claimed(noisy())), ()),
}


@over("name", SYSTEMS, at_least=11)
def test_every_kind_of_part_plays_as_it_would_alone_and_is_named(name):
    """Nothing is refused, and no assertion of the parts fails; who takes apart is known."""
    player, system, slow = SYSTEMS[name]
    last = column_safe(lambda answers: answers[-1] is ap.HALT or len(answers))
    rounds = len(ap.interact(player, system, seed=1).answers)
    counts = play_population(player, system, replicas=REPLICAS, feature=last, seed=1)
    assert counts == {rounds: REPLICAS}
    assert taken_apart(player, system) == slow


def test_an_adversary_that_knows_no_columns():
    @ap.adversary
    def deaf(answers, coins):
        assert all(type(answer) is int for answer in answers)
        return ap.HALT if len(answers) == 2 else ap.same(5)

    counts = play_population(deaf, game(noisy()), replicas=REPLICAS, feature=len, seed=1)
    assert counts == {2: REPLICAS}
    assert taken_apart(deaf, game(noisy())) == ("deaf",)


def test_what_is_declared_is_played_in_one_block():
    for name, (player, system, slow) in SYSTEMS.items():
        population = Population(player, system, None, ColumnCoins(1))
        blocks = sum(1 for _ in population.play(REPLICAS))
        assert (blocks == 1) is (slow == ()), name


def test_a_part_within_another_is_named_itself():
    inner = InteractiveAsContinual(noisy(safe=False))
    asked = ap.scripted([None, 0])
    assert taken_apart(asked, inner) == ("noise",)
    assert play_population(asked, inner, replicas=5, feature=len, seed=1) == {2: 5}


def test_a_step_that_knows_no_columns_draws_numbers_also_in_its_parts():
    """A composition inside of it is stepped as for one replica."""
    within = game(noisy())

    class Outer(ap.ContinualMechanism[Any, Any, Any]):
        initial_state = within.initial_state
        signature = Signature(Anything(), Finite((0, 1)))

        def step(self, state, message, coins):
            state, answer = within.step(state, ap.same(message), coins)
            assert type(answer) is int
            return state, 1

    counts = play_population(ap.scripted([0, 1]), Outer(), replicas=REPLICAS, seed=1)
    assert counts == {(1, 1): REPLICAS}


def test_few_parts_are_remembered():
    coins = ColumnCoins(1)
    for _ in range(3 * KNOWN):
        assert coins.steps(mechanism := noisy()).__self__ is mechanism
    assert len(coins._steps) <= KNOWN
