"""Facts about verification functions: whether one includes another, how many pairs may differ.

Whether one allows no more than another, f ⊆ g; and whether the f' of a creation is first-pair
consistent (CM Def. 5.3), as far as inspection shows.
"""

import math
from collections import deque
from collections.abc import Iterable
from itertools import islice, product
from typing import Any, Final, NamedTuple

from antiphon.composition.creation import Create
from antiphon.composition.guarantees.derivation import Mark
from antiphon.numbers.errors import REFUSALS, Intractable, InvalidArgument, of_kind
from antiphon.numbers.interning import fingerprint
from antiphon.protocol import Claim, ContinualMechanism, Space, identical, message_label, outcomes
from antiphon.protocol.messages import HALT, Pair
from antiphon.protocol.provenance import is_library_code, why_untrusted
from antiphon.protocol.spaces import Arrays, Either, Finite, Integers, Multiples, Reals, Texts
from antiphon.protocol.verification import Refused, Verification, read
from antiphon.verifiers import AnyTwo, Monotone, Relation, Within, models


def includes(outer: Verification, inner: Verification) -> bool:
    """Whether every sequence valid for ``inner`` is surely valid for ``outer``.

    Then privacy w.r.t. ``outer`` implies privacy w.r.t. ``inner``, which has fewer adversaries.
    False means "not known to be". Only exact types are recognised, as a subclass may change
    anything.

    >>> from antiphon.verifiers.models import bounded, event_level, neighbouring_start
    >>> includes(event_level(), bounded(neighbouring_start(), 3))
    True
    >>> includes(event_level(), event_level(events=2))
    False
    """
    if identical(outer, inner):
        return True
    if type(inner) is models.Bounded:
        if type(outer) is models.Bounded and inner.pairs <= outer.pairs:
            return includes(outer.verification, inner.verification)
        return includes(outer, inner.verification)
    if type(outer) is models.UpdatesAndQueries and type(inner) is models.UpdatesAndQueries:
        same = identical(outer.queries, inner.queries)
        return same and includes(outer.updates, inner.updates)
    if type(inner) is models.UpdatesAndQueries and (
        type(outer) is models.EventLevel or type(outer) is models.UserLevel
    ):
        # An ``outer`` of event or user level counts only pairs that differ, so public queries
        # change nothing.
        return includes(outer, inner.updates)
    if type(outer) is models.NeighbouringStart and type(inner) is models.NeighbouringStart:
        starts = outer.initial is None or identical(outer.initial, inner.initial)
        return starts and _implies(outer.relation, inner.relation)
    if type(outer) is models.EveryPair and type(inner) is models.EveryPair:
        directions = inner.monotone or not outer.monotone
        return directions and _implies(outer.relation, inner.relation)
    return _has_room(outer, inner) and differing(inner) <= differing(outer)


def _has_room(outer: Verification, inner: Verification) -> bool:
    """Whether each pair that may differ under ``inner`` may, by itself, differ under ``outer``.

    Event level allows any neighbouring pair; user level only pairs of one user, in both functions.
    """
    narrower: tuple[type[Verification], ...] = ()
    if type(outer) is models.EventLevel:
        narrower = (models.EventLevel, models.UserLevel, models.NeighbouringStart)
    elif type(outer) is models.UserLevel:
        narrower = (models.UserLevel,)
    if type(inner) not in narrower:
        return False
    return differing(inner) == 0 or _implies(_relation(outer), _relation(inner))


def _relation(f: Any) -> Relation:
    """The neighbouring relation that f requires of the two sides of a pair."""
    relation: Relation = f.relation
    return relation


def differing(f: Verification) -> float:
    """The largest number of pairs that may differ under f; inf if it is unbounded or unknown."""
    if type(f) is models.Bounded:
        return min(f.pairs, differing(f.verification))
    if type(f) is models.NeighbouringStart:
        return 1
    if (type(f) is models.EventLevel or type(f) is models.UserLevel) and f.events is not None:
        return f.events
    return math.inf


_WITHOUT_RECORDS: Final = (Integers, Reals, Multiples, Texts, Arrays)


def is_vacuous(f: Verification | None, messages: Space) -> bool:
    """Whether f lets no two of these messages differ, as it is about records (user, …) and none of
    them is one. False means "not known to be"."""
    if type(f) is models.Bounded:
        return is_vacuous(f.verification, messages)
    if type(f) is models.UpdatesAndQueries:
        return is_vacuous(f.updates, messages)
    return type(f) is models.UserLevel and not _has_records(messages)


