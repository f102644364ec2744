"""One suite over every exported mechanism and post-processor."""

import inspect

import attrs
import numpy as np
import pytest
from catalogue import MECHANISMS, PROCESSORS, shown
from hypothesis import given
from hypothesis import strategies as st

import antiphon as ap
import antiphon.mechanisms
from antiphon.audit.statistical.joining import OneOf
from antiphon.audit.statistical.populations import Population
from antiphon.protocol import (
    Claim,
    Mechanism,
    PostProcessor,
    RecordedCoins,
    ReplayedCoins,
    SampledCoins,
    Side,
    Space,
    Status,
    ZeroConcentrated,
    identical,
)
from antiphon.protocol.codec import decode, encode
from antiphon.protocol.column_coins import ColumnCoins
from antiphon.protocol.columns import plain
from antiphon.protocol.names import name_of
from antiphon.protocol.registry import registered_name

CANARY = 918_273_645
EVERY = pytest.mark.parametrize("entry", MECHANISMS, ids=lambda e: shown(e.mechanism))
EVERY_LINK = pytest.mark.parametrize("entry", PROCESSORS, ids=lambda e: shown(e.processor))


def exported(module, base):
    things = {name: getattr(module, name) for name in module.__all__}
    return {n for n, t in things.items() if inspect.isclass(t) and issubclass(t, base)} - {
        "ContinualMechanism", "Mechanism", "NoninteractiveMechanism", "PostProcessor", "Adversary",
        "Chain",
    }  # fmt: skip


def played(mechanism, script, coins):
    """States and answers of a script; refused messages are left out."""
    state, said = mechanism.initial_state, []
    for message in script:
        try:
            state, answer = mechanism.step(state, message, coins)
        except ap.AntiphonError:
            continue
        said.append((message, state, answer))
    return said


class Forbidden(ap.Coins):
    """Coins that nobody may toss."""

    def draw(self, kind, parameter):
        raise AssertionError(f"a deterministic part drew a {kind}")


def test_the_tables_are_complete():
    for module in (ap, antiphon.mechanisms, ap.composition, ap.verifiers, ap.protocol):
        assert exported(module, Mechanism) <= {entry.name for entry in MECHANISMS}
        assert exported(module, PostProcessor) <= {entry.name for entry in PROCESSORS}


@EVERY
def test_its_signature_is_typed(entry):
    signature = entry.mechanism.signature
    for space in (signature.queries, signature.answers, signature.updates):
        assert isinstance(space, Space)
        assert isinstance(space.discrete, bool)


@EVERY
@given(st.data())
def test_answers_lie_in_the_answer_space(entry, data):
    script = data.draw(st.lists(entry.queries, max_size=8))
    assert all(map(entry.mechanism.signature.queries.contains, script))
    for _, _, answer in played(entry.mechanism, script, SampledCoins(seed=0)):
        assert answer is ap.HALT or entry.mechanism.signature.answers.contains(answer)


@EVERY
def test_what_is_outside_the_query_space_is_refused_and_changes_nothing(entry):
    session = entry.mechanism.start(coins=(coins := RecordedCoins(SampledCoins(seed=0))))
    for message in entry.outside:
        with pytest.raises(ap.InvalidArgument):
            session.send(message)
    assert coins.take() == ()
    assert not session.over
    assert session.failures == ()


@EVERY
@given(st.data())
def test_steps_are_pure_and_replay(entry, data):
    script = data.draw(st.lists(entry.queries, max_size=6))
    coins = RecordedCoins(SampledCoins(seed=data.draw(st.integers(0, 99))))
    said = played(entry.mechanism, script, coins)
    tape = coins.take()
    again = played(entry.mechanism, script, ReplayedCoins(tape))
    for (message, state, answer), (message2, state2, answer2) in zip(said, again, strict=True):
        assert identical(message, message2)
        assert identical(answer, answer2)
        assert state == state2
        assert hash(state) == hash(state2)


@EVERY
def test_claims_are_well_formed(entry):
    for claim in entry.mechanism.claims:
        assert type(claim) is Claim
        assert type(claim.status) is Status
        assert isinstance(claim.verification, ap.Verification)
        assert claim.source.strip()
        converted = claim.at(0.001) if type(claim.measure) is ZeroConcentrated else claim
        epsilon, delta = converted.parameters
        assert float(epsilon) >= 0
        assert 0 <= delta <= 1
        assert claim.follows_from(claim)
        assert converted.follows_from(claim)


