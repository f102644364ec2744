"""The one declaration that a part reads columns, on every kind of part, and who inherits it."""

from functools import wraps
from typing import Any

import attrs
import pytest
from trying import over

import antiphon as ap
from antiphon import InteractiveAsContinual, NoninteractiveMechanism, Signature, Verification
from antiphon.audit.statistical.search import AdversaryFamily, FamilyMember
from antiphon.mechanisms import (
    COUNT,
    HistogramSVT,
    KthLargest,
    Laplace,
    LeakyBit,
    SquareRootCounter,
    TreeCounter,
    UnboundedCounter,
)
from antiphon.populations.play import play_population
from antiphon.protocol import Space
from antiphon.protocol.coins.column_safety import is_column_safe, unsafe
from antiphon.protocol.registry import column_safe
from antiphon.protocol.spaces import BITS, Anything, Either, Pairs, Tuples
from antiphon.verifiers import Near, OnlyEntry, Within


class Step(ap.ContinualMechanism[Any, Any, Any]):
    initial_state = None
    signature = Signature(Anything(), Anything())

    def step(self, state, message, coins):
        return state, message


class Respond(NoninteractiveMechanism[Any, Any]):
    signature = Signature(Anything(), Anything())

    def respond(self, dataset, coins):
        return dataset


class Says(ap.Adversary[Any]):
    initial_state = None

    def step(self, state, message, coins):
        return state, ap.HALT


class Link(ap.PostProcessor[Any]):
    initial_state = None

    def step(self, state, side, message, coins):
        return state, side, message


class F(Verification[Any]):
    initial_state = 0

    def step(self, state, zero, one, /):
        return state


class Relation:
    def holds(self, zero, one):
        return True


class Reals(Space):
    discrete = False

    def contains(self, value):
        return type(value) is float


class Query:
    def __call__(self, answers):
        return answers[0]


KINDS = {
    Step: "step", Respond: "respond", Says: "step", Link: "step", F: "step", Relation: "holds",
    Reals: "contains", Query: "__call__",
}  # fmt: skip
OF_KINDS = over(("kind", "method"), KINDS.items(), at_least=8)


@OF_KINDS
def test_a_class_declares_and_nobody_else(kind, method):
    safe = column_safe(type("Safe", (kind,), {}))
    assert not is_column_safe(kind())
    assert unsafe(part := kind()) is part
    assert is_column_safe(safe())
    assert is_column_safe(type("Heir", (safe,), {})())


@OF_KINDS
def test_who_overrides_the_method_declares_anew(kind, method):
    safe = column_safe(type("Safe", (kind,), {}))
    other = {method: lambda self, *arguments: getattr(kind, method)(self, *arguments)}
    override = type("Override", (safe,), dict(other))
    assert not is_column_safe(override())
    assert is_column_safe(column_safe(override)())


@OF_KINDS
def test_a_mixin_between_takes_the_declaration_back(kind, method):
    """The method is then not the one that was declared, though the class itself has none."""
    safe = column_safe(type("Safe", (kind,), {}))
    mixin = type("Mixin", (kind,), {method: lambda self, *arguments: None})
    assert not is_column_safe(type("Diamond", (safe, mixin), {})())
    assert not is_column_safe(type("InFront", (mixin, safe), {})())


def test_a_method_set_on_the_object_takes_the_declaration_back():
    part = column_safe(type("Safe", (Step,), {}))()
    assert is_column_safe(part)
    part.step = lambda state, message, coins: (state, message)
    assert not is_column_safe(part)


class Typed(TreeCounter):
    """No noise, unless a replica is one of many: ``type`` tells a column from a number."""

    def _noise(self, coins):
        drawn = super()._noise(coins)
        return 0 if type(drawn) is int else drawn


def test_who_overrides_a_helper_declares_anew():
    """Once it inherited: a population had noise, where a session has none."""
    counter = Typed(horizon=4, epsilon=1)
    assert is_column_safe(TreeCounter(horizon=4, epsilon=1))
    assert unsafe(counter) is counter
    assert is_column_safe(column_safe(type("Anew", (Typed,), {}))(horizon=4, epsilon=1))
    counts = play_population(ap.scripted([1, COUNT]), counter, replicas=1000, seed=1)
    assert counts == {(ap.TOP, 1): 1000}


class Helps(Step):
    factor = 2
    table: Any = staticmethod(lambda message: message)

    @property
    def twice(self):
        return 2

    def step(self, state, message, coins):
        return state, self.helped(message) * self.twice + self.factor

    def helped(self, message):
        return message


