"""Playing the demo's game, and what its noisy counts are worth."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.audit.game import PrivacyGame
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.validity import sparse_parallel
from antiphon.demo.analyst import FlightAnalyst, counter_name
from antiphon.demo.data import CARRIERS, ORIGINS, flights
from antiphon.protocol.claims import Claim
from antiphon.protocol.messages import Ask
from antiphon.protocol.records.rounds import Round
from antiphon.protocol.records.view import View

Progress = Callable[[int], None]
"""Told how many flights have been played."""
_REPORT_EVERY = 1000


class NoisyCount(NamedTuple):
    """A noisy count, and how many flights had been told when it was asked for."""

    told: int
    noisy: int


@attrs.frozen
class FlightCounter:
    """One created counter: what it promised, what it said and what was true."""

    name: str
    claim: Claim
    created: int
    """Flights told before its creation: it counts from there."""
    readings: tuple[NoisyCount, ...] = attrs.field(repr=False)
    true: tuple[int, ...] = attrs.field(repr=False)
    """The exact counts at the readings."""
    differed: bool = False
    """Whether the challenge reached it: one of its pairs had two different sides."""

    @property
    def noisy_count(self) -> int:
        """Its last answer, in flights."""
        return self.readings[-1].noisy

    @property
    def true_count(self) -> int:
        """What that answer would be without noise, in flights."""
        return self.true[-1]

    @property
    def error(self) -> int:
        """Noisy minus true, in flights."""
        return self.noisy_count - self.true_count

    @property
    def dates(self) -> npt.NDArray[np.datetime64]:
        """The dates of the readings."""
        return flights().days[[reading.told - 1 for reading in self.readings]]


def flight_game(epsilon: Fraction) -> PrivacyGame:
    """Any number of counters, of which two may see a difference: f_∞ with (ε, 0) twice."""
    return PrivacyGame(ExtConComp(), sparse_parallel([(epsilon, 0), (epsilon, 0)]))


def play(
    analyst: FlightAnalyst,
    *,
    bit: int,
    path: Path,
    overwrite: bool = False,
    seed: int | None = None,
    progress: Progress | None = None,
) -> tuple[View, tuple[FlightCounter, ...]]:
    """Stream the game to ``path``; the view, and every counter with its answers."""
    flights()  # reading the data is not part of the play
    log = _Log(analyst, progress)
    view = flight_game(analyst.epsilon).play(
        analyst, bit=bit, seed=seed, sink=path, overwrite=overwrite, watch=log
    )
    return view, log.counters(bit)


class _Log:
    """Listens to the game and keeps its noisy counts: some thousands, whatever its length."""

    def __init__(self, analyst: FlightAnalyst, progress: Progress | None) -> None:
        self._analyst, self._progress = analyst, progress
        self._told = 0
        self._busy: tuple[int, ...] = ()
        self._created: list[tuple[int, Claim]] = []
        self._readings: list[list[NoisyCount]] = []
        self._differed: set[int] = set()

    def __call__(self, each: Round) -> None:
        answer: object = each.answer
        message: Any = each.message.zero
        if type(answer) is int:
            index: int = message.index
            self._readings[index].append(NoisyCount(self._told, answer))
            self._busy = self._analyst.now_busy(self._busy, index, answer)
        elif type(message) is Ask:
            if each.message.one is not message:
                self._differed.add(message.index)
            self._told += message.index < len(ORIGINS)
            if self._progress is not None and self._told % _REPORT_EVERY == 0:
                self._progress(self._told)
        elif type(message) is Create and message.claim is not None:
            self._created.append((self._told, message.claim))
            self._readings.append([])

    def counters(self, bit: int) -> tuple[FlightCounter, ...]:
        slots = np.frombuffer(flights().slots, dtype=np.uint8)[: self._analyst.flights].copy()
        if bit == 1:
            slots[self._analyst.challenge] = 255  # absent: it matches no counter
        return tuple(self._counter(index, slots) for index in range(len(self._created)))

    def _counter(self, index: int, slots: npt.NDArray[np.uint8]) -> FlightCounter:
        created, claim = self._created[index]
        readings = tuple(self._readings[index])
        if index < len(ORIGINS):
            counted = slots // len(CARRIERS) == index
        else:
            place, carrier = divmod(index - len(ORIGINS), len(CARRIERS))
            counted = slots == self._busy[place] * len(CARRIERS) + carrier
        totals = np.concatenate(([0], np.cumsum(counted)))
        true = tuple(int(totals[reading.told] - totals[created]) for reading in readings)
        name, differed = counter_name(self._busy, index), index in self._differed
        return FlightCounter(name, claim, created, readings, true, differed)
