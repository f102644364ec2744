"""A question about a game, answered exactly: tight δ, the whole curve, tight ε."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any, TypedDict

import attrs

from antiphon.audit.exact.arena import Arena, CompositionArena, SingleArena
from antiphon.audit.exact.columns import Columns
from antiphon.audit.exact.progress import progress
from antiphon.audit.exact.solver import Report, Solver
from antiphon.audit.exact.strategy import StrategyAdversary, StrategyBuilder
from antiphon.composition.concurrent import ConComp, Concurrent, ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.functions import FixedMechanisms, Suitable
from antiphon.protocol import exact
from antiphon.protocol.errors import Intractable, InvalidArgument
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import Ask
from antiphon.verifiers.verification import Verification

LIMIT = 3_000_000
"""Beliefs to value before giving up; a belief takes about 300 bytes."""


class Search(TypedDict, total=False):
    """How far to search: what may be said, what may be created, and when to give up."""

    queries: Iterable[Any] | None
    """The messages to try; by default all of a finite query space."""
    catalogue: Iterable[Any] | None
    """The mechanisms, or creation queries, that ExtConComp may be asked to create."""
    max_creations: int | None
    """How many of them at most."""
    limit: int
    """How many beliefs to value before Intractable."""
    report: Report | None
    """Called with the number of beliefs as it grows; by default a line for a person who watches."""


@attrs.frozen
class Solution:
    """The answer: ``delta`` is the tight δ(ε), or above it by at most ``error``."""

    delta: Fraction
    error: Fraction
    """0 where e^ε is rational; else how far e^ε was rounded down, which bounds the excess."""
    epsilon: exact.ExactEpsilon
    rounds: int
    bit: int
    """The world whose views the worst event favours."""
    nodes: int
    """Beliefs valued."""


@attrs.define(eq=False)
class Question:
    """One game with what may be said in it; keeps what it learned between answers."""

    system: ContinualMechanism[Any, Any, Any]
    verification: Verification[Any]
    queries: Iterable[Any] | None = None
    catalogue: Iterable[Any] | None = None
    max_creations: int | None = None
    limit: int = LIMIT
    report: Report | None = attrs.field(factory=progress)
    _solvers: tuple[Solver, ...] = ()

    def solvers(self) -> tuple[Solver, ...]:
        """One solver for each world, over one arena."""
        if not self._solvers:
            arena = self._arena()
            self._solvers = tuple(Solver(arena, bit, self.limit, self.report) for bit in (0, 1))
        return self._solvers

    def _arena(self) -> Arena:
        columns = Columns(self.limit)
        creations = _creations(self.catalogue, self.verification)
        if isinstance(self.system, ExtConComp) and isinstance(self.verification, Suitable):
            if not creations:
                raise InvalidArgument(
                    "which mechanisms may be created? pass catalogue=[…], a finite list of "
                    "mechanisms or creation queries"
                )
            most = sys.maxsize if self.max_creations is None else self.max_creations
            return CompositionArena(columns, self.verification, creations, most)
        queries = _queries(self.system, self.queries, creations, self.max_creations)
        start = self.system.initial_state
        return SingleArena(columns, self.system, start, self.verification, queries)

    def solve(self, epsilon: exact.Epsilon, rounds: int) -> Solution:
        """Tight δ at one ε. Raises: Intractable, InvalidArgument (the cure is in the text)."""
        normal = exact.epsilon(epsilon)
        growth, error = rational_growth(normal)
        values = [solver.solve(growth, _rounds(rounds)) for solver in self.solvers()]
        bit = values.index(max(values))
        nodes = sum(solver.nodes for solver in self.solvers())
        return Solution(values[bit], error, normal, rounds, bit, nodes)

    def best_adversary(self, epsilon: exact.Epsilon, rounds: int) -> StrategyAdversary:
        """A strategy that attains the tight δ, with its distinguishing event."""
        solution = self.solve(epsilon, rounds)
        solver = self.solvers()[solution.bit]
        growth, _ = rational_growth(solution.epsilon)
        nodes = StrategyBuilder(solver, self.limit).build(growth, rounds)
        return StrategyAdversary(nodes, solution.bit, growth, solution.delta)

    def tight_epsilon(self, delta: object, rounds: int) -> exact.ExactEpsilon | float:
        """The least ε >= 0 with tight δ(ε) <= delta, exactly; ``math.inf`` if there is none.

        δ as a function of e^ε is convex and piecewise linear, so Newton's method from
        the left reaches the crossing in finitely many steps.
        """
        target = exact.probability(delta)
        growth = Fraction(1)
        for solver in self.solvers():
            while (gap := solver.solve(growth, rounds) - target) > 0:
                mass, against = solver.profile(growth, rounds)
                if against == 0:
                    return math.inf
                growth = (mass - target) / against
                assert gap >= 0
        return exact.epsilon(exact.Log(growth))


def rational_growth(epsilon: exact.ExactEpsilon) -> tuple[Fraction, Fraction]:
    """(a rational at most e^ε, how far below it may be): exact for Log and for 0.

    A smaller e^ε makes δ larger, so what is computed with it is an upper bound, and by
    no more than the gap, because δ falls with slope at most 1 in e^ε.
    """
    growth = exact.exp(epsilon)
    if isinstance(growth, Fraction):
        return growth, Fraction(0)
    assert isinstance(epsilon, Fraction)
    context = Context(prec=40, rounding=ROUND_FLOOR)
    power = context.divide(Decimal(epsilon.numerator), Decimal(epsilon.denominator))
    grid = 2**64
    low = Fraction(power.exp(context)) * (1 - Fraction(1, 10**36))
    return Fraction(math.floor(low * grid), grid), Fraction(2, grid)


def _rounds(rounds: object) -> int:
    if type(rounds) is not int or rounds < 0:
        raise InvalidArgument(
            f"rounds must be an int >= 0, not {rounds!r}: an exact answer needs a finite horizon"
        )
    return rounds


def _creations(catalogue: Iterable[Any] | None, verification: Any) -> tuple[Create, ...]:
    if catalogue is None and isinstance(verification, FixedMechanisms):
        catalogue = verification.created
    given: Iterable[Any] = catalogue or ()
    distinct = dict.fromkeys(each if isinstance(each, Create) else Create(each) for each in given)
    return tuple(distinct)


def _queries(
    system: ContinualMechanism[Any, Any, Any],
    given: Iterable[Any] | None,
    creations: Sequence[Create],
    most: int | None,
) -> Callable[[Any], Sequence[Any]]:
    """The messages to try in each hidden state."""
    if given is not None:
        listed = tuple(given)
        return lambda state: listed
    if isinstance(system, ExtConComp | ConComp):
        return lambda state: tuple(_composed(system, state, creations, most))
    try:
        listed = tuple(system.signature.queries.enumerate())
    except Intractable:
        raise Intractable(
            f"listing the messages of {type(system).__name__}, whose alphabet is infinite "
            "(pass queries=[…], the finite list of messages to try)",
            "infinite",
            "finite",
        ) from None
    return lambda state: listed


def _composed(
    system: Concurrent, state: Any, creations: Sequence[Create], most: int | None
) -> Iterable[Any]:
    children = system.children(state)
    if isinstance(system, ExtConComp) and (most is None or len(children) < most):
        yield from creations
    for index, child in enumerate(children):
        for query in child.created.mechanism.signature.queries.enumerate():
            yield Ask(query, index)
