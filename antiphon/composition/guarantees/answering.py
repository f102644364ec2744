"""Whether a mechanism answers nothing outside its signature, as far as one can see."""

from __future__ import annotations

from typing import Final

from antiphon.composition.guarantees.derivation import Mark
from antiphon.numbers.errors import REFUSALS, Intractable
from antiphon.numbers.interning import fingerprint
from antiphon.protocol.coins.enumeration import outcomes
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.provenance import foreign

_MOST: Final = 2_000
"""Pairs of a state and a query to try."""


def answering(mechanism: ContinualMechanism) -> Mark:
    """PROVED for this library's own (its tests do), CHECKED where all runs can be listed.

    Else ASSUMED; FAILED if an answer outside the signature was seen.
    """
    if foreign(mechanism) is None:
        return Mark.PROVED
    if not mechanism.signature.queries.finite:
        return Mark.ASSUMED
    try:
        seen = _listed(mechanism)
    except Intractable:
        return Mark.ASSUMED
    return Mark.ASSUMED if seen is None else Mark.CHECKED if seen else Mark.FAILED


def _listed(mechanism: ContinualMechanism) -> bool | None:
    """Whether every answer to every query in every state is declared; None: too many states."""
    queries, declared = tuple(mechanism.signature.queries.enumerate()), mechanism.signature.answers
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
