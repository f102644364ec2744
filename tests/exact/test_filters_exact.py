"""Filters against the best adaptive adversary, exactly; broken filters are caught.

By CM Lemma 4.6 it is enough to look at charges that are randomized responses: the
adversary chooses the next ε from the answers so far. The recursion below is over the
privacy loss and the filter's state, in Fractions: ε = ln q^k, and the loss is a multiple of ln q.
"""

import math
from fractions import Fraction

import attrs
import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon import Log
from antiphon.composition import (
    BasicFilter,
    ConcentratedFilter,
    GaussianFilter,
    Odometer,
    Refusal,
    RenyiFilter,
    RenyiOdometer,
    RogersFilter,
    WhitehouseFilter,
    adaptive_parameters,
    fixed_parameters,
)
from antiphon.composition.accounting import response_divergence
from antiphon.mechanisms import RandomizedResponse
from antiphon.numbers import exact
from antiphon.protocol import Pure
from antiphon.selfcheck.theorems.adaptive_choice import TightCurveFilter


def worst_delta(budget, q, menu, goal, charges=10**6):
    """sup of δ at e^ε = q^goal over adversaries that choose every ε from ln q^k, k in menu."""
    known = {}

    def value(loss, state, left):
        key = loss, state, left
        if key not in known:
            best = max(Fraction(0), 1 - q ** (goal - loss))
            for k in menu if left else ():
                after = budget.charge(state, Pure(Log(q**k)))
                if type(after) is not Refusal:
                    truth = q**k / (1 + q**k)
                    right, wrong = (value(loss + s * k, after, left - 1) for s in (1, -1))
                    best = max(best, truth * right + (1 - truth) * wrong)
            known[key] = best
        return known[key]

    return value(0, budget.initial_state, charges)


Q = Fraction(16, 15)
GOAL = 10
DELTA = Fraction(1, 5)


@pytest.mark.parametrize(
    "budget",
    [
        WhitehouseFilter(epsilon=Log(Q**GOAL), delta=DELTA, slack=DELTA),
        RogersFilter(epsilon=Log(Q**GOAL), delta=DELTA),
        BasicFilter(epsilon=Log(Q**GOAL)),
    ],
)
def test_the_best_adaptive_adversary_stays_within_the_promise(budget):
    found = worst_delta(budget, Q, (1, 2, 4), GOAL)
    assert found <= getattr(budget, "slack", budget.delta)
    assert (found > 0) is isinstance(budget, WhitehouseFilter)


@pytest.mark.parametrize(
    "budget",
    [
        WhitehouseFilter(epsilon=Log(Q**GOAL), delta=DELTA, slack=DELTA),
        ConcentratedFilter(rho=Fraction(1, 20)),
        BasicFilter(epsilon=Log(Q**GOAL)),
        GaussianFilter(mu=Fraction(3, 10)),
        RenyiFilter(order=3, budget=Fraction(2, 5)),
    ],
)
def test_and_within_the_whole_curve_of_the_guarantee(budget):
    guarantee = ap.guarantee(ap.ExtConComp(budget=budget))
    found = {goal: worst_delta(budget, Q, (2, 4), goal) for goal in range(0, GOAL + 1, 2)}
    assert all(delta <= guarantee.delta_at(Log(Q**goal)) for goal, delta in found.items())
    at = GOAL if isinstance(budget, RenyiFilter) else 0  # of one order: sharp at one ε
    assert found[at] > guarantee.delta_at(Log(Q**at)) / 4  # and not by far


def test_and_finds_out_a_wrong_limit():
    """ρ <= ε, without the term 2√(ρ ln(1/δ'))."""
    twin = ConcentratedFilter(rho=exact.bracket(Log(Q**GOAL), 20)[0])
    assert worst_delta(twin, Q, (4,), GOAL) > DELTA


def worst_moment(budget, q, menu, order):
    """sup of E[e^((α-1) loss)] in the world P over adversaries, at a whole order α."""
    known = {}

    def value(state):
        if state not in known:
            best = Fraction(1)
            for k in menu:
                after = budget.charge(state, Pure(Log(q**k)))
                if type(after) is not Refusal:
                    truth = q**k / (1 + q**k)
                    one = truth * q ** (k * (order - 1)) + (1 - truth) / q ** (k * (order - 1))
                    best = max(best, one * value(after))
            known[state] = best
        return known[state]

    return value(budget.initial_state)


@over("order", [2, 3, 8])
@over("budget", [Fraction(1, 2), Fraction(3, 2)])
def test_a_renyi_filter_keeps_the_moment_of_its_order(order, budget):
    """Whatever is asked first, E <= e^((α-1)budget), and the rest of the budget is small."""
    found = worst_moment(RenyiFilter(order=order, budget=budget), Fraction(5, 4), (1, 2, 3), order)
    low, high = exact.bracket(Log(found), 30)
    assert high <= (order - 1) * budget
    least = Fraction(response_divergence(Log(Fraction(5, 4)), order))
    assert low > (order - 1) * (budget - least)
    twin = RenyiFilter(order=order, budget=budget * Fraction(3, 2))  # charges too little
    more = worst_moment(twin, Fraction(5, 4), (1, 2, 3), order)
    assert exact.bracket(Log(more), 30)[0] > (order - 1) * budget


