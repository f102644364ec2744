"""Exchanges: post-processors that are generators, and whose states are values all the same."""

import copy
import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import NamedTuple

import attrs
import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon import PartError
from antiphon.audit.check.steps.columns import disagreement
from antiphon.numbers.errors import with_article
from antiphon.numbers.interning import Interner
from antiphon.populations.play import Population
from antiphon.protocol import RecordedCoins, ReplayedCoins, SampledCoins, in_turn
from antiphon.protocol.exchanges.processor import Underway
from antiphon.protocol.provenance import why_untrusted
from antiphon.protocol.spaces import BITS, Anything, Integers

LEFT, RIGHT = ap.Side
COINS = SampledCoins(0)
QUARTER = Fraction(1, 4)


@ap.mechanism(queries=BITS, answers=BITS, initial_state=0)
def flips(state, bit, coins):
    """Lies once in four times."""
    return state + 1, bit ^ int(coins.bernoulli(QUARTER))


@ap.exchange(initial_state=0)
def majority(rounds, bit):
    """What most of three noisy copies say; how many messages it has answered."""
    heard = yield from in_turn([bit] * 3)
    return rounds + 1, int(sum(heard) >= 2)


class Hearing(NamedTuple):
    rounds: int
    bit: int
    heard: tuple


@ap.post_processor(initial_state=Hearing(0, 0, ()), deterministic=True)
def majority_by_hand(state, side, message, coins):
    rounds, bit, heard = state
    if side is LEFT:
        return Hearing(rounds, message, ()), RIGHT, message
    heard = (*heard, message)
    if len(heard) < 3:
        return Hearing(rounds, bit, heard), RIGHT, bit
    return Hearing(rounds + 1, 0, ()), LEFT, int(sum(heard) >= 2)


@ap.exchange(initial_state=0)
def either(rounds, bit, coins):
    """Asks once or twice, as a coin says; and lies about one answer, as another says."""
    twice = coins.bernoulli(Fraction(1, 2))
    heard = yield bit
    if twice:
        heard &= yield bit
    return rounds + 1, heard ^ int(coins.bernoulli(QUARTER))


@ap.post_processor(initial_state=(0, 0, None))
def either_by_hand(state, side, message, coins):
    rounds, bit, heard = state
    if side is LEFT:
        twice = coins.bernoulli(Fraction(1, 2))
        return (rounds, message, 1 if twice else None), RIGHT, message
    if heard == 1:
        return (rounds, bit, (message,)), RIGHT, bit
    message &= heard[0] if heard else 1
    return (rounds + 1, 0, None), LEFT, message ^ int(coins.bernoulli(QUARTER))


# --- all readings -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "by_hand"), [(majority, majority_by_hand), (either, either_by_hand)], ids=repr
)
class TestReadings:
    """An exchange is the machine that one would have written by hand."""

    script = (1, 0, 0, 1, 1)

    def test_run_and_recorded(self, part, by_hand):
        adversary = ap.scripted(list(self.script))
        one, two = (ap.record(adversary, p @ flips, seed=5) for p in (part, by_hand))
        assert one.view.answers == two.view.answers
        assert tuple(one.tape) == tuple(two.tape)
        assert ap.replay(one, adversary, part @ flips).complete
        assert ap.replay(two, adversary, part @ flips).complete

    def test_enumerated(self, part, by_hand):
        assert ap.equivalent(part @ flips, by_hand @ flips, rounds=3)
        f = ap.verifiers.bounded(ap.verifiers.event_level(), 2)
        deltas = {
            ap.PrivacyGame(p @ flips, f).tight_delta(epsilon=0, rounds=2) for p in (part, by_hand)
        }
        assert len(deltas) == 1
        assert 0 < deltas.pop() < 1

    def test_populated(self, part, by_hand):
        for place in range(5):
            seed = np.random.SeedSequence(place)
            joins = bool(place % 2)
            assert disagreement(part @ flips, None, self.script, seed, joins=joins) is None

    def test_checked(self, part, by_hand):
        report = ap.check(part, right=flips, seed=1)
        assert report.findings == ()
        assert {"purity", "randomness", "replay", "states"} <= set(report.done)


