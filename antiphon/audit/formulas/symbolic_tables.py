# pyright: basic
"""The tables of a game whose probabilities depend on a symbol, and the values of its beliefs.

The rules are those that the reader of formulas has; only the cuts are found here, as roots.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from antiphon.audit.certificates.antiphon_formula_check import FormulaGame, merged
from antiphon.audit.certificates.certificate_writer import RowTable, TablesOf
from antiphon.audit.certificates.derived_rows import Row
from antiphon.audit.certificates.symbolic_rows import SymbolicRows, ends_of
from antiphon.audit.exact.cost import Report, reached
from antiphon.audit.formulas.cuts import CutPoint, CutPoints, isolated
from antiphon.numbers.polynomials import Polynomial

Pieces = list[tuple[CutPoint, Polynomial, Any]]
"""A value of a belief, piece by piece: (where it begins, polynomial, name of the best option)."""


class SymbolicTables(FormulaGame, TablesOf):
    """The tables of a game whose probabilities depend on a symbol; they grow as they are read."""

    def __init__(
        self, rows: SymbolicRows, cuts: CutPoints, limit: int, report: Report | None
    ) -> None:
        self.one = Polynomial.of([1])
        super().__init__(rows)
        self.rows, self.cuts, self.limit, self.report = rows, cuts, limit, report
        self.over = rows.over
        self.sample, self.end = cuts.unknown.inside, cuts.last
        self.made["step"] = self.tables["step"] = RowTable(rows.step, self._weights)
        self.values = dict[Any, Pieces]()
        """The piecewise value of each belief that was reached."""

    def _weights(self, row: Row) -> Row:
        return [self.over, [(answer, to, Polynomial.of(p)) for answer, to, p in row[0]]]

    def signs(self, poly: Polynomial) -> Any:
        """Returns the signs of a polynomial between its roots."""
        return self.cuts.signs(poly)

    def known(self, *key: Any) -> Pieces:
        """Returns the piecewise value of a belief: the largest of the values of stopping and of
        each option."""
        found = self.values.get(key)
        if found is None:
            sides = self.sides(*key)
            name, total = next(sides)
            found = [(low, poly, name) for low, poly in total]
            for name, total in sides:
                found = self.larger(found, [(low, poly, name) for low, poly in total])
            self.values[key] = found
            reached(len(self.values), self.limit, self.report, "the beliefs of a formula")
        return found

    def larger(self, one: Pieces, two: Pieces) -> Pieces:
        """Returns the larger of two piecewise values, and the first where they are equal."""
        found: Pieces = []
        for low, high, (own, other) in merged(self.end, one, two):
            for start, stop, ((sign,),) in merged(self.end, self.signs(other[0] - own[0])):
                begin, piece = max(start, low), other if sign else own
                if begin < high and begin < stop and (not found or [*found[-1][1:]] != piece):
                    found.append((begin, *piece))
        return found

    def world(self, rounds: int, ahead: Polynomial, behind: Polynomial, bit: int) -> Pieces:
        """Returns the largest gain of an adversary that bets on the world ``bit``, times the common
        denominator to the power ``rounds``. The polynomials ``ahead`` and ``behind`` are the
        weights of that world and of the other."""
        weights = (ahead, behind)[:: -1 if bit else 1]
        by, found = self.value(rounds, self.start(), *weights)
        more = (ahead - behind) * self.power(rounds) if bit else 0
        return [(low, by * poly + more, bit) for low, poly, *_ in found]

    def file(self, about: str, rounds: int, growth: tuple[Polynomial, Polynomial], tight: Row,
             symmetric: bool, halvings: int) -> Iterator[Row]:  # fmt: skip
        """Yields the lines of the certificate, except the last. ``tight`` has for each piece of the
        formula (where it begins, δ as a function, world that attains it)."""
        values: Row = [*self.values.values(), *self.cuts.known.values(), tight]
        used = {low for pieces in values for low, *_ in pieces}
        cuts = sorted(used | {self.cuts.first, self.cuts.last})
        at = {cut: place for place, cut in enumerate(cuts)}
        ends, sample = ends_of(self.cuts.unknown), [*self.sample.as_integer_ratio()]
        more: list[Row] = [["interval", *ends, sample, _list(self.over)]]
        for polynomial, *cut in isolated(cuts, halvings):
            low, high = ([*each.as_integer_ratio()] for each in cut)
            more.append(["cut", _list(polynomial), low, high])
        for kind, *row in self.lines(rounds, symmetric, about, *more):
            yield [kind, *(_law(row[0]) if kind == "law" else row)]
        for polynomial, signs in self.cuts.known.items():
            yield ["sign", _list(polynomial), [[at[low], sign] for low, sign in signs]]
        for (t, position, *weights), pieces in self.values.items():
            said = [[at[low], _list(poly), name] for low, poly, name in pieces]
            yield ["node", t, *position, *map(_list, weights), said]
        shown = [[at[low], *self._quotient(value), bit] for low, value, bit in tight]
        yield ["tight", *map(_list, growth), shown]

    def _quotient(self, value: Any) -> list[list[int]]:
        above, below = self.rows.ratio(value)
        sign = 1 if below(self.sample) > 0 else -1
        return [_list(above * sign), _list(below * sign)]


def _list(polynomial: Polynomial) -> list[int]:
    return [*polynomial.coefficients]


def _law(law: Any) -> Row:
    return [[[state, _list(weight)] for state, weight in law]]
