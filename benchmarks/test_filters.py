"""Filters and odometers at the n-th child, side by side in one run; guarantees.

    make bench ARGS="-k filters"

A charge must stay flat in n (target: at most 5 µs at the 100,000th).
"""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from peers import opendp

import antiphon as ap
from antiphon.composition import (
    BasicFilter,
    ConcentratedFilter,
    NaturalFilter,
    Odometer,
    ResidueFilter,
    RogersFilter,
    WhitehouseFilter,
    sparse_parallel,
)
from antiphon.composition.filters.residue import residue
from antiphon.mechanisms import RandomizedResponse, TreeCounter
from antiphon.protocol import Approximate

LARGE = 10**6
BUDGETS = [
    BasicFilter(epsilon=LARGE, delta=1), ConcentratedFilter(rho=LARGE, delta=1),
    WhitehouseFilter(epsilon=LARGE, delta=0.5), RogersFilter(epsilon=LARGE, delta=0.3),
    Odometer(delta=0.5), ResidueFilter(mu=LARGE, delta=1),
    NaturalFilter(epsilon=LARGE, delta=0.5, claim=Approximate(1, Fraction(1, 10**9))),
]  # fmt: skip
EVERY = pytest.mark.parametrize("budget", BUDGETS, ids=lambda b: type(b).__name__)
NUMBERS = [100, 10_000, 100_000]


def charges(number):
    """(ε, δ) claims with six decimals, drawn at random."""
    draw = random.Random(1).randint
    return [Approximate(Fraction(draw(1, 10**6), 10**6), Fraction(1, 10**9)) for _ in range(number)]


def spent(budget, number):
    state = budget.initial_state
    for measure in charges(number):
        state = budget.charge(state, measure)
    return state


@pytest.mark.benchmark(group="filters: one charge after n others")
class TestCharge:
    @EVERY
    @pytest.mark.parametrize("number", NUMBERS)
    def test_antiphon(self, benchmark, budget, number):
        state, measure = spent(budget, number), Approximate(Fraction(1, 7), Fraction(1, 10**9))
        benchmark(budget.charge, state, measure)

    @pytest.mark.parametrize("seen", [True, False])
    def test_a_residue(self, benchmark, seen):
        """Of an ε in a state where it was charged before, and where it was not."""
        budget, measure = ResidueFilter(mu=1), Approximate(Fraction(1, 10), 0)
        if seen:
            benchmark(budget.charge, budget.initial_state, measure)
        else:
            benchmark(residue.__wrapped__, measure.epsilon, Fraction(1), budget.cost(measure)[0])

    def test_a_refusal(self, benchmark):
        budget = BasicFilter(epsilon=0)
        benchmark(budget.charge, budget.initial_state, Approximate(1, 0))

    @pytest.mark.parametrize("number", [100, 1_000, 4_000])
    def test_opendp(self, benchmark, number):
        """Fully adaptive composition behind a filter; a query is a count with Laplace noise."""
        dp = opendp("honest-but-curious")
        space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
        odometer = dp.c.make_fully_adaptive_composition(
            input_domain=space[0], input_metric=space[1], output_measure=dp.max_divergence()
        )
        count = space >> dp.t.then_count() >> dp.m.then_laplace(scale=1.0)
        query = dp.c.make_privacy_filter(odometer, d_in=1, d_out=1e9)([1, 2, 3])
        for _ in range(number):
            query(count)
        benchmark.pedantic(query, (count,), rounds=5)


@pytest.mark.benchmark(group="filters: creations behind ExtConComp, each of n (thousandths)")
class TestCreations:
    @pytest.mark.parametrize("budget", [None, *BUDGETS], ids=lambda b: type(b).__name__)
    def test_after_a_hundred_thousand(self, benchmark, budget):
        live = ap.ExtConComp(budget=budget).start()
        create = ap.Create(RandomizedResponse(epsilon=0.01, delta=1e-9))
        for _ in range(100_000):
            live.send(create)

        def thousand():
            for _ in range(1_000):
                live.send(create)

        benchmark.pedantic(thousand, rounds=5)


@pytest.mark.benchmark(group="odometer: one reading")
@pytest.mark.parametrize("number", NUMBERS)
def test_reading(benchmark, number):
    odometer = Odometer(delta=0.5)
    benchmark(odometer.reading, spent(odometer, number))


@pytest.mark.benchmark(group="guarantees")
class TestGuarantees:
    def test_derive(self, benchmark):
        counter = TreeCounter(horizon=1024, epsilon=0.1)
        f = sparse_parallel([(0.1, 0)] * 1_000)
        benchmark(ap.guarantee, ap.ExtConComp(), f, catalogue=[counter])

    def test_epsilon_of_a_thousand(self, benchmark):
        promise = ap.guarantee(ap.ExtConComp(), sparse_parallel([(0.1, 0)] * 1_000))
        benchmark(promise.epsilon_at, 1e-6)
