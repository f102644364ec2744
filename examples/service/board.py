"""The mechanism: counters that analysts create, over a stream of flights, within one budget.

``board(budget)`` is P ∘* ExtConComp(budget) (CM §6): ``Board`` is P.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final, TypeAlias

import attrs

import antiphon as ap
from antiphon.composition import Lifting, Refusal, adaptive_parameters
from antiphon.composition.filters.budget import Filter
from antiphon.demo.data import CARRIERS, ORIGINS
from antiphon.mechanisms import COUNT, TreeCounter
from antiphon.protocol import Status
from antiphon.protocol.chain import Chain
from antiphon.protocol.spaces import (
    Anything,
    Either,
    Finite,
    Integers,
    Signature,
    Space,
    Texts,
    Tuples,
)
from antiphon.verifiers.relations import OneEntry, OnlyEntry

MOST: Final = 100
"""Flights of a batch."""
EPSILONS: Final = {text: Fraction(text) for text in ("1/20", "1/10", "1/5", "1/2", "1")}
"""By the texts that are sent: no other text stands for any of them."""
DELAYS: Final = (0, 15, 30, 60, 120)
"""Minutes late, from which on a counter may count; 0 for any flight."""

FLIGHT: Final = Tuples((Finite(CARRIERS), Finite(ORIGINS), Integers(-1440, 1440)))
"""(airline, origin, minutes late on arrival)."""
WATCH: Final = Tuples(
    (
        Finite(("", *CARRIERS)),
        Finite(("", *ORIGINS)),
        Finite(DELAYS),
        Finite((*EPSILONS.values(),)),
    )
)
"""(airline, origin, minutes, ε): count the flights with these; "" for any."""
WHO: Final = Texts(64)

Watch: TypeAlias = "tuple[str, str, int, Fraction]"
Flight: TypeAlias = "tuple[str, str, int]"
Counters: TypeAlias = "tuple[tuple[Watch, int] | None, ...]"
"""What each counts, and how many flights had come when it was created; None: it was refused."""
BoardState: TypeAlias = "tuple[int, Counters]"
"""How many flights have come, and the counters."""


@ap.register("examples.Batches/1")
@attrs.frozen
class Batches(Space):
    """Tuples of 1 to ``MOST`` flights."""

    def contains(self, value: Any) -> bool:
        return type(value) is tuple and 0 < len(value) <= MOST and all(map(FLIGHT.contains, value))

    @property
    def discrete(self) -> bool:
        return True


def envelopes(space: Space) -> Space:
    """(who sends it, the key by which it is known when it is sent again, what is said)."""
    return Tuples((WHO, WHO, space))


BATCHES: Final = envelopes(Batches())
QUESTIONS: Final = envelopes(Either((WATCH, Integers(0))))
"""What is public: creations, and questions by a counter's number."""


def counts(watch: Watch, flight: Flight) -> int:
    """1 if a counter counts a flight, else 0."""
    airline, origin, minutes, _ = watch
    late = not minutes or flight[2] >= minutes
    return int(airline in ("", flight[0]) and origin in ("", flight[1]) and late)


@ap.register("examples.Board/1")
@attrs.frozen(kw_only=True)
class Board(ap.ExchangePostProcessor[BoardState]):
    """P: a ``WATCH`` creates a counter, a batch of flights goes to every counter, an int asks one.

    Each comes in an envelope (who, key, what) that P does not read: it is there for the log.
    Answers: a creation by its number, or by the ``Refusal`` of the budget; a batch by ⊤; a question
    by the count, or by ⊥ where there is no such counter.
    Privacy: what the budget promises, w.r.t. streams in which one flight of one batch is another,
    and all else alike (CM Thm 6.1). Take two runs that are given such pairs, and the same answers
    from the right. Creations and questions are the same in both, and batches are of one length, so
    both know the same numbers of flights and the same counters (``BoardState`` is a function of
    these and of the answers alone). So they send to the same counters as often, whatever the
    flights are (destination), and answer by a number, a Refusal, ⊤, ⊥ or what they heard
    (response). The one flight that differs goes to each counter at most once, as 0 or 1, so that
    each gets at most one differing pair, of bits, which is what it claims of (f→f'). What is
    created is a ``TreeCounter`` with a claim of its own.
    Source: CM §6.1; counters that are full get no more (the destination property).
    """

    budget: Filter
    horizon: int = 1 << 19
    """Flights of a counter."""
    initial_state = (0, ())

    @property
    def lifting(self) -> Lifting:
        """f: one flight of one batch may be another. f': each counter sees to itself."""
        outer = ap.verifiers.event_level(OnlyEntry(2, OneEntry()))
        return Lifting(
            ap.verifiers.updates_and_queries(outer, QUESTIONS),
            adaptive_parameters(self.budget),
            Status.PROVED,
            "see Board",
        )

    def signature(self, right: Signature) -> Signature:
        return Signature(Either((QUESTIONS, BATCHES)), Anything(), BATCHES)

    def is_over(self, state: BoardState) -> None:
        return None

    def counter(self, watch: Watch) -> TreeCounter:
        """What is created for a watch."""
        return TreeCounter(horizon=self.horizon, epsilon=watch[3])

    def exchange(self, state: BoardState, message: Any) -> Any:
        came, counters = state
        said = message[2]
        if type(said) is int:
            known = said < len(counters) and counters[said] is not None
            count = (yield ap.Ask(COUNT, said)) if known else ap.HALT
            return state, ap.BOTTOM if count is ap.HALT else count
        if WATCH.contains(said):
            heard = yield ap.Create(self.counter(said))
            refused = type(heard) is Refusal
            counters = (*counters, None if refused else (said, came))
            return (came, counters), heard if refused else len(counters) - 1
        for flight in said:
            yield from self._each(counters, came, flight)
            came += 1
        return (came, counters), ap.TOP

    def _each(self, counters: Counters, came: int, flight: Flight) -> Iterator[ap.Ask]:
        """To every counter that is not full."""
        for number, counter in enumerate(counters):
            if counter is not None and came - counter[1] < self.horizon:
                yield ap.Ask(counts(counter[0], flight), number)


def creates(said: Any) -> bool:
    """Whether what is said is a ``WATCH``, and neither a batch nor a number."""
    return type(said) is tuple and type(said[0]) is not tuple


def board(budget: Filter, *, horizon: int = 1 << 19) -> Chain:
    """The system that runs: P ∘* ExtConComp(budget)."""
    return Board(budget=budget, horizon=horizon) @ ap.ExtConComp(budget=budget)
