"""One step function, three readings: M_δ through V, I and ExtConComp (laws 1-4)."""

from collections import Counter
from fractions import Fraction

from trying import over

import antiphon as ap
from antiphon.audit import CounterexampleAdversary, counterexample_game, learned_bit
from antiphon.protocol import IdentityPostProcessor, RecordedCoins, ReplayedCoins, SampledCoins

DELTA = Fraction(1, 10)
CREATE = ap.same(ap.Create(ap.mechanisms.LeakyBit(delta=DELTA)))
ADVERSARY = CounterexampleAdversary(delta=DELTA, copies=3)


def law(mechanism, adversary):
    """The exact law of the answers of a deterministic adversary."""
    laws = Counter()

    def walk(state, own, heard, answers, weight):
        own, message = adversary.step(own, heard, None)
        if message is ap.HALT:
            laws[answers] += weight
            return
        for p, (after, answer) in ap.outcomes(lambda c: mechanism.step(state, message, c)):
            walk(after, own, answer, (*answers, answer), weight * p)

    walk(mechanism.initial_state, adversary.initial_state, ap.EMPTY, (), Fraction(1))
    return dict(laws)


def test_enumerated_the_adversary_wins_exactly_as_often_as_the_paper_says():
    laws = [law(counterexample_game(DELTA).mechanism(bit), ADVERSARY) for bit in (0, 1)]
    learned = [
        sum(p for answers, p in each.items() if answers[-1] == bit and type(answers[-1]) is int)
        for bit, each in enumerate(laws)
    ]
    assert learned == [ADVERSARY.success, ADVERSARY.success] == [1 - Fraction(9, 10) ** 3] * 2
    assert all(sum(each.values()) == 1 for each in laws)


@over("seed", range(20), at_least=18)
def test_a_run_is_one_of_the_enumerated_and_replays(seed):
    mechanism = counterexample_game(DELTA).mechanism(1)
    recording = ap.record(ADVERSARY, mechanism, seed=seed)
    assert recording.view.answers in law(mechanism, ADVERSARY)
    assert ap.replay(recording, ADVERSARY, mechanism) == recording.view
    assert learned_bit(recording.view) in (None, 1)


def test_purity_an_old_state_stays_usable():
    mechanism = counterexample_game(DELTA).mechanism(1)
    state, _ = mechanism.step(mechanism.initial_state, CREATE, SampledCoins())
    ask = ap.same(ap.Ask(0, 0))
    tape = RecordedCoins(SampledCoins(seed=0))
    first = mechanism.step(state, ask, tape)
    draws = tape.take()
    for _ in range(10):
        mechanism.step(state, ask, SampledCoins())
    assert mechanism.step(state, ask, ReplayedCoins(draws)) == first


def test_associativity_and_unit():
    game = counterexample_game(DELTA)
    v, i = ap.Verifier(game.verification), ap.Identifier(1)
    m = game.system
    one = IdentityPostProcessor()
    chains = [(v @ i) @ m, v @ (i @ m), one @ v @ i @ m, v @ (one @ i) @ m, v @ i @ one @ m]
    assert all(law(chain, ADVERSARY) == law(chains[0], ADVERSARY) for chain in chains)


def test_a_chain_of_ten_thousand_parts_needs_no_call_stack():
    deep = counterexample_game(DELTA).mechanism(1)
    for _ in range(10_000):
        deep = IdentityPostProcessor() @ deep
    session = deep.start(seed=0)
    assert session.send(CREATE) is ap.TOP
    assert session.send("nonsense") is ap.HALT


def test_incremental_checking_never_reads_the_history_again():
    f = counterexample_game(DELTA).verification
    messages = [CREATE, ap.same(ap.Ask(0, 0)), ap.Pair(ap.Ask(0, 0), ap.Ask(1, 0))]
    state = f.initial_state
    for message in messages:
        state = f.step(state, message.zero, message.one)
    assert f(messages) is ap.TOP
    assert f([*messages, messages[-1]]) is ap.BOTTOM  # a third message to M_δ
