"""What stands behind a preprocessing, and what stands before it: claims by distance, and tables."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

import attrs

import antiphon as ap
from antiphon import Log, spaces
from antiphon.audit.exact.question import Question
from antiphon.numbers.errors import InvalidArgument
from antiphon.preprocessing import Preprocessing
from antiphon.protocol import Approximate, GaussianDP, Pure, Renyi, ZeroConcentrated
from antiphon.protocol.measures import converted
from antiphon.selfcheck.theorems.finite import FiniteResponse
from antiphon.verifiers import OneEntry, Within, neighbouring_start

from .users import stated

Weights = tuple[tuple[int, ...], ...]
IMPLIED: dict[str, Any] = {"zcdp": ZeroConcentrated, "gdp": GaussianDP, "rdp": Renyi}


@lru_cache(maxsize=4096)
def true_claim(weights: Weights, measure: Any, distance: Fraction) -> Any:
    """What neighbours so far apart cost exactly: (tight ε, 0), (ln q, tight δ), or implied."""
    f = neighbouring_start(Within(distance))
    asked = Question(FiniteResponse(weights), f, report=None)
    if isinstance(measure, tuple):
        at = Log(Fraction(*measure))
        delta = asked.solve(at, 1).delta
        if measure == (1, 1) and not delta:
            raise InvalidArgument("it tells nothing")
        return stated(Approximate(at, delta), f)
    tight = asked.tight_epsilon(0, 1)
    if isinstance(tight, float):
        raise InvalidArgument("no ε")
    found = Pure(tight) if measure is None else converted(Pure(tight), IMPLIED[measure])
    if found is None:
        raise InvalidArgument(f"no {measure}")
    return stated(found, f)


@attrs.frozen
class Stepped(ap.NoninteractiveMechanism):
    """A number ↦ an answer by its row of weights; with claims at a few distances."""

    weights: Weights
    measure: Any
    distances: tuple[Fraction, ...]

    @property
    def signature(self) -> Any:
        queries = spaces.Integers(0, len(self.weights) - 1)
        return ap.Signature(queries, spaces.Integers(0, len(self.weights[0]) - 1))

    @property
    def claims(self) -> Any:
        return tuple(true_claim(self.weights, self.measure, each) for each in self.distances)

    def respond(self, dataset: int, coins: Any) -> Any:
        return coins.categorical(self.weights[dataset])


@attrs.frozen
class SteppedAnywhere(ap.NoninteractiveMechanism):
    """The same, with a claim at every distance."""

    weights: Weights
    measure: Any
    distances: tuple[Fraction, ...]

    @property
    def signature(self) -> Any:
        return Stepped(self.weights, self.measure, self.distances).signature

    @property
    def claims(self) -> Any:
        return tuple(true_claim(self.weights, self.measure, each) for each in self.distances)

    def claims_at(self, distance: Any) -> Any:
        return (true_claim(self.weights, self.measure, Fraction(distance)),)

    def respond(self, dataset: int, coins: Any) -> Any:
        return coins.categorical(self.weights[dataset])


def _neighbours(size: int, values: int) -> Any:
    for zero in product(range(values), repeat=size):
        for place, value in product(range(size), range(values)):
            yield zero, (*zero[:place], value, *zero[place + 1 :])


@attrs.frozen
class Mapped(Preprocessing):
    """Each record is read in one of several tables, by a statistic of them all; then their sum.

    All that it declares is computed from its tables, and may be more by ``slack``.
    """

    size: int
    tables: Weights
    statistic: str
    slack: Fraction
    says_all: bool
    """Whether it says how far images are apart in all."""

    def table(self, dataset: Any) -> tuple[int, ...]:
        told = {"sum": sum, "max": max, "first": lambda given: given[0]}[self.statistic](dataset)
        return self.tables[told % len(self.tables)]

    def __call__(self, dataset: Any) -> int:
        table = self.table(dataset)
        return sum(table[each] for each in dataset)

    @property
    def datasets(self) -> Any:
        return spaces.Tuples((spaces.Integers(0, len(self.tables[0]) - 1),) * self.size)

    @property
    def neighbours(self) -> Any:
        return OneEntry()

    @property
    def images(self) -> Any:
        images = [each for table in self.tables for each in table]
        return Within(Fraction(max(images) - min(images)))

    @property
    def range(self) -> Any:
        return spaces.Integers(0, self.size * max(map(max, self.tables)))

    @property
    def moved(self) -> int:
        return max(
            sum(self.table(zero)[r] != self.table(one)[r] for r in one)
            for zero, one in _neighbours(self.size, len(self.tables[0]))
        )

    @property
    def distance(self) -> Fraction:
        pairs = _neighbours(self.size, len(self.tables[0]))
        moves = (abs(sum(self.table(z)[r] for r in o) - self(o)) for z, o in pairs)
        return max(moves) + self.slack

    @property
    def apart(self) -> Fraction | None:
        if not self.says_all:
            return None
        pairs = _neighbours(self.size, len(self.tables[0]))
        return Fraction(max(abs(self(zero) - self(one)) for zero, one in pairs)) + self.slack

    @property
    def premises(self) -> Any:
        return ()
