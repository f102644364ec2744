"""ap.check: planted faults are found, each with its line and a cure; sound parts have none."""

import inspect
import itertools
import os
import random
import time
from fractions import Fraction

import attrs
import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon import spaces
from antiphon.audit.check import Finding
from antiphon.audit.check.examples import examples
from antiphon.composition import Lifting
from antiphon.protocol import (
    Approximate,
    BoundedRange,
    Dominated,
    DominatingPair,
    Forwarding,
    GaussianDP,
    Pure,
    Renyi,
    Status,
    ZeroConcentrated,
)
from antiphon.verifiers import Refused, event_level, every_pair, neighbouring_start

BITS = spaces.BITS
INTS = spaces.Integers()


def mechanism(answers=BITS, queries=BITS, **rest):
    return ap.mechanism(queries=queries, answers=answers, **rest)


def pure(epsilon, f=None):
    return (ap.Claim(Pure(epsilon), f or event_level(), Status.ASSUMED, "stated"),)


# --- mechanisms with one fault each -----------------------------------------------------------

CALLS = itertools.count()


@mechanism(initial_state=0)
def outside(state, bit, coins):
    return state, bit + coins.uniform_integer(2)


@mechanism(initial_state=0)
def a_bool(state, bit, coins):
    return state, coins.bernoulli(Fraction(1, 2))


@mechanism(answers=INTS, initial_state=[])
def in_place(state, bit, coins):
    state.append(bit)
    return state, sum(state)


@mechanism(answers=INTS, initial_state=())
def lists(state, bit, coins):
    return [*state, bit], len(state)


class Box:
    def __init__(self, value):
        self.value = value


@mechanism(answers=INTS, initial_state=Box(0))
def by_identity(state, bit, coins):
    return Box(state.value + bit), state.value


@mechanism(initial_state=0)
def pythons(state, bit, coins):
    return state, random.getrandbits(1)


@mechanism(initial_state=0)
def numpys(state, bit, coins):
    return state, int(np.random.randint(2))


@mechanism(initial_state=0)
def fresh(state, bit, coins):
    return state, int(np.random.default_rng().integers(2))


@mechanism(initial_state=0)
def systems(state, bit, coins):
    return state, os.urandom(1)[0] % 2


@mechanism(answers=INTS, initial_state=0)
def counts_calls(state, bit, coins):
    return state, next(CALLS)


@mechanism(answers=spaces.Reals(), initial_state=0)
def clock(state, bit, coins):
    return state, time.perf_counter()


@mechanism(initial_state=0)
def crashes(state, bit, coins):
    return state, [0][bit]


@mechanism(initial_state=0)
def refuses_late(state, bit, coins):
    if coins.bernoulli(Fraction(1, 2)):
        raise ap.InvalidArgument("too late")
    return state, bit


@mechanism(answers=spaces.Reals(), queries=spaces.Reals(), initial_state=0)
@ap.column_safe
def not_column_safe(state, x, coins):
    noisy = x + coins.laplace(1)
    return state, noisy if type(noisy) is float else 2 * noisy


@mechanism(answers=spaces.Reals(), queries=spaces.Reals(), initial_state=0)
@ap.column_safe
def columns_crash(state, x, coins):
    noisy = x + coins.laplace(1)
    return state, noisy if type(noisy) is float else {}[noisy]


@mechanism(initial_state=0, claims=pure(1))
def too_bold(state, bit, coins):
    return state, bit


@mechanism(answers=INTS, initial_state=0, claims=pure(Fraction(1, 100)))
def too_bold_and_infinite(state, bit, coins):
    return state, bit + coins.discrete_laplace(Fraction(1, 3))


@mechanism(
    answers=INTS, initial_state=0,
    claims=(ap.Claim(Approximate(1, 1), event_level(), Status.ASSUMED, "all do"),),
)  # fmt: skip
def promises_nothing(state, bit, coins):
    return state, bit + coins.discrete_laplace(Fraction(1, 3))


@mechanism(
    answers=INTS, initial_state=0,
    claims=(ap.Claim(ZeroConcentrated(Fraction(1, 10**6)), event_level(), Status.ASSUMED, "no"),),
)  # fmt: skip
def too_bold_in_rho(state, bit, coins):
    return state, bit + coins.discrete_gaussian(Fraction(1, 3))


