"""Whether the f' of a creation is first-pair consistent (CM Def. 5.3), as far as one can see."""

from __future__ import annotations

from collections import deque
from itertools import islice, product
from typing import Final

from antiphon.composition.creation import Create
from antiphon.composition.guarantees.derivation import Mark
from antiphon.composition.guarantees.inclusion import about
from antiphon.numbers.errors import REFUSALS, Intractable
from antiphon.numbers.interning import fingerprint
from antiphon.protocol.coins.tapes import outcomes
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import identical
from antiphon.protocol.provenance import foreign, own
from antiphon.protocol.spaces import Space
from antiphon.protocol.verification import Refused, Verification, read
from antiphon.verifiers.models import Bounded

_MOST_STEPS: Final = 2_000
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
    queries = few(mechanism.signature.queries, _MOST_STEPS)
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
        if len(seen) * len(queries) > _MOST_STEPS:
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


_QUERIES: Final = 100
_MOST: Final = _QUERIES**2
"""States of f' times queries to look at."""


def consistent(create: Create) -> Mark:
    """FAILED if f' does not say that it is, or is seen not to be; else CHECKED or ASSUMED.

    Checked for the f' of this package, and wherever the states that identical pairs lead to
    can be listed; a user's f' about an infinite query space is believed, so assumed.
    """
    f = None if create.claim is None else about(create.claim)
    if f is None or not f.first_pair_consistent:
        return Mark.FAILED
    queries = few(create.mechanism.signature.queries, _QUERIES)
    seen = None if queries is None else _explored(f, queries)
    if seen is not None:
        return Mark.CHECKED if seen else Mark.FAILED
    while type(f) is Bounded and f.pairs > 1:  # as consistent as what it bounds
        f = f.verification
    return Mark.CHECKED if own(type(f)) else Mark.ASSUMED


def _explored(f: Verification, queries: tuple[object, ...]) -> bool | None:
    """Whether f refuses what differs after an identical pair; None: it cannot be told.

    There may be too many states, or they may say of themselves which are equal.
    """
    waiting = deque(_after(f, f.initial_state, queries))
    seen = {fingerprint(state) for state in waiting}
    while waiting:
        state = waiting.popleft()
        if foreign(state) is not None:
            return None
        for zero, one in product(queries, repeat=2):
            if not identical(zero, one) and type(read(f, state, zero, one)) is not Refused:
                return False
        for after in _after(f, state, queries):
            key = fingerprint(after)
            if key not in seen:
                seen.add(key)
                waiting.append(after)
        if len(seen) * len(queries) ** 2 > _MOST:
            return None
    return True


def _after(f: Verification, state: object, queries: tuple[object, ...]) -> list[object]:
    """The states that identical pairs lead to."""
    after = (read(f, state, query, query) for query in queries)
    return [each for each in after if type(each) is not Refused]
