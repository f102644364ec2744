"""The law of a learner's mistakes on a stream of samples (1, 1), the hits, and ⊥ = (0, 0): the
interface, and laws that are computed exactly or in doubles.

A stream is given by its hits, the ascending rounds of its samples (1, 1). τ is the first round
whose hypothesis is not the first one, f⁽⁰⁾ (0 everywhere).
"""

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar, Final, Literal, TypeAlias, Union

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.composition.complex_mechanism import ComplexMechanism
from antiphon.learners.littlestone.counting_learners import Crossing, OnceAbove
from antiphon.learners.littlestone.finite_learner import NameAndShame
from antiphon.learners.littlestone.mistake_learner import BLANK, FIRST, HIT, Sample, mistaken
from antiphon.learners.littlestone.point_learner import PointLearner
from antiphon.mechanisms.sparse_vector import AboveThreshold
from antiphon.numbers import Intractable, InvalidArgument, down, exact, shown_up, up
from antiphon.protocol import AnyChain, ContinualMechanism, ForPrograms, outcomes

How: TypeAlias = Literal["exact", "in doubles", "simulated"]
Number: TypeAlias = Union[Fraction, float]
Hits: TypeAlias = Sequence[int]
"""The type of a stream's hits: the ascending rounds of its samples (1, 1)."""


@attrs.frozen
class MistakeFigure(ForPrograms):
    """A probability or an expectation, with a confidence interval if it is simulated; else the
    interval is a single point."""

    value: Number
    low: Number
    high: Number
    how: How

    @classmethod
    def at(cls, value: Number, how: How) -> "MistakeFigure":
        """A figure whose interval is the single point ``value``."""
        return cls(value, value, value, how)

    def to_dict(self) -> dict[str, object]:
        """The figure as a dictionary, for JSON; an exact one is also given as a fraction."""
        told = {"value": _safe(self.value, up), "low": _safe(self.low, down)}
        told["high"] = _safe(self.high, up)
        exactly = {"exactly": str(self.value)} if isinstance(self.value, Fraction) else {}
        return {**told, "how": self.how, **exactly}

    def __str__(self) -> str:
        value = shown_up(self.value, 4)
        if not self.low < self.high:
            return value
        if self.high == math.inf:
            return f"{value} ± inf"
        middle = Fraction(value)
        low, high = exact.fraction(self.low), exact.fraction(self.high)
        return f"{value} ± {shown_up(max(middle - low, high - middle), 2)}"


def _safe(value: Number, rounded: Callable[[Fraction], float]) -> float:
    return rounded(value) if isinstance(value, Fraction) else float(value)


class MistakeLaw(ABC):
    """The law of a learner's mistakes in ``rounds`` rounds, and of the first round τ in which it
    leaves its first hypothesis f⁽⁰⁾. Abstract."""

    how: ClassVar[How]
    rounds: int

    @abstractmethod
    def left(self, hits: Hits, times: Sequence[int]) -> list[Number]:
        """The probabilities P(τ <= t), for each t in ``times``, that the learner has left its first
        hypothesis, on the stream with these hits (samples (1, 1))."""

    @abstractmethod
    def mistakes(self, hits: Hits) -> MistakeFigure:
        """The expected number E[M] of mistakes on the stream with these hits (samples (1, 1))."""

    @abstractmethod
    def concentration(self) -> MistakeFigure:
        """The least β for which the learner is β-concentrated: P(τ <= T) if all samples are ⊥."""

    def check(self, hits: Hits) -> Hits:
        """Returns the rounds ``hits`` of the samples (1, 1). Raises: InvalidArgument unless they
        ascend in 1, …, T."""
        if isinstance(hits, range) and hits.step == 1:
            ascending = not hits or (hits.start >= 1 and hits.stop <= self.rounds + 1)
        else:
            told = [0, *hits, self.rounds + 1]
            ascending = all(a < b for a, b in pairwise(told))
        if not ascending:
            raise InvalidArgument(f"hits are ascending rounds from 1, …, {self.rounds}")
        return hits


class ReckonedLaw(MistakeLaw):
    """A law that is computed, not simulated, so that its figures have no intervals. Abstract."""

    def concentration(self) -> MistakeFigure:
        return MistakeFigure.at(self.left((), [self.rounds])[0], self.how)


def every_round(rounds: int) -> range:
    """The hits (rounds of samples (1, 1)) of an adversary that sends (1, 1) in every round."""
    return range(1, rounds + 1)


_FEW = 1 << 8
"""The number of hits (samples (1, 1)) with which a computation begins; it goes on to later hits
only if the first hypothesis may still be kept."""


