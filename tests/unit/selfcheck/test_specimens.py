"""The catalogue of specimens: one for each, found by its file, with a claim that is tested."""

import inspect

from catalogue import OF_MECHANISMS
from trying import over

from antiphon import Mechanism, PostProcessor
from antiphon.selfcheck.corpus import corpus
from antiphon.selfcheck.corpus.specimen import Example, Link, specimens, table

EVERY = over("specimen", specimens(), at_least=64)
NAMED = {each.name: each for each in specimens()}
EXPORTED = {
    name
    for room in OF_MECHANISMS
    for name in room.__all__
    if inspect.isclass(kind := getattr(room, name))
    and issubclass(kind, Mechanism | PostProcessor)
    and not inspect.isabstract(kind)
}
NO_CLAIM = {"FiniteLearner", "GradientDescent", "Halving", "Hedge", "ShrinkingDartboard"}
"""Learners that are not private, to compare with."""
NO_ROW = {"Echo", "Laplace"} | NO_CLAIM
"""Its pairs are of equal messages; it is one of the standard targets."""
NO_TWIN = NO_ROW | {
    "BalancedTreeCounter", "GapSparseVector", "HSS", "MultiplicativeWeights",
    "NumericSparseVector", "PermuteAndFlip", "RefinedTreeCounter", "RoundToGrid", "SparseVector",
    "SquareRootCounter",
}  # fmt: skip
"""Those that had none with a known truth when specimens came. What is new has one."""


def test_every_mechanism_has_one():
    assert len(NAMED) == len(specimens())
    assert set(NAMED) >= EXPORTED > {"TreeCounter", "HSS", "RoundToGrid"}


@EVERY
def test_its_examples_are_of_it(specimen):
    assert specimen.examples
    for each in specimen.examples:
        kinds = {type(each.part), type(getattr(each.part, "post_processor", None))}
        assert specimen.kind in kinds
        assert isinstance(each, Link if isinstance(each.part, PostProcessor) else Example)


@EVERY
def test_what_is_outside_is_in_none_of_its_spaces(specimen):
    for each in specimen.examples:
        if isinstance(each, Example):
            spaces = each.queries, each.part.signature.queries
            assert not any(space.contains(value) for space in spaces for value in each.outside)


@over("name", sorted(EXPORTED), at_least=52)
def test_its_own_claim_is_audited_beside_a_twin_that_must_fall(name):
    rows = NAMED[name].rows
    assert any(row.private for row in rows) is (name not in NO_ROW)
    assert any(not row.private for row in rows) is (name not in NO_TWIN)


def test_the_corpus_has_their_rows():
    audited = {row.name for row in corpus()}
    rows = [row.name for each in specimens() for row in each.rows]
    assert len(set(rows)) == len(rows) > 50
    assert audited >= set(rows)


def test_the_table_has_a_line_for_each_that_claims_something():
    lines = table().splitlines()
    claiming = [each for each in specimens() if getattr(each.examples[0].part, "claims", ())]
    assert len(lines) == 2 + len(claiming)
    assert "| `Laplace` | ε | assumed | Dwork et al. 2006; in doubles only assumed" in table()
