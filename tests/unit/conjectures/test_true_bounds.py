"""Bounds that are theorems: no search may refute them, for some starts here, for minutes if asked.

``make conjectures MINUTES=10`` searches for so long against each.
"""

import os
import runpy
from fractions import Fraction
from pathlib import Path

import pytest
from trying import sized

import antiphon as ap
from antiphon.conjectures import ONE_SIDED, ListedPairs, SparsePattern, SparseRenyi, conjecture

EXAMPLES = Path(ap.__file__).parent.parent / "examples/conjectures"
MINUTES = float(os.environ.get("MINUTES", "2"))
LOG2, QUARTER, MOMENT = ap.Log(2), Fraction(1, 4), Fraction(89, 80)
AT_FIRST = {"inner": ListedPairs(ONE_SIDED, at_first=True), "first_pair_consistent": True}


def example(name, what):
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))[what]


def responses(epsilon, delta, count):
    """Tight δ(0) of Comp[RR_{ε,δ}, …], by the library."""
    return ap.composition.accounting.optimal([(epsilon, delta)] * count).delta_at(0)


TRUE = {
    "4.12": (SparsePattern(epsilon=LOG2, delta=QUARTER, creations=2, sparse=2),
             lambda _: responses(LOG2, QUARTER, 2)),
    "5.2": (SparsePattern(epsilon=LOG2, delta=0, creations=3, sparse=1),
            lambda _: responses(LOG2, 0, 1)),
    "5.5": (SparsePattern(epsilon=LOG2, delta=QUARTER, creations=3, sparse=1, **AT_FIRST),
            lambda _: responses(LOG2, QUARTER, 1)),
    "S": (example("one_sided", "SYMMETRIC"), Fraction(23, 32)),
    "G": (example("one_sided", "ONE_SIDED"), Fraction(25, 32)),
    "Renyi": (example("sparse_renyi", "PATTERN"), 1 + 2 * (MOMENT - 1)),
    "Renyi-two-of-three": (SparseRenyi(order=2, moment=MOMENT, creations=3, sparse=2),
                           1 + 3 * (MOMENT - 1) + 3 * (MOMENT - 1) ** 2),
    "Renyi-order-3": (SparseRenyi(order=3, moment=MOMENT, creations=2, sparse=1),
                      1 + 2 * (MOMENT - 1)),
    "Renyi-first-pairs": (SparseRenyi(order=2, moment=MOMENT, creations=2, sparse=1, **AT_FIRST),
                          MOMENT),
}  # fmt: skip
"""Theorems of CM, and those of docs/sparse.md; (pattern, bound) at ε = 0."""


@pytest.mark.every(12)
@pytest.mark.parametrize("theorem", TRUE)
def test_a_theorem_is_not_refuted(theorem):
    starts = sized(2, 20)
    found = conjecture(*TRUE[theorem], starts=starts, seconds=None, seed=11, executor="serial")
    assert not found.refuted
    assert found.ratio > 0.5
    assert "not refuted, which proves nothing" in str(found)


@pytest.mark.slow
@pytest.mark.parametrize("theorem", TRUE)
def test_a_theorem_is_not_refuted_in_minutes(theorem):
    found = conjecture(*TRUE[theorem], seconds=60 * MINUTES, seed=12)
    print(theorem, found.starts, "starts, at most", f"{found.ratio:.6f} of the bound")
    assert not found.refuted
    assert found.ratio > 0.9
