# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Certificates of exact answers: files that a short program checks without this library.

The page on certificates has the format, and says of which answers there are any.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import attrs

from antiphon.audit.certificates import (
    antiphon_check,
    antiphon_check_losses,
    antiphon_formula_check,
)
from antiphon.audit.certificates.antiphon_check_losses import LossFile
from antiphon.audit.certificates.antiphon_formula_check import FormulaFile
from antiphon.audit.certificates.certificate_writer import lines_of, loss_lines_of
from antiphon.audit.certificates.derived_rows import ComparedSystems, DerivedRows, Row
from antiphon.audit.certificates.symbolic_rows import SymbolicRows, WiderDenominator
from antiphon.audit.exact.cost import LIMIT
from antiphon.audit.exact.solver import deep_recursion
from antiphon.composition import Create
from antiphon.numbers import exact
from antiphon.numbers.errors import Intractable, InvalidArgument, TranscriptError
from antiphon.numbers.user_files import path_of
from antiphon.protocol import ContinualMechanism, Verification
from antiphon.protocol.display import Card, Grid, Shown
from antiphon.protocol.records.files import naming, whole
from antiphon.protocol.records.labels import counted

READER: Final = Path(antiphon_check.__file__)
"""The path of the program that checks certificates of a tight δ, with nothing but Python. The
programs for other figures need this file in the same folder."""
_LARGEST: Final = 1 << 30
"""The size in bytes of the largest file that is read. To check a file takes ten to thirty times as
much memory."""
_ENCODER: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False)
_TABLES: Final = ("part", "step", "f", "public")


class AskedGame(Protocol):
    """The parts of a question about a privacy game that define the tables of its certificate."""

    @property
    def system(self) -> ContinualMechanism: ...
    @property
    def verification(self) -> Verification: ...
    @property
    def creations(self) -> tuple[Create, ...]: ...
    @property
    def queries(self) -> Any: ...
    @property
    def max_creations(self) -> int | None: ...


