# pyright: basic
"""Writes a certificate: the tables of a privacy game, and the value of each belief of its
adversary.

The values are found anew, over the tables that the certificate has, in the game that its reader
plays; the engine is asked for the figure only, and must agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, TypeAlias

import attrs

from antiphon.audit.certificates.antiphon_check import DEAD, FORM, SPENT, TableGame, number
from antiphon.audit.certificates.antiphon_check_losses import PrivacyLossGame
from antiphon.audit.certificates.derived_rows import DerivedRows, Row
from antiphon.audit.exact.cost import Report, reached
from antiphon.audit.exact.solver import deep_recursion

Key: TypeAlias = tuple[int, Any, int, int]
"""(messages left, position, weight of b = 0, weight of b = 1): a belief, its weights coprime."""
Node: TypeAlias = tuple[int, int, Any]
"""The value of a belief and its best option: (numerator, denominator, name)."""


class RowTable(dict[Any, Any]):
    """A table of a privacy game; the function ``row`` computes a row when it is first read."""

    def __init__(self, row: Callable[..., Row], read: Callable[[Row], Any]) -> None:
        super().__init__()
        self.rows = dict[tuple[int, ...], Row]()
        self._row, self._read = row, read

    def __missing__(self, key: Any) -> Any:
        where = key if isinstance(key, tuple) else (key,)
        row = self.rows[where] = self._row(*where)
        value = self[key] = self._read(row)
        return value


class TablesOf(TableGame):
    """The tables of a question's privacy game, whose rows are derived when they are first read. The
    rules are those of the file that checks the certificate."""

    def __init__(self, rows: DerivedRows) -> None:
        super().__init__()
        self.found, self.most, self.composed = rows, rows.most, rows.composed
        self.made: dict[str, RowTable] = {
            "part": RowTable(rows.part, self._first),
            "step": RowTable(rows.step, tuple),
            "f": RowTable(rows.f, lambda row: row[0]),
            "public": RowTable(
                rows.public, lambda row: (row[0], {(part, what): to for part, what, to in row[1]})
            ),
        }
        for kind, table in self.made.items():
            table |= self.tables[kind]
        self.tables |= self.made
        for part in range(len(rows.parts)):
            self.tables["part"][part]

    def _first(self, row: Row) -> int:
        part, (*states, judged) = len(self.made["part"]), row
        laws = [number(self.laws, ((state, self.one),)) for state in states]
        return number(self.columns, (part, judged, *laws))

    def lines(self, rounds: int, symmetric: bool, about: str, *more: Row) -> Iterator[Row]:
        """Yields the lines of a certificate before the values: the game, the rows of its tables in
        the order in which they were found, and the laws and beliefs that messages lead to."""
        yield ["game", FORM, rounds, int(symmetric), int(self.composed), self.most, self.order]
        yield from more
        yield ["about", about]
        self._close()
        for kind, table in self.made.items():
            for where, row in table.rows.items():
                yield [kind, *where, *row]
        first = {*self.tables["part"].values()}
        known = {each for column in first for each in self.columns[column][2:]}
        for law in range(DEAD + 1, len(self.laws) // 2):
            if law not in known:
                yield ["law", self.laws[law]]
        for column in range(SPENT + 1, len(self.columns) // 2):
            if column not in first:
                yield ["column", *self.columns[column]]

    def _close(self) -> None:
        """Derives the rows of all public states that can be reached: the program that checks the
        certificate compares the purses before and after each change of state."""
        waiting, met = [0], {0}
        while waiting:
            after = {*self.tables["public"][waiting.pop()][1].values()} - met
            met |= after
            waiting += after

    @property
    def symmetric(self) -> bool:
        """Whether exchanging the two worlds changes nothing in the rows found so far."""
        alike = all(zero == one for zero, one, _ in self.made["part"].rows.values())
        return alike and all(map(_mirrored, self.tables["f"].values()))


def _mirrored(pairs: list[list[int]]) -> bool:
    """Whether f allows (q', q) wherever it allows (q, q'), with the same next state."""
    found = {tuple(each) for each in pairs}
    return found == {(one, zero, to) for zero, one, to in pairs}


@attrs.define(eq=False)
class PlainSolver:
    """Computes the value of each belief of a game. Positions leave out only those mechanisms that
    can no longer tell the worlds apart."""

    game: TableGame
    limit: int
    report: Report | None = None
    values: dict[Key, Node] = attrs.field(factory=dict[Key, "Node"])
    """For each belief: the numerator and the denominator of its value, and the name of the best
    option."""
    _known: dict[Any, tuple[Row, int, int]] = attrs.field(
        factory=dict[Any, "tuple[Row, int, int]"], init=False
    )

    def solve(self, rounds: int, ahead: int, behind: int) -> Fraction:
        """Returns the largest ahead · Pr₀[S] − behind · Pr₁[S] over all adversaries and events S of
        their answers."""
        with deep_recursion(rounds):
            return Fraction(*self._value(rounds, self.game.start(), ahead, behind))

    def _value(self, t: int, position: Any, ahead: int, behind: int) -> tuple[int, int]:
        by = math.gcd(ahead, behind) or 1
        key = t, position, ahead // by, behind // by
        found = self.values.get(key)
        if found is None:
            options, mass, other = self._at(position, t > 0)
            own, against = ahead * mass, behind * other
            if not (own and against and options):
                return (own - against, 1) if own > against else (0, 1)
            found = self._best(key, options, own // by, against // by)
        return found[0] * by, found[1]

    def _at(self, position: Any, asks: bool) -> tuple[Row, int, int]:
        """Returns (messages that may be sent, mass in world 0, in world 1) for a position; no
        messages if ``asks`` is false, since none is left."""
        key = position, asks
        if key not in self._known:
            options = self.game.options(position) if asks else Row()
            columns = position[2]
            self._known[key] = options, self.game.mass(columns, 0), self.game.mass(columns, 1)
        return self._known[key]

    def _best(self, key: Key, options: Row, most: int, less: int) -> Node:
        """Returns (numerator, denominator, name) of the best option of a belief. ``most`` and
        ``less`` are the masses of the world that the adversary accuses, and of the other."""
        t, _, ahead, behind = key
        best, unit, said = max(0, most - less), 1, Row()
        for name, denominator, branches in options:
            total, over = 0, 1
            for zero, one, to in branches:
                value, below = self._value(t - 1, to, ahead * zero, behind * one)
                if below != over:
                    both = math.lcm(over, below)
                    total, value, over = total * (both // over), value * (both // below), both
                total += value
            over *= denominator
            if total * unit > best * over:
                best, unit, said = total, over, name
                if best == most * unit:
                    break
        by = math.gcd(best, unit)
        found = self.values[key] = best // by, unit // by, said
        reached(len(self.values), self.limit, self.report, "the beliefs of a certificate")
        return found


class LossTables(TablesOf, PrivacyLossGame):
    """The tables of a question's privacy game, with the moment or the range of the privacy loss
    that can be reached from each position."""

    def __init__(self, rows: DerivedRows, order: int, limit: int, report: Report | None) -> None:
        super().__init__(rows)
        self.order, self.limit, self.report = order, limit, report
        self.values = dict[Key, "Node"]()

    def worth(self, t: int, position: Any, zero: int, one: int) -> Fraction:
        """Returns the value of a position (a moment or a range) with t messages left: the largest
        of the values of stopping and of each message."""
        if not (t and self.options(position)):
            return self.stopped(position, zero, one)
        found = self.values.get((t, position, zero, one))
        if found is None:
            best, said = self.stopped(position, zero, one), Row()
            for option in self.options(position):
                value = self.followed(t - 1, option, zero, one)
                best, said = (value, option[0]) if value > best else (best, said)
            found = *best.as_integer_ratio(), said
            self.values[t, position, zero, one] = found
            reached(len(self.values), self.limit, self.report, "the positions of a certificate")
        return Fraction(*found[:2])


def loss_lines_of(
    rows: DerivedRows, about: str, rounds: int, order: int,
    limit: int, report: Report | None = None,
) -> Iterator[Row]:  # fmt: skip
    """Yields the lines of a certificate of the Rényi moment of an order; at order 1, of the range
    of the loss."""
    game = LossTables(rows, order, limit, report)
    with deep_recursion(rounds):
        found = game.worth(rounds, game.start(), 1, int(order == 1))
        symmetric = game.symmetric
        if order > 1 and not symmetric:
            found = max(found, game.worth(rounds, game.start(), 0, 1))
    yield from game.lines(rounds, symmetric, about)
    yield from _nodes(game.values)
    yield ["loss", [*found.as_integer_ratio()]]


def lines_of(
    rows: DerivedRows, about: str, rounds: int, claims: list[tuple[Row, Fraction]],
    limit: int, report: Report | None = None,
) -> Iterator[Row]:  # fmt: skip
    """Yields the lines of a certificate of tight δ. Each claim is about one ε: (ε as it is written
    in the certificate, the rational e^ε)."""
    game = TablesOf(rows)
    solver = PlainSolver(game, limit, report)
    ahead = [solver.solve(rounds, g.denominator, g.numerator) for _, g in claims]
    symmetric = game.symmetric
    said: list[Row] = []
    for (epsilon, growth), found in zip(claims, ahead, strict=True):
        one, zero = growth.as_integer_ratio()
        if not symmetric:
            found = max(found, zero - one + solver.solve(rounds, one, zero))
        said.append(["delta", epsilon, [one, zero], [*(found / zero).as_integer_ratio()]])
    yield from game.lines(rounds, symmetric, about)
    yield from _nodes(solver.values)
    yield from said


def _nodes(values: dict[Key, Node]) -> Iterator[Row]:
    for (t, position, *weights), value in values.items():
        yield ["node", t, *position, *weights, *value]
