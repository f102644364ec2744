"""OpenDP's domains and metrics on tuples."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import over

import antiphon as ap
from antiphon.interop import MetricWithin, Vectors
from antiphon.interop.datasets import METRICS

ROWS = st.lists(st.integers(0, 2), max_size=5).map(tuple)


def insertions(zero, one):
    """The insert-delete distance, by the longest common subsequence."""
    table = [[0] * (len(one) + 1) for _ in range(len(zero) + 1)]
    for (i, a), (j, b) in product(enumerate(zero), enumerate(one)):
        best = max(table[i][j + 1], table[i + 1][j])
        table[i + 1][j + 1] = table[i][j] + 1 if a == b else best
    return len(zero) + len(one) - 2 * table[-1][-1]


def symmetric(zero, one):
    left, right = Counter(zero), Counter(one)
    return sum(abs(left[x] - right[x]) for x in {*left, *right})


def alike(zero, one):
    return len(zero) == len(one)


def gaps(zero, one):
    return [abs(a - b) for a, b in zip(zero, one, strict=True)]


INFINITE = float("inf")
DISTANCES = {
    "SymmetricDistance": symmetric,
    "ChangeOneDistance": lambda z, o: symmetric(z, o) / 2 if alike(z, o) else INFINITE,
    "HammingDistance": lambda z, o: sum(map(bool, gaps(z, o))) if alike(z, o) else INFINITE,
    "L1Distance": lambda z, o: sum(gaps(z, o)) if alike(z, o) else INFINITE,
    "L2Distance": lambda z, o: sum(g * g for g in gaps(z, o)) ** 0.5 if alike(z, o) else INFINITE,
    "LInfDistance": lambda z, o: max(gaps(z, o), default=0) if alike(z, o) else INFINITE,
}


SHORT = [rows for size in range(4) for rows in product(range(3), repeat=size)]


@over("metric", DISTANCES)
@over("distance", range(4))
def test_it_is_the_metric(metric, distance):
    relation, truth = MetricWithin(metric, distance), DISTANCES[metric]
    for zero, one in product(SHORT, repeat=2):
        assert relation.holds(zero, one) is (truth(zero, one) <= distance)


@given(zero=ROWS, one=ROWS, distance=st.integers(0, 4))
def test_insertions_are_never_fewer_than_they_are(zero, one, distance):
    if MetricWithin("InsertDeleteDistance", distance).holds(zero, one):
        assert insertions(zero, one) <= distance


@given(rows=ROWS, place=st.integers(0, 5), row=st.integers(0, 2))
def test_one_insertion_is_one(rows, place, row):
    longer = (*rows[:place], row, *rows[place:])
    assert MetricWithin("InsertDeleteDistance", 1).holds(rows, longer)
    assert not MetricWithin("InsertDeleteDistance", 0).holds(rows, longer)


@over("metric", ["SymmetricDistance", "HammingDistance", "InsertDeleteDistance"])
@over(("zero", "one"), [(0.0, -0.0), (1, True), (1, 1.0), ((1,), (True,))])
def test_entries_are_the_same_only_if_they_are_the_same_message(metric, zero, one):
    assert not MetricWithin(metric, 0).holds((zero,), (one,))
    assert MetricWithin(metric, 0).holds((zero,), (zero,))


class Lies:
    """Equal to all, as it says itself."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


ODD = [[1], {1: 2}, {1}, bytearray(b"1"), Lies(), np.array([1]), (1, [2]), object(), math.nan]


@over("metric", METRICS)
@over("entry", ODD)
def test_entries_of_any_kind_have_a_verdict(metric, entry):
    """Once a TypeError of what cannot be hashed; and a liar was whatever it stood beside."""
    relation = MetricWithin(metric, 0)
    assert relation.holds((entry,), (entry,)) is not metric.startswith("L")
    for other in (0, "a", Lies(), [3]):
        assert relation.holds((entry,), (other,)) is False
        assert relation.holds((other,), (entry,)) is False


def test_equal_arrays_are_the_same_record():
    relation = MetricWithin("SymmetricDistance", 0)
    assert relation.holds((np.array([1, 2]), 3), (3, np.array([1, 2])))
    assert not relation.holds((np.array([1, 2]),), (np.array([1.0, 2.0]),))


@over("metric", METRICS, at_least=7)
def test_what_is_no_tuple_is_no_neighbour(metric):
    assert not MetricWithin(metric, 9).holds(1, 1)
    assert not MetricWithin(metric, 9).holds((1,), 1)


def test_texts_have_no_norm():
    assert not MetricWithin("L1Distance", 9).holds(("a",), ("a",))


def test_a_metric_has_a_name():
    with pytest.raises(ap.InvalidArgument, match="SymmetricDistance"):
        MetricWithin("Symmetric", 1)
    with pytest.raises(ap.InvalidArgument, match="SymmetricDistance"):
        MetricWithin(["SymmetricDistance"], 1)


def test_vectors():
    bits = Vectors(ap.spaces.Integers(0, 1))
    assert bits.contains(())
    assert bits.contains((0, 1) * 99)
    assert not any(map(bits.contains, [(0, 2), (-1, 0), (0, True), (0, 0.0), [0], None, 0]))
    assert bits.discrete
    assert not bits.finite
    two = Vectors(ap.spaces.BITS, 2)
    assert two.finite
    assert list(two.enumerate()) == list(product((0, 1), repeat=2))
    assert not two.contains((0,))
    with pytest.raises(ap.Intractable):
        bits.enumerate()
    reals = Vectors(ap.spaces.Reals(0.0, 1.0))
    nan = float("nan")
    assert reals.contains((0.5, 1.0))
    for wrong in [(0.5, nan), (nan, 0.5), (0.5, nan, 0.5), (float("inf"),), (1,)]:
        assert not reals.contains(wrong)
    assert not reals.discrete
