"""One suite over every exported mechanism and post-processor."""

import inspect

import attrs
import pytest
from catalogue import MECHANISMS, OF_MECHANISMS, PROCESSORS, first_of_each, of_everyday
from hypothesis import given
from hypothesis import strategies as st
from trying import examples, over

import antiphon as ap
from antiphon import Claim, Mechanism, PostProcessor, Side
from antiphon.audit.check import MECHANISM
from antiphon.protocol import RecordedCoins, Renyi, SampledCoins, Space, Status, identical
from antiphon.protocol.forwarding import forwarding
from antiphon.protocol.measures import parameters_of
from antiphon.protocol.records.codec import decode, encode
from antiphon.protocol.registry import name_of, registered_name

NOT_CLAIMS = [name for name, _ in MECHANISM if name != "claims"]
EVERY = over("entry", first_of_each(MECHANISMS, 57))
EACH = pytest.mark.parametrize("entry", of_everyday(MECHANISMS))
ONCE = [entry for entry in MECHANISMS if entry.noninteractive]
LISTED = [entry for entry in MECHANISMS if entry.enumerable]
ROUNDING = [e for e in PROCESSORS if isinstance(e.processor, ap.mechanisms.RoundToGrid)]
EVERY_LINK = over("entry", PROCESSORS, at_least=25)
EACH_LINK = pytest.mark.parametrize("entry", of_everyday(PROCESSORS))


