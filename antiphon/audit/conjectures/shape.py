"""The tree of all that one mechanism may be asked, and may answer, in a few rounds."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from antiphon.audit.conjectures.pattern import Pattern
from antiphon.protocol.messages import Pair, identical

Ints: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]
Doubles: TypeAlias = npt.NDArray[np.float64]


class Level(NamedTuple):
    """The histories of one length: a node's child by pair m and answer a is (node·M + m)·A + a."""

    valid: Mask
    """Whether f' allows the pairs said."""
    differs: Ints
    """1 if one of them differs, else 0."""
    heard: tuple[Ints, Ints]
    """By world: where in a law the history is of what the mechanism has heard and answered."""


class Shape(NamedTuple):
    """Histories of pairs and answers, by length, and what each world hears of them.

    A *law* is the array of the probabilities of a mechanism's answers given what it is asked, one
    for each history of inputs: products along the tree (a realisation plan). Which arrays are laws,
    that a law keeps a claim, and what an adversary gains are all linear in it.
    """

    pattern: Pattern
    answers: int
    levels: tuple[Level, ...]

    @property
    def rounds(self) -> int:
        """The length of the longest history."""
        return len(self.levels) - 1

    @property
    def inputs(self) -> int:
        """How many messages a mechanism may hear."""
        return len(self.pattern.inputs)

    def offset(self, depth: int) -> int:
        """Where in a law the histories of a length begin."""
        width = self.inputs * self.answers
        return sum(width**each for each in range(depth))

    @property
    def size(self) -> int:
        """How long a law is."""
        return self.offset(self.rounds + 1)

    def sides(self, law: Doubles) -> tuple[list[Doubles], list[Doubles]]:
        """By world and length: the probability of each history of pairs and answers."""
        zero, one = ([law[level.heard[bit]] for level in self.levels] for bit in (0, 1))
        return zero, one


def shape(pattern: Pattern, rounds: int, answers: int) -> Shape:
    """The histories of up to ``rounds`` questions with so many answers."""
    found = Shape(pattern, answers, (_level(pattern, [((), 0, 0)]),))
    nodes: list[_Node] = [((), 0, 0)]
    for _ in range(rounds):
        nodes = [child for node in nodes for child in _children(found, node)]
        level = _level(pattern, nodes, found.offset(len(found.levels)))
        found = found._replace(levels=(*found.levels, level))
    return found


_Node = tuple[tuple[Pair[object], ...], int, int]
"""The pairs said, and which history of inputs each world has."""


def _children(shape: Shape, node: _Node) -> list[_Node]:
    said, *worlds = node
    found: list[_Node] = []
    for pair in shape.pattern.pairs:
        sides = [_place(shape.pattern, side) for side in (pair.zero, pair.one)]
        for answer in range(shape.answers):
            zero, one = (
                (own * shape.inputs + side) * shape.answers + answer
                for own, side in zip(worlds, sides, strict=True)
            )
            found.append(((*said, pair), zero, one))
    return found


def _place(pattern: Pattern, side: object) -> int:
    return next(i for i, each in enumerate(pattern.inputs) if identical(each, side))


def _level(pattern: Pattern, nodes: list[_Node], offset: int = 0) -> Level:
    apart = {p: int(not identical(p.zero, p.one)) for p in pattern.pairs}
    verdicts = {said: pattern.valid(said) for said, _, _ in nodes}
    zero, one = (np.array([node[1 + bit] for node in nodes]) + offset for bit in (0, 1))
    return Level(
        np.array([verdicts[said] for said, _, _ in nodes]),
        np.array([max((apart[p] for p in said), default=0) for said, _, _ in nodes]),
        (zero, one),
    )