class KnownLaw(ReckonedLaw):
    """The law, in doubles, of the mistakes of a learner that changes its hypothesis at most once.

    It leaves for f⁽¹⁾; or for a wrong hypothesis, with a probability that is a function of the
    number of hits (``points``). Probabilities below 1e-15 are left out.
    """

    how: ClassVar[How] = "in doubles"

    def __init__(
        self, leaves: Crossing | NameAndShame, rounds: int, points: PointLearner | None = None
    ) -> None:
        self.rounds = rounds
        self._leaves, self._points = leaves, points

    def _kept(self, hits: Hits, cuts: Sequence[int]) -> list[float]:
        """The probabilities that the first hypothesis f⁽⁰⁾ is kept after the first n samples, for
        each n in ``cuts``, on the stream with these hits (samples (1, 1))."""
        ends = sorted({*cuts, *(hit - 1 for hit in hits)} - {0})
        begins = [0, *ends][: len(ends)]
        runs = [
            (bisect_right(hits, end), end - begin) for begin, end in zip(begins, ends, strict=True)
        ]
        after = dict(zip(ends, self._leaves.quiet(runs).tolist(), strict=True)) if runs else {}
        return [after[cut] if cut else 1.0 for cut in cuts]

    def left(self, hits: Hits, times: Sequence[int]) -> list[Number]:
        kept = self._kept(self.check(hits), [max(0, time - 1) for time in times])
        return [1 - each for each in kept]

    def mistakes(self, hits: Hits) -> MistakeFigure:
        self.check(hits)
        few = _FEW
        # Of perhaps a million hits, those after the first hypothesis was almost surely left are
        # skipped.
        while True:
            some = hits[:few]
            kept = self._before(some)
            if few >= len(hits) or kept[-1] < 1e-15:
                break
            few *= 4
        return MistakeFigure.at(sum(kept) + self._in_vain(some, kept, len(hits)), self.how)

    def _before(self, hits: Hits) -> list[float]:
        """The probabilities that the first hypothesis f⁽⁰⁾ is kept before each sample (1, 1)."""
        if isinstance(hits, range) and hits and hits[0] == 1:
            return [1.0, *self._leaves.rising(len(hits) - 1).tolist()]
        return self._kept(hits, [hit - 1 for hit in hits])

    def _in_vain(self, some: Hits, kept: list[float], hits: int) -> float:
        """The expected number of mistakes after a wrong hypothesis was adopted for good, in a
        stream with as many samples (1, 1) as ``hits``."""
        if self._points is None:
            return 0.0
        (last,) = self._kept(some, [self.rounds if len(some) == hits else some[-1]])
        leaves = -np.diff([1.0, *kept, last])
        return float(
            sum(
                mass * self._points.wrong(count) * (hits - count)
                for count, mass in enumerate(leaves.tolist())
            )
        )


def known_law(learner: ContinualMechanism[Any], rounds: int) -> KnownLaw | None:
    """The law of a learner for which there is a formula (in doubles); None for any other
    learner."""
    if type(learner) is NameAndShame:
        return KnownLaw(learner, rounds)
    if type(learner) is ComplexMechanism and type(learner.post_processor) is PointLearner:
        points = learner.post_processor
        return KnownLaw(Crossing(points.above), rounds, points)
    if isinstance(learner, AnyChain) and [type(each) for each in learner.links] == [OnceAbove]:
        above = learner.mechanism
        return KnownLaw(Crossing(above), rounds) if type(above) is AboveThreshold else None
    return None


Node: TypeAlias = "tuple[Any, int]"
"""The type of a node in a learner's Markov chain: its state, and its present hypothesis."""

MOST_STATES: Final = 1 << 9
"""The largest number of nodes (states and hypotheses) for which a law is computed exactly."""
MOST_ROUNDS: Final = 1 << 12
MOST_LISTED: Final = 16
"""The largest number of rounds T for which ``FiniteLaw.every`` computes all 2^T streams."""


class FiniteLaw(ReckonedLaw):
    """The exact law of the mistakes of a learner with few states, computed round by round from the
    law of its state and hypothesis.

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

    def _node_laws(self, hits: Hits, alive: bool) -> Iterator[dict[Node, Fraction]]:
        """Yields before each round the probabilities of the nodes (state and hypothesis); if
        ``alive``, only of those that always kept the first hypothesis f⁽⁰⁾."""
        law, waiting = {self._start: Fraction(1)}, set(hits)
        for time in range(1, self.rounds + 1):
            yield law
            then: dict[Node, Fraction] = {}
            for node, weight in law.items():
                for next_node, chance in self._rows[node, HIT if time in waiting else BLANK]:
                    if not (alive and next_node[1] != FIRST):
                        then[next_node] = then.get(next_node, Fraction(0)) + weight * chance
            law = then

    def left(self, hits: Hits, times: Sequence[int]) -> list[Number]:
        kept = [sum(law.values(), Fraction(0)) for law in self._node_laws(self.check(hits), True)]
        return [1 - kept[time - 1] if time else Fraction(0) for time in times]

    def mistakes(self, hits: Hits) -> MistakeFigure:
        waiting, total = set(self.check(hits)), Fraction(0)
        for time, law in enumerate(self._node_laws(hits, False), start=1):
            if time in waiting:
                total += sum(w for (_, told), w in law.items() if mistaken(told, HIT))
        return MistakeFigure.at(total, self.how)

    def distribution(self, hits: Hits) -> tuple[Fraction, ...]:
        """The probabilities of 0, 1, … mistakes on the stream with these hits (samples (1, 1))."""
        waiting = set(self.check(hits))
        law: dict[tuple[Node, int], Fraction] = {(self._start, 0): Fraction(1)}
        for time in range(1, self.rounds + 1):
            sample = HIT if time in waiting else BLANK
            then: dict[tuple[Node, int], Fraction] = {}
            for (node, errors), weight in law.items():
                made = errors + mistaken(node[1], sample)
                for next_node, chance in self._rows[node, sample]:
                    key = next_node, made
                    then[key] = then.get(key, Fraction(0)) + weight * chance
            law = then
        found = [Fraction(0)] * (len(waiting) + 1)
        for (_, errors), weight in law.items():
            found[errors] += weight
        return tuple(found)

    def every(self) -> list[Fraction]:
        """The expected mistakes E[M] of all 2^T streams: stream i has a hit in round t if bit T - t
        of i is 1.

        Computed in integers over one denominator, for all streams at once. Raises: Intractable past
        16 rounds.
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
    """The transition probabilities from each node (state and hypothesis) that is reached within
    ``rounds`` rounds, for the samples ⊥ and (1, 1)."""
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
