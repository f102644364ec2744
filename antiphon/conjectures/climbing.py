"""Local searches ("climbs"): the laws of mechanisms are improved one by one, each against the best
adversary for all current laws.

The laws that keep a claim are the feasible set of a linear program.

Lyu's recursion (CM App. A; theory of ``tight_delta``): with x the law and x^b(h) the probability of
h in world b of the privacy game, the least L with L^b(h) >= loss(x^b(h), x^{1-b}(h)) and L^b(h) >=
Σ_a L^b(h, q, a) for every valid q has L^b() = the largest loss against an adaptive adversary, such
as the tight δ_b(ε). So "a mechanism keeps its claim w.r.t. f'" means that some L >= 0 satisfies
these inequalities and L^b() <= its limit: linear constraints, one for each tangent of the loss.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import numpy as np

from antiphon.conjectures.exact_figures import Loss
from antiphon.conjectures.law_trees import Domain, Doubles, Tree
from antiphon.numbers.errors import Intractable, MissingExtra


class Inequalities:
    """A sparse system of linear inequalities: its rows and right sides."""

    def __init__(self) -> None:
        self._entries: list[tuple[int, int, float]] = []
        self._right: list[float] = []

    def add(self, entries: dict[int, float], right: float = 0.0) -> None:
        """Adds an inequality Σ entry·column <= right; ``entries`` maps columns to their entries."""
        self._entries += [(len(self._right), column, value) for column, value in entries.items()]
        self._right.append(right)

    def matrix(self, columns: int) -> tuple[Any, Doubles]:
        """The inequalities as (sparse matrix, right sides), in the form that scipy takes."""
        from scipy.sparse import csr_matrix

        rows, places, values = zip(*self._entries, strict=True)
        shape = len(self._right), columns
        return csr_matrix((values, (rows, places)), shape=shape), np.array(self._right)


class Program(NamedTuple):
    """A linear program: its feasible points are the laws of one mechanism that keep its claim."""

    size: int
    columns: int
    equal: tuple[Any, Doubles]
    least: tuple[Any, Doubles]

    def best(self, gains: Doubles) -> Doubles:
        """A law in the feasible set, at a vertex, for which the objective Σ gains·law is largest.

        Raises: Intractable if the solver gives up.
        """
        from scipy.optimize import linprog  # pyright: ignore[reportUnknownVariableType]

        costs = np.zeros(self.columns)
        costs[: self.size] = -gains
        found: Any = linprog(
            costs, A_ub=self.least[0], b_ub=self.least[1], A_eq=self.equal[0], b_eq=self.equal[1],
            bounds=(0, None), method="highs",
        )  # fmt: skip
        if found.status != 0:
            raise Intractable(
                "the columns of a linear program; take fewer rounds or answers, or a smaller ε, "
                f"order or moment. The solver says {found.message}",
                self.columns, "of what it can do",
            )  # fmt: skip
        law: Doubles = np.clip(found.x[: self.size], 0, 1)
        return law


def needs_scipy() -> None:
    """Check that scipy is installed. Raises: MissingExtra."""
    try:
        import scipy  # noqa: F401  # pyright: ignore[reportUnusedImport, reportMissingTypeStubs]
    except ImportError as error:
        raise MissingExtra("scipy", "conjectures") from error


def program(domain: Domain, tree: Tree, loss: Loss, limit: float) -> Program:
    """The linear program of the laws of a ``Domain`` (inputs, rounds, answers) under which no
    adversary's loss is above ``limit``. Raises: MissingExtra without scipy."""
    needs_scipy()
    nodes = sum(len(level.differs) for level in tree)
    columns = domain.size + 2 * nodes
    rows = Inequalities()
    for bit in (0, 1):
        _recursion(rows, tree, loss, bit, domain.size + bit * nodes)
        rows.add({domain.size + bit * nodes: 1.0}, limit)
    return Program(domain.size, columns, _laws(domain).matrix(columns), rows.matrix(columns))


def _laws(domain: Domain) -> Inequalities:
    """The equations that make an array x a law: x(empty history) = 1, and for each history h and
    query q, x(h) is the sum of x(h, q, a) over all answers a."""
    rows, questions = Inequalities(), len(domain.inputs)
    rows.add({0: 1.0}, 1.0)
    for depth in range(domain.rounds):
        here, below = domain.offset(depth), domain.offset(depth + 1)
        for node in range(below - here):
            for question in range(questions):
                first = below + (node * questions + question) * domain.answers
                rows.add({here + node: -1.0, **{first + a: 1.0 for a in range(domain.answers)}})
    return rows


def _recursion(rows: Inequalities, tree: Tree, loss: Loss, bit: int, start: int) -> None:
    """Adds Lyu's recursion for the world b = ``bit`` to a linear program: each history has an
    unknown, from the column ``start`` on, that bounds the loss from this history onwards. It is at
    least the sum, over the answers to a pair, of the unknowns after them."""
    for depth, level in enumerate(tree):
        for node, (own, other) in enumerate(
            zip(level.heard[bit], level.heard[1 - bit], strict=True)
        ):
            _above(rows, loss, int(own), int(other), start + node)
        if depth + 1 < len(tree):
            after = tree[depth + 1]
            below = start + len(level.differs)
            ends = [*after.starts.tolist(), len(after.group)]
            for group, parent in enumerate(after.parents.tolist()):
                children = range(below + ends[group], below + ends[group + 1])
                rows.add({start + parent: -1.0, **dict.fromkeys(children, 1.0)})
            start = below


