"""Complex mechanisms (CM §6): the three properties, P², Claims 6.3-6.4, Thm 6.1."""

import sys
from fractions import Fraction

import attrs
import pytest
from hypothesis import strategies as st
from trying import over

import antiphon as ap
from antiphon import BOTTOM, HALT, TOP, Ask, Create, ExtConComp, Pair, Side, same, spaces
from antiphon.audit import search_properties
from antiphon.composition import (
    Certified,
    ComplexMechanism,
    NoGuarantee,
    Property,
    TwoCopies,
    check_properties,
    each_valid,
    fixed_mechanisms,
    sparse_parallel,
)
from antiphon.protocol import Status
from antiphon.protocol.spaces import Anything, Integers, Signature
from antiphon.protocol.verification import Refused
from antiphon.selfcheck.theorems import complex_mechanisms as theorems
from antiphon.selfcheck.theorems.complex_mechanisms import (
    ASK,
    HUSH,
    ROUNDS,
    EachBit,
    Leak,
    OnRequest,
    Router,
    checks,
)
from antiphon.selfcheck.theorems.components import PURE_RESPONSE, walk
from antiphon.verifiers import Within, bounded, event_level

F = bounded(event_level(), 2)
INNER = sparse_parallel([walk().parameters, PURE_RESPONSE.parameters])
BROKEN = [(Leak.DESTINATION, Property.DESTINATION), (Leak.VALIDITY, Property.VALIDITY)]
ALL_BROKEN = [*BROKEN, (Leak.RESPONSE, Property.RESPONSE)]


def router(leak=None):
    return Router(walk(), PURE_RESPONSE, leak)


def violation(leak, f=F, strict=False, questions=None):
    return check_properties(
        router(leak), f, INNER, queries=(0, 1), rounds=30, strict=strict, questions=questions
    )


def answers(sent, created):
    """What ExtConComp may answer, for the search."""
    if type(sent) is Create:
        return [TOP]
    return list(created[sent.index].mechanism.signature.answers.enumerate())