class Evens(spaces.Space):
    """Says that it lists what it contains."""

    discrete = True
    finite = True

    def enumerate(self):
        return iter((0, 2))

    def contains(self, value):
        return value in (0, 2, 4)


class Raises(Evens):
    def contains(self, value):
        return value % 2 == 0 and type(value) is int and value in (0, 2)


@mechanism(queries=Evens(), initial_state=0)
def disagreeing(state, message, coins):
    return state, 0


@mechanism(queries=Raises(), initial_state=0)
def raising_space(state, message, coins):
    return state, 0


FAULTS = [
    (outside, "answers", "says 2 (int), outside"),
    (a_bool, "answers", "(bool), outside"),
    (in_place, "purity", "changes the state it is given, a list"),
    (lists, "states", "a list, cannot be hashed"),
    (by_identity, "states", "(Box) that do not compare as equal"),
    (pythons, "randomness", "Python's global generator"),
    (numpys, "randomness", "NumPy's global generator"),
    (fresh, "randomness", "the system's entropy"),
    (systems, "randomness", "the system's entropy"),
    (counts_calls, "replay", "answers differently when it is repeated"),
    (clock, "replay", "answers differently when it is repeated"),
    (crashes, "crashes", "raised IndexError: list index out of range on 1, of its own space"),
    (refuses_late, "crashes", "raised InvalidArgument: too late on "),
    (refuses_late, "crashes", "after it had drawn coins"),
    (not_column_safe, "columns", "answers differently from plain steps"),
    (columns_crash, "columns", "raise"),
    (too_bold, "claims", "tight 0.999999 over"),
    (too_bold_and_infinite, "claims", "an audit finds δ >="),
    (too_bold_in_rho, "claims", "an audit finds δ >="),
    (
        disagreeing,
        "alphabets",
        "contains says True of False, a bool, which enumerate",
    ),
    (raising_space, "alphabets", "contains raises TypeError"),
]


@pytest.mark.parametrize(("part", "kind", "what"), FAULTS, ids=lambda x: getattr(x, "__name__", ""))
@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(each, marks=pytest.mark.slow) for each in (2, 3))]
)
def test_a_planted_fault_is_found_with_its_line_and_cure(part, kind, what, seed):
    report = ap.check(part, seed=seed)
    found = [each for each in report.findings if each.check == kind]
    assert not report
    assert any(what in each.what for each in found), str(report)
    assert all(each.cure for each in found)
    file, _, line = found[0].where.rpartition(":")
    assert file == __file__
    lines, first = inspect.getsourcelines(part.function)
    spaced = kind == "alphabets"  # the space is to mend
    assert spaced or first <= int(line) < first + len(lines) or kind == "claims"
    assert f"{part.function.__name__}: " in str(report)
    assert found[0].where in str(report)


def test_nothing_global_stays_changed():
    before, numbers = random.getstate(), np.random.get_state()[1].tolist()
    entropy = os.urandom
    for part in (pythons, numpys, fresh, systems):
        ap.check(part, seed=1)
    assert random.getstate() == before
    assert np.random.get_state()[1].tolist() == numbers
    assert os.urandom is entropy


SOUND = [
    ap.mechanisms.RandomizedResponse(epsilon=ap.Log(3)),
    ap.mechanisms.Laplace(epsilon=1),
    ap.mechanisms.TreeCounter(horizon=8, epsilon=1),
    ap.ConComp([ap.mechanisms.LeakyBit(delta=0.1)] * 2),
]


@pytest.mark.parametrize("part", SOUND, ids=repr)
def test_a_sound_part_has_no_finding(part):
    given = [ap.Ask(0, 0), ap.Ask(1, 1)] if isinstance(part, ap.ConComp) else None
    report = ap.check(part, seed=1, messages=given)
    assert report, str(report)
    assert report.findings == ()
    assert "no findings" in str(report)
    assert "seed: 1" in str(report)


def test_the_report_is_data_and_repeats_with_its_seed():
    first = ap.check(outside)
    again = ap.check(outside, seed=first.seed)
    assert again == first
    data = first.to_dict()
    assert data["part"] == "outside"
    assert Finding(**data["findings"][0]) == first.findings[0]
    assert ap.check(outside, only=["purity"], seed=1).done == ("purity",)


