"""The future of a belief about one mechanism: all messages that may follow, with their outcomes.

For a mechanism that does not end within the horizon the answer is the safe one: endless,
distinguishing, equivalent to no other.

Where each created mechanism has one message left, the answers are summed at once (``settled``):
a view is then a product, and views with the same likelihood ratio are merged. Their masses are
summed once, in decreasing order of the ratio; in each belief the adversary accuses on the prefix
that gains.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable, Iterable
from itertools import accumulate
from typing import Final, NamedTuple, TypeAlias

import attrs

from antiphon.audit.exact.beliefs import SPENT, Branch, Columns, Move

_MOST: Final = 1 << 14
"""The largest number of beliefs that are searched for a mechanism's end."""
_DEEPEST: Final = 200
"""The largest number of messages after which a mechanism's end is searched."""


@attrs.define(eq=False)
class Futures:
    """Decides for each belief how many messages may usefully follow, and whether they tell the
    worlds apart."""

    columns: Columns
    horizon: int
    """The largest number of messages."""
    coins: bool = False
    """Whether a message that reveals only public coins of a mechanism counts as useful."""
    _tells: dict[int, bool] = attrs.field(factory=dict[int, bool])
    _lengths: dict[int, float] = attrs.field(factory=dict[int, float])
    _moves: dict[int, tuple[Move, ...]] = attrs.field(factory=dict[int, tuple[Move, ...]])
    _alike: dict[int, int] = attrs.field(factory=dict[int, int])
    _first: dict[Hashable, int] = attrs.field(factory=dict[Hashable, int])
    """For each future that was met, the first belief that has it."""
    _endless: set[int] = attrs.field(factory=set[int])
    """The numbers of the mechanisms for which no end of the interaction was found."""

    def rows(self) -> list[list[int]]:
        """The horizon, the mechanisms without end, and for each belief the first belief with the
        same future: rows to be saved."""
        return [[self.horizon], [*self._endless], *map(list, self._alike.items())]

    @classmethod
    def of_rows(cls, columns: Columns, rows: list[list[int]]) -> Futures:
        """The futures that were saved as ``rows``."""
        (horizon,), endless, *pairs = rows
        made = cls(columns, horizon)
        made._endless.update(endless)
        made._alike.update((column, first) for column, first in pairs)
        for column, first in pairs:
            if column == first > SPENT and not math.isinf(made.length(column)):
                made._first.setdefault(made._future(column), column)
        return made

    def tells(self, column: int) -> bool:
        """Whether some message to a belief's mechanism, now or later, tells the worlds apart.

        False if all answers are equally likely in both worlds, now and in every continuation.
        """
        if column not in self._tells:
            self._look(column)
        return self._tells[column]

    def _look(self, column: int) -> None:
        """Decide for all beliefs that may follow ``column`` whether they tell the worlds apart:
        list them forward, then decide them backward."""
        part, level, deep = self.columns.columns[column].part, [column], 0
        leads, telling = {column: list[int]()}, list[int]()
        while level and part not in self._endless:
            if deep > min(self.horizon, _DEEPEST) or len(leads) > _MOST:
                self._endless.add(part)
            level, deep = self._followed(level, leads, telling), deep + 1
        if part in self._endless:
            self._tells[column] = bool(self.columns.moves(column))
            self._lengths[column] = math.inf
            return
        found = dict.fromkeys(leads, False)
        while telling:
            each = telling.pop()
            if not found[each]:
                found[each] = True
                telling += leads[each]
        self._tells.update(found)  # All at once: an interrupted call stores no result.

    def _followed(
        self, level: list[int], leads: dict[int, list[int]], telling: list[int]
    ) -> list[int]:
        """The beliefs, not found before, to which one move leads from the beliefs ``level``.

        Extends ``leads`` (predecessors of each belief) and ``telling`` (beliefs with a telling
        move).
        """
        found: list[int] = []
        for each in level:
            moves = self.columns.moves(each)
            if any(self.coins or self._uneven(each, move) for move in moves):
                telling.append(each)
            for to in {to for move in moves for _, _, to in move.branches}:
                if self._tells.get(to):
                    telling.append(each)
                elif to not in leads and to not in self._tells:
                    leads[to] = []
                    found.append(to)
                if to in leads:
                    leads[to].append(each)
        return found

    def _uneven(self, column: int, move: Move) -> bool:
        """Whether some answer to a move has different probabilities in the two worlds."""
        zero, one = self.columns.totals
        mass0, mass1 = zero[column], one[column]
        return any(
            factor0 * zero[to] * mass1 != factor1 * one[to] * mass0
            for factor0, factor1, to in move.branches
        )

    def length(self, column: int, deep: int = 0) -> float:
        """The largest number of useful messages after a belief; infinite where no end was found."""
        moves = self._telling(column)
        if column not in self._lengths:
            # A belief that recurs while its own length is computed counts as endless.
            self._lengths[column] = math.inf
            if deep < _DEEPEST:
                ways = {to for move in moves for _, _, to in move.branches}
                most = max((1 + self.length(to, deep + 1) for to in ways), default=0)
                self._lengths[column] = most
        return self._lengths[column]

    def _telling(self, column: int) -> list[Move]:
        """The moves in a belief that tell the worlds apart, or lead to moves that do."""
        if not self.tells(column):
            return []
        return [
            move
            for move in self.columns.moves(column)
            if self.coins
            or self._uneven(column, move)
            or any(self.tells(to) for _, _, to in move.branches)
        ]

    def moves(self, column: int) -> tuple[Move, ...]:
        """The useful moves in a belief; of equal ones only the first. Each belief that a move leads
        to is replaced by the first one with the same future (``alike``)."""
        known = self._moves.get(column)
        if known is None:
            found: dict[Hashable, Move] = {}
            for move in self._telling(column):
                branches = tuple(map(self._merged, move.branches))
                same = move.differs, move.denominator, *sorted(branches)
                found.setdefault(same, move._replace(branches=branches))
            known = self._moves[column] = tuple(found.values())
        return known

    def _merged(self, branch: Branch) -> Branch:
        factor0, factor1, to = branch
        if to <= SPENT or self.tells(to):
            return factor0, factor1, self.alike(to)
        zero, one = self.columns.totals
        return factor0 * zero[to], factor1 * one[to], SPENT

    def alike(self, column: int) -> int:
        """The first belief that was found with the same future as ``column``, up to the names of
        messages and answers.

        The same moves have the same factors, and lead to beliefs that are equivalent in turn.
        """
        known = self._alike.get(column)
        if known is None and (column <= SPENT or math.isinf(self.length(column))):
            known = self._alike[column] = column
        elif known is None:
            known = self._alike[column] = self._first.setdefault(self._future(column), column)
        return known

    def _future(self, column: int) -> Hashable:
        """The future of a belief, to be compared: its moves, their factors, and where they lead."""
        zero, one = (totals[column] for totals in self.columns.totals)
        part, differed = self.columns.columns[column].part, self.columns.judged(column)[1]
        moves = ((each[2], each[5], *sorted(each[4])) for each in self.moves(column))
        return part, differed, zero, one, frozenset(moves)


