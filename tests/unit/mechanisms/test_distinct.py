"""Counts of distinct items: what is counted, what it costs, and how far it errs."""

import math
import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import antiphon as ap
from antiphon.composition import NoGuarantee
from antiphon.mechanisms import (
    BufferedToeplitzCounter,
    CountAfter,
    Distinct,
    PresenceCounter,
    SquareRootCounter,
    TopKeys,
    TreeCounter,
)
from antiphon.mechanisms.counters import ExactSum
from antiphon.mechanisms.counters.factors.buffers import Buffers
from antiphon.mechanisms.counters.square_root import coefficients
from antiphon.mechanisms.distinct.alternating_cost import cost, falls
from antiphon.mechanisms.distinct.distinct import value_of, with_value
from antiphon.protocol import EMPTY, LEFT, RIGHT, TOP, Pair, Status, ZeroConcentrated
from antiphon.verifiers import AlternatingDifferences

ONCE = (("a",), ("b",), EMPTY)
BOTH_WAYS = (("a", True), ("a", False), ("b", True), EMPTY)
KINDS = [
    Distinct(), Distinct(unit="item"), Distinct(window=1), Distinct(window=2),
    Distinct(deletions=True), Distinct(deletions=True, flips=1),
    Distinct(deletions=True, flips=2, unit="item"),
]  # fmt: skip


def present(part, stream):
    """The numbers of items that are present, from their definition."""
    for time in range(len(stream)):
        if part.window is not None:
            last = stream[max(0, time + 1 - part.window) : time + 1]
            yield len({each for each in last if each is not EMPTY})
            continue
        state, flips = {}, {}
        for event in stream[: time + 1]:
            if event is EMPTY:
                continue
            item, there = event if part.deletions else (event[0], True)
            if state.get(item, False) is not there and flips.get(item, 0) != part.flips:
                state[item], flips[item] = there, flips.get(item, 0) + 1
        yield sum(state.values())


def changes(part, stream):
    state, found = part.initial_state, []
    for message in stream:
        state, to, change = part.step(state, LEFT, message, None)
        assert to is RIGHT
        found.append(change)
    return found


@pytest.mark.parametrize("part", KINDS)
def test_it_counts_what_is_present(part):
    dice = random.Random(7)
    items = "abc" if part.deletions else range(5)
    counter = ExactSum(horizon=40, smallest=-1)
    for _ in range(30):
        stream = [
            EMPTY if dice.random() < 0.2
            else (dice.choice(items), dice.random() < 0.6) if part.deletions
            else (dice.choice(items),)
            for _ in range(12)
        ]  # fmt: skip
        session, counts = (part @ counter).start(), []
        for message in stream:
            assert session.send(message) is TOP
            counts.append(session.send("count"))
        assert counts == list(present(part, stream))
        assert set(changes(part, stream)) <= {*part.changes}


def broken_pairs(part, inner, length):
    """Pairs of streams that are valid on the left, and whose changes are not on the right."""
    outer, messages = part.lifting.outer, BOTH_WAYS if part.deletions else ONCE
    told = {stream: changes(part, stream) for stream in product(messages, repeat=length)}
    for zero, one in product(told, repeat=2):
        if outer(list(map(Pair, zero, one))) is TOP:
            yield inner(list(map(Pair, told[zero], told[one]))) is not TOP