def test_what_cannot_be_checked_is_refused_or_said():
    with pytest.raises(ap.InvalidArgument, match="takes a mechanism"):
        ap.check(3)
    with pytest.raises(ap.InvalidArgument, match="no check spelling"):
        ap.check(outside, only=["spelling"])
    with pytest.raises(ap.InvalidArgument, match=r"messages=\["):
        ap.check(ap.ExtConComp())
    with pytest.raises(ap.InvalidArgument, match="right="):
        ap.check(ap.protocol.IdentityPostProcessor())
    assert dict(ap.check(outside, seed=1).left_out)["claims"] == "it claims nothing"
    why = dict(ap.check(promises_nothing, only=["claims"], seed=1).left_out)["claims"]
    assert why == "every mechanism is (ε, 1)-DP"


# --- verification functions --------------------------------------------------------------------


@attrs.frozen
class Faulty(ap.Verification):
    """An f with one fault."""

    initial_state = 0

    def step(self, state, zero, one, /):
        return state if zero == one else Refused("they differ")


class SaysFalse(Faulty):
    def step(self, state, zero, one, /):
        return zero == one


class InPlace(Faulty):
    initial_state = []

    def step(self, state, zero, one, /):
        state.append(zero)
        return state


class Unhashable(Faulty):
    initial_state = ()

    def step(self, state, zero, one, /):
        return [zero]


class Tosses(Faulty):
    def step(self, state, zero, one, /):
        return random.randrange(3)


class Crashes(Faulty):
    def step(self, state, zero, one, /):
        return 1 // zero


class NotConsistent(Faulty):
    first_pair_consistent = True

    def step(self, state, zero, one, /):
        return 0


class Reopens(Faulty):
    def __call__(self, messages):
        return ap.TOP


@ap.column_safe
class NotColumnSafe(Faulty):
    def step(self, state, zero, one, /):
        return state if type(zero) is int and zero <= one else Refused("a fall")


@over(
    ("f", "kind", "what"),
    [
        (SaysFalse(), "states", "returned False, which is no state: it would let (0, 1) pass"),
        (InPlace(), "purity", "in place"),
        (Unhashable(), "states", "a list, cannot be hashed"),
        (Tosses(), "randomness", "Python's global generator"),
        (Crashes(), "crashes", "ZeroDivisionError: integer division or modulo by zero on (0, 0)"),
        (NotConsistent(), "consistency", "after an identical first one"),
        (Reopens(), "dead", "not what its steps say"),
        (NotColumnSafe(), "columns", "differently"),
    ],
)
def test_a_faulty_f_is_found(f, kind, what):
    report = ap.check(f, seed=1)
    found = [each for each in report.findings if each.check == kind]
    assert found, str(report)
    assert any(what in each.what for each in found)
    assert found[0].where.startswith(__file__)


@pytest.mark.parametrize("f", [event_level(), neighbouring_start(), every_pair(), Faulty()])
def test_a_sound_f_has_no_finding(f):
    assert ap.check(f, seed=1), str(ap.check(f, seed=1))


# --- post-processors ----------------------------------------------------------------------------

RR = ap.mechanisms.RandomizedResponse(epsilon=1)
ECHO = ap.mechanisms.LeakyBit(delta=Fraction(1, 2))
L, R = ap.Side.LEFT, ap.Side.RIGHT


class Link(ap.PostProcessor):
    """Forwards; its subclasses have one fault each."""

    initial_state = 0

    def step(self, state, side, message, coins):
        return state, R if side is L else L, message


class Draws(Link):
    deterministic = True

    def step(self, state, side, message, coins):
        coins.bernoulli(Fraction(1, 2))
        return super().step(state, side, message, coins)


class Changes(Link):
    forwards_queries = True

    def step(self, state, side, message, coins):
        return state, R if side is L else L, 1 - message if side is L else message


class Remembers(Link):
    forwards_queries = True

    def step(self, state, side, message, coins):
        return (message, R, message) if side is L else (state, L, state)


class Adds(Link):
    """Asks something of its own, and says that it does not."""

    forwards_queries = Forwarding(Status.PROVED, "it is so")

    def step(self, state, side, message, coins):
        if side is L:
            return 1, R, message
        return (0, R, 0) if state else (0, L, message)


class AddsOther(Adds):
    forwards_queries = Forwarding(Status.PROVED, "it is so", asks=(1,))


