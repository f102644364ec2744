"""Whether the f' of a creation is first-pair consistent (CM Def. 5.3), as far as one can see."""

from __future__ import annotations

from collections import deque
from itertools import product
from typing import Final

from antiphon.composition.creation import Create
from antiphon.composition.guarantees.answering import few
from antiphon.composition.guarantees.derivation import Mark
from antiphon.composition.guarantees.inclusion import about
from antiphon.numbers.interning import fingerprint
from antiphon.protocol.messages import identical
from antiphon.protocol.provenance import foreign, own
from antiphon.protocol.verification import Refused, Verification, read
from antiphon.verifiers.models import Bounded

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
