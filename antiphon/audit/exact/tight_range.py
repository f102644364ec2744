"""Tight range: how far apart an adaptive adversary of T messages can drive two privacy losses.

For the views v of a deterministic adversary, max ln P₀(v)/P₁(v) - min ln P₀(v)/P₁(v): the least η
with which a mechanism is η-BR (Durfee and Rogers 2019). What is said to a view's two prefixes is
chosen for each by itself as soon as their answers differ. So with H_b the largest P_b(v)/P_{1-b}(v)
from a position on whose worlds have weight 1, and f⁰, f¹ the factors of an answer,

    R_t = max over messages of the larger of max_a R_{t-1}(a) and
          max_{a≠a'} (f⁰/f¹)(a) H₀(a) · (f¹/f⁰)(a') H₁(a'),

and R_0 = 1: e^η, exactly. An adversary that draws coins tells them in its views, and a range is of
views with the same coins: a coin for "(x, x') or (x', x)" would drive two losses 2η apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from heapq import nlargest
from itertools import product

import attrs

from antiphon.audit.exact.arena import Arena, Sayable
from antiphon.audit.exact.beliefs import Branch
from antiphon.audit.exact.divergence import Number
from antiphon.audit.exact.solver import Report, deep
from antiphon.numbers.errors import Intractable


@attrs.define(eq=False)
class RangeSolver:
    """The recursion over the positions of an arena."""

    arena: Arena
    limit: int
    report: Report | None = None
    _ranges: dict[tuple[int, int], Number] = attrs.field(factory=dict[tuple[int, int], Number])
    _highest: dict[tuple[int, int, int], Number] = attrs.field(
        factory=dict[tuple[int, int, int], Number]
    )

    def solve(self, rounds: int) -> Number:
        """The largest e^range; infinite if a view is possible in one world only.

        Raises: Intractable past ``limit``.
        """
        with deep(rounds):
            return self._range(rounds, self.arena.start())

    def _range(self, rounds: int, position: int) -> Number:
        key = rounds, position
        if key not in self._ranges:
            best: Number = Fraction(1)
            for choice in self._choices(rounds, position):
                best = max(best, self._apart(rounds - 1, choice.branches))
            self._ranges[key] = best
            self._count()
        return self._ranges[key]

    def _apart(self, rounds: int, branches: Sequence[Branch]) -> Number:
        """The range after a message: within one answer, or between two."""
        masses = [(self._mass(0, each), self._mass(1, each)) for each in branches]
        if any(bool(zero) is not bool(one) for zero, one in masses):
            return math.inf
        alive = [each for each, (zero, _) in zip(branches, masses, strict=True) if zero]
        ahead, behind = (
            nlargest(2, enumerate(self._after(rounds, bit, each) for each in alive), _value)
            for bit in (0, 1)
        )
        between = (high * low for (i, high), (j, low) in product(ahead, behind) if i != j)
        return max([*between, *(self._range(rounds, to) for _, _, to in alive)])

    def _high(self, rounds: int, position: int, bit: int) -> Number:
        """H_bit: the largest likelihood ratio of a view."""
        key = rounds, position, bit
        if key not in self._highest:
            totals = self.arena.totals
            best: Number = _ratio(totals[bit][position], totals[1 - bit][position])
            for choice in self._choices(rounds, position):
                alive = (each for each in choice.branches if self._mass(bit, each))
                best = max(best, *(self._after(rounds - 1, bit, each) for each in alive))
            self._highest[key] = best
            self._count()
        return self._highest[key]

    def _after(self, rounds: int, bit: int, branch: Branch) -> Number:
        """The largest ratio among the views that begin with an answer."""
        if not self._mass(1 - bit, branch):
            return math.inf
        return Fraction(branch[bit], branch[1 - bit]) * self._high(rounds, branch[2], bit)

    def _mass(self, bit: int, branch: Branch) -> int:
        return branch[bit] * self.arena.totals[bit][branch[2]]

    def _choices(self, rounds: int, position: int) -> Sequence[Sayable]:
        found: Sequence[Sayable] = self.arena.choices(position) if rounds else ()
        return found

    def _count(self) -> None:
        nodes = len(self._ranges) + len(self._highest)
        if nodes > self.limit:
            raise Intractable("positions of a range", nodes, self.limit)
        if self.report is not None and nodes % 4096 == 0:
            self.report(nodes)


def _ratio(own: int, other: int) -> Number:
    return Fraction(own, other) if other else math.inf


def _value(each: tuple[int, Number]) -> Number:
    return each[1]
