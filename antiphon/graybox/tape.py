"""The noise tape: the draws of the first run, and the noisy numbers that it used as plain numbers
("read"); the second run gets the same draws and plain numbers.

The run on the first data set ("world") records; the second run gets the same draws and, where it
reads a noisy number, the value that the first run read. So everything after a reading is the same
in both worlds, unless data bypass the noise (Re:cord-play, Cebere et al. 2026, §3).
"""

import gc
import itertools
import os
import sys
import sysconfig
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final, TypeAlias, TypeVar, Union

import attr
import attrs
import numpy as np

from antiphon.protocol.coins.sampled import generator

Line: TypeAlias = tuple[str, int]
_MOST: Final = 1_000_000
"""The largest number of source lines that a run records; for later ones, findings name no line."""


class Lines:
    """A recorder of the source lines that the audited code runs, in order."""

    def __init__(self, foreign: Callable[[str], bool]) -> None:
        self.taken = list[Line]()
        self._foreign = foreign
        self._known = dict[str, bool]()

    @contextmanager
    def followed(self) -> Generator[None, None, None]:
        """A context manager that records the lines of audited code that are run within it."""
        before, collects = sys.gettrace(), gc.isenabled()
        gc.disable()
        sys.settrace(self._called)
        try:
            yield
        finally:
            sys.settrace(before)
            if collects:
                gc.enable()

    def _called(self, frame: FrameType, event: str, argument: object) -> Any:
        file = frame.f_code.co_filename
        if file not in self._known:
            self._known[file] = self._foreign(file)
        return self._line if self._known[file] else None

    def _line(self, frame: FrameType, event: str, argument: object) -> Any:
        if event == "line" and len(self.taken) < _MOST:
            self.taken.append((frame.f_code.co_filename, frame.f_lineno))
        return self._line


def branch(one: Sequence[Line], other: Sequence[Line]) -> Union[Line, None]:
    """The line after which the worlds run different code; of several, the one run last.

    Loops over data may harmlessly run a different number of times, so the first difference does not
    count: of the lines after which the worlds diverge, the last one decides.
    """
    last = {line: index for index, line in enumerate(other)}
    for index in range(len(one) - 1, -1, -1):
        place = last.get(one[index])
        if place is not None and one[index + 1 : index + 2] != other[place + 1 : place + 2]:
            return one[index]
    return None


Real: TypeAlias = Union[int, float]
Foreign: TypeAlias = Any
"""Any object that the audited code passes or receives."""
Place: TypeAlias = tuple[tuple[str, int], ...]
"""A place in the audited code: (file, line) of a call and of its callers, the innermost first."""

OWN: Final = str(Path(__file__).parent)
SKIPPED: Final = (
    "<attrs", "<frozen", "<__array_function__", OWN,
    str(Path(np.__file__).parent),
    str(Path(__file__).parents[2] / "protocol"),
    *(f"{Path(str(each.__file__)).parent}{os.sep}" for each in (attr, attrs)),
)  # fmt: skip
_STANDARD: Final = sysconfig.get_paths()["stdlib"]
LAPLACE: Final = ("laplace", "discrete_laplace")
GAUSSIAN: Final = ("gaussian", "discrete_gaussian")
RAW: Final = "uniform"
"""The name of the uniform law, from whose draws code may compute other noise."""
MADE: Final = "made"
"""The name of an unknown law: of noise that the audited code computed from other draws."""


def foreign(file: str) -> bool:
    """Whether a file belongs to the audited code; Python, NumPy, attrs and the audit itself do
    not."""
    standard = file.startswith(_STANDARD) and "site-packages" not in file
    return not (standard or file.startswith(SKIPPED))


def place() -> Place:
    """The current place in the audited code: (file, line) of the running call and of its
    callers."""
    found = list[tuple[str, int]]()
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        file = frame.f_code.co_filename
        if (file, frame.f_code.co_name) == _RUNNER:
            break
        if foreign(file):
            found.append((file, frame.f_lineno))
        frame = frame.f_back
    return tuple(found)


_RUNNER: Final = (str(Path(OWN) / "worlds.py"), "run")
"""(file, name) of the function that starts the audited code, where the search for callers ends."""


@attrs.frozen(eq=False)
class Atom:
    """One random number on the tape, from one call of a generator."""

    number: int
    law: str
    scale: Real
    drawn: Real
    call: int
    """The index of the event on the tape that drew this number."""


@attrs.frozen(eq=False)
class DrawEvent:
    """An event on the tape: one call of a random generator, which may draw an array."""

    place: Place
    law: str
    count: tuple[int, ...]
    """The shape of the array of numbers drawn."""
    scales: tuple[object, ...]
    """The noise scales of the call, which must not depend on the data."""
    result: Foreign

    @property
    def shape(self) -> tuple[object, ...]:
        """The place, the law and the array shape, which must be the same in both worlds."""
        return self.place, self.law, self.count