# --- states are values ------------------------------------------------------------------------


def counted():
    """An exchange, and a list that grows whenever it is run from its start."""
    runs = []

    @ap.exchange(initial_state=("canary",))
    def asks(state, message):
        runs.append(message)
        first = yield message
        second = yield first
        return (*state, second), (message, first, second)

    return asks, runs


def middle(part, *answers, message="m", coins=COINS):
    """The state after a message and some answers."""
    state, side, _ = part.step(part.initial_state, LEFT, message, coins)
    for answer in answers:
        assert side is RIGHT
        state, side, _ = part.step(state, RIGHT, answer, coins)
    return state


class TestStates:
    def test_nothing_is_run_twice_as_a_rule(self):
        part, runs = counted()
        assert part.step(middle(part, 1), RIGHT, 2, COINS) == (("canary", 2), LEFT, ("m", 1, 2))
        assert runs == ["m"]

    def test_an_old_state_stays_usable(self):
        part, runs = counted()
        begun = middle(part)
        for first in (1, 2, 1):
            after, side, sent = part.step(begun, RIGHT, first, COINS)
            assert (side, sent) == (RIGHT, first)
            for second in (3, 4):
                ended = part.step(after, RIGHT, second, COINS)
                assert ended == (("canary", second), LEFT, ("m", first, second))
        # live: once from ``begun`` and once from each ``after``; all others start again
        assert len(runs) == 1 + 2 + 3

    def test_they_are_compared_by_exact_value(self):
        part, _ = counted()
        number = Interner()
        for answers in ((), (1,)):
            one, again = middle(part, *answers), middle(part, *answers)
            assert one == again
            assert hash(one) == hash(again)
            assert number(one) == number(again)
        others = [
            middle(part, True),
            middle(part, 1.0),
            middle(part, 1, message=b"m"),
            middle(part),
        ]
        assert len({number(each) for each in (middle(part, 1), *others)}) == 5
        assert all(middle(part, 1) != each for each in others)
        assert middle(part) != (("canary",), "m", ())

    def test_the_generator_beside_makes_no_difference(self):
        part, _ = counted()
        one = middle(part, 1)
        another = middle(part, 1)
        part.step(one, RIGHT, 2, COINS)
        assert one == another
        assert one.slot == []
        assert len(another.slot) == 1

    @pytest.mark.parametrize(
        "copied", [copy.copy, copy.deepcopy, lambda state: pickle.loads(pickle.dumps(state))]
    )
    def test_a_copy_goes_on_without_the_generator(self, copied):
        part, runs = counted()
        state = middle(part, 1)
        twin = copied(state)
        assert twin == state
        assert twin.slot == []
        assert part.step(twin, RIGHT, 2, COINS) == part.step(state, RIGHT, 2, None)
        assert len(runs) == 2

    def test_it_shows_nothing(self):
        part, _ = counted()
        state = middle(part, "canary", message="canary")
        assert "canary" not in repr(state) + str(state)
        assert "0x" not in repr(state)

    def test_a_state_is_stepped_by_many_threads(self):
        part, _ = counted()
        for _ in range(20):
            state = middle(part, 1)
            with ThreadPoolExecutor(8) as pool:
                found = list(pool.map(lambda n, s=state: part.step(s, RIGHT, n, COINS), range(40)))
            assert [answer for _, _, answer in found] == [("m", 1, n) for n in range(40)]

    def test_two_copies_share_no_generator(self):
        """CM Def. 6.2: P² steps two copies of P from one state."""
        two = ap.composition.TwoCopies(majority)
        state, _, sent = two.step(two.initial_state, LEFT, ap.Pair(0, 1), COINS)
        assert sent == ap.Pair(0, 1)
        for bit in (1, 1, 0):
            state, side, sent = two.step(state, RIGHT, bit, COINS)
        assert (side, sent) == (LEFT, 1)


# --- halting ----------------------------------------------------------------------------------