def exported(module, base):
    things = {name: getattr(module, name) for name in module.__all__}
    return {n for n, t in things.items() if inspect.isclass(t) and issubclass(t, base)} - {
        "ContinualMechanism", "Mechanism", "NoninteractiveMechanism", "PostProcessor", "Adversary",
        "Chain", "ConvexLearner", "ExchangePostProcessor", "Learner", "LocalLearner",
        "MistakeLearner", "TossingPostProcessor",
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


TOSSING = {"Softmax"}
"""Post-processors that draw coins of their own."""


class Forbidden(ap.Coins):
    """Coins that nobody may toss."""

    def draw(self, kind, parameter):
        raise AssertionError(f"a deterministic part drew a {kind}")


def test_the_tables_are_complete():
    for module in (ap, *OF_MECHANISMS, ap.composition, ap.verifiers, ap.protocol):
        assert exported(module, Mechanism) <= {entry.name for entry in MECHANISMS}
        assert exported(module, PostProcessor) <= {entry.name for entry in PROCESSORS}


@EVERY
def test_its_signature_is_typed(entry):
    signature = entry.mechanism.signature
    for space in (signature.queries, signature.answers, signature.updates):
        assert isinstance(space, Space)
        assert isinstance(space.discrete, bool)


@EVERY
def test_what_is_outside_the_query_space_is_refused_and_changes_nothing(entry):
    session = entry.mechanism.start(coins=(coins := RecordedCoins(SampledCoins(seed=0))))
    for message in entry.outside:
        with pytest.raises(ap.InvalidArgument):
            session.send(message)
    assert coins.take() == ()
    assert not session.over
    assert session.failures == ()


@EACH
def test_ap_check_finds_nothing(entry):
    """Purity, replay, randomness, states, answers, spaces and columns."""
    report = ap.check(entry.mechanism, messages=entry.messages, only=NOT_CLAIMS, seed=1)
    assert report, str(report)


@EACH
@pytest.mark.every(6)
def test_ap_check_refutes_no_claim(entry):
    """Wrong with probability 2e-9 at most for each claim that is audited."""
    report = ap.check(entry.mechanism, messages=entry.messages, only=["claims"], seed=1)
    assert report, str(report)


@EACH
@pytest.mark.slow
@examples(3)
@given(st.data())
def test_ap_check_finds_nothing_in_other_messages(entry, data):
    messages = data.draw(st.lists(entry.queries, min_size=1, max_size=6))
    seed = data.draw(st.integers(0, 2**32 - 1))
    report = ap.check(entry.mechanism, messages=messages, only=NOT_CLAIMS, seed=seed)
    assert report, str(report)


@EVERY
def test_claims_are_well_formed(entry):
    for claim in entry.mechanism.claims:
        assert type(claim) is Claim
        assert type(claim.status) is Status
        assert isinstance(claim.verification, ap.Verification)
        assert claim.source.strip()
        assert claim.follows_from(claim)
        if type(claim.measure) is Renyi:  # a curve, and no one point
            assert 0 <= claim.measure.curve(2.0) <= claim.measure.curve(3.0)
            continue
        converted = claim if parameters_of(claim.measure) else claim.at(0.001)
        epsilon, delta = converted.parameters
        assert float(epsilon) >= 0
        assert 0 <= delta <= 1
        assert converted.follows_from(claim)


@EVERY
def test_mechanisms_of_the_library_carry_claims(entry):
    named = {name for room in OF_MECHANISMS for name in room.__all__} | {"Certified"}
    claims = entry.name in named
    private = getattr(entry.mechanism, "private", True)
    """Learners that are there to be compared with are not."""
    assert bool(entry.mechanism.claims) is (claims and private)


@EVERY
@examples(4)
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


@over("entry", ONCE, at_least=27)
@examples(5)
@given(st.data())
def test_noninteractive_mechanisms_answer_once_and_then_halt(entry, data):
    session = entry.mechanism.start(seed=1)
    assert session.send(data.draw(entry.queries)) is not ap.HALT
    assert session.send(data.draw(entry.queries)) is ap.HALT
    assert session.over
    assert session.failure is None
    with pytest.raises(ap.ProtocolError):
        session.send(data.draw(entry.queries))


@over("entry", LISTED, at_least=38)
def test_enumerable_laws_sum_to_one(entry):
    mechanism = entry.mechanism
    for query in entry.messages[:4]:
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
@examples(8)
@given(st.data())
def test_a_deterministic_link_draws_no_coins(entry, data):
    processor = entry.processor.wired(right_of(entry).signature)
    assert processor.deterministic is (entry.name not in TOSSING)
    state = processor.initial_state
    coins = Forbidden() if processor.deterministic else SampledCoins(1)
    for _ in range(4):
        message = data.draw(entry.left)
        state, side, passed = processor.step(state, Side.LEFT, message, coins)
        said = forwarding(processor)
        if said is not None:
            assert side is Side.RIGHT
            assert identical(passed, message)
        hops = 0
        while side is Side.RIGHT:
            answer, hops = data.draw(entry.answers), hops + 1
            before = state
            state, side, passed = processor.step(state, Side.RIGHT, answer, coins)
            if side is Side.RIGHT:
                assert hops < entry.hops
                assert said is None or any(identical(passed, each) for each in said.asks)
            again, _, _ = processor.step(before, Side.RIGHT, answer, coins)
            assert again == state


def right_of(entry):
    """A mechanism to stand beside a link."""
    right = entry.right
    return right if isinstance(right, Mechanism) else right @ ap.mechanisms.LeakyBit(delta=0)


@EACH_LINK
@pytest.mark.every(4)
def test_ap_check_finds_nothing_in_a_link(entry):
    """Also that it keeps what it declares: coins, queries forwarded, the lifting."""
    report = ap.check(entry.processor, right=right_of(entry), messages=entry.messages, seed=1)
    assert report, str(report)


@EACH_LINK
@pytest.mark.slow
@examples(3)
@given(st.data())
def test_ap_check_finds_nothing_in_a_link_and_other_messages(entry, data):
    messages = data.draw(st.lists(entry.left, min_size=1, max_size=6))
    seed = data.draw(st.integers(0, 2**32 - 1))
    report = ap.check(entry.processor, right=right_of(entry), messages=messages, seed=seed)
    assert report, str(report)


@over("entry", ROUNDING)
@given(st.data())
def test_a_rounded_answer_lies_in_the_answer_space(entry, data):
    """Also answers that the mechanism rarely gives."""
    answer = data.draw(entry.answers)
    _, _, rounded = entry.processor.step(None, Side.RIGHT, answer, None)
    assert (entry.processor @ entry.right).signature.answers.contains(rounded)
    if abs(answer / entry.processor.step_size) < 2**53 and abs(answer) < 1e300:
        assert abs(rounded - answer) <= entry.processor.step_size * 0.5000001
