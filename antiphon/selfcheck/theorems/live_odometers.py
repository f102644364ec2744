"""The odometer of a live composition, against whoever stops when they like, exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.filters.adaptive import adaptive_parameters
from antiphon.composition.spending.charged import counted
from antiphon.composition.spending.finding import Found
from antiphon.composition.suitable import Suitable
from antiphon.composition.validity import sparse_parallel
from antiphon.numbers.exact import epsilon
from antiphon.protocol.measures.kinds import Approximate
from antiphon.selfcheck.theorems.parts.corners import ANNOUNCE, corners
from antiphon.selfcheck.theorems.parts.finite import WALK, FiniteResponse, claiming, promised
from antiphon.selfcheck.theorems.parts.stopped import (
    Gain,
    Reading,
    Stopped,
    beyond,
    ever_above,
    reading_at,
)
from antiphon.selfcheck.theorems.theorem import Check, Evidence
from antiphon.verifiers.identifier import Identifier
from antiphon.verifiers.models import bounded, event_level, neighbouring_start
from antiphon.verifiers.verifier import Verifier

SECTION = (5, 9)
"""Behind filters."""
NAME = "Odometers"
TENTH = Fraction(1, 10)


def checks() -> Iterable[Check]:
    """The rows."""
    yield Check(NAME, "f_∞ of ε's, what differed counts: loss of 2 of 2 walks", walks)
    row = Check(NAME, "f_∞ of (ε, δ)'s, all that was created counts: 1 of 3 corners", _corners)
    two = Check(NAME, "two of (0, 1/10), by Σ(P - e^reading·Q)⁺", _of_two)
    yield from (row, two)
    yield row.twin("f_∞ of (ε, δ)'s, what differed counts: 1 of 3 corners", counting=_differed)
    yield two.twin("two of (0, 1/10), by P(loss > reading)", gain=ever_above)


def decided(
    f: Suitable, created: Create, queries: Iterable[object], creations: int, rounds: int,
    reading: Reading, gain: Gain, delta: Fraction,
) -> Evidence:  # fmt: skip
    """Nobody gains more than δ, whichever world is true."""
    games = [Verifier(f) @ Identifier(bit) @ ExtConComp() for bit in (0, 1)]
    found = [
        Stopped((games[b], games[1 - b]), [created], tuple(queries), creations, reading, gain).best(
            rounds
        )
        for b in (0, 1)
    ]
    best = max(found, key=lambda each: each.gain)
    return Evidence(((epsilon(0), delta),), (best.gain,), "; ".join(best.path))


_AT_ZERO = reading_at(Fraction(0))


def walks(reading: Reading = _AT_ZERO) -> Evidence:
    """They drift before any pair differs; then Σε of those in J bounds the loss on every path."""
    one = Create(promised(WALK, bounded(event_level(), 2), 2))
    f = sparse_parallel([one.parameters] * 2)
    return decided(f, one, (0, 1), 2, 5, reading, ever_above, Fraction(0))


def _differed(found: Found) -> list[Create]:
    """Of those alone whose pair differs."""
    assert found.guard is not None
    state = found.guard.state
    return [] if state is None else [each.created for each in state.children if each.differed]


def _corners(*, counting: Callable[[Found], Sequence[Create]] = counted) -> Evidence:
    """If only those count that differ, the δ's of the others have their part in the choice of J.

    37/64 (CM §5.2), where half of 1/2 is for the δ's.
    """
    one, delta = corners(2, Fraction(1, 4), symmetric=True), Fraction(1, 2)
    f, reading = sparse_parallel([one.parameters]), reading_at(delta, counting)
    return decided(f, one, (0, 1, ANNOUNCE), 3, 7, reading, beyond, delta)


def _shifted() -> Create:
    """(0, 1/10)-DP, and as likely as not a loss of ln 11/9."""
    mechanism = FiniteResponse(((11, 9), (9, 11)), name="shifted")
    return Create(claiming(mechanism, Approximate(0, TENTH), neighbouring_start()))


def _of_two(*, gain: Gain = beyond) -> Evidence:
    """An (ε, δ) says nothing of the loss itself: that of the view is not that of its RR_{ε,δ}."""
    delta = 4 * TENTH
    return decided(adaptive_parameters(), _shifted(), (0, 1), 2, 4, reading_at(delta), gain, delta)
