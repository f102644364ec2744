"""Checks a certificate of a tight Rényi moment, or of a range of the privacy loss.

It needs the standard library and antiphon_check.py in the same folder. docs/certificates.md has the
format. The tables are those of a certificate of a tight δ; the values are of another kind:

* of order α >= 2: the largest Σ P(v)^α Q(v)^(1−α) over the views v, with P the views of one world
  and Q those of the other (Mironov 2017, Def. 3);
* of order 1: the largest e^η, where η is how far apart the privacy losses of two views can be
  (Durfee and Rogers 2019), and the largest P(v)/Q(v), from which it is computed.

A node's weights say which: (1, 0) or (0, 1) for the world that is P, (1, 1) for a range.
"""

# ruff: noqa: B019
# pyright: basic
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __name__ != "__main__":
    from antiphon.audit.certificates import antiphon_check as base
else:
    import antiphon_check as base  # beside this file


class PrivacyLossGame(base.TableGame):
    """The game of some tables, in which an adversary drives privacy losses apart."""

    order = 0

    @cache
    def tells(self, column: int, public: int) -> bool:
        """Whether a part may be of use; for a range a public coin is, that decides how to go on."""
        if self.order > 1:
            return super().tells(column, public)
        return bool(column > base.SPENT and self.moves(column))

    def worth(self, t: int, position: Any, zero: int, one: int) -> Fraction:
        """The value of a position; a table of them is what a certificate has."""
        raise NotImplementedError

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


class LossFile(PrivacyLossGame, base.CertificateFile):
    """A certificate of a moment or of a range, read line by line. Raises: NotAccepted."""

    def read(self, kind: str, *row: Any) -> bool:
        """Whether a line is sound in itself; it is put into its table."""
        match kind, *row:
            case "game", 2, *more, order:
                self.order, self.tables["loss"] = order, {}
                return super().read(kind, 1, *more) and 0 < order <= 4096
            case "loss", [above, below]:
                return bool(self.tables["loss"].setdefault((), (above, below)) == (above, below))
            case "game" | "delta" | "epsilon", *_:
                return False
        return super().read(kind, *row)

    def worth(self, t: int, position: Any, zero: int, one: int) -> Fraction:
        """The value that a position's node says, or that of stopping."""
        node = self.tables["node"].get((t, position, zero, one))
        if node is not None:
            return Fraction(*node[:2])
        base.need(not (t and self.options(position)), "no value", t, position)
        return self.stopped(position, zero, one)

    def check_node(self, t: int, position: Any, zero: int, one: int) -> None:
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

    def check(self) -> str:
        """What was checked, in a sentence."""
        super().check()  # the purses, and each node
        worlds = [(1, 1)] if self.order == 1 else [(1, 0)] if self.symmetric else [(1, 0), (0, 1)]
        found = max(self.worth(self.rounds, self.start(), *each) for each in worlds)
        base.need(found == Fraction(*self.tables["loss"][()]), "another figure")
        what = (
            "e^η of the range of losses" if self.order == 1 else f"the moment of order {self.order}"
        )
        return f"against {self.rounds} messages, in the game of its tables: {what} is {found}"


def check(lines: Iterable[str]) -> str:
    """What was checked. Raises: NotAccepted."""
    return base.checked(LossFile, lines)


if __name__ == "__main__":
    base.main(check)
