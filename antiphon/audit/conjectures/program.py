"""The laws that keep a claim, as a linear program.

Lyu's recursion (CM App. A; theory of ``tight_delta``): with x the law and x^b(h) its probability of
h as world b hears it, the least L with L^b(h) >= max{0, x^b(h) - e^ε x^{1-b}(h)} and L^b(h) >=
Σ_a L^b(h, q, a) for every valid q has L^b() = the tight δ_b(ε) over adaptive adversaries. So "M is
(ε, δ)-DP w.r.t. f'" says that some L >= 0 meets these inequalities and L^b() <= δ: all linear.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from antiphon.audit.conjectures.shape import Doubles, Shape
from antiphon.numbers.errors import Intractable, MissingExtra


class Rows:
    """Rows of a sparse matrix, and their right sides."""

    def __init__(self) -> None:
        self._entries: list[tuple[int, int, float]] = []
        self._right: list[float] = []

    def add(self, entries: dict[int, float], right: float = 0.0) -> None:
        """A row: entries by column."""
        self._entries += [(len(self._right), column, value) for column, value in entries.items()]
        self._right.append(right)

    def matrix(self, columns: int) -> tuple[Any, Doubles]:
        """As scipy takes it."""
        from scipy.sparse import csr_matrix

        rows, places, values = zip(*self._entries, strict=True)
        shape = len(self._right), columns
        return csr_matrix((values, (rows, places)), shape=shape), np.array(self._right)


class Program(NamedTuple):
    """All laws of a shape that keep the claim of its pattern."""

    size: int
    columns: int
    equal: tuple[Any, Doubles]
    least: tuple[Any, Doubles]

    def best(self, gains: Doubles) -> Doubles:
        """A law that keeps the claim and has the largest Σ gains·law; a vertex of them all.

        Raises: Intractable if the solver gives up.
        """
        from scipy.optimize import linprog

        costs = np.zeros(self.columns)
        costs[: self.size] = -gains
        found = linprog(
            costs, A_ub=self.least[0], b_ub=self.least[1], A_eq=self.equal[0], b_eq=self.equal[1],
            bounds=(0, 1), method="highs",
        )  # fmt: skip
        if found.status != 0:
            raise Intractable(f"a linear program ({found.message})", self.columns, self.columns)
        law: Doubles = np.clip(found.x[: self.size], 0, 1)
        return law


def program(shape: Shape) -> Program:
    """The program of a shape. Raises: MissingExtra without scipy."""
    try:
        import scipy  # noqa: F401  # pyright: ignore[reportUnusedImport, reportMissingTypeStubs]
    except ImportError as error:
        raise MissingExtra("scipy", "accounting") from error
    nodes = sum(len(level.valid) for level in shape.levels)
    columns = shape.size + 2 * nodes
    return Program(
        shape.size, columns, _laws(shape).matrix(columns), _claimed(shape, nodes).matrix(columns)
    )


def _laws(shape: Shape) -> Rows:
    """Σ_a x(h, q, a) = x(h) for every question q, and x() = 1."""
    rows, width = Rows(), shape.inputs * shape.answers
    rows.add({0: 1.0}, 1.0)
    for depth in range(shape.rounds):
        here, below = shape.offset(depth), shape.offset(depth + 1)
        for node in range(width**depth):
            for question in range(shape.inputs):
                first = below + (node * shape.inputs + question) * shape.answers
                rows.add({here + node: -1.0, **{first + a: 1.0 for a in range(shape.answers)}})
    return rows


def _claimed(shape: Shape, nodes: int) -> Rows:
    """The inequalities of the recursion, for both worlds."""
    growth = float(shape.pattern.growth)
    rows, pairs = Rows(), len(shape.pattern.pairs)
    for bit in (0, 1):
        start = shape.size + bit * nodes
        rows.add({start: 1.0}, float(shape.pattern.delta))
        for depth, level in enumerate(shape.levels):
            for node in np.flatnonzero(level.valid).tolist():
                own, other = (int(level.heard[side][node]) for side in (bit, 1 - bit))
                if own != other:  # else x - e^ε x <= 0
                    rows.add({own: 1.0, other: -growth, start + node: -1.0})
                if depth < shape.rounds:
                    below = start + len(level.valid)
                    for pair in range(pairs):
                        first = (node * pairs + pair) * shape.answers
                        if shape.levels[depth + 1].valid[first]:
                            children = {below + first + a: 1.0 for a in range(shape.answers)}
                            rows.add({start + node: -1.0, **children})
            start += len(level.valid)
    return rows