def test_a_halt_is_an_answer_like_any():
    @ap.exchange(initial_state=0)
    def knows(state, message):
        heard = yield message
        return state + 1, "it halted" if heard is ap.HALT else heard

    state = middle(knows)
    assert knows.step(state, RIGHT, ap.HALT, COINS) == (1, LEFT, "it halted")


def test_or_it_goes_left_and_the_state_is_as_before():
    part = ap.exchange(initial_state="before", passes_halt=True)(counted()[0].function)
    state = middle(part, 1)
    assert part.step(state, RIGHT, ap.HALT, COINS) == ("before", LEFT, ap.HALT)
    assert part.step(state, RIGHT, 2, COINS)[2] == ("m", 1, 2)

    @ap.exchange(passes_halt=True)
    def tosses(state, message, coins):
        return state, (yield message)

    assert tosses.step(middle(tosses), RIGHT, ap.HALT, COINS) == (None, LEFT, ap.HALT)


def test_its_own_halt_ends_the_interaction():
    @ap.exchange(initial_state=2)
    def few(left, message):
        if not left:
            return left, ap.HALT
        return left - 1, (yield message)

    session = (few @ flips).start(seed=1)
    assert {session.send(0), session.send(0)} <= {0, 1}
    assert session.send(0) is ap.HALT
    assert session.over


# --- faults -----------------------------------------------------------------------------------


class TestFaults:
    @pytest.mark.parametrize(
        "function",
        [lambda state, message: (state, message), lambda message: (yield message), int,
         lambda a, b, c, d: (yield a)],
        ids=["no generator", "one argument", "a class", "four"],
    )  # fmt: skip
    def test_only_generator_functions_of_two_or_three_are_taken(self, function):
        with pytest.raises(ap.InvalidArgument, match="generator function"):
            ap.exchange()(function)

    @over("value", [None, 1, (1,), (1, 2, 3), [1, 2], Hearing(1, 2, ())])
    def test_it_returns_a_pair(self, value):
        @ap.exchange()
        def wrong(state, message):
            yield message
            return value

        @ap.exchange()
        def at_once(state, message, coins):
            if message is None:
                yield message
            return value

        for state, side, part in ((middle(wrong), RIGHT, wrong), (None, LEFT, at_once)):
            returned = f"returned {with_article(type(value).__name__)}; it ends"
            with pytest.raises(ap.PartError, match=returned):
                part.step(state, side, 1, COINS)

    @pytest.mark.parametrize("base", [ap.ExchangePostProcessor, ap.protocol.TossingPostProcessor])
    def test_a_method_that_is_no_generator(self, base):
        @attrs.frozen
        class Wrong(base):
            initial_state = 0

            def exchange(self, state, message, *coins):
                return state, message

        with pytest.raises(ap.PartError, match="without a yield"):
            Wrong().step(0, LEFT, 1, COINS)

    def test_an_error_of_its_own_is_not_another(self):
        @ap.exchange()
        def wrong(state, message):
            yield message.nothing

        with pytest.raises(AttributeError, match="nothing"):
            wrong.step(None, LEFT, 1, COINS)

    @pytest.mark.parametrize("part", [majority, either], ids=repr)
    def test_messages_come_when_they_are_due(self, part):
        with pytest.raises(ap.ProtocolError, match="middle of an exchange"):
            part.step(0, RIGHT, 1, SampledCoins(1))
        state = middle(part, coins=SampledCoins(1))
        with pytest.raises(ap.ProtocolError, match="middle of an exchange"):
            part.step(state, LEFT, 1, SampledCoins(1))

    def test_what_differs_when_it_is_run_again_is_found(self):
        seen = []

        @ap.exchange()
        def remembers(state, message):
            seen.append(message)
            yield len(seen)
            return state, (yield 0)

        @ap.exchange()
        def stops(state, message):
            seen.append(message)
            if len(seen) % 2:
                yield 0
            return state, message

        @ap.exchange()
        def fails(state, message):
            seen.append(message)
            yield 1 // (len(seen) % 2)
            return state, (yield 0)

        for part in (remembers, stops, fails):
            seen.clear()
            state = middle(part)
            part.step(state, RIGHT, 1, COINS)
            with pytest.raises(ap.PartError, match="run again"):
                part.step(state, RIGHT, 1, COINS)
            report = ap.check(part, right=anything, messages=[1], seed=1, only=["replay"])
            assert [finding.check for finding in report.findings] == ["replay"]

    def test_a_refusal_changes_nothing(self):
        @ap.exchange(initial_state=0)
        def odd(state, number):
            heard = yield number
            if heard > 1:
                raise ap.InvalidArgument("too large")
            return state + 1, heard + state

        session = (odd @ anything).start()
        assert session.send(1) == 1
        with pytest.raises(ap.InvalidArgument, match="too large"):
            session.send(2)
        assert session.send(1) == 2

    def test_a_crash_is_found(self):
        @ap.exchange()
        def wrong(state, number):
            return state, (yield number) // 0

        report = ap.check(wrong, right=anything, messages=[1], only=["crashes"], seed=1)
        assert ["ZeroDivisionError" in finding.what for finding in report.findings] == [True]

    def test_other_randomness_is_found(self):
        @ap.exchange()
        def wrong(state, number):
            return state, (yield number) + random.getrandbits(1)

        only = ["randomness", "replay"]
        report = ap.check(wrong, right=anything, messages=[1], only=only, seed=1)
        assert {finding.check for finding in report.findings} == set(only)
        assert __file__ in report.findings[0].where

    def test_a_state_that_is_changed_is_found(self):
        @ap.exchange(initial_state=[])
        def wrong(heard, number):
            heard.append((yield number))
            return heard, number

        report = ap.check(wrong, right=anything, messages=[1], only=["purity"], seed=1)
        assert [finding.check for finding in report.findings] == ["purity"]


