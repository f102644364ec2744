"""Tight δ: the largest advantage of any adaptive adversary with T messages, exactly.

For the belief with the laws μ⁰, μ¹ of hidden states in the world b and the other, the value is

    U_0 = max(0, Σ μ⁰ − e^ε Σ μ¹),     U_t = max over messages of Σ_answers U_{t−1},

which is L^b of CM App. A; U_T of the first position is δ_b(ε), and δ(ε) is the larger of both b.
The weights of the worlds are integers, already multiplied by the denominator of e^ε and by its
numerator; dividing both by their greatest common divisor lets equal beliefs meet, because U is
homogeneous.
"""

from __future__ import annotations

import gc
import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from itertools import chain
from typing import Final, TypeAlias

import attrs

from antiphon.audit.exact.arena import KEPT_LONGER, AdversaryChoice, Arena
from antiphon.audit.exact.beliefs import OVER
from antiphon.audit.exact.cost import Report, reached
from antiphon.audit.exact.guide import Guide
from antiphon.numbers.errors import Intractable

Key: TypeAlias = tuple[int, int, int, int]
"""The key of a belief: (rounds left, position, weight of b = 0, weight of b = 1)."""
Ratio: TypeAlias = tuple[int, int]
"""A fraction (numerator, denominator), not reduced: sums often have equal denominators."""
_CYCLES = 500_000
"""The number of new objects after which the garbage collector runs."""
_YOUNG = 50_000
"""The number of new objects from which on ``gc.freeze`` takes less time than a collection."""
_DEEPEST = 20_000
"""The largest number of rounds, which is the depth of the recursion."""


PATIENCE: tuple[float, float] = 48, 1
"""(a, b): an estimate (``Guide``) is made after a + b · rounds beliefs were valued exactly."""
_AGAIN: Final = 8
"""The factor by which PATIENCE grows if an estimate for other rounds is known."""


class _Slow(Exception):
    """Raised once so many beliefs were valued that an estimate is worth its time."""


@contextmanager
def deep_recursion(rounds: int) -> Generator[None, None, None]:
    """A context manager that raises the recursion limit, and makes garbage collections rare.

    Beliefs are long-lived tuples without cycles; at its usual rate the cycle collector would visit
    all of them repeatedly, which takes half of the time. Raises: Intractable past the longest
    horizon.
    """
    if rounds > _DEEPEST:
        raise Intractable("the rounds of an exact answer", rounds, _DEEPEST)
    depth, (young, *older) = sys.getrecursionlimit(), gc.get_threshold()
    sys.setrecursionlimit(max(depth, 16 * rounds + 2000))
    if young:  # The threshold 0 means that the garbage collector is off.
        gc.set_threshold(max(young, _CYCLES), *older)
    try:
        yield
    finally:
        if young and gc.get_count()[0] > max(young, _YOUNG) and not gc.get_freeze_count():
            # Freezing makes young objects count as old, without a visit by the collector.
            gc.freeze()
            gc.unfreeze()
        gc.set_threshold(young, *older)
        sys.setrecursionlimit(depth)


class BackwardRecursion(ABC):
    """Finds the best message in each belief, by backward recursion, for one world ``bit``, which is
    *ahead*: its mass counts for the adversary. The other world is *behind*."""

    arena: Arena
    bit: int

    @abstractmethod
    def value(self, rounds: int, position: int, ahead: int, behind: int) -> Ratio:
        """The largest gain of an adversary from a belief, with ``rounds`` more messages."""

    @abstractmethod
    def worth(self, choice: AdversaryChoice, rounds: int, ahead: int, behind: int) -> Ratio:
        """The gain of sending the message of ``choice`` first, and playing optimally afterwards."""

    def masses(self, position: int, ahead: int, behind: int) -> tuple[int, int]:
        """The masses of a belief: in the world ahead, and in the world behind."""
        totals, bit = self.arena.totals, self.bit
        return ahead * totals[bit][position], behind * totals[1 - bit][position]

    def followed(
        self, choice: AdversaryChoice, ahead: int, behind: int
    ) -> list[tuple[int, int, int]]:
        """For each answer to a choice: (weight ahead, weight behind, next position); the weights
        are over the choice's denominator."""
        bit = self.bit
        return [(ahead * b[bit], behind * b[1 - bit], b[2]) for b in choice.branches]

    def stops(self, rounds: int, position: int, ahead: int, behind: int) -> bool:
        """Whether to end the interaction is optimal in this belief."""
        value, unit = self.value(rounds, position, ahead, behind)
        return value == self.value(0, position, ahead, behind)[0] * unit

    def best_choice(self, rounds: int, position: int, ahead: int, behind: int) -> AdversaryChoice:
        """The first optimal message in a belief, if to stop is not optimal."""
        value, unit = self.value(rounds, position, ahead, behind)
        choices: Sequence[AdversaryChoice] = self.arena.choices(position)
        for choice in choices:
            own, over = self.worth(choice, rounds, ahead, behind)
            if own * unit == value * over:
                return choice
        raise AssertionError("no choice attains the maximum")


