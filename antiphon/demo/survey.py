"""The demo's analyst, an adaptive adversary that counts flights, and the accuracy of its counts."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.audit.game import PrivacyGame
from antiphon.composition import Create, ExtConComp, sparse_parallel
from antiphon.demo.data import CARRIERS, ORIGINS, TOTAL, flights
from antiphon.mechanisms import COUNT, TreeCounter
from antiphon.numbers import InvalidArgument, exact, named
from antiphon.protocol import HALT, Adversary, Ask, Claim, Coins, Pair, Round, View, register, same
from antiphon.protocol.registry import set_derived

HORIZON: Final = 1 << 19
"""The largest number of updates of each counter; there are fewer flights in the year."""


class Notes(NamedTuple):
    """The state of the demo's adversary: a few numbers, however many flights it has sent."""

    told: int = 0
    """The number of flights that have been sent to all of their counters."""
    second: int = -1
    """The index of the carrier's counter that must still get the current flight; -1 if none."""
    asked: int = 0
    """The number of counters asked in the current round of questions; 0 outside of rounds."""
    surveys: int = 0
    """The number of finished rounds of questions."""
    created: int = 0
    """The number of counters created so far."""
    busy: tuple[int, ...] = ()
    """The airports with a high noisy count, in the order found; they have counters for carriers."""


def _whole(value: object) -> int:
    return exact.whole(value, "a number of flights")


def _position(value: object) -> int:
    if type(value) is not int or value < 0:
        raise InvalidArgument(f"a flight's number is an int >= 0, not {value!r}")
    return value


