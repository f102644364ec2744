"""Learners that leave their first hypothesis f⁽⁰⁾ (0 everywhere) once, as tables y of the
probability of not having left, after each stream.

y(s) is the probability of f⁽⁰⁾ after the samples s of ⊥ and (1, 1): y() = 1, and y decreases along
s. Streams are numbered as a binary tree: 0 for (), and 2i + 1 or 2i + 2 for stream i with one
sample more. The claim and the law of the mistakes are linear in y.
"""

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from antiphon.conjectures.climbing import Inequalities, Program, needs_scipy
from antiphon.conjectures.exact_figures import exp_epsilon
from antiphon.conjectures.law_trees import Doubles
from antiphon.conjectures.tables import DENOMINATOR
from antiphon.learners.littlestone import FiniteLearner
from antiphon.learners.mistakes.hard_sequence import Block
from antiphon.learners.mistakes.mistake_law import Hits, MistakeFigure, Number, ReckonedLaw
from antiphon.numbers import InvalidArgument, exact

Staying: TypeAlias = tuple[Fraction, ...]
"""The type of the table y: the probability of having kept the first hypothesis f⁽⁰⁾, by the number
of the stream of samples."""


LONGEST: Final = 8
"""The largest number of rounds T; a linear program has about (T + 1)·2^T columns."""


def stream(hits: Collection[int], length: int) -> int:
    """The number, in the binary tree of streams, of the stream of ``length`` samples that are (1,
    1) in the rounds ``hits`` and ⊥ in the others."""
    number = 0
    for time in range(1, length + 1):
        number = 2 * number + 1 + (time in hits)
    return number


def streams(rounds: int) -> int:
    """The number of streams of fewer than ``rounds`` samples: those after which a hypothesis is
    still judged."""
    return (1 << rounds) - 1


class Path(NamedTuple):
    """A possible course of the hard sequence: the rounds of its hits (1, 1), and its nested blocks.
    After its hit a block is halved: one half is the next block, and the other is skipped."""

    hits: tuple[int, ...]
    blocks: tuple[Block, ...]
    skipped: tuple[Block, ...]
    """For each block but the last, the half of it that is skipped: it gets no more hits (1, 1)."""


def paths(rounds: int) -> Iterator[Path]:
    """Yields all possible courses of the hard sequence: blocks are halved as by ``hard_sequence``,
    the earlier half being the longer one."""
    waiting = [Path((1,), ((1, rounds),), ())]
    while waiting:
        path = waiting.pop()
        first, last = path.blocks[-1]
        if last - first < 2:
            yield path
            continue
        middle = first + (last - first + 1) // 2
        halves = (first + 1, middle), (middle + 1, last)
        for chosen, other in (halves, halves[::-1]):
            waiting.append(
                Path((*path.hits, chosen[0]), (*path.blocks, chosen), (*path.skipped, other))
            )


def leaves_within(block: Block, hits: Hits, rows: dict[int, float], weight: float) -> None:
    """Adds the coefficients in y of weight·P(τ in the block) to ``rows``; τ is the round in which
    the learner leaves f⁽⁰⁾ on the stream with these hits."""
    first, last = block
    for time, sign in ((first - 1, weight), (last, -weight)):
        place = stream(hits, max(time - 1, 0))
        rows[place] = rows.get(place, 0.0) + sign


def _lighter(path: Path) -> Iterator[dict[int, float]]:
    """Yields, for each block but the first, the coefficients in y of the difference of two
    probabilities of leaving f⁽⁰⁾: in the block, and in the half that was skipped instead."""
    halves = zip(path.blocks[1:], path.skipped, strict=True)
    for place, (chosen, skipped) in enumerate(halves, start=1):
        rows: dict[int, float] = {}
        leaves_within(chosen, path.hits[:place], rows, 1.0)
        leaves_within(skipped, path.hits[:place], rows, -1.0)
        yield rows


