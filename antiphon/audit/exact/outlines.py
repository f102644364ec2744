"""The adversary's choices in many positions, as arrays of floats: one row for each answer.

Each position has a code. In a composition the code is the position's number. For a single mechanism
it packs the numbers of f's state and of the laws in both worlds, so that no belief has to be
stored: there are few laws, and many pairs of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.audit.exact.arena import AdversaryChoice, Arena, PartArena
from antiphon.audit.exact.beliefs import OVER, Columns
from antiphon.audit.exact.futures import Settled
from antiphon.audit.exact.kernel import GONE, NOWHERE
from antiphon.numbers.errors import Intractable

Ints: TypeAlias = NDArray[np.signedinteger[Any]]
Floats: TypeAlias = NDArray[np.float64]

_Rows: TypeAlias = tuple[Floats, Floats, Ints, Ints, Ints]
"""Arrays: for each answer its probability in world 0, in world 1, and the code of the next
position; for each message its number of answers; for each position its number of messages."""

NOWHERE_TO_GO: Final = -1
"""The code that means: no message is useful from here on."""
TINY: Final = 2.0**-500
"""The least positive probability that is kept as a float."""
_NEAR: Final = 2.0**-45
"""The relative distance within which floats may mistake two ratios for each other."""
_SLACK: Final = 2.0**-48
"""The error of a value in closed form, relative to the probability of the views in which the
adversary gains, or nearly gains."""
_LAW: Final = 24
"""The number of bits of a law's number within a code."""
_STATES: Final = 1 << 62 - 2 * _LAW
"""The number of states of f for which there are codes."""
_NONE: Final[Ints] = np.zeros(0, np.int64)
_NO_FLOATS: Final[Floats] = np.zeros(0)
_ZERO: Final[Ints] = np.zeros(1, np.int64)
_CELLS: Final = 1 << 20
"""The largest number of entries of an intermediate array."""


class ClosedForm(NamedTuple):
    """The value of a position in closed form (``Settled``), in floats."""

    ratios: Floats
    """The negated likelihood ratios of the views, in ascending order."""
    sums: tuple[Floats, Floats]
    """For i = 0, 1, …, the probability of the views with the first i ratios, in both worlds."""

    @classmethod
    def of(cls, settled: Settled) -> ClosedForm:
        """The closed form ``settled``, converted to floats."""
        (*_, zero), (*_, one) = settled.sums
        ratios = [
            own * one / (other * zero) if other else math.inf for own, other in settled.ratios
        ]
        sums0, sums1 = settled.sums
        chances = [_chance(each, zero) for each in sums0], [_chance(each, one) for each in sums1]
        return cls(-np.array(ratios), (np.array(chances[0]), np.array(chances[1])))

    def bound(self, ratios: Floats, *, upper: bool) -> Floats:
        """A lower or upper bound on the values of beliefs with these ratios of masses, per unit of
        mass in the world that counts for the adversary (the world ahead).

        A value is a difference, so its error is a share of the views that are ahead, or nearly so.
        """
        first = self.ratios.searchsorted(-ratios)
        error = _SLACK * self.sums[0][self.ratios.searchsorted(-ratios * (1 - _NEAR))]
        value = self.sums[0][first] - ratios * self.sums[1][first]
        return np.maximum(0.0, value + error if upper else value - error)


class Outline(NamedTuple):
    """The messages that the adversary may send in some positions, as arrays: a row is one answer,
    and rows are sorted by position and then by message."""

    chances: tuple[Floats, Floats]
    """The probability of each row's answer, in both worlds."""
    to: Ints
    """The code of the position after each row's answer."""
    rows: Ints
    """The number of rows (answers) of each message."""
    choices: Ints
    """The number of messages of each position; 0 where no message is useful."""
    answers: Ints
    """The number of rows (answers) of each position."""
    settled: dict[int, ClosedForm]
    """The positions with a value in closed form, by index; no messages are listed for them."""


