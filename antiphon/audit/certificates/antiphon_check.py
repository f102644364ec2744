"""Checks a certificate of a tight δ; standard library only. docs/certificates.md has the format.

A certificate has the tables of a privacy game, and a value for each belief of the adversary: the
laws of the hidden states in both worlds, as they follow from the answers so far. This file checks
that no value is less than that of any continuation, so that no adversary gains more; and that each
value equals the one of a continuation that the certificate names, so that one adversary gains as
much. Whether the tables are those of some mechanism is not checked here.
"""

# ruff: noqa: B019
# pyright: basic

import json
import re
import sys
from fractions import Fraction
from functools import cache
from math import factorial, gcd, lcm, prod
from typing import Any

FORM = 3  # FORM: the version of the file format.
OVER, SPENT = 0, 1  # OVER, SPENT: the numbers of two beliefs: all is over; a mechanism has halted.
BORN, PAYS = 1, 2  # BORN, PAYS: causes of a new public state: a creation; a payment from the purse.
DEAD = 1  # DEAD: the number of the law of a mechanism that has halted. Law 0 is empty.
ENDED = -1, 0, ()  # ENDED: the position after the end, in which no message may be sent.
LINE = 1 << 24  # LINE: the largest length of a line, in characters.
OTHER = "(a tight ε, a moment or a range is checked by antiphon_check_losses.py)"


class NotAccepted(Exception):
    """The error for a certificate that is damaged, or that states a false figure."""


def need(fact: object, *text: object) -> None:
    """Raises NotAccepted, with a text, if a fact is false."""
    if not fact:
        raise NotAccepted(*text)


