"""Swap symmetry: declared, true where it is declared, and never inherited by another step."""

import math

import attrs
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from test_models import CASES, LIKE_NUMBERS, RECORDS, STRANGE, run
from trying import over

import antiphon as ap
from antiphon import Claim, Verification, spaces
from antiphon.composition import fixed_mechanisms, fixed_parameters, sparse_parallel
from antiphon.composition.validity import each_valid
from antiphon.mechanisms import LeakyBit
from antiphon.protocol import Approximate, Status
from antiphon.protocol.verification import swap_symmetric
from antiphon.verifiers import (
    AddOrRemove,
    AnyTwo,
    EachWithin,
    Monotone,
    Near,
    OfUpdates,
    OneEntry,
    OnlyEntry,
    ReplacedRow,
    Within,
    bounded,
    event_level,
    every_pair,
    neighbouring_start,
    updates_and_queries,
    user_level,
)
from antiphon.verifiers.models import EventLevel


@attrs.frozen
class Upwards:
    """A user's relation, which is not symmetric and says nothing of it."""

    def holds(self, zero, one):
        return zero < one


@attrs.frozen
class WithinUpwards(Within):
    """A user's subclass of ours: the declaration of ``Within`` is not about this ``holds``."""

    def holds(self, zero, one):
        return zero <= one and Within.holds(self, zero, one)


@attrs.frozen
class Gap:
    """A user's relation that declares it."""

    swap_symmetric = True

    def holds(self, zero, one):
        return zero != one


RELATIONS = [
    AnyTwo(),
    AddOrRemove(),
    AddOrRemove(ap.EMPTY),
    Within(),
    Within(0.5),
    Near(1),
    Near(3),
    Near(2, norm=1),
    Near(1, norm=math.inf),
    Monotone(Near(2, norm=1)),
    Monotone(EachWithin()),
    Monotone(AnyTwo()),
    OfUpdates(Within()),
    EachWithin(),
    OnlyEntry(1),
    OnlyEntry(0, Within()),
    OneEntry(),
    ReplacedRow(),
    Gap(),
]
numbers = st.integers(-2, 2)
entries = st.tuples(numbers, numbers) | st.tuples(numbers)
messages = (
    numbers
    | st.sampled_from((*LIKE_NUMBERS, *STRANGE))
    | entries
    | st.tuples(st.sampled_from(("ann", "bob")), numbers)
    | st.lists(numbers, min_size=1, max_size=3).map(np.array)
)
KINDS = [messages, numbers, entries, st.lists(numbers, min_size=2, max_size=2).map(np.array)]


@over("relation", RELATIONS, at_least=19)
@given(data=st.data())
def test_a_relation_that_declares_symmetry_is_symmetric(relation, data):
    assert swap_symmetric(relation)
    side = data.draw(st.sampled_from(KINDS))
    zero, one = data.draw(side), data.draw(side)
    assume(not isinstance(relation, Gap) or np.ndarray not in (type(zero), type(one)))
    assert relation.holds(zero, one) == relation.holds(one, zero)


def composed():
    """f of compositions, with messages: creations, and questions to what they create."""
    made = (LeakyBit(delta=0.5), LeakyBit(delta=0.1))
    creations = tuple(map(ap.Create, made))
    asks = tuple(ap.Ask(bit, index) for bit in (0, 1) for index in (0, 1, 2))
    yield fixed_mechanisms(made), (*creations, *asks)
    yield each_valid(ap.ConComp(made)), (*creations, *asks)


DECLARED = [*((f, domain) for f, domain, _ in CASES), *composed()]
DECLARED += [
    (event_level(relation), domain)
    for relation, domain in ((OneEntry(), ((0, 0), (0, 1), (1, 1))), (OfUpdates(Within()), RECORDS))
]


@pytest.mark.every(3)
@pytest.mark.parametrize(("f", "domain"), DECLARED, ids=lambda v: repr(v)[:50])
@given(data=st.data())
def test_swapped_sequences_are_as_valid(f, domain, data):
    """Message by message: f refuses the swapped sequence at the same place, or not at all."""
    assert f.swap_symmetric
    value = st.sampled_from(domain)
    alike = value.map(lambda v: (v, v))
    pairs = data.draw(st.lists(st.one_of(alike, st.tuples(value, value)), max_size=8))
    start = [(m, m) for m in domain if isinstance(m, ap.Create)] if data.draw(st.booleans()) else []
    assert run(f, start + pairs) == run(f, start + [(one, zero) for zero, one in pairs])


def of(f):
    """A mechanism that claims something w.r.t. f."""

    @attrs.frozen
    class Claiming(LeakyBit):
        @property
        def claims(self):
            return (Claim(Approximate(0, 1), f, Status.ASSUMED, "drawn"),)

    return Claiming(delta=1)


QUERIES = spaces.Finite(("count",))


@pytest.mark.parametrize("relation", [Upwards(), WithinUpwards()], ids=repr)
def test_what_stands_on_an_undeclared_relation_declares_nothing(relation):
    made = [make(relation) for make in (neighbouring_start, event_level, user_level, every_pair)]
    made += [bounded(made[1], 2), updates_and_queries(made[1], QUERIES)]
    made += [fixed_mechanisms([of(made[1])]), each_valid(ap.ConComp((of(made[1]),)))]
    assert not any(f.swap_symmetric for f in made)
    assert not swap_symmetric(OfUpdates(relation))
    assert not swap_symmetric(OnlyEntry(0, relation))
    up, down = run(event_level(relation), [(0, 1)]), run(event_level(relation), [(1, 0)])
    assert up != down


def test_f_of_parameters_alone_declares_nothing():
    """What may be created is not known, nor is its f'."""
    for f in (fixed_parameters([(1, 0)]), sparse_parallel([(1, 0)])):
        assert not f.swap_symmetric


def test_an_override_does_not_inherit_the_declaration():
    @attrs.frozen
    class Behind(EventLevel):
        def step(self, state, zero, one, /):
            return EventLevel.step(self, state, zero, one) if zero <= one else state

    @attrs.frozen
    class Further(Behind):
        pass

    @attrs.frozen
    class Restated(EventLevel):
        swap_symmetric = True

    class Own(Verification):
        initial_state = 0

        def step(self, state, zero, one, /):
            return state

    assert not any(each.swap_symmetric for each in (Behind(), Further(), Own()))
    assert Restated().swap_symmetric
    assert event_level(events=3).swap_symmetric


def test_a_declaration_is_the_value_true():
    @attrs.frozen
    class Sure(Upwards):
        swap_symmetric = "yes"

    assert not event_level(Sure()).swap_symmetric
