"""Whether a mechanism answers nothing outside its signature, as far as one can see."""

from __future__ import annotations

from itertools import islice
from typing import Final

from antiphon.composition.guarantees.derivation import Mark
from antiphon.numbers.errors import REFUSALS, Intractable
from antiphon.numbers.interning import fingerprint
from antiphon.protocol.coins.enumeration import outcomes
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.provenance import foreign
from antiphon.protocol.spaces import Space

_MOST: Final = 2_000
"""Pairs of a state and a query to try."""


def few(space: Space, most: int) -> tuple[object, ...] | None:
    """All of a space's messages; None if they are more than ``most``, and then no more are read."""
    if not space.finite:
        return None
    found = tuple(islice(space.enumerate(), most + 1))
    return None if len(found) > most else found


def answering(mechanism: ContinualMechanism) -> Mark:
    """PROVED for this library's own (its tests do), CHECKED where all runs can be listed.

    Else ASSUMED; FAILED if an answer outside the signature was seen.
    """
    if foreign(mechanism) is None:
        return Mark.PROVED
    queries = few(mechanism.signature.queries, _MOST)
    if queries is None:
        return Mark.ASSUMED
    try:
        seen = _listed(mechanism, queries)
    except Intractable:
        return Mark.ASSUMED
    return Mark.ASSUMED if seen is None else Mark.CHECKED if seen else Mark.FAILED


def _listed(mechanism: ContinualMechanism, queries: tuple[object, ...]) -> bool | None:
    """Whether every answer to every query in every state is declared; None: too many states."""
    declared = mechanism.signature.answers
    waiting = [mechanism.initial_state]
    seen = {fingerprint(waiting[0])}
    while waiting:
        state = waiting.pop()
        for query in queries:
            for after, answer in _steps(mechanism, state, query):
                if not declared.contains(answer):
                    return False
                if (key := fingerprint(after)) not in seen:
                    seen.add(key)
                    waiting.append(after)
        if len(seen) * len(queries) > _MOST:
            return None
    return True


def _steps(
    mechanism: ContinualMechanism, state: object, query: object
) -> list[tuple[object, object]]:
    """All that may happen; nothing, where the query is refused."""
    try:
        return [after for _, after in outcomes(lambda coins: mechanism.step(state, query, coins))]
    except REFUSALS:
        return []