@ap.mechanism(queries=Anything(), answers=Anything())
def anything(state, message, coins):
    return state, message


# --- coins ------------------------------------------------------------------------------------


@ap.exchange()
def three(state, message, coins):
    """Tosses before it asks, between, and at last."""
    first = coins.uniform_integer(1000)
    yield message
    second = coins.uniform_integer(1000)
    yield message
    return state, (first, second, coins.uniform_integer(1000))


class TestCoins:
    def test_each_step_tosses_its_own(self):
        coins = [RecordedCoins(SampledCoins(seed)) for seed in range(3)]
        state, _, _ = three.step(None, LEFT, "m", coins[0])
        state, _, _ = three.step(state, RIGHT, 0, coins[1])
        _, _, answer = three.step(state, RIGHT, 0, coins[2])
        assert tuple(draw.value for each in coins for draw in each.take()) == answer
        assert [each.draws for each in coins] == [1, 1, 1]

    def test_what_was_tossed_stands_when_it_is_run_again(self):
        begun = middle(three, coins=SampledCoins(0))
        first = begun.tape[0].value
        after, answers = {}, set()
        for seed in range(20):
            coins = SampledCoins(seed)
            after[seed], _, _ = three.step(begun, RIGHT, 0, coins)
            assert coins.draws == 1
            for again in range(3):
                coins = SampledCoins(again)
                answer = three.step(after[seed], RIGHT, 0, coins)[2]
                assert coins.draws == 1
                assert answer[:2] == (first, after[seed].tape[1].value)
                answers.add(answer)
        assert len(answers) > 50
        assert len(set(after.values())) == 20

    def test_draws_that_differ_when_it_is_run_again_are_found(self):
        for draws in ((1, 2), (2, 1), (1, 1)):
            seen = []

            @ap.exchange()
            def wrong(state, message, coins, seen=seen, draws=draws):
                seen.append(message)
                for _ in range(draws[len(seen) - 1]):
                    coins.uniform_integer(2 if draws[0] != draws[1] else len(seen) + 1)
                yield message
                return state, message

            state = middle(wrong, coins=SampledCoins(1))
            wrong.step(state, RIGHT, 0, SampledCoins(1))
            with pytest.raises(ap.PartError, match="run again"):
                wrong.step(state, RIGHT, 0, SampledCoins(1))

    def test_it_sees_what_its_coins_are_for(self):
        """A composition inside an exchange asks its coins whether a crash is an outcome."""
        seen = []

        @ap.exchange()
        def looks(state, message, coins):
            seen.append((coins.strict, coins.many))
            yield message
            return state, message

        looks.step(None, LEFT, 1, SampledCoins(1))
        list(ap.outcomes(lambda coins: looks.step(None, LEFT, 1, coins)))
        of_a_block = SampledCoins(1)
        of_a_block.many = True
        looks.step(None, LEFT, 1, of_a_block)
        assert seen == [(False, False), (True, False), (False, True)]

    def test_only_what_is_handed_coins_is_random(self):
        assert majority.deterministic
        assert not either.deterministic


