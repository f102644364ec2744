"""Tight Rényi divergence of an order: the largest that any adversary of T messages attains.

For the views P of the world b and Q of the other, D_α = ln E / (α−1), E = Σ_v P(v)^α Q(v)^(1−α)
(Mironov 2017, Def. 3). A term is a product over the rounds, so what follows a position does not
depend on how it was reached, and

    F_0 = (Σμ⁰)^α (Σμ¹)^(1−α),     F_t = max over messages of Σ_answers f⁰^α f¹^(1−α) F_{t−1},

with μ⁰, μ¹ the laws of the hidden states in the two worlds and f⁰, f¹ the factors of an answer, is
E of a position whose worlds have weight 1. A randomised adversary, whose views show its coins, has
the mean of the E of deterministic ones: no more than the largest. The result is exact for a whole
α; otherwise powers are enclosed, and ends rounded outward.

Tight range: how far apart an adaptive adversary of T messages can drive two privacy losses.

For the views v of a deterministic adversary, max ln P₀(v)/P₁(v) - min ln P₀(v)/P₁(v): the least η
with which a mechanism is η-BR (Durfee and Rogers 2019). As soon as the answers of two views differ,
their further messages are chosen independently. So with H_b the largest P_b(v)/P_{1-b}(v) from a
position on (whose worlds have weight 1), and f⁰, f¹ the factors of an answer a or a',

    R_t = max over messages of the larger of max_a R_{t-1}(a) and
          max_{a≠a'} (f⁰/f¹)(a) H₀(a) · (f¹/f⁰)(a') H₁(a'),

and R_0 = 1: e^η, exactly. The views of an adversary that draws coins contain them, and the range
compares views with the same coins: a coin for "(x, x') or (x', x)" would drive two losses 2η apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from heapq import nlargest
from itertools import product
from operator import itemgetter
from typing import Final, TypeAlias, Union

import attrs

from antiphon.audit.exact.arena import AdversaryChoice, Arena
from antiphon.audit.exact.beliefs import Branch
from antiphon.audit.exact.cost import Report, reached
from antiphon.audit.exact.solver import BackwardRecursion, Ratio, deep_recursion
from antiphon.numbers import InvalidArgument, down, exact, shown_up, up
from antiphon.protocol.display import Card, Grid, Shown
from antiphon.protocol.records.labels import counted, message_label

Number: TypeAlias = Union[Fraction, float]
"""A number that may be infinite: a Fraction, or ``math.inf``."""
Ends: TypeAlias = tuple[Number, Number]
_BITS: Final = 160
"""The relative precision, in bits, of a number that is enclosed between two others."""
_DIGITS: Final = 60
_LARGEST_EPSILON: Final = 1000
"""The ε above which a rational e^ε has too many digits to be of use."""
_LARGEST: Final = 4096
"""The largest order α that is allowed: numbers grow with the order."""
_NOTHING: Final = Fraction(0), Fraction(0)


@attrs.frozen(repr=False)
class Divergence(Shown):
    """The tight Rényi divergence of one order, in nats: it lies between ``lower`` and ``upper``.

    ``float`` gives the upper end, which is safe to report.
    """

    order: Fraction
    lower: float
    upper: float
    moment: Fraction | None
    """E = e^((α−1)D), exactly, for a whole order; None if it is infinite or only bounded."""
    rounds: int
    bit: int
    """The world b whose divergence from the other world is the larger of the two."""
    nodes: int
    """The number of positions valued."""

    def __float__(self) -> float:
        return self.upper

    def _card(self) -> Card:
        order = message_label(self.order)
        rows = [("at least", f"{self.lower!r}"), ("at most", f"{self.upper!r}")]
        if self.moment is not None:
            rows.append((f"e^(({order} − 1) D), exactly", message_label(self.moment)))
        rows.append(("the larger one is of", f"b = {self.bit}"))
        rows.append(("positions valued", f"{self.nodes:,}"))
        found = f"D_{order} = {shown_up(self.upper)} nats"
        return Card(f"{found}, against {counted(self.rounds, 'message')}", (Grid(rows),))


def order_of(value: object) -> Fraction:
    """The value as an order α. Raises: InvalidArgument unless 1 < α <= 4096."""
    order = exact.fraction(value, "the order alpha")
    if not 1 < order <= _LARGEST:
        raise InvalidArgument(f"the order of a Rényi divergence is above 1, at most {_LARGEST}")
    return order


@attrs.define(eq=False)
class DivergenceSolver(BackwardRecursion):
    """Computes the largest Rényi moment of one order, of the world ``bit`` against the other."""

    arena: Arena
    bit: int
    order: Fraction
    limit: int
    report: Report | None = None
    _values: dict[tuple[int, int], Ends] = attrs.field(factory=dict[tuple[int, int], Ends])

    @property
    def nodes(self) -> int:
        """The number of positions valued so far."""
        return len(self._values)

    def solve(self, rounds: int) -> Ends:
        """Bounds on the largest moment Σ P_b^α P_{1−b}^(1−α). Raises: Intractable past the
        limit."""
        with deep_recursion(rounds):
            return self._value(rounds, self.arena.start())

    def _value(self, rounds: int, position: int) -> Ends:
        key = rounds, position
        known = self._values.get(key)
        if known is None:
            known = self._best(rounds, position)
            self._values[key] = known
            reached(self.nodes, self.limit, self.report, "positions of a Rényi divergence")
        return known

    def _best(self, rounds: int, position: int) -> Ends:
        totals, bit = self.arena.totals, self.bit
        best: Ends = self._term(totals[bit][position], totals[1 - bit][position], 1)
        for choice in self.arena.worth_saying(position, rounds) if rounds else ():
            low, high = self._following(choice, rounds)
            best = max(best[0], low), max(best[1], high)
        return best if best[0] == best[1] else (_rounded(best[0], 0), _rounded(best[1], 1))

    def _following(self, choice: AdversaryChoice, rounds: int) -> Ends:
        """Bounds on the moment after a message, summed over its answers."""
        low: Number = Fraction(0)
        high: Number = Fraction(0)
        for branch in choice.branches:
            least, most = self._term(branch[self.bit], branch[1 - self.bit], choice.denominator)
            if most:
                after = self._value(rounds - 1, branch[2])
                low, high = low + least * after[0], high + most * after[1]
        return low, high

    # At a whole order, if no bound is infinite, both bounds are equal, and a strategy attains them.

    def value(self, rounds: int, position: int, ahead: int, behind: int) -> Ratio:
        # The weights of the worlds only multiply all later terms by a factor: they are left out.
        return self._value(rounds, position)[0].as_integer_ratio()

    def worth(self, choice: AdversaryChoice, rounds: int, ahead: int, behind: int) -> Ratio:
        return self._following(choice, rounds)[0].as_integer_ratio()

    def _term(self, own: int, other: int, denominator: int) -> Ends:
        """Bounds on own^α other^(1−α) / denominator, one answer's term of the moment."""
        if not own:
            return _NOTHING
        if not other:
            return math.inf, math.inf
        low, high = power(Fraction(own, other), self.order - 1)
        share = Fraction(own, denominator)
        return share * low, share * high


