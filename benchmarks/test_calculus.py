"""Round trips through V[f] ∘* I ∘* ExtConComp, side by side in one run.

    make bench

Compare within a group: the column in parentheses is the ratio to the fastest.
"""

from __future__ import annotations

import random

import pytest
from peers import opendp
from systems import ASK, CREATE, bare_cursor, session

import antiphon as ap
from antiphon.mechanisms import COUNT, TreeCounter


@pytest.mark.benchmark(group="round trip, one noise draw")
class TestRoundTrip:
    def test_bare_cursor(self, benchmark):
        benchmark(bare_cursor(), ((1.0, 0), (1.0, 0)))

    def test_antiphon(self, benchmark):
        benchmark(session().send, ASK)

    def test_opendp_adaptive_composition(self, benchmark):
        dp = opendp()
        space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
        laplace = dp.m.make_laplace(*space, scale=1.0)
        composition = dp.c.make_adaptive_composition(
            *space, dp.max_divergence(), d_in=1.0, d_mids=[1.0] * 2000
        )
        benchmark.pedantic(composition(1.0), (laplace,), rounds=15, iterations=100)


@pytest.mark.benchmark(group="each further IPM: (101 - 1)/100 identities")
class TestIdentities:
    @pytest.mark.parametrize("identities", [1, 101])
    def test_identities(self, benchmark, identities):
        benchmark(session(identities=identities).send, ASK)


@pytest.mark.benchmark(group="1,000 steps among n created mechanisms")
class TestAmongMany:
    @pytest.mark.parametrize("created", [10, 1_000, 1_000_000])
    def test_among(self, benchmark, created):
        """A thousand questions to children chosen at random: thousandths are per question."""
        live, chosen = session(created=created), random.Random(1)
        asks = [ap.same(ap.Ask(1.0, chosen.randrange(created))) for _ in range(1000)]
        benchmark(lambda: [live.send(ask) for ask in asks])

    @pytest.mark.parametrize("created", [10, 1_000, 1_000_000])
    def test_stateful_child_among(self, benchmark, created):
        """The same to counters: the child's state changes, so the vector is written."""
        live, chosen = session(created=0), random.Random(1)
        create = ap.same(ap.Create(TreeCounter(horizon=2**30, epsilon=1)))
        for _ in range(created):
            live.send(create)
        asks = [ap.same(ap.Ask(1, chosen.randrange(created))) for _ in range(1000)]
        benchmark(lambda: [live.send(ask) for ask in asks])


@pytest.mark.benchmark(group="the n-th message: checking is incremental")
class TestVerifierNeverRereads:
    @pytest.mark.parametrize("earlier", [1_000, 1_000_000])
    def test_after(self, benchmark, earlier):
        live = session()
        for _ in range(earlier):
            live.send(ASK)
        benchmark(live.send, ASK)


@pytest.mark.benchmark(group="mechanisms, through a bare session")
class TestMechanisms:
    def test_counter_update(self, benchmark):
        benchmark(TreeCounter(horizon=2**40, epsilon=1).start().send, 1)

    def test_counter_query(self, benchmark):
        live = TreeCounter(horizon=2**20, epsilon=1).start()
        for _ in range(2**19 - 1):
            live.send(1)
        benchmark(live.send, COUNT)

    def test_creation(self, benchmark):
        benchmark(session().send, CREATE)
