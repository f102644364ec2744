"""Symbols in place of rational parameters, and the rational functions that result from them.

A mechanism with a parameter ``Symbol("x", 0, 1)`` stands for one mechanism for each number in
[0, 1]. A comparison must have the same answer for all of them, except at the two ends.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from typing import Any, Final, TypeAlias

import attrs

from antiphon.numbers.errors import InvalidArgument, PartError
from antiphon.numbers.polynomials import Polynomial, real_roots


class SymbolError(PartError):
    """Raised where a number is needed but a symbol is given, and for a comparison that holds for
    some numbers of a symbol only.

    It is never counted as a refusal of a mechanism: that would pass for privacy.
    """


@attrs.frozen
class Unknown:
    """The name of a symbol, and the closed interval of numbers that the symbol stands for."""

    name: str
    low: Fraction
    high: Fraction | None
    """The upper end; None if there is none."""

    def __str__(self) -> str:
        ends = str(self.low), "∞)" if self.high is None else f"{self.high}]"
        return f"{self.name} in [{', '.join(ends)}"

    @property
    def inside(self) -> Fraction:
        """A number strictly inside the interval, so unusual that it is hardly a formula's root."""
        return self.low + (1 if self.high is None else self.high - self.low) * _SHARE

    def contains(self, x: Fraction) -> bool:
        """Whether a number is strictly inside the interval."""
        return self.low < x and (self.high is None or x < self.high)


_SHARE: Final = Fraction(4799, 10007)
_STANDS: Final[ContextVar[dict[Unknown, Fraction] | None]] = ContextVar("stands", default=None)


Operand: TypeAlias = "Symbolic | Fraction | int | float"
Function: TypeAlias = "Symbolic | Fraction"
"""A rational function of a symbol; a Fraction if it does not depend on the symbol."""


class Symbolic:
    """A rational function of one symbol, in lowest terms. Arithmetic with numbers is exact.

    Where Python asks for its value (``float``, ``numerator``, …), a SymbolError says that a number
    is needed; inside ``standing_for`` it has one.
    """

    __slots__ = ("above", "below", "unknown")

    def __init__(self, unknown: Unknown, above: Polynomial, below: Polynomial) -> None:
        self.unknown, self.above, self.below = unknown, above, below

    def __hash__(self) -> int:
        return hash((self.above, self.below))

    def __eq__(self, other: object) -> bool:
        """Whether the other value is the same function; a symbol equals no number."""
        return (
            isinstance(other, Symbolic)
            and (self.unknown, self.above, self.below) == (other.unknown, other.above, other.below)
        )  # fmt: skip

    def __fingerprint__(self) -> tuple[object, ...]:
        return self.unknown, self.above.coefficients, self.below.coefficients

    def __repr__(self) -> str:
        return written(self.unknown.name, self.above, self.below)

    def __add__(self, other: Operand) -> Function:
        if (over := self._other(other)) is None:
            return NotImplemented
        above = self.above * over.below + over.above * self.below
        return reduced(self.unknown, above, self.below * over.below)

    __radd__ = __add__

    def __neg__(self) -> Symbolic:
        return Symbolic(self.unknown, -self.above, self.below)

    def __pos__(self) -> Symbolic:
        return self

    def __sub__(self, other: Operand) -> Function:
        return self + (-other)

    def __rsub__(self, other: Operand) -> Function:
        return -self + other

    def __mul__(self, other: Operand) -> Function:
        if (by := self._other(other)) is None:
            return NotImplemented
        return reduced(self.unknown, self.above * by.above, self.below * by.below)

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> Function:
        if (by := self._other(other)) is None:
            return NotImplemented
        if not by.above:
            raise ZeroDivisionError(f"{self} / 0")
        return reduced(self.unknown, self.above * by.below, self.below * by.above)

    def __rtruediv__(self, other: Operand) -> Function:
        if (over := self._other(other)) is None:
            return NotImplemented
        return over / self

    def __pow__(self, exponent: int) -> Function:
        if type(exponent) is not int:
            raise _needs_number(self.unknown.name, "a power that is no whole number")
        above, below = (self.above, self.below)[:: 1 if exponent >= 0 else -1]
        return reduced(self.unknown, above ** abs(exponent), below ** abs(exponent))

    def _other(self, other: object) -> Symbolic | None:
        """The other operand as a function of the same symbol; None if it is no number."""
        if isinstance(other, Symbolic):
            if other.unknown != self.unknown:
                raise SymbolError(
                    f"one symbol at a time: {self.unknown} meets {other.unknown}. Write a number "
                    f'for one of them, or the same symbol, {self.unknown.name} = ap.Symbol("'
                    f'{self.unknown.name}", …), in both places'
                )
            return other
        if isinstance(other, (int, float, Fraction)) and math.isfinite(other):
            above, below = Fraction(other).as_integer_ratio()
            return Symbolic(self.unknown, Polynomial.of([above]), Polynomial.of([below]))
        return None

    def __le__(self, other: Operand) -> bool:
        return _at_most(self, other)

    def __ge__(self, other: Operand) -> bool:
        return _at_most(other, self)

    def __lt__(self, other: Operand) -> bool:
        return not self >= other

    def __gt__(self, other: Operand) -> bool:
        return not self <= other

    def at(self, value: Fraction) -> Fraction:
        """The value of the function if the symbol stands for the number ``value``."""
        return self.above(value) / self.below(value)

    @property
    def value(self) -> Fraction:
        """The function's value in the context ``standing_for``, which gives the symbol a number.
        Raises: SymbolError elsewhere."""
        known = _STANDS.get() or {}
        if self.unknown not in known:
            raise _needs_number(self.unknown.name, "its value")
        return self.at(known[self.unknown])

    @property
    def numerator(self) -> int:
        """The numerator of the function's value, in the context ``standing_for`` only."""
        return self.value.numerator

    @property
    def denominator(self) -> int:
        """The denominator of the function's value, in the context ``standing_for`` only."""
        return self.value.denominator

    def as_integer_ratio(self) -> tuple[int, int]:
        """The function's value as two integers, in the context ``standing_for`` only."""
        return self.value.as_integer_ratio()

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def _repr_latex_(self) -> str:
        return f"${written(self.unknown.name, self.above, self.below, latex=True)}$"


