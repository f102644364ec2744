# pyright: basic
"""Polynomials in one variable with whole coefficients, by python-flint (extra ``formulas``)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property, lru_cache
from math import gcd
from typing import Any, NamedTuple

from antiphon.numbers.errors import MissingExtra


@lru_cache(maxsize=1)
def _flint() -> Any:
    try:
        import flint
    except ImportError:
        raise MissingExtra("python-flint", "formulas") from None
    return flint


class Polynomial:
    """A polynomial with whole coefficients, which hashes and compares by them."""

    def __init__(self, value: Any) -> None:
        self._value = value

    @classmethod
    def of(cls, coefficients: Iterable[int]) -> Polynomial:
        """The polynomial with these coefficients, the constant one first. Raises: MissingExtra."""
        return cls(_flint().fmpz_poly(list(coefficients)))

    @cached_property
    def coefficients(self) -> tuple[int, ...]:
        """The coefficients, the constant one first, without zeros at the end."""
        return tuple(map(int, self._value.coeffs()))

    def __hash__(self) -> int:
        return hash(self.coefficients)

    def __eq__(self, other: object) -> bool:
        return type(other) is Polynomial and bool(self._value == other._value)

    def __lt__(self, other: Polynomial) -> bool:
        return self.coefficients < other.coefficients

    def __bool__(self) -> bool:
        return bool(self._value)

    def __len__(self) -> int:
        return int(self._value.length())

    def __add__(self, other: Polynomial | int) -> Polynomial:
        return Polynomial(self._value + _raw(other))

    __radd__ = __add__

    def __sub__(self, other: Polynomial) -> Polynomial:
        return Polynomial(self._value - other._value)

    def __neg__(self) -> Polynomial:
        return Polynomial(-self._value)

    def __mul__(self, other: Polynomial | int) -> Polynomial:
        return Polynomial(self._value * _raw(other))

    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> Polynomial:
        return Polynomial(self._value**exponent)

    def __floordiv__(self, divisor: Polynomial | int) -> Polynomial:
        return Polynomial(self._value // _raw(divisor))

    def __call__(self, x: Fraction) -> Fraction:
        found = self._value(_flint().fmpq(x.numerator, x.denominator))
        return Fraction(int(found.p), int(found.q))

    def common(self, other: Polynomial) -> Polynomial:
        """The greatest common divisor of two polynomials, common whole factors included."""
        return Polynomial(self._value.gcd(other._value))

    @property
    def leading(self) -> int:
        """The coefficient of the highest power; 0 of the polynomial 0."""
        return self.coefficients[-1] if self.coefficients else 0

    def primitive(self) -> Polynomial:
        """The polynomial divided by the greatest common divisor of its coefficients."""
        by = gcd(*self.coefficients)
        return self // by if by > 1 else self

    def factors(self) -> tuple[int, list[tuple[Polynomial, int]]]:
        """The factorisation: a constant, and pairs of an irreducible factor, with a leading
        coefficient > 0, and its power."""
        constant, found = self._value.factor()
        return int(constant), sorted((Polynomial(factor), n) for factor, n in found)


def _raw(value: Polynomial | int) -> Any:
    return value._value if isinstance(value, Polynomial) else value


class Root(NamedTuple):
    """A real root of an irreducible polynomial, known by an interval [low, high] that contains no
    other root; both ends are equal if the root is rational."""

    polynomial: Polynomial
    low: Fraction
    high: Fraction

    def halved(self) -> Root:
        """The same root in an interval of half the length."""
        if self.low == self.high:
            return self
        middle = (self.low + self.high) / 2
        rising = self.polynomial(self.low) < 0
        right = (self.polynomial(middle) < 0) is rising
        return self._replace(low=middle) if right else self._replace(high=middle)


@lru_cache(maxsize=4096)
def real_roots(polynomial: Polynomial) -> tuple[Root, ...]:
    """The real roots of an irreducible polynomial, in order."""
    if len(polynomial) == 2:
        root = Fraction(-polynomial.coefficients[0], polynomial.coefficients[1])
        return (Root(polynomial, root, root),)
    # python-flint gives a ball around each root, and proves that no other root is in it.
    found = (root for root, _ in polynomial._value.complex_roots())
    real = [root.real for root in found if root.imag.is_zero()]
    ends = [(_dyadic(root.lower()), _dyadic(root.upper())) for root in real]
    return tuple(Root(polynomial, low, high) for low, high in sorted(ends))


def _dyadic(value: Any) -> Fraction:
    mantissa, exponent = map(int, value.man_exp())
    return mantissa * Fraction(2) ** exponent
