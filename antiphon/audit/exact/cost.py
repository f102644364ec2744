"""The cost of an exact answer: an estimate in advance, progress while it runs, and limits."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

import attrs

from antiphon.numbers.errors import Intractable
from antiphon.protocol.display import Card, Grid, Shown
from antiphon.protocol.records.labels import counted

Report: TypeAlias = Callable[[int], None]

LIMIT: Final = 3_000_000
"""The default largest number of beliefs valued. A belief with its position takes 400-700 bytes."""
_BYTES: Final = 700
_OFTEN: Final = 4096
"""The number of beliefs between two checks of the free memory."""
_LEAST: Final = 1 << 28
"""The bytes of memory that an exact search leaves to other processes."""
_WAYS_OUT: Final = (
    "; ask about fewer rounds, a smaller catalogue or fewer queries, or audit instead. Values "
    "found so far are kept: with a larger limit the same question goes on"
)


def reached(nodes: int, limit: int, report: Report | None, what: str) -> None:
    """Report the number of nodes that a search has visited, at intervals. Raises: Intractable past
    ``limit`` nodes, or where memory is short."""
    if nodes > limit:
        raise Intractable(what, nodes, limit, _WAYS_OUT)
    if nodes % _OFTEN == 0:
        if report is not None:
            report(nodes)
        if memory_left() < _LEAST:
            raise Intractable(what, nodes, "of memory", _WAYS_OUT)


def passed(before: int, nodes: int, report: Report | None, what: str) -> None:
    """Report the progress of a search from ``before`` to ``nodes`` nodes; there is no limit of
    nodes. Raises: Intractable where memory is short."""
    if nodes // _OFTEN > before // _OFTEN:
        reached(nodes - nodes % _OFTEN, sys.maxsize, report, what)


def memory_left() -> float:
    """The bytes of memory that this process may still take; infinity where that is not known."""
    found = [math.inf]
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text().splitlines()
        found.append(1024 * next(int(s.split()[1]) for s in lines if s.startswith("MemAvailable")))
    with suppress(OSError, ValueError):
        own = Path("/sys/fs/cgroup")
        most, taken = (int((own / f"memory.{each}").read_text()) for each in ("max", "current"))
        found.append(most - taken)
    return min(found)


@attrs.define
class ProgressLine:
    """A line on a terminal's standard error: the beliefs, their rate, the memory that is left."""

    _start: float = attrs.field(factory=time.monotonic)

    def __call__(self, beliefs: int) -> None:
        if sys.stderr.isatty():
            rate = beliefs / max(time.monotonic() - self._start, 1e-3)
            left = memory_left() / 1e9
            sys.stderr.write(
                f"\rexact solver: {beliefs:,} beliefs, {rate:,.0f} a second, {left:.1f} GB left "
            )
            sys.stderr.flush()


@attrs.frozen(repr=False)
class Estimate(Shown):
    """An estimate, by fewer rounds, of the number of beliefs to be valued for an exact answer.

    From ``counted`` rounds on the number is extrapolated as a power of the rounds (``least``), or
    by one factor a round (``most``). These are no bounds: a game may change in a later round.
    """

    rounds: int
    counted: int
    least: float
    most: float

    @property
    def bytes(self) -> float:
        """The estimated memory in bytes, at the larger figure ``most``."""
        return self.most * _BYTES

    def _card(self) -> Card:
        least, most = _rough(self.least), _rough(self.most)
        beliefs = least if least == most else f"{least} to {most}"
        rows = (
            ("memory", f"{_rough(self.bytes / 1e6)} MB"),
            ("counted for", counted(self.counted, "round")),
        )
        return Card(f"{beliefs} beliefs, for {counted(self.rounds, 'message')}", (Grid(rows),))


def _rough(number: float) -> str:
    return f"{number:,.0f}" if number < 1e9 else f"{number:.0e}"


def estimated(beliefs: Callable[[int], int], rounds: int) -> Estimate:
    """The estimate for ``rounds`` rounds from the numbers of beliefs for fewer: ``beliefs(0),
    beliefs(1), …``, up to the first that raises Intractable."""
    met: list[int] = []
    with suppress(Intractable):
        met.extend(map(beliefs, range(rounds + 1)))
    last = len(met) - 1
    if last == rounds:
        return Estimate(rounds, rounds, met[-1], met[-1])
    if last < 2 or not met[last // 2]:
        return Estimate(rounds, max(last, 0), sum(met[-1:]), math.inf)
    power = math.log(met[last] / met[last // 2]) / math.log(last / (last // 2))
    factor = math.log(met[last] / max(1, met[last - 1]))
    least = met[last] * (rounds / last) ** power
    most = math.log(met[last]) + factor * (rounds - last)
    return Estimate(rounds, last, least, max(least, math.exp(most) if most < 700 else math.inf))