@attrs.frozen(eq=False)
class ReadEvent:
    """An event on the tape: noisy numbers are read as one plain number, or as the outcome of a
    choice."""

    place: Place
    reading: str
    rows: "tuple[NoisyRow, ...]"
    result: Foreign
    raw: bool
    """Whether all noise on the numbers is uniform, so that code may be computing noise from
    them."""

    @property
    def shape(self) -> tuple[object, ...]:
        """The place, the type of reading and the draws, which must be the same in both worlds."""
        names = tuple(tuple(atom.number for atom, _ in row.terms) for row in self.rows)
        return self.place, self.reading, names


@attrs.frozen(eq=False)
class NoisyRow:
    """A noisy number's record on the tape: value + Σ coefficient · atom; an atom is a draw."""

    value: Real
    terms: tuple[tuple[Atom, Real], ...]
    met: Place
    """The place in the audited code where noise was added to the value."""
    unit: Real
    """The factor by which value and noise were multiplied since the noise was added."""


@attrs.frozen(eq=False)
class ChoiceEvent:
    """An event on the tape: a random choice whose probabilities may depend on the data."""

    place: Place
    weights: tuple[float, ...]
    result: Foreign

    @property
    def shape(self) -> tuple[object, ...]:
        """The place and the number of options, which must be the same in both worlds."""
        return self.place, len(self.weights)


Event: TypeAlias = Union[DrawEvent, ReadEvent, ChoiceEvent]
Happened = TypeVar("Happened", DrawEvent, ReadEvent, ChoiceEvent)


class Parted(BaseException):
    """Raised when the second world draws or reads otherwise than the first world did.

    A BaseException, so that the audited code does not catch it.
    """


class Tape:
    """The noise tape of one world (one run): a list of events. ``first``: the tape of the first
    world, whose events the second world repeats."""

    def __init__(self, seed: int, first: "Tape | None" = None) -> None:
        self.first = first
        self.events = list[Event]()
        self.marks = list[int]()
        """The number of source lines that had run before each event on the tape."""
        self.lines = Lines(foreign)
        self.seed = seed
        self.source = generator(seed)
        self.seeded = dict[Place, str]()
        self.unjudged = dict[str, Place]()
        """Operations that the tape could not follow, each with the place of its first use in the
        code."""
        self.coins_read = False
        """Whether a random draw decided a branch; then results that depend on it are not judged."""
        self.parting: Event | None = None
        self._numbers = itertools.count()

    @property
    def expected(self) -> Event | None:
        """The first world's event that must come next in the second world; None in the first world,
        or at the end."""
        if self.first is None or len(self.events) >= len(self.first.events):
            return None
        return self.first.events[len(self.events)]

    def cannot(self, what: str, where: Place) -> None:
        """Record that the tape cannot follow an operation, ``what``, with its place in the code."""
        self.unjudged.setdefault(what, where)

    def coin(self, where: Place) -> None:
        """Record that a random draw decides a branch; results that depend on it are not judged."""
        self.coins_read = True
        self.cannot("a draw decides as such", where)

    def draw(
        self,
        law: str,
        count: tuple[int, ...],
        scales: Sequence[object],
        sample: Callable[[], Foreign],
    ) -> DrawEvent:
        """The event of a generator's call. In the second world it gets the numbers of the first
        world's event, which must be of the same call."""
        return self._met(DrawEvent(place(), law, count, tuple(scales), None), sample)

    def choose(self, weights: Sequence[float], sample: Callable[[], int]) -> int:
        """The index that a random choice with these weights draws."""
        index: int = self._met(ChoiceEvent(place(), tuple(weights), None), sample).result
        return index

    def read(
        self, reading: str, rows: Sequence[NoisyRow], result: Callable[[], Foreign], raw: bool
    ) -> Foreign:
        """Record a reading of noisy numbers; returns the plain result, in both worlds that of the
        first."""
        return self._met(ReadEvent(place(), reading, tuple(rows), None, raw), result).result

    def _met(self, mine: Happened, result: Callable[[], Foreign]) -> Happened:
        """Record an event on the tape. In the second world it gets the first world's result;
        another event than the first world's raises Parted."""
        told = self.expected
        if self.first is None:
            mine = attrs.evolve(mine, result=result())
        elif told is not None and type(told) is type(mine) and told.shape == mine.shape:
            mine = attrs.evolve(mine, result=told.result)
        else:
            self.parting = mine
            self.marks.append(len(self.lines.taken))
            raise Parted
        self.events.append(mine)
        self.marks.append(len(self.lines.taken))
        return mine

    def atoms(self, drawn: DrawEvent, scales: Sequence[Real]) -> list[Atom]:
        """The random numbers of the latest generator call, each as an ``Atom``."""
        call = len(self.events) - 1
        values: list[Real] = np.asarray(drawn.result).ravel().tolist()
        return [
            Atom(next(self._numbers), drawn.law, scale, value, call)
            for value, scale in zip(values, scales, strict=True)
        ]
