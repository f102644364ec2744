"""Checks a certificate of a tight δ; standard library only. docs/certificates.md has the format.

A certificate has the tables of a privacy game and a value for each belief. Checked is that no value
is less than any continuation, so that no adversary has more, and that it is equal to the one it
names, so that one has as much. That the tables are those of some code is not checked here.
"""

# ruff: noqa: B019
# pyright: basic
import json
import math
import sys
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from typing import Any

OVER, SPENT = (-1,), (-2,)  # columns: of the interaction's end, and of a part that is dead
LINE = 1 << 20  # the longest line; of a number, Python reads 4,300 digits


class Wrong(Exception):
    """The certificate is damaged, or not true."""


def need(fact: object, *text: object) -> None:
    """Raises: Wrong unless it is a fact."""
    if not fact:
        raise Wrong(*text)


class Game:
    """The game of some tables. A column is (part, state of its f, laws in both worlds); a position
    is (public state, number of creations, sorted columns), or () after the end."""

    def __init__(self) -> None:
        self.most, kinds = 0, ("part", "step", "f", "public", "node")
        self.tables: dict[str, dict[Any, Any]] = {kind: {} for kind in kinds}

    @cache
    def push(self, part: int, law: Any, query: int) -> tuple[int, dict[int, Any]]:
        """What a query makes of a law: (denominator, {answer: (factor, law)})."""
        rows = [(weight, *self.tables["step"][part, state, query]) for state, weight in law]
        common, found = math.lcm(*(row[1] for row in rows)), dict[int, Any]()
        for weight, over, branches in rows:
            for answer, to, share in branches:
                own = found.setdefault(answer, {})
                own[to] = own.get(to, 0) + weight * share * (common // over)
        for answer, own in found.items():
            by = math.gcd(*own.values())
            found[answer] = by, tuple(sorted([(state, each // by) for state, each in own.items()]))
        return common, found

    @cache
    def moves(self, column: Any) -> list[Any]:
        """[((whether the purse pays, denominator, branches), pairs with just these)]."""
        (part, judged, law0, law1), found = column, dict[Any, Any]()
        for zero, one, to in self.tables["f"][part, judged]:
            (over0, after0), (over1, after1) = (
                self.push(part, law0, zero),
                self.push(part, law1, one),
            )
            common, branches = math.lcm(over0, over1), list[Any]()
            for answer in {**after0, **after1}:
                (by0, new0), (by1, new1) = after0.get(answer, (0, ())), after1.get(answer, (0, ()))
                live = any(state for state, _ in new0 + new1)  # state 0: it is dead
                new = (part, to, new0, new1) if live else SPENT if answer else OVER
                branches.append((by0 * (common // over0), by1 * (common // over1), new))
            if len(branches) > 1 or live:  # else no more than to stop
                key = zero != one and not judged % 2, common, tuple(sorted(branches))
                found.setdefault(key, []).append([zero, one])
        return [*found.items()]

    @cache
    def tells(self, column: Any, public: int) -> bool:
        """Whether a part can ever tell the worlds apart; else it is left out of a position."""
        if len(column) == 1:
            return False
        may = (
            column[1] % 2 or column[2] != column[3] or column[0] in self.tables["public"][public][1]
        )
        return bool(may and self.moves(column))

    @cache
    def mass(self, columns: Any, bit: int) -> int:
        """The mass of some columns in one world."""
        return math.prod(sum(n for _, n in each[2 + bit]) for each in columns if len(each) > 1)

    def branch(self, public: int, created: int, others: Any, zero: int, one: int, new: Any) -> Any:
        """(factor of world 0, of world 1, position): without the columns that cannot tell."""
        live = (*others, new)
        kept = tuple(sorted([each for each in live if new != OVER and self.tells(each, public)]))
        to, lost = (public, created, kept), tuple([each for each in live if each not in kept])
        return zero * self.mass(lost, 0), one * self.mass(lost, 1), () if new == OVER else to

    def first(self, part: int) -> Any:
        """The column of a part before any message."""
        start0, start1, judged = self.tables["part"][part]
        return part, judged, ((start0, 1),), ((start1, 1),)

    def start(self) -> Any:
        """The first position: nothing is created yet, or the only part is there."""
        return self.branch(0, 0, (), 1, 1, SPENT if self.most else self.first(0))[2]

    @cache
    def options(self, position: Any) -> list[Any]:
        """[(part, [], 1, branches) or (column, pairs, denominator, branches)]."""
        if not position:
            return []
        found, (public, created, columns) = list[Any](), position
        asks, differ, admits = self.tables["public"][public]
        for part, (after, born) in admits.items() if created < self.most else ():
            new = self.first(part) if born else SPENT
            if not asks or after != public or self.tells(new, after):  # else it is of no use
                found.append((part, [], 1, [self.branch(after, created + 1, columns, 1, 1, new)]))
        for place, column in enumerate(columns if asks else ()):
            for (pays, over, branches), pairs in self.moves(column):
                after = differ.get(column[0]) if pays else public
                if after is not None and column not in columns[:place]:
                    rest = after, created, columns[:place] + columns[place + 1 :]
                    found.append((column, pairs, over, [self.branch(*rest, *x) for x in branches]))
        return found


class Certificate(Game):
    """A certificate, read line by line. Raises: Wrong."""

    def __init__(self, lines: Iterable[str]) -> None:
        super().__init__()
        self.columns, self.claims, kind = list[Any](), list[Any](), ""
        self.rounds = self.symmetric = 0
        for count, line in enumerate(lines):
            need(kind != "end" and len(line) <= LINE, "a line after the end, or too long", count)
            kind, *row = json.loads(line)
            need((count == 0) == (kind == "game"), "the first line is of the game", count)
            need(kind == "about" or natural(row), "a row is of natural numbers", count)
            need(self.read(kind, *row) if kind != "end" else row == [count], "a bad line", count)
        need(kind == "end", "the end is missing")

    def read(self, kind: str, *row: Any) -> bool:
        """Whether a line is sound in itself; it is put into its table."""
        match kind, *row:
            case "game", 1, rounds, symmetric, most:
                self.rounds, self.symmetric, self.most = rounds, symmetric, most
                return bool(symmetric <= 1)
            case ("about", str()) | ("delta", [*_], [_, _], [_, _]):
                self.claims += [row] if kind == "delta" else []
                return True
            case "column", part, judged, zero, one:
                law0, law1 = (tuple(zip(x[::2], x[1::2], strict=True)) for x in (zero, one))
                self.columns.append((part, judged, law0, law1))
                return True
            case "part", key, *value:
                fine = value[0] == value[1] or not self.symmetric
            case "step", part, state, query, over, branches:
                weights = {(answer, to): n for answer, to, n in branches}
                key, value, fine = (
                    (part, state, query),
                    (over, branches),
                    len(weights) == len(branches),
                )
                fine &= all(weights.values()) and sum(weights.values()) == over > 0
            case "f", part, judged, value:
                found, key = {(zero, one): to for zero, one, to in value}, (part, judged)
                fine = len(found) == len(value)
                for (zero, one), to in found.items():
                    fine &= to % 2 == max(judged % 2, zero != one, not self.most)  # it has paid
                    fine &= not self.symmetric or found.get((one, zero)) == to
            case "public", key, asks, differ, admits:
                value = asks, dict(differ), {part: (to, born) for part, to, born in admits}
                fine = len(value[1]) == len(differ) and len(value[2]) == len(admits)
            case "node", t, public, created, columns, zero, one, *value:
                position = public, created, tuple(sorted([self.columns[each] for each in columns]))
                key, fine = (t, position, zero, one), t > 0 < value[1] and math.gcd(zero, one) == 1
            case _:
                return False
        return bool(fine) and self.tables[kind].setdefault(key, value) is value

    def value(self, t: int, position: Any, zero: int, one: int) -> Fraction:
        """The value of a belief: what its node says, or what to stop is worth."""
        own, other = (self.mass(position[2] if position else (), bit) for bit in (0, 1))
        by = math.gcd(zero, one) or 1
        node = self.tables["node"].get((t, position, zero // by, one // by))
        leaf = node or not (t and zero * own and one * other and self.options(position))
        need(leaf, "a belief has no value", t, position)
        return by * Fraction(*node[:2]) if node else Fraction(max(0, zero * own - one * other))

    def check_node(self, t: int, position: Any, zero: int, one: int) -> None:
        """No option is worth more than the value; and the one that is named is worth as much."""
        *found, best = self.tables["node"][t, position, zero, one]
        value, all_of_it = Fraction(*found), zero * self.mass(position[2], 0)
        stop = max(0, all_of_it - one * self.mass(position[2], 1))
        need(stop <= value <= all_of_it, "a value out of bounds", t, position)
        attained = not best and value == stop
        for what, pairs, over, branches in self.options(position):
            named = best[1:] in pairs and self.columns[best[0]] == what if pairs else best == [what]
            if value < all_of_it or named:
                after = [self.value(t - 1, to, zero * by0, one * by1) for by0, by1, to in branches]
                need(sum(after) <= value * over, "a continuation is worth more", t, position)
                attained |= named and sum(after) == value * over
        need(attained, "no option attains the value", t, position)

    def check(self) -> str:
        """What was checked, in a sentence."""
        for _, differ, admits in self.tables["public"].values():  # `tells` rests on it
            for to in {*differ.values(), *(to for to, _ in admits.values())}:
                need(self.tables["public"][to][1].keys() <= differ.keys(), "a purse grows", to)
        for node in self.tables["node"]:
            self.check_node(*node)
        for epsilon, (one, zero), delta in self.claims:
            found, x = [self.value(self.rounds, self.start(), zero, one)], Fraction(*epsilon or [0])
            if not self.symmetric:
                found.append(zero - one + self.value(self.rounds, self.start(), one, zero))
            least = sum(x**k / math.factorial(k) for k in range(40))  # of e^ε
            need(zero and (zero <= one <= zero * least if epsilon else zero <= one), "no e^ε")
            need(max(found) == Fraction(*delta) * zero, "not the figure of its nodes", delta)
        said = [f"δ = {Fraction(*d)} at e^ε = {Fraction(*g)}" for _, g, d in self.claims]
        return (
            f"{'; '.join(said)}: no adversary of {self.rounds} messages has more, and one as much"
        )


def natural(row: object) -> bool:
    """Whether there are only natural numbers, and lists of lists of them."""
    return all(map(natural, row)) if isinstance(row, list) else type(row) is int and row >= 0


def check(lines: Iterable[str]) -> str:
    """What was checked. Raises: Wrong."""
    try:
        return Certificate(lines).check()
    except Exception as error:
        raise error if isinstance(error, Wrong) else Wrong("malformed", repr(error)[:200]) from None


if __name__ == "__main__":
    with open(sys.argv[1], encoding="ascii") as file:
        print(check(file))
