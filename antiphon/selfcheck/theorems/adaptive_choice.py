# pyright: reportIncompatibleMethodOverride=false, reportAssignmentType=false
"""Checks of filters and odometers whose parameters are chosen adaptively, and of broken ones."""

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from antiphon.audit import Question, law_of_views
from antiphon.composition import Budget, Create, Filter, Refusal, adaptive_parameters, guarantee
from antiphon.composition.accounting.renyi import OneOrderCurve
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.filters.basic import BasicFilter, RenyiFilter
from antiphon.composition.filters.budget import Spent
from antiphon.composition.filters.concentrated import ConcentratedFilter, GaussianFilter
from antiphon.composition.filters.natural import NaturalFilter
from antiphon.composition.filters.residue import ResidueFilter
from antiphon.composition.filters.sums import Sum
from antiphon.mechanisms import LeakyBit, RandomizedResponse
from antiphon.numbers.exact import ExactEpsilon, Log, epsilon, root_up
from antiphon.protocol import HALT, Ask, Coins, Pair, same
from antiphon.protocol.adversary import Adversary, adversary
from antiphon.protocol.measures.kinds import Measure, Pure, parameters_of
from antiphon.selfcheck.theorems.finite import FiniteResponse
from antiphon.selfcheck.theorems.theorem import Check, Evidence, Parameters, composed, private
from antiphon.verifiers import Identifier, Verifier, neighbouring_start

Charged = tuple[Parameters, ...]
_NOTHING = (Fraction(0), Fraction(0))


@attrs.frozen
class TightCurveFilter(Budget[Charged]):
    """A broken filter: it accepts a creation if all parameters so far, as though they had been
    fixed in advance, compose to (ε, δ)-DP."""

    epsilon: ExactEpsilon
    delta: Fraction
    reads_claims_only = True
    initial_state = ()

    def charge(self, state: Charged, measure: Measure) -> Charged | Refusal:
        parameters = parameters_of(measure)
        assert parameters is not None
        after = (*state, parameters)
        [(_, delta)] = composed(after, [self.epsilon])
        return after if delta <= self.delta else Refusal(parameters, _NOTHING, _NOTHING)


@attrs.frozen
class Forgetful(Budget[Any]):
    """A broken filter: it charges each creation as if it were the first."""

    budget: Filter
    reads_claims_only = True

    @property
    def initial_state(self) -> Any:
        return self.budget.initial_state

    def charge(self, state: Any, measure: Measure) -> Any:
        after = self.budget.charge(state, measure)
        return after if type(after) is Refusal else state


@attrs.frozen
class RoundedUp(Budget[Spent]):
    """A broken residue filter: the rest of the budget, a Gaussian parameter ν, is rounded up to a
    multiple of ``step``."""

    budget: ResidueFilter
    step: Fraction
    reads_claims_only = True

    @property
    def initial_state(self) -> Spent:
        return self.budget.initial_state

    def charge(self, state: Spent, measure: Measure) -> Spent | Refusal:
        after = self.budget.charge(state, measure)
        if type(after) is Refusal:
            return after
        square = self.budget.mu**2
        left = self.step * math.ceil(root_up(square - after.amount.rational) / self.step)
        return after._replace(amount=Sum().plus(max(Fraction(0), square - left**2)))


def quantile(growth: int, number: int, beta: Fraction) -> int:
    """The least m such that the privacy loss of ``number`` responses RR_{ln q}, with q =
    ``growth``, exceeds m·ln q with probability at most ``beta``."""
    weights = [math.comb(number, lies) * growth ** (number - lies) for lies in range(number + 1)]
    # worse[n]/(growth + 1)^number is the probability that at most n of the responses are lies.
    worse = list(itertools.accumulate(weights))
    allowed = beta * (growth + 1) ** number
    fits = max((lies for lies in range(number + 1) if worse[lies] <= allowed), default=-1)
    return number - 2 * (fits + 1)


def stopping(creation: object, readings: Sequence[int]) -> Adversary:
    """An adversary that sends (0, 1) to one RR after another, until the privacy loss of n of them
    exceeds the odometer's bound ``readings[n-1]``.

    The answer (0, ⊥) of an RR adds one to the loss, (1, ⊥) subtracts one.
    """

    @adversary
    def attack(answers: Sequence[object], coins: Coins) -> object:
        asked, creating = divmod(len(answers), 2)
        if creating:
            return Pair(Ask(0, asked), Ask(1, asked))
        if asked and (asked == len(readings) or exceeds(answers, readings)):
            return HALT
        return same(creation)

    return attack