@pytest.mark.parametrize("length", [3, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("part", KINDS)
def test_neighbours_differ_in_turn(part, length):
    """The proof of ``Distinct``, on all short streams."""
    found = list(broken_pairs(part, part.lifting.inner, length))
    assert len(found) > 50
    assert not any(found)


@pytest.mark.parametrize("part", KINDS)
def test_fewer_differences_would_not_do(part):
    """Each bound is attained, so a smaller one is broken: the test above can fail."""
    inner = part.lifting.inner.updates
    smaller = AlternatingDifferences(max(1, inner.changes - 1), crossing=inner.crossing)
    if inner.changes == 1:
        part, smaller = Distinct(), inner
    assert any(broken_pairs(part, smaller, 4))
    if inner.within:
        shorter = AlternatingDifferences(2, within=1)
        assert any(broken_pairs(part, shorter, 4)) is (inner.within > 1)


RHO = Fraction(1, 2)
COSTS = [
    (Distinct(), {}, 2), (Distinct(unit="item"), {}, 1),
    (Distinct(window=7), {"smallest": -1, "sensitivity": 1}, 2),
    (Distinct(deletions=True), {"smallest": -1, "sensitivity": 1}, 2),
    (Distinct(deletions=True, flips=3), {"smallest": -1, "sensitivity": 1}, 12),
    (Distinct(deletions=True, flips=3, unit="item"), {"smallest": -1, "sensitivity": 1}, 3),
]  # fmt: skip


@pytest.mark.parametrize("kind", [SquareRootCounter, BufferedToeplitzCounter])
@pytest.mark.parametrize(("part", "more", "times"), COSTS)
def test_the_claim_is_derived(kind, part, more, times):
    found = ap.guarantee(part @ kind(horizon=64, rho=RHO, **more))
    assert found.status is Status.PROVED
    assert found.derivation.measures == (ZeroConcentrated(times * RHO),)
    assert found.verification == part.lifting.outer


def test_two_events_cost_more_than_an_alternation():
    """2g where a counter for any two events is charged 3.68g: so it has ρ·2/3.68 left."""
    counter = BufferedToeplitzCounter(horizon=10**4, rho=RHO, events=2)
    [measure] = ap.guarantee(Distinct() @ counter).derivation.measures
    assert measure.rho == pytest.approx(RHO * 2 / 3.68, rel=2e-3)


def test_it_is_never_below_what_it_costs():
    """Differences smaller than those of the claim: their rounding is paid in full."""
    for distance, events in ((1, 3), (2, 1), (5, 2)):
        counter = SquareRootCounter(
            horizon=32, rho=RHO, largest=5, sensitivity=distance, events=events, resolution=2**10
        )
        for most in (1, 2, 6):
            root = coefficients(32)
            largest = math.sqrt(most * float(root @ root)) * counter.divisor(0) * counter.unit
            rounding = (1 + 2 * counter._feedback_error()) * math.sqrt(32)
            true = ((largest + rounding) / 2**10) ** 2 / 2
            assert float(cost(counter, AlternatingDifferences(most))) >= min(true, 1e9) - 1e-9


@pytest.mark.parametrize("kind", [SquareRootCounter, BufferedToeplitzCounter])
def test_columns_of_counters_fall(kind):
    assert falls(kind(horizon=2**12, rho=1))


def squared(factor, v):
    moved = np.convolve(factor, v)[: len(factor)]
    return moved @ moved / (factor @ factor)


def test_alternating_differences_cost_one_unit_each():
    rng = np.random.default_rng(3)
    root = coefficients(64)
    for _ in range(200):
        at = np.sort(rng.choice(40, rng.integers(1, 9), replace=False))
        v = np.zeros(40)
        v[at] = (-1.0) ** np.arange(len(at))
        assert squared(root, v) <= len(at) * (1 + 1e-12)
        assert squared(root, v - np.roll(v, 1) * (v[-1] == 0)) <= 4 * len(at)


def test_where_columns_do_not_fall_they_cost_more():
    """docs: e_0 - e_10 at W = 10 has 2.31, not 2; so such a counter has no such rule."""
    factor = times([spaced(-0.5, 1, 400), spaced(0.5, 10, 400)], 400)
    assert np.any(np.diff(factor) > 0)
    v = np.zeros(11)
    v[0], v[10] = 1, -1
    assert squared(factor, v) == pytest.approx(2.31, abs=0.005)


def times(factors, length):
    """The product of power series."""
    spectrum = np.prod([np.fft.rfft(each[:length], 2 * length) for each in factors], axis=0)
    return np.fft.irfft(spectrum)[:length]


def spaced(power, step, length):
    """The coefficients of (1 - x^step)^power."""
    found, at = np.zeros(length), np.arange(1.0, -(-length // step))
    found[::step] = np.cumprod([1.0, *(1 - (power + 1) / at)])
    return found


def test_a_window_s_own_noise_would_lose_more_with_every_window():
    """§10: noise that is made for window sums, on the number of items itself, which one event
    changes for 182 of W = 365 steps: its cost grows with time, and so it is not offered."""
    window, found = 365, []
    for windows in (10, 100):
        length = windows * window
        factor = times([spaced(-0.5, 1, length), spaced(0.5, window, length)], length)
        inverse = [spaced(0.5, 1, length), spaced(-0.5, window, length)]
        moved = times([*inverse, np.ones(182)], length)
        found.append(moved @ moved / (factor @ factor))
    assert found == pytest.approx([2.34, 3.27], abs=0.006)
    poles, zeros = (0.00873044, 0.184859), (0.044318, 0.601646)
    made, length = Buffers(poles, zeros), 10 * window
    factor = np.ones(length)
    factor[1:] = ((1 - np.array(poles)) ** np.arange(length - 1)[:, None]) @ made.weights
    difference = np.zeros(183)
    difference[0], difference[182] = 1, -1
    moved = times([factor, difference, spaced(-1.0, window, length)], length)
    assert moved @ moved / (factor @ factor) == pytest.approx(17, abs=0.6)


def test_any_other_counter_pays_for_events():
    tree = TreeCounter(horizon=8, epsilon=Fraction(1, 2))
    assert ap.guarantee(Distinct() @ tree).epsilon_at(0) == pytest.approx(1, rel=1e-5)
    both = TreeCounter(horizon=8, epsilon=Fraction(1, 2), smallest=-1, sensitivity=1)
    capped = Distinct(deletions=True, flips=2) @ both
    assert ap.guarantee(capped).epsilon_at(0) == pytest.approx(2, rel=1e-5)


# --- presence counters ------------------------------------------------------------------------


def test_the_presence_counter_is_for_intervals_of_its_window():
    counter = PresenceCounter(horizon=1000, window=30, rho=RHO)
    found = ap.guarantee(Distinct(window=30) @ counter)
    assert found.derivation.measures == (ZeroConcentrated(RHO),)
    shorter = ap.guarantee(Distinct(window=7) @ counter)
    assert shorter.derivation.measures == (ZeroConcentrated(RHO),)
    for part in (Distinct(window=31), Distinct(deletions=True)):
        with pytest.raises(NoGuarantee, match="end after 30 updates"):
            ap.guarantee(part @ counter)


def test_two_intervals_cost_four_times_as_much():
    counter = PresenceCounter(horizon=100, window=9, rho=RHO)
    f = attrs_evolve(counter.verification, AlternatingDifferences(4, crossing=True, within=9))
    assert ap.guarantee(counter, f).derivation.measures == (ZeroConcentrated(4 * RHO),)


def attrs_evolve(f, updates):
    return type(f)(updates, f.queries)


@pytest.mark.parametrize("window", [2, 7, 365])
def test_its_sensitivity_is_the_largest_of_all_intervals(window):
    """S(W), in closed form, against all ℓ <= W, in sums; S grows, and ever more slowly."""
    counter = PresenceCounter(horizon=10**6, window=window, rho=RHO)
    length = 30 * window
    zeros = 1 - np.array(counter.noise_buffers.zeros)
    factor = np.ones(length)
    factor[1:] = -(zeros ** np.arange(length - 1)[:, None]) @ counter.noise_buffers.inverse_weights
    sums = np.cumsum(factor)
    kept = sum(part * theta ** np.arange(length) for part, theta in
               zip(counter.parts, counter.thetas, strict=True))  # fmt: skip
    assert sums == pytest.approx(kept, abs=1e-9)
    found = []
    for each in range(1, window + 1):
        moved = sums.copy()
        moved[each:] -= sums[: length - each]
        found.append(moved @ moved)
    assert np.all(np.diff(found) > 0)
    assert np.all(np.diff(found, 2) < 0)
    assert max(found) <= counter.squared_sensitivity <= max(found) * (1 + 1e-6)


@pytest.mark.parametrize(("window", "most"), [(365, 3.69), (1000, 4.14), (30, 2.56)])
def test_its_noise_does_not_grow(window, most):
    year, century = (
        PresenceCounter(horizon=100 * window, window=window, rho=RHO).squared_error(time)
        for time in (window, 100 * window)
    )
    assert year < century <= most**2
    assert century < year * 1.01


def test_its_measured_error_is_what_it_says():
    """n = 300 sums at time 60: the variance is within 45 % (5.5 standard errors, so wrong with
    probability 1e-7); half the noise is told apart."""
    stream = [1, 0, -1] * 20
    sizes = []
    for rho in (RHO, 4 * RHO):
        counter = PresenceCounter(horizon=60, window=10, rho=rho)
        coins = ap.protocol.SampledCoins(11)
        ends = [counter.counts(stream, coins=coins)[-1] for _ in range(300)]
        sizes.append(np.mean(np.square(ends)))
        assert counter.error_bound(60, beta=1e-6) > max(map(abs, ends))
    expected = PresenceCounter(horizon=60, window=10, rho=RHO).squared_error(60)
    assert sizes[0] == pytest.approx(expected, rel=0.45)
    assert sizes[1] < 0.5 * expected


@pytest.mark.parametrize("window", [0, 1, 2.5])
def test_a_window_is_an_int_of_two_or_more(window):
    with pytest.raises(ap.InvalidArgument, match="window"):
        PresenceCounter(horizon=10, window=window, rho=1)


# --- what goes not together -------------------------------------------------------------------

WRONG = [
    ({"window": 3, "deletions": True}, "leave deletions out"),
    ({"flips": 3}, "goes with deletions=True"),
    ({"window": 3, "unit": "item"}, "use unit='event'"),
    ({"deletions": True, "unit": "item"}, "use unit='event'"),
    ({"window": 0}, "window"),
    ({"unit": "user"}, "unit"),
]


@pytest.mark.parametrize(("given", "text"), WRONG)
def test_parameters_that_go_not_together(given, text):
    with pytest.raises((ap.InvalidArgument, ValueError), match=text):
        Distinct(**given)


def test_a_counter_that_does_not_take_its_changes_is_refused():
    with pytest.raises(ap.CompositionError, match="smallest=-1, largest=1"):
        Distinct(window=3) @ TreeCounter(horizon=8, epsilon=1)
    with pytest.raises(ap.CompositionError, match="smallest=0, largest=1"):
        Distinct() @ BufferedToeplitzCounter(horizon=8, rho=1, dimension=2)


def test_what_answers_updates_by_counts_belongs_on_its_left():
    counter = BufferedToeplitzCounter(horizon=8, rho=10**9)
    with pytest.raises(ap.CompositionError, match="belongs on its left"):
        Distinct() @ CountAfter() @ counter
    session = (CountAfter() @ Distinct() @ counter).start(seed=1)
    assert [round(session.send((name,))) for name in "aba"] == [1, 2, 2]
    found = ap.guarantee(CountAfter() @ Distinct() @ counter)
    assert found.derivation.measures == (ZeroConcentrated(2 * 10**9),)


def test_events_outside_its_space_are_refused_and_change_nothing():
    session = (Distinct() @ ExactSum(horizon=4)).start()
    for wrong in ("a", ("a", True), (1.0,), (None,), ("a" * 65,), 1):
        with pytest.raises(ap.InvalidArgument):
            session.send(wrong)
    for wrong in ("ada", ("ada", "FR"), 1):
        with pytest.raises(ap.InvalidArgument, match=r"a tuple of one entry is written \(x,\)"):
            session.send(wrong)
    assert session.send(("count",)) is TOP
    assert session.send("count") == 1


def test_the_table_of_items_is_a_dictionary():
    dice, known, table = random.Random(5), {}, ()
    for _ in range(4000):
        item, value = dice.choice([dice.randrange(900), str(dice.randrange(900))]), dice.random()
        if dice.random() < 0.3:
            known.pop(item, None)
            table = with_value(table, item, None)
        else:
            known[item] = value
            old, table = table, with_value(table, item, value)
            assert value_of(old, item) != value
    for item in (*range(900), *map(str, range(900))):
        assert value_of(table, item) == known.get(item)


# --- the largest keys -------------------------------------------------------------------------

KEYS = ("a", "b", "c")


def test_top_keys_are_those_of_the_counts():
    counter = BufferedToeplitzCounter(horizon=64, rho=1, dimension=3, largest=9)
    both = [(TopKeys(keys=KEYS, top=2) @ counter).start(seed=4), counter.start(seed=4)]
    for x in ([1, 0, 4], [0, 7, 1], [9, 0, 0]):
        assert [session.send(np.array(x)) for session in both] == [TOP, TOP]
    named, counts = (session.send("count") for session in both)
    ranked = sorted(zip(KEYS, counts.tolist(), strict=True), key=lambda each: -each[1])
    assert named == tuple(ranked[:2])
    assert TopKeys(keys=KEYS, top=3).named(np.array([1, 1, 2])) == (("c", 2), ("a", 1), ("b", 1))


def test_naming_the_largest_costs_nothing():
    counter = BufferedToeplitzCounter(horizon=64, rho=RHO, dimension=3)
    found = ap.guarantee(TopKeys(keys=KEYS) @ counter)
    assert found.status is Status.PROVED
    assert found.derivation.measures == (ZeroConcentrated(RHO),)


def test_the_named_key_is_nearly_the_largest():
    """Its bound held at β = 0.05 in 200 runs of 200, where a fiftieth did not."""
    counter = BufferedToeplitzCounter(horizon=32, rho=RHO, dimension=20, sensitivity=2)
    part = TopKeys(keys=tuple(map(str, range(20))))
    stream = np.eye(20, dtype=np.int64)[[t % 20 for t in range(32)]]
    true, lost = stream.sum(axis=0), []
    coins = ap.protocol.SampledCoins(6)
    for _ in range(200):
        [(key, _)] = part.named(counter.counts(stream, coins=coins)[-1])
        lost.append(true.max() - true[int(key)])
    bound = part.error_bound(counter, 32, beta=0.05)
    assert max(lost) <= bound
    assert sum(each > bound / 50 for each in lost) > 20


@pytest.mark.parametrize("wrong", [{"keys": ()}, {"keys": ("a", "a")}, {"keys": KEYS, "top": 4}])
def test_keys_are_listed_once(wrong):
    with pytest.raises(ap.InvalidArgument):
        TopKeys(**wrong)


def test_top_keys_need_a_coordinate_for_each():
    with pytest.raises(ap.CompositionError, match="dimension=3"):
        TopKeys(keys=KEYS) @ TreeCounter(horizon=8, epsilon=1)
