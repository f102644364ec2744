"""A view in words: who played, what was said and heard; and its diagram."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from antiphon.protocol.records.diagram import ending_of, title_of
from antiphon.protocol.records.labels import counted, message_label, party_label
from antiphon.protocol.shown.card import Card, Grid, Part, Picture

if TYPE_CHECKING:
    from antiphon.protocol.records.view import View

_TOLD: Final = 50
"""Rounds in text …"""
_DRAWN: Final = 12
"""… and in a picture that nobody asked for."""


def card(view: View) -> Card:
    """Who played, how many rounds, how it ended; then what was said."""
    count = len(view.rounds)
    notes = [
        f"{counted(count, 'round')} of {party_label(view.header.adversary)} with {title_of(view)}"
    ]
    notes.append(ending_of(view, count).rstrip(".").lower())
    if view.failures:  # how many, without what they raised: that may hold data
        notes.append(f"{len(view.failures)} failed step(s), see view.failures")
    if view.header.seeded:
        notes.append("seeded: not for release")
    return Card("; ".join(notes), _parts(view))


def _parts(view: View) -> Iterator[Part]:
    if len(view.rounds) <= _DRAWN:
        yield Picture(view.svg)
    rows = [
        (str(number), message_label(each.message), message_label(each.answer))
        for number, each in enumerate(islice(view.rounds, _TOLD), start=1)
    ]
    yield Grid(rows, ("round", "message", "answer"), numbers=("round",))
    if len(view.rounds) > _TOLD:
        yield ending_of(view, _TOLD)
