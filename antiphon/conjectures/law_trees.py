"""The tree of all histories of one mechanism: queries and answers in a few rounds.

Also ``ListedPairs``, a verification function that allows a finite list of pairs, as a search needs.
"""

from typing import Any, Final, NamedTuple, TypeAlias

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.mechanisms.fields import boolean
from antiphon.numbers import Intractable, InvalidArgument, exact
from antiphon.protocol import Pair, Refused, Verification, identical, read, register, same

Ints: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]
Doubles: TypeAlias = npt.NDArray[np.float64]

_NEVER: float = 1e-11
"""The largest probability of a history that counts as 0, since a linear program's 0 may be
rounded."""


_LONGEST: Final = 10**5
"""The largest number of histories of one mechanism; each is a column of its linear program."""


class OneLength(NamedTuple):
    """The histories of one length that the mechanism's verification function f' allows; siblings,
    the answers to one pair after one history, are adjacent.

    Siblings are the answers to one pair after one history: a *group*.
    """

    heard: tuple[Ints, Ints]
    """For each world b of the privacy game, the index in a law of each history, as the mechanism
    gets it in that world: with side b of each pair."""
    differs: Ints
    """For each history: 1 if one of its pairs has different sides, else 0."""
    group: Ints
    """The number of the group of each history, a group being the possible answers to one pair after
    one history."""
    parents: Ints
    """For each group, the index of the history, shorter by one answer, that its histories
    continue."""
    pairs: Ints
    """For each group, the index of the pair that is sent."""

    @property
    def starts(self) -> Ints:
        """For each group (the answers to one pair after one history), the index of its first
        history."""
        return np.flatnonzero(np.diff(self.group, prepend=-1))


class Domain(NamedTuple):
    """The set of all laws of mechanisms with given inputs, number of rounds, and number of answers.

    A *law* is an array with an entry for each history: the probability of the mechanism's answers
    given its inputs, a product along the tree (a realisation plan). Being a law, keeping a claim,
    and an adversary's gain are all linear in it.
    """

    inputs: tuple[object, ...]
    rounds: int
    answers: int

    def offset(self, depth: int) -> int:
        """The index in a law at which the histories of length ``depth`` begin."""
        width = len(self.inputs) * self.answers
        return sum(width**each for each in range(depth))

    @property
    def size(self) -> int:
        """The number of entries of a law."""
        return self.offset(self.rounds + 1)

    def place(self, message: object) -> int:
        """The index of a message among the domain's inputs."""
        return next(i for i, each in enumerate(self.inputs) if identical(each, message))


def check_length(domain: Domain, pairs: int) -> None:
    """Check the number of histories of a mechanism that may be sent ``pairs`` different pairs.
    Raises: Intractable if too many."""
    what = "histories of a mechanism: take fewer rounds or answers"
    # The exact number of histories would be too long to compute.
    if domain.rounds > _LONGEST.bit_length():
        raise Intractable(what, f"2^{domain.rounds} at least", _LONGEST)
    histories = max(domain.size, (pairs * domain.answers) ** domain.rounds)
    if histories > _LONGEST:
        raise Intractable(what, histories, _LONGEST)


Tree: TypeAlias = tuple[OneLength, ...]
"""The type of the tree of histories of pairs and answers, as one level for each length."""
_Node: TypeAlias = tuple[Any, int, int, int]
"""The type of a node while the tree is built: the state of f', the index of the history in world 0,
that in world 1, and whether a pair had different sides."""


def tree(domain: Domain, pairs: tuple[Pair[object], ...], allowed: Verification) -> Tree:
    """The tree of all histories of these pairs that f' allows."""
    nodes: list[_Node] = [(allowed.initial_state, 0, 0, 0)]
    found = [_level(nodes, [0], [0], [0], 0)]
    sides = [(domain.place(each.zero), domain.place(each.one)) for each in pairs]
    for depth in range(domain.rounds):
        below: list[_Node] = []
        group: list[int] = []
        parents: list[int] = []
        said: list[int] = []
        for parent, (state, *worlds, differs) in enumerate(nodes):
            for place, pair in enumerate(pairs):
                after = read(allowed, state, pair.zero, pair.one)
                if type(after) is Refused:
                    continue
                zero, one = (
                    (own * len(domain.inputs) + side) * domain.answers
                    for own, side in zip(worlds, sides[place], strict=True)
                )
                apart = max(differs, int(not identical(pair.zero, pair.one)))
                below += [(after, zero + a, one + a, apart) for a in range(domain.answers)]
                group += [len(parents)] * domain.answers
                parents.append(parent)
                said.append(place)
        found.append(_level(below, group, parents, said, domain.offset(depth + 1)))
        nodes = below
    return tuple(found)


