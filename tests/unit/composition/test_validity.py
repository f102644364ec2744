"""The four functions of CM §4-5 against their definitions (law 4)."""

from fractions import Fraction

import pytest
import references
from hypothesis import given
from hypothesis import strategies as st
from trying import over, sized

import antiphon as ap
from antiphon import Claim, Log, spaces
from antiphon.composition import fixed_mechanisms, fixed_parameters, sparse_parallel
from antiphon.mechanisms import Laplace, LeakyBit, RandomizedResponse, TreeCounter
from antiphon.protocol import Approximate, Status, ZeroConcentrated
from antiphon.verifiers import Refused, bounded, event_level, neighbouring_start

TENTH = Fraction(1, 10)


def promising(*claims):
    @ap.mechanism(queries=spaces.BITS, answers=spaces.BITS, claims=claims)
    def echo(state, message, coins):
        return state, message

    return ap.Create(echo)


def claimed(measure, status=Status.PROVED):
    return Claim(measure, event_level(), status, "nowhere")


LEAKY = ap.Create(LeakyBit(delta=0.1))
RESPONSE = ap.Create(RandomizedResponse(epsilon=Log(3)))
LOOSE = ap.Create(RandomizedResponse(epsilon=Log(3), delta=TENTH))
WEAKENED = ap.Create(
    LeakyBit(delta=0.1),
    Claim(Approximate(Log(3), TENTH), bounded(event_level(), 2), Status.ASSUMED, "weaker"),
)
REAL = ap.Create(Laplace(epsilon=1))
SILENT = promising()
REFUTED = promising(claimed(Approximate(0, TENTH), Status.REFUTED))
CONCENTRATED = promising(claimed(ZeroConcentrated(1)))

CREATIONS = (LEAKY, RESPONSE, LOOSE, WEAKENED, REAL, SILENT, REFUTED, CONCENTRATED)


def alphabet(creations, indices=(0, 1)):
    made = [ap.same(create) for create in creations]
    asked = [
        ap.Pair(ap.Ask(zero, index), ap.Ask(one, index))
        for index in indices
        for zero, one in ((0, 0), (1, 1), (0, 1))
    ]
    return made, asked


def odd(creations):
    """Messages that no suitable sequence has."""
    return [
        ap.Pair(creations[0], creations[-1]) if len(creations) > 1 else ap.same(SILENT),
        ap.Pair(creations[0], ap.Ask(0, 0)),
        ap.Pair(ap.Ask(0, 0), ap.Ask(0, 1)),
        ap.Pair(ap.Ask(0, 0), creations[0]),
        ap.same(ap.Ask(2, 0)),
        ap.Pair(ap.Ask(0, 0), ap.Ask(True, 0)),
        ap.same(ap.Ask(0, -1)),
        ap.same(ap.Ask(0, True)),
        ap.same(ap.Ask(0, 10**30)),
        ap.same(0),
    ]


CASES = [
    (fixed_mechanisms([LEAKY, RESPONSE]), (LEAKY, RESPONSE)),
    (fixed_mechanisms([LEAKY.mechanism]), (LEAKY, RESPONSE)),
    (fixed_mechanisms([]), (LEAKY,)),
    (fixed_parameters([(0, 0.1), (Log(3), 0)]), (LEAKY, RESPONSE, LOOSE)),
    (fixed_parameters([(0, 0.1), (0, TENTH)]), (LEAKY, REFUTED)),
    (fixed_parameters([(1, 0)]), (REAL, SILENT)),
    (sparse_parallel([(0, 0.1)]), (LEAKY, RESPONSE)),
    (sparse_parallel([(Log(3), 0), (0, 0.1)]), (LEAKY, RESPONSE)),
    (sparse_parallel([(Log(3), 0.1)]), (LOOSE, WEAKENED)),
    (sparse_parallel([(0, 0.1)], first_pair_consistent=True), (LEAKY, RESPONSE)),
    (sparse_parallel([(Log(3), 0)], first_pair_consistent=True), (RESPONSE, CONCENTRATED)),
    (sparse_parallel([]), (LEAKY, LEAKY)),
]
EVERY = over(("f", "creations"), CASES, at_least=12)


