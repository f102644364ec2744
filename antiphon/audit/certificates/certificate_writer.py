# pyright: basic
"""Writes a certificate: the tables of a game, and the value of each belief in its plain form.

The values are found anew, over the tables that the certificate has, in the game that its reader
plays; the engine is asked for the figure only, and must agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Final, TypeAlias

import attrs

from antiphon.audit.certificates.antiphon_check import TableGame
from antiphon.audit.certificates.antiphon_check_losses import PrivacyLossGame
from antiphon.audit.certificates.derived_rows import DerivedRows, Row
from antiphon.audit.exact.cost import Report, reached
from antiphon.audit.exact.solver import deep_recursion

Key: TypeAlias = tuple[int, Any, int, int]
"""(messages left, position, weight of b = 0, weight of b = 1), without a common divisor."""
VERSION: Final = 1


class RowTable(dict[Any, Any]):
    """A table whose rows are computed when they are first asked for."""

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
    """The game of a question, whose tables grow as they are read."""

    def __init__(self, rows: DerivedRows) -> None:
        super().__init__()
        self.found, self.most, self.composed = rows, rows.most, rows.composed
        self.made: dict[str, RowTable] = {
            "part": RowTable(rows.part, self._first),
            "step": RowTable(rows.step, tuple),
            "f": RowTable(rows.f, lambda row: row[0]),
            "public": RowTable(rows.public, _public),
        }
        self.tables |= self.made

    def _first(self, row: Row) -> int:
        zero, one, judged = row
        return self.number(len(self.made["part"]), judged, (zero, self.one), (one, self.one))

    def lines(self) -> Iterator[Row]:
        """The rows, in the order in which they were found."""
        for kind, table in self.made.items():
            for where, row in table.rows.items():
                yield [kind, *where, *row]


def _public(row: Row) -> Row:
    asks, differ, admits = row
    return [asks, dict(differ), {part: (to, born) for part, to, born in admits}]


@attrs.define(eq=False)
class PlainSolver:
    """Values every belief of the plain game, where nothing is left out but what cannot tell."""

    game: TableGame
    limit: int
    report: Report | None = None
    values: dict[Key, tuple[int, int, Any]] = attrs.field(factory=dict[Key, "tuple[int, int, Any]"])
    """Of each belief: the numerator and the denominator of its value, and the best option."""

    def solve(self, rounds: int, ahead: int, behind: int) -> Fraction:
        """The largest ahead · Pr₀[S] − behind · Pr₁[S] of all adversaries and events S."""
        with deep_recursion(rounds):
            return Fraction(*self._value(rounds, self.game.start(), ahead, behind))

    def _value(self, t: int, position: Any, ahead: int, behind: int) -> tuple[int, int]:
        by = math.gcd(ahead, behind) or 1
        key = t, position, ahead // by, behind // by
        found = self.values.get(key)
        if found is None:
            columns = position[2]
            own, against = ahead * self.game.mass(columns, 0), behind * self.game.mass(columns, 1)
            if not (t and own and against and self.game.options(position)):
                return max(0, own - against), 1
            found = self._best(key)
        return found[0] * by, found[1]

    def _best(self, key: Key) -> tuple[int, int, Any]:
        t, position, ahead, behind = key
        most = ahead * self.game.mass(position[2], 0)
        best, unit = max(0, most - behind * self.game.mass(position[2], 1)), 1
        said: Any = []
        for name, denominator, branches in self.game.options(position):
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
    """The game of a question, in which the values of losses are found as they are asked for."""

    def __init__(self, rows: DerivedRows, order: int, limit: int, report: Report | None) -> None:
        super().__init__(rows)
        self.order, self.limit, self.report = order, limit, report
        self.coins = order == 1
        self.values = dict[Key, "tuple[int, int, Any]"]()

    def worth(self, t: int, position: Any, zero: int, one: int) -> Fraction:
        """The value of a position: the largest of stopping and of its options."""
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
    """The lines of a certificate of a moment of an order above 1; or, at order 1, of a range."""
    game = LossTables(rows, order, limit, report)
    _add_parts(game)
    with deep_recursion(rounds):
        found = game.worth(rounds, game.start(), 1, int(order == 1))
        symmetric = _symmetric(game)
        if order > 1 and not symmetric:
            found = max(found, game.worth(rounds, game.start(), 0, 1))
    close(game)
    yield ["game", VERSION + 1, rounds, int(symmetric), int(rows.composed), rows.most, order]
    yield ["about", about]
    yield from game.lines()
    yield from _nodes(game, game.values)
    yield ["loss", [*found.as_integer_ratio()]]


def _add_parts(game: TablesOf) -> None:
    for part in range(len(game.found.parts)):
        game.tables["part"][part]


def lines_of(
    rows: DerivedRows, about: str, rounds: int, claims: list[tuple[Row, Fraction]],
    limit: int, report: Report | None = None,
) -> Iterator[Row]:  # fmt: skip
    """The lines of a certificate of tight δ, at some ([ε], or [] if it is a logarithm, e^ε)."""
    game = TablesOf(rows)
    _add_parts(game)
    solver = PlainSolver(game, limit, report)
    ahead = [solver.solve(rounds, g.denominator, g.numerator) for _, g in claims]
    symmetric = _symmetric(game)
    said: list[Row] = []
    for (epsilon, growth), found in zip(claims, ahead, strict=True):
        one, zero = growth.as_integer_ratio()
        if not symmetric:
            found = max(found, zero - one + solver.solve(rounds, one, zero))
        said.append(["delta", epsilon, [one, zero], [*(found / zero).as_integer_ratio()]])
    close(game)
    yield ["game", VERSION, rounds, int(symmetric), int(rows.composed), rows.most]
    yield ["about", about]
    yield from game.lines()
    yield from _nodes(game, solver.values)
    yield from said


def _symmetric(game: TablesOf) -> bool:
    """Whether exchanging the worlds changes nothing."""
    alike = all(zero == one for zero, one, _ in game.made["part"].rows.values())
    return alike and all(map(mirrored, game.tables["f"].values()))


def mirrored(pairs: list[list[int]]) -> bool:
    """Whether each pair that f allows is allowed the other way round, with the same effect."""
    found = {tuple(each) for each in pairs}
    return found == {(one, zero, to) for zero, one, to in pairs}


def close(game: TableGame) -> None:
    """All public states that may follow, as the reader asks whether a purse can grow."""
    waiting = [0]
    met = {0}
    while waiting:
        _, differ, admits = game.tables["public"][waiting.pop()]
        after = {*differ.values(), *(to for to, _ in admits.values())} - met
        met |= after
        waiting += after


def _nodes(game: TableGame, values: dict[Key, tuple[int, int, Any]]) -> Iterator[Row]:
    numbers = {number: number for number in game.tables["part"].values()}
    for (t, (public, created, columns), ahead, behind), (value, unit, best) in values.items():
        for column in columns:
            if column not in numbers:
                numbers[column] = len(numbers) + 2
                part, judged, *laws = game.columns[column]
                yield ["column", part, judged, *map(list, laws)]
        own = [numbers[column] for column in columns]
        if len(best) > 1:
            best = [numbers[best[0]], *best[1:]]
        yield ["node", t, public, created, own, ahead, behind, value, unit, best]
