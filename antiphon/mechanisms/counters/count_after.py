"""Post-processors that answer each update with the count after it, or with the sum of a sliding
window; and exact sums, without noise."""

from typing import Any, ClassVar, NamedTuple, TypeAlias

import attrs
import numpy as np

from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.counter import COUNT, Counter, whole_counts
from antiphon.mechanisms.counters.factors.rows import Amount, floats, integers, row
from antiphon.numbers.errors import CompositionError, written_as
from antiphon.populations.array_columns import ArrayColumn
from antiphon.protocol import HALT, LEFT, RIGHT, TOP, Coins, Forwarding, PostProcessor, Side, Status
from antiphon.protocol.mechanism import State
from antiphon.protocol.messages import freeze
from antiphon.protocol.registry import column_safe, register
from antiphon.protocol.spaces import Either, Finite, Signature, Space

Awaited: TypeAlias = int
NOTHING, RECEIPT, TOTAL = range(3)


class AskingCounts(PostProcessor[State]):
    """A post-processor that sends each update right, then asks ``COUNT``, and computes its answer
    to the update from that count. Abstract."""

    __slots__ = ()
    deterministic = True
    # A step's only use of a message from the left is to send it on to the right.
    forwards_queries = Forwarding(Status.PROVED, "by inspection of its step", asks=(COUNT,))

    def signature(self, right: Signature) -> Signature:
        updates, queries = right.updates, right.queries
        counts = queries.contains(COUNT) and not updates.contains(COUNT)
        if not counts or not queries.includes(updates):
            raise CompositionError(
                f"{type(self).__name__} asks a counter, which takes updates and the query COUNT; "
                f"the mechanism on its right takes {queries}, of which updates are {updates}"
            )
        return Signature(updates, _counts(right.answers), updates)

    def is_over(self, state: State) -> None:
        return None


@register("antiphon.CountAfter/1")
@column_safe
@attrs.frozen
class CountAfter(AskingCounts[Awaited]):
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

    @property
    def initial_state(self) -> Awaited:
        return NOTHING

    def step(
        self, state: Awaited, side: Side, message: object, coins: Coins
    ) -> tuple[Awaited, Side, object]:
        if side is LEFT:
            return RECEIPT, RIGHT, message
        if state == RECEIPT and message is not HALT:
            return TOTAL, RIGHT, COUNT
        return NOTHING, LEFT, message


def _counts(answers: Space) -> Space:
    """The space of answers to ``COUNT``: a counter's answers but ⊤, which answers updates."""
    if type(answers) is not Either:
        return answers
    rest = tuple(each for each in answers.spaces if each != Finite((TOP,)))
    return rest[0] if len(rest) == 1 else Either(rest)


@register("antiphon.Sliding/1", state=True)
class Sliding(NamedTuple):
    """The state of ``Window``: which answer it waits for, and the last counts, oldest first."""

    awaited: int
    counts: tuple[Amount, ...]


@register("antiphon.Window/1")
@column_safe
@attrs.frozen
class Window(AskingCounts[Sliding]):
    """An IPM (interactive post-processor) that answers each update with the noisy sum of the last
    ``length`` updates: the difference of two counts of a counter on its right.

    An update goes on to the right; once it is received, ``COUNT`` is asked, and that answer, less
    the one ``length`` updates before, goes left. Any counter will do; one made with
    ``window=length`` errs less. Of a ``DecayedCounter`` a difference means nothing.

    State: the last ``length`` counts, and never an update. O(length) work an update, a copy.
    Privacy: that of the counter, w.r.t. the same updates (CM Lemma 2.15). Raises: CompositionError
    if the mechanism on the right is no counter.

    >>> from antiphon.mechanisms import TreeCounter
    >>> session = (Window(2) @ TreeCounter(horizon=8, epsilon=100)).start(seed=1)
    >>> session.send(1), session.send(0), session.send(1), session.send(1)
    (1, 1, 1, 2)
    """

    length: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)

    @property
    def initial_state(self) -> Sliding:
        return Sliding(NOTHING, ())

    def step(
        self, state: Sliding, side: Side, message: Any, coins: Coins
    ) -> tuple[Sliding, Side, object]:
        awaited, counts = state
        if side is LEFT:
            return Sliding(RECEIPT, counts), RIGHT, message
        if message is HALT:
            return Sliding(NOTHING, counts), LEFT, message
        if awaited == RECEIPT:
            return Sliding(TOTAL, counts), RIGHT, COUNT
        told = _less(message, counts[0]) if len(counts) == self.length else message
        kept = counts[1:] if len(counts) == self.length else counts
        return Sliding(NOTHING, (*kept, message)), LEFT, told

    def squared_error(self, counter: Counter, updates: int) -> float:
        """The expected squared error of the sum of the last ``length`` of ``updates`` updates; for
        some counters an upper bound."""
        return counter.squared_error(updates, self._since(updates))

    def max_squared_error(self, counter: Counter) -> float:
        """The largest expected squared error over all times up to the horizon. Raises: Intractable
        if more than 2^16 times have to be tried."""
        return counter.max_squared_window(self.length)

    @written_as("Window(7).error_bound(counter, 100, beta=0.01)")
    def error_bound(self, counter: Counter, updates: int, *, beta: float) -> float:
        """A bound on the error of every coordinate of the window's sum at time ``updates``, with
        probability at least 1 - beta."""
        return counter.error_bound(updates, beta=beta, since=self._since(updates))

    def _since(self, updates: int) -> int:
        return max(0, updates - self.length) if type(updates) is int else 0


def _less(count: Any, earlier: Any) -> Any:
    """The answer ``count`` of a counter minus an earlier answer, in the type of these answers."""
    if type(count) is not np.ndarray and type(count) is not ArrayColumn:
        return count - earlier
    if type(count) is np.ndarray and count.dtype != np.int64:
        return freeze(count - earlier)
    exact = row(count, object) - row(earlier, object)
    if count.dtype == np.int64:
        return integers(exact, len(count))
    return floats(exact, 1, len(count))


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
