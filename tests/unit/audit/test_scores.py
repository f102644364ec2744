"""Scores of scikit-learn: learned there, scored here, and absent without the extra."""

import math
import sys

import attrs
import numpy as np
import pytest

import antiphon as ap
from antiphon.audit.statistical import NUMBER, Cell, Goal, Sample, Training, choose_event, choosing
from antiphon.audit.statistical.reader import reader_of
from antiphon.protocol.records.codec import decode, encode

N = 8_000
GOAL = Goal("epsilon", 0.0, 0.0, 0.1, 100_000)


@pytest.fixture
def training():
    """Views (x, u, y), or x alone: b shows in the sign of x·y, and u only disturbs."""
    generator = np.random.default_rng(3)

    def make(bit):
        x, u, y = generator.normal(size=(3, N))
        y = np.where(generator.random(N) < 0.8, np.abs(y) * np.sign(x) * (1 - 2 * bit), y)
        full = generator.random(N) < 0.9
        return Sample(
            {
                (NUMBER,) * 3: Cell(int(full.sum()), np.column_stack([x, 4 * u, y])[full]),
                (NUMBER, ap.BOTTOM): Cell(int((~full).sum()), x[~full, None]),
            }
        )

    return Training((make(0), make(1)), (make(0), make(1)))


def bound(choice, training):
    own, other = training.tune[choice.event.bit], training.tune[1 - choice.event.bit]
    return math.log(choice.event.hits(own) / choice.event.hits(other))


@pytest.mark.slow
def test_boosted_trees_see_what_no_sum_of_curves_does(training):
    pytest.importorskip("sklearn")
    trees = choose_event(training, GOAL, "boosted", seed=1)
    assert "boosted trees" in trees.event.words()
    assert bound(trees, training) > 1.5  # the truth is ln 9 = 2.2
    assert bound(choose_event(training, GOAL, "additive"), training) < 0.5


def test_a_regression_finds_a_direction():
    pytest.importorskip("sklearn")
    generator = np.random.default_rng(4)

    def make(bit):
        return Sample({(NUMBER,) * 3: Cell(N, generator.normal(size=(N, 3)) + 0.5 * bit)})

    training = Training((make(0), make(1)), (make(0), make(1)))
    choice = choose_event(training, GOAL, "logistic")
    assert "logistic regression" in choice.event.words()
    assert bound(choice, training) > 1


@pytest.mark.every(2)
@pytest.mark.parametrize("name", ["logistic", "boosted"])
def test_what_was_taken_out_scores_as_scikit_learn_does_and_saves(training, name):
    pytest.importorskip("sklearn")
    event = choose_event(training, GOAL, name, seed=1).event
    again = decode(encode(event))
    assert again.hits(training.tune[0]) == event.hits(training.tune[0]) > 0
    assert "sklearn" not in repr(encode(event))


def test_kinds_without_numbers_are_counted_whole(training):
    pytest.importorskip("sklearn")
    zero = Sample.of({(i % 2, i // 2): 100 + 50 * i for i in range(8)})
    one = Sample.of({(i % 2, i // 2): 500 - 50 * i for i in range(8)})
    for name in ("logistic", "boosted"):
        choice = choose_event(Training((zero, one), (zero, one)), GOAL, name, seed=1)
        assert choice.hits.own == choice.event.hits((zero, one)[choice.event.bit])
        assert choice.hits.own > 100


@pytest.mark.parametrize("name", ["logistic", "boosted"])
def test_without_the_extra_it_says_which(training, name, monkeypatch):
    for module in ("sklearn", "sklearn.linear_model", "sklearn.ensemble"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ap.MissingExtra, match=r"antiphon\[scores\]"):
        choose_event(training, GOAL, name)


@pytest.mark.slow
def test_trees_in_another_form_are_refused(training, monkeypatch):
    pytest.importorskip("sklearn")
    reader = reader_of(training.fit)
    made = choosing._tree
    monkeypatch.setattr(choosing, "_tree", lambda nodes: attrs.evolve(
        made(nodes), value=made(nodes).value + 0.1))  # fmt: skip
    with pytest.raises(ap.AntiphonError, match="scikit-learn"):
        choosing.boosted(reader, *training.fit, seed=1)