@EVERY
def test_mechanisms_of_the_library_carry_claims(entry):
    claims = entry.name in antiphon.mechanisms.__all__ or entry.name == "Certified"
    assert bool(entry.mechanism.claims) is claims


@EVERY
@given(st.data())
def test_repr_shows_nothing_of_a_state(entry, data):
    before = repr(entry.mechanism)
    session = entry.mechanism.start(seed=0)
    for message in data.draw(st.lists(entry.queries, max_size=4)):
        try:
            session.send(message)
        except ap.AntiphonError:
            break
    assert repr(entry.mechanism) == before
    assert repr(session) in {
        f"<Session of {name_of(entry.mechanism)}, {state}>"
        for state in ("live", "the mechanism halted")
    }


@EVERY
def test_it_is_registered_and_survives_the_codec(entry):
    if entry.name == "mechanism":  # a user's, without a name
        assert "unregistered" in encode(entry.mechanism)
        return
    assert registered_name(type(entry.mechanism)) is not None
    again = decode(encode(entry.mechanism, secrets=True))
    assert again == entry.mechanism
    assert hash(again) == hash(entry.mechanism)
    assert identical(again, entry.mechanism)


@EVERY
def test_it_is_frozen(entry):
    for field in attrs.fields(type(entry.mechanism)):
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            setattr(entry.mechanism, field.name, None)


@EVERY
@given(st.data())
def test_noninteractive_mechanisms_answer_once_and_then_halt(entry, data):
    if not entry.noninteractive:
        return
    session = entry.mechanism.start(seed=1)
    assert session.send(data.draw(entry.queries)) is not ap.HALT
    assert session.send(data.draw(entry.queries)) is ap.HALT
    assert session.over
    assert session.failure is None
    with pytest.raises(ap.ProtocolError):
        session.send(data.draw(entry.queries))


@EVERY
def test_enumerable_laws_sum_to_one(entry):
    if not entry.enumerable:
        return
    mechanism = entry.mechanism
    for query in (0, 1, ap.Ask(1, 0), ap.Ask(1, 1)):
        if mechanism.signature.queries.contains(query):
            law = list(ap.outcomes(lambda coins, q=query: played(mechanism, [q], coins)))
            assert sum(p for p, _ in law) == 1
            assert all(p > 0 for p, _ in law)


# --- post-processors ---------------------------------------------------------------------


@EVERY_LINK
def test_a_link_is_registered_and_survives_the_codec(entry):
    again = decode(encode(entry.processor, secrets=True))
    assert again == entry.processor
    assert registered_name(type(entry.processor)) is not None


@EVERY_LINK
@given(st.data())
def test_a_deterministic_link_draws_no_coins(entry, data):
    processor = entry.processor.wired(entry.right.signature if isinstance(
        entry.right, Mechanism) else (entry.right @ _nothing()).signature)  # fmt: skip
    assert processor.deterministic
    state = processor.initial_state
    coins = Forbidden()
    for _ in range(4):
        message = data.draw(entry.left)
        state, side, passed = processor.step(state, Side.LEFT, message, coins)
        if processor.forwards_queries:
            assert side is Side.RIGHT
            assert identical(passed, message)
        hops = 0
        while side is Side.RIGHT:
            answer, hops = data.draw(entry.answers), hops + 1
            before = state
            state, side, _ = processor.step(state, Side.RIGHT, answer, coins)
            assert side is Side.LEFT or (hops < entry.hops and not processor.forwards_queries)
            again, _, _ = processor.step(before, Side.RIGHT, answer, coins)
            assert again == state


@EVERY_LINK
@given(st.data())
def test_what_forwards_queries_keeps_no_memory_of_them(entry, data):
    processor = entry.processor
    if not processor.forwards_queries:
        return
    start = processor.initial_state
    answer = data.draw(entry.answers)
    state, _, _ = processor.step(start, Side.LEFT, data.draw(entry.left), None)
    heard = [processor.step(each, Side.RIGHT, answer, None)[2] for each in (start, state)]
    assert identical(*heard)