@over(
    ("body", "safe"),
    [
        ({"helped": lambda self, message: 0}, False), ({"twice": property(lambda self: 3)}, False),
        ({"twice": 3}, False), ({"table": staticmethod(abs)}, False), ({"factor": 3}, True),
        ({"factor": property(lambda self: 3)}, False), ({"claims": ()}, True),
        ({"__getattr__": lambda self, name: 0}, False), ({"__repr__": lambda self: "it"}, True),
        ({"__getattribute__": lambda self, name: object.__getattribute__(self, name)}, False),
        ({"another": abs}, True),
        ({"initial_state": property(lambda self: 1)}, True),
    ])  # fmt: skip
def test_what_of_a_subclass_computes(body, safe):
    declared = column_safe(type("Safe", (Helps,), {}))
    assert is_column_safe(type("Heir", (declared,), body)()) is safe
    mixin = type("Mixin", (), body)
    assert is_column_safe(type("InFront", (mixin, declared), {})()) is safe


def test_a_helper_set_on_the_object_takes_the_declaration_back():
    part = column_safe(type("Safe", (Helps,), {}))()
    part.factor = 3
    assert is_column_safe(part)
    part.helped = lambda message: 0
    assert not is_column_safe(part)


def test_a_noninteractive_mechanism_that_steps_otherwise_declares_anew():
    class Tells(Laplace):
        def step(self, state, message, coins):
            return True, message

    assert is_column_safe(Laplace(epsilon=1))
    assert not is_column_safe(Tells(epsilon=1))


@pytest.mark.parametrize("above", [True, False])
def test_the_decorator_of_attrs_may_stand_on_either_side(above):
    class Plain(Step):
        size: int = 1

    kind = column_safe(attrs.frozen(Plain)) if above else attrs.frozen(column_safe(Plain))
    assert is_column_safe(kind())


def test_functions_bear_it_themselves():
    assert is_column_safe(column_safe(lambda answers: answers))
    assert not is_column_safe(lambda answers: answers)
    assert is_column_safe(tuple)
    assert not is_column_safe(list)
    assert not is_column_safe(len)

    class Holder:
        @column_safe
        def safe(self, answers):
            return answers

        def plain(self, answers):
            return answers

    assert is_column_safe(Holder().safe)
    assert not is_column_safe(Holder().plain)
    assert not is_column_safe(column_safe(Query))  # called, it makes an object


def test_a_part_made_of_a_function_is_as_safe_as_the_function():
    def answers(state, message, coins):
        return state, message

    def asks(heard, coins):
        return ap.HALT

    def passes(state, side, message, coins):
        return state, side, message

    for make, function in (
        (ap.mechanism(queries=BITS, answers=BITS), answers),
        (ap.adversary, asks),
        (ap.post_processor(), passes),
    ):
        made = make(function)
        assert unsafe(made) is function
        assert column_safe(made) is made  # above or below the other decorator
        assert is_column_safe(made)
        assert is_column_safe(function)


@attrs.frozen
class Whole(Step):
    one: Any
    two: Any = None


@pytest.mark.parametrize("of", ["one", ("one", "two")])
def test_of_fields_it_is_as_safe_as_they_are(of):
    kind = column_safe(of=of)(attrs.make_class("Kind", [], bases=(Whole,), frozen=True))
    safe, plain = LeakyBit(delta=0), Step()
    assert is_column_safe(kind(safe))
    assert unsafe(kind(plain)) is plain
    assert is_column_safe(kind(safe, plain)) is (of == "one")
    assert is_column_safe(kind((safe, safe)))
    assert unsafe(kind((safe, plain))) is plain
    number = kind(3)
    assert unsafe(number) is number  # a number is no part that one could declare


PLAIN = Relation()
CONDITIONAL = [
    (OnlyEntry(0, Within(1)), OnlyEntry(0, PLAIN)),
    (ap.verifiers.event_level(Within(1)), ap.verifiers.event_level(Near(1))),
    (ap.verifiers.neighbouring_start(initial=BITS),
     ap.verifiers.neighbouring_start(initial=Reals())),
    (ap.verifiers.user_level(), ap.verifiers.user_level(PLAIN)),
    (ap.verifiers.every_pair(), ap.verifiers.every_pair(PLAIN)),
    (ap.verifiers.bounded(ap.verifiers.event_level(), 1), ap.verifiers.bounded(F(), 1)),
    (ap.verifiers.updates_and_queries(ap.verifiers.event_level(), BITS),
     ap.verifiers.updates_and_queries(F(), BITS)),
    (ap.verifiers.updates_and_queries(ap.verifiers.event_level(), BITS),
     ap.verifiers.updates_and_queries(ap.verifiers.event_level(), Reals())),
    (Either((BITS, Tuples((BITS,)))), Either((BITS, Tuples((Reals(),))))),
    (Pairs(BITS), Pairs(Reals())),
    (TreeCounter(horizon=4, epsilon=1), SquareRootCounter(horizon=4, rho=1)),
    (UnboundedCounter(counter=TreeCounter(horizon=4, epsilon=1)),
     UnboundedCounter(counter=SquareRootCounter(horizon=4, rho=1))),
    (InteractiveAsContinual(LeakyBit(delta=0)), InteractiveAsContinual(Step())),
    (ap.protocol.IdentityPostProcessor() @ ap.protocol.IdentityPostProcessor(),
     ap.protocol.IdentityPostProcessor() @ Link()),
]  # fmt: skip