class AsksWhatItHeard(Adds):
    """Says truly what it asks, and asks it or not by what it was told."""

    forwards_queries = Forwarding(Status.PROVED, "it is so", asks=(0,))

    def step(self, state, side, message, coins):
        if side is L:
            return message, R, message
        return (0, R, 0) if state else (0, L, message)


class TellsLate(Link):
    """Remembers the query over what it asks, and tells it with the last answer."""

    forwards_queries = Forwarding(Status.PROVED, "it is so", asks=(0,))
    initial_state = (0, 0)

    def step(self, state, side, message, coins):
        if side is L:
            return (2, message), R, message
        left, told = state
        return ((left - 1, told), R, 0) if left else ((0, 0), L, told)


class AsksTwice(Link):
    """Keeps what it says."""

    deterministic = True
    forwards_queries = Forwarding(Status.PROVED, "it is so", asks=(0,))

    def step(self, state, side, message, coins):
        if side is L:
            return 2, R, message
        return (state - 1, R, 0) if state else (0, L, message)


class NoSide(Link):
    def step(self, state, side, message, coins):
        return state, "left", message


class WrongAnswer(Link):
    def step(self, state, side, message, coins):
        return (state, R, message) if side is L else (state, L, "no bit")


class WrongQuery(Link):
    def step(self, state, side, message, coins):
        return (state, R, message + 5) if side is L else (state, L, message)


class LinkInPlace(Link):
    initial_state = []

    def step(self, state, side, message, coins):
        state.append(1)
        return super().step(state, side, message, coins)


class LinkCrashes(Link):
    def step(self, state, side, message, coins):
        raise KeyError(side)


class Tells(Link):
    """Declares a lifting, and tells the left what came from the left."""

    deterministic = True
    lifting = Lifting(event_level(), ap.composition.sparse_parallel([(1, 0)]))

    def signature(self, right):
        return ap.Signature(BITS, BITS)

    def step(self, state, side, message, coins):
        return state, L, message


@over(
    ("link", "kind", "what"),
    [
        (Draws(), "declarations", "declared deterministic"),
        (Changes(), "declarations", "something else"),
        (Remembers(), "declarations", "remembers queries"),
        (Adds(), "declarations", "something else"),
        (AddsOther(), "declarations", "something else"),
        (AsksWhatItHeard(), "declarations", "remembers queries"),
        (TellsLate(), "declarations", "remembers queries"),
        (NoSide(), "answers", "no side"),
        (WrongAnswer(), "answers", "outside the answer space"),
        (WrongQuery(), "answers", "outside the query space on its right"),
        (LinkInPlace(), "purity", "in place"),
        (LinkCrashes(), "crashes", "KeyError: <Side.LEFT: 'L'> on 0 from the left"),
        (Tells(), "properties", "response property"),
        (Tells(), "properties", "the runs answer the left differently, after the pair (0, 1) from"),
    ],
)
def test_a_faulty_post_processor_is_found(link, kind, what):
    report = ap.check(link, right=None if type(link) is Tells else ECHO, seed=1)
    found = [each for each in report.findings if each.check == kind]
    assert any(what in each.what for each in found), str(report)
    assert found[0].where.startswith(__file__)


def test_a_sound_post_processor_has_no_finding():
    for link in (Link(), AsksTwice(), ap.protocol.IdentityPostProcessor()):
        assert ap.check(link, right=ECHO, seed=1), str(ap.check(link, right=ECHO, seed=1))


def test_a_claim_of_a_composed_mechanism_is_tested():
    half = ap.Claim(Approximate(Fraction(1, 10), 0), event_level(), Status.ASSUMED, "wrong")

    @attrs.frozen
    class Whole(ap.mechanisms.RandomizedResponse):
        @property
        def claims(self):
            return (half,)

    report = ap.check(Whole(epsilon=ap.Log(3)), seed=1)
    assert [each.check for each in report.findings] == ["claims"]


@attrs.frozen
class Zero(DominatingPair):
    """Two equal laws."""

    def delta_at(self, epsilon):
        return 0.0

    def divergence_at(self, order):
        return 0.0


