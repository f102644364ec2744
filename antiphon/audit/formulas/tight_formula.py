# pyright: basic
"""``game.tight_delta`` with a symbol: the tight δ as a formula, with its certificate."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import attrs
import numpy as np

from antiphon.audit.certificates.antiphon_formula_check import merged
from antiphon.audit.certificates.certificate import Certificate, room
from antiphon.audit.certificates.symbolic_rows import SymbolicRows, WiderDenominator
from antiphon.audit.exact.divergence import rational_growth
from antiphon.audit.exact.question import Question, horizon
from antiphon.audit.formulas.cuts import CutPoint, CutPoints, ended
from antiphon.audit.formulas.symbolic_tables import Pieces, SymbolicTables
from antiphon.numbers import InvalidArgument, exact, shown_up
from antiphon.numbers.errors import TranscriptError
from antiphon.numbers.polynomials import Polynomial
from antiphon.numbers.symbolic import (
    Function,
    SymbolError,
    Symbolic,
    Unknown,
    quotient,
    reduced,
    standing_for,
)
from antiphon.protocol.display import Card, Grid, Part, Shown
from antiphon.protocol.pictures import COLOURS, Axes, Plotted, style_axes, titled
from antiphon.protocol.records.labels import counted

_DRAWN: Final = 200
"""The number of points of the line in a picture."""
_FAR: Final = 8
"""Where a picture of an unbounded interval ends, as a multiple of the last finite breakpoint."""
_HALVINGS: Final = (0, 6, 12, 24, 48, 96)
"""The numbers of halvings of breakpoints' intervals, tried until the certificate is accepted."""


@attrs.frozen
class Piece:
    """The tight δ between two neighbouring breakpoints, as a function of the symbol."""

    low: CutPoint
    high: CutPoint
    delta: Function


@attrs.frozen
class BoundFound:
    """The answer to whether a bound on δ holds for all numbers of a symbol; its truth value is
    ``holds``."""

    holds: bool
    point: Fraction | None = None
    """A number at which the bound fails."""

    def __bool__(self) -> bool:
        return self.holds


