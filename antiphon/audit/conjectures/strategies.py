"""The best adversary against some laws, as one that plays."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from antiphon.audit.conjectures.all_views import Best, Lengths, asked, one_more
from antiphon.audit.exact.strategy import StrategyAdversary, StrategyNode
from antiphon.composition.creation import Create
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import TOP, Ask, Pair, same


def strategy(
    found: Best,
    pairs: tuple[Pair[object], ...],
    mechanisms: Sequence[ContinualMechanism],
    answers: int,
    growth: Fraction,
    bit: int,
) -> StrategyAdversary:
    """Creates all the mechanisms, in order, and then asks what ``found`` says."""
    creations = [
        StrategyNode(same(Create(each)), ((TOP, place + 1),))
        for place, each in enumerate(mechanisms)
    ]
    builder = _Builder(found, pairs, answers, float(growth), creations)
    builder.add((0,) * len(mechanisms), (0,) * len(mechanisms))
    return StrategyAdversary(tuple(builder.nodes), bit, growth, Fraction(0))


class _Builder:
    """Nodes of a decision tree, those below a node after it."""

    def __init__(
        self, found: Best, pairs: tuple[Pair[object], ...], answers: int, growth: float,
        nodes: list[StrategyNode],
    ) -> None:  # fmt: skip
        self._found, self._pairs, self._answers = found, pairs, answers
        self._growth, self.nodes = growth, nodes

    def add(self, lengths: Lengths, place: tuple[int, ...]) -> int:
        """The node of a view; its number."""
        number = len(self.nodes)
        choice = int(self._found.choices[lengths][place])
        if not choice:
            own, other = self._likely(lengths, place)
            self.nodes.append(StrategyNode(accuses=own > self._growth * other))
            return number
        mechanism, pair = asked(choice)
        said = self._pairs[pair]
        self.nodes.append(StrategyNode())  # its place
        message = Pair(Ask(said.zero, mechanism), Ask(said.one, mechanism))
        branches = tuple(self._answered(lengths, place, mechanism, pair))
        self.nodes[number] = StrategyNode(message, branches)
        return number

    def _answered(
        self, lengths: Lengths, place: tuple[int, ...], mechanism: int, pair: int
    ) -> list[tuple[object, int]]:
        """(answer, node) for each answer that can be."""
        after = one_more(lengths, mechanism)
        level = self._found.parties[mechanism].levels[after[mechanism]]
        follows = (level.parents == place[mechanism]) & (level.pairs == pair)
        branches: list[tuple[object, int]] = []
        for child in np.flatnonzero(follows[level.group]).tolist():
            below = (*place[:mechanism], child, *place[mechanism + 1 :])
            if any(self._likely(after, below)):
                answer = (int(level.heard[0][child]) - 1) % self._answers
                branches.append((answer, self.add(after, below)))
        return branches

    def _likely(self, lengths: Lengths, place: tuple[int, ...]) -> tuple[float, float]:
        """The probability of a view in either world."""
        own = other = 1.0
        for party, length, node in zip(self._found.parties, lengths, place, strict=True):
            own, other = own * party.own[length][node], other * party.other[length][node]
        return float(own), float(other)
