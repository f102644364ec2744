"""Law 10: a claim is about its f, so a figure for f₁ is never given for an f₂ that allows more.

Whoever the figure comes from (a claim, a complex mechanism's word, a certificate, a chain): one of
k times ε w.r.t. f₂ needs every f₂-valid sequence to be k steps, each of them f₁-valid.
"""

import math
from random import Random

import attrs
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from trying import examples

import antiphon as ap
from antiphon import Claim, spaces
from antiphon.composition import Certified, ComplexMechanism, Lifting, NoGuarantee, sparse_parallel
from antiphon.protocol import IdentityPostProcessor, Pure, Status
from antiphon.protocol.messages import identical
from antiphon.protocol.verification import Refused, read
from antiphon.verifiers import (
    Within,
    bounded,
    event_level,
    every_pair,
    neighbouring_start,
    updates_and_queries,
    user_level,
)

COUNT = spaces.Finite(("count",))
ALPHABET = (0, 1, 2, 4, ("u", 0), ("u", 1), ("v", 0), ap.EMPTY, "count")
PAIRS = [(zero, one) for zero in ALPHABET for one in ALPHABET]
LONGEST = 4

relations = st.sampled_from([None, Within(1), Within(2)])
numbers = st.one_of(
    st.builds(event_level, relations, events=st.integers(1, 4)),
    st.builds(lambda events: user_level(events=events), st.sampled_from([None, 1, 2, 4])),
    st.builds(neighbouring_start, relations),
    st.builds(every_pair, relations, monotone=st.booleans()),
)
mixed = st.one_of(numbers, st.builds(updates_and_queries, numbers, st.just(COUNT)))
functions = st.one_of(mixed, st.builds(bounded, mixed, st.integers(1, LONGEST)))


def near(f):
    """An f that is much like another, wider or narrower."""
    tried = [st.just(bounded(f, pairs)) for pairs in (1, 3)] + [st.just(f)]
    if getattr(f, "events", None) is not None:
        tried.append(st.builds(lambda events: attrs.evolve(f, events=events), st.integers(1, 9)))
    if hasattr(f, "relation"):
        tried.append(st.builds(lambda size: attrs.evolve(f, relation=Within(size)), sizes))
    if hasattr(f, "updates"):
        tried.append(st.builds(updates_and_queries, near(f.updates), st.just(COUNT)))
    return st.one_of(tried)


sizes = st.integers(1, 3)
both = functions.flatmap(lambda f: st.tuples(st.just(f), st.one_of(near(f), near(f), functions)))


@attrs.frozen
class Box(ap.ContinualMechanism):
    """1-DP w.r.t. f, it says."""

    f: object
    signature = ap.Signature(spaces.Anything(), spaces.BITS)
    initial_state = 0

    @property
    def claims(self):
        return (Claim(Pure(1), self.f, Status.PROVED, "a test"),)

    def step(self, state, message, coins):
        return state, 0


@attrs.frozen
class Hands(ap.PostProcessor):
    """Says what it turns f-valid pairs into; its messages cannot be listed."""

    lifting: object
    deterministic = True
    initial_state = 0

    def signature(self, right):
        return ap.Signature(spaces.Anything(), spaces.BITS)

    def step(self, state, side, message, coins):
        return state, ap.Side.LEFT, 0


SYSTEMS = {
    "a claim": Box,
    "P's word": lambda f: ComplexMechanism(Hands(Lifting(f, sparse_parallel([(1, 0)])))),
    "a certificate": lambda f: Certified(Box(f), f),
    "a chain": lambda f: IdentityPostProcessor() @ Box(f),
}


def accepts(f, sequence):
    state = f.initial_state
    for pair in sequence:
        state = read(f, state, *pair)
        if type(state) is Refused:
            return False
    return True


def grown(f, random):
    """A sequence that f accepts, most of whose pairs differ where it lets them."""
    state, said = f.initial_state, []
    for _ in range(LONGEST):
        after = [(pair, read(f, state, *pair)) for pair in PAIRS]
        after = [each for each in after if type(each[1]) is not Refused]
        differ = [each for each in after if not identical(*each[0])]
        if not after:
            break
        pair, state = random.choice(differ if differ and random.random() < 0.7 else after)
        said.append(pair)
    return said


def steps(sequence, size):
    """The hybrids: ``size`` of the differing pairs at once, those before on one side already."""
    differing = [at for at, pair in enumerate(sequence) if not identical(*pair)]
    for start in range(0, len(differing), size):
        now = differing[start : start + size]
        yield [
            (zero, one) if at in now else (one, one) if now and at < now[0] else (zero, zero)
            for at, (zero, one) in enumerate(sequence)
        ]


def held(system, own, asked, random):
    """Whether something is said of the f that was asked about; what is, is held against f₁."""
    try:
        promise = ap.guarantee(system, asked)
    except NoGuarantee:
        return False
    assert identical(promise.verification, asked)
    times = round(promise.epsilon_at(0))
    assert times >= 1
    for _ in range(12):
        sequence = grown(asked, random)
        differing = sum(not identical(*pair) for pair in sequence)
        for each in steps(sequence, max(1, math.ceil(differing / times))):
            assert accepts(own, each)
    return True


@pytest.mark.parametrize("kind", SYSTEMS)
@examples(12)
@given(both=both, seed=st.integers(0, 10**6))
def test_what_is_said_of_one_f_is_not_said_of_a_wider_one(kind, both, seed):
    """Of those of which nothing is said there is nothing to see: they do not count."""
    own, asked = both
    assume(held(SYSTEMS[kind](own), own, asked, Random(seed)))


@pytest.mark.every(2)
@pytest.mark.parametrize("kind", SYSTEMS)
def test_32_events_are_a_group_of_one_or_nothing(kind):
    system = SYSTEMS[kind](event_level())
    assert ap.guarantee(system).epsilon_at(0) == 1
    many = ap.guarantee(system, event_level(events=32))
    assert ("group privacy" in str(many), many.epsilon_at(0)) == (True, 32)
    for wider, why in ((user_level(), "no records|EventLevel"), (every_pair(), "EventLevel")):
        with pytest.raises(NoGuarantee, match=why):
            ap.guarantee(system, wider)


def test_the_caller_who_repeats_what_p_says_has_not_said_more():
    word = Lifting(event_level(), sparse_parallel([(1, 0)]))
    system = ComplexMechanism(Hands(word))
    many = ap.guarantee(system, event_level(events=32), inner=word.inner)
    assert many.epsilon_at(0) == 32


def test_the_search_sees_a_figure_for_a_wider_f():
    """Of a mechanism that claims of two events what is true of one."""
    system, random = Box(event_level(events=2)), Random(1)
    with pytest.raises(AssertionError):
        held(system, event_level(), event_level(events=2), random)
