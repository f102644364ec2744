"""A post-processor that answers each update with the count after it; and exact sums, without
noise."""

from typing import ClassVar, NamedTuple, TypeAlias

import attrs

from antiphon.mechanisms.counters.counter import COUNT, Counter, whole_counts
from antiphon.mechanisms.counters.factors.rows import Amount, integers
from antiphon.numbers.errors import CompositionError
from antiphon.protocol import HALT, LEFT, RIGHT, TOP, Coins, Forwarding, PostProcessor, Side, Status
from antiphon.protocol.registry import column_safe, register
from antiphon.protocol.spaces import Either, Finite, Signature, Space

Awaited: TypeAlias = int
NOTHING, RECEIPT, TOTAL = range(3)


@register("antiphon.CountAfter/1")
@column_safe
@attrs.frozen
class CountAfter(PostProcessor[Awaited]):
    """An IPM (interactive post-processor) that answers each update with the count after it, from a
    counter on its right.

    An update goes on to the right; once it is received, ``COUNT`` is asked, and that answer goes
    left. A HALT goes left at once. State: which answer it waits for, and never a message (so it is
    not written as an exchange, whose state holds the message). Privacy: that of the counter, w.r.t.
    the same updates (CM Lemma 2.15). Raises: CompositionError if the mechanism on the right is no
    counter.

    >>> from antiphon.mechanisms import TreeCounter
    >>> session = (CountAfter() @ TreeCounter(horizon=8, epsilon=100)).start(seed=1)
    >>> session.send(1), session.send(0), session.send(1)
    (1, 1, 2)
    """

    deterministic = True
    # The step uses a left message only to send it on.
    forwards_queries = Forwarding(Status.PROVED, "by inspection of its step", asks=(COUNT,))

    @property
    def initial_state(self) -> Awaited:
        return NOTHING

    def signature(self, right: Signature) -> Signature:
        updates, queries = right.updates, right.queries
        counts = queries.contains(COUNT) and not updates.contains(COUNT)
        if not counts or not queries.includes(updates):
            raise CompositionError(
                "CountAfter asks a counter, which takes updates and the query COUNT; the mechanism "
                f"on its right takes {queries}, of which updates are {updates}"
            )
        return Signature(updates, _counts(right.answers), updates)

    def is_over(self, state: Awaited) -> None:
        return None

    def step(
        self, state: Awaited, side: Side, message: object, coins: Coins
    ) -> tuple[Awaited, Side, object]:
        if side is LEFT:
            return RECEIPT, RIGHT, message
        if state == RECEIPT and message is not HALT:
            return TOTAL, RIGHT, COUNT
        return NOTHING, LEFT, message


def _counts(answers: Space) -> Space:
    """The space of answers to ``COUNT``: a counter's answers without ⊤, the receipt of an
    update."""
    if type(answers) is not Either:
        return answers
    rest = tuple(each for each in answers.spaces if each != Finite((TOP,)))
    return rest[0] if len(rest) == 1 else Either(rest)


@register("antiphon.ExactState/1", state=True)
class ExactState(NamedTuple):
    """The state of ``ExactSum``: the number of updates and their sum."""

    updates: int
    total: Amount


@register("antiphon.ExactSum/1")
@column_safe
@attrs.frozen(kw_only=True, repr=False)
class ExactSum(Counter[ExactState]):
    """A counter without noise, and so without privacy.

    Privacy: none is claimed, so no verifier lets it be created.

    >>> counter = ExactSum(horizon=8).start()
    >>> counter.send(1), counter.send(1), counter.send("count")
    (TOP, TOP, 2)
    """

    norm: ClassVar[int] = 2
    private: ClassVar[bool] = False
    """Whether the counter makes a privacy claim."""

    @property
    def initial_state(self) -> ExactState:
        return ExactState(0, 0)

    def _update(self, state: ExactState, x: Amount, coins: Coins) -> ExactState:
        return ExactState(state.updates + 1, state.total + x)

    def _count(self, state: ExactState, coins: Coins) -> tuple[ExactState, Amount]:
        if self.dimension is None:
            return state, state.total
        return state, integers(state.total, self.dimension)

    def _prepare(self) -> Space:
        return whole_counts(self.dimension)

    state_size: ClassVar[int] = 1  # pyright: ignore[reportIncompatibleMethodOverride]
    max_squared_error: ClassVar[float] = 0.0  # pyright: ignore[reportIncompatibleMethodOverride]
    mean_squared_error: ClassVar[float] = 0.0  # pyright: ignore[reportIncompatibleMethodOverride]

    def squared_error(self, updates: int, since: int = 0) -> float:
        self._time(updates, since)
        return 0.0

    def max_squared_window(self, window: int) -> float:
        return 0.0

    def _tail(self, updates: int, beta: float, since: int) -> float:
        return 0.0