class TightFormula(Plotted, Shown):
    """The tight δ as a function of a symbol, exactly: one rational function in each piece.

    ``at`` has its values, ``verify`` compares it with a claimed δ for all numbers at once, and
    ``certificate`` writes what a page of code checks. The symbol is unlike every number that the
    game names: where a game has a parameter 2 and a parameter x, they are two, also at x = 2.
    """

    def __init__(
        self, tables: SymbolicTables, tight: Pieces, question: Question, epsilon: Any, rounds: int
    ) -> None:
        self._tables, self._question, self._epsilon = tables, question, epsilon
        self.rounds: int = rounds
        growth, error = rational_growth(epsilon)
        self.error: Fraction = error
        """How far the true δ may lie below the formula: an irrational e^ε was rounded down."""
        self._growth = quotient(growth)
        below = self._growth[1] * tables.power(rounds)
        self.unknown: Unknown = tables.cuts.unknown
        self._tight = [(low, reduced(self.unknown, own, below), bit) for low, own, bit in tight]

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces of the formula, in ascending order of the symbol."""
        found = list[tuple[CutPoint, Function]]()
        for low, delta, _ in self._tight:
            if not found or found[-1][1] != delta:
                found.append((low, delta))
        highs = [*(low for low, _ in found[1:]), self._tables.cuts.last]
        return tuple(
            Piece(low, high, delta) for (low, delta), high in zip(found, highs, strict=True)
        )

    @property
    def formula(self) -> str:
        """The formula in Python's notation, one line for each piece."""
        if len(self.pieces) == 1:
            return str(self.pieces[0].delta)
        return "\n".join(f"{each.delta} {self._where(each)}" for each in self.pieces)

    def _where(self, piece: Piece) -> str:
        low, high = f"{piece.low!r}", f"{piece.high!r}"
        name = self.unknown.name
        return f"for {name} >= {low}" if high == "∞" else f"for {low} <= {name} <= {high}"

    def at(self, value: object) -> Fraction:
        """The tight δ at a number of the symbol; a symbol for e^ε also takes ε, as ``Log(q)``.

        Raises: InvalidArgument outside the interval, and where the formula has no value.
        """
        x = value.argument if isinstance(value, exact.Log) else exact.fraction(value)
        low, high = self.unknown.low, self.unknown.high
        if x < low or (high is not None and x > high):
            raise InvalidArgument(f"this formula is about {self.unknown}, not about {x}")
        cut = ended(x)
        piece = next(
            each for each in reversed(self.pieces) if each.low.exact == x or each.low < cut
        )
        if isinstance(piece.delta, Fraction):
            return piece.delta
        if not piece.delta.below(x):
            raise InvalidArgument(f"at {self.unknown.name} = {x} the probabilities have no value")
        return piece.delta.at(x)

    def verify(self, bound: object) -> BoundFound:
        """Whether δ is at most ``bound`` for all numbers of the symbol; or a number where it is
        not.

        ``bound`` is a number, or computed from the same symbol. Raises: InvalidArgument;
        SymbolError for another symbol.
        """
        claimed: Any = exact.fraction(bound, "the bound", symbols=True)
        cuts = self._tables.cuts
        if isinstance(claimed, Symbolic) and claimed.unknown != self.unknown:
            raise SymbolError(f"one symbol at a time: {claimed.unknown} bounds {self.unknown}")
        for piece in self.pieces:
            above, below = quotient(claimed - piece.delta)
            signs = cuts.signs(above * below)
            for low, high, ((sign,),) in merged(cuts.last, signs):
                begin, end = max(low, piece.low), min(high, piece.high)
                if not sign and above and begin < end:
                    return BoundFound(False, cuts.between(begin, end, above * below))
        return BoundFound(True)

    def certificate(self) -> Certificate:
        """A certificate of the formula, which has been checked."""
        symmetric, about = self._tables.symmetric, self._question._card().title
        with room():
            for halvings in _HALVINGS:
                rows = [*self._tables.file(
                    about, self.rounds, self._growth, self._tight, symmetric, halvings
                )]  # fmt: skip
                made = Certificate.of(rows)
                try:
                    made.check()
                except TranscriptError:
                    if halvings == _HALVINGS[-1]:
                        raise
                else:
                    return made
        raise AssertionError("unreachable")

    def by_engine(self, value: Fraction) -> Fraction:
        """Returns the tight δ at a number of the symbol, computed by the exact engine."""
        with standing_for(self.unknown, value):
            return attrs.evolve(self._question).solve(self._epsilon, self.rounds).delta

    def compared(self) -> TightFormula:
        """Returns this formula after comparing it with the exact engine at a number inside each
        piece. Raises: AssertionError if they differ."""
        for piece in self.pieces:
            inside = self._tables.cuts.between(piece.low, piece.high)
            short = inside.limit_denominator(1 << 20)
            x = short if self.unknown.contains(short) else inside
            if self.at(x) != self.by_engine(x):
                raise AssertionError(f"a bug: the formula is not the engine's δ at {x}")
        return self

    def _card(self) -> Card:
        title = (
            f"δ = {self.formula}" if len(self.pieces) == 1 else f"δ in {len(self.pieces)} pieces"
        )
        less = f", or less by at most {shown_up(self.error)}" if self.error else ""
        messages = counted(self.rounds, "message")
        return Card(f"{title}{less}, for all {self.unknown}, against {messages}", self._parts())

    def _parts(self) -> Iterator[Part]:
        if len(self.pieces) > 1:
            yield Grid([(self._where(each), str(each.delta)) for each in self.pieces])
        yield self._picture()

    def _repr_latex_(self) -> str:
        name = self.unknown.name
        texts = [_latex(each.delta) for each in self.pieces]
        if len(texts) == 1:
            return f"$\\delta({name}) = {texts[0]}$"
        rows = [
            f"{text} & {self._where(each)[4:]}".replace("<=", "\\le").replace(">=", "\\ge")
            for text, each in zip(texts, self.pieces, strict=True)
        ]
        body = " \\\\ ".join(rows).replace("≈", "\\approx ")
        return f"$\\delta({name}) = \\begin{{cases}} {body} \\end{{cases}}$"

    def _draw(self, axes: Axes) -> None:
        low, high = self.unknown.low, self.unknown.high
        last = self.pieces[-1].low
        end = float(high) if high is not None else _FAR * max(1.0, float(last))
        points = [
            Fraction(x).limit_denominator(10**6) for x in np.linspace(float(low), end, _DRAWN)
        ]
        inside = [x for x in points if self.unknown.contains(x)]
        style_axes(axes, self.unknown.name, "δ")
        axes.plot([*map(float, inside)], [float(self.at(x)) for x in inside], color=COLOURS[0])
        axes.set_ylim(bottom=0)
        titled(axes, self._card().title if len(self.pieces) > 1 else self.formula)


def _latex(value: Function) -> str:
    return value._repr_latex_().strip("$") if isinstance(value, Symbolic) else str(value)


def tight_formula(question: Question, epsilon: object, rounds: int | None) -> TightFormula:
    """The tight δ of a question as a formula. Raises: Intractable; SymbolError for two symbols;
    InvalidArgument for games that no certificate is written of."""
    normal = exact.epsilon(epsilon)
    growth, _ = rational_growth(normal)
    rounds = _longest(question) if rounds is None else horizon(rounds)
    over, unknown = Polynomial.of([1]), growth.unknown if isinstance(growth, Symbolic) else None
    while True:
        rows = SymbolicRows(question, rounds)
        rows.over, rows.unknown = over, unknown
        cuts = CutPoints(unknown or Unknown("x", Fraction(0), Fraction(1)))
        tables = SymbolicTables(rows, cuts, question.limit, question.report)
        try:
            with room():
                tight = _solved(tables, rounds, growth)
                return TightFormula(tables, tight, question, normal, rounds).compared()
        except WiderDenominator as error:
            unknown = error.unknown or unknown
            negative = unknown is not None and error.over(unknown.inside) < 0
            over = -error.over if negative else error.over


def _solved(tables: SymbolicTables, rounds: int, growth: Any) -> Pieces:
    one, zero = quotient(growth)
    found = tables.world(rounds, zero, one, 0)
    return found if tables.symmetric else tables.larger(found, tables.world(rounds, zero, one, 1))


def _longest(question: Question) -> int:
    try:
        return question.longest
    except SymbolError:
        raise InvalidArgument(
            "how many messages? where a mechanism has a symbol, write game.tight_delta(…, rounds=3)"
        ) from None