@attrs.define(eq=False)
class Solver(BackwardRecursion):
    """Computes δ_b, the largest gain of an adversary that accuses the world b = ``bit``, by
    memoised backward recursion over the positions of an arena."""

    arena: Arena
    bit: int
    limit: int
    report: Report | None = None
    nodes: int = attrs.field(default=0, init=False)
    """The number of beliefs valued."""
    _values: dict[Key, Ratio] = attrs.field(factory=dict[Key, Ratio])
    """The value of each belief for b = 0, whose key has weights without a common divisor."""
    _leaves: set[int] = attrs.field(factory=lambda: {OVER})
    """The positions in which no message is useful to the adversary."""
    _units: dict[int, int] = attrs.field(factory=dict[int, int])
    """One object for each denominator that occurs, so that equal ones take memory once."""
    guide: Guide = attrs.Factory(lambda own: Guide(own.arena), takes_self=True)
    _until: float = attrs.field(default=math.inf, init=False)
    """The number of values from which on an estimate by ``guide`` pays."""

    def rows(self) -> tuple[list[list[int]], Iterator[tuple[int, ...]]]:
        """The positions without a useful message, and the values, as rows that can be saved."""
        return [[*self._leaves]], ((*key, *value) for key, value in self._values.items())

    def add(self, leaves: Iterable[Iterable[int]], rows: Iterable[tuple[int, ...]]) -> None:
        """Add saved ``leaves`` (positions without a useful message), and ``rows`` of values."""
        self._leaves.update(chain.from_iterable(leaves))
        for rounds, position, zero, one, best, unit in rows:
            unit = self._units.setdefault(unit, unit)
            self._values[rounds, position, zero, one] = best, unit

    def agrees(self, most: int) -> bool:
        """Whether a sample of at most about ``most`` loaded values is the same when computed again.

        Sampled are beliefs with the fewest rounds left, on which all others depend.
        """
        values = self._values
        least = min((key[0] for key in values), default=0)
        keys = [key for key in values if key[0] <= least + 1]
        # ``trial`` is a second solver with the same table of values.
        trial = attrs.evolve(self, limit=sys.maxsize, report=None)
        for key in keys[:: len(keys) // most + 1]:
            best, unit = values[key]
            again, over = trial._best(*key)
            if best * over != again * unit:
                return False
        return True

    def solve(self, growth: Fraction, rounds: int) -> Fraction:
        """The maximum over adversaries of Pr_b[S] − growth · Pr_{1−b}[S], where growth = e^ε.

        Raises: Intractable past ``limit`` beliefs.
        """
        start = self.arena.start()
        if self._values:
            self.arena.kept = KEPT_LONGER
        value = self.solve_from(start, growth.denominator, growth.numerator, rounds)
        return value / growth.denominator

    def solve_each(self, growths: Iterable[Fraction], rounds: int) -> list[Fraction]:
        """The result of ``solve`` for each of ``growths``; their beliefs are estimated together."""
        given = list(growths)
        self.guide.expected = tuple(float(1 / each if self.bit else each) for each in given)
        try:
            with deep_recursion(rounds):
                return [self.solve(each, rounds) for each in given]
        finally:
            self.guide.expected = ()

    def solve_from(self, position: int, ahead: int, behind: int, rounds: int) -> Fraction:
        """The value of a position, given the weights of the two worlds."""
        with deep_recursion(rounds):
            return Fraction(*self.value(rounds, position, ahead, behind))

    def value(self, rounds: int, position: int, ahead: int, behind: int) -> Ratio:
        # The value for the world 0 minus that for the world 1 is the difference of the two masses,
        # so one table serves both.
        own, against = self.masses(position, ahead, behind)
        if not rounds or not own or not against or position in self._leaves:
            return max(0, own - against), 1
        common = math.gcd(ahead, behind)
        weights = ahead // common, behind // common
        zero, one = weights[:: 1 - 2 * self.bit]
        key = rounds, position, zero, one
        gain, unit = self._values.get(key) or self._valued(key)
        gain *= common
        return (gain + (own - against) * unit if self.bit else gain), unit

    def _valued(self, key: Key) -> Ratio:
        """The value of a belief: computed at once if that is quick, else after an estimate."""
        rounds, position, ahead, behind = key
        self._until = math.inf
        if position != self.arena.start() or self.guide.unsuited:
            return self._best(*key)
        if not self.guide.knows(rounds):
            patience = PATIENCE[0] + PATIENCE[1] * rounds
            # An estimate for other rounds has many positions in common with this one.
            again = _AGAIN if self.guide.ready else 1
            self._until = len(self._values) + again * patience
            with suppress(_Slow):
                return self._best(*key)
            self._until = math.inf
        self.nodes += self.guide.look(
            rounds, ahead, behind, self.limit - len(self._values), self.report
        )
        return self._best(*key)

    def _best(self, rounds: int, position: int, ahead: int, behind: int) -> Ratio:
        """The value of a belief for b = 0, cached: the larger of stopping and of the best message.

        ``worth`` and ``value`` are inlined, which leaves one stack frame a round.
        """
        values, leaves, (aheads, behinds) = self._values, self._leaves, self.arena.totals
        ceiling = ahead * aheads[position]  # No gain exceeds the mass of the world ahead.
        best, unit, left = max(0, ceiling - behind * behinds[position]), 1, rounds - 1
        choices: Sequence[AdversaryChoice] = self.arena.worth_saying(position, rounds)
        settled = self.arena.settled(position, rounds)
        if not choices:
            leaves.add(position)
            return best, 1
        if settled is not None:
            best, unit, choices = settled.value(ahead, behind), settled.denominator, ()
        elif len(choices) > 1 and self.guide.ready:
            choices = self.guide.worth_trying(choices, rounds, position, ahead, behind)
        for choice in choices:
            total, over = 0, 1
            for factor0, factor1, to in choice.branches:
                weight, counter = ahead * factor0, behind * factor1
                if not (left and weight and counter) or to in leaves:
                    gain = weight * aheads[to] - counter * behinds[to]
                    total += gain * over if gain > 0 else 0
                    continue
                common = math.gcd(weight, counter)
                key = left, to, weight // common, counter // common
                gain, below = values.get(key) or self._best(*key)
                if below == over:
                    total += gain * common
                elif over == 1:
                    total, over = total * below + gain * common, below
                else:
                    both = math.lcm(over, below)
                    total = total * (both // over) + gain * common * (both // below)
                    over = both
            over *= choice.denominator
            if total * unit > best * over:
                best, unit = total, over
                if best >= ceiling * unit:
                    break
        values[rounds, position, ahead, behind] = best, self._units.setdefault(unit, unit)
        self.nodes += 1
        reached(len(values), self.limit, self.report, "the exact solver's beliefs")
        if len(values) > self._until and len(choices) > 1:
            raise _Slow
        return best, unit

    def worth(self, choice: AdversaryChoice, rounds: int, ahead: int, behind: int) -> Ratio:
        total, unit = 0, 1
        for own, other, position in self.followed(choice, ahead, behind):
            value, over = self.value(rounds - 1, position, own, other)
            common = math.lcm(unit, over)
            total, unit = total * (common // unit) + value * (common // over), common
        return total, unit * choice.denominator

    def profile(self, growth: Fraction, rounds: int) -> tuple[Fraction, Fraction]:
        """(Pr_b[S], Pr_{1−b}[S]) of an optimal adversary and its event S, after ``solve``."""
        start = rounds, self.arena.start(), growth.denominator, growth.numerator
        with deep_recursion(rounds):
            mass, against = self._profile(start, {})
        return mass / growth.denominator, against / growth.numerator

    def _profile(
        self, key: Key, found: dict[Key, tuple[Fraction, Fraction]]
    ) -> tuple[Fraction, Fraction]:
        rounds, *belief = key
        if key in found:
            return found[key]
        mass = against = Fraction(0)
        if self.stops(*key):
            if self.value(0, *belief)[0]:
                mass, against = map(Fraction, self.masses(*belief))
        else:
            choice = self.best_choice(*key)
            for own, other, to in self.followed(choice, *belief[1:]):
                part = self._profile((rounds - 1, to, own, other), found)
                mass += part[0] / choice.denominator
                against += part[1] / choice.denominator
        found[key] = mass, against
        return found[key]
