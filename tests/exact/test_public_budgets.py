"""What a filter has charged is public: a game factored by children, and the same as one system."""

import random
from fractions import Fraction

import pytest

import antiphon as ap
from antiphon.audit.exact import question
from antiphon.audit.exact.question import Question
from antiphon.composition import (
    BasicFilter,
    ConcentratedFilter,
    GaussianFilter,
    Odometer,
    Refusal,
    ResidueFilter,
    WhitehouseFilter,
    adaptive_parameters,
    fixed_mechanisms,
    fixed_parameters,
    sparse_parallel,
)
from antiphon.mechanisms import LeakyBit, RandomizedResponse
from antiphon.selfcheck.theorems.adaptive_choice import Forgetful, TightCurveFilter

QUARTER = Fraction(1, 4)
PARTS = [
    RandomizedResponse(epsilon=ap.Log(2)),
    RandomizedResponse(epsilon=ap.Log(3)),
    RandomizedResponse(epsilon=ap.Log(2), delta=QUARTER),
    LeakyBit(delta=QUARTER),
]
BUDGETS = [
    BasicFilter(epsilon=ap.Log(6), delta=QUARTER),
    BasicFilter(epsilon=ap.Log(3), delta=2 * QUARTER),
    BasicFilter(epsilon=1),
    WhitehouseFilter(epsilon=9, delta=QUARTER),
    ConcentratedFilter(rho=1, delta=QUARTER),
    GaussianFilter(mu=1, delta=QUARTER),
    ResidueFilter(mu=2, delta=QUARTER),
    Odometer(delta=QUARTER),
]
OTHERS = [
    TightCurveFilter(ap.Log(2), QUARTER),
    Forgetful(BasicFilter(epsilon=ap.Log(3), delta=QUARTER)),
]
"""Budgets that say that they read claims only."""


def game(chance, budgets=BUDGETS):
    """A budget, an f, a catalogue, and how much may be said."""
    budget, catalogue = chance.choice(budgets), chance.sample(PARTS, chance.randint(1, 2))
    measured = [each.claims[0].parameters for each in catalogue * 2]
    f = chance.choice(
        [
            adaptive_parameters(budget),
            adaptive_parameters(budget),
            sparse_parallel(measured[:1]),
            sparse_parallel(measured[:2], first_pair_consistent=True),
            fixed_parameters(measured[: chance.randint(1, 3)]),
            fixed_mechanisms(catalogue),
        ]
    )
    most = max(chance.choice([1, 2, 2, 3]), getattr(f, "prescribed", 0))
    return ap.ExtConComp(budget=budget), f, {"catalogue": catalogue, "max_creations": most}


def both_ways(monkeypatch, seed):
    """Tight δ and the solver's work, factored and as one hidden state."""
    chance = random.Random(seed)
    system, f, search = game(chance, BUDGETS + OTHERS)
    epsilon = ap.Log(Fraction(chance.randint(4, 12), 4))
    rounds = chance.choice([4, 5, 6]) if search["max_creations"] < 3 else chance.choice([3, 4])
    found = []
    for factors in (question._factors, lambda *_: False):
        with monkeypatch.context() as patched:
            patched.setattr(question, "_factors", factors)
            found.append(Question(system, f, **search).solve(epsilon, rounds))
    return found


def test_a_factored_budget_changes_no_figure(monkeypatch):
    deltas = set()
    for seed in range(40):
        factored, whole = both_ways(monkeypatch, seed)
        assert factored.delta == whole.delta, seed
        assert factored.nodes <= whole.nodes + 2, seed
        deltas.add(factored.delta)
    assert len(deltas) > 8


@pytest.mark.slow
def test_a_factored_budget_changes_no_figure_in_many_games(monkeypatch):
    for seed in range(40, 10_000):
        factored, whole = both_ways(monkeypatch, seed)
        assert factored.delta == whole.delta, seed


def test_a_refused_creation_uses_up_an_index_and_a_creation():
    """Of two prescribed creations the second is refused, and comes before all questions yet."""
    half = RandomizedResponse(epsilon=ap.Log(2))
    budget = BasicFilter(epsilon=ap.Log(2))
    system = ap.ExtConComp(budget=budget)
    f = fixed_mechanisms([half, half])
    played = ap.PrivacyGame(system, f)
    assert played.tight_delta(epsilon=0, rounds=4) == Fraction(1, 3)  # of one response
    assert played.tight_delta(epsilon=0, rounds=2) == 0  # it is asked after both creations only
    view = played.play(played.best_adversary(epsilon=0, rounds=4), bit=0, seed=1)
    assert [type(each).__name__ for each in view.answers[:2]] == ["Signal", "Refusal"]


def test_the_size_does_not_grow_with_the_orders_of_creations():
    budget = BasicFilter(epsilon=ap.Log(64))
    system = ap.PrivacyGame(ap.ExtConComp(budget=budget), adaptive_parameters(budget))
    parts = [RandomizedResponse(epsilon=ap.Log(q)) for q in (2, 3, 4)]
    solved = system.solve(epsilon=ap.Log(4), rounds=10, catalogue=parts, max_creations=5)
    assert solved.nodes < 2_000  # 529,826 as one hidden state


def test_a_user_s_filter_is_not_taken_apart(monkeypatch):
    """Its charge might look at anything: it stays in the hidden state. The figure is the same."""

    class Mine(BasicFilter):
        pass

    seen = []
    real = question.CompositionArena
    monkeypatch.setattr(question, "CompositionArena", lambda *a: seen.append(a) or real(*a))
    for kind in (BasicFilter, Mine):
        budget = kind(epsilon=ap.Log(2))
        system = ap.PrivacyGame(ap.ExtConComp(budget=budget), adaptive_parameters(budget))
        tight = system.tight_delta(epsilon=0, rounds=3, catalogue=PARTS[:1], max_creations=2)
        assert tight == Fraction(1, 3)
    assert len(seen) == 1


@pytest.mark.parametrize("constant", [True, False])
def test_a_user_s_filter_may_say_that_it_reads_claims_only(constant):
    """It is asked twice: one that counts its calls is refused by name."""
    calls, refused = [], Refusal(*[(Fraction(0), Fraction(0))] * 3)

    class Mine(BasicFilter):
        reads_claims_only = True

        def charge(self, state, measure):
            calls.append(measure)
            late = not constant and len(calls) % 2
            return refused if late else super().charge(state, measure)

    budget = Mine(epsilon=ap.Log(2))
    asked = ap.PrivacyGame(ap.ExtConComp(budget=budget), adaptive_parameters(budget)).question(
        catalogue=PARTS[:1], max_creations=2
    )
    if constant:
        assert type(asked.solvers()[0].arena).__name__ == "CompositionArena"
        assert asked.solve(0, 3).delta == Fraction(1, 3)
    else:
        with pytest.raises(ap.PartError, match="Mine says that it reads claims only"):
            asked.solve(0, 3)
