"""A search for violations of the three properties of CM §6.1, for a P with infinitely many runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from antiphon.composition.creation import Create
from antiphon.composition.properties import Broken, Heard, Violation, advance, begin
from antiphon.protocol.errors import MissingExtra
from antiphon.protocol.post_processor import LEFT, RIGHT, PostProcessor
from antiphon.verifiers.verification import Verification


def search_properties(
    post_processor: PostProcessor[Any],
    outer: Verification[Any],
    inner: Verification[Any],
    *,
    queries: Any,
    answers: Callable[[Any, tuple[Create, ...]], Any],
    rounds: int = 20,
    examples: int = 200,
) -> Violation | None:
    """Search for a violation of the three properties, for a P with infinitely many runs.

    Finding none proves nothing. A violation is shrunk to a small pair of runs, and the
    same search finds the same one.
    Args: ``queries``, the left messages: a Hypothesis strategy or a finite list;
    ``answers``, (message sent right, creations so far) -> a strategy or list of the
    answers it may get; ``rounds``, how many messages P receives in a run at most;
    ``examples``, how many pairs of runs to try.
    Raises: CompositionError if P declares coins; MissingExtra without Hypothesis.
    """
    try:
        import hypothesis
        from hypothesis import strategies
    except ImportError:
        raise MissingExtra("hypothesis", "test") from None
    first = begin(post_processor, outer, inner)
    lefts = _strategy(queries)

    @hypothesis.settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=[
            hypothesis.HealthCheck.too_slow,
            hypothesis.HealthCheck.data_too_large,
        ],
    )
    @hypothesis.given(strategies.data())
    def search(data: Any) -> None:
        lock = first
        runs: tuple[Heard, Heard] = (), ()
        for _ in range(rounds):
            if lock.sent is None:
                side, zero = LEFT, data.draw(lefts)
                one = data.draw(lefts) if data.draw(strategies.booleans()) else zero
            else:
                side, zero = RIGHT, data.draw(_strategy(answers(lock.sent[0], lock.created)))
                one = zero
            runs = (*runs[0], (side, zero)), (*runs[1], (side, one))
            after = advance(post_processor, outer, inner, lock, side, zero, one)
            if isinstance(after, Broken):
                raise _Found(Violation(after.property, post_processor, runs, after.reason))
            if after.over:
                return
            lock = after

    try:
        search()
    except _Found as found:
        return found.violation
    return None


def _strategy(values: Any) -> Any:
    from hypothesis import strategies

    if isinstance(values, strategies.SearchStrategy):
        return values  # pyright: ignore[reportUnknownVariableType]
    return strategies.sampled_from(tuple(values))


class _Found(Exception):
    """A pair of runs that break a property."""

    def __init__(self, violation: Violation) -> None:
        super().__init__(violation.reason)
        self.violation = violation