class TestExhaustiveCheck:
    def test_a_sound_p_has_the_three_properties(self):
        assert violation(None) is None

    @over("strict", [False, True])
    @over(("leak", "broken"), ALL_BROKEN)
    def test_each_violation_is_found_and_replays(self, leak, broken, strict):
        """As printed in any runs; else in f-valid ones, for which f must allow a third bit."""
        processor, f, inner = router(leak), F, INNER
        if not strict:
            processor, f, inner = theorems._router(leak), theorems.EVENT, theorems._inner()
        check = {"queries": (0, 1), "rounds": 30, "questions": 3, "strict": strict}
        found = check_properties(processor, f, inner, **check)
        assert found.property is broken
        assert len(found.runs[0]) == len(found.runs[1])
        lefts = [[m for side, m in run if side is Side.LEFT] for run in found.runs]
        assert strict or f([Pair(zero, one) for zero, one in zip(*lefts, strict=True)]) is TOP
        sides = [[side for side, _ in run] for run in found.runs]
        rights = [[m for side, m in run if side is Side.RIGHT] for run in found.runs]
        assert sides[0] == sides[1]
        assert rights[0] == rights[1]
        sent0, sent1 = found.replay()
        (to0, out0), (to1, out1) = sent0[-1], sent1[-1]
        if broken is Property.DESTINATION:
            assert to0 is not to1
        elif broken is Property.RESPONSE:
            assert to0 is to1 is Side.LEFT
            assert out0 != out1
        else:
            assert to0 is to1 is Side.RIGHT
            pairs = [Pair(a, b) for (to, a), (_, b) in zip(sent0, sent1, strict=True)
                     if to is Side.RIGHT]  # fmt: skip
            assert inner(pairs[:-1]) is TOP
            assert inner(pairs) is ap.BOTTOM

    def test_only_f_valid_runs_are_asked(self):
        """f allows two bits, and P repeats the third; with three it is no other runs' property."""
        assert violation(Leak.RESPONSE, questions=3) is None
        assert violation(Leak.RESPONSE, strict=True, questions=3).property is Property.RESPONSE

    def test_a_p_that_is_sound_as_printed_is_sound(self):
        assert violation(None, strict=True, questions=3) is None

    @pytest.mark.every(4)
    @pytest.mark.parametrize("leak", [None, *Leak])
    def test_a_public_query_may_decide_where_p_sends(self, leak):
        inner = sparse_parallel([PURE_RESPONSE.parameters], first_pair_consistent=True)
        check = {"queries": (0, 1, ASK, HUSH), "rounds": 30}
        asked = OnRequest(PURE_RESPONSE, leak), theorems.REQUESTED, inner
        found = check_properties(*asked, **check)
        assert (found and found.property.name) == (leak and leak.name)
        assert check_properties(*asked, **check, strict=True) is not None
        search = {"queries": (0, 1, ASK, HUSH), "answers": answers, "rounds": 9, "examples": 300}
        searched = search_properties(*asked, **search)
        assert (searched and searched.property.name) == (leak and leak.name)
        assert search_properties(*asked, **search, strict=True) is not None
        assert check_properties(asked[0], theorems.ALL, inner, **check) is not None

    def test_past_an_invalid_pair_nothing_is_asked_of_p(self):
        """P tells all, creates, and raises, as soon as two messages could have been unlike."""

        @ap.post_processor(deterministic=True, initial_state=False)
        def careless(state, side, message, coins):
            if message == "never":
                raise AssertionError("V[f] would have halted")
            return True, Side.LEFT, "hello"

        f = event_level(Within(1))
        check = {"queries": (0, 1), "rounds": 9}
        assert check_properties(careless, f, INNER, **check) is None
        never = OnlyBits(f)
        assert check_properties(careless, never, INNER, queries=(0, 1, "never"), rounds=9) is None
        with pytest.raises(ap.PartError, match="a step crashed: AssertionError"):
            check_properties(careless, never, INNER, queries=(0, 1, "never"), rounds=9, strict=True)

    def test_a_p_with_coins_is_refused(self):
        @ap.post_processor()
        def tossing(state, side, message, coins):
            return state, Side.LEFT, int(coins.bernoulli(0.5))

        with pytest.raises(ap.CompositionError, match="deterministic"):
            check_properties(tossing, F, INNER, queries=(0, 1), rounds=2)

    def test_too_many_states_are_refused(self):
        with pytest.raises(ap.Intractable):
            check_properties(router(), F, INNER, queries=(0, 1), rounds=30, limit=10)

    def test_equal_runs_are_one_however_long(self):
        @ap.post_processor(deterministic=True)
        def constant(state, side, message, coins):
            return state, Side.LEFT, "hello"

        f = event_level()
        assert check_properties(constant, f, INNER, queries=(0, 1), rounds=10**9, limit=9) is None

    @pytest.mark.parametrize("leaks", [False, True])
    def test_what_is_created_inside_of_what_is_created_is_known(self, leaks):
        """Each bit gets a response of its own, all in one composition; 1-sparse, or all differ."""
        inside = Certified(ExtConComp(), sparse_parallel([PURE_RESPONSE.parameters]), truth="below")

        @ap.post_processor(deterministic=True, initial_state=(0, None))
        def nesting(state, side, message, coins):
            count, bit = state
            if side is Side.LEFT:
                first = Create(inside) if not count else Ask(PURE_RESPONSE, 0)
                return (count, message), Side.RIGHT, first
            if message is TOP and not count:
                return (1, bit), Side.RIGHT, Ask(PURE_RESPONSE, 0)
            if message is TOP:
                return (count + 1, bit), Side.RIGHT, Ask(Ask(bit, count - 1), 0)
            told = (bit if leaks else 0) if message is BOTTOM or message is HALT else 1
            return (count, 0), Side.LEFT, told

        inner = fixed_mechanisms([inside])
        check = {"queries": (0, 1), "rounds": 20, "questions": 2}
        found = check_properties(nesting, F, inner, **check)
        assert (None if found is None else found.property) is (Property.RESPONSE if leaks else None)
        twice = bounded(event_level(events=2), 2)
        wide = check_properties(nesting, twice, inner, **check)
        assert wide.property is Property.VALIDITY or leaks

    def test_what_a_composition_of_another_kind_answers_is_not_guessed(self):
        composition = ap.ConComp([PURE_RESPONSE])
        fixed = Certified(composition, each_valid(composition))

        @ap.post_processor(deterministic=True, initial_state=0)
        def asking(state, side, message, coins):
            if side is Side.LEFT:
                return 0, Side.RIGHT, Create(fixed)
            return 1, *((Side.LEFT, message) if state else (Side.RIGHT, Ask(Ask(1, 0), 0)))

        with pytest.raises(ap.Intractable):
            check_properties(asking, F, fixed_mechanisms([fixed]), queries=(0, 1), rounds=9)

    def test_nobody_asks_after_a_halt(self):
        @ap.post_processor(deterministic=True, initial_state=0)
        def halting(state, side, message, coins):
            return state + 1, Side.LEFT, (HALT if state == 0 else message)

        assert check_properties(halting, F, INNER, queries=(0, 1), rounds=5) is None