def _above(rows: Inequalities, loss: Loss, own: int, other: int, column: int) -> None:
    """Adds inequalities to a linear program: the unknown in ``column``, which bounds a history's
    loss, is at least each tangent of the loss. ``own`` and ``other`` are the columns of the
    history's probabilities p and q."""
    # If p and q are the same unknown, a tangent a·p + b·q is (a + b)·p, and only the largest a + b
    # matters.
    if own == other:
        rows.add({own: max(0.0, max(map(sum, loss.tangents))), column: -1.0})
        return
    for first, second in loss.tangents:
        rows.add({own: first, other: second, column: -1.0})
    if loss.widest is not None:
        rows.add({own: 1.0, other: -loss.widest})


Generator = np.random.Generator
Size: TypeAlias = tuple[int, int]
"""The size of the sought mechanisms: (rounds, answers); in some patterns, two other numbers."""
_SWEEPS: Final = 12
"""The largest number of passes over all mechanisms in one local search."""
_STILL: Final = 1e-2
"""The size of noise in the objective below which a local search ends, once a pass over all
mechanisms finds no larger gain."""
_DIRECTIONS: Final = 8
"""The number of random directions tried for a random law: in some of them the solver may fail."""
_ALIKE: Final = 0.7
"""The probability with which a local search gives all mechanisms one law, if they have one
claim."""


class Climb(NamedTuple):
    """The result of a local search: the laws against which the best adversary has the largest gain,
    and this gain."""

    size: Size
    gain: float
    laws: list[Doubles]
    bit: int = 0
    """The world b of the privacy game in which p is a view's probability, the gain being the sum of
    loss(p, q) over views."""


class Climbing(Protocol):
    """The interface of a local search ("climber") among the laws of one size."""

    def climb(self, number: int, random: Generator, near: list[Doubles] | None = None) -> Climb:
        """Makes the local search with this number, from the laws ``near`` or from random laws."""
        ...


class Oracle(Protocol):
    """The interface of a search for the best adversary against given laws of mechanisms, whose
    gain is the sum of loss(p, q) over views; p is a view's probability in world ``bit``, q in the
    other."""

    def best(self, laws: list[Doubles], bit: int) -> Any:
        """The best adversary against these laws, as an object with the attribute ``gain``."""
        ...

    def slope(self, seen: Any, place: int, size: int) -> Doubles:
        """The gradient of the gain of the adversary ``seen`` in the law number ``place``, which has
        ``size`` entries."""
        ...


class Climber:
    """A local search among laws of one size, from random laws or from the result of another search.

    ``programs``: the linear program of each law; if all are equal, the search often takes equal
    laws (``alike``).
    """

    def __init__(
        self, size: Size, oracle: Oracle, programs: Sequence[Program], *, alike: bool = False
    ) -> None:
        self.size = size
        self._oracle, self._programs = oracle, programs
        self._alike = _ALIKE if alike else 0.0

    def climb(self, number: int, random: Generator, near: list[Doubles] | None = None) -> Climb:
        """Makes a local search, from the laws ``near``, or from random laws for None.

        Less and less noise is added to the objective: without noise the search would end where no
        change of a single law gains.
        """
        alike = random.random() < self._alike
        start = self._anew(random, alike) if near is None else near
        noise = 10.0 ** random.uniform(-2, 0)
        return self._climbed(random, list(start), noise, alike, int(random.integers(2)))

    def _anew(self, random: Generator, alike: bool) -> list[Doubles]:
        """Random laws, one for each mechanism: each is a vertex of its feasible set, the best one
        in a random direction. ``alike``: all mechanisms get the same law."""
        fresh = self._programs[: 1 if alike else None]
        laws = [_vertex(each, random) for each in fresh]
        return laws * (len(self._programs) // max(len(fresh), 1))

    def _climbed(
        self, random: Generator, laws: list[Doubles], noise: float, alike: bool, bit: int
    ) -> Climb:
        """The result of a local search from these laws: in each pass every law is replaced by the
        best one against the current adversary, for an objective with noise, which is halved after
        each pass."""
        found, oracle = Climb(self.size, -np.inf, laws), self._oracle
        for _ in range(_SWEEPS):
            before = found.gain
            for place in range(1 if alike else len(laws)):
                seen = oracle.best(laws, bit)
                if seen.gain > found.gain:
                    found = Climb(self.size, seen.gain, list(laws), bit)
                places = range(len(laws)) if alike else [place]
                slopes = [oracle.slope(seen, each, laws[each].size) for each in places]
                try:
                    better = self._better(random, place, np.sum(slopes, axis=0), noise)
                except Intractable:  # The solver has failed: the best laws so far are the result.
                    return found
                laws = [better if each in places else law for each, law in enumerate(laws)]
            noise /= 2
            if noise < _STILL and found.gain <= before:
                break
        return found

    def _better(self, random: Generator, place: int, slope: Doubles, noise: float) -> Doubles:
        # At a gradient of 0 no change of this law increases the gain, so any law that keeps the
        # claim will do.
        scale = np.abs(slope).max() or 1.0
        rough = noise * scale * random.normal(size=slope.size)
        return self._programs[place].best(slope + rough)


def _vertex(program: Program, random: Generator) -> Doubles:
    """A random vertex of the feasible set: the law that is best in a random direction. If the
    solver fails, another direction is tried.

    Raises: Intractable if it always does.
    """
    for _ in range(_DIRECTIONS - 1):
        with suppress(Intractable):
            return program.best(random.normal(size=program.size))
    return program.best(random.normal(size=program.size))
