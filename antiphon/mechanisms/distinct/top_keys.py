"""The keys with the largest counts of a vector counter: post-processing of its answers."""

from collections.abc import Iterable
from typing import Any

import attrs
import numpy as np

from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.counter import Counter
from antiphon.numbers.errors import CompositionError, InvalidArgument
from antiphon.protocol import Arrays, Coins, Forwarding, Integers, Status, register
from antiphon.protocol.post_processor import AnswerPostProcessor
from antiphon.protocol.spaces import Either, Finite, Reals, Signature, Space, Tuples


def _keys(keys: Iterable[str]) -> tuple[str, ...]:
    found = tuple(keys)
    if not found or len(set(found)) < len(found) or not all(type(each) is str for each in found):
        raise InvalidArgument("keys are texts, at least one, each listed once")
    return found


@register("antiphon.TopKeys/1")
@attrs.frozen(kw_only=True)
class TopKeys(AnswerPostProcessor):
    """A post-processor that answers ``COUNT`` with the ``top`` keys of the largest counts and these
    counts, from a counter of vectors on its right with a coordinate for each key.

    Keys come with the largest count first; of equal counts the key listed first. State: none.
    Privacy: that of the counter, w.r.t. the same updates (CM Lemma 2.15): which keys are named
    costs nothing. Raises: CompositionError if the counter has not one coordinate for each key.

    >>> from antiphon.mechanisms import BufferedToeplitzCounter
    >>> counter = BufferedToeplitzCounter(horizon=256, rho=10**9, dimension=3)
    >>> session = (TopKeys(keys=("FR", "DE", "IT"), top=1) @ counter).start(seed=1)
    >>> _ = session.send(np.array([0, 1, 0])), session.send(np.array([1, 1, 0]))
    >>> [(key, round(count, 3)) for key, count in session.send("count")]
    [('DE', 2.0)]
    """

    deterministic = True
    forwards_queries = Forwarding(Status.PROVED, "by inspection of its step")
    keys: tuple[str, ...] = attrs.field(converter=_keys)
    top: int = attrs.field(default=1, converter=fields.size, metadata=fields.COORDINATES)

    def __attrs_post_init__(self) -> None:
        if self.top > len(self.keys):
            raise InvalidArgument(f"top must be at most {len(self.keys)}, the number of keys")

    def signature(self, right: Signature) -> Signature:
        kinds = right.answers.spaces if type(right.answers) is Either else (right.answers,)
        counts = [each for each in kinds if type(each) is Arrays]
        if len(counts) != 1 or counts[0].shape != (len(self.keys),):
            raise CompositionError(
                f"TopKeys names {len(self.keys)} keys: chain it with a counter of dimension="
                f"{len(self.keys)}, whose coordinates are their counts"
            )
        number = Integers() if counts[0].dtype == "int64" else Reals()
        named = Tuples((Tuples((Finite(self.keys), number)),) * self.top)
        rest: tuple[Space, ...] = tuple([each for each in kinds if type(each) is not Arrays])
        return Signature(right.queries, Either((*rest, named)), right.updates)

    def replaced(self, answer: Any, coins: Coins) -> object:
        return self.named(answer) if type(answer) is np.ndarray else answer

    def named(self, counts: Any) -> tuple[tuple[str, int | float], ...]:
        """The keys with the largest counts, and these counts."""
        first: list[int] = np.argsort(-counts, kind="stable")[: self.top].tolist()
        values: list[int | float] = counts.tolist()
        return tuple([(self.keys[each], values[each]) for each in first])

    def error_bound(self, counter: Counter, updates: int, *, beta: float) -> float:
        """A bound on how far the true count of a named key may lie below that of any key that is
        not named; it holds for all of them together with probability at least 1 - beta.

        It is twice the counter's bound, which holds for all coordinates at once.
        """
        return 2 * counter.error_bound(updates, beta=beta)