@attrs.frozen
class OnlyBits(ap.Verification):
    """An f that refuses every pair with anything but bits."""

    bits: ap.Verification

    @property
    def initial_state(self):
        return self.bits.initial_state

    def step(self, state, zero, one):
        if not {type(zero), type(one)} <= {int}:
            return Refused("no bits")
        return self.bits.step(state, zero, one)


@attrs.frozen
class Remembers(ap.PostProcessor):
    """Says of what type the first message was, after the second: 1 and True differ there only."""

    deterministic = True
    initial_state = ()

    def signature(self, right):
        return Signature(Anything(), Anything())

    def step(self, state, side, message, coins):
        return (*state, message), Side.LEFT, type(state[0]).__name__ if state else "ok"


def test_states_are_merged_by_exact_type():
    found = check_properties(Remembers(), F, INNER, queries=(1, True), rounds=3)
    assert found.property is Property.RESPONSE
    first0, first1 = found.runs[0][0][1], found.runs[1][0][1]
    assert {type(first0), type(first1)} == {int, bool}


def test_answers_are_told_apart_by_exact_type():
    """A sub-mechanism that answers 1 or True: both are tried."""

    @attrs.frozen
    class Child(ap.ContinualMechanism):
        initial_state = None
        signature = Signature(spaces.BITS, spaces.Finite((1, True)))
        claims = PURE_RESPONSE.mechanism.claims

        def step(self, state, message, coins):
            return state, coins.bernoulli(0.5) or 1

    @attrs.frozen
    class Telling(EachBit):
        """Tells the bit it was asked, but only after the answer True."""

        def step(self, state, side, message, coins):
            if side is Side.RIGHT and message is True:
                return (state[0], None), Side.LEFT, state[1]
            if side is Side.RIGHT and state[1] is not None and message is TOP:
                return state, Side.RIGHT, ap.Ask(0, state[0])
            return EachBit.step(self, state, side, message, coins) if side is Side.LEFT else (
                (state[0], None), Side.LEFT, message)  # fmt: skip

    found = check_properties(Telling(Create(Child())), F, INNER, queries=(0, 1), rounds=3)
    assert found is not None
    assert found.property is Property.RESPONSE
    assert found.runs[0][-1] == (Side.RIGHT, True)


class TestSearch:
    def search(self, leak, queries=(0, 1), **options):
        return search_properties(
            router(leak), F, INNER, queries=queries, answers=answers, **options
        )

    def test_nothing_is_found_where_nothing_is_wrong(self):
        assert self.search(None, examples=60) is None

    @pytest.mark.parametrize(("leak", "broken"), BROKEN)
    def test_a_violation_is_found_shrunk_and_replays(self, leak, broken):
        found = self.search(leak, st.integers(0, 1))
        assert found.property is broken
        assert len(found.runs[0]) <= 8
        sent0, sent1 = found.replay()
        assert sent0[-1] != sent1[-1]

    def test_it_repeats(self):
        first, again = (self.search(Leak.DESTINATION, examples=30) for _ in range(2))
        assert first == again is not None

    def test_an_infinite_p(self):
        """P with unbounded queries that betrays its input where it is large."""

        @ap.post_processor(deterministic=True)
        def betraying(state, side, message, coins):
            return state, Side.LEFT, "large" if message > 1000 else "small"

        found = search_properties(
            betraying, F, INNER, queries=st.integers(), answers=lambda sent, created: []
        )
        assert found.property is Property.RESPONSE
        assert sorted(run[-1][1] for run in found.runs) == [0, 1001]

    def test_coins_are_refused(self):
        @ap.post_processor()
        def tossing(state, side, message, coins):
            return state, Side.LEFT, message

        with pytest.raises(ap.CompositionError, match="deterministic"):
            search_properties(tossing, F, INNER, queries=(0,), answers=answers)

    def test_without_hypothesis_the_cure_is_named(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "hypothesis", None)
        with pytest.raises(ap.MissingExtra, match=r"antiphon\[test\]"):
            self.search(None)