Ratios: TypeAlias = dict[tuple[int, int], int]
"""A map from a likelihood ratio (p, q), p and q coprime, to n: the views with this ratio have the
mass n·p in world 0 and n·q in world 1."""


def product_of(ratios: Ratios, law: Iterable[tuple[int, int]]) -> Ratios:
    """The likelihood ratios of views after one more answer; ``law`` has the masses of each possible
    answer in both worlds."""
    found: Ratios = {}
    for mass0, mass1 in law:
        for (zero, one), number in ratios.items():
            own, other = zero * mass0, one * mass1
            common = math.gcd(own, other)
            if common:
                key = own // common, other // common
                found[key] = found.get(key, 0) + number * common
    return found


class Settled(NamedTuple):
    """The value, in closed form, of a position whose remaining messages are all sent."""

    ratios: list[tuple[int, int]]
    """The likelihood ratios (p, q) of the views, from the likeliest under b = 0 on."""
    sums: tuple[list[int], list[int]]
    """For i = 0, 1, …, the masses of the views with the first i ratios, under b = 0 and b = 1."""
    denominator: int

    def value(self, ahead: int, behind: int) -> int:
        """Σ max(0, ahead·p − behind·q) over the views, times the common ``denominator``; p and q
        are the probabilities of a view in world 0 and 1."""
        first = bisect_left(self.ratios, True, key=lambda r: r[0] * ahead <= r[1] * behind)
        return ahead * self.sums[0][first] - behind * self.sums[1][first]


def settled(moves: Iterable[Move]) -> Settled:
    """The value, in closed form, of a position in which each mechanism has one message left."""
    ratios, denominator = {(1, 1): 1}, 1
    for move in moves:
        ratios = product_of(ratios, [branch[:2] for branch in move.branches])
        denominator *= move.denominator
    # Two ratios differ by at least 2^-bits, so this many binary places tell them apart.
    bits = 2 * max(one for _, one in ratios).bit_length()

    def place(ratio: tuple[int, int]) -> tuple[bool, int]:
        zero, one = ratio
        return one > 0, -((zero << bits) // one) if one else 0

    ordered = sorted(ratios, key=place)
    zeros = accumulate((ratios[each] * each[0] for each in ordered), initial=0)
    ones = accumulate((ratios[each] * each[1] for each in ordered), initial=0)
    return Settled(ordered, (list(zeros), list(ones)), denominator)