def Symbol(name: str, low: object = 1, high: object = None) -> Symbolic:  # noqa: N802
    """A symbol for a rational parameter: an (ε, δ), a coin's bias, the ratio of geometric noise.

    ``Symbol("x", 0, 1)`` stands for every number in [0, 1]; without ends, for every number >= 1.
    For an ε it is e^ε that the symbol stands for. ``game.tight_delta`` then gives a formula, as
    docs/formulas.md has it. Needs the extra ``formulas``. Raises: MissingExtra; InvalidArgument.

    >>> q = Symbol("q")
    >>> q / (1 + q), (q - 1) / (q * q - 1)
    (q/(q + 1), 1/(q + 1))
    """
    given: list[Any] = [low, high]
    ends = [Fraction(each) for each in given if type(each) in (int, Fraction)]
    if len(ends) != 1 + (high is not None) or ends != sorted({*ends}):
        raise InvalidArgument(
            'a symbol stands for the numbers of an interval: ap.Symbol("x", 0, 1), with ends '
            'that are ints or Fractions, or ap.Symbol("q") for all from 1 on'
        )
    if type(name) is not str or not name.isidentifier():
        raise InvalidArgument('the name of a symbol is a word: ap.Symbol("x", 0, 1)')
    unknown = Unknown(name, ends[0], None if high is None else ends[1])
    return Symbolic(unknown, Polynomial.of([0, 1]), Polynomial.of([1]))


@contextmanager
def standing_for(unknown: Unknown, value: Fraction) -> Generator[None, None, None]:
    """A context manager in which the symbol ``unknown`` has a value, so that code that needs
    numbers can run."""
    token = _STANDS.set({**(_STANDS.get() or {}), unknown: value})
    try:
        yield
    finally:
        _STANDS.reset(token)


def quotient(value: Function) -> tuple[Polynomial, Polynomial]:
    """A number, or a function of a symbol, as a quotient of two polynomials."""
    if isinstance(value, Symbolic):
        return value.above, value.below
    above, below = value.as_integer_ratio()
    return Polynomial.of([above]), Polynomial.of([below])


def reduced(unknown: Unknown, above: Polynomial, below: Polynomial) -> Function:
    """A quotient of polynomials (``above``/``below``) in lowest terms; a Fraction if it does not
    depend on the symbol."""
    by = above.common(below)
    if below.leading < 0:
        by = -by
    above, below = above // by, below // by
    if len(above) <= 1 and len(below) == 1:
        return Fraction(above.leading, below.leading)
    return Symbolic(unknown, above, below)