class Coded(Protocol):
    """Gives each position of a game a code (a number), and lists the messages in positions with
    given codes."""

    def code(self, position: int) -> int:
        """The code of a position of the arena."""
        ...

    def outline(self, codes: Ints, rounds: int) -> Outline:
        """The messages in positions with these codes, ``rounds`` being left. Raises:
        Intractable."""
        ...


def coded(arena: Arena) -> Coded:
    """The scheme of codes for the positions of an arena."""
    if isinstance(arena, PartArena) and not callable(arena.part.queries):
        return _OfColumns(arena.columns, arena.number)
    return _OfPositions(arena)


@attrs.frozen(eq=False)
class _OfPositions:
    """Codes for the positions of any arena: the code is the position's own number."""

    arena: Arena
    _closed: dict[int, ClosedForm] = attrs.field(factory=dict[int, ClosedForm])

    def code(self, position: int) -> int:
        return position

    def outline(self, codes: Ints, rounds: int) -> Outline:
        settled = dict[int, ClosedForm]()
        to, rows, choices = list[int](), list[int](), list[int]()
        chances: tuple[list[float], list[float]] = [], []
        positions: list[int] = codes.tolist()
        for index, position in enumerate(positions):
            closed, said = self._close(position, rounds), list[AdversaryChoice]()
            if closed is None:
                said.extend(self.arena.worth_saying(position, rounds))
            else:
                settled[index] = closed
            choices.append(len(said))
            for choice in said:
                rows.append(len(choice.branches))
                for factor0, factor1, after in choice.branches:
                    to.append(after if after != OVER else NOWHERE_TO_GO)
                    for world, totals, factor in zip(
                        chances, self.arena.totals, (factor0, factor1), strict=True
                    ):
                        whole = totals[position] * choice.denominator
                        world.append(_chance(factor * totals[after], whole))
        zero, one = (np.array(each, float) for each in chances)
        numbers = _ints(rows), _ints(choices)
        return Outline((zero, one), _ints(to), *numbers, _per_position(*numbers), settled)

    def _close(self, position: int, rounds: int) -> ClosedForm | None:
        settled = self.arena.settled(position, rounds)
        if settled is not None and position not in self._closed:
            self._closed[position] = ClosedForm.of(settled)
        return None if settled is None else self._closed[position]


