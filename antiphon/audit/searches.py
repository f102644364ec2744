"""Searches by Hypothesis for violations, where not all cases can be listed.

Finding nothing proves nothing. A violation is shrunk, and the same search finds the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from antiphon.composition import properties
from antiphon.composition.creation import Create
from antiphon.mechanisms.histograms import queries
from antiphon.numbers import MissingExtra, exact
from antiphon.protocol import LEFT, RIGHT, PostProcessor, Refused, Verification

if TYPE_CHECKING:
    from hypothesis.strategies import DataObject, SearchStrategy

Found = TypeVar("Found")
Value = TypeVar("Value")
Choices: TypeAlias = "SearchStrategy[object] | Sequence[object]"
"""A Hypothesis strategy, or a finite list of values."""


def search_properties(
    post_processor: PostProcessor,
    outer: Verification,
    inner: Verification,
    *,
    queries: Choices,
    answers: Callable[[Any, tuple[Create, ...]], Choices],
    rounds: int = 20,
    examples: int = 200,
    strict: bool = False,
) -> properties.Violation | None:
    """Search for a violation of the three properties of CM §6.1, for a P with infinitely many runs.

    Finding none proves nothing. A violation is shrunk to a small pair of runs, and the
    same search finds the same one.
    Args: ``queries``, the left messages: a Hypothesis strategy or a finite list; ``answers``,
    (message sent right, creations so far) -> a strategy or list of the answers it may get;
    ``rounds``, the largest number of messages that P receives in a run; ``examples``, the number of
    pairs of runs to try; ``strict``, as for ``check_properties``: without it both sides send the
    same message where f refuses a pair. Raises: CompositionError if P declares coins; MissingExtra
    without Hypothesis; InvalidArgument for rounds that are no int >= 0.
    """
    exact.natural(rounds, "rounds")
    strategies = _strategies()
    first = properties.begin_lockstep(post_processor, outer, inner)
    lefts = _strategy(queries)

    def violation(data: DataObject) -> properties.Violation | None:
        lock = first
        runs: tuple[properties.Heard, properties.Heard] = (), ()
        for _ in range(rounds):
            if lock.sent is None:
                side, zero = LEFT, data.draw(lefts)
                one = data.draw(lefts) if data.draw(strategies.booleans()) else zero
            else:
                side, zero = RIGHT, data.draw(_strategy(answers(lock.sent[0], lock.created)))
                one = zero
            said = (*runs[0], (side, zero)), (*runs[1], (side, one))
            after = properties.advance_lockstep(
                post_processor, outer, inner, lock, side, zero, one, strict=strict
            )
            if type(after) is Refused:  # Where f refuses the pair, both runs get the same message.
                said = (*runs[0], (side, zero)), (*runs[1], (side, zero))
                after = properties.advance_lockstep(
                    post_processor, outer, inner, lock, side, zero, zero
                )
            if isinstance(after, properties.Broken):
                return properties.Violation(after.property, post_processor, said, after.reason)
            if type(after) is Refused or after.over:
                return None
            lock, runs = after, said
        return None

    return _search(violation, strategies.data(), examples)


def search_query(
    query: queries.HistogramQuery,
    *,
    dimension: int,
    largest: int = 10**6,
    sensitivity: int | None = None,
    examples: int = 500,
) -> queries.QueryViolation | None:
    """Search for histograms in {0, …, largest}^dimension on which a query breaks its promises
    (monotone, of this sensitivity). Finding none proves nothing.

    Half of the histograms have all counts close together, where queries by rank change.
    Raises: MissingExtra without Hypothesis.
    """
    strategies = _strategies()
    dimension, largest = exact.whole(dimension, "dimension"), exact.whole(largest, "largest")
    bound = queries.promised(query, dimension, sensitivity)
    counts, near = strategies.integers(0, largest), strategies.integers(0, 2)
    rows = strategies.tuples(*[counts] * dimension)
    ties = strategies.tuples(counts, strategies.tuples(*[near] * dimension))

    def near_each_other(tie: tuple[int, tuple[int, ...]]) -> tuple[int, ...]:
        return tuple(tie[0] + each for each in tie[1])

    close = ties.map(near_each_other)
    return _search(lambda x: queries.first_violation(query, (x,), bound), rows | close, examples)


def _strategies() -> ModuleType:
    """The module ``hypothesis.strategies``. Raises: MissingExtra."""
    try:
        from hypothesis import strategies
    except ImportError:
        raise MissingExtra("hypothesis", "test") from None
    return strategies


def _search(
    violation: Callable[[Value], Found | None], values: SearchStrategy[Value], examples: int
) -> Found | None:
    """The first of ``examples`` values with a violation, shrunk; None if none has any."""
    import hypothesis

    slow, large = hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large
    # Hypothesis' phase "explain" is slow, and left out.
    needed = hypothesis.Phase.generate, hypothesis.Phase.shrink

    @hypothesis.settings(
        max_examples=examples, deadline=None, database=None, derandomize=True, phases=needed,
        suppress_health_check=[slow, large],
    )  # fmt: skip
    @hypothesis.given(values)
    def search(value: Value) -> None:
        found = violation(value)
        if found is not None:
            raise _Found(found)

    try:
        search()
    except _Found as found:
        shrunk: Found = found.violation
        return shrunk
    return None


def _strategy(values: Choices) -> SearchStrategy[object]:
    from hypothesis.strategies import SearchStrategy, sampled_from

    return values if isinstance(values, SearchStrategy) else sampled_from(tuple(values))


class _Found(Exception):
    """Carries a violation out of a Hypothesis search."""

    def __init__(self, violation: Any) -> None:
        super().__init__("a violation was found")
        self.violation = violation
