"""Histories of one guarded mechanism: μ_t^b(h) and L^b(h) of CM App. A and B, exactly."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import attrs

from antiphon.audit.exact.arena import SingleArena, listed
from antiphon.audit.exact.columns import Columns
from antiphon.audit.exact.question import LIMIT
from antiphon.audit.exact.solver import Solver
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.verifiers.verification import Refused, Verification


@attrs.frozen(eq=False)
class History:
    """A transcript h, as what can be known after it: a column and the weights of both worlds.

    μ^b(h), the probability of h's answers to its queries under b, is ``masses[b]``. One
    object for each, so that equal histories are the same one.
    """

    length: int
    column: int
    weights: tuple[Fraction, Fraction]
    masses: tuple[Fraction, Fraction]


@attrs.define(eq=False)
class Histories:
    """The histories of V[f] ∘* I(·) ∘* M for a finite M."""

    mechanism: ContinualMechanism[Any, Any, Any]
    verification: Verification[Any]
    _columns: Columns = attrs.field(init=False)
    _arena: SingleArena = attrs.field(init=False)
    _solvers: tuple[Solver, Solver] = attrs.field(init=False)
    _met: dict[Any, History] = attrs.field(init=False, factory=dict[Any, History])

    def __attrs_post_init__(self) -> None:
        queries = listed(self.mechanism)
        self._columns = Columns(LIMIT)
        start = self.mechanism.initial_state
        self._arena = SingleArena(self._columns, self.mechanism, start, self.verification, queries)
        self._solvers = Solver(self._arena, 0, LIMIT), Solver(self._arena, 1, LIMIT)

    def empty(self) -> History:
        """The empty history: μ = 1 in both worlds."""
        return self._history(0, self._arena.start(), (Fraction(1), Fraction(1)))

    def respond(
        self, history: History, zero: Any, one: Any
    ) -> tuple[tuple[Any, History], ...] | None:
        """(answer, history) for every answer to a pair, in a fixed order; None if f refuses it."""
        move = self._columns.respond(history.column, zero, one)
        if type(move) is Refused:
            return None
        scale = move.denominator
        w0, w1 = history.weights
        length = history.length + 1
        return tuple(
            (
                answer,
                self._history(length, to, (w0 * Fraction(f0, scale), w1 * Fraction(f1, scale))),
            )
            for answer, f0, f1, to in move.outcomes
        )

    def _history(self, length: int, column: int, weights: tuple[Fraction, Fraction]) -> History:
        total0, total1 = self._columns.totals[column] if column >= 0 else (1, 1)
        key = length, column, weights
        known = self._met.get(key)
        if known is None:
            masses = weights[0] * total0, weights[1] * total1
            known = self._met[key] = History(length, column, weights, masses)
        return known

    def ahead(self, history: History, bit: int, growth: Fraction, rounds: int) -> Fraction:
        """L^b(h): the most an adversary of ``rounds`` more queries gains, Pr_b − e^ε Pr_{1−b}."""
        weight, other = history.weights[bit], growth * history.weights[1 - bit]
        common = math.lcm(weight.denominator, other.denominator)
        solver = self._solvers[bit]
        gain = solver.solve_from(history.column, int(weight * common), int(other * common), rounds)
        return gain / common
