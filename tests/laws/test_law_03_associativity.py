"""Law 3: (P₁∘*P₂)∘*M ≡ P₁∘*(P₂∘*M); the identity is a unit; a cursor, not a call stack."""

import attrs
import pytest
import references
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from references import LiveMechanism, LivePostProcessor, OneAnother, TwoProcessors
from strategies import adder

import antiphon as ap
from antiphon import Side, spaces
from antiphon.audit import CounterexampleAdversary, counterexample_game
from antiphon.protocol import (
    Chain,
    IdentityPostProcessor,
    RecordedCoins,
    ReplayedCoins,
    SampledCoins,
    identical,
)


@attrs.frozen
class Talker(ap.PostProcessor):
    """Asks its right side some more before it answers, tosses coins, and counts.

    ``extra``: how many further questions; ``early``: every early-th left message is
    answered at once, with what was heard last.
    """

    extra: int
    early: int
    noisy: bool

    @property
    def initial_state(self):
        return (0, 0, 0)

    def step(self, state, side, message, coins):
        lefts, pending, heard = state
        if side is Side.LEFT:
            lefts += 1
            if self.early and lefts % self.early == 0:
                return (lefts, 0, heard), Side.LEFT, message + heard
            return (lefts, self.extra, heard), Side.RIGHT, message + 1
        noise = coins.uniform_integer(3) if self.noisy else 0
        if pending:
            return (lefts, pending - 1, message), Side.RIGHT, message + noise
        return (lefts, 0, message), Side.LEFT, message + noise


@ap.mechanism(queries=spaces.Integers(), answers=spaces.Integers(), initial_state=1)
def mixer(state, message, coins):
    state = (3 * state + message + coins.uniform_integer(5)) % 1009
    return state, state


talkers = st.builds(Talker, st.integers(0, 2), st.sampled_from([0, 0, 2, 3]), st.booleans())
links = st.one_of(talkers, st.just(IdentityPostProcessor()))


@st.composite
def bracketed(draw, parts, mechanism):
    """parts ∘* mechanism, in a random order of joining."""
    chain = [*parts, mechanism]
    while len(chain) > 1:
        place = draw(st.integers(0, len(chain) - 2))
        chain[place : place + 2] = [chain[place] @ chain[place + 1]]
    return chain[0]


def answers(system, script, seed):
    coins = RecordedCoins(SampledCoins(seed=seed))
    session = system.start(coins=coins)
    return [session.send(message) for message in script], coins.take()


def nested(parts, mechanism, coins):
    """CM Alg. 1 from the right: P₁ ∘* (P₂ ∘* (… ∘* M))."""
    live = LiveMechanism(mechanism, coins)
    for part in reversed(parts):
        live = OneAnother(LivePostProcessor(part, coins), live)
    return live


def folded(parts, mechanism, coins):
    """CM Alg. 2 from the left, then Alg. 1 once: ((P₁ ∘* P₂) ∘* …) ∘* M."""
    live = LivePostProcessor(parts[0], coins)
    for part in parts[1:]:
        live = TwoProcessors(live, LivePostProcessor(part, coins))
    return OneAnother(live, LiveMechanism(mechanism, coins))


@given(st.data(), st.lists(links, min_size=1, max_size=5), st.integers(0, 99))
def test_every_bracketing_is_the_same_chain(data, parts, seed):
    script = data.draw(st.lists(st.integers(-9, 9), max_size=5))
    systems = [data.draw(bracketed(parts, mixer)) for _ in range(3)]
    assert all(type(system) is Chain for system in systems)
    assert systems[0] == systems[1] == systems[2]
    assert systems[0].parts == (*parts, mixer)
    runs = [answers(system, script, seed) for system in systems]
    assert runs[0] == runs[1] == runs[2]


@given(st.data(), st.lists(talkers, min_size=1, max_size=4), st.integers(0, 99))
def test_the_identity_is_a_unit_anywhere(data, parts, seed):
    script = data.draw(st.lists(st.integers(-9, 9), max_size=5))
    padded = list(parts)
    for _ in range(data.draw(st.integers(1, 4))):
        padded.insert(data.draw(st.integers(0, len(padded))), IdentityPostProcessor())
    plain, unit = (data.draw(bracketed(each, mixer)) for each in (parts, padded))
    assert answers(plain, script, seed) == answers(unit, script, seed)