@register("antiphon.demo.FlightAnalyst/1")
@attrs.frozen(kw_only=True)
class FlightAnalyst(Adversary[Notes]):
    """The demo's adversary: counts flights by airport, and at busy airports also by carrier.

    It creates a counter per origin, sends each flight to the counter of its origin, and queries all
    counters after every ``every`` flights. When the *noisy* count of an origin reaches ``busy``, it
    creates a counter per carrier there, and from then on sends a flight to its carrier's counter,
    too. Flight number ``challenge`` (from 0) is present under b = 0 and absent under b = 1, so at
    most two counters ever see a pair that differs: 2-sparse parallel composition (CM Def. 5.1).
    Draws no coins.

    Raises: MissingExtra at the first step if the data is not installed.
    """

    flights: int = attrs.field(default=TOTAL, converter=_whole)
    every: int = attrs.field(default=TOTAL // 52, converter=_whole)
    busy: int = attrs.field(default=TOTAL // 8, converter=_whole)
    challenge: int = attrs.field(default=TOTAL * 3 // 4, converter=_position)
    epsilon: Fraction = attrs.field(default=Fraction(1), converter=named.positive)
    _create: Pair[Create] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if self.flights > TOTAL or self.challenge >= self.flights:
            raise InvalidArgument(
                f"there are {TOTAL} flights, and the challenge is one of those played: "
                f"flights={self.flights}, challenge={self.challenge}"
            )
        counter = TreeCounter(horizon=HORIZON, epsilon=self.epsilon)
        set_derived(self, _create=same(Create(counter)))

    @property
    def initial_state(self) -> Notes:
        return Notes()

    def step(self, state: Notes, message: object, coins: Coins) -> tuple[Notes, object]:
        told, second, asked, surveys, created, busy = state
        if second >= 0:
            return Notes(told + 1, -1, 0, surveys, created, busy), self._news(told, second)
        if asked:
            busy = self.now_busy(busy, asked - 1, message)
            if asked < created:
                return Notes(told, -1, asked + 1, surveys, created, busy), _question(asked)
            surveys += 1
            if told == self.flights:
                return Notes(told, -1, 0, surveys, created, busy), HALT
        if created < len(ORIGINS) + len(CARRIERS) * len(busy):
            return Notes(told, -1, 0, surveys, created + 1, busy), self._create
        if told == self.flights or told == (surveys + 1) * self.every:
            return Notes(told, -1, 1, surveys, created, busy), _question(0)
        origin, carrier = divmod(flights().slots[told], len(CARRIERS))
        if origin in busy:
            second = _carrier_counter(busy, origin, carrier)
            return Notes(told, second, 0, surveys, created, busy), self._news(told, origin)
        return Notes(told + 1, -1, 0, surveys, created, busy), self._news(told, origin)

    def _news(self, flight: int, counter: int) -> Pair:
        return _challenge(counter) if flight == self.challenge else _update(counter)

    def now_busy(self, busy: tuple[int, ...], counter: int, count: object) -> tuple[int, ...]:
        """The busy airports after the counter with index ``counter`` has answered ``count``."""
        if counter >= len(ORIGINS) or counter in busy or type(count) is not int:
            return busy
        return (*busy, counter) if count >= self.busy else busy


def _carrier_counter(busy: tuple[int, ...], origin: int, carrier: int) -> int:
    return len(ORIGINS) + len(CARRIERS) * busy.index(origin) + carrier


def counter_name(busy: tuple[int, ...], index: int) -> str:
    """The name of the counter with this index: an airport, or an airport and a carrier; ``busy``:
    the airports with counters for carriers, in the order found."""
    if index < len(ORIGINS):
        return ORIGINS[index]
    place, carrier = divmod(index - len(ORIGINS), len(CARRIERS))
    return f"{ORIGINS[busy[place]]} {CARRIERS[carrier]}"


# The adversary's messages are few and immutable, so each is made once and cached.


@cache
def _update(counter: int) -> Pair:
    return same(Ask(1, counter))


@cache
def _question(counter: int) -> Pair:
    return same(Ask(COUNT, counter))


@cache
def _challenge(counter: int) -> Pair:
    return Pair(Ask(1, counter), Ask(0, counter))


Progress = Callable[[int], None]
"""A callback that gets the number of flights sent so far."""
_REPORT_EVERY = 1000


class NoisyCount(NamedTuple):
    """A noisy count, and the number of flights that had been sent when it was asked for."""

    told: int
    noisy: int


@attrs.frozen
class FlightCounter:
    """One created counter: its claim, its noisy answers, and the exact counts for comparison."""

    name: str
    claim: Claim
    created: int
    """The number of flights sent before the counter was created, which it does not count."""
    readings: tuple[NoisyCount, ...] = attrs.field(repr=False)
    true: tuple[int, ...] = attrs.field(repr=False)
    """The exact counts at the times of the noisy ones."""
    differed: bool = False
    """Whether the challenge flight, which is present in world 0 only, was sent to this counter."""

    @property
    def noisy_count(self) -> int:
        """The counter's last noisy answer, in flights."""
        return self.readings[-1].noisy

    @property
    def true_count(self) -> int:
        """The exact count at the last noisy answer, in flights."""
        return self.true[-1]

    @property
    def error(self) -> int:
        """The last noisy answer minus the exact count, in flights."""
        return self.noisy_count - self.true_count

    @property
    def dates(self) -> npt.NDArray[np.datetime64]:
        """The dates of the last flight before each noisy answer."""
        return flights().days[[reading.told - 1 for reading in self.readings]]


def flight_game(epsilon: Fraction) -> PrivacyGame:
    """The demo's privacy game: any number of counters, of which at most two see a difference:
    f_∞ with (ε, 0) twice."""
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
    """Play the game, streaming the view to ``path``; returns the view and all counters."""
    flights()  # If the package with the flights is missing, no view is begun.
    log = _Log(analyst, progress)
    view = flight_game(analyst.epsilon).play(
        analyst, bit=bit, seed=seed, sink=path, overwrite=overwrite, watch=log
    )
    return view, log.counters(bit)


class _Log:
    """A callback after each round of the game; it collects the noisy counts, which are few."""

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
            # In world 1 the challenge flight is absent: 255 stands for no counter.
            slots[self._analyst.challenge] = 255
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
