"""Tight δ: the best any adaptive adversary of T messages can do, exactly.

For the belief with weights w⁰, w¹ (already multiplied by the denominator of e^ε and
by its numerator) the value is

    U_0 = max(0, Σ μ⁰ − e^ε Σ μ¹),     U_t = max over messages of Σ_answers U_{t−1},

which is L^b of CM App. A (theory §2.1); U_T of the first position is δ_b(ε), and δ(ε)
is the larger of both b. Weights are integers; dividing both by their greatest common
divisor lets equal beliefs meet, because U is homogeneous.
"""

from __future__ import annotations

import gc
import math
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import attrs

from antiphon.audit.exact.arena import Arena, Option, Place
from antiphon.protocol.errors import Intractable

Key: TypeAlias = tuple[int, int, int, int]
"""(rounds left, position, w⁰, w¹)"""
Ratio: TypeAlias = tuple[int, int]
"""(numerator, denominator), not reduced: equal denominators, the common case, just add."""
Report: TypeAlias = Callable[[int], None]
_CYCLES = 500_000
"""How many new objects call for a look at cycles."""
_DEEPEST = 20_000
"""The longest horizon: the recursion is as deep."""


@contextmanager
def deep(rounds: int) -> Generator[None, None, None]:
    """Room for a recursion as deep as the horizon, and for many beliefs.

    Beliefs are tuples that live on and form no cycles; at its usual pace the cycle
    collector would walk over all of them again and again, for half of the time.
    Raises: Intractable past the longest horizon.
    """
    if rounds > _DEEPEST:
        raise Intractable("the rounds of an exact answer", rounds, _DEEPEST)
    depth, (young, *older) = sys.getrecursionlimit(), gc.get_threshold()
    sys.setrecursionlimit(max(depth, 16 * rounds + 2000))
    if young:  # 0: it is off
        gc.set_threshold(max(young, _CYCLES), *older)
    try:
        yield
    finally:
        if young and gc.get_count()[0] > young and not gc.get_freeze_count():
            gc.freeze()  # with the next line: what is young counts as old, unvisited
            gc.unfreeze()
        gc.set_threshold(young, *older)
        sys.setrecursionlimit(depth)


class Choice(NamedTuple):
    """An option, with the positions it may lead to by number: (factor⁰, factor¹, position)."""

    option: Option
    branches: tuple[tuple[int, int, int], ...]