@given(st.data(), st.lists(links, min_size=1, max_size=5), st.integers(0, 99))
def test_the_chain_is_the_reference_interaction(data, parts, seed):
    script = data.draw(st.lists(st.integers(-9, 9), max_size=5))
    heard, tape = answers(data.draw(bracketed(parts, mixer)), script, seed)
    for reference in (nested, folded):
        coins = ReplayedCoins(tape)
        live = reference(parts, mixer, coins)
        assert [live.send(message) for message in script] == heard
        coins.feed(())  # the reference draws just as much


@given(st.lists(talkers, min_size=2, max_size=4), st.integers(0, 99), st.integers(-9, 9))
def test_links_alone_are_an_ipm(parts, seed, message):
    """P₁ ∘* … ∘* P_n stepped as one IPM against Alg. 2."""
    joined = parts[0]
    for part in parts[1:]:
        joined = joined @ part
    tape = RecordedCoins(SampledCoins(seed=seed))
    state, side, heard = joined.initial_state, Side.LEFT, message
    said = []
    for _ in range(6):
        state, side, heard = joined.step(state, side, heard, tape)
        said.append((side, heard))
        # What left to the left comes back as a new question, what left right as an answer.
        side = Side.LEFT if side is Side.LEFT else Side.RIGHT
    coins = ReplayedCoins(tape.take())
    live = LivePostProcessor(parts[0], coins)
    for part in parts[1:]:
        live = TwoProcessors(live, LivePostProcessor(part, coins))
    side, heard = Side.LEFT, message
    for expected in said:
        side, heard = live.send(side, heard)
        assert (side, heard) == expected


def test_the_game_is_associative_in_law():
    game = counterexample_game(0.25)
    player = CounterexampleAdversary(delta=0.25, copies=3)
    v, i, m = ap.Verifier(game.verification), ap.Identifier(1), game.system
    one = IdentityPostProcessor()
    systems = [(v @ i) @ m, v @ (i @ m), one @ v @ i @ m, v @ (one @ i) @ m, v @ i @ (one @ m)]
    laws = [references.law(system, player) for system in systems]
    assert all(law == laws[0] for law in laws)


@pytest.mark.slow
def test_ten_thousand_parts_need_no_call_stack():
    one = IdentityPostProcessor()
    deep = adder
    for _ in range(10_000):
        deep = one @ deep
    assert deep.start().send(4) == 4
    wide = one
    for _ in range(500):
        wide = wide @ one
    assert len((wide @ adder).parts) == 502
    assert (wide @ adder).start().send(4) == 4


class ChainAgainstReference(RuleBasedStateMachine):
    """A session of a chain, and CM Alg. 1 and 2 on the same tape, message by message."""

    @initialize(
        parts=st.lists(links, min_size=1, max_size=4), seed=st.integers(0, 999), data=st.data()
    )
    def build(self, parts, seed, data):
        self.tape = RecordedCoins(SampledCoins(seed=seed))
        system = data.draw(bracketed([ap.Identifier(1), *parts], mixer))
        self.session = (ap.Verifier(EVEN) @ system).start(coins=self.tape, keep=True)
        wired = (ap.Verifier(EVEN) @ system).parts
        assert len(wired) == len(parts) + 3
        self.references = [
            (coins, build(wired[:-1], mixer, coins))
            for build, coins in ((nested, ReplayedCoins()), (folded, ReplayedCoins()))
        ]
        self.count = 0

    def say(self, message):
        answer = self.session.send(message)
        draws = self.tape.take()
        for coins, reference in self.references:
            coins.feed(draws)
            assert identical(reference.send(message), answer)
        self.count += 1
        assert len(self.session.transcript) == self.count
        return answer

    @precondition(lambda self: not self.session.over)
    @rule(zero=st.integers(-9, 9), one=st.integers(-9, 9))
    def valid(self, zero, one):
        assert self.say(ap.Pair(2 * zero, 2 * one)) is not ap.HALT

    @precondition(lambda self: not self.session.over)
    @rule(message=st.sampled_from([ap.Pair(0, 3), ap.same(1.0), 0, ap.Ask(0, 0)]), go=st.booleans())
    def invalid(self, message, go):
        if self.count > 3 and go:
            assert self.say(message) is ap.HALT
            assert self.session.over

    @precondition(lambda self: self.session.over)
    @rule(message=st.integers())
    def after_the_halt(self, message):
        with pytest.raises(ap.ProtocolError):
            self.session.send(message)


@attrs.frozen
class Even(ap.Verification):
    """Only even numbers."""

    @property
    def initial_state(self):
        return 0

    def step(self, state, zero, one, /):
        odd = zero % 2 or one % 2
        return ap.verifiers.Refused("an odd number") if odd else state + 1


EVEN = Even()
TestChainAgainstReference = ChainAgainstReference.TestCase