@attrs.frozen(eq=False)
class _OfColumns:
    """Codes for the positions of a single mechanism: f's state and the laws of the hidden state,
    packed in one number."""

    columns: Columns
    part: int
    _known: dict[int, _Pairs] = attrs.field(factory=lambda: dict[int, _Pairs]())

    def code(self, position: int) -> int:
        _, judged, law0, law1 = self.columns.columns[position]
        return (judged << 2 * _LAW) + (law0 << _LAW) + law1

    def outline(self, codes: Ints, rounds: int) -> Outline:
        if not len(codes):
            return Outline((_NO_FLOATS, _NO_FLOATS), _NONE, _NONE, _NONE, _NONE, {})
        mask, apart = (1 << _LAW) - 1, not self.columns.of_one_mechanism(self.part)
        laws = np.concatenate([codes >> _LAW & mask, (codes & mask) | apart << _LAW])
        different, places = np.unique(laws, return_inverse=True)
        queries = self.columns.alphabet(self.part)
        said = self._answers(different.tolist(), queries)
        zero, one = places[: len(codes)], places[len(codes) :]
        found = list[_Rows]()
        for state, start, end in _runs(codes >> 2 * _LAW):
            pairs = self._pairs(state, queries)
            step = max(1, _CELLS // max(1, len(pairs.zero) * said.chance.shape[2]))
            for at in range(start, end, step):
                until = min(at + step, end)
                found.append(said.rows(pairs, zero[at:until], one[at:until]))
        chance0, chance1, to, rows, choices = (
            found[0] if len(found) == 1 else map(np.concatenate, zip(*found, strict=True))
        )
        answers = _per_position(rows, choices)
        return Outline((chance0, chance1), to, rows, choices, answers, {})

    def _pairs(self, state: int, queries: tuple[int, ...]) -> _Pairs:
        known = self._known.get(state)
        if known is None:
            allowed = self.columns.allowed(self.part, state, queries)
            if any(after >= _STATES for _, _, after, _ in allowed):
                raise Intractable("the codes of a verifier's states", "more", _STATES)
            place = {query: number for number, query in enumerate(queries)}
            zero, one = (_ints([place[each[bit]] for each in allowed]) for bit in (0, 1))
            known = self._known[state] = _Pairs(zero, one, _ints([each[2] for each in allowed]))
        return known

    def _answers(self, laws: list[int], queries: tuple[int, ...]) -> _Answers:
        """The answers to each query under each law, as arrays."""
        numbers, cells = dict[int, int](), list[tuple[int, int, int, float, int]]()
        for place, each in enumerate(laws):
            world, law = divmod(each, 1 << _LAW)
            for which, query in enumerate(queries):
                for answer, chance, after in self.columns.outcomes(self.part, world, law, query):
                    if after >> _LAW:
                        raise Intractable("the codes of laws", after, 1 << _LAW)
                    number = numbers.setdefault(answer, len(numbers))
                    cells.append((place, which, number, _chance(*chance), after))
        shape = len(laws), len(queries), len(numbers)
        chances, following = np.zeros(shape), np.zeros(shape, np.int64)
        if cells:
            places, asked, answers, own, laws_after = zip(*cells, strict=True)
            chances[places, asked, answers] = own
            following[places, asked, answers] = laws_after
        return _Answers(chances, following)


def _runs(states: Ints) -> list[tuple[int, int, int]]:
    """(value, start, end) for each run of equal values in a sorted array."""
    if states[0] == states[-1]:
        return [(int(states[0]), 0, len(states))]
    values, first = np.unique(states, return_index=True)
    ends = [*first.tolist(), len(states)]
    return [*zip(values.tolist(), ends, ends[1:], strict=False)]


class _Pairs(NamedTuple):
    """The pairs that f allows in a state: indices of both queries, numbers of f's next states."""

    zero: Ints
    one: Ints
    after: Ints


class _Answers(NamedTuple):
    """The answers to all queries under all laws, as arrays indexed by law, query and answer."""

    chance: Floats
    """The probability of the answer."""
    after: Ints
    """The number of the next law; 0 if the answer is impossible."""

    def rows(self, pairs: _Pairs, zero: Ints, one: Ints) -> _Rows:
        """The rows of beliefs with the laws ``zero`` and ``one`` (indices), grouped by message."""
        law0, law1 = (
            self.after[law[:, None], query] for law, query in ((zero, pairs.zero), (one, pairs.one))
        )
        to = (pairs.after[:, None] << 2 * _LAW) + (law0 << _LAW) + law1
        possible = (law0 | law1) > NOWHERE
        ended = (law0 <= GONE) & (law1 <= GONE)
        to[ended] = NOWHERE_TO_GO
        rows = possible.sum(2)
        # A message whose only answer ends the mechanism tells nothing: to stop is as good.
        useful = (rows > 1) | ~(possible & ended).any(2)
        possible &= useful[:, :, None]
        return (
            self.chance[zero[:, None], pairs.zero][possible],
            self.chance[one[:, None], pairs.one][possible],
            to[possible],
            rows[useful].astype(np.int32),
            useful.sum(1, np.int32),
        )


def _per_position(rows: Ints, choices: Ints) -> Ints:
    """The number of rows (answers) of each position, from the number of rows of each message and
    the number of messages of each position."""
    ends: Ints = np.concatenate([_ZERO, rows.cumsum()])[choices.cumsum()]
    ends[1:] -= ends[:-1].copy()
    made: Ints = ends.astype(np.int32)
    return made


def _chance(part: int, whole: int) -> float:
    """The fraction part/whole as a float. Raises: Intractable if it is positive and too small."""
    chance = part / whole if whole else 0.0
    if part and chance < TINY:
        raise Intractable("the digits of a probability", "more", "of a float")
    return chance


def _ints(values: Sequence[int]) -> Ints:
    return np.array(values, np.int64)