def exceeds(answers: Sequence[Any], readings: Sequence[int]) -> bool:
    """Whether the privacy loss of these answers, in units of ln 2, exceeds the odometer's bound."""
    told = [answer[0] for answer in answers[1::2] if answer is not HALT]
    return bool(told) and len(told) - 2 * sum(told) > readings[len(told) - 1]


SECTION = (5, 8)
"""The position of this module's rows in ``antiphon verify``: after those on fixed parameters."""
AT: tuple[ExactEpsilon, ...] = (epsilon(0), Log(Fraction(3, 2)), Log(2), Log(4))
TWO, THREE, HALVES = (RandomizedResponse(epsilon=Log(Fraction(q, 2))) for q in (4, 6, 3))


def checks() -> Iterable[Check]:
    """The checks of filters and odometers under adaptive choice, each with a broken twin."""
    for budget, name in (
        (ConcentratedFilter(rho=Fraction(7, 10)), "Σρ <= 7/10"),
        (RenyiFilter(order=2, budget=Fraction(9, 10)), "ΣD_2 <= 9/10"),
        (GaussianFilter(mu=Fraction(7, 5)), "Σμ² <= (7/5)²"),
        (ResidueFilter(mu=Fraction(7, 5)), "residues of G_{7/5}"),
    ):
        row = Check(
            "Filters", f"{name}: RR of ln 3/2, ln 2, ln 3, adaptively", partial(_kept, budget)
        )
        yield row
        yield row.twin(f"{name}, which forgets what was charged", broken=Forgetful)
    yield row.twin(f"{name}, with ν rounded up to fifths", broken=_in_fifths)
    fixed = Check(
        "Filters", "RR of ln 3/2, ln 2, ln 3, by Σε and Σδ, kept to (ln 2, 1/4)", _to_goal
    )
    order = Check("Filters", "the best order for RR_{ln 7/2}, of which one knows", _best)
    once = Check("Filters", "an odometer for each time by itself, read at a fixed time", _pointwise)
    chain = Check(
        "Filters", "the tight curve of RR_{ln 2}s alone, kept to (ln 2, 23/100)", _in_a_chain
    )
    lost = Check("Filters", "M_{29/100} by Π(1-δ), kept to (0, 1/2)", _products)
    yield from (fixed, order, once, chain, lost)
    yield chain.twin("the tight curve of all three, kept to (ln 2, 1/4)", alone=False)
    yield lost.twin("the same, with each charged as the first", kept=False)
    yield fixed.twin("the tight curve of what was charged, kept to (ln 2, 1/4)", budget=NATURAL)
    yield order.twin(
        "some order within its budget: 16 RR_{ln 5/4} or RR_{ln 7/2}", mechanism=coin()
    )
    yield once.twin("an odometer for each time by itself, read when one likes", listens=True)


def _kept(budget: Any, *, broken: Callable[[Any], Budget[Any]] | None = None) -> Evidence:
    """Evidence that a filter keeps its promise over three adaptive creations, not if ``broken``."""
    curve = guarantee(ExtConComp(budget=budget), catalogue=(TWO, THREE, HALVES)).curve
    claimed = [(at, Fraction(curve.delta_at(at))) for at in AT]
    return _free(ExtConComp(budget=budget if broken is None else broken(budget)), claimed)


def _in_fifths(budget: ResidueFilter) -> RoundedUp:
    return RoundedUp(budget, Fraction(1, 5))


def _free(system: ExtConComp, claimed: Iterable[tuple[ExactEpsilon, Fraction]]) -> Evidence:
    f = adaptive_parameters(system.budget)
    return private(system, f, claimed, 6, catalogue=(TWO, THREE, HALVES), max_creations=3)


TO = Log(2), Fraction(1, 4)
NATURAL, BASIC = TightCurveFilter(*TO), BasicFilter(epsilon=TO[0], delta=TO[1])


def _to_goal(*, budget: Filter | TightCurveFilter = BASIC) -> Evidence:
    """Evidence that a filter keeps three adaptive creations within (ln 2, 1/4).

    The tight curve of what was charged does not: RR_{ln(3/2)}, then RR_{ln 3} if its answer was
    true, else RR_{ln 2} twice, has δ = 53/180.
    """
    return _free(ExtConComp(budget=budget), [TO])


