"""The exact law of a learner with finitely many states and finite draws: in Fractions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from antiphon.audit.mistakes.mistake_law import Hits, How, MistakeFigure, MistakeLaw, Number
from antiphon.mechanisms.learners.littlestone.samples import (
    BLANK,
    FIRST,
    HIT,
    Sample,
    mistaken,
)
from antiphon.numbers.errors import Intractable
from antiphon.protocol.coins.enumeration import outcomes
from antiphon.protocol.mechanism import ContinualMechanism

Node: TypeAlias = "tuple[Any, int]"
"""A state, and the hypothesis that was answered with it."""

MOST_STATES: Final = 1 << 9
"""Nodes, past which a learner is taken to have infinitely many."""
MOST_ROUNDS: Final = 1 << 12
MOST_LISTED: Final = 16
"""Rounds of which all 2^T streams are looked at."""


class FiniteLaw(MistakeLaw):
    """By the law of its state and of its last hypothesis, round by round.

    Raises: Intractable for a draw that is not finite, or more than ``MOST_STATES`` nodes; more than
    ``MOST_ROUNDS`` rounds, whose fractions would be too long.
    """

    how: ClassVar[How] = "exact"

    def __init__(self, learner: ContinualMechanism[Any], rounds: int) -> None:
        if rounds > MOST_ROUNDS:
            raise Intractable("rounds of an exact law", str(rounds), MOST_ROUNDS)
        self.rounds = rounds
        self._start: Node = (learner.initial_state, FIRST)
        self._rows = dict(_rows(learner, self._start, rounds))

    def _beliefs(self, hits: Hits, alive: bool) -> Iterator[dict[Node, Fraction]]:
        """The law of the node before each round; without those that left f⁽⁰⁾, if ``alive``."""
        belief, waiting = {self._start: Fraction(1)}, set(hits)
        for time in range(1, self.rounds + 1):
            yield belief
            then: dict[Node, Fraction] = {}
            for node, weight in belief.items():
                for next_node, chance in self._rows[node, HIT if time in waiting else BLANK]:
                    if not (alive and next_node[1] != FIRST):
                        then[next_node] = then.get(next_node, Fraction(0)) + weight * chance
            belief = then

    def left(self, hits: Hits, times: Sequence[int]) -> list[Number]:
        kept = [
            sum(belief.values(), Fraction(0)) for belief in self._beliefs(self.check(hits), True)
        ]
        return [1 - kept[time - 1] if time else Fraction(0) for time in times]

    def mistakes(self, hits: Hits) -> MistakeFigure:
        waiting, total = set(self.check(hits)), Fraction(0)
        for time, belief in enumerate(self._beliefs(hits, False), start=1):
            if time in waiting:
                total += sum(w for (_, told), w in belief.items() if mistaken(told, HIT))
        return MistakeFigure.at(total, self.how)

    def distribution(self, hits: Hits) -> tuple[Fraction, ...]:
        """P(M = 0), P(M = 1), …, as far as there are hits."""
        waiting = set(self.check(hits))
        belief: dict[tuple[Node, int], Fraction] = {(self._start, 0): Fraction(1)}
        for time in range(1, self.rounds + 1):
            sample = HIT if time in waiting else BLANK
            then: dict[tuple[Node, int], Fraction] = {}
            for (node, errors), weight in belief.items():
                made = errors + mistaken(node[1], sample)
                for next_node, chance in self._rows[node, sample]:
                    key = next_node, made
                    then[key] = then.get(key, Fraction(0)) + weight * chance
            belief = then
        found = [Fraction(0)] * (len(waiting) + 1)
        for (_, errors), weight in belief.items():
            found[errors] += weight
        return tuple(found)

    def every(self) -> list[Fraction]:
        """E[M] of all 2^T streams: number i has a hit in round t iff bit T - t of i is 1.

        By integers over one denominator, all streams at once. Raises: Intractable past 16 rounds.
        """
        if self.rounds > MOST_LISTED:
            raise Intractable("listing all streams", f"2^{self.rounds}", 1 << MOST_LISTED)
        nodes = list(dict.fromkeys(node for node, _ in self._rows))
        unit = math.lcm(*(chance.denominator for row in self._rows.values() for _, chance in row))
        whole = unit**self.rounds
        small = whole * max(self.rounds, 1) < 1 << 62
        kind: np.dtype[Any] = np.dtype(np.int64 if small else object)
        blank, hit = (self._matrix(nodes, sample, unit, kind) for sample in (BLANK, HIT))
        wrong = np.array([mistaken(told, HIT) for _, told in nodes], kind)
        beliefs = np.array([[int(node == self._start) for node in nodes]], kind)
        totals, left = np.zeros(1, kind), whole
        for _ in range(self.rounds):
            errors = (beliefs @ wrong) * left
            totals = np.stack([totals, totals + errors], axis=1).reshape(-1)
            after = np.stack([beliefs @ blank, beliefs @ hit], axis=1)
            beliefs, left = after.reshape(-1, len(nodes)), left // unit
        return [Fraction(int(total), whole) for total in totals]

    def _matrix(
        self, nodes: list[Node], sample: Sample, unit: int, kind: np.dtype[Any]
    ) -> NDArray[Any]:
        place = {node: i for i, node in enumerate(nodes)}
        found: NDArray[Any] = np.zeros((len(nodes), len(nodes)), kind)
        for node in nodes:
            for then, chance in self._rows.get((node, sample), ()):
                if then in place:
                    found[place[node], place[then]] += int(chance * unit)
        return found


def _rows(
    learner: ContinualMechanism[Any], start: Node, rounds: int
) -> Iterable[tuple[tuple[Node, Sample], tuple[tuple[Node, Fraction], ...]]]:
    """What follows each node that is reached in so many rounds, after ⊥ and after (1, 1)."""
    seen, front = {start}, [start]
    for _ in range(rounds):
        found: list[Node] = []
        for node in front:
            for sample in (BLANK, HIT):
                row = _row(learner, node, sample)
                yield (node, sample), row
                found += [then for then, _ in row if then not in seen]
                seen.update(then for then, _ in row)
        if len(seen) > MOST_STATES:
            raise Intractable("states of a learner", f"over {MOST_STATES}", MOST_STATES)
        front = list(dict.fromkeys(found))


def _row(
    learner: ContinualMechanism[Any], node: Node, sample: Sample
) -> tuple[tuple[Node, Fraction], ...]:
    row: dict[Node, Fraction] = {}
    for chance, then in outcomes(lambda coins: learner.step(node[0], sample, coins)):
        row[then] = row.get(then, Fraction(0)) + chance
    return tuple(row.items())