def number(known: dict[Any, Any], key: tuple[Any, ...]) -> int:
    """Returns the number of a key in a two-way table; a new key gets the next number. The table
    ``known`` maps each key to its number, and each number to its key."""
    found: int = known.setdefault(key, len(known) // 2)
    known[found] = key
    return found


class TableGame:
    """The rules of a privacy game that is given by tables: which messages the adversary may send,
    and which positions the answers lead to.

    A part is one mechanism of the game. The law of its hidden state is ((state, weight), …). A
    column says what is known of one part: (part, state of its f, number of the law in world 0, in
    world 1). A position says what is known of all parts, up to weights of the two worlds: (public
    state, number of creations, sorted numbers of the columns).
    """

    gcd, lcm, one, positive = staticmethod(gcd), staticmethod(lcm), 1, staticmethod(lambda n: n > 0)
    kinds = "part step f public node delta"

    def __init__(self) -> None:
        self.composed, self.most, self.order = 0, 0, 0
        self.tables: dict[str, dict[Any, Any]] = {kind: {} for kind in self.kinds.split()}
        self.tables["public"][ENDED[0]] = 0, {}
        self.laws, self.columns = dict[Any, Any](), dict[Any, Any]()
        for law in (), ((0, self.one),):
            number(self.columns, (-1, number(self.laws, law), DEAD, DEAD))

    @cache
    def push(self, part: int, law: int, query: int) -> tuple[int, dict[int, Any]]:
        """Returns the answers of a mechanism to a query, given the law of its hidden state, as
        (denominator, {answer: (factor, number of the law after this answer)}). The factor is the
        common divisor that was taken out of the weights of the new law."""
        rows = [(n, *self.tables["step"][part, state, query]) for state, n in self.laws[law]]
        common, found = self.lcm(*(over for _, over, _ in rows)), dict[int, Any]()
        for weight, over, branches in rows:
            for answer, to, share in branches:
                own = found.setdefault(answer, {})
                own[to] = own.get(to, 0) + weight * share * (common // over)
        for answer, own in found.items():
            by = self.gcd(*own.values())
            found[answer] = by, number(self.laws, tuple([(s, own[s] // by) for s in sorted(own)]))
        return common, found

    @cache
    def moves(self, column: int) -> dict[Any, Any]:
        """Returns the pairs of queries that a mechanism may be sent, given the number of the belief
        about it (``column``): {outcome: [column, query in world 0, in world 1]}. An outcome is
        (whether the purse pays, denominator, branches). A branch, one for each answer, is (factor
        of the weight of world 0, of world 1, number of the next belief). Of pairs with the same
        outcome only one is listed."""
        (part, judged, law0, law1), found = self.columns[column], dict[Any, Any]()
        for zero, one, to in self.tables["f"][part, judged]:
            over0, after0 = self.push(part, law0, zero)
            over1, after1 = self.push(part, law1, one)
            common, branches = self.lcm(over0, over1), list[tuple[int, int, int]]()
            for answer in {**after0, **after1}:
                (by0, new0), (by1, new1) = after0.get(answer, (0, 0)), after1.get(answer, (0, 0))
                dead = max(new0, new1) <= DEAD
                new = min(answer, SPENT) if dead else number(self.columns, (part, to, new0, new1))
                branches.append((by0 * (common // over0), by1 * (common // over1), new))
            # A pair whose only answer ends the mechanism tells nothing: to stop is as good.
            if len(branches) > 1 or branches[0][2] > SPENT:
                key = zero != one and not judged % 2, common, tuple(sorted(branches))
                found.setdefault(key, [column, zero, one])
        return found

    @cache
    def tells(self, column: int, public: int) -> bool:
        """Returns whether the answers of a mechanism may ever have different laws in the two
        worlds, given the numbers of the belief about it (``column``) and of the public state; a
        position leaves out beliefs of which this is false. At order 1 (the range of the privacy
        loss): whether it takes any message, as the adversary may choose the next by its coins."""
        part, judged, law0, law1 = self.columns[column]
        may = judged % 2 or law0 != law1 or (part, PAYS) in self.tables["public"][public][1]
        return column > SPENT and bool((may or self.order == 1) and self.moves(column))

    @cache
    def mass(self, columns: Any, bit: int) -> int:
        """Returns the mass of some beliefs (``columns``) in the world ``bit``: the product of the
        total weights of the laws of their hidden states."""
        return prod(sum(n for _, n in self.laws[self.columns[each][2 + bit]]) for each in columns)

    @cache
    def settled(self, public: int, created: int, columns: Any) -> tuple[int, int, Any]:
        """Returns (mass in world 0, mass in world 1, position). The position has the beliefs of
        ``columns`` that may still tell the worlds apart; the masses are those of the others."""
        over = OVER in columns
        kept = tuple(sorted([each for each in columns if not over and self.tells(each, public)]))
        lost = tuple([each for each in columns if each not in kept])
        return self.mass(lost, 0), self.mass(lost, 1), ENDED if over else (public, created, kept)

    def start(self) -> Any:
        """Returns the position before any message. A composition has created no mechanism by then;
        any other game has one mechanism from the start."""
        return self.settled(0, 0, (SPENT if self.composed else self.tables["part"][0],))[2]

    @cache
    def options(self, position: Any) -> list[Any]:
        """Returns the messages that may be sent in a position: [(name, denominator, branches)]. The
        name is [mechanism] for a creation, else [belief, query in world 0, in world 1]. A branch,
        one for each answer, is (factor of the weight of world 0, of world 1, next position)."""
        found, (public, created, columns) = list[Any](), position
        asks, may = self.tables["public"][public]
        for (part, what), after in may.items() if created < self.most else ():
            new = self.tables["part"][part] if what == BORN else SPENT
            if what != PAYS and (not asks or after != public or self.tells(new, after)):
                found.append(([part], 1, [self.settled(after, created + 1, (*columns, new))]))
        for place, column in enumerate(columns if asks else ()):
            rest = columns[:place] + columns[place + 1 :]
            for (pays, over, branches), name in self.moves(column).items():
                after = may.get((self.columns[column][0], PAYS)) if pays else public
                if after is not None and column not in columns[:place]:
                    to = [(a, b, *self.settled(after, created, (*rest, c))) for a, b, c in branches]
                    found.append((name, over, [(a * m, b * n, at) for a, b, m, n, at in to]))
        return found


class CertificateFile(TableGame):
    """A certificate of a tight δ, which is read line by line. Raises: NotAccepted."""

    orders, others = range(1), ["epsilon", "loss"]
    # A line is a list in JSON: a word for its kind, then natural numbers.
    form = re.compile(r'\[\s*"[a-z]+"[\s0-9,\[\]]*')

    def __init__(self, lines: Any) -> None:
        super().__init__()
        self.rounds, self.symmetric, self.last = 0, 0, dict[int, int]()
        for count, line in enumerate(lines):
            kind, *row = json.loads(line)
            need(kind == "about" or self.form.fullmatch(line.strip()), "no natural number", count)
            fine = (kind == "game") == (count == 0) and self.read(kind, *row)
            other = self.others and (kind in self.others or self.order)
            need(fine, "a bad line", count, *[OTHER][: bool(other)])
        need((kind, row) == ("end", [count]), "the end is missing")

    def read(self, kind: str, *row: Any) -> bool:
        """Stores a line of the certificate in the table of its kind; returns whether it is well
        formed."""
        value: Any
        match kind, *row:
            case "game", form, *rest:
                need(form == FORM, f"it is of form {form}, and this reader takes form {FORM}")
                self.rounds, self.symmetric, self.composed, self.most, self.order = rest
                return self.symmetric <= 1 >= self.composed and self.order in self.orders
            case "law", law:
                row = (tuple(map(tuple, law)),)
                return row[0] not in self.laws and number(self.laws, *row) > DEAD
            case "column", _, _, _, _:
                return row not in self.columns and number(self.columns, row) > SPENT
            case "part", key, zero, one, judged:
                laws = [number(self.laws, ((state, self.one),)) for state in (zero, one)]
                value = number(self.columns, (key, judged, *laws))
                fine = zero == one or not self.symmetric
            case "step", part, state, query, over, rows:
                key, value, weights = (part, state, query), (over, rows), [each[2] for each in rows]
                fine = sum(weights) == over and all(map(self.positive, weights))
                # A halted mechanism (state 0) stays halted, and gives one answer for ever.
                after = {(answer, to) for answer, to, _ in rows}
                fine &= state > 0 or after == {(self.last.setdefault(part, rows[0][0]), 0)}
            case "f", part, judged, value:
                found, key = {(zero, one): to for zero, one, to in value}, (part, judged)
                fine = len(found) == len(value)
                for (zero, one), to in found.items():
                    # The number of f's state is odd exactly if the pair (zero, one), or an earlier
                    # one, differs.
                    fine &= to % 2 == max(judged % 2, zero != one)
                    fine &= not self.symmetric or found.get((one, zero)) == to
            case "public", key, asks, may:
                value = asks, {(part, what): to for part, what, to in may}
                fine = len(value[1]) == len(may)
            case "node", t, public, created, columns, zero, one, *value:
                key = t, (public, created, tuple(sorted(columns))), zero, one
                fine = t > 0 < value[1] and {*columns} <= self.columns.keys()
            case "delta", epsilon, (one, zero), ((_, _) as value):
                key, fine = (tuple(epsilon), one, zero), max(epsilon, default=0) < 1 << 256
            case _:
                return kind in ("about", "end")
        return bool(fine) and self.tables[kind].setdefault(key, value) is value

    def value(self, t: int, position: Any, zero: int, one: int) -> tuple[int, int]:
        """Returns the value of a belief, with ``t`` messages left and the weights ``zero`` and
        ``one`` of the worlds, as (numerator, denominator). It is the value that the certificate
        lists, or else the value of stopping."""
        by = gcd(zero, one) or 1
        node = self.tables["node"].get((t, position, zero // by, one // by))
        if node is not None:
            return by * node[0], node[1]
        own, other = zero * self.mass(position[2], 0), one * self.mass(position[2], 1)
        need(not (t and own and other and self.options(position)), "no value", t, position)
        return max(0, own - other), 1

    def check_node(self, t: int, position: Any, zero: int, one: int) -> None:
        """Checks the value that the certificate lists for a belief, with ``t`` messages left and
        the weights ``zero`` and ``one`` of the worlds: stopping and each message are worth no more,
        and the option that the certificate names is worth as much."""
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

    def check_delta(self, epsilon: Any, one: int, zero: int) -> str:
        """Checks a ``delta`` line, which states the tight δ at e^ε = one/zero, and returns it as
        text. Where e^ε is irrational the line also has ε, and one/zero must be at most e^ε."""
        worlds = [(0, zero, one), (zero - one, one, zero)][: 2 - self.symmetric]
        first = self.rounds, self.start()
        found = max(more + Fraction(*self.value(*first, *each)) for more, *each in worlds)
        least = sum(Fraction(*epsilon or [0]) ** k / factorial(k) for k in range(200))
        need(0 < zero <= one and (not epsilon or one <= least * zero), "more than e^ε", one, zero)
        need(found == Fraction(*self.tables["delta"][epsilon, one, zero]) * zero, "another δ")
        return f"δ = {found / zero} at e^ε = {Fraction(one, zero)}"

    def compare_purses(self) -> set[tuple[int, int]]:
        """Checks that a purse never grows, and that a payment never allows more messages; else
        ``TableGame`` might leave out useful messages. Returns the pairs (small, large) of public
        states that it compared: ``large`` allows all that ``small`` does, now and later."""
        public, found, waiting = self.tables["public"], set[Any](), list[Any]()
        for each, (_, may) in public.items():
            for (_, what), to in may.items():
                need({p for p in public[to][1] if p[1] == PAYS} <= may.keys(), "a purse grows", to)
                waiting += [(to, each)] if what == PAYS else []
        while waiting:
            small, large = pair = waiting.pop()
            if small != large and pair not in found:
                found.add(pair)
                (asks0, may0), (asks1, may1) = public[small], public[large]
                need(asks0 <= asks1 and may0.keys() <= may1.keys(), "a payment allows more", pair)
                waiting += [(to, may1[key]) for key, to in may0.items()]
        return found

    def check(self) -> str:
        """Checks everything, and returns what was checked in a sentence. Raises: NotAccepted."""
        self.compare_purses()
        for node in self.tables["node"]:
            self.check_node(*node)
        said = "; ".join(self.check_delta(*key) for key in self.tables["delta"])
        return f"against {self.rounds} messages, in the game of its tables: {said}"


def check(lines: Any, reader: Any = CertificateFile) -> str:
    """Checks the lines of a certificate, and returns what was checked in a sentence. ``reader``:
    the class for its kind of figure, by default a tight δ. Raises: NotAccepted."""
    try:
        return str(reader(lines).check())
    except Exception as error:
        raise error if type(error) is NotAccepted else NotAccepted(f"{error!r:.200}") from None


def main(reader: Any) -> None:
    """Checks the certificate whose path is the first argument of the command line, and prints what
    was checked. ``reader``: the class for its kind of figure."""
    sys.excepthook = lambda kind, error, trace: print("not accepted:", *error.args, file=sys.stderr)
    with open(sys.argv[1], encoding="ascii") as file:
        print("checked,", check(iter(lambda: file.readline(LINE), ""), reader))


if __name__ == "__main__":
    main(CertificateFile)