@attrs.frozen(repr=False)
class Certificate(Shown):
    """A certificate of an exact answer: the tables of a privacy game, and a value for each belief
    of the adversary."""

    lines: tuple[str, ...]
    """The lines of the file."""

    def _card(self) -> Card:
        rows = [("lines", f"{len(self.lines):,}"), ("beliefs", f"{self.beliefs:,}")]
        about = next((each for each in self.lines[:2] if each.startswith('["about"')), '["",""]')
        return Card(f"a certificate about {json.loads(about)[1]}", (Grid(rows),))

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Certificate:
        """Makes the certificate with these rows as its lines, unchecked. Raises: Intractable."""
        return cls(tuple(as_line(row) for row in (*rows, ["end", len(rows)])))

    @property
    def formula(self) -> Row | None:
        """The ``interval`` line of a certificate of a formula, which begins with the ends of the
        symbol's interval: [low, high, …]. None for other certificates."""
        line = next(islice(self.lines, 1, None), "")
        return json.loads(line)[1:] if line.startswith('["interval"') else None

    @property
    def beliefs(self) -> int:
        """The number of beliefs that have a value in the certificate."""
        return sum(each.startswith('["node"') for each in self.lines)

    @property
    def reader(self) -> Path:
        """The path of the program that checks this kind of certificate, with nothing but Python and
        the file antiphon_check.py in the same folder."""
        if self.formula is not None:
            return Path(antiphon_formula_check.__file__)
        others = any(each.startswith(('["loss"', '["epsilon"')) for each in self.lines)
        return Path(antiphon_check_losses.__file__) if others else READER

    def check(self) -> str:
        """Check the figures of the certificate against its tables; returns a sentence that says
        what was checked.

        Raises: TranscriptError if the certificate is damaged, or not true.
        """
        try:
            with room():
                reader = LossFile if self.formula is None else FormulaFile
                return antiphon_check.check(self.lines, reader)
        except antiphon_check.NotAccepted as error:
            why = ", ".join(map(str, error.args))
            raise TranscriptError(f"the certificate does not hold: {why[:400]}") from None

    def against(self, asked: AskedGame | ComparedSystems) -> str:
        """Check the certificate, and derive every row of its tables anew from the step functions
        and f of a question, over the whole alphabet, without the engine.

        Raises: TranscriptError if the certificate is damaged, not true, or of another game.
        """
        checked, game = self.check(), json.loads(self.lines[0])
        rows = DerivedRows(asked, game[2]) if self.formula is None else SymbolicRows(asked, game[2])
        if isinstance(rows, SymbolicRows):
            rows.interval(*(self.formula or ()))
        if [rows.composed, rows.most] != game[4:6]:
            raise _another(1, counted(rows.most, "creation"))
        for number, line in enumerate(self.lines, 1):
            kind, *row = json.loads(line)
            if kind in _TABLES:
                self._compare(rows, number, kind, row)
        return f"{checked}. Its tables are those of the game that was given"

    def _compare(self, rows: DerivedRows, number: int, kind: str, row: Row) -> None:
        width = {"part": 1, "step": 3, "f": 2, "public": 1}[kind]
        try:
            derived = getattr(rows, kind)(*row[:width])
        except LookupError:
            raise _another(number, "no such state so far") from None
        except WiderDenominator as error:
            raise _another(number, f"a probability over {error.over.coefficients}") from None
        if derived != row[width:]:
            raise _another(number, json.dumps(derived)[:160])

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the file, whole or not at all. Raises: FileError."""
        with whole(path_of(path), overwrite=overwrite) as file:
            for some in _chunks(self.lines):
                file.write("".join(f"{line}\n" for line in some).encode("ascii"))

    def saved(self, path: str | Path | None, overwrite: bool) -> Certificate:
        """This certificate, written to a file if a path is given. Raises: FileError."""
        if path is not None:
            self.save(path, overwrite=overwrite)
        return self

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """The certificate in a file; it is not checked yet.

        Raises: FileError; TranscriptError for what is no text; Intractable above a gigabyte.
        """
        file = path_of(path)
        with naming(file, "read"):
            size = file.stat().st_size
            if size > _LARGEST:
                raise Intractable("the bytes of a certificate", size, _LARGEST)
            try:
                return cls(tuple(file.read_bytes().decode("ascii").splitlines()))
            except UnicodeDecodeError:
                raise TranscriptError(f"{path} is no certificate: it is no ASCII text") from None


def _another(number: int, derived: str) -> TranscriptError:
    return TranscriptError(
        f"the certificate is of another game: line {number} is not what its code says: {derived}"
    )


def _chunks(lines: Iterable[str]) -> Iterator[list[str]]:
    left = iter(lines)
    while some := [*islice(left, 1024)]:
        yield some


@contextmanager
def room() -> Generator[None, None, None]:
    """Context manager in which certificates are written or read: it turns the garbage collector
    off, since all that is computed is kept, and empties the caches at the end."""
    collects = gc.isenabled()
    gc.disable()
    try:
        with deep_recursion(0):
            yield
    finally:
        for kind in FormulaFile.__mro__:
            for each in vars(kind).values():
                if hasattr(each, "cache_clear"):
                    each.cache_clear()
        if collects:
            gc.enable()


def certificate_of(
    question: Any, epsilon: object, delta: object, order: object, rounds: int | None
) -> Certificate:
    """The certificate of a question's tight δ at one or several ε, of the tight ε at a δ, or of the
    Rényi moment of a whole order; at order 1, of the range of the privacy loss."""
    about = question._card().title
    if [epsilon, delta, order].count(None) != 2:
        raise InvalidArgument(
            "certify takes one of epsilon=… for the tight δ, delta=… for the tight ε, and order=… "
            "for the Rényi moment of a whole order, or with order=1 for the range of the loss"
        )
    if order is not None:
        return _of_losses(question, about, exact.whole(order, "order"), rounds)
    if delta is not None:
        return _of_epsilon(question, about, delta, rounds)
    several: Any = epsilon if isinstance(epsilon, (list, tuple)) else [epsilon]
    return certified(question, about, [question.solve(each, rounds) for each in several])


class TightPoint(NamedTuple):
    """A tight δ that was found at an ε; ``growth`` is the rational e^ε at which it was computed."""

    epsilon: exact.ExactEpsilon
    growth: Fraction
    delta: Fraction
    rounds: int


def certified(asked: Any, about: str, found: Sequence[Any], *more: Row) -> Certificate:
    """The certificate, checked, of the tight δ at some ε. ``found``: a ``TightPoint`` for each.

    Raises: Intractable past the question's limit of beliefs; InvalidArgument where none is written;
    AssertionError if the tables have another δ than the engine.
    """
    limit, report = getattr(asked, "limit", LIMIT), getattr(asked, "report", None)
    rounds = max(each.rounds for each in found)
    claims = [(written_epsilon(each.epsilon), each.growth) for each in found]
    with room():
        rows = [*lines_of(DerivedRows(asked, rounds), about, rounds, claims, limit, report), *more]
    return _made(rows, [each.delta for each in found])


def _of_losses(question: Any, about: str, order: int, rounds: int | None) -> Certificate:
    """The certificate of the Rényi moment of a whole order; at order 1, of the range of the privacy
    loss."""
    if rounds is None:
        raise InvalidArgument("an order is certified against rounds=… messages")
    if order == 1:
        found = question.tight_range(rounds)
        figure = found if isinstance(found, float) else exact.exp(found)
    else:
        figure = question.tight_renyi(order, rounds).moment
    if figure is None or isinstance(figure, float):
        raise InvalidArgument("the loss is infinite, and of that no certificate is written")
    derived, limits = DerivedRows(question, rounds), (question.limit, question.report)
    with room():
        rows = [*loss_lines_of(derived, about, rounds, order, *limits)]
    return _made(rows, [figure])


def _made(rows: list[Row], found: Sequence[Fraction]) -> Certificate:
    said = [Fraction(*row[-1]) for row in rows if row[0] in ("delta", "loss")]
    if said != [*found]:
        raise AssertionError(f"a bug: the plain game has {said[0]}, not {found[0]}")
    made = Certificate.of(rows)
    made.check()
    return made


def as_line(row: Row) -> str:
    """A row of a certificate as a line of its file. Raises: Intractable if it is too long."""
    try:
        line = _ENCODER.encode(row)
    except ValueError:  # Python writes no numbers of more than 4,300 digits.
        raise Intractable("the digits of a number in a certificate", "over 4,300", 4300) from None
    if len(line) >= antiphon_check.LINE:
        raise Intractable("the length of a line of a certificate", len(line), antiphon_check.LINE)
    return line


def _of_epsilon(question: Any, about: str, delta: object, rounds: int | None) -> Certificate:
    """The certificate of a tight ε: the δ there, and at two smaller ε. As δ is convex in e^ε, the
    line through these two shows that it is larger at every smaller ε."""
    found, target = question.tight_epsilon(delta, rounds), exact.probability(delta)
    if isinstance(found, float):
        raise InvalidArgument("no ε has so small a δ, and of that no certificate is written")
    last, below = question.solve(found, rounds), [*target.as_integer_ratio()]
    if last.growth == 1:
        return certified(question, about, [last], ["epsilon", below, [1, 1]])
    step = last.growth - 1
    # As a function of e^ε, δ is piecewise linear. The loop ends when the two smaller ε lie on the
    # piece that ends at the tight ε.
    while True:
        low, high = (_solved(question, last.growth - step / by, rounds) for by in (1, 2))
        if 2 * high.delta - low.delta == target:
            break
        step /= 2
    growths = [[*each.growth.as_integer_ratio()] for each in (last, low, high)]
    return certified(question, about, [last, low, high], ["epsilon", below, *growths])


def _solved(question: Any, growth: Fraction, rounds: int | None) -> Any:
    return question.solve(exact.Log(growth), rounds)


def written_epsilon(epsilon: exact.ExactEpsilon) -> list[int]:
    """An ε as the lines of a certificate have it: [numerator, denominator]; [] if e^ε is rational,
    since the line then has e^ε itself."""
    if isinstance(epsilon, exact.Log) or not epsilon:
        return []
    ratio = [*Fraction(epsilon).as_integer_ratio()]
    if max(ratio).bit_length() > 256 or epsilon > 50:
        raise InvalidArgument("a certificate is of an ε up to 50, of at most 70 digits: round it")
    return ratio
