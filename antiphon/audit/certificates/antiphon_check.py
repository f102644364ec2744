"""Checks a certificate of a tight δ; standard library only. docs/certificates.md has the format.

A certificate has the tables of a privacy game and a value for each belief. Checked is that no value
is less than any continuation, so that no adversary has more, and that it is equal to the one it
names, so that one has as much. That the tables are those of some code is not checked here.
"""

# ruff: noqa: B019
# pyright: basic
import gc
import json
import sys
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from math import factorial, gcd, lcm, prod
from typing import Any

OVER, SPENT = 0, 1  # columns: of the interaction's end, and of a part that is dead
ENDED = -1, 0, ()  # the position after the end
LINE = 1 << 24  # the longest line; of a number, Python reads 4,300 digits


class NotAccepted(Exception):
    """The certificate is damaged, or not true."""


def need(fact: object, *text: object) -> None:
    """Raises: NotAccepted unless it is a fact."""
    if not fact:
        raise NotAccepted(*text)


class TableGame:
    """The game of some tables. A column is (part, state of its f, laws in both worlds); a position
    is (public state, number of creations, sorted columns)."""

    def __init__(self) -> None:
        self.composed, self.most, self.coins = 0, 0, False  # coins: whether public ones are of use
        self.tables = dict[str, dict[Any, Any]]()
        self.columns: list[tuple[Any, ...]] = [(0, 0, (), ())] * 2
        self.numbers: dict[tuple[Any, ...], int] = {}

    def number(self, *column: Any) -> int:
        """The number of a column."""
        found = self.numbers.setdefault(column, len(self.columns))
        self.columns += [column] if found == len(self.columns) else []
        return found

    @cache
    def push(self, part: int, law: Any, query: int) -> tuple[int, dict[int, Any]]:
        """What a query makes of a law: (denominator, {answer: (factor, law)})."""
        rows = [self.tables["step"][part, state, query] for state in law[::2]]
        common, found = lcm(*(over for over, _ in rows)), dict[int, Any]()
        for weight, (over, branches) in zip(law[1::2], rows, strict=True):
            for answer, to, share in branches:
                own = found.setdefault(answer, {})
                own[to] = own.get(to, 0) + weight * share * (common // over)
        for answer, own in found.items():
            by = gcd(*own.values())
            found[answer] = by, tuple([n for s in sorted(own) for n in (s, own[s] // by)])
        return common, found

    @cache
    def moves(self, column: int) -> list[Any]:
        """[(first pair, whether the purse pays, denominator, branches)] of unlike branches."""
        (part, judged, law0, law1), found = self.columns[column], dict[Any, Any]()
        for zero, one, to in self.tables["f"][part, judged]:
            (over0, after0), (over1, after1) = (
                self.push(part, law0, zero),
                self.push(part, law1, one),
            )
            common, branches = lcm(over0, over1), list[tuple[int, int, int]]()
            for answer in {**after0, **after1}:
                (by0, new0), (by1, new1) = after0.get(answer, (0, ())), after1.get(answer, (0, ()))
                new = SPENT if answer else OVER
                if any(new0[::2]) or any(new1[::2]):  # else it is dead
                    new = self.number(part, to, new0, new1)
                branches.append((by0 * (common // over0), by1 * (common // over1), new))
            if len(branches) > 1 or branches[0][2] > SPENT:  # else no more than to stop
                key = zero != one and not judged % 2, common, tuple(sorted(branches))
                found.setdefault(key, [column, zero, one])
        return [(name, *key) for key, name in found.items()]

    @cache
    def tells(self, column: int, public: int) -> bool:
        """Whether a part can ever tell the worlds apart; else it is left out of a position."""
        if column <= SPENT:
            return False
        part, judged, law0, law1 = self.columns[column]
        may = judged % 2 or law0 != law1 or part in self.tables["public"][public][1] or self.coins
        return bool(may and self.moves(column))

    @cache
    def mass(self, columns: Any, bit: int) -> int:
        """The mass of some columns in one world."""
        return prod(sum(self.columns[each][2 + bit][1::2]) for each in columns if each > SPENT)

    def branch(self, public: int, created: int, others: Any, zero: int, one: int, new: int) -> Any:
        """(factor of world 0, of world 1, position): without the columns that cannot tell."""
        live = (*others, new)
        kept = [each for each in live if self.tells(each, public)] if new != OVER else []
        if len(kept) < len(live):
            lost = tuple([each for each in live if each not in kept])
            zero, one = zero * self.mass(lost, 0), one * self.mass(lost, 1)
        return zero, one, ENDED if new == OVER else (public, created, tuple(sorted(kept)))

    def start(self) -> Any:
        """The first position: nothing is created yet, or the only part is there."""
        return self.branch(0, 0, (), 1, 1, SPENT if self.composed else self.tables["part"][0])[2]

    @cache
    def options(self, position: Any) -> list[Any]:
        """[(name, denominator, branches)]: the name is [part] or [column, query, query]."""
        if position == ENDED:
            return []
        found, (public, created, columns) = list[Any](), position
        asks, differ, admits = self.tables["public"][public]
        for part, (after, born) in admits.items() if created < self.most else ():
            new = self.tables["part"][part] if born else SPENT
            if not asks or after != public or self.tells(new, after):  # else it is of no use
                found.append(([part], 1, [self.branch(after, created + 1, columns, 1, 1, new)]))
        for place, column in enumerate(columns if asks else ()):
            for name, pays, over, branches in self.moves(column):
                after = differ.get(self.columns[column][0]) if pays else public
                if after is not None and column not in columns[:place]:
                    rest = after, created, columns[:place] + columns[place + 1 :]
                    found.append((name, over, [self.branch(*rest, *each) for each in branches]))
        return found


class CertificateFile(TableGame):
    """A certificate, read line by line. Raises: NotAccepted."""

    def __init__(self, lines: Iterable[str]) -> None:
        super().__init__()
        kinds = "part step f public node delta epsilon"
        self.tables = {kind: {} for kind in kinds.split()}
        self.rounds, self.symmetric, self.last, kind = 0, 0, dict[int, int](), ""
        for count, line in enumerate(lines):
            need(kind != "end", "a line after the end", count)
            kind, *row = json.loads(line)
            need((count == 0) == (kind == "game"), "the first line is of the game", count)
            need(kind == "about" or natural(row), "a row is of natural numbers", count)
            need(self.read(kind, *row) if kind != "end" else row == [count], "a bad line", count)
        need(kind == "end", "the end is missing")

    def read(self, kind: str, *row: Any) -> bool:
        """Whether a line is sound in itself; it is put into its table."""
        value: Any
        match kind, *row:
            case "game", 1, rounds, symmetric, composed, most:
                self.rounds, self.symmetric, self.composed = rounds, symmetric, composed
                self.most = most
                return bool(symmetric <= 1 >= composed)
            case "column", part, judged, zero, one:
                return self.number(part, judged, tuple(zero), tuple(one)) == len(self.columns) - 1
            case "part", key, zero, one, judged:
                value = self.number(key, judged, (zero, 1), (one, 1))
                fine = zero == one or not self.symmetric
            case "step", part, state, query, *value:
                weights = {(answer, to): weight for answer, to, weight in value[1]}
                key, fine = (part, state, query), sum(weights.values()) == value[0] > 0
                if state == 0:  # a dead part stays so, and has one answer to all
                    fine &= weights.keys() == {(self.last.setdefault(part, value[1][0][0]), 0)}
                fine &= all(weights.values()) and len(weights) == len(value[1])
            case "f", part, judged, value:
                found, key = {(zero, one): to for zero, one, to in value}, (part, judged)
                fine = len(found) == len(value)
                for (zero, one), to in found.items():
                    fine &= to % 2 == max(judged % 2, zero != one)  # it has paid
                    fine &= not self.symmetric or found.get((one, zero)) == to
            case "public", key, asks, differ, admits:
                value = asks, dict(differ), {part: (to, born) for part, to, born in admits}
                fine = len(value[1]) == len(differ) and len(value[2]) == len(admits)
            case "node", t, public, created, columns, zero, one, *value:
                key = t, (public, created, tuple(sorted(columns))), zero, one
                fine = t > 0 < value[1] and gcd(zero, one) == 1
                fine &= max(columns, default=0) < len(self.columns)
            case "delta", epsilon, (one, zero), value:
                key, fine = (tuple(epsilon), one, zero), len(value) == 2
            case "epsilon", (one, zero), *value:
                key, fine = (one, zero), len(value) in (1, 3)
            case _:
                return kind == "about"
        return bool(fine) and self.tables[kind].setdefault(key, value) is value

    def value(self, t: int, position: Any, zero: int, one: int) -> tuple[int, int]:
        """The value of a belief: what its node says, or what to stop is worth."""
        by = gcd(zero, one) or 1
        node = self.tables["node"].get((t, position, zero // by, one // by))
        if node is not None:
            return by * node[0], node[1]
        own, other = zero * self.mass(position[2], 0), one * self.mass(position[2], 1)
        need(not (t and own and other and self.options(position)), "no value", t, position)
        return max(0, own - other), 1

    def check_node(self, t: int, position: Any, zero: int, one: int) -> None:
        """No option is worth more than the value; and the one that is named is worth as much."""
        value, unit, best = self.tables["node"][t, position, zero, one]
        most, less = zero * self.mass(position[2], 0), one * self.mass(position[2], 1)
        need(max(0, most - less) * unit <= value <= most * unit, "out of bounds", t, position)
        attained = not best and value == max(0, most - less) * unit
        for name, over, branches in self.options(position):
            if value < most * unit or name == best:
                after = [self.value(t - 1, to, zero * by0, one * by1) for by0, by1, to in branches]
                common = lcm(*(each for _, each in after))
                total = sum(each * (common // below) for each, below in after) * unit
                need(total <= value * over * common, "a continuation is worth more", t, position)
                attained |= name == best and total == value * over * common
        need(attained, "no option attains the value", t, position)

    def check_delta(self, epsilon: Any, one: int, zero: int) -> Fraction:
        """The δ at e^ε = one/zero, of which the file says the ε where e^ε is not rational."""
        start, rounds = self.start(), self.rounds
        found = [Fraction(*self.value(rounds, start, zero, one))]
        if not self.symmetric:
            found.append(zero - one + Fraction(*self.value(rounds, start, one, zero)))
        need(max(epsilon, default=0) < 1 << 256, "too long an ε")
        least = sum(Fraction(*epsilon or [0]) ** k / factorial(k) for k in range(200))
        need(0 < zero <= one and (not epsilon or one <= least * zero), "more than e^ε", one, zero)
        need(max(found) == Fraction(*self.tables["delta"][epsilon, one, zero]) * zero, "another δ")
        return max(found) / zero

    def lesser(self) -> set[tuple[int, int]]:
        """The pairs of public states of which the second allows all that the first does, for ever:
        the first is what a payment leaves. What `tells` and `moves` leave out rests on it."""
        public, found = self.tables["public"], set[tuple[int, int]]()
        for _, differ, admits in public.values():
            for to in {*differ.values(), *(to for to, _ in admits.values())}:
                need(public[to][1].keys() <= differ.keys(), "a purse grows", to)
        waiting = [(to, p) for p, (_, differ, _) in public.items() for to in differ.values()]
        while waiting:
            small, large = pair = waiting.pop()
            if small != large and pair not in found:
                found.add(pair)
                (asks, pays, makes), (more_asks, more_pays, more) = public[small], public[large]
                need(asks <= more_asks and pays.keys() <= more_pays.keys(), "a purse grows", pair)
                waiting += [(to, more_pays[part]) for part, to in pays.items()]
                for part, (to, born) in makes.items():
                    need(part in more and more[part][1] == born, "a payment allows more", pair)
                    waiting.append((to, more[part][0]))
        return found

    def check(self) -> str:
        """What was checked, in a sentence."""
        self.lesser()
        for node in self.tables["node"]:
            self.check_node(*node)
        tight = {Fraction(*key[1:]): self.check_delta(*key) for key in self.tables["delta"]}
        said = [f"δ = {delta} at e^ε = {growth}" for growth, delta in tight.items()]
        for delta, line in self.tables["epsilon"].items():
            growth, *before = (Fraction(*each) for each in line)
            need(tight[growth] <= Fraction(*delta), "a larger δ at this ε")
            if growth > 1:  # as δ is convex in e^ε, it is above a line beyond two of its points
                low, high = sorted(before)
                fall = (tight[low] - tight[high]) / (high - low)
                least = tight[high] - fall * (growth - high)
                need(high < growth and fall > 0 and least >= Fraction(*delta), "a smaller ε")
            said.append(f"e^ε = {growth} is the least with δ <= {Fraction(*delta)}")
        return f"against {self.rounds} messages, in the game of its tables: {'; '.join(said)}"


def natural(row: object) -> bool:
    """Whether there are only natural numbers, and lists of lists of them."""
    return all(map(natural, row)) if isinstance(row, list) else type(row) is int and row >= 0


def checked(read: Callable[[Iterable[str]], str], lines: Iterable[str]) -> str:
    """What a reader checked. Raises: NotAccepted."""
    try:
        return read(lines)
    except Exception as error:
        known = isinstance(error, NotAccepted)
        raise error if known else NotAccepted("malformed", repr(error)[:200]) from None


def check(lines: Iterable[str]) -> str:
    """What was checked. Raises: NotAccepted."""
    return checked(lambda lines: CertificateFile(lines).check(), lines)


def main(check: Callable[[Iterable[str]], str]) -> None:
    """Check the file that the command line names, and print what was checked."""
    gc.disable()  # what is kept is kept to the end
    sys.excepthook = lambda kind, error, trace: print("not accepted:", *error.args, file=sys.stderr)
    with open(sys.argv[1], encoding="ascii") as file:
        print("checked,", check(iter(lambda: file.readline(LINE), "")))


if __name__ == "__main__":
    main(check)
