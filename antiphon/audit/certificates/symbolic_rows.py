# pyright: basic
"""The tables of a game whose probabilities depend on a symbol."""

from __future__ import annotations

from typing import Any

from antiphon.audit.certificates.derived_rows import DerivedRows, Row
from antiphon.numbers.errors import TranscriptError
from antiphon.numbers.polynomials import Polynomial
from antiphon.numbers.symbolic import Function, SymbolError, Symbolic, Unknown, quotient


class WiderDenominator(Exception):
    """Signals that a probability's denominator does not divide the common one, or that the first
    probability with a symbol was met. The tables are then derived again, over a wider denominator,
    ``over``."""

    def __init__(self, over: Polynomial, unknown: Unknown | None) -> None:
        super().__init__()
        self.over, self.unknown = over, unknown


class SymbolicRows(DerivedRows):
    """The rows of a certificate's tables for a game whose probabilities depend on a symbol: they
    are polynomials in it, over one common denominator."""

    over: Polynomial
    unknown: Unknown | None = None
    ends: list[Any] | None = None

    def interval(self, low: Any, high: Any, _: Any, over: list[int]) -> None:
        """Take the ends of the symbol's interval, and the common denominator of all probabilities,
        from the ``interval`` line of a certificate."""
        self.over, self.ends = Polynomial.of(over), [low, high]

    def step(self, part: int, state: int, query: int) -> Row:
        """Returns a ``step`` row: [[[answer, next state, coefficients of (probability · ``over``)],
        …]], where ``over`` is the common denominator."""
        found = list[Row]()
        for key, p in self.parts[part].law(state, query).items():
            above, below = self.ratio(p)
            by = self.over.common(below)
            if len(by) < len(below) or by.leading % below.leading:
                raise WiderDenominator(self.over * (below // by), self.unknown)
            found.append([*key, [*(above * (self.over // below)).coefficients]])
        return [found]

    def ratio(self, value: Function) -> tuple[Polynomial, Polynomial]:
        """Returns a probability as (polynomial, polynomial), its numerator and denominator. Raises:
        SymbolError for a second symbol."""
        if not isinstance(value, Symbolic):
            return quotient(value)
        if self.ends is not None and self.ends != ends_of(value.unknown):
            raise TranscriptError("the certificate is of another interval than the symbol has")
        if self.unknown is None and self.ends is None:
            raise WiderDenominator(self.over, value.unknown)
        if self.unknown not in (None, value.unknown):
            raise SymbolError(
                f"one symbol at a time: this game has {self.unknown} and {value.unknown}. "
                f"Write a number for {value.unknown.name}, or the same symbol in both places"
            )
        self.unknown = value.unknown
        return quotient(value)


def ends_of(unknown: Unknown) -> list[list[int]]:
    """Returns the ends of a symbol's interval: each is [numerator, denominator], [] if infinite."""
    ends = unknown.low, unknown.high
    return [[] if end is None else [*end.as_integer_ratio()] for end in ends]
