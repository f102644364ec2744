"""The noise tape: what one world drew and read, and whether the other does the same.

The first world records; the second is handed the same draws, and is told what the first read
wherever it reads a number that has noise on it. So all that follows a reading is the same in
both worlds, unless data goes around the noise (Re:cord-play, Cebere et al. 2026, §3).
"""

from __future__ import annotations

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
"""Lines that are kept; a branch after them has no line."""


class Lines:
    """The lines that are run, in order."""

    def __init__(self, foreign: Callable[[str], bool]) -> None:
        self.taken = list[Line]()
        self._foreign = foreign
        self._known = dict[str, bool]()

    @contextmanager
    def followed(self) -> Generator[None, None, None]:
        """Follow what is run meanwhile. The garbage collector waits, as its callbacks and the
        finalisers that it runs would come at other lines in the other world.
        """
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
    """The last line that both run and after which they go different ways.

    Loops over data run another number of times without harm, so the first difference is not
    it: of the lines after which the worlds part, the one that is run last decides.
    """
    last = {line: index for index, line in enumerate(other)}
    for index in range(len(one) - 1, -1, -1):
        place = last.get(one[index])
        if place is not None and one[index + 1 : index + 2] != other[place + 1 : place + 2]:
            return one[index]
    return None


Real: TypeAlias = Union[int, float]
Foreign: TypeAlias = Any
"""A value that the audited code passes or receives."""
Place: TypeAlias = tuple[tuple[str, int], ...]
"""(file, line) of a call and of its callers, the innermost first."""

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
"""Draws of this law are what other noise is made of."""
MADE: Final = "made"
"""Noise that is a function of other draws, of a law not known."""


def foreign(file: str) -> bool:
    """Whether a file belongs to what is audited: not to Python, NumPy or the tape itself."""
    standard = file.startswith(_STANDARD) and "site-packages" not in file
    return not (standard or file.startswith(SKIPPED))


def place() -> Place:
    """Where the audited code is now; its callers as far as the tape itself."""
    found, frame = list[tuple[str, int]](), _frame()
    while frame is not None:
        file = frame.f_code.co_filename
        if (file, frame.f_code.co_name) == _RUNNER:
            break
        if foreign(file):
            found.append((file, frame.f_lineno))
        frame = frame.f_back
    return tuple(found)


def _frame() -> FrameType | None:
    return sys._getframe(2)  # pyright: ignore[reportPrivateUsage]


_RUNNER: Final = (str(Path(OWN) / "worlds.py"), "run")
"""The file and the function that calls what is audited."""


@attrs.frozen(eq=False)
class Atom:
    """One number on the tape."""

    number: int
    law: str
    scale: Real
    drawn: Real
    call: int
    """The number of the event that drew it."""


@attrs.frozen(eq=False)
class DrawEvent:
    """A call of a generator."""

    place: Place
    law: str
    count: tuple[int, ...]
    """How many numbers: the shape."""
    scales: tuple[object, ...]
    """The parameters that data must not change."""
    result: Foreign

    @property
    def shape(self) -> tuple[object, ...]:
        """The part of the event that two worlds must have in common."""
        return self.place, self.law, self.count


@attrs.frozen(eq=False)
class ReadEvent:
    """A number with noise on it becomes a number like any other, or a choice among such."""

    place: Place
    reading: str
    rows: tuple[NoisyRow, ...]
    result: Foreign
    raw: bool
    """Whether all that is on it are draws that other noise is made of."""

    @property
    def shape(self) -> tuple[object, ...]:
        """The part of the event that two worlds must have in common."""
        names = tuple(tuple(atom.number for atom, _ in row.terms) for row in self.rows)
        return self.place, self.reading, names


@attrs.frozen(eq=False)
class NoisyRow:
    """value + Σ coefficient · atom."""

    value: Real
    terms: tuple[tuple[Atom, Real], ...]
    met: Place
    """Where the value met its noise."""
    unit: Real
    """The factor by which the sum was multiplied since then."""


@attrs.frozen(eq=False)
class ChoiceEvent:
    """A choice with probabilities, of which data may decide."""

    place: Place
    weights: tuple[float, ...]
    result: Foreign

    @property
    def shape(self) -> tuple[object, ...]:
        """The part of the event that two worlds must have in common."""
        return self.place, len(self.weights)


Event: TypeAlias = Union[DrawEvent, ReadEvent, ChoiceEvent]
Happened = TypeVar("Happened", DrawEvent, ReadEvent, ChoiceEvent)


class Parted(BaseException):
    """The two worlds do not draw and read the same things any more.

    No ``Exception``, so that what is audited does not handle it.
    """


class Tape:
    """The events of one world; with ``first``, those of the other are what it must be like."""

    def __init__(self, seed: int, first: Tape | None = None) -> None:
        self.first = first
        self.events = list[Event]()
        self.marks = list[int]()
        """How many lines had been run at each event."""
        self.lines = Lines(foreign)
        self.seed = seed
        self.source = generator(seed)
        self.seeded = dict[Place, str]()
        self.unjudged = dict[str, Place]()
        """The operations that could not be followed, and the first place of each."""
        self.coins_read = False
        """Whether a coin was tossed by hand: what depends on it is not judged."""
        self.parting: Event | None = None
        self._numbers = itertools.count()

    @property
    def expected(self) -> Event | None:
        """The next event of the first world."""
        if self.first is None or len(self.events) >= len(self.first.events):
            return None
        return self.first.events[len(self.events)]

    def cannot(self, what: str, where: Place) -> None:
        """Notes what is not followed."""
        self.unjudged.setdefault(what, where)

    def coin(self, where: Place) -> None:
        """Notes a coin tossed by hand."""
        self.coins_read = True
        self.cannot("a draw decides as such", where)

    def draw(
        self,
        law: str,
        count: tuple[int, ...],
        scales: Sequence[object],
        sample: Callable[[], Foreign],
    ) -> DrawEvent:
        """The numbers of a call: those of the first world where it made the same call."""
        return self._met(DrawEvent(place(), law, count, tuple(scales), None), sample)

    def choose(self, weights: Sequence[float], sample: Callable[[], int]) -> int:
        """The index of a choice."""
        index: int = self._met(ChoiceEvent(place(), tuple(weights), None), sample).result
        return index

    def read(
        self, reading: str, rows: Sequence[NoisyRow], result: Callable[[], Foreign], raw: bool
    ) -> Foreign:
        """The plain number that is read where noise is read out."""
        return self._met(ReadEvent(place(), reading, tuple(rows), None, raw), result).result

    def _met(self, mine: Happened, result: Callable[[], Foreign]) -> Happened:
        """Note an event; its result is that of the first world, in which the same must happen."""
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
        """The numbers of the call that was made last, one after the other."""
        call = len(self.events) - 1
        values: list[Real] = np.asarray(drawn.result).ravel().tolist()
        return [
            Atom(next(self._numbers), drawn.law, scale, value, call)
            for value, scale in zip(values, scales, strict=True)
        ]
