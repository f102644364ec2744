"""Checks a certificate of a tight ε, of a tight Rényi moment, or of a range of the privacy loss.

It needs the standard library and antiphon_check.py in the same folder. docs/certificates.md has the
format. A tight ε rests on three points of the tight δ, as antiphon_check.py checks them. For the
privacy loss the tables are the same, and the values are of another kind:

* of order α >= 2: the largest Σ P(v)^α Q(v)^(1−α) over the views v, with P the law of the views in
  one world and Q in the other (Mironov 2017, Def. 3);
* of order 1: the largest e^η, where η is how far apart the privacy losses of two views can be
  (Durfee and Rogers 2019), and the largest P(v)/Q(v), from which e^η is computed.

The weights of a node name its value: (1, 0) or (0, 1) for the world that is P, (1, 1) for a range.
"""

# pyright: basic
from abc import ABC, abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __package__:
    from antiphon.audit.certificates import antiphon_check as base
else:
    import antiphon_check as base  # beside this file


class PrivacyLossGame(base.TableGame, ABC):
    """The game of some tables, in which an adversary drives privacy losses apart."""

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


class LossFile(PrivacyLossGame, base.CertificateFile):
    """A certificate of a tight ε, a moment or a range, read line by line. Raises: NotAccepted."""

    kinds, orders = f"{base.TableGame.kinds} epsilon loss", range(4097)

    def read(self, kind: str, *row: Any) -> bool:
        """Whether a line is sound in itself; it is put into its table."""
        match kind, *row:
            case "epsilon", delta, *growths:
                fine = not self.order and len(growths) in (1, 3)
                return fine and self.tables[kind].setdefault(tuple(delta), growths) is growths
            case "loss", [above, below]:
                fine = self.order > 0 and not self.tables[kind]
                return fine and bool(self.tables[kind].setdefault(Fraction(above, below), row))
        return super().read(kind, *row) and not (self.order and kind == "delta")

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

    def check(self) -> str:
        """What was checked, in a sentence."""
        if not self.order:
            return "; ".join([super().check(), *map(self.least, self.tables["epsilon"])])
        self.lesser()
        for node in self.tables["node"]:
            self.check_value(*node)
        worlds = [(1, 1)] if self.order == 1 else [(1, 0), (0, 1)][: 2 - self.symmetric]
        found = max(self.worth(self.rounds, self.start(), *each) for each in worlds)
        base.need([found] == [*self.tables["loss"]], "another figure")
        moment = f"the moment of order {self.order}"
        what = "e^η of the range of losses" if self.order == 1 else moment
        return f"against {self.rounds} messages, in the game of its tables: {what} is {found}"

    def least(self, target: Any) -> str:
        """Check that an e^ε is the least whose δ is at most the target, and say so."""
        delta, lines = Fraction(*target), self.tables["delta"].items()
        tight = {Fraction(*key[1:]): Fraction(*value) for key, value in lines}
        growth, *before = (Fraction(*each) for each in self.tables["epsilon"][target])
        base.need(tight[growth] <= delta, "a larger δ at this ε")
        if growth > 1:  # as δ is convex in e^ε, it is above a line beyond two of its points
            low, high = before
            fall = (tight[low] - tight[high]) / (high - low)
            least = tight[high] - fall * (growth - high)
            base.need(low < high < growth and fall > 0 and least >= delta, "a smaller ε")
        return f"e^ε = {growth} is the least with δ <= {delta}"


def check(lines: Iterable[str]) -> str:
    """What was checked. Raises: NotAccepted."""
    return base.check(lines, LossFile)


if __name__ == "__main__":
    base.main(LossFile)