def _in_a_chain(*, alone: bool = True) -> Evidence:
    """Evidence that a natural filter keeps its promise if all creations have one claim; not
    ``alone``: evidence that the same rule fails for three different claims."""
    if not alone:
        return _free(ExtConComp(budget=NATURAL), [TO])
    budget = NaturalFilter(epsilon=Log(2), delta=Fraction(23, 100), claim=Pure(Log(2)))
    f, claimed = adaptive_parameters(budget), [(budget.epsilon, Fraction(2, 9))]
    system = ExtConComp(budget=budget)
    return private(system, f, claimed, 6, catalogue=(TWO,), max_creations=3, exactly=True)


def _products(*, kept: bool = True) -> Evidence:
    """Evidence that a filter of δ = 1/2 admits two mechanisms of δ = 29/100 and no third: the tight
    δ is 1 - (71/100)². Not ``kept``: a broken filter forgets the earlier charges."""
    budget = BasicFilter(epsilon=0, delta=Fraction(1, 2))
    leaky = LeakyBit(delta=Fraction(29, 100))
    claimed = [(epsilon(0), Fraction(4959, 10000))]
    system = ExtConComp(budget=budget if kept else Forgetful(budget))
    f = adaptive_parameters(system.budget)
    return private(system, f, claimed, 9, catalogue=(leaky,), max_creations=3, exactly=True)


# --- checks of Rényi orders chosen after the outcome ----------------------------------------------

GOAL = Fraction(6, 5), Fraction(51, 400)
"""An (ε, δ) that follows at Rényi order 11/4 for one of two mechanisms, at 20 for the other."""
ORDERS = tuple(Fraction(n, 4) for n in (5, 6, 8, 10, 11, 12, 13, 14, 16, 20, 32, 64, 128))

ONCE = FiniteResponse(((7, 2), (2, 7)), name="RR of ln 7/2")


def coin() -> FiniteResponse:
    """One of two mechanisms, by a public coin: RR_{ln(7/2)}, or the number of true answers of
    sixteen RR_{ln(5/4)}."""
    truths = [math.comb(16, n) * 5**n * 4 ** (16 - n) for n in range(17)]
    # In either case the weights add up to 9^16, so the coin is fair.
    once = [2 * 9**15, 7 * 9**15]
    return FiniteResponse((tuple(truths + once), tuple(truths[::-1] + once[::-1])), name="coin")


def best_order(mechanism: FiniteResponse) -> Fraction:
    """The least δ at ε = 6/5 that follows from the Rényi divergence of a single order."""
    asked = Question(mechanism, neighbouring_start(), report=None)
    found = ((order, asked.tight_renyi(order, 1).lower) for order in ORDERS)
    curves = (OneOrderCurve(order, Fraction(divergence)) for order, divergence in found)
    return min(Fraction(curve.delta_at(GOAL[0])) for curve in curves)


def _best(*, mechanism: FiniteResponse = ONCE) -> Evidence:
    """Evidence that one Rényi order proves a claim (ε, δ); for ``coin()``, a mechanism chosen by a
    public coin, no single order does, as the coin's two outcomes need different ones."""
    who = "" if mechanism is ONCE else "a coin that both worlds show, before the order is chosen"
    note = "δ: the least that the divergence of one order proves"
    return Evidence((GOAL,), (best_order(mechanism),), who, note)


# --- checks of an odometer whose bound fails rarely at each fixed time ---------------------------

BETA, STEPS = Fraction(9, 20), 6


def _pointwise(*, listens: bool = False) -> Evidence:
    """Evidence on an odometer whose bound is exceeded w.p. at most 9/20 after each fixed number of
    responses; an adversary that ``listens`` stops when it is exceeded: w.p. 388/729."""
    readings = tuple(quantile(2, number, BETA) for number in range(1, STEPS + 1))
    creation = Create(TWO)
    never = (STEPS,) * STEPS
    attack = stopping(creation, readings if listens else never)
    game = Verifier(adaptive_parameters()) @ Identifier(0) @ ExtConComp()
    law = law_of_views(attack, game, rounds=2 * STEPS).views
    ever = sum((p for view, p in law if exceeds(view.answers, readings)), Fraction(0))
    who = f"RR_{{ln 2}} until the loss is above {readings} · ln 2"
    note = "δ: the probability that the loss is above its reading"
    return Evidence(((epsilon(0), BETA),), (ever,), who, note)
