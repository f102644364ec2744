"""What a counter promises and how far it errs: for people."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Union

from antiphon.numbers.printed import shown_up
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.shown.card import Card, Grid, Part

if TYPE_CHECKING:
    from antiphon.mechanisms.counters.counter import Counter
    from antiphon.mechanisms.counters.unbounded import UnboundedCounter

MOST: Final = 1 << 16
"""Updates up to which errors are computed that nobody asked for."""


def card(counter: Union[Counter, UnboundedCounter], horizon: int | None) -> Card:
    """Claims and errors; those of a counter without a horizon after ``MOST`` updates."""
    return Card(message_label(counter, 160), _parts(counter, horizon))


def _parts(counter: Union[Counter, UnboundedCounter], horizon: int | None) -> Iterator[Part]:
    yield Grid(list(_rows(counter, horizon)))
    if horizon is None or horizon <= MOST:
        yield counter._picture()  # pyright: ignore[reportPrivateUsage]


def _rows(
    counter: Union[Counter, UnboundedCounter], horizon: int | None
) -> Iterator[tuple[str, str]]:
    for claim in counter.claims:
        yield "claim", f"{message_label(claim.measure)}, {claim.status.value} ({claim.source})"
        yield "with respect to", message_label(claim.verification, 120)
    if horizon is None or horizon <= MOST:
        last = MOST if horizon is None else horizon
        deviation = math.sqrt(counter.squared_error(last))
        yield f"standard deviation after {last:,}", shown_up(deviation, 4)
        bound = counter.error_bound(last, beta=0.05)
        yield "  with probability 95 %", f"an error of at most {shown_up(bound, 4)}"