def _has_records(messages: Space) -> bool:
    if type(messages) is Either:
        return any(map(_has_records, messages.spaces))
    if type(messages) is Finite:
        return any(type(each) is tuple for each in messages.values)
    return all(type(messages) is not each for each in _WITHOUT_RECORDS)


def _implies(outer: Relation, inner: Relation) -> bool:
    """Whether two values related by ``inner`` are always related by ``outer``."""
    if type(outer) is AnyTwo or identical(outer, inner):
        return True
    if type(inner) is Monotone:
        wider = outer.relation if type(outer) is Monotone else outer
        return _implies(wider, inner.relation)
    if type(outer) is not Within or type(inner) is not Within:
        return False
    return bool(inner.distance <= outer.distance)


def group_size(outer: Verification, inner: Verification, most: float = math.inf) -> int | None:
    """The number k of changes allowed by ``outer`` that make up any change allowed by ``inner``;
    None if there is none.

    ``most`` bounds the number of pairs.

    >>> from antiphon.verifiers.models import bounded, event_level
    >>> group_size(event_level(), bounded(event_level(events=3), 9))
    3
    """
    if type(inner) is models.Bounded:
        if type(outer) is models.Bounded and inner.pairs <= outer.pairs:
            outer = outer.verification
        return group_size(outer, inner.verification, min(most, inner.pairs))
    if type(outer) is models.UpdatesAndQueries and type(inner) is models.UpdatesAndQueries:
        same = identical(outer.queries, inner.queries)
        return group_size(outer.updates, inner.updates, most) if same else None
    most, single = min(most, differing(inner)), differing(outer)
    if not _has_room(outer, inner) or math.isinf(most) or not 1 <= single < math.inf:
        return None
    return max(1, math.ceil(most / single))


def declared(f: Verification) -> Verification | None:
    """The wider f' that f declares (``narrower_than``), or that follows from what the function
    inside f declares; None: none. Raises: InvalidArgument if it is no verification function."""
    if type(f) is models.Bounded:
        wider = declared(f.verification)
        return wider and models.Bounded(wider, f.pairs)
    if type(f) is models.UpdatesAndQueries:
        wider = declared(f.updates)
        return wider and models.UpdatesAndQueries(wider, f.queries)
    if f.narrower_than is not None:
        models.is_verification(None, None, f.narrower_than)
    return f.narrower_than


def outside(
    f: Verification, wider: Verification, messages: Iterable[object]
) -> tuple[Pair, ...] | None:
    """A sequence of pairs of some messages that f allows and ``wider`` refuses; None if the first
    10,000 steps show none."""
    messages = tuple(islice(messages, _QUERIES))
    waiting = deque([(f.initial_state, wider.initial_state, tuple[Pair, ...]())])
    seen, tried = set[object](), 0
    while waiting and tried < _MOST:
        state, other, word = waiting.popleft()
        for zero, one in product(messages, repeat=2):
            tried += 1
            try:
                after, beyond = read(f, state, zero, one), read(wider, other, zero, one)
                if type(after) is not Refused and type(beyond) is Refused:
                    return (*word, Pair(zero, one))
                known = (key := (fingerprint(after), fingerprint(beyond))) in seen
            except Exception:  # An error refuses the pair; states without a hash are not explored.
                continue
            if type(after) is not Refused and not known:
                seen.add(key)
                waiting.append((after, beyond, (*word, Pair(zero, one))))
    return None


def verification_of(claim: Claim) -> Verification:
    """The verification function f of a claim."""
    f: Any = claim.verification
    verification: Verification = f
    return verification


def require(create: Create, verification: Verification, whole: str) -> None:
    """Check that a creation's claim is about all sequences valid for ``verification``, the f w.r.t.
    which the system ``whole`` needs it.

    The creation's own claim is read, as a mechanism's ``claims`` may change. A creation without a
    claim passes: the theorem checks it. Raises: InvalidArgument if the claim is about fewer
    sequences than ``verification``.
    """
    claim = create.claim
    if claim is not None and not includes(verification_of(claim), verification):
        raise InvalidArgument(
            f"{whole} needs {of_kind(create.mechanism)} that claims with respect to "
            f"{message_label(verification)} or more, first of its claims, but that is with "
            f"respect to {message_label(claim.verification)}"
        )