@pytest.mark.parametrize(
    ("measure", "found"),
    [
        (GaussianDP(Fraction(13, 10)), "δ(0) claimed"),  # 1.349 is true
        (BoundedRange(ap.Log(8)), "range claimed ln 8, tight ln 9"),
        (Dominated(Zero()), "δ(0) claimed 0, tight 1/2"),
    ],
    ids=lambda x: type(x).__name__,
)
def test_a_false_claim_of_another_measure_is_found(measure, found):
    @attrs.frozen
    class Bold(ap.mechanisms.RandomizedResponse):
        measure: object = None

        @property
        def claims(self):
            return (ap.Claim(self.measure, event_level(), Status.ASSUMED, "wrong"),)

    (finding,) = ap.check(Bold(epsilon=ap.Log(3), measure=measure), seed=1).findings
    assert finding.check == "claims"
    assert found in finding.what
    assert ap.check(Bold(epsilon=ap.Log(3), measure=GaussianDP(Fraction(135, 100))), seed=1)


# --- where it is suggested ------------------------------------------------------------------------


def test_a_guarantee_and_an_audit_suggest_it_for_parts_that_are_not_the_librarys():
    assert "try ap.check" in ap.guarantee(too_bold).explain()
    assert "ap.check" not in ap.guarantee(RR).explain()
    script = ap.scripted([ap.Pair(0, 1)])
    for part, foreign in ((too_bold, True), (RR, False), (ap.ConComp([too_bold]), None)):
        f = RR.claims[0].verification
        report = ap.PrivacyGame(part, f).audit(script, epsilon=5, samples=1000, seed=1)
        if foreign is not None:
            assert ("ap.check" in report.hint) is foreign


def test_a_step_that_returns_no_tuple_is_a_finding():
    @mechanism()
    def forgot(state, bit, coins):
        return bit

    class Forgot(ap.PostProcessor):
        deterministic = True
        initial_state = 0

        def step(self, state, side, message, coins):
            return side, message

    (found,) = ap.check(forgot, only=["crashes"]).findings
    assert found.what == "a step returned an int, not (state, answer), on 0"
    right = ap.mechanisms.RandomizedResponse(epsilon=1)
    (found,) = ap.check(Forgot(), right=right, only=["crashes"]).findings
    assert found.what == "a step returned a tuple, not (state, side, message), on 0 from the left"


def test_what_alternates_is_found_whatever_the_number_of_steps():
    """After an even number of steps a second round of them began as the first had."""
    turn = itertools.count()

    @mechanism()
    def alternates(state, bit, coins):
        return state, next(turn) % 2

    for messages in ([0], [0, 1]):
        findings = ap.check(alternates, messages=messages, only=["replay"]).findings
        assert [each.check for each in findings] == ["replay"]


# --- how much was tried ---------------------------------------------------------------------------

COUNTER = ap.mechanisms.TreeCounter(horizon=8, epsilon=1)
DATA = ap.verifiers.updates_and_queries(event_level(), spaces.Finite((ap.mechanisms.COUNT,)))


@attrs.frozen
class Relay(ap.PostProcessor):
    """Creates a counter and passes on what it hears; its subclasses have one fault each."""

    deterministic = True
    initial_state = (False, None)
    lifting = Lifting(DATA, ap.composition.fixed_mechanisms([COUNTER]))

    def signature(self, right):
        return COUNTER.signature

    def step(self, state, side, message, coins):
        created, waiting = state
        if side is L and not created:
            return (True, message), R, ap.Create(COUNTER)
        if side is L or waiting is not None:
            return (True, None), R, ap.Ask(message if side is L else waiting, 0)
        return (True, None), L, self.told(message)

    def told(self, answer):
        return answer


class CrashesBelowZero(Relay):
    def told(self, answer):
        return [answer][answer] if type(answer) is int and answer < 0 else answer


class BreaksItsWord(Relay):
    def told(self, answer):
        if type(answer) is int and answer > 1:
            raise ap.PartError("no answer of mine")
        return answer


class TellsTheUpdate(Relay):
    """Once it has heard a count, it tells each update."""

    initial_state = (False, None, False)

    def step(self, state, side, message, coins):
        created, waiting, heard = state
        if side is L and heard and message in (0, 1):
            return state, L, message
        (created, waiting), to, out = super().step((created, waiting), side, message, coins)
        return (created, waiting, heard or (to is L and type(out) is int)), to, out


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_answers_that_cannot_be_listed_are_sampled(seed):
    """A counter answers any integer; of a finite space all runs are listed."""
    report = ap.check(Relay(), only=["properties"], seed=seed)
    assert report, str(report)
    assert dict(report.tried)["properties"].count > 10
    with pytest.raises(ap.Intractable):
        ap.composition.check_properties(
            Relay(), DATA, Relay.lifting.inner, queries=(0, 1, ap.mechanisms.COUNT), rounds=9
        )
    (found,) = ap.check(TellsTheUpdate(), only=["properties"], seed=seed).findings
    assert "lacks the response property" in found.what
    assert "after the pair (0, 1) from the left" in found.what or "(1, 0)" in found.what


