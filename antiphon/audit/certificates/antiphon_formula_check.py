"""Checks a formula for a tight δ: another function between each two breakpoints (*cuts*). It needs
the standard library and antiphon_check.py beside it. docs/formulas.md has the format.

The file has the tables of a privacy game whose probabilities are polynomials in a symbol; cuts of
the symbol's interval; and of each belief a value, which is one polynomial between each two cuts.
This file checks, for all numbers between two cuts at once, that no value is less than that of any
continuation, and that each value equals that of the continuation which the file names.
"""

# ruff: noqa: B019
# pyright: basic
from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache, reduce
from itertools import zip_longest
from math import gcd
from operator import mul
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __package__:
    from antiphon.audit.certificates import antiphon_check as base
else:
    import antiphon_check as base  # Run as a program, this file has antiphon_check.py beside it


class Poly(tuple[int, ...]):
    """A polynomial: its integer coefficients, the constant one first, without zeros at the end."""

    def __new__(cls, given: Iterable[int] = ()) -> Any:
        own = list(given)
        while own and not own[-1]:
            own.pop()
        return super().__new__(cls, own)

    def __add__(self, other: Any) -> Any:
        return Poly(map(sum, zip_longest(self, other or (), fillvalue=0)))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + other * -1

    def __mul__(self, other: Any) -> Any:
        factor = Poly([other]) if type(other) is int else other
        found = [0] * (len(self) + len(factor))
        for i, one in enumerate(self):
            for j, two in enumerate(factor, i):
                found[j] += one * two
        return Poly(found)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        left, found = list(self), [0] * len(self)
        for k in range(len(self) - len(other), -1, -1):
            found[k] = left[k + len(other) - 1] // other[-1]
            for i, each in enumerate(other, k):
                left[i] -= found[k] * each
        base.need(not any(left), "no divisor")
        return Poly(found)

    def __mod__(self, other: Any) -> Any:
        left = self
        # Each step keeps a multiple of the remainder, with coefficients as small as possible.
        while len(left) >= len(other):
            more = Poly([0] * (len(left) - len(other)) + [left[-1]])
            left = (left * other[-1] - other * more).primitive()
        return left

    def __call__(self, x: Fraction) -> Fraction:
        return reduce(lambda found, each: found * x + each, reversed(self), Fraction(0))

    def primitive(self) -> Any:
        """Returns the polynomial divided by the greatest common divisor of its coefficients."""
        by = gcd(*self) or 1
        return Poly(each // by for each in self)

    def common(self, other: Any) -> Any:
        """Returns the greatest common divisor of two polynomials, up to its sign."""
        by, one, two = gcd(*self, *other), self.primitive(), other.primitive()
        while two:
            one, two = two, one % two
        return one * by

    def slope(self) -> Any:
        """Returns the derivative of the polynomial."""
        return Poly([i * each for i, each in enumerate(self)][1:])

    def odd(self) -> Any:
        """Returns the product of the polynomial's factors of odd power, each once, with the sign of
        the polynomial."""
        left, found = self.primitive(), Poly([1])
        while len(left) > 1:
            once = left // left.common(left.slope()).primitive()
            left, both = left // once, found.common(once).primitive()
            found = (found // both) * (once // both)
        return found * (1 if found[-1] * self[-1] > 0 else -1)

    def along(self, low: Fraction, high: Any) -> list[int]:
        """Returns the Bernstein form of the polynomial on [low, high]: the coefficients, in s >= 0,
        of a positive multiple of its value at the point (low + high·s)/(1 + s), which goes from low
        to high. If high is None, the point is low + s."""
        (a, b), (c, d) = low.as_integer_ratio(), (1, 0) if high is None else high.as_integer_ratio()
        above, below = Poly([a * (d or 1), c * b]), Poly([b * (d or 1), d * b])
        found, power = Poly(), Poly([1])
        for each in reversed(self):
            found, power = found * above + power * each, power * below
        return [*found, *[0] * (len(self) - len(found))]

    def nonnegative(self, low: Fraction, high: Any) -> bool:
        """Returns whether the polynomial is >= 0 on the interval [low, high], or on [low, ∞) if
        high is None."""
        return not self or split(self, low, high, 0) or split(self.odd(), low, high, 400)


def split(poly: Poly, low: Fraction, high: Any, depth: int) -> bool:
    """Returns whether the coefficients in the Bernstein form (``Poly.along``) show that a
    polynomial is >= 0 from ``low`` to ``high``, after halving this interval up to ``depth``
    times."""
    found = poly.along(low, high)
    ends = [each for each in found if each]
    if min(found) >= 0 or not depth or min(ends[0], ends[-1]) < 0:
        return min(found) >= 0
    middle = 2 * abs(low) + 1 if high is None else (low + high) / 2
    return split(poly, low, middle, depth - 1) and split(poly, middle, high, depth - 1)


def merged(end: Any, *values: Any) -> Iterator[tuple[Any, ...]]:
    """Yields the intervals on which none of several piecewise values changes: (first cut, last cut,
    [what each value is there]). A piecewise value is a list of (first cut, …), with an entry for
    each piece; ``end`` is the last cut of all."""
    starts = sorted({start for pieces in values for start, *_ in pieces})
    for start, stop in zip(starts, [*starts[1:], end], strict=True):
        own = ([rest for low, *rest in pieces if low <= start][-1] for pieces in values)
        yield start, stop, list(own)


class FormulaGame(base.TableGame):
    """The rules of a privacy game given by tables, whose probabilities are polynomials in a symbol,
    divided by a polynomial ``over``. Between two neighbouring cuts of the symbol's interval, the
    value of a belief with t messages left is a polynomial, divided by ``over`` to the power t."""

    kinds = "interval part step f public sign node tight"
    one: Any = Poly([1])
    over = one
    sample = Fraction(0)  # ``sample`` is a number inside the symbol's interval,
    end: Any = 0  # and ``end`` is the index of the last cut.

    def gcd(self, *polys: Any) -> Any:
        """Returns the greatest common divisor of polynomials that are >= 0 on the symbol's
        interval; the divisor is >= 0 there, too."""
        found = reduce(lambda one, two: one.common(two), polys)
        value = found(self.sample)
        base.need(value, "a common divisor is 0 at the sample")
        return found if value > 0 else found * -1

    def lcm(self, *_: Any) -> Any:
        """Returns the common denominator of all probabilities."""
        return self.over

    def value(self, t: int, position: Any, zero: Any, one: Any) -> tuple[Any, Any]:
        """Returns the piecewise value of a belief, with ``t`` messages left and the weights
        ``zero`` and ``one`` of the worlds, as (factor, [(first cut, polynomial, …)]): from each
        first cut on, the value is the factor times the polynomial."""
        own, other = zero * self.mass(position[2], 0), one * self.mass(position[2], 1)
        if not (t and own and other and self.options(position)):
            return self.stopped(t, own - other)
        by = self.gcd(zero, one)
        return by, self.known(t, position, zero // by, one // by)

    def stopped(self, t: int, gain: Any) -> tuple[Any, Any]:
        """Returns the piecewise value of stopping with ``t`` messages left, in the form of
        ``value``. It is ``gain`` (the mass of the world that the adversary accuses minus that of
        the other) where that is >= 0, and 0 elsewhere."""
        return self.power(t), [(low, gain * sign) for low, sign in self.signs(gain)]

    def power(self, t: int) -> Any:
        """Returns the t-th power of ``over``, the common denominator of all probabilities."""
        return reduce(mul, [self.over] * t, self.one)

    def known(self, *key: Any) -> Any:
        """Returns the piecewise value that the file lists for a belief."""
        base.need(key in self.tables["node"], "no value", *key)
        return self.tables["node"][key]

    def signs(self, poly: Any) -> Any:
        """Returns the signs of a polynomial that the file lists: [(first cut, 1 where the
        polynomial is >= 0, or 0 where it is <= 0)]."""
        base.need(not poly or poly.primitive() in self.tables["sign"], "no sign", poly)
        return self.tables["sign"][poly.primitive()] if poly else [(0, 0)]

    def sides(self, t: int, position: Any, zero: Any, one: Any) -> Iterator[Any]:
        """Yields the piecewise value of each option in a belief with ``t`` messages left, as (name,
        [(first cut, polynomial)]): first that of stopping, then that of each message that may be
        sent."""
        own, other = zero * self.mass(position[2], 0), one * self.mass(position[2], 1)
        by, pieces = self.stopped(t, own - other)
        yield [], [(low, by * poly) for low, poly in pieces]
        for name, over, branches in self.options(position):
            found = [self.value(t - 1, to, zero * by0, one * by1) for by0, by1, to in branches]
            # A creation tosses no coin: its denominator is 1, not the common one.
            factors = [by * self.over if over == 1 else by for by, _ in found]
            pieces = merged(self.end, *(each for _, each in found))
            yield name, [(low, sum(p * by for (p, *_), by in zip(own, factors, strict=True)))
                         for low, _, own in pieces]  # fmt: skip


class FormulaFile(FormulaGame, base.CertificateFile):
    """A certificate of a formula for tight δ, read line by line. Raises: NotAccepted."""

    signed = r'|\[\s*"(interval|cut|step|law|sign|node|tight)"[-\s0-9,\[\]]*'
    form = re.compile(base.CertificateFile.form.pattern + signed)
    # Each cut is (polynomial, low, high): the only root of the polynomial in [low, high].
    cuts: list[tuple[Any, Any, Any]]

    def read(self, kind: str, *row: Any) -> bool:
        """Stores a line of the file in the table of its kind; returns whether it is well formed."""
        key: Any
        value: Any
        match kind, *row:
            case "interval", low, high, sample, over:
                ends = Fraction(*low), Fraction(*high) if high else None
                self.cuts, self.end, key, value = [((), each, each) for each in ends], 1, 0, over
                self.sample, self.over = Fraction(*sample), Poly(over)
                fine = ends[0] < self.sample and (ends[1] is None or self.sample < ends[1])
                fine &= self.over != () and self.holds(self.over)
            case "cut", m, low, high:
                poly, low, high, last = Poly(m), Fraction(*low), Fraction(*high), self.cuts.pop()
                fine = self.cuts[-1][2] <= low and (last[1] is None or high <= last[1])
                # The polynomial rises from below 0 to above 0, so it has one root in [low, high].
                if low < high:
                    fine &= poly(low) < 0 < poly(high) and poly.slope().nonnegative(low, high)
                else:
                    fine &= self.cuts[-1][2] < low == high != last[1]
                self.cuts += [(poly.primitive(), low, high), last]
                self.end += 1
                return bool(fine)
            case "step", part, state, query, rows:
                rows = [(answer, to, Poly(weight)) for answer, to, weight in rows]
                return super().read(kind, part, state, query, self.over, rows)
            case "law", law:
                return super().read(kind, [(state, Poly(weight)) for state, weight in law])
            case "sign", poly, value:
                key, fine = Poly(poly), self.in_order(value)
                fine &= all(sign in (0, 1) for _, sign in value)
            case "node", t, public, created, columns, zero, one, found:
                key = t, (public, created, tuple(sorted(columns))), Poly(zero), Poly(one)
                value = [(low, Poly(poly), best) for low, poly, best in found]
                fine = t > 0 and self.in_order(value) and {*columns} <= self.columns.keys()
            case "tight", one, zero, found:
                key = Poly(one), Poly(zero)
                value = [(low, Poly(above), Poly(below), bit) for low, above, below, bit in found]
                fine = self.in_order(value)
            case _:  # All other kinds of line are as in the certificate of one tight δ.
                return super().read(kind, *row)
        return bool(fine) and self.tables[kind].setdefault(key, value) is value

    def in_order(self, pieces: Any) -> bool:
        """Returns whether the pieces of a value are in ascending order, from the first cut on."""
        starts = [low for low, *_ in pieces]
        return starts[0] == 0 and starts == sorted({*starts}) and starts[-1] < self.end

    @cache
    def holds(self, poly: Any, low: int = 0, high: int = -1) -> bool:
        """Returns whether a polynomial is >= 0 between two cuts, which are given by their
        indices."""
        (m0, a0, b0), (m1, a1, b1) = self.cuts[low], self.cuts[high]
        sides = beside(poly, m0, a0, b0, 1) and beside(poly, m1, a1, b1, -1)
        return bool(sides and (b0 == a1 or poly.nonnegative(b0, a1)))

    def positive(self, weight: Any) -> bool:
        """Returns whether a polynomial can be a probability: it is >= 0 on the interval, and not 0
        everywhere."""
        return bool(weight and self.holds(weight))

    def check_node(self, *key: Any) -> None:
        """Checks the piecewise value that the file lists for a belief: between each two cuts,
        stopping and each message are worth no more, and the option that the file names is worth as
        much."""
        names, pieces = list[Any](), self.tables["node"][key]
        for name, total in self.sides(*key):
            names.append(name)
            for low, high, ((value, best), (side,)) in merged(self.end, pieces, total):
                base.need(name != best or value == side, "an option does not attain it", *key[:2])
                base.need(self.holds(value - side, low, high), "a continuation has more", *key[:2])
        base.need(all(best in names for *_, best in pieces), "no such option", *key[:2])

    def check_tight(self, one: Any, zero: Any) -> str:
        """Checks a ``tight`` line, and returns it as text. The line states a formula for the tight
        δ at e^ε = one/zero: between each two cuts that must be the larger of the adversary's gains
        in the two worlds."""
        base.need(zero and self.holds(zero) and self.holds(one - zero), "e^ε < 1")
        whole, worlds = self.power(self.rounds), list[Any]()
        for more, *weights in [(0, zero, one), (zero - one, one, zero)][: 2 - self.symmetric]:
            by, found = self.value(self.rounds, self.start(), *weights)
            worlds.append([(low, by * poly + more * whole) for low, poly, *_ in found])
        pieces = self.tables["tight"][one, zero]
        for low, high, ((above, below, bit), *found) in merged(self.end, pieces, *worlds):
            (better,) = found[bit]
            base.need(all(self.holds(better - each, low, high) for (each,) in found), "less δ")
            base.need(below and self.holds(below, low, high), "a denominator < 0")
            base.need(above * zero * whole == below * better, "another δ")
        said = [f"{[*a]}/{[*b]} from {place(self.cuts[low])}" for low, a, b, _ in pieces]
        return f"δ = {', '.join(said)}, at e^ε = {[*one]}/{[*zero]}"

    def check(self) -> str:
        """Checks everything, and returns what was checked in a sentence. Raises: NotAccepted."""
        self.compare_purses()
        for poly, pieces in self.tables["sign"].items():
            for low, high, ((sign,),) in merged(self.end, pieces):
                base.need(self.holds(poly if sign else poly * -1, low, high), "another sign", poly)
        for node in self.tables["node"]:
            self.check_node(*node)
        said = "; ".join(self.check_tight(*key) for key in self.tables["tight"])
        ends = f"for all numbers from {place(self.cuts[0])} to {place(self.cuts[-1])}"
        return f"against {self.rounds} messages, in the game of its tables, {ends}: {said}"


def beside(poly: Any, m: Any, low: Any, high: Any, side: int) -> bool:
    """Returns whether a polynomial is >= 0 in the interval [low, high] around a cut (the root of
    ``m``), on one side of the cut: above it if ``side`` is 1, below it if -1."""
    while low != high and poly and not poly % m:
        poly = poly // m * side
    return bool(low == high or poly.nonnegative(low, high))


def place(cut: Any) -> str:
    """Returns a cut as text: the number at which it is, or a decimal near it."""
    _, low, high = cut
    return "∞" if low is None else f"{low}" if low == high else f"about {float(low):.9g}"


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    base.main(FormulaFile)
