"""What is a filter for zCDP, or for the Rényi divergence of one order? One that adds up all of it.

CLAIM: to look only at what was spent before a mechanism, and not at what it will cost. SOME_ORDER:
to go on while the sum at *some* order is within its budget ([filters](docs/filters.md)).
Run: antiphon conjecture examples/conjectures/rho_filters.py:CLAIM, SOME_ORDER, TRUE_CLAIM or CUBES
"""

from fractions import Fraction

import attrs

import antiphon as ap
from antiphon.composition.filters.basic import RenyiFilter
from antiphon.composition.filters.budget import Budget, Refusal
from antiphon.composition.filters.concentrated import ConcentratedFilter
from antiphon.conjectures import Conjecture, FilterPattern, moment_above
from antiphon.protocol import ZeroConcentrated

RHO = Fraction(1, 10)
GRID = [ZeroConcentrated(Fraction(n, 60)) for n in range(1, 7)]


@attrs.frozen
class BeforeTheLast(Budget):
    """Accepts while Σρ of what was accepted before is below ρ. State: that sum."""

    rho: Fraction

    @property
    def initial_state(self):
        return Fraction(0)

    def charge(self, state, measure):
        if state < self.rho:
            return state + measure.rho
        return Refusal((measure.rho, Fraction(0)), (state, Fraction(0)), (Fraction(0), Fraction(0)))


@attrs.frozen
class SomeOrder(Budget):
    """Accepts while one of several Rényi filters would. State: ΣD of each one's order."""

    filters: tuple[RenyiFilter, ...]

    @property
    def initial_state(self):
        return (Fraction(0),) * len(self.filters)

    def charge(self, state, measure):
        costs = [each.cost(measure)[0] for each in self.filters]
        after = tuple(spent + cost for spent, cost in zip(state, costs, strict=True))
        if any(total <= own.budget for total, own in zip(after, self.filters, strict=True)):
            return after
        return Refusal((costs[0], Fraction(0)), (state[0], Fraction(0)), (Fraction(0),) * 2)


def at(order, budget, grid=GRID):
    """D of that order is at most αρ."""
    return Conjecture(
        FilterPattern(budget=budget, claims=grid, order=order), moment_above(order * RHO, order)
    )


CLAIM = at(2, BeforeTheLast(RHO))
TRUE_CLAIM = at(2, ConcentratedFilter(rho=RHO))
CUBES = at(3, ConcentratedFilter(rho=RHO))

ORDERS = tuple(RenyiFilter(order=order, budget=order * RHO) for order in (2, 8))
PURE = [(ap.Log(Fraction(5, 4)), 0), (ap.Log(Fraction(3, 2)), 0)]
SOME_ORDER = at(2, SomeOrder(ORDERS), PURE)
