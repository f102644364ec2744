"""Sums over a sliding window, as differences of a counter's counts."""

from typing import Any, NamedTuple

import attrs
import numpy as np

from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.count_after import NOTHING, RECEIPT, TOTAL, CountAfter
from antiphon.mechanisms.counters.counter import COUNT, Counter
from antiphon.mechanisms.counters.factors.rows import Amount, floats, integers, row
from antiphon.numbers.errors import written_as
from antiphon.populations.array_columns import ArrayColumn
from antiphon.protocol import HALT, LEFT, RIGHT, Coins, Forwarding, PostProcessor, Side, Status
from antiphon.protocol.messages import freeze
from antiphon.protocol.registry import column_safe, register
from antiphon.protocol.spaces import Signature


@register("antiphon.Sliding/1", state=True)
class Sliding(NamedTuple):
    """The state of ``Window``: which answer it waits for, and the last counts, oldest first."""

    awaited: int
    counts: tuple[Amount, ...]


@register("antiphon.Window/1")
@column_safe
@attrs.frozen
class Window(PostProcessor[Sliding]):
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

    deterministic = True
    # The step uses a left message only to send it on.
    forwards_queries = Forwarding(Status.PROVED, "by inspection of its step", asks=(COUNT,))

    @property
    def initial_state(self) -> Sliding:
        return Sliding(NOTHING, ())

    def signature(self, right: Signature) -> Signature:
        return CountAfter().signature(right)

    def is_over(self, state: Sliding) -> None:
        return None

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
        where all times have to be tried, past 2^16."""
        return counter.max_squared_window(self.length)

    @written_as("Window(7).error_bound(counter, 100, beta=0.01)")
    def error_bound(self, counter: Counter, updates: int, *, beta: float) -> float:
        """A bound on the error of every coordinate after ``updates``, with probability at least 1 -
        beta."""
        return counter.error_bound(updates, beta=beta, since=self._since(updates))

    def _since(self, updates: int) -> int:
        return max(0, updates - self.length) if type(updates) is int else 0


def _less(count: Any, earlier: Any) -> Any:
    """The difference of two answers of a counter, in their type."""
    if type(count) is not np.ndarray and type(count) is not ArrayColumn:
        return count - earlier
    if type(count) is np.ndarray and count.dtype != np.int64:
        return freeze(count - earlier)
    exact = row(count, object) - row(earlier, object)
    if count.dtype == np.int64:
        return integers(exact, len(count))
    return floats(exact, 1, len(count))
