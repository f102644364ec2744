"""The arena of an exactly solved game: its positions, and the adversary's choices in each.

A position is the adversary's joint knowledge, as a number; 0 is the end. ``single_arena`` follows
one mechanism under any f; ``composition_arena`` keeps a separate belief about each child of
ExtConComp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, Final, Protocol, TypeAlias

import attrs
from typing_extensions import TypeVar

from antiphon.audit.exact.beliefs import Branch, Columns, Judge, Move, Queries, TrackedPart
from antiphon.audit.exact.futures import Settled
from antiphon.audit.exact.kernel import REFUSAL, Step, Stepper, Tables
from antiphon.numbers.errors import AntiphonError, Intractable, InvalidArgument, PartError, crash
from antiphon.protocol import HALT, Coins, Mechanism, Pair, Space, identical, message_label, same
from antiphon.protocol.registry import name_of
from antiphon.protocol.verification import Refused, Verification, read

_ALPHABET: Final = 100_000
"""The largest number of messages of a query space that are listed."""
KEPT: Final = 1 << 10
"""The number of positions for which the adversary's choices are cached."""
KEPT_LONGER: Final = 1 << 15
"""The number of positions for which choices are cached, where one game is solved again: at another
ε, or for other rounds."""

Live: TypeAlias = tuple[tuple[int, int], ...]
"""(index, belief) of each mechanism that may still tell the two worlds apart."""


class AdversaryChoice(Protocol):
    """A message that the adversary may send, with the positions to which the answers lead."""

    @property
    def branches(self) -> tuple[Branch, ...]: ...
    @property
    def denominator(self) -> int: ...


Said = TypeVar("Said", bound=AdversaryChoice, default=Any)


class Arena(Protocol[Said]):
    """The rules of an exactly solved game: positions, the adversary's messages, next positions."""

    columns: Columns
    kept: int
    """The number of positions for which the adversary's choices are cached."""

    @property
    def totals(self) -> tuple[list[int], list[int]]:
        """The probability mass (unnormalised) of each position under b = 0 and under b = 1."""
        ...

    def tables(self) -> Tables: ...
    def refill(self, tables: Tables) -> None: ...
    def start(self) -> int: ...
    def choices(self, position: int) -> Sequence[Said]: ...
    def worth_saying(self, position: int, rounds: int, coins: bool = False) -> Sequence[Said]: ...
    def settled(self, position: int, rounds: int) -> Settled | None: ...
    def live(self, position: int) -> Live: ...
    def message(self, choice: Said, live: Live) -> object: ...
    def answer(self, choice: Said, place: int) -> object: ...
    def follow(self, live: Live, choice: Said, place: int) -> Live: ...


@attrs.define(eq=False)
class PartArena:
    """The arena of a game about one mechanism: a position is the belief about its hidden state."""

    columns: Columns
    part: TrackedPart
    kept: int = KEPT
    number: int = attrs.field(init=False)
    """The mechanism's number among those whose beliefs are in ``columns``."""
    _said: dict[int, tuple[Move, ...]] = attrs.field(factory=dict[int, tuple[Move, ...]])

    def __attrs_post_init__(self) -> None:
        self.number = self.columns.add_part(self.part)

    @property
    def totals(self) -> tuple[list[int], list[int]]:
        """The probability mass (unnormalised) of each position under b = 0 and under b = 1."""
        return self.columns.totals

    def tables(self) -> Tables:
        """The positions found so far, as tables that can be saved."""
        return self.columns.tables()

    def refill(self, tables: Tables) -> None:
        """Load the positions that another arena of the same game has saved."""
        self.columns.refill(tables)

    def start(self) -> int:
        """The position before any message."""
        return self.columns.first(self.number)

    def choices(self, position: int) -> tuple[Move, ...]:
        """The messages that the adversary may send in a position, with their outcomes."""
        known = self._said.get(position)
        if known is None:
            if len(self._said) >= self.kept:
                # Most positions occur once, or again soon: a full cache is emptied.
                self._said.clear()
            known = self._said[position] = self.columns.found_moves(position)
        return known

    def worth_saying(self, position: int, rounds: int, coins: bool = False) -> tuple[Move, ...]:
        """The messages that the solver compares in a position; in this arena, all of them."""
        return self._said.get(position) or self.choices(position)

    def settled(self, position: int, rounds: int) -> None:
        """Always None: in the arena of a single mechanism no position is valued in closed form."""

    def live(self, position: int) -> Live:
        """The only mechanism, as (index 0, belief): it may still tell the worlds apart."""
        return ((0, position),)

    def message(self, choice: Move, live: Live) -> object:
        """The pair that a choice sends; the message alone where two mechanisms are compared."""
        zero, one = choice.zero, choice.one
        if self.part.judge is None:
            return zero
        return same(zero) if identical(zero, one) else Pair(zero, one)

    def answer(self, choice: Move, place: int) -> object:
        """The answer that the adversary receives in the outcome number ``place`` of a choice."""
        return self.columns.answer(choice.answers[place])

    def follow(self, live: Live, choice: Move, place: int) -> Live:
        """The belief about the mechanism after the outcome number ``place`` of a choice."""
        return self.live(choice.branches[place][2])