# --- columns ----------------------------------------------------------------------------------


@ap.mechanism(queries=Integers(), answers=Integers())
@ap.column_safe
def noisy(state, number, coins):
    return state, number + coins.discrete_laplace(3)


@ap.column_safe
def larger(rounds, number):
    """The larger of two noisy numbers, and of those before."""
    first = yield number
    second = yield number
    best = first if first > second else second
    return (best if rounds is None or best > rounds else rounds), best


class TestColumns:
    @pytest.mark.parametrize("safe", [True, False])
    def test_a_population_answers_as_single_steps_do(self, safe):
        function = larger if safe else lambda rounds, number: larger(rounds, number)
        if not safe:

            def function(rounds, number):
                return (yield from larger(rounds, number))

        system = ap.exchange()(function) @ noisy
        for place in range(4):
            seed = np.random.SeedSequence(place)
            assert disagreement(system, None, (1, 2, 3), seed) is None
        population = Population(ap.scripted([1, 2]), system)
        assert sum(lanes.size for lanes, _ in population.play(100)) == 100
        assert bool(population.coins.slow) is not safe


# --- what it declares -------------------------------------------------------------------------


def test_it_has_a_name_a_wiring_and_a_lifting():
    rr = ap.mechanisms.RandomizedResponse(epsilon=1)
    event = ap.verifiers.bounded(ap.verifiers.event_level(), 1)
    lifting = ap.composition.Lifting(event, ap.composition.sparse_parallel([(1, 0)]))
    bits = ap.Signature(BITS, rr.signature.answers)

    @ap.exchange(initial_state=0, signature=lambda right: bits, lifting=lifting)
    def forward(created, bit):
        yield ap.Create(rr)
        return created + 1, (yield ap.Ask(bit, created))

    assert repr(forward) == "<forward, a FunctionExchange>"
    assert why_untrusted(forward) is not None
    promise = ap.guarantee(ap.composition.ComplexMechanism(forward))
    assert promise.epsilon_at(0) == 1
    assert "forward" in promise.explain()
    assert (forward @ ap.ExtConComp()).signature.queries == BITS
    either_named = ap.exchange()(either.function)
    assert repr(either_named) == "<either, a FunctionTossing>"
    assert (either_named @ flips).signature == flips.signature
    named = ap.exchange(signature=lambda right: bits)(either.function)
    assert (named @ flips).signature == bits


def test_a_class_is_an_exchange_too():
    @attrs.frozen
    class Often(ap.ExchangePostProcessor[int]):
        times: int
        initial_state = 0

        def exchange(self, state, bit):
            heard = yield from in_turn([bit] * self.times)
            return state + 1, int(2 * sum(heard) > self.times)

    @attrs.frozen
    class Crashes(Often):
        def exchange(self, state, bit):
            yield bit // 0

    assert ap.equivalent(Often(3) @ flips, majority @ flips, rounds=2)
    (finding,) = ap.check(Crashes(1), right=flips, only=["crashes"], seed=1).findings
    assert finding.where.startswith(__file__)
    with pytest.raises(TypeError, match="abstract"):
        ap.ExchangePostProcessor()
    assert isinstance(middle(Often(2), message=1), Underway)
    with pytest.raises(PartError):
        Often(1).step(Underway(0, 1, (), (), (2,), []), RIGHT, 1, ReplayedCoins())
