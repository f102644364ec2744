"""A dashboard: flights per airline as they leave, each count private, one for each airline.

    python examples/dashboard.py
    antiphon explain examples/dashboard.py:dashboard
    antiphon audit examples/dashboard.py:game --adversary curious --epsilon 1/2 --samples 20000

A complex mechanism P ∘* ExtConComp (CM §6): ``Dashboard`` is P, which creates a counter for
each airline. A flight touches one of them only, so that ε counts once, not sixteen times.
"""

from operator import itemgetter
from typing import Any, NamedTuple

import attrs

import antiphon as ap
from antiphon.composition import ComplexMechanism, Lifting, sparse_parallel
from antiphon.demo.data import CARRIERS, flights
from antiphon.mechanisms import COUNT, TreeCounter
from antiphon.protocol.spaces import BITS, Either, Finite, Integers, Signature, Tuples

QUERIES = Finite(CARRIERS)
FLIGHTS = Tuples((QUERIES, BITS))


@ap.register("examples.SameAirline/1")
@attrs.frozen
class SameAirline:
    """(airline, 1) ∼ (airline, 0): whether a flight took place."""

    def holds(self, zero: Any, one: Any) -> bool:
        return zero[0] == one[0]


class Notes(NamedTuple):
    """How many counters there are, and the first message, until all of them are there."""

    created: int
    first: Any


@ap.register("examples.Dashboard/1")
@attrs.frozen
class Dashboard(ap.PostProcessor[Notes]):
    """P: (airline, bit) counts a flight; the airline alone asks for its count.

    It creates all counters at once, on the first message: where it sends its next message must
    not depend on what it was told (the destination property).
    """

    counter: TreeCounter
    deterministic = True

    @property
    def initial_state(self) -> Notes:
        return Notes(0, None)

    @property
    def lifting(self) -> Lifting:
        """f: one flight may be there or not. f': one counter may see a difference."""
        outer = ap.verifiers.event_level(SameAirline())
        parameters = (self.counter.epsilon, 0)
        return Lifting(
            ap.verifiers.updates_and_queries(outer, QUERIES), sparse_parallel([parameters])
        )

    def signature(self, right: Signature) -> Signature:
        return Signature(Either((QUERIES, FLIGHTS)), Integers(), FLIGHTS)

    def is_over(self, state: Notes) -> None:
        return None

    def step(self, state: Notes, side: ap.Side, message: Any, coins: Any) -> Any:
        created, first = state
        if side is ap.Side.RIGHT and created == len(CARRIERS):
            return (state, ap.Side.LEFT, message) if first is None else self.ask(first)
        if created == len(CARRIERS):
            return self.ask(message)
        first = message if side is ap.Side.LEFT else first
        return Notes(created + 1, first), ap.Side.RIGHT, ap.Create(self.counter)

    def ask(self, message: Any) -> Any:
        airline, question = (message, COUNT) if type(message) is str else message
        ask = ap.Ask(question, CARRIERS.index(airline))
        return Notes(len(CARRIERS), None), ap.Side.RIGHT, ask


dashboard = ComplexMechanism(Dashboard(TreeCounter(horizon=1 << 17, epsilon=0.5)))
game = ap.PrivacyGame(dashboard, dashboard.post_processor.lifting.outer)
curious = ap.scripted([ap.Pair(("UA", 1), ("UA", 0)), ap.same("UA"), ap.same("AA")])


def main() -> None:
    """January 2013, live: what the dashboard shows beside the truth."""
    session, truth = dashboard.start(), dict.fromkeys(CARRIERS, 0)
    for slot in flights().slots[:27_004]:
        airline = CARRIERS[slot % len(CARRIERS)]
        truth[airline] += 1
        session.send((airline, 1))
    print("airline  private   exact")
    for airline, exact in sorted(truth.items(), key=itemgetter(1), reverse=True):
        print(f"{airline:7}{session.send(airline):9,}{exact:8,}")
    promise = ap.guarantee(dashboard)
    print(f"({promise.epsilon_at(0)}, 0)-DP by {promise.theorem}, {promise.status.value}")


if __name__ == "__main__":
    main()