@pytest.mark.parametrize(
    ("part", "what"),
    [
        (
            CrashesBelowZero(),
            "a step crashed: IndexError: list index out of range, on the answer -",
        ),
        (BreaksItsWord(), "no answer of mine, on the answer "),
    ],
)
def test_a_fault_is_shown_with_the_answer_that_was_explored(part, what):
    (found,) = ap.check(part, only=["properties"], seed=1).findings
    assert what in found.what
    assert "from the right" in found.what
    assert found.where.startswith(__file__)


class CrashesAtOnce(Link):
    deterministic = True

    def step(self, state, side, message, coins):
        return [][0]


def test_a_crash_in_a_search_for_all_runs_shows_its_pair():
    with pytest.raises(ap.PartError, match=r"IndexError: .*, on the pair \(0, 0\) from the"):
        ap.composition.check_properties(
            CrashesAtOnce(),
            event_level(), every_pair(), queries=(0, 1), rounds=3,
        )  # fmt: skip


NOTHING_TOLD = pure(1, ap.verifiers.updates_and_queries(event_level(), BITS))


@mechanism(initial_state=0, claims=NOTHING_TOLD)
def queries_only(state, bit, coins):
    return state, bit


def test_a_check_that_tried_nothing_is_vacuous():
    """Its f allows no pair that differs, so that every claim holds."""
    report = ap.check(queries_only, seed=1)
    assert report.vacuous == ("claims",)
    assert "claims" not in report.done
    assert "vacuous: claims (no differing pair was tried: pass messages=[…])" in str(report)
    assert {"check": "claims", "count": 0, "of": "differing pair"} in report.to_dict()["tried"]
    lifted = ap.check(Relay(), messages=[ap.mechanisms.COUNT], seed=1)
    assert "properties" in lifted.vacuous
    refused = ap.check(ap.mechanisms.TreeCounter(horizon=8, epsilon=1), messages=["count"], seed=1)
    assert {"crashes", "purity", "replay", "claims"} <= set(refused.vacuous)
    assert set(ap.check(event_level(), messages=[0], seed=1).vacuous) >= {"steps", "dead", "swaps"}


# --- reused noise ---------------------------------------------------------------------------------


def counter(reuses, scale, column_safe):
    def step(state, message, coins):
        count, noise = state
        if noise is None or (message == ap.mechanisms.COUNT and not reuses):
            noise = coins.discrete_laplace(scale)
        if message == ap.mechanisms.COUNT:
            return (count, noise), count + noise
        return (count + message, noise), ap.TOP

    return ap.mechanism(
        queries=COUNTER.signature.queries, answers=COUNTER.signature.answers,
        initial_state=(0, None), claims=pure(2, DATA),
    )(ap.column_safe(step) if column_safe else step)  # fmt: skip


@pytest.mark.every(4)
@pytest.mark.parametrize("scale", [20, 10**9])
@pytest.mark.parametrize("column_safe", [True, False])
def test_reused_noise_is_found(scale, column_safe):
    """n = 500 of each world, α = 1e-9 a script; the difference of two answers tells the update.

    The power is 1: all of the 500 differ. The same noise, drawn anew for each answer, passes at
    scale 20, though its ε is far less than 2.
    """
    (found,) = ap.check(counter(True, scale, column_safe), only=["claims"], seed=1).findings
    assert "is refuted: an audit fi" in found.what
    assert ap.check(counter(False, scale, column_safe), only=["claims"], seed=1)


def test_reused_noise_of_finite_coins_is_found_exactly():
    @mechanism(initial_state=(0, None), claims=pure(8, DATA), answers=INTS,
               queries=COUNTER.signature.queries)  # fmt: skip
    def reuses(state, message, coins):
        parity, noise = state
        noise = coins.uniform_integer(2) if noise is None else noise
        if message == ap.mechanisms.COUNT:
            return (parity, noise), parity ^ noise
        return (parity ^ message, noise), 0

    (found,) = ap.check(reuses, only=["claims"], seed=1).findings
    assert found.what.endswith("over 3 rounds: REFUTED, exactly")