_MOST_STEPS: Final = 2_000
"""The largest number of pairs (state, query) for which a mechanism's answers are listed."""


def few_messages(space: Space, most: int) -> tuple[object, ...] | None:
    """All messages of a space; None if there are more than ``most``."""
    if not space.finite:
        return None
    found = tuple(islice(space.enumerate(), most + 1))
    return None if len(found) > most else found


class Answering(NamedTuple):
    """How it is known that all answers of a mechanism are in its signature's space, or HALT."""

    mark: Mark
    """PROVED for this library's own, CHECKED by listing runs, else ASSUMED; FAILED if an answer
    outside the space was seen."""
    outside: str = ""
    """The first answer seen outside the space, and the message that it answers, in words."""


def answering(mechanism: ContinualMechanism) -> Answering:
    """How it is known that a mechanism answers within its signature's space, or HALT.

    HALT need not be declared: whoever explores a post-processor gives it every answer to a
    question, and HALT (``composition.properties``).
    """
    if why_untrusted(mechanism) is None:
        return Answering(Mark.PROVED)
    queries = few_messages(mechanism.signature.queries, _MOST_STEPS)
    if queries is None:
        return Answering(Mark.ASSUMED)
    try:
        return _listed(mechanism, queries)
    except Intractable:
        return Answering(Mark.ASSUMED)


def _listed(mechanism: ContinualMechanism, queries: tuple[object, ...]) -> Answering:
    """Whether every answer in every state is in the declared space; ASSUMED for too many states."""
    declared = mechanism.signature.answers
    waiting = [mechanism.initial_state]
    seen = {fingerprint(waiting[0])}
    while waiting:
        state = waiting.pop()
        for query in queries:
            for after, answer in _steps(mechanism, state, query):
                if answer is not HALT and not declared.contains(answer):
                    said = f"{message_label(answer)} ({type(answer).__name__})"
                    return Answering(Mark.FAILED, f"{said} to {message_label(query)}")
                if (key := fingerprint(after)) not in seen:
                    seen.add(key)
                    waiting.append(after)
        if len(seen) * len(queries) > _MOST_STEPS:
            return Answering(Mark.ASSUMED)
    return Answering(Mark.CHECKED)


def _steps(
    mechanism: ContinualMechanism, state: object, query: object
) -> list[tuple[object, object]]:
    """All possible results (state, answer) of a step; empty if the mechanism refuses the query."""
    try:
        return [after for _, after in outcomes(lambda coins: mechanism.step(state, query, coins))]
    except REFUSALS:
        return []


_QUERIES: Final = 100
_MOST: Final = _QUERIES**2
"""The largest number of states of f' times pairs of queries that are explored."""


def consistent(create: Create) -> Mark:
    """How it is known that a creation's f' is first-pair consistent; FAILED if it is not.

    Checked for the f' of this package, and wherever the states that identical pairs lead to
    can be listed; the declaration of a user's f' about an infinite query space is ASSUMED.
    """
    f = None if create.claim is None else verification_of(create.claim)
    if f is None or not f.first_pair_consistent:
        return Mark.FAILED
    queries = few_messages(create.mechanism.signature.queries, _QUERIES)
    seen = None if queries is None else _explored(f, queries)
    if seen is not None:
        return Mark.CHECKED if seen else Mark.FAILED
    # A ``Bounded`` f is first-pair consistent if the function that it bounds is.
    while type(f) is models.Bounded and f.pairs > 1:
        f = f.verification
    return Mark.CHECKED if is_library_code(type(f)) else Mark.ASSUMED


def _explored(f: Verification, queries: tuple[object, ...]) -> bool | None:
    """Whether f refuses every differing pair after an identical one; None if it is undecided.

    None: too many states, or states whose class defines its own equality.
    """
    waiting = deque(_after(f, f.initial_state, queries))
    seen = {fingerprint(state) for state in waiting}
    while waiting:
        state = waiting.popleft()
        if why_untrusted(state) is not None:
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
    """The states of f after one more identical pair, for each of the queries."""
    after = (read(f, state, query, query) for query in queries)
    return [each for each in after if type(each) is not Refused]
