"""Seconds to the first refutation; a climb as rounds, answers and mechanisms grow."""

import runpy
from fractions import Fraction
from pathlib import Path

import pytest

from antiphon import Log
from antiphon.conjectures import SparsePattern
from antiphon.protocol.coins.sampled import generator

EXAMPLES = Path(__file__).parents[1] / "examples/conjectures"


@pytest.mark.benchmark(group="conjectures: to the first refutation")
@pytest.mark.parametrize(
    "name",
    ["first_pairs", "prefixes", "sparse_renyi", "one_sided", "natural_filter", "fixed_claims",
     "post_processors:VALIDITY", "few_mistakes"],
)  # fmt: skip
def test_refuted(benchmark, name):
    file, _, which = name.partition(":")
    claim = runpy.run_path(str(EXAMPLES / f"{file}.py"))[which or "CLAIM"]
    found = benchmark.pedantic(claim.search, kwargs={"seed": 1, "seconds": 120}, rounds=1)
    assert found.refuted


@pytest.mark.benchmark(group="conjectures: one climb (n, k, T, A)")
@pytest.mark.parametrize(
    "size", [(2, 1, 2, 2), (2, 2, 2, 2), (3, 2, 2, 2), (2, 1, 2, 4), (2, 1, 3, 2), (4, 2, 2, 2)],
    ids=str,
)  # fmt: skip
def test_climb(benchmark, size):
    creations, sparse, rounds, answers = size
    pattern = SparsePattern(
        epsilon=Log(2), delta=Fraction(1, 4), creations=creations, sparse=sparse
    )
    climber = pattern.climber((rounds, answers), Fraction(0))
    benchmark.pedantic(climber.climb, args=(0, generator(1)), rounds=5)
