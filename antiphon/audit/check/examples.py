"""Example messages of a space (the ends of its range, a few between), and pairs that f allows."""

import math
from collections.abc import Iterable
from itertools import chain, cycle, islice
from typing import Any, Final

import numpy as np

from antiphon.audit.check.report import NotApplicable
from antiphon.protocol import Refused, Verification, read, spaces
from antiphon.protocol.messages import Pair, distinct, identical, same

MOST: Final = 12
"""The largest number of messages that are tried."""
ALIENS: Final = (
    True, False, None, -1, 0, 1, 2, 10**30, -0.0, 0.0, 0.5, 1.0, 1e300, "", "0", "a", b"", (), (0,),
    (0, 1), (0.0, 1.0), spaces.BITS, same(0), Pair(0, 1),
)  # fmt: skip
"""Values of many types, on which the ``contains`` of a space is tried."""


def examples(space: spaces.Space, coins: np.random.Generator) -> tuple[object, ...]:
    """At most ``MOST`` elements of a space, as messages. Raises: NotApplicable if none is known."""
    if space.finite:
        found = list(islice(space.enumerate(), 10_000))
        if len(found) <= MOST:
            return tuple(found)
        picked = coins.choice(len(found), MOST, replace=False)
        own = filter(space.contains, _own(space, coins))
        return distinct((*own, *(found[place] for place in sorted(map(int, picked)))))[:MOST]
    known = distinct(value for value in (*_own(space, coins), *ALIENS[3:]) if space.contains(value))
    if not known:
        raise NotApplicable(f"no messages of {space} are known: pass messages=[…], some to try")
    return known[:MOST]


def _own(space: Any, coins: np.random.Generator) -> tuple[object, ...]:
    kind: type = type(space)  # pyright: ignore[reportUnknownVariableType]
    if kind is spaces.Integers:
        ends = tuple(end for end in (space.low, space.high) if end is not None)
        near = ends[0] if ends else 0
        return (*ends, near - 1, near + 1, near + 2, near - 2)
    if kind is spaces.Reals:
        low, high = float(max(space.low, -1e6)), float(min(space.high, 1e6))
        return 0.0, 1.0, -1.0, low, high, float(coins.uniform(low, high))
    if kind is spaces.Multiples:
        return tuple(float(k * space.step) for k in (0, 1, -1, 7))
    if kind is spaces.Texts:
        return tuple("ab"[: space.longest])
    if kind is spaces.Arrays:
        return _arrays(space, coins)
    if kind is spaces.Tuples:
        return _tuples([examples(each, coins) for each in space.spaces], coins)
    if kind is spaces.Either:
        parts = [_some(each, coins) or (_NONE,) for each in space.spaces]
        rows = islice(zip(*map(cycle, parts), strict=False), MOST)
        return tuple(chain.from_iterable(rows))
    if kind is spaces.Pairs:
        sides = examples(space.space, coins)
        chosen = coins.integers(len(sides), size=(2 * MOST, 2))
        return tuple(Pair(sides[int(i)], sides[int(j)]) for i, j in chosen)
    return ()


def _tuples(parts: list[tuple[object, ...]], coins: np.random.Generator) -> tuple[object, ...]:
    """Tuples with one entry from each of ``parts``, in couples whose second tuple differs from the
    first in one entry."""
    found = list[object]()
    for _ in range(MOST):
        first = [part[int(coins.integers(len(part)))] for part in parts]
        second = list(first)
        if parts:
            place = int(coins.integers(len(parts)))
            second[place] = parts[place][int(coins.integers(len(parts[place])))]
        found += [tuple(first), tuple(second)]
    return tuple(found)


def _some(space: spaces.Space, coins: np.random.Generator) -> tuple[object, ...]:
    try:
        return examples(space, coins)
    except NotApplicable:
        return ()


_NONE: Final = object()
"""Stands in where a member of a union space lists no elements; no space contains this value."""


def _arrays(space: spaces.Arrays, coins: np.random.Generator) -> tuple[object, ...]:
    step = space.step or 1.0
    low = math.ceil(max(space.low, -3.0) / step)
    high = math.floor(min(space.high, 3.0) / step)
    if low > high:
        return ()
    found = list[Any]()
    while len(found) < MOST:  # The second array of each couple differs from the first in one entry.
        first = coins.integers(low, high + 1, size=space.shape)
        second = first.copy()
        if second.size:
            place = int(coins.integers(second.size))
            second.flat[place] += 1 if second.flat[place] < high else -1
        found += [first, second]
    return tuple((each * step).astype(space.dtype) for each in found)


_TRIES: Final = 200
"""The number of pairs that are tried before f is assumed to allow none."""
_FEW: Final = 24
NEITHER: Final = Refused("it raises")


def next_state(f: Verification, state: object, pair: Pair) -> object:
    """The state of the verification function f after a pair; a refusal where f raises."""
    try:
        return read(f, state, pair.zero, pair.one)
    except Exception:
        return NEITHER


def differing_pair(
    f: Verification, state: object, messages: tuple[object, ...], drawn: np.random.Generator
) -> Pair | None:
    """A pair of two different messages that f allows in this state; None if none was found."""
    count = len(messages)
    places = drawn.permutation(count**2)[:_TRIES].tolist()
    pairs = (Pair(messages[place // count], messages[place % count]) for place in places)
    return _allowed(f, state, (pair for pair in pairs if not identical(pair.zero, pair.one)))


def agreeing_message(
    f: Verification, state: object, messages: tuple[object, ...], drawn: np.random.Generator
) -> Pair | None:
    """A pair (m, m) of one message that f allows in this state; None if none was found."""
    places = drawn.permutation(len(messages))[:_TRIES].tolist()
    return _allowed(f, state, (same(messages[place]) for place in places))


def _allowed(f: Verification, state: object, pairs: Iterable[Pair]) -> Pair | None:
    """The first of some pairs that f allows in a state; None if it allows none of them."""
    return next((pair for pair in pairs if type(next_state(f, state, pair)) is not Refused), None)


def questions(f: Verification, messages: tuple[object, ...]) -> tuple[object, ...]:
    """The messages q for which f allows the first pair (q, q), but no (q, r) or (r, q) with r ≠
    q."""
    start, few = f.initial_state, messages[:_FEW]

    def alone(query: object) -> bool:
        others = [each for each in few if not identical(each, query)]
        mixed = (pair for each in others for pair in (Pair(query, each), Pair(each, query)))
        return bool(_allowed(f, start, [same(query)])) and not _allowed(f, start, mixed)

    return tuple(filter(alone, few))