def leaving_program(
    rounds: int, growth: float, delta: float, beta: float, path: Path | None = None,
    margin: float = 0.0, worst: bool = False,
) -> Program:  # fmt: skip
    """The linear program of all tables y whose learners are (ε, δ)-DP at event level; Lyu's
    recursion over pairs of streams makes this linear inequalities.

    They are also β-concentrated: if all samples are ⊥, they leave with probability at most β. With
    a ``path``, only those with this hard sequence: each chosen half is lighter, by a margin, than
    the skipped one. As f is symmetric in the two worlds, one world's inequalities suffice. With
    ``worst``, a further variable after y is at least the expected mistakes on each stream, divided
    by the rounds.
    """
    count = streams(rounds)
    size, nodes = count + worst, list(_pairs(rounds))
    columns = {node: size + place for place, node in enumerate(nodes)}
    here = size + len(nodes)
    equal, rows = Inequalities(), Inequalities()
    equal.add({0: 1.0}, 1.0)
    for number in range(1, count):
        rows.add({number: 1.0, (number - 1) // 2: -1.0})
    rows.add({stream((), rounds - 1): -1.0}, beta - 1)
    rows.add({columns[0, 0, False]: 1.0}, delta)
    for heavier in () if path is None else _lighter(path):
        rows.add(heavier, -margin)
    for mistakes in _mistakes(rounds) if worst else ():
        rows.add(dict.fromkeys(mistakes, 1 / rounds) | {count: -1.0})
    for node, column in columns.items():
        own, other, differs = node
        if differs:
            rows.add({own: 1.0, other: -growth, column: -1.0})
        for after in _followed(node):
            if after not in columns:
                continue
            entries = {column: -1.0, columns[after]: 1.0}
            # The learner may leave f⁽⁰⁾ after this pair of samples, and then reveals nothing more.
            if after[2]:
                entries[here] = 1.0
                left = [(own, 1.0), (after[0], -1.0), (other, -growth), (after[1], growth)]
                summed: dict[int, float] = {here: -1.0}
                for place, weight in left:
                    summed[place] = summed.get(place, 0.0) + weight
                rows.add(summed)
                here += 1
            rows.add(entries)
    return Program(size, here, equal.matrix(here), rows.matrix(here))


def _mistakes(rounds: int) -> Iterator[list[int]]:
    """Yields for each stream of ⊥ and (1, 1) the places in y whose entries sum to its expected
    number of mistakes: the streams before each (1, 1)."""
    for hits in product((False, True), repeat=rounds):
        times = [time for time, hit in enumerate(hits, start=1) if hit]
        yield [stream(times, time - 1) for time in times]


def fewest_mistakes(
    rounds: int, *, epsilon: exact.Epsilon, delta: object, beta: object
) -> tuple[float, Doubles]:
    """The minimax number of mistakes of (ε, δ)-DP learners of {f⁽⁰⁾, f⁽¹⁾} that begin with f⁽⁰⁾ and
    keep it for T rounds of ⊥ with probability 1 - β (are β-concentrated), and the table y of a
    learner that attains it.

    It is the least, over these learners, of the largest expected number of mistakes on a stream of
    ⊥ and (1, 1); ``mistakes_lower_bound`` is a lower bound of it. One linear program finds it, in
    doubles: a learner that leaves f⁽⁰⁾ for good where it would first answer f⁽¹⁾ is as private and
    makes no more mistakes on these streams. Raises: MissingExtra without scipy; InvalidArgument for
    rounds outside 1, …, 8; else as ``mistakes_lower_bound``.

    >>> round(fewest_mistakes(3, epsilon=1, delta=0, beta=0.1)[0], 4)
    2.2644
    """
    needs_scipy()
    if exact.whole(rounds, "rounds") > LONGEST:
        raise InvalidArgument(f"rounds is at most {LONGEST}: there are 2^rounds streams")
    growth = exp_epsilon(exact.epsilon(epsilon))
    claim = float(exact.probability(delta)), float(exact.probability(beta, "beta"))
    wanted = np.zeros(streams(rounds) + 1)
    wanted[-1] = -1
    law = leaving_program(rounds, growth, *claim, worst=True).best(wanted)
    return float(law[-1]) * rounds, law[:-1]


Node = tuple[int, int, bool]
"""The type of a pair of streams, one in each world: (own, other, whether they differ)."""


def _pairs(rounds: int) -> Iterator[Node]:
    """Yields all pairs of streams of fewer than ``rounds`` samples that differ in one sample at
    most."""
    level: list[Node] = [(0, 0, False)]
    for _ in range(rounds):
        yield from level
        level = [after for node in level for after in _followed(node)]


def _followed(node: Node) -> Iterator[Node]:
    own, other, differs = node
    for zero in (1, 2):
        for one in (1, 2):
            if zero == one or not differs:
                yield 2 * own + zero, 2 * other + one, differs or zero != one


def falling(law: Doubles, rounds: int, beta: Fraction) -> Staying:
    """The table y in rationals, mixed with that of never leaving f⁽⁰⁾, whose weight is such that on
    ⊥ the learner leaves with probability at most ``beta``; rounding keeps y decreasing along
    streams."""
    staying = tuple(Fraction(int(n), DENOMINATOR) for n in np.rint(law * DENOMINATOR).tolist())
    leaves = 1 - staying[stream((), rounds - 1)]
    return staying if leaves <= beta else rarer(staying, beta / leaves)


def rarer(staying: Staying, part: Fraction) -> Staying:
    """The table of a learner that acts as that of ``staying`` with probability ``part``, and
    otherwise never leaves its first hypothesis f⁽⁰⁾."""
    return tuple(1 - part * (1 - each) for each in staying)


class LeavingLaw(ReckonedLaw):
    """The law of τ, the round in which a learner leaves its first hypothesis f⁽⁰⁾, computed from
    its table y of staying probabilities."""

    how = "exact"

    def __init__(self, staying: Staying, rounds: int) -> None:
        self._staying, self.rounds = staying, rounds

    def left(self, hits: Hits, times: Sequence[int]) -> list[Number]:
        return [1 - self._staying[stream(hits, max(time - 1, 0))] for time in times]

    def mistakes(self, hits: Hits) -> MistakeFigure:
        total = sum((self._staying[stream(hits, hit - 1)] for hit in hits), Fraction(0))
        return MistakeFigure.at(total, self.how)


def fewer_mistakes(
    hits: Hits, blocks: Sequence[Block], weights: Sequence[Fraction], count: int
) -> Doubles:
    """The coefficients in y of P(fewer than k mistakes) - Σ w_i q_i, on a hard sequence of k hits;
    w_i are the ``weights``, and q_i is the probability of leaving f⁽⁰⁾ in block i."""
    entries = {0: 1.0}
    last = stream(hits, hits[-1] - 1)
    entries[last] = entries.get(last, 0.0) - 1.0
    for place, (block, weight) in enumerate(zip(blocks, weights, strict=True)):
        leaves_within(block, hits[:place], entries, -float(weight))
    found = np.zeros(count)
    for place, entry in entries.items():
        found[place] = entry
    return found


def finite_learner(staying: Staying) -> FiniteLearner:
    """The learner of a table y as a finite mechanism; streams with equal futures share a state."""
    known: dict[Row, int] = {}
    first = _state(staying, 0, known)
    order = sorted(known.values(), key=lambda each: (each != first, each))
    place = {each: at for at, each in enumerate(order)}
    count = len(known)

    def law(own: int, to: int, chance: Fraction) -> list[Fraction]:
        row = [Fraction(0)] * (count + 1)
        row[place[to if to >= 0 else own]] += chance
        row[count] += 1 - chance
        return row

    rows = {number: row for row, number in known.items()}
    laws = [[law(own, *each) for each in rows[own]] for own in order]
    gone = [Fraction(0)] * count + [Fraction(1)]
    table = [(blank, blank, hit) for blank, hit in [*laws, [gone, gone]]]
    return FiniteLearner(labels=[0] * count + [1], table=table)


Row: TypeAlias = tuple[tuple[int, Fraction], ...]
"""The type of a state's transitions after ⊥ and after (1, 1): the next state (-1 for the same) and
the probability of staying with f⁽⁰⁾."""


def _state(staying: Staying, number: int, known: dict[Row, int]) -> int:
    """The number of the state after stream ``number``; a new state is added to ``known``, with
    all that may follow it."""
    row: list[tuple[int, Fraction]] = []
    for child in (2 * number + 1, 2 * number + 2):
        if child >= len(staying):
            row.append((-1, Fraction(1)))
        elif not staying[child]:
            row.append((-1, Fraction(0)))
        else:
            row.append((_state(staying, child, known), staying[child] / staying[number]))
    return known.setdefault(tuple(row), len(known))
