"""Which steps of a derivation Coq has checked: only those whose statement covers what they use."""

import json
from fractions import Fraction

import attrs
from proved import PROOFS, tool
from trying import over

import antiphon as ap
from antiphon import Log
from antiphon.composition import (
    BasicFilter,
    ComplexMechanism,
    WhitehouseFilter,
    fixed_mechanisms,
    fixed_parameters,
    sparse_parallel,
)
from antiphon.composition.guarantees.composing import MEASURE, PARAMETER
from antiphon.composition.guarantees.mechanised import FILE, MECHANISED, MODEL
from antiphon.composition.guarantees.rulebook import TABLE
from antiphon.mechanisms import (
    HSS,
    CountAfter,
    DiscreteGaussian,
    KthLargest,
    LeakyBit,
    RandomizedResponse,
    RoundToGrid,
    TreeCounter,
)
from antiphon.protocol import BoundedRange, IdentityPostProcessor, ZeroConcentrated
from antiphon.verifiers import bounded

RESPONSE = RandomizedResponse(epsilon=Log(3), delta=Fraction(1, 10))
COUNTER = TreeCounter(horizon=8, epsilon=1)
EXT = ap.ExtConComp()
PURE = sparse_parallel([(1, 0)])
CONSISTENT = sparse_parallel([(1, Fraction(1, 10))], first_pair_consistent=True)
LEAKY = sparse_parallel([(0, Fraction(1, 10))])
HISTOGRAM = ComplexMechanism(HSS(epsilon=1, query=KthLargest(), dimension=2, beta=0.01))
GAME = ap.Verifier(COUNTER.verification) @ ap.Identifier() @ COUNTER


def kernel(system, *asked, **narrowed):
    known = ap.guarantee(system, *asked, **narrowed).derivation.mechanised
    return None if known is None else known.name


def test_every_theorem_that_is_cited_is_proved_and_by_a_rule():
    proved = tool("check").theorems((PROOFS / "Proved.v").read_text())
    assert {each.name for each in MECHANISED.values()} <= set(proved)
    rows = {rule.theorem for rules in TABLE.values() for rule in rules}
    cited = rows | {PARAMETER.fixed, PARAMETER.consistent}
    assert {row.partition(", ")[0] for row in MECHANISED} <= cited
    assert FILE == "proofs/Proved.v"
    assert MEASURE.fixed not in MECHANISED


def test_a_statement_that_was_renamed_is_missed():
    check = tool("check")
    text = (PROOFS / "Proved.v").read_text().replace("Theorem fixed_parameters :", "Theorem fp :")
    assert check.cited_and_not_proved(check.theorems(text)) == ["fixed_parameters"]
    assert check.cited_and_not_proved(check.theorems((PROOFS / "Proved.v").read_text())) == []


COVERED = [
    ("fixed_mechanisms", EXT, (fixed_mechanisms([COUNTER, RESPONSE]),), {}),
    ("fixed_mechanisms_from_the_start", ap.ConComp([COUNTER, RESPONSE]), (), {}),
    ("post_processing", IdentityPostProcessor() @ GAME, (), {}),
    ("post_processing_forwarding", RoundToGrid() @ RESPONSE, (), {}),
    ("fixed_parameters", EXT, (fixed_parameters([(1, 0), (1, 0.1)]),), {}),
    ("fixed_parameters", EXT, (fixed_parameters([(1, 0)] * 2),), {"max_creations": 2}),
    ("sparse_parallel_pure", EXT, (PURE,), {"catalogue": [COUNTER]}),
    ("sparse_parallel_first_pair", EXT, (CONSISTENT,), {}),
    ("basic_filter", ap.ExtConComp(budget=BasicFilter(epsilon=1, delta=0.1)), (), {}),
    ("complex_mechanism", HISTOGRAM, (), {}),
]


@over(("name", "system", "asked", "narrowed"), COVERED)
def test_what_the_statement_covers_is_marked(name, system, asked, narrowed):
    assert kernel(system, *asked, **narrowed) == name


NOT_COVERED = [
    # a figure for any two of three; the statement speaks of all three
    (EXT, (fixed_parameters([(1, 0)] * 3),), {"max_creations": 2}),
    (EXT, (PURE.of([(1, 0)] * 3),), {"max_creations": 2}),
    (EXT, (bounded(fixed_parameters([(1, 0)] * 3), 4),), {}),
    # P asks more than the left did
    (CountAfter() @ COUNTER, (COUNTER.verification.updates,), {}),
    # other measures
    (EXT, (fixed_mechanisms([DiscreteGaussian(rho=1), COUNTER]),), {}),
    (EXT, (fixed_parameters([ZeroConcentrated(1)]),), {}),
    (EXT, (sparse_parallel([BoundedRange(1)]),), {}),
    # Theorems S and G bound how many mechanisms are asked, the statement how many are created
    (EXT, (LEAKY,), {"max_creations": 3, "catalogue": [LeakyBit(delta=Fraction(1, 10))]}),
    (EXT, (LEAKY,), {"max_creations": 3}),
    # another filter, or f_∞ with a filter: the f' of those outside J need not hold
    (ap.ExtConComp(budget=WhitehouseFilter(epsilon=1, delta=0.1)), (), {}),
    (ap.ExtConComp(budget=BasicFilter(epsilon=1, delta=0.1)), (LEAKY,), {}),
    (ap.ExtConComp(budget=BasicFilter(epsilon=1, delta=1)), (), {}),
    # a claim, and what holds by definition
    (COUNTER, (), {}),
    (GAME, (), {}),
]


@over(("system", "asked", "narrowed"), NOT_COVERED)
def test_what_it_does_not_cover_is_not(system, asked, narrowed):
    assert kernel(system, *asked, **narrowed) is None


def test_other_measures_beside_the_curve_are_not_covered():
    known = ap.guarantee(EXT, PURE).derivation
    assert known.mechanised is not None
    assert attrs.evolve(known, measures=(ZeroConcentrated(1),)).mechanised is None
    assert attrs.evolve(known, covered="").mechanised is None


def test_it_is_told_beside_the_step_and_once_below():
    promise = ap.guarantee(EXT, fixed_mechanisms([COUNTER, RESPONSE]))
    text = promise.explain()
    assert "CM Thm 4.10 [∎ kernel]: as private as Comp[RR…]" in text
    last = text.splitlines()[-1]
    assert last.startswith("∎ kernel: checked by Coq (proofs/Proved.v: fixed_mechanisms)")
    assert all(each in last for each in MODEL)
    for style in ("markdown", "svg", "mermaid"):
        assert "kernel" in promise.explain(style)
    node = json.loads(json.dumps(promise.to_dict()))["derivation"]
    assert node["mechanised"]["proved"] == "proofs/Proved.v: fixed_mechanisms"
    assert node["mechanised"]["leaves_out"] == list(MODEL)
    assert [part["mechanised"] for part in node["parts"]] == [None, None]


def test_what_is_further_left_out_is_told():
    text = ap.guarantee(ap.ExtConComp(budget=BasicFilter(epsilon=1))).explain()
    assert "creations that the filter refuses" in text.splitlines()[-1]
    assert "kernel" not in ap.guarantee(COUNTER).explain()