@attrs.frozen
class ByKullbackLeibler(RenyiFilter):
    """A broken twin: it charges D_1 for D_α."""

    def cost(self, measure):
        return Fraction(response_divergence(measure.epsilon, 1.0)), Fraction(0)


def test_a_filter_that_charges_for_another_order_is_found_out():
    twin = ByKullbackLeibler(order=3, budget=Fraction(3, 2))
    assert exact.bracket(Log(worst_moment(twin, Fraction(5, 4), (1, 2, 3), 3)), 30)[0] > 3


@pytest.mark.slow
def test_the_natural_filter_of_optimal_composition_is_not_valid():
    """RR_{ln 3/2}, then {3} or {2, 2}: every path is (ln 2, 1/4)-DP by itself."""
    q, goal, delta = Fraction(3, 2), 3, Fraction(1, 10)
    natural = TightCurveFilter(exact.epsilon(Log(q**goal)), delta)
    assert worst_delta(natural, q, (1, 2), goal, charges=6) > delta


# --- through the whole system ---------------------------------------------------------------


def response(argument):
    return RandomizedResponse(epsilon=Log(argument))


def budgeted(budget, epsilon, charges, verification=None):
    game = ap.PrivacyGame(ap.ExtConComp(budget=budget), verification or adaptive_parameters())
    return game.tight_delta(
        epsilon=epsilon, rounds=2 * charges, catalogue=[response(2), response(4)],
        max_creations=charges,
    )  # fmt: skip


@pytest.mark.parametrize("goal", [0, 1, 2, 3])
def test_a_budgeted_composition_is_the_recursion(goal):
    """ExtConComp, its budget, V[f] and I against the recursion over losses: equality."""
    budget = BasicFilter(epsilon=Log(8))
    found = budgeted(budget, Log(2**goal), 2)
    assert found == worst_delta(budget, Fraction(2), (1, 2), goal, charges=2)
    assert (found == 0) is (goal == 3)


@attrs.frozen
class Forgetful(BasicFilter):
    """A broken twin: it checks and never charges."""

    def charge(self, state, measure):
        after = BasicFilter.charge(self, state, measure)
        return after if type(after) is Refusal else state


def test_a_budget_that_never_charges_is_found_out():
    honest, twin = (make(epsilon=Log(4)) for make in (BasicFilter, Forgetful))
    assert budgeted(honest, Log(4), 2) == 0
    assert budgeted(twin, Log(4), 2) > 0


def test_what_is_refused_keeps_its_index():
    """So f and the composition agree on who is asked, and other theorems stay true."""
    f = fixed_parameters([(Log(4), 0), (Log(2), 0)])
    assert budgeted(BasicFilter(epsilon=Log(4)), Log(4), 2, f) == 0
    assert budgeted(BasicFilter(epsilon=Log(8)), Log(4), 2, f) > 0
    assert budgeted(BasicFilter(epsilon=Log(8)), Log(8), 2, f) == 0


# --- odometers ------------------------------------------------------------------------------


def crossing(epsilon, bounds):
    """Pr[the loss of RR_ε, RR_ε, … ever exceeds its bound], up to double round-off."""
    n, truth = len(bounds), 1 / (1 + math.exp(-epsilon))
    law = np.zeros(2 * n + 3)
    losses = (np.arange(2 * n + 3) - n - 1) * epsilon
    law[n + 1], gone = 1, 0.0
    for bound in bounds:
        law = np.concatenate([[0], law[:-1]]) * truth + np.concatenate([law[1:], [0]]) * (1 - truth)
        over = losses > bound + 1e-9
        gone += law[over].sum()
        law[over] = 0
    return gone


SLACK, EACH, TIMES = 0.3, 0.1, 2000


@pytest.mark.parametrize("near", [0.1, 1, 5])
def test_the_loss_ever_exceeds_its_reading_with_probability_at_most_slack(near):
    odometer = Odometer(delta=SLACK, slack=SLACK, near=near)
    state, readings = odometer.initial_state, []
    for _ in range(TIMES):
        state = odometer.charge(state, Pure(EACH))
        readings.append(float(odometer.reading(state).epsilon))
    assert 0.01 < crossing(EACH, readings) <= SLACK


def test_a_bound_for_one_time_is_no_odometer():
    rhos = [t * EACH**2 / 2 for t in range(1, TIMES + 1)]
    bounds = [rho + 2 * math.sqrt(rho * math.log(1 / SLACK)) for rho in rhos]
    assert crossing(EACH, bounds) > SLACK


@pytest.mark.every(3)
@pytest.mark.parametrize("order", [Fraction(3, 2), 3, 8])
def test_nor_that_of_the_renyi_odometer(order):
    odometer = RenyiOdometer(order=order, delta=SLACK, slack=SLACK)
    readings = [float(each.epsilon) for each in odometer.readings([CHARGE] * TIMES)]
    assert 1e-5 < crossing(EACH, readings) <= SLACK
    tail = math.log(1 / SLACK) / (float(order) - 1)
    twin = [reading - tail for reading in readings]  # without what Ville's inequality asks
    assert crossing(EACH, twin) > SLACK


CHARGE = ap.Create(RandomizedResponse(epsilon=EACH))