@attrs.define(eq=False)
class Solver:
    """Memoised backward recursion over the positions of an arena, for one world ``bit``."""

    arena: Arena
    bit: int
    limit: int
    report: Report | None = None
    _values: dict[Key, Ratio] = attrs.field(factory=dict[Key, Ratio])
    _positions: list[Place] = attrs.field(factory=list[Place])
    _ids: dict[Place, int] = attrs.field(factory=dict[Place, int])
    _choices: dict[int, tuple[Choice, ...]] = attrs.field(factory=dict[int, tuple[Choice, ...]])
    _totals: dict[int, tuple[int, int]] = attrs.field(factory=dict[int, tuple[int, int]])

    @property
    def nodes(self) -> int:
        """How many beliefs have been valued."""
        return len(self._values)

    def solve(self, growth: Fraction, rounds: int) -> Fraction:
        """max over adversaries of Pr_b[S] − growth · Pr_{1−b}[S], where growth = e^ε.

        Raises: Intractable past ``limit`` beliefs.
        """
        start = self.arena.start()
        value = self.solve_from(start, growth.denominator, growth.numerator, rounds)
        return value / growth.denominator

    def solve_from(self, position: Place, ahead: int, behind: int, rounds: int) -> Fraction:
        """The value of a position whose worlds have these weights."""
        with deep(rounds):
            return Fraction(*self.value(rounds, self._number(position), ahead, behind))

    def first(self) -> int:
        """The number of the first position."""
        return self._number(self.arena.start())

    def live(self, number: int) -> tuple[int, ...]:
        """The columns that matter in the position of a number."""
        return self.arena.live(self._positions[number])

    def choices(self, position: int) -> tuple[Choice, ...]:
        """What may be said in a position."""
        known = self._choices.get(position)
        if known is None:
            options = self.arena.options(self._positions[position])
            known = self._choices[position] = tuple(map(self._choice, options))
        return known

    def _choice(self, option: Option) -> Choice:
        # "ahead" is the world whose mass counts for the adversary, b; "behind" the other.
        numbered = [
            (factor0, factor1, self._number(to)) for _, factor0, factor1, to in option.branches
        ]
        if self.bit:
            numbered = [(other, factor, to) for factor, other, to in numbered]
        return Choice(option, tuple(numbered))

    def value(self, rounds: int, position: int, ahead: int, behind: int) -> Ratio:
        """U_rounds of a belief."""
        total_ahead, total_behind = self._totals[position]
        mass = ahead * total_ahead
        if mass == 0 or behind == 0 or total_behind == 0:
            return mass, 1
        if rounds == 0:
            return max(0, mass - behind * total_behind), 1
        common = math.gcd(ahead, behind)
        key = rounds, position, ahead // common, behind // common
        known = self._values.get(key)
        if known is None:
            known = self._best(*key)
            self._keep(key, known)
        return known[0] * common, known[1]

    def _keep(self, key: Key, value: Ratio) -> None:
        if len(self._values) >= self.limit:
            raise Intractable("the exact solver's beliefs", len(self._values) + 1, self.limit)
        self._values[key] = value
        if self.report is not None and len(self._values) % 4096 == 0:
            self.report(len(self._values))

    def _best(self, rounds: int, position: int, ahead: int, behind: int) -> Ratio:
        """The largest ``worth``; ``worth`` and ``value`` written out, for one frame a round."""
        totals, values, rounds = self._totals, self._values, rounds - 1
        total_ahead, total_behind = totals[position]
        ceiling = ahead * total_ahead  # all the mass there is: no adversary has more
        best, unit = max(0, ceiling - behind * total_behind), 1
        for choice in self.choices(position):
            total, over = 0, 1
            for factor, other, to in choice.branches:
                own, against = totals[to]
                weight, counter = ahead * factor, behind * other
                own, against, below = weight * own, counter * against, 1
                if own and against:
                    if rounds:
                        common = math.gcd(weight, counter)
                        key = rounds, to, weight // common, counter // common
                        known = values.get(key)
                        if known is None:
                            known = self._best(*key)
                            self._keep(key, known)
                        own, below = known[0] * common, known[1]
                    else:
                        own = max(0, own - against)
                if below == over:
                    total += own
                else:
                    common = math.lcm(over, below)
                    total, over = total * (common // over) + own * (common // below), common
            over *= choice.option.denominator
            if total * unit > best * over:
                best, unit = total, over
                if best >= ceiling * unit:
                    break
        return best, unit

    def worth(self, choice: Choice, rounds: int, ahead: int, behind: int) -> Ratio:
        """The value of saying this and going on as well as can be."""
        total, unit = 0, 1
        rounds -= 1
        for factor, other, position in choice.branches:
            value, over = self.value(rounds, position, ahead * factor, behind * other)
            if over == unit:
                total += value
            else:
                common = math.lcm(unit, over)
                total = total * (common // unit) + value * (common // over)
                unit = common
        return total, unit * choice.option.denominator

    def stops(self, rounds: int, position: int, ahead: int, behind: int) -> bool:
        """Whether ending here is as good as anything."""
        value, unit = self.value(rounds, position, ahead, behind)
        return value == self.value(0, position, ahead, behind)[0] * unit

    def best_choice(self, rounds: int, position: int, ahead: int, behind: int) -> Choice:
        """The first choice that attains the value, where stopping does not."""
        value, unit = self.value(rounds, position, ahead, behind)
        for choice in self.choices(position):
            own, over = self.worth(choice, rounds, ahead, behind)
            if own * unit == value * over:
                return choice
        raise AssertionError("no choice attains the maximum")

    def profile(self, growth: Fraction, rounds: int) -> tuple[Fraction, Fraction]:
        """(Pr_b[S], Pr_{1−b}[S]) of a maximising adversary and event, after ``solve``."""
        start = rounds, self.first(), growth.denominator, growth.numerator
        with deep(rounds):
            mass, against = self._profile(start, {})
        return mass / growth.denominator, against / growth.numerator

    def _profile(
        self, key: Key, found: dict[Key, tuple[Fraction, Fraction]]
    ) -> tuple[Fraction, Fraction]:
        rounds, position, ahead, behind = key
        if key in found:
            return found[key]
        mass = against = Fraction(0)
        if self.stops(*key):
            if self.value(0, position, ahead, behind)[0]:
                own, other = self._totals[position]
                mass, against = Fraction(ahead * own), Fraction(behind * other)
        else:
            choice = self.best_choice(*key)
            for factor, other, to in choice.branches:
                part = self._profile((rounds - 1, to, ahead * factor, behind * other), found)
                mass += part[0] / choice.option.denominator
                against += part[1] / choice.option.denominator
        found[key] = mass, against
        return found[key]

    def _number(self, position: Place) -> int:
        number = self._ids.setdefault(position, len(self._positions))
        if number == len(self._positions):
            if number >= self.limit:
                raise Intractable("the exact solver's positions", number + 1, self.limit)
            self._positions.append(position)
            self._totals[number] = self._total(position)
        return number

    def _total(self, position: Place) -> tuple[int, int]:
        totals = [self.arena.columns.totals[column] for column in self.arena.live(position)]
        return (
            math.prod(total[self.bit] for total in totals),
            math.prod(total[1 - self.bit] for total in totals),
        )
