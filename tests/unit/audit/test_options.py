"""Every option of a game stands in `help`, with its default, and is written once."""

import inspect
import typing

import pytest
from trying import over

import antiphon as ap
from antiphon.audit.exact.question import Question, Search
from antiphon.audit.statistical.audit import audit

SEARCHES = (
    "question", "solve", "tight_delta", "tight_epsilon", "tight_renyi", "tight_range",
    "privacy_curve", "check_claims", "best_adversary",
)  # fmt: skip


def options(function):
    """The parameters by name alone that have a default, and the defaults."""
    shown = inspect.signature(function).parameters.values()
    return {each.name: each.default for each in shown if each.default is not inspect._empty}


@over("name", SEARCHES, at_least=9)
def test_a_search_shows_all_of_its_options(name):
    method = getattr(ap.PrivacyGame, name)
    asked = {"epsilons", "rounds"}  # the question itself, not how it is searched
    shown = {key: value for key, value in options(method).items() if key not in asked}
    assert shown == options(Question)
    kinds = {each.kind for each in inspect.signature(method).parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds


def test_what_a_search_takes_is_what_a_question_has():
    assert set(typing.get_type_hints(Search)) == set(options(Question))


def test_an_audit_shows_all_of_its_options():
    game = ap.audit.counterexample_game(0.5)
    shown = inspect.signature(game.audit).parameters
    assert list(shown) == list(inspect.signature(audit).parameters)[1:]
    assert options(game.audit) == options(audit)
    assert shown["confidence"].default == 0.95


@over("name", SEARCHES, at_least=9)
def test_an_option_that_there_is_not_is_refused(name):
    game = ap.audit.counterexample_game(0.5)
    with pytest.raises(TypeError, match="horizont"):
        getattr(game, name)(**needed(game, name), horizont=3)


def needed(game, name):
    """Some value for each parameter without a default."""
    values = {"epsilon": 0, "delta": 0, "rounds": 1, "alpha": 2}
    shown = inspect.signature(getattr(game, name)).parameters.values()
    return {each.name: values[each.name] for each in shown if each.default is inspect._empty}
