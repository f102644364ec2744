"""Histories of one guarded mechanism, with the quantities μ^b(h) and L^b(h) of CM App. A and B."""

from __future__ import annotations

import math
from fractions import Fraction

import attrs

from antiphon.audit.exact.arena import PartArena, messages_to_try, single_arena
from antiphon.audit.exact.beliefs import OVER, SPENT, Columns
from antiphon.audit.exact.cost import LIMIT
from antiphon.audit.exact.solver import Solver
from antiphon.protocol import ContinualMechanism, Refused, Verification


@attrs.frozen(eq=False)
class WeighedHistory:
    """A transcript h, reduced to the belief about the mechanism and the weights of both worlds.

    μ^b(h), the probability of h's answers to its queries under b, is ``masses[b]``. Equal histories
    are the same object.
    """

    length: int
    column: int
    weights: tuple[Fraction, Fraction]
    masses: tuple[Fraction, Fraction]

    @property
    def ended(self) -> bool:
        """Whether the last answer ended the interaction."""
        return self.column == OVER

    @property
    def spent(self) -> bool:
        """Whether the mechanism now only answers HALT, within a composition that goes on."""
        return self.column == SPENT


@attrs.define(eq=False)
class Histories:
    """The histories of V[f] ∘* I(·) ∘* M for a finite M, alone or ``within`` a composition."""

    mechanism: ContinualMechanism
    verification: Verification
    within: bool = False
    _columns: Columns = attrs.field(init=False)
    _arena: PartArena = attrs.field(init=False)
    _solvers: tuple[Solver, Solver] = attrs.field(init=False)
    _met: dict[object, WeighedHistory] = attrs.field(
        init=False, factory=dict[object, WeighedHistory]
    )

    def __attrs_post_init__(self) -> None:
        queries = messages_to_try(self.mechanism)
        self._columns = Columns(LIMIT)
        start = self.mechanism.initial_state
        self._arena = single_arena(
            self._columns, self.mechanism, start, self.verification, queries, within=self.within
        )
        self._solvers = Solver(self._arena, 0, LIMIT), Solver(self._arena, 1, LIMIT)

    def empty(self) -> WeighedHistory:
        """The empty history: μ = 1 in both worlds."""
        return self._history(0, self._arena.start(), (Fraction(1), Fraction(1)))

    def respond(
        self, history: WeighedHistory, zero: object, one: object
    ) -> tuple[tuple[object, WeighedHistory], ...] | None:
        """(answer, history after it) for each answer to a pair; None if f refuses the pair."""
        move = self._columns.respond(history.column, zero, one)
        if type(move) is Refused:
            return None
        scale = move.denominator
        w0, w1 = history.weights
        length = history.length + 1
        found: list[tuple[object, WeighedHistory]] = []
        for number, (factor0, factor1, to) in zip(move.answers, move.branches, strict=True):
            weights = w0 * Fraction(factor0, scale), w1 * Fraction(factor1, scale)
            found.append((self._columns.answer(number), self._history(length, to, weights)))
        return tuple(found)

    def _history(
        self, length: int, column: int, weights: tuple[Fraction, Fraction]
    ) -> WeighedHistory:
        key = length, column, weights
        known = self._met.get(key)
        if known is None:
            totals0, totals1 = self._columns.totals
            masses = weights[0] * totals0[column], weights[1] * totals1[column]
            known = self._met[key] = WeighedHistory(length, column, weights, masses)
        return known

    def ahead(self, history: WeighedHistory, bit: int, growth: Fraction, rounds: int) -> Fraction:
        """L^b(h) of CM App. A: the largest Pr_b − e^ε Pr_{1−b} with ``rounds`` more queries."""
        weight, other = history.weights[bit], growth * history.weights[1 - bit]
        common = math.lcm(weight.denominator, other.denominator)
        solver = self._solvers[bit]
        gain = solver.solve_from(history.column, int(weight * common), int(other * common), rounds)
        return gain / common