@EVERY_LINK
@given(st.data())
def test_a_chain_answers_within_its_signature(entry, data):
    system = entry.processor @ entry.right
    if not isinstance(system, Mechanism):
        return
    session = system.start(seed=2)
    for message in data.draw(st.lists(entry.left, max_size=6)):
        assert system.signature.queries.contains(message)
        answer = session.send(message)
        assert answer is ap.HALT or system.signature.answers.contains(answer)
        if session.over:
            break


@EVERY_LINK
@given(st.data())
def test_a_rounded_answer_lies_in_the_answer_space(entry, data):
    """Also answers that the mechanism rarely gives."""
    if not isinstance(entry.processor, ap.mechanisms.RoundToGrid):
        return
    answer = data.draw(entry.answers)
    _, _, rounded = entry.processor.step(None, Side.RIGHT, answer, None)
    assert (entry.processor @ entry.right).signature.answers.contains(rounded)
    if abs(answer / entry.processor.step_size) < 2**53 and abs(answer) < 1e300:
        assert abs(rounded - answer) <= entry.processor.step_size * 0.5000001


def _nothing():
    return ap.mechanisms.LeakyBit(delta=0)


# --- the populated reading -----------------------------------------------------------------


def replicas(population, replicas):
    """(answers, tape) of every replica, in plain Python values."""
    for lanes, block in population.play(replicas):
        for place in range(lanes.size):
            own = lanes.only(np.array([place])) if lanes.numbered else lanes
            population.coins.lanes = own
            said, tapes = ([one(x, own) for x in many] for many in (block.answers, block.tape))
            yield plain(tuple(said)), plain(tuple(draw for tape in tapes for draw in tape))
            if not lanes.numbered:
                break  # they are all alike


def one(item, lanes):
    """What a single replica has, where blocks were joined."""
    return item.choices[item.at(lanes)[0]] if type(item) is OneOf else item


def agrees_with_plain_steps(mechanism, script, seed, joins=False):
    """Each replica's answers are those of ``step`` on its own draws (law 2)."""
    said = [m for m in script if mechanism.signature.queries.contains(m)]
    coins = ColumnCoins(seed)
    population = Population(ap.scripted(said), mechanism, None, coins, keep=True, joins=joins)
    for answers, tape in replicas(population, 8):
        adversary = ap.scripted(said)
        coins = ReplayedCoins(tape)
        state, own, heard, again = mechanism.initial_state, 0, ap.EMPTY, []
        while (spoken := adversary.step(own, heard, None))[1] is not ap.HALT:
            own, message = spoken
            state, heard = mechanism.step(state, message, coins)
            again.append(heard)
            if heard is ap.HALT and mechanism.is_over(state):
                break
        assert identical(tuple(again), answers)


@EVERY
@given(st.data())
def test_all_replicas_of_a_population_answer_as_plain_steps_do(entry, data):
    script = data.draw(st.lists(entry.queries, max_size=5))
    try:
        played_alone(entry.mechanism, script)
    except ap.AntiphonError:
        return  # refused messages leave no answer
    agrees_with_plain_steps(
        entry.mechanism, script, data.draw(st.integers(0, 99)), data.draw(st.booleans())
    )


def played_alone(mechanism, script):
    state = mechanism.initial_state
    for message in script:
        state, _ = mechanism.step(state, message, SampledCoins(seed=0))


@EVERY_LINK
@given(st.data())
def test_all_replicas_of_a_chain_answer_as_plain_steps_do(entry, data):
    system = entry.processor @ entry.right
    if not isinstance(system, ap.ContinualMechanism):
        return
    script = data.draw(st.lists(entry.left, max_size=4))
    agrees_with_plain_steps(system, script, data.draw(st.integers(0, 99)), data.draw(st.booleans()))


def test_a_reading_that_is_not_that_of_the_steps_is_noticed():
    @attrs.frozen
    class Twin(antiphon.mechanisms.Laplace):
        def respond_many(self, dataset, coins):
            return 2 * dataset + coins.laplace(1.0)

    agrees_with_plain_steps(antiphon.mechanisms.Laplace(epsilon=1), [1.0], 0)
    with pytest.raises(AssertionError):
        agrees_with_plain_steps(Twin(epsilon=1), [1.0], 0)