def single_arena(
    columns: Columns, mechanism: Mechanism, start: object, f: Verification, queries: Queries,
    *, within: bool = False,
) -> PartArena:  # fmt: skip
    """The arena of the game V[f] ∘* I(·) ∘* M, for one mechanism M whose messages can be listed.

    A refusal, a failure and a HALT all end the interaction, as in a chain; if M is ``within`` a
    composition, only a refusal does.
    """
    stepper = Stepper(mechanism.step, mechanism.is_over)
    if within:
        stepper = stepper._replace(halted=HALT)
    both, starts = (stepper, stepper), (start, start)
    return PartArena(columns, TrackedPart(both, starts, _judge(f), f.initial_state, queries))


def comparison_arena(
    columns: Columns,
    mechanisms: tuple[Mechanism, Mechanism],
    starts: tuple[object, object],
    queries: tuple[object, ...],
) -> PartArena:
    """The arena of a comparison: one mechanism is played in world 0, the other in world 1.

    Messages are single, not pairs. The tight δ at ε = 0 is the largest total variation distance of
    the two view laws, so it is 0 iff the mechanisms are equivalent.
    """
    first, second = mechanisms
    bare = _bare(first)
    steppers = bare, bare if second is first else _bare(second)
    return PartArena(columns, TrackedPart(steppers, starts, None, None, queries))


def _bare(mechanism: Mechanism) -> Stepper:
    return Stepper(guarded_step(mechanism), mechanism.is_over, refused=REFUSAL)


def guarded_step(mechanism: Mechanism) -> Step:
    """The step of a mechanism that refuses messages outside the query space, as a session does."""
    accepts, step = mechanism.signature.queries.contains, mechanism.step

    def guarded(state: object, message: object, coins: Coins) -> tuple[object, object]:
        if accepts(message):
            return step(state, message, coins)
        raise InvalidArgument("the message is outside the query space")

    return guarded


# A judge (a function that applies f) refers to f and to no arena: with a reference cycle, all
# beliefs of a question that is no longer used would stay until the garbage collector runs.


def _judge(verification: Verification) -> Judge:
    def judge(state: object, zero: object, one: object) -> tuple[object, bool] | Refused:
        after = refused_if_raised(read, verification, state, zero, one)
        return after if type(after) is Refused else (after, False)

    return judge


def refused_if_raised(step: Callable[..., Any], *arguments: object) -> Any:
    """The result of a step of f; a refusal where the step raises an AntiphonError, as a verifier
    refuses that pair.

    Raises: PartError where the step returned no state, or crashed: a verifier refuses such a pair,
    too, and an f that crashes on each pair would count as perfectly private.
    """
    try:
        return step(*arguments)
    except PartError:
        raise
    except AntiphonError:
        return Refused("checking the message raised")
    except Exception as error:
        raise crash(error, message_label(Pair(*arguments[-2:]))) from error


def messages_to_try(
    mechanism: Mechanism, given: tuple[object, ...] | None = None
) -> tuple[object, ...]:
    """The messages to try in every state: the given ones in the query space, else all of it."""
    space = mechanism.signature.queries
    if given is not None:
        return tuple(filter(space.contains, given))
    return elements(space, name_of(mechanism))


def elements(space: Space, owner: str) -> tuple[object, ...]:
    """All messages of a query space. Raises: Intractable if there are infinitely, or too, many."""
    found = tuple(islice(space.enumerate(), _ALPHABET + 1)) if space.finite else ()
    if space.finite and len(found) <= _ALPHABET:
        return found
    raise Intractable(
        f"listing the messages of {owner}, whose alphabet is "
        f"{'too long' if space.finite else 'infinite'} "
        "(pass queries=[…], the finite list of messages to try)",
        f"over {_ALPHABET}" if space.finite else "infinite",
        _ALPHABET if space.finite else "finite",
    )


ENDLESS: Final = (
    "the system does not end by itself: say how many messages an adversary may send, as in "
    "tight_delta(epsilon=1, rounds=8)"
)
_MOST_POSITIONS: Final = 5_000
"""The number of positions from which on a game is assumed not to end by itself."""


def longest(arena: Arena) -> int:
    """The largest number of useful messages in a game that ends by itself: its longest path.

    A message that never changes the position is useless, and not counted. Raises: InvalidArgument
    for a game in which a position recurs, or with very many positions.
    """
    lengths: dict[int, int | None] = {}  # The length None marks a position on the current path.
    waiting = [arena.start()]
    while waiting:
        position = waiting[-1]
        if lengths.get(position) is None:
            after = _after(arena, position)
            begun, lengths[position] = position in lengths, None
            new = [each for each in after if each not in lengths]
            if (
                (begun and new)
                or len(lengths) > _MOST_POSITIONS
                or None in map(lengths.get, after - {*new})
            ):
                raise InvalidArgument(ENDLESS)
            if new:
                waiting.extend(new)
                continue
            lengths[position] = 1 + max((lengths[each] or 0 for each in after), default=-1)
        waiting.pop()
    return lengths[arena.start()] or 0


def _after(arena: Arena, position: int) -> set[int]:
    """The positions that may follow; messages that surely change nothing are left out."""
    found = set[int]()
    for choice in arena.choices(position):
        if any(tuple(each) != (choice.denominator,) * 2 + (position,) for each in choice.branches):
            found.update(each[2] for each in choice.branches)
    return found
