"""A dashboard: flights per airline as they leave, each count private, one for each airline.

    python examples/dashboard.py
    antiphon explain examples/dashboard.py:dashboard
    antiphon audit examples/dashboard.py:game --adversary curious --epsilon 1/2 --samples 20000

A complex mechanism P ∘* ExtConComp (CM §6): ``Dashboard`` is P, which creates a counter for
each airline. A flight touches one of them only, so that ε counts once, not sixteen times.
"""

from operator import itemgetter
from typing import Any

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


@ap.register("examples.Dashboard/1")
@attrs.frozen
class Dashboard(ap.ExchangePostProcessor[bool]):
    """P: (airline, bit) counts a flight; the airline alone asks for its count.

    It creates all counters at once, on the first message: where it sends its next message must
    not depend on what it was told (the destination property).
    """

    counter: TreeCounter
    initial_state = False
    """Whether the counters are there."""

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

    def is_over(self, state: bool) -> None:
        return None

    def exchange(self, state: bool, message: Any) -> Any:
        if not state:
            for _ in CARRIERS:
                yield ap.Create(self.counter)
        airline, question = (message, COUNT) if type(message) is str else message
        answer = yield ap.Ask(question, CARRIERS.index(airline))
        return True, answer


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