def pruned(whole: Tree, law: Doubles) -> Tree:
    """The tree without the histories that are impossible in both worlds under this law; few are
    left for the laws that linear programs find."""
    found: list[OneLength] = []
    # For each history of the level above: its index after pruning, or -1 if it is removed.
    before = np.zeros(1, np.int64)
    for level in whole:
        alive = (law[level.heard[0]] > _NEVER) | (law[level.heard[1]] > _NEVER)
        alive &= before[level.parents[level.group]] >= 0
        groups, fresh = np.unique(level.group[alive], return_inverse=True)
        zero, one = (side[alive] for side in level.heard)
        parents = before[level.parents[groups]]
        before = np.where(alive, np.cumsum(alive) - 1, -1)
        found.append(
            OneLength((zero, one), level.differs[alive], fresh, parents, level.pairs[groups])
        )
    return tuple(found)


def turned(whole: Tree) -> Tree:
    """The tree for a privacy game whose two worlds are exchanged."""
    return tuple(level._replace(heard=(level.heard[1], level.heard[0])) for level in whole)


def _level(
    nodes: list[_Node], group: list[int], parents: list[int], pairs: list[int], offset: int
) -> OneLength:
    columns = [np.array(each, np.int64) for each in (group, parents, pairs)]
    zero, one, differs = (np.array([node[i] for node in nodes], np.int64) for i in (1, 2, 3))
    return OneLength((zero + offset, one + offset), differs, *columns)


MOST_PAIRS: Final = 64
"""The largest number of different pairs that may be sent to a mechanism."""
ONE_SIDED: Final[tuple[Pair[Any], ...]] = (Pair(0, 1), same(2))
"""The pair (0, 1), but not (1, 0), and the identical pair (2, 2)."""
BOTH_SIDES: Final = (Pair(0, 1), Pair(1, 0), same(2))
"""The pairs (0, 1) and (1, 0), and the identical pair (2, 2)."""
TWO_PUBLIC: Final = (Pair(0, 1), same(2), same(3))
"""The pair (0, 1), but not (1, 0), and the identical pairs (2, 2) and (3, 3)."""


def _pairs(_: object, __: object, value: object) -> None:
    if type(value) is not tuple or not all(type(each) is Pair for each in value):  # pyright: ignore
        raise InvalidArgument("pairs is a tuple of Pair, such as (Pair(0, 1), same(2))")


@register("antiphon.ListedPairs/1")
@attrs.frozen
class ListedPairs(Verification[int, object]):
    """A verification function that allows only the pairs of a finite list, at most ``events`` of
    them with different sides. Prefix-closed.

    ``at_first``: if the first pair has equal sides, all pairs must (CM Def. 5.3). ``at_last``: no
    pair may follow the last one with different sides. State: the number of pairs with different
    sides, -1 before any pair, and -2 if no more are allowed.
    """

    pairs: tuple[Pair[Any], ...] = attrs.field(default=ONE_SIDED, validator=_pairs)
    events: int = attrs.field(default=1, validator=lambda _, __, n: exact.natural(n, "events"))
    at_first: bool = attrs.field(default=False, validator=boolean)
    at_last: bool = attrs.field(default=False, validator=boolean)

    @property
    def initial_state(self) -> int:
        return -1

    @property
    def first_pair_consistent(self) -> bool:  # type: ignore[override]
        return self.at_first

    @property
    def swap_symmetric(self) -> bool:  # type: ignore[override]
        turned = [Pair(each.one, each.zero) for each in self.pairs]
        return all(any(identical(each, own) for own in self.pairs) for each in turned)

    def step(self, state: int, zero: object, one: object, /) -> int | Refused:
        if state == -2 or not any(identical(each, Pair(zero, one)) for each in self.pairs):
            return Refused("a pair that is not listed, or that comes after the last")
        if identical(zero, one):
            return self.events if self.at_first and state < 0 else max(state, 0)
        if max(state, 0) >= self.events:
            return Refused("more pairs differ than are allowed")
        after = max(state, 0) + 1
        return -2 if self.at_last and after == self.events else after


def pairs_of(inner: Verification) -> tuple[Pair[Any], ...]:
    """The list of pairs of a ``ListedPairs``; empty for other verification functions."""
    return inner.pairs if type(inner) is ListedPairs else ()


def finite(_: object, __: object, given: tuple[Pair[Any], ...]) -> None:
    """An attrs validator of a tuple of pairs: there is at least one, and few enough to search.
    Raises: InvalidArgument."""
    count = len(given) if type(given) is tuple else 0  # pyright: ignore[reportUnnecessaryComparison]
    if not count or not all(type(each) is Pair for each in given):  # pyright: ignore
        raise InvalidArgument(
            "the alphabet of a search is finite: pass pairs=(Pair(0, 1), same(2), …), the pairs "
            "that may be said to each mechanism"
        )
    if count > MOST_PAIRS:
        raise InvalidArgument(f"at most {MOST_PAIRS} pairs may be sent, not {count}")