def _needs_number(name: str, what: str) -> SymbolError:
    return SymbolError(
        f"{what} is asked of the symbol {name}, where a number is needed. A formula is found by "
        f"game.tight_delta(epsilon=…, rounds=…) only; for anything else write a number for {name}"
    )


def _at_most(left: Operand, right: Operand) -> bool:
    """Whether left <= right for all numbers that the symbol stands for, except perhaps the ends of
    its interval."""
    if math.inf in (right, left) or -math.inf in (right, left):
        return right == math.inf or left == -math.inf
    own = right - left
    if not isinstance(own, Symbolic):
        return own >= 0
    known = _STANDS.get() or {}
    if own.unknown in known:
        return own.at(known[own.unknown]) >= 0
    crossings = [*_crossings(own)]
    positive = own.at(_between(own.unknown, crossings)) > 0
    if not any(odd for _, odd in crossings) and (positive or not crossings):
        return positive
    at = float(crossings[0][0])
    raise SymbolError(
        f"whether {left} <= {right} is not the same for all {own.unknown}: it changes near "
        f"{at:.6g}. "
        f'Give the symbol an interval where it is, as ap.Symbol("{own.unknown.name}", 0, 1)'
    )


def _crossings(function: Symbolic) -> Iterator[tuple[Fraction, bool]]:
    """For each root and pole of a function strictly inside its symbol's interval: a number near
    that point, and whether the function's sign changes there."""
    for factor, power in (*function.above.factors()[1], *function.below.factors()[1]):
        for root in real_roots(factor):
            ends = function.unknown.low, function.unknown.high
            while root.low < root.high and any(
                end is not None and root.low <= end <= root.high for end in ends
            ):
                root = root.halved()
            if function.unknown.contains(root.high):
                yield root.high, power % 2 == 1


def _between(unknown: Unknown, crossings: list[tuple[Fraction, bool]]) -> Fraction:
    """A number in the symbol's interval, below all ``crossings`` (a function's roots and poles)."""
    least = min((at for at, _ in crossings), default=unknown.inside)
    return (unknown.low + least) / 2 if crossings else least


def written(name: str, above: Polynomial, below: Polynomial, *, latex: bool = False) -> str:
    """A quotient of polynomials in the variable ``name`` as text, in Python's notation or LaTeX's:
    a polynomial as a sum, a quotient by its factors."""
    if len(below) > 1:
        top = _factors(name, above, latex)
    else:
        top = [_sum(name, above, latex)]
        if below.leading == 1:
            return top[0]
        if " " in top[0] and not latex:
            top = [f"({top[0]})"]
    bottom = _factors(name, below, latex)
    if latex:
        return f"\\frac{{{''.join(top)}}}{{{''.join(bottom)}}}"
    return f"{'*'.join(top)}/" + (f"({'*'.join(bottom)})" if bottom[1:] else bottom[0])


def _sum(name: str, polynomial: Polynomial, latex: bool) -> str:
    text = ""
    for power, coefficient in reversed([*enumerate(polynomial.coefficients)]):
        if coefficient:
            size = abs(coefficient)
            letters = _power(name, power, latex) if power else ""
            number = (
                "" if size == 1 and letters else f"{size}{'*' if letters and not latex else ''}"
            )
            sign = (" - " if coefficient < 0 else " + ") if text else "-" * (coefficient < 0)
            text += f"{sign}{number}{letters}"
    return text or "0"


def _power(text: str, power: int, latex: bool) -> str:
    if power == 1:
        return text
    return f"{text}^{{{power}}}" if latex else f"{text}**{power}"


def _factors(name: str, polynomial: Polynomial, latex: bool) -> list[str]:
    """A polynomial's factors as texts: the constant, unless it is 1; then the others by length."""
    constant, found = polynomial.factors()
    texts = sorted(((_sum(name, each, latex), n) for each, n in found), key=lambda it: len(it[0]))
    factors = [_power(text if " " not in text else f"({text})", n, latex) for text, n in texts]
    if constant == -1 and factors:
        return ["-" + factors[0], *factors[1:]]
    return factors if constant == 1 and factors else [str(constant), *factors]
