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
    import antiphon_check as base  # Run as a program, this file has antiphon_check.py beside it


class PrivacyLossGame(base.TableGame, ABC):
    """The rules of a privacy game given by tables, whose adversary makes a *kind* of value as large
    as possible: the moment of the privacy loss in world 0, or in world 1, or its range."""

    @abstractmethod
    def worth(self, t: int, position: Any, zero: int, one: int) -> Fraction:
        """Returns the value of a position with ``t`` messages left. The weights ``zero`` and
        ``one`` name the kind of value: (1, 0) for the moment in world 0, (0, 1) for that in world
        1, (1, 1) for the range."""

    def term(self, zero: int, one: int, bit: int) -> Fraction:
        """Returns the term of a view, or of one answer, in the moment of order α: p^α q^(1−α), with
        p its probability in the world ``bit`` and q that in the other; at order 1 the likelihood
        ratio p/q. Given are its probabilities ``zero`` in world 0 and ``one`` in world 1."""
        own, other = (one, zero) if bit else (zero, one)
        base.need(other or not own, "a view of one world only: the loss is infinite")
        if not own:
            return Fraction(0)
        ratio = Fraction(own, other)
        return own * ratio ** (self.order - 1) if self.order > 1 else ratio

    def stopped(self, position: Any, zero: int, one: int) -> Fraction:
        """Returns the value of stopping; ``zero`` and ``one`` name its kind (moment or range)."""
        columns = position[2]
        masses = self.mass(columns, 0), self.mass(columns, 1)
        return Fraction(1) if zero == one else self.term(*masses, one)

    def followed(self, t: int, option: Any, zero: int, one: int) -> Fraction:
        """Returns the value of sending a message (``option``), with ``t`` messages left after it.
        ``zero`` and ``one`` name the kind of value (moment or range)."""
        _, over, branches = option
        if zero == one:
            return self.apart(t, branches)
        terms = [(self.term(own, other, one), to) for own, other, to in branches]
        found = [term * self.worth(t, to, zero, one) for term, to in terms if term]
        return sum(found, Fraction(0)) / over if self.order > 1 else max(found, default=Fraction(0))

    def apart(self, t: int, branches: Any) -> Fraction:
        """Returns the largest e^η after a message, with η the difference of two views' privacy
        losses and ``t`` messages left. ``branches`` are the answers to the message: the two views
        may have the same one, or different ones."""
        found, ratios = [Fraction(1)], list[list[Fraction]]()
        for zero, one, to in branches:
            base.need(bool(zero) == bool(one), "a view of one world only: the range is infinite")
            if zero:
                found.append(self.worth(t, to, 1, 1))
                ends = ((1, 0), (0, 1))
                ratios.append([self.term(zero, one, b) * self.worth(t, to, a, b) for a, b in ends])
        return max([*found, *(high[0] * low[1] for high, low in permutations(ratios, 2))])


class LossFile(PrivacyLossGame, base.CertificateFile):
    """A certificate of a tight ε, a moment or a range (or of a tight δ), read line by line. Raises:
    NotAccepted."""

    kinds, orders, others = f"{base.TableGame.kinds} epsilon loss", range(4097), []

    def read(self, kind: str, *row: Any) -> bool:
        """Stores a line of the certificate in the table of its kind; returns whether it is well
        formed."""
        match kind, *row:
            case "epsilon", delta, *growths:
                fine = not self.order and len(growths) in (1, 3)
                return fine and self.tables[kind].setdefault(tuple(delta), growths) is growths
            case "loss", [above, below]:
                fine = self.order > 0 and not self.tables[kind]
                return fine and bool(self.tables[kind].setdefault(Fraction(above, below), row))
        return super().read(kind, *row) and not (self.order and kind == "delta")

    def worth(self, t: int, position: Any, zero: int, one: int) -> Fraction:
        """Returns the value that the certificate lists for a position with ``t`` messages left, or
        else the value of stopping. ``zero`` and ``one`` name the kind of value."""
        node = self.tables["node"].get((t, position, zero, one))
        if node is not None:
            return Fraction(*node[:2])
        base.need(not (t and self.options(position)), "no value", t, position)
        return self.stopped(position, zero, one)

    def check_value(self, t: int, position: Any, zero: int, one: int) -> None:
        """Checks the value that the certificate lists for a position with ``t`` messages left:
        stopping and each message are worth no more, and the option that the certificate names is
        worth as much. ``zero`` and ``one`` name the kind of value."""
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
        """Checks everything, and returns what was checked in a sentence. Raises: NotAccepted."""
        if not self.order:
            return "; ".join([super().check(), *map(self.least, self.tables["epsilon"])])
        self.compare_purses()
        for node in self.tables["node"]:
            self.check_value(*node)
        worlds = [(1, 1)] if self.order == 1 else [(1, 0), (0, 1)][: 2 - self.symmetric]
        found = max(self.worth(self.rounds, self.start(), *each) for each in worlds)
        base.need([found] == [*self.tables["loss"]], "another figure")
        moment = f"the moment of order {self.order}"
        what = "e^η of the range of losses" if self.order == 1 else moment
        return f"against {self.rounds} messages, in the game of its tables: {what} is {found}"

    def least(self, target: Any) -> str:
        """Checks an ``epsilon`` line, and returns it as text. The line states the least e^ε at
        which δ is at most ``target``."""
        delta, lines = Fraction(*target), self.tables["delta"].items()
        tight = {Fraction(*key[1:]): Fraction(*value) for key, value in lines}
        growth, *before = (Fraction(*each) for each in self.tables["epsilon"][target])
        base.need(tight[growth] <= delta, "a larger δ at this ε")
        # δ is convex in e^ε: right of two points it is on or above the line through them.
        if growth > 1:
            low, high = before
            fall = (tight[low] - tight[high]) / (high - low)
            least = tight[high] - fall * (growth - high)
            base.need(low < high < growth and fall > 0 and least >= delta, "a smaller ε")
        return f"e^ε = {growth} is the least with δ <= {delta}"


def check(lines: Iterable[str]) -> str:
    """Checks the lines of a certificate, and returns what was checked in a sentence. Raises:
    NotAccepted."""
    return base.check(lines, LossFile)


if __name__ == "__main__":
    base.main(LossFile)