class Rising:
    """A relation that is not what it says."""

    swap_symmetric = True

    def holds(self, zero, one):
        return zero < one


class OneWay(ap.Verification):
    initial_state = 0
    swap_symmetric = True

    def step(self, state, zero, one):
        return state + 1 if state < 1 or zero <= one else Refused("falls")


@pytest.mark.parametrize("f", [event_level(Rising()), OneWay()], ids=["relation", "f"])
def test_a_false_swap_symmetry_is_found(f):
    """The exact engine plays one world only, where f says so."""
    findings = ap.check(f, only=["swaps"]).findings
    assert [each.check for each in findings] == ["swaps"]
    assert ap.check(every_pair(monotone=True), only=["swaps"]).findings == ()


@pytest.mark.parametrize(
    ("space", "tried"),
    [
        (spaces.Integers(low=5), {5, 6, 7}),
        (spaces.Integers(high=5), {3, 4, 5}),
        (spaces.Integers(), {-2, -1, 0, 1, 2}),
        (spaces.Reals(-2.5, 3.5), {-2.5, 0.0, 1.0, -1.0, 3.5}),
        (spaces.Reals(2, 3), {2.0, 3.0}),
    ],
    ids=lambda value: str(sorted(value) if type(value) is set else value),  # the same everywhere
)
def test_messages_at_and_beside_the_ends_of_a_space_are_tried(space, tried):
    found = examples(space, np.random.default_rng(1))
    assert tried <= set(found)
    assert all(map(space.contains, found))


@pytest.mark.parametrize(("low", "high"), [(-10, 10), (-2, 1), (0, 2)])
def test_arrays_that_are_tried_have_all_small_numbers(low, high):
    space = spaces.Arrays((50,), "int64", low, high)
    found = np.concatenate(examples(space, np.random.default_rng(1)))
    assert set(found.tolist()) == set(range(max(low, -3), min(high, 3) + 1))


def test_no_claim_is_refuted_of_steps_that_do_not_repeat():
    @ap.mechanism(
        queries=BITS,
        answers=BITS,
        claims=[ap.Claim(Pure(2), event_level(), Status.ASSUMED, "so it is")],
    )
    def drawn_elsewhere(state, bit, coins):
        return state, bit ^ int(np.random.random() < 0.25)

    report = ap.check(drawn_elsewhere, seed=1)
    assert {found.check for found in report.findings} == {"randomness", "replay"}
    assert ("claims", "its steps do not repeat: mend them first") in report.left_out


@pytest.mark.parametrize(("rho", "refuted"), [(1e-4, True), (1.0, False)])
def test_a_renyi_claim_is_audited_at_the_delta_that_its_curve_implies(rho, refuted):
    claim = ap.Claim(Renyi(lambda order: order * rho), event_level(), Status.ASSUMED, "so it is")

    @ap.mechanism(queries=BITS, answers=ap.spaces.Integers(), claims=[claim])
    def noisy(state, bit, coins):
        return state, 4 * bit + coins.discrete_laplace(1 if rho < 1 else 8)

    report = ap.check(noisy, only=["claims"], seed=1)
    assert not report.left_out
    assert bool(report.findings) is refuted


def test_a_post_processor_of_the_spaces_on_its_right_is_told():
    @ap.exchange()
    def total(state, message):
        return state, (yield message)

    cure = "total takes what its right takes, unless you pass signature=…"
    for system in (total @ ap.ExtConComp(), ap.composition.ComplexMechanism(total)):
        with pytest.raises(ap.InvalidArgument, match=cure):
            system.start().send((1, 0))
    with pytest.raises(ap.InvalidArgument, match=f"messages lists an int outside .*; {cure}"):
        ap.check(total, right=ap.ExtConComp(), messages=[ap.Ask(1, 0), 1])
    own = ap.exchange(signature=lambda right: ap.Signature(BITS, BITS))(total.function)
    with pytest.raises(ap.InvalidArgument, match=r"Finite\(values=\(0, 1\)\)$"):
        (own @ ap.ExtConComp()).start().send(2)
