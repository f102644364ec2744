"""What k-sparse parallel composition charges for, where f' itself would let all pass."""

from fractions import Fraction
from typing import Any

import attrs
import pytest

import antiphon as ap
from antiphon import Claim, Verification
from antiphon.composition import fixed_parameters, sparse_parallel
from antiphon.mechanisms import LeakyBit, SparseVector
from antiphon.numbers import exact
from antiphon.protocol import Pure, Status

SPARSE = ap.same(ap.Create(SparseVector(epsilon=1)))


def asked(index, zero=0, one=1):
    return ap.Pair(ap.Ask(zero, index), ap.Ask(one, index))


def test_what_differed_is_charged_although_its_f_remembers_nothing():
    """``every_pair`` has one state, so only J tells that the purse was used."""
    one = sparse_parallel([(1, 0)])
    assert one([SPARSE, SPARSE, asked(0), asked(0), asked(1, 3, 3)]) is ap.TOP
    assert one([SPARSE, SPARSE, asked(0), asked(1)]) is ap.BOTTOM
    two = sparse_parallel([(1, 0), (1, 0)])
    assert two([SPARSE, SPARSE, SPARSE, asked(0), asked(1)]) is ap.TOP
    assert two([SPARSE, SPARSE, SPARSE, asked(0), asked(1), asked(2)]) is ap.BOTTOM


@attrs.frozen
class Boastful(Verification[int]):
    """Says that it is first-pair consistent, and lets everything pass."""

    @property
    def first_pair_consistent(self) -> bool:
        return True

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state: int, zero: Any, one: Any, /) -> int:
        return state


def boastful():
    @attrs.frozen
    class Told(LeakyBit):
        @property
        def claims(self):
            return (Claim(Pure(1), Boastful(), Status.ASSUMED, "it says so"),)

    return ap.same(ap.Create(Told(delta=Fraction(1, 2))))


@pytest.mark.parametrize("alike", [1, 2, 3])
def test_first_pair_consistency_is_seen_to(alike):
    f = sparse_parallel([(1, 0)], first_pair_consistent=True)
    made, same = boastful(), [asked(0, 1, 1)] * alike
    assert f([made, asked(0), *same, asked(0)]) is ap.TOP
    assert f([made, *same]) is ap.TOP
    assert f([made, *same, asked(0)]) is ap.BOTTOM
    assert sparse_parallel([(1, 0)])([made, *same, asked(0)]) is ap.TOP


def test_each_mechanism_has_a_first_pair_of_its_own():
    f = sparse_parallel([(1, 0)], first_pair_consistent=True)
    made = boastful()
    assert f([made, made, asked(0, 1, 1), asked(1)]) is ap.TOP
    assert f([made, made, asked(0, 1, 1), asked(1), asked(0)]) is ap.BOTTOM


def test_fixed_parameters_are_charged_at_creation():
    f = fixed_parameters([(1, 0)])
    assert f([SPARSE, asked(0)]) is ap.TOP
    assert f([SPARSE, SPARSE]) is ap.BOTTOM


def test_a_million_parameters_alike_are_read_once(monkeypatch):
    """Each was normalised anew: 11 s, as long as the learner with as many updates took."""
    read = []
    epsilon = exact.epsilon
    monkeypatch.setattr(exact, "epsilon", lambda value: read.append(value) or epsilon(value))
    each = (1, 0), (2, 0)
    f = fixed_parameters(each * 1000)
    assert len(read) <= 4
    assert f.parameters == ((Fraction(1), Fraction(0)), (Fraction(2), Fraction(0))) * 1000