@EVERY
def test_agrees_with_the_definition_on_all_short_sequences(f, creations):
    """What is refused is not followed, as both sides are closed under prefixes."""
    reference = references.reference_of_composition(f)
    made, asked = alphabet(creations)
    messages = [*made, *asked, *odd(creations)]
    seen = [0, 0]

    def explore(prefix, state, depth):
        for message in messages:
            sequence = [*prefix, message]
            after = f.step(state, message.zero, message.one)
            valid = type(after) is not Refused
            seen[valid] += 1
            assert reference(sequence) is valid, sequence
            if valid and depth > 1:
                explore(sequence, after, depth - 1)

    explore([], f.initial_state, sized(4, 5) if len(made) < 3 else sized(3, 4))
    assert seen[False]


@given(st.sampled_from(CASES), st.data())
def test_agrees_with_the_definition_on_long_sequences(case, data):
    f, creations = case
    made, asked = alphabet(creations, indices=range(4))
    sequence = data.draw(st.lists(st.sampled_from([*made, *made, *asked]), max_size=14))
    sequence = [*made, *sequence]
    reference = references.reference_of_composition(f)
    assert (f(sequence) is ap.TOP) is reference(sequence)


@given(st.data())
def test_agrees_with_the_definition_on_any_mixture(data):
    """Every creation, random parameters, and messages that are valid as long as possible."""
    fixed = [(0, TENTH), (Log(3), 0), (Log(3), TENTH), (1, 0)]
    chosen = data.draw(st.lists(st.sampled_from(fixed), max_size=4))
    f = data.draw(
        st.sampled_from(
            [
                fixed_parameters(chosen),
                sparse_parallel(chosen),
                sparse_parallel(chosen, first_pair_consistent=True),
            ]
        )
    )
    made, asked = alphabet(CREATIONS, indices=range(4))
    good = references.reference_of_composition(f)
    sequence = []
    for message in data.draw(st.lists(st.sampled_from([*made, *asked, *asked]), max_size=20)):
        valid = good([*sequence, message])
        assert (f([*sequence, message]) is ap.TOP) is valid
        if valid:
            sequence.append(message)


def test_parameters_are_a_multiset():
    f = sparse_parallel([(0, 0.1), (0, Fraction(1, 10))])
    messages = [ap.same(LEAKY)] * 3
    messages += [ap.Pair(ap.Ask(0, i), ap.Ask(1, i)) for i in range(3)]
    assert f(messages[:5]) is ap.TOP
    assert f(messages) is ap.BOTTOM


def test_a_pair_that_differs_late_must_find_the_whole_sequence_valid():
    """Two identical pairs outlive g unnoticed; a third, differing, is refused."""
    f = sparse_parallel([(0, 0.1)])
    asks = [ap.same(ap.Ask(0, 0))] * 3
    assert f([ap.same(LEAKY), *asks]) is ap.TOP
    assert f([ap.same(LEAKY), *asks, ap.Pair(ap.Ask(0, 0), ap.Ask(1, 0))]) is ap.BOTTOM


def test_creations_are_compared_by_value():
    f = fixed_mechanisms([LeakyBit(delta=0.1)])
    assert f([ap.same(ap.Create(LeakyBit(delta=TENTH)))]) is ap.TOP
    assert f([ap.Pair(ap.Create(LeakyBit(delta=TENTH)), LEAKY)]) is ap.TOP
    assert f([ap.same(ap.Create(LeakyBit(delta=0.2)))]) is ap.BOTTOM
    assert f([ap.same(WEAKENED)]) is ap.BOTTOM


def test_a_counter_is_created_and_asked():
    f = sparse_parallel([(1, 0)])
    counter = ap.same(ap.Create(TreeCounter(horizon=4, epsilon=1)))
    change = ap.Pair(ap.Ask(0, 0), ap.Ask(1, 0))
    count = ap.same(ap.Ask("count", 0))
    assert f([counter, count, change, count]) is ap.TOP
    assert f([counter, change, change]) is ap.BOTTOM
    assert f([counter, ap.Pair(ap.Ask("count", 0), ap.Ask(1, 0))]) is ap.BOTTOM


@over("wrong", [[(0,)], [(0, 0, 0)], [(-1, 0)], [(0, 2)], [(float("nan"), 0)],
                                   [(0, float("nan"))], [(True, 0)]])  # fmt: skip
def test_bad_parameters_are_refused_at_construction(wrong):
    for make in (fixed_parameters, sparse_parallel):
        with pytest.raises(ap.InvalidArgument):
            make(wrong)


def test_none_of_them_is_first_pair_consistent_itself():
    assert not any(f.first_pair_consistent for f, _ in CASES)
    assert neighbouring_start().first_pair_consistent