@lru_cache(1 << 14)
def power(base: Fraction, exponent: Fraction) -> tuple[Fraction, Fraction]:
    """Rational bounds on base^exponent, both > 0: equal for a whole exponent, else to 150 bits."""
    if base == 1 or exponent.denominator == 1:
        value = base**exponent.numerator if base != 1 else Fraction(1)
        return value, value
    if base < 1:
        low, high = power(1 / base, exponent)
        return 1 / high, 1 / low
    least, most = (exponent * end for end in exact.bracket(exact.Log(base), _DIGITS))
    # e^-x begins with 1.45·x zero bits, so as many more are computed.
    bits = _BITS + math.ceil(most * Fraction(3, 2))
    one = 1 << bits
    return Fraction(one, exact.exp_bracket(least, bits)[1]), Fraction(
        one, exact.exp_bracket(most, bits)[0]
    )


def _rounded(value: Number, upwards: int) -> Number:
    """The number with fewer digits, rounded down, or up if ``upwards``."""
    if not value or isinstance(value, float):
        return value
    shift = _BITS - value.numerator.bit_length() + value.denominator.bit_length()
    scaled = value * Fraction(2) ** shift
    return (math.ceil(scaled) if upwards else math.floor(scaled)) / Fraction(2) ** shift


def rational_growth(epsilon: exact.ExactEpsilon) -> tuple[Fraction, Fraction]:
    """(a rational g <= e^ε, a bound on what g instead of e^ε adds to δ); exact for Log and for 0.

    A smaller g makes δ larger, so the δ computed with g is an upper bound. The best event S for g
    has Pr_{1−b}[S] <= 1/g, so the excess is at most (e^ε − g)/g, which is below 2^-64 + 10^-33.
    """
    if isinstance(epsilon, exact.Log):
        return epsilon.argument, Fraction(0)
    if epsilon == 0:
        return Fraction(1), Fraction(0)
    if epsilon > _LARGEST_EPSILON:
        raise InvalidArgument(f"epsilon must be at most {_LARGEST_EPSILON} nats, or Log(q)")
    context = Context(prec=40, rounding=ROUND_FLOOR)
    power = context.divide(Decimal(epsilon.numerator), Decimal(epsilon.denominator))
    # exp is off by half a unit in its 40th digit, and so is its argument, which has at most 4
    # digits before the point: a relative 10^-34 covers both.
    low = Fraction(power.exp(context)) * (1 - Fraction(1, 10**34))
    grid = 2**64
    return max(Fraction(1), Fraction(math.floor(low * grid), grid)), Fraction(2, grid)