@over(("safe", "not_safe"), CONDITIONAL, at_least=14)
def test_what_hands_columns_on_is_as_safe_as_its_parts(safe, not_safe):
    assert is_column_safe(safe)
    assert not is_column_safe(not_safe)


def test_what_asks_the_coins_for_its_parts_steps_is_safe_itself():
    chain: Any = Link() @ Step()
    assert is_column_safe(chain)
    assert is_column_safe(ap.ExtConComp())
    assert is_column_safe(ap.ConComp([Step()]))
    assert is_column_safe(ap.Verifier(F()))


def test_a_histogram_is_as_safe_as_its_query():
    @attrs.frozen
    class Mine(ap.mechanisms.HistogramQuery):
        def __call__(self, counts):
            return counts[0]

        def sensitivity(self, dimension):
            return 1

    def svt(query):
        return HistogramSVT(epsilon=1, query=query, histogram=(0, 0))

    assert is_column_safe(svt(KthLargest()))
    assert unsafe(svt(Mine())) == Mine()
    assert is_column_safe(svt(column_safe(attrs.frozen(type("Safe", (Mine,), {})))()))


def test_a_member_of_a_family_is_as_safe_as_what_was_built():
    def build(vector):
        return ap.adversary(lambda answers, coins: ap.HALT)

    family = AdversaryFamily(build, bounds=[(0, 1)])
    assert not is_column_safe(FamilyMember(family, (0.5,)))
    scripted = AdversaryFamily(lambda vector: ap.scripted([COUNT]), bounds=[(0, 1)])
    assert is_column_safe(FamilyMember(scripted, (0.5,)))


def test_a_wrapper_takes_the_mark_of_what_it_wraps_along():
    @column_safe
    def inner(answers):
        return answers

    @wraps(inner)
    def outer(answers):
        return inner(answers)

    assert is_column_safe(outer)


def test_other_spellings_declare_nothing():
    class Old(Step):
        column_safe = True

        def step(self, state, message, coins):
            return state, message

        step_many = step

    assert not is_column_safe(Old())


def test_a_metaclass_that_cannot_be_hashed_declares_as_any():
    class Meta(type):
        __hash__ = None  # type: ignore[assignment]

        def __eq__(cls, other):
            return True

    class Odd(metaclass=Meta):
        def holds(self, zero, one):
            return True

    assert not is_column_safe(Odd())
    column_safe(Odd)
    assert is_column_safe(Odd())


def test_a_subclass_with_an_exchange_of_its_own_is_not_safe():
    class Once(ap.ExchangePostProcessor):
        initial_state = None

        def exchange(self, state, message, /):
            return state, (yield message)

    class Twice(column_safe(Once)):
        def exchange(self, state, message, /):
            yield message
            return state, (yield message)

    assert is_column_safe(Once())
    assert not is_column_safe(Twice())


@over("method", ["step", "exchange", "respond", "holds", "contains", "contains_all", "__call__"])
def test_who_adds_a_method_that_is_handed_columns_declares_anew(method):
    """Also where what was declared has none of that name."""
    declared = column_safe(type("Declared", (), {}))
    added = type("Added", (declared,), {method: lambda self, *given: given})
    assert is_column_safe(declared())
    assert not is_column_safe(added())


def test_an_exchange_with_coins_is_as_safe_as_its_function():
    @column_safe
    @ap.exchange()
    def tossed(state, message, coins):
        return state, (yield message + coins.laplace(1))

    assert is_column_safe(tossed)


@pytest.mark.parametrize("of", [3, None, len, ("a", 3), ["a"]])
def test_of_names_fields(of):
    with pytest.raises(ap.InvalidArgument, match="names fields"):
        column_safe(of=of)