class TestTwoCopies:
    def test_it_sends_pairs_right_and_the_common_answer_left(self):
        two = TwoCopies(router())
        state, to, said = two.step(two.initial_state, Side.LEFT, Pair(0, 1), None)
        assert (to, said) == (Side.RIGHT, same(walk()))
        state, to, said = two.step(state, Side.RIGHT, TOP, None)
        assert (to, said) == (Side.RIGHT, Pair(ap.Ask(0, 0), ap.Ask(1, 0)))
        state, to, said = two.step(state, Side.RIGHT, 0, None)
        assert (to, said) == (Side.LEFT, (0, ap.BOTTOM))
        assert state == (router().initial_state._replace(created=1, lefts=1),) * 2

    def drive(self, two, pairs, heard):
        """Feeds left pairs, and the same answers to whatever is sent right."""
        state, right = two.initial_state, iter(heard)
        for pair in pairs:
            state, to, _ = two.step(state, Side.LEFT, pair, None)
            while to is Side.RIGHT:
                state, to, _ = two.step(state, Side.RIGHT, next(right), None)

    def test_it_raises_where_the_destinations_differ(self):
        two = TwoCopies(router(Leak.DESTINATION))
        with pytest.raises(ap.CompositionError, match="destination"):
            self.drive(two, [Pair(0, 1)], [TOP, 0])

    def test_it_raises_where_the_responses_differ(self):
        two = TwoCopies(router(Leak.RESPONSE))
        with pytest.raises(ap.CompositionError, match="response"):
            self.drive(two, [same(0), same(0), Pair(0, 1)], [TOP, 0, 0, 0])

    def test_a_sound_p_goes_on(self):
        self.drive(TwoCopies(router()), [Pair(0, 1), same(1)], [TOP, 1, TOP, (0, TOP), 0])


class TestTheorems:
    def test_what_a_query_decides_costs_nothing(self):
        [row] = [check.run().evidence for check in checks() if "a query decides" in check.instance]
        assert row.tight == tuple(delta for _, delta in row.claimed)
        assert row.tight[:2] == (Fraction(2, 5), Fraction(1, 10))

    @pytest.mark.parametrize("leak", [None, *Leak])
    def test_it_is_guaranteed_where_the_sharpened_properties_hold(self, leak):
        system = ComplexMechanism(OnRequest(PURE_RESPONSE, leak))
        inner = sparse_parallel([PURE_RESPONSE.parameters], first_pair_consistent=True)
        if leak is not None:
            with pytest.raises(NoGuarantee, match="property"):
                ap.guarantee(system, theorems.REQUESTED, inner=inner)
            return
        promise = ap.guarantee(system, theorems.REQUESTED, inner=inner)
        assert promise.status is Status.PROVED
        assert "in f-valid runs" in promise.explain()
        tight = ap.PrivacyGame(system, theorems.REQUESTED).tight_delta(epsilon=0, rounds=4)
        assert tight == Fraction(1, 2) <= promise.delta_at(0)
        with pytest.raises(NoGuarantee, match="destination"):
            ap.guarantee(system, theorems.ALL, inner=inner)

    def test_a_complex_mechanism_is_its_chain(self):
        complex_mechanism = ComplexMechanism(router())
        plain = router() @ ap.ExtConComp()
        assert ap.equivalent(complex_mechanism, plain, rounds=ROUNDS)
        assert complex_mechanism.signature.queries == spaces.BITS

    def test_the_game_of_a_complex_mechanism_replays(self):
        game = ap.PrivacyGame(ComplexMechanism(EachBit(PURE_RESPONSE)), event_level())
        adversary = game.best_adversary(epsilon=0, rounds=2)
        assert adversary.advantage == game.tight_delta(epsilon=0, rounds=2)
        view = game.play(adversary, bit=0, seed=1)
        assert ap.replay(view, adversary).answers == view.answers


def test_wider_inputs_need_a_wider_space():
    """The queries may be any list, not bits only."""

    @attrs.frozen
    class Halved(EachBit):
        def signature(self, right):
            return Signature(Integers(0, 3), Anything())

        def step(self, state, side, message, coins):
            message = message // 2 if side is Side.LEFT else message
            return EachBit.step(self, state, side, message, coins)

    inner = sparse_parallel([PURE_RESPONSE.parameters])
    halved = Halved(PURE_RESPONSE)
    assert check_properties(halved, F, inner, queries=range(4), rounds=9, questions=2) is None
    two = event_level(events=2)
    assert check_properties(halved, two, inner, queries=range(4), rounds=9, questions=2)
