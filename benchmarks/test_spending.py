"""What it costs to look at a budget, with few creations and with many."""

import pytest

import antiphon as ap
from antiphon.composition import BasicFilter, ConcentratedFilter, Odometer
from antiphon.mechanisms import TreeCounter

BUDGETS = (None, BasicFilter(epsilon=1000), ConcentratedFilter(rho=500), Odometer(delta=1e-6))
LOOKS = {
    "budget": lambda session, number: session.budget,
    "spent and remaining": lambda session, number: (session.budget.spent, session.budget.remaining),
    "one share": lambda session, number: session.budget.shares[number // 2],
    "a price": lambda session, number: session.price(counter()),
    "in epsilon": lambda session, number: session.budget.at(1e-6),
}


def counter():
    return ap.Create(TreeCounter(horizon=365, epsilon=0.02))


@pytest.mark.benchmark(group="budget: one look")
@pytest.mark.parametrize("number", [10, 10_000])
@pytest.mark.parametrize("budget", BUDGETS, ids=lambda b: type(b).__name__)
@pytest.mark.parametrize("look", LOOKS)
def test_look(benchmark, look, budget, number):
    session = ap.ExtConComp(budget=budget).start()
    for _ in range(number):
        session.send(counter())
    benchmark(LOOKS[look], session, number)
