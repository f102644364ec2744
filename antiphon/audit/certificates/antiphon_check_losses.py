"""Checks a certificate of a tight Rényi moment, or of a range of the privacy loss.

It needs the standard library and antiphon_check.py in the same folder. docs/certificates.md has the
format. The tables are those of a certificate of a tight δ; the values are of another kind:

* of order α >= 2: the largest Σ P(v)^α Q(v)^(1−α) over the views v, with P the views of one world
  and Q those of the other (Mironov 2017, Def. 3);
* of order 1: the largest e^η, where η is how far apart the privacy losses of two views can be
  (Durfee and Rogers 2019), and the largest P(v)/Q(v), from which it is computed.

A node's weights say which: (1, 0) or (0, 1) for the world that is P, (1, 1) for a range.
"""

# pyright: basic
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __name__ != "__main__":
    from antiphon.audit.certificates import antiphon_check as base
else:
    import antiphon_check as base  # beside this file


class PrivacyLossGame(base.TableGame, ABC):
    """The game of some tables, in which an adversary drives privacy losses apart."""

    order = 0

    @abstractmethod
    def worth(self, t: int, position: Any, zero: int, one: int) -> Fraction:
        """The value of a position with t messages left."""

    def term(self, zero: int, one: int, bit: int) -> Fraction:
        """What two factors add to a moment, or the ratio of likelihoods that they are."""
        own, other = (one, zero) if bit else (zero, one)
        base.need(other or not own, "a view of one world only: the loss is infinite")
        if not own:
            return Fraction(0)
        ratio = Fraction(own, other)
        return own * ratio ** (self.order - 1) if self.order > 1 else ratio

    def stopped(self, position: Any, zero: int, one: int) -> Fraction:
        """The value of an interaction that ends here."""
        columns = position[2]
        masses = self.mass(columns, 0), self.mass(columns, 1)
        return Fraction(1) if zero == one else self.term(*masses, one)

    def followed(self, t: int, option: Any, zero: int, one: int) -> Fraction:
        """The value of an option, from those of its branches with t messages left."""
        _, over, branches = option
        if zero == one:
            return self.apart(t, branches)
        terms = [(self.term(own, other, one), to) for own, other, to in branches]
        found = [term * self.worth(t, to, zero, one) for term, to in terms if term]
        return sum(found, Fraction(0)) / over if self.order > 1 else max(found, default=Fraction(0))

    def apart(self, t: int, branches: Any) -> Fraction:
        """The largest range: of two views with one answer, or with two different answers."""
        found, ratios = [Fraction(1)], list[list[Fraction]]()
        for zero, one, to in branches:
            base.need(bool(zero) == bool(one), "a view of one world only: the range is infinite")
            if zero:
                found.append(self.worth(t, to, 1, 1))
                ends = ((1, 0), (0, 1))
                ratios.append([self.term(zero, one, b) * self.worth(t, to, a, b) for a, b in ends])
        return max([*found, *(high[0] * low[1] for high, low in permutations(ratios, 2))])


class LossFile(PrivacyLossGame):
    """A certificate of a moment or of a range, read line by line. Raises: NotAccepted."""

    def __init__(self, lines: Iterable[str]) -> None:
        super().__init__()
        self.figure = list[Fraction]()
        self.file = base.CertificateFile(self._tables(lines))
        self.tables, self.columns, self.numbers = (
            self.file.tables,
            self.file.columns,
            self.file.numbers,
        )
        self.composed, self.most, self.coins = self.file.composed, self.file.most, self.order == 1

    def _tables(self, lines: Iterable[str]) -> Iterator[str]:
        """The lines as a certificate of a δ has them, without its figures."""
        for line in lines:
            kind, *row = json.loads(line)
            if kind == "game":
                version, *row, self.order = row
                base.need(version == 2 and 0 < self.order <= 4096, "no certificate of losses")
                row = [1, *row]
            elif kind == "loss":
                base.need(base.natural(row), "a figure is of natural numbers")
                self.figure += [Fraction(*row[0])]
                kind, row = "about", []
            base.need(kind not in ("delta", "epsilon"), "a figure of another kind")
            yield json.dumps([kind, *row])

    def worth(self, t: int, position: Any, zero: int, one: int) -> Fraction:
        """The value that a position's node says, or that of stopping."""
        node = self.tables["node"].get((t, position, zero, one))
        if node is not None:
            return Fraction(*node[:2])
        base.need(not (t and self.options(position)), "no value", t, position)
        return self.stopped(position, zero, one)

    def check_value(self, t: int, position: Any, zero: int, one: int) -> None:
        """No option is worth more than the value; and the one that is named is worth as much."""
        *value, best = self.tables["node"][t, position, zero, one]
        stopped, said = self.stopped(position, zero, one), Fraction(*value)
        base.need(stopped <= said, "to stop is worth more", t, position)
        attained = not best and said == stopped
        for option in self.options(position):
            found = self.followed(t - 1, option, zero, one)
            base.need(found <= said, "a continuation is worth more", t, position)
            attained |= option[0] == best and found == said
        base.need(attained, "no option attains the value", t, position)

    def check_losses(self) -> str:
        """What was checked, in a sentence."""
        self.file.lesser()
        for node in self.tables["node"]:
            self.check_value(*node)
        both = [(1, 0), (0, 1)][: 1 if self.file.symmetric else 2]
        rounds, start = self.file.rounds, self.start()
        found = max(self.worth(rounds, start, *each) for each in ([(1, 1)] if self.coins else both))
        base.need([found] == self.figure, "another figure")
        what = "e^η of the range of losses" if self.coins else f"the moment of order {self.order}"
        return f"against {rounds} messages, in the game of its tables: {what} is {found}"


def check(lines: Iterable[str]) -> str:
    """What was checked. Raises: NotAccepted."""
    return base.checked(lambda lines: LossFile(lines).check_losses(), lines)


if __name__ == "__main__":
    base.main(check)