def logarithm(moment: Number, order: Fraction) -> tuple[float, float]:
    """Doubles below and above ln(moment)/(order−1), the divergence; the lower is at least 0."""
    if isinstance(moment, float):
        return math.inf, math.inf
    ends = exact.bracket(exact.epsilon(exact.Log(max(moment, Fraction(1)))), _DIGITS)
    return down(ends[0] / (order - 1)), up(ends[1] / (order - 1))


@attrs.define(eq=False)
class RangeSolver:
    """Computes the largest range of the privacy loss over the positions of an arena."""

    arena: Arena
    limit: int
    report: Report | None = None
    _ranges: dict[tuple[int, int], Number] = attrs.field(factory=dict[tuple[int, int], Number])
    _highest: dict[tuple[int, int, int], Number] = attrs.field(
        factory=dict[tuple[int, int, int], Number]
    )

    def solve(self, rounds: int) -> Number:
        """e^η for the largest range η; infinite if a view is possible in one world only.

        Raises: Intractable past ``limit``.
        """
        with deep_recursion(rounds):
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
        """The largest range of the privacy loss after a message, over pairs of views with the same
        next answer or with two different ones."""
        masses = [(self._mass(0, each), self._mass(1, each)) for each in branches]
        if any(bool(zero) is not bool(one) for zero, one in masses):
            return math.inf
        alive = [each for each, (zero, _) in zip(branches, masses, strict=True) if zero]
        ahead, behind = (
            nlargest(2, enumerate(self._after(rounds, bit, each) for each in alive), itemgetter(1))
            for bit in (0, 1)
        )
        between = (high * low for (i, high), (j, low) in product(ahead, behind) if i != j)
        return max([*between, *(self._range(rounds, to) for _, _, to in alive)])

    def _high(self, rounds: int, position: int, bit: int) -> Number:
        """The largest ratio P_bit/P_{1-bit} of the views of ``rounds`` messages from here on."""
        key = rounds, position, bit
        if key not in self._highest:
            totals = self.arena.totals
            own, other = totals[bit][position], totals[1 - bit][position]
            best: Number = Fraction(own, other) if other else math.inf
            for choice in self._choices(rounds, position):
                alive = (each for each in choice.branches if self._mass(bit, each))
                best = max(best, *(self._after(rounds - 1, bit, each) for each in alive))
            self._highest[key] = best
            self._count()
        return self._highest[key]

    def _after(self, rounds: int, bit: int, branch: Branch) -> Number:
        """The largest ratio P_bit/P_{1-bit} of the views that begin with one answer, which is given
        as a branch."""
        if not self._mass(1 - bit, branch):
            return math.inf
        return Fraction(branch[bit], branch[1 - bit]) * self._high(rounds, branch[2], bit)

    def _mass(self, bit: int, branch: Branch) -> int:
        return branch[bit] * self.arena.totals[bit][branch[2]]

    def _choices(self, rounds: int, position: int) -> Sequence[AdversaryChoice]:
        # coins=True: a message that reveals only public coins counts as useful, since the adversary
        # may go on in different ways by a coin, which drives two losses apart.
        said = self.arena.worth_saying
        found: Sequence[AdversaryChoice] = said(position, rounds, coins=True) if rounds else ()
        return found

    def _count(self) -> None:
        nodes = len(self._ranges) + len(self._highest)
        reached(nodes, self.limit, self.report, "positions of a range")
