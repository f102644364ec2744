"""The analyst of the demo: an adaptive adversary that counts flights."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Final, NamedTuple

import attrs

from antiphon.composition.creation import Create
from antiphon.demo.data import CARRIERS, ORIGINS, TOTAL, flights
from antiphon.mechanisms.counters.counter import COUNT
from antiphon.mechanisms.counters.tree_counter import TreeCounter
from antiphon.numbers import exact, named
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.named import set_derived
from antiphon.protocol.adversary import Adversary
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.messages import HALT, Ask, Pair, same
from antiphon.protocol.registry import register

HORIZON: Final = 1 << 19
"""Updates that each counter can take: enough for every flight of the year."""


class Notes(NamedTuple):
    """What the analyst knows: a few numbers, however long it plays."""

    told: int = 0
    """Flights told to all their counters."""
    second: int = -1
    """The carrier's counter that the current flight is still to be told to, or -1."""
    asked: int = 0
    """Counters asked in the current round of questions; 0 between such rounds."""
    surveys: int = 0
    """Finished rounds of questions."""
    created: int = 0
    """Counters created."""
    busy: tuple[int, ...] = ()
    """Origins found busy, in that order: each has a counter per carrier."""


def _whole(value: object) -> int:
    return exact.whole(value, "a number of flights")


def _position(value: object) -> int:
    if type(value) is not int or value < 0:
        raise InvalidArgument(f"a flight's number is an int >= 0, not {value!r}")
    return value


@register("antiphon.demo.FlightAnalyst/1")
@attrs.frozen(kw_only=True)
class FlightAnalyst(Adversary[Notes]):
    """Counts the flights of each airport; on finding one busy, also those of its carriers.

    Creates a counter per origin, tells each flight to the counter of its origin, and
    asks all counters after every ``every`` flights. When the *noisy* count of an origin
    reaches ``busy``, it creates a counter per carrier there, and from then on tells a
    flight to its carrier's counter as well. Flight number ``challenge`` (from 0) is
    present under b = 0 and absent under b = 1, so at most two counters ever see a pair
    that differs: 2-sparse parallel composition (CM Def. 5.1). Draws no coins.

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
        """The busy origins, once ``counter`` has answered ``count``."""
        if counter >= len(ORIGINS) or counter in busy or type(count) is not int:
            return busy
        return (*busy, counter) if count >= self.busy else busy


def _carrier_counter(busy: tuple[int, ...], origin: int, carrier: int) -> int:
    return len(ORIGINS) + len(CARRIERS) * busy.index(origin) + carrier


def counter_name(busy: tuple[int, ...], index: int) -> str:
    """What counter ``index`` counts, once the origins ``busy`` were found busy in this order."""
    if index < len(ORIGINS):
        return ORIGINS[index]
    place, carrier = divmod(index - len(ORIGINS), len(CARRIERS))
    return f"{ORIGINS[busy[place]]} {CARRIERS[carrier]}"


# The messages are few and immutable, so each is made once.


@cache
def _update(counter: int) -> Pair:
    return same(Ask(1, counter))


@cache
def _question(counter: int) -> Pair:
    return same(Ask(COUNT, counter))


@cache
def _challenge(counter: int) -> Pair:
    return Pair(Ask(1, counter), Ask(0, counter))
