# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false
"""The mechanism of a live stream: counters that analysts create, within one privacy budget.

``EventCounters`` is the post-processor P in P ∘* ExtConComp(budget) (CM §6). An event is a tuple of
the values of its fields. A watch is an analyst's description of a counter: the events that it
counts, and its ε.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, TypeAlias

import attrs

import antiphon as ap
from antiphon.composition import Filter, Lifting, Refusal, adaptive_parameters
from antiphon.mechanisms import COUNT, TreeCounter
from antiphon.protocol import Chain, Status, spaces
from antiphon.protocol.spaces import Either, Finite, Integers, Signature, Space, Tuples
from antiphon.verifiers.relations import OneEntry, OnlyEntry

MOST: Final = 100
"""The largest number of events in a batch."""
WHO: Final = spaces.Texts(64)

Watch: TypeAlias = "tuple[Any, ...]"
"""The type of a watch (description of a counter): a choice for each field ("" for any), and ε."""
Event: TypeAlias = "tuple[Any, ...]"
Said: TypeAlias = Any
"""The type of a message without its envelope: a watch, a batch of events, or a counter's number."""
Counters: TypeAlias = "tuple[tuple[Watch, int] | None, ...]"
"""The type of the counters: the watch of each, and the number of events before it; None if
refused."""
EventCountersState: TypeAlias = "tuple[int, Counters]"
"""The type of the state: the number of events so far, and the counters."""


@ap.register("antiphon.EventField/1")
@attrs.frozen(kw_only=True)
class EventField:
    """A field of an event: one of the texts ``values``, or an int in [``low``, ``high``].

    A counter counts events with one given value in this field, or with a value of at least one of
    the thresholds ``least``.
    """

    name: str
    values: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    least: tuple[int, ...] = ()

    @property
    def space(self) -> Space:
        """The space of the values of this field in an event."""
        return Finite(self.values) if self.values else Integers(self.low, self.high)

    @property
    def choices(self) -> tuple[Any, ...]:
        """The choices that a watch has for this field; "" stands for any value."""
        return ("", *(self.values or self.least))


@ap.register("antiphon.EventBatches/1")
@attrs.frozen
class EventBatches(Space):
    """The space of tuples of 1 to ``MOST`` events."""

    discrete = True
    event: Space

    def contains(self, value: Any) -> bool:
        if type(value) is not tuple or not 0 < len(value) <= MOST:
            return False
        return all(map(self.event.contains, value))


def _enveloped(space: Space) -> Space:
    """The space of messages with their envelopes: tuples (sender, idempotency key, message)."""
    return Tuples((WHO, WHO, space))


def counts(watch: Watch, event: Event) -> int:
    """The update 1 if a counter with this watch counts the event, else 0."""
    for choice, value in zip(watch, event, strict=False):
        if choice != "" and (value < choice if type(choice) is int else value != choice):
            return 0
    return 1


@ap.register("antiphon.EventCounters/1")
@attrs.frozen(kw_only=True)
class EventCounters(ap.ExchangePostProcessor[EventCountersState]):
    """A post-processor P: by a watch it creates a counter, by a batch of events it updates all
    counters, and by an int it asks the counter of this number.

    Each message comes in an envelope (sender, key, message); P does not use sender and key, which
    are for the log. Answers: to a creation its number, or the ``Refusal`` of the budget; to a batch
    ⊤; to a question the count, or ⊥ if there is no such counter.

    Privacy: that of the budget, w.r.t. streams that differ in one event of one batch (CM Thm 6.1).
    *Proof*: take two runs that are given such streams, and the same answers from the right.
    Creations and questions are the same in both runs, and batches have the same length, so both
    runs know the same number of events and the same counters (the state is a function of these and
    of the answers alone). So they send to the same counters equally often, whatever the events are
    (destination), and answer by a number, a Refusal, ⊤, ⊥ or an answer from the right (response).
    The event that differs goes to each counter at most once, as 0 or 1. So each counter gets at
    most one pair of different bits, as its claim w.r.t. f' requires (the map f→f' of ``lifting``).
    A created mechanism is a ``TreeCounter`` with its own claim.

    Source: CM §6.1; a counter that is full gets no more events (the destination property).
    """

    fields: tuple[EventField, ...]
    charges: tuple[Fraction, ...]
    """The values of ε from which an analyst chooses a counter's."""
    budget: Filter
    horizon: int = 1 << 19
    """The number of events that a counter takes; after them it is full."""

    @property
    def initial_state(self) -> EventCountersState:
        return 0, ()

    @cached_property
    def event(self) -> Tuples:
        """The space of events: one value for each field."""
        return Tuples(tuple(each.space for each in self.fields))

    @cached_property
    def watch(self) -> Tuples:
        """The space of watches (descriptions of counters)."""
        choices = (Finite(each.choices) for each in self.fields)
        return Tuples((*choices, Finite(self.charges)))

    @cached_property
    def batches(self) -> Space:
        """The space of batches of events, in envelopes; these messages are private."""
        return _enveloped(EventBatches(self.event))

    @cached_property
    def questions(self) -> Space:
        """The space of messages that create a counter or ask one, in envelopes; these are
        public."""
        return _enveloped(Either((self.watch, Integers(0))))

    @property
    def lifting(self) -> Lifting:
        """The claim that streams that differ in one event differ in at most one bit for each
        counter."""
        outer = ap.verifiers.event_level(OnlyEntry(2, OneEntry()))
        return Lifting(
            ap.verifiers.updates_and_queries(outer, self.questions),
            adaptive_parameters(self.budget),
            Status.PROVED,
            "antiphon.service.event_counters",
        )

    def signature(self, right: Signature) -> Signature:
        return Signature(Either((self.questions, self.batches)), spaces.Anything(), self.batches)

    def is_over(self, state: EventCountersState) -> None:
        return None

    def counter(self, watch: Watch) -> TreeCounter:
        """The counter that a watch creates, as a mechanism."""
        return TreeCounter(horizon=self.horizon, epsilon=watch[-1])

    def exchange(self, state: EventCountersState, message: Any) -> Any:
        """Create a counter, ask one, or send a batch to all."""
        came, counters = state
        said = message[2]
        if type(said) is int:
            known = said < len(counters) and counters[said] is not None
            count = (yield ap.Ask(COUNT, said)) if known else ap.HALT
            return state, ap.BOTTOM if count is ap.HALT else count
        if creates(said):
            heard = yield ap.Create(self.counter(said))
            refused = type(heard) is Refusal
            counters = (*counters, None if refused else (said, came))
            return (came, counters), heard if refused else len(counters) - 1
        for event in said:
            yield from self._each(counters, came, event)
            came += 1
        return (came, counters), ap.TOP

    def _each(self, counters: Counters, came: int, event: Event) -> Iterator[ap.Ask]:
        """The messages for one event: its bit, 0 or 1, to each counter that is not full."""
        for number, counter in enumerate(counters):
            if counter is not None and came - counter[1] < self.horizon:
                yield ap.Ask(counts(counter[0], event), number)

    def system(self) -> Chain:
        """The whole system of a live stream: P ∘* ExtConComp(budget)."""
        return self @ ap.ExtConComp(budget=self.budget)


def creates(said: Said) -> bool:
    """Whether a message is a watch, and so creates a counter."""
    return type(said) is tuple and type(said[0]) is not tuple
