"""Statements: each sentence is from the derivation, and none says more than it."""

import json
from fractions import Fraction

import pytest
from trying import over

import antiphon as ap
from antiphon import ExtConComp
from antiphon.composition import sparse_parallel
from antiphon.composition.guarantees.statement import protects
from antiphon.mechanisms import GaussianTreeCounter, TreeCounter
from antiphon.verifiers import (
    AnyTwo,
    OfUpdates,
    Within,
    bounded,
    event_level,
    neighbouring_start,
    user_level,
)

COUNTER = TreeCounter(horizon=8, epsilon=1)


def test_of_a_counter():
    said = ap.guarantee(COUNTER).statement()
    assert said.proved
    assert said.of("Who is protected") == ("Protected is one update of the stream.",)
    assert said.of("How much")[0] == "ε = 1 and δ = 0, rounded up."
    assert "2.719 times" in said.of("How much")[1]
    assert any("Queries ('count')" in each for each in said.of("What is public"))
    assert said.of("What is assumed")[0].startswith("Only that")
    assert any("Chan, Shi, Song 2011" in each for each in said.of("How it is known"))


def test_what_is_assumed_is_said_with_its_reason():
    f = sparse_parallel([(1, 0)])
    said = ap.guarantee(ExtConComp(), f).statement()
    assert not said.proved
    assert said.title.endswith("(with assumptions)")
    assert "every creation asserts a true claim" in said.of("What is assumed")[0]
    given = ap.guarantee(ExtConComp(), f, catalogue=[COUNTER]).statement()
    assert not given.proved
    assert given.of("What is assumed")[0].startswith("As the question was asked")


def test_a_figure_is_rounded_up_and_a_measure_said():
    said = ap.guarantee(GaussianTreeCounter(horizon=8, rho=Fraction(1, 3))).statement()
    assert any("ZeroConcentrated" in each for each in said.of("How much"))
    promise = ap.guarantee(GaussianTreeCounter(horizon=8, rho=Fraction(1, 3)))
    figure = float(said.of("How much")[-2].split()[2])
    assert promise.delta_at(figure) <= 1e-6


@over(
    "f, words",
    [
        (event_level(events=3), "any 3 updates"),
        (event_level(Within(1)), "update of the stream, changed as Within(distance=1) allows and"),
        (user_level(Within(1), events=2), "too, changed as Within(distance=1) allows and no more"),
        (user_level(OfUpdates(Within(1))), "its last changed as Within(distance=1) allows"),
        (user_level(events=2), "up to 2 updates of one user"),
        (user_level(OfUpdates(AnyTwo())), "whether that user has an update there is not protected"),
        (event_level(OfUpdates(Within(1))), "as many entries, its last changed as Within(distance"),
        (bounded(user_level(), 9), "all updates of one user"),
        (neighbouring_start(), "neighbour"),
        (ap.boards.SingleUser(), "all windows together"),
        (ap.boards.SingleRow(replaced=True), "any other of any user, in its place"),
        (ap.boards.SingleRow(replaced=True, same_user=True), "of the same user"),
        (sparse_parallel([(1, 0)]), "SparseParallel"),
    ],
)
def test_whom_an_f_protects(f, words):
    assert words in protects(f)


def test_the_queries_are_listed():
    said = ap.guarantee(GaussianTreeCounter(horizon=8, rho=1)).statement().of("What is public")
    assert said[0].startswith("Queries ('count') are public")


def test_a_users_own_f_does_not_speak_for_itself():
    class Mine(type(event_level())):
        protects = "everybody, for ever"

    assert "everybody" not in protects(Mine())


def test_for_pages_and_programs():
    said = ap.guarantee(COUNTER).statement()
    data = json.loads(json.dumps(said.to_dict()))
    assert data["sections"][0]["heading"] == "Who is protected"
    assert "<h2>What is assumed</h2>" in said.html()
    assert all(each in str(said) for _, sentences in said.sections for each in sentences)
    with pytest.raises(ap.InvalidArgument, match="headings"):
        said.of("How long")


def test_a_delta_is_a_summand_and_not_the_chance_of_a_larger_factor():
    """Of G_1 the loss is above that ε with a probability of 5.8e-6, and not of δ = 1e-6."""
    promise = ap.guarantee(ExtConComp(budget=ap.composition.GaussianFilter(mu=1)), catalogue=[])
    said = promise.statement().of("How much")
    assert any("any set of answers is at most 132.5 times as likely" in each for each in said), said
    assert any("plus a probability of 1e-06" in each for each in said)
    assert not any("except" in each for each in said)
