"""The odometer of a live composition, against whoever stops when they like, exactly."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.filters.adaptive import adaptive_parameters
from antiphon.composition.spending.finding import Found
from antiphon.composition.suitable import Suitable
from antiphon.composition.validity import sparse_parallel
from antiphon.numbers.exact import ExactEpsilon, Log, epsilon
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
from antiphon.selfcheck.theorems.theorem import Check, Evidence, twin
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
    yield Check(NAME, "f_∞ of (ε, δ)'s, all that was created counts: 1 of 3 corners", _all_count)
    yield Check(NAME, "two of (0, 1/10), by Σ(P - e^reading·Q)⁺", _excess)
    yield twin(NAME, "f_∞ of (ε, δ)'s, what differed counts: 1 of 3 corners", _differing_only)
    yield twin(NAME, "two of (0, 1/10), by P(loss > reading)", _loss)


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
    holds = best.gain <= delta
    return Evidence(
        ((epsilon(0), delta),), (best.gain,), holds, "" if holds else "; ".join(best.path)
    )


_AT_ZERO = reading_at(Fraction(0))


def walks(reading: Reading = _AT_ZERO) -> Evidence:
    """They drift before any pair differs; then Σε of those in J bounds the loss on every path."""
    one = Create(promised(WALK, bounded(event_level(), 2), 2))
    f = sparse_parallel([one.parameters] * 2)
    return decided(f, one, (0, 1), 2, 5, reading, ever_above, Fraction(0))


def _corners(share: Fraction, reading: Reading, delta: Fraction) -> Evidence:
    one = corners(2, share, symmetric=True)
    return decided(
        sparse_parallel([one.parameters]), one, (0, 1, ANNOUNCE), 3, 7, reading, beyond, delta
    )


def _all_count() -> Evidence:
    delta = 6 * TENTH  # half of it is for the δ's
    return _corners(TENTH, reading_at(delta), delta)


def _differing_only() -> Evidence:
    """The δ's of the others had their part in the choice of J: 37/64 (CM §5.2)."""

    def reading(found: Found) -> ExactEpsilon | None:
        assert found.guard is not None
        state = found.guard.state
        differed = state is not None and any(child.differed for child in state.children)
        return Log(2) if differed else Fraction(0)

    return _corners(Fraction(1, 4), reading, Fraction(1, 4))


def _shifted() -> Create:
    """(0, 1/10)-DP, and as likely as not a loss of ln 11/9."""
    mechanism = FiniteResponse(((11, 9), (9, 11)), name="shifted")
    return Create(claiming(mechanism, Approximate(0, TENTH), neighbouring_start()))


def _of_two(gain: Gain) -> Evidence:
    delta = 4 * TENTH
    return decided(adaptive_parameters(), _shifted(), (0, 1), 2, 4, reading_at(delta), gain, delta)


def _excess() -> Evidence:
    return _of_two(beyond)


def _loss() -> Evidence:
    """An (ε, δ) says nothing of the loss itself: that of the view is not that of its RR_{ε,δ}."""
    return _of_two(ever_above)
