"""The simulator of Theorem F (docs/fdp.md), by *dichotomies*: lists of pairs of masses (p, q).

T ∘* N(b) ≡ V[f] ∘* I(b) ∘* M, N(0) a sample of P and N(1) one of Q, whenever no adversary tells
the worlds of M apart better than a test tells P from Q. It is the proof that trade-off functions
of interactive mechanisms compose as those of their pairs. All weights are Fractions.

The points of a dichotomy are sorted by falling p/q: the edges of the curve of its best tests. D(h)
has the best tests of every continuation of the history h at once. T holds a point of D(h); at the
next pair D(h) is garbled into the dichotomies of the histories after each answer, which it
dominates.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise, product
from typing import TypeAlias, cast

import attrs

from antiphon.audit.exact.arena import messages_to_try
from antiphon.audit.exact.question import horizon
from antiphon.audit.simulators import (
    Continuations,
    Found,
    Point,
    Simulated,
    Simulator,
    WeighedHistory,
)
from antiphon.numbers.errors import CompositionError, InvalidArgument
from antiphon.protocol import ContinualMechanism, Verification

Dichotomy: TypeAlias = tuple[Point, ...]
"""Two measures, as a list of points (p, q), their masses: sorted by falling p/q, with one point for
each p/q."""


def joined(parts: Iterable[Dichotomy]) -> Dichotomy:
    """The dichotomy that has the points (p, q) of all ``parts``; points of equal p/q are added."""
    slopes: dict[Fraction | float, Point] = {}
    for p, q in (point for part in parts for point in part):
        if p or q:
            slope = p / q if q else math.inf
            before = slopes.get(slope, (Fraction(0), Fraction(0)))
            slopes[slope] = before[0] + p, before[1] + q
    return tuple(slopes[slope] for slope in sorted(slopes, reverse=True))


def best_of(parts: Sequence[Dichotomy]) -> Dichotomy:
    """The dichotomy of the best tests: its curve, the sums (Σq, Σp) of its first points, is the
    concave hull of the curves of ``parts``."""
    corners: set[Point] = {(Fraction(0), Fraction(0))}
    for part in parts:
        zeros, ones = accumulate(p for p, _ in part), accumulate(q for _, q in part)
        corners.update(zip(zeros, ones, strict=True))
    hull: list[Point] = []
    for corner in sorted(corners, key=lambda each: (each[1], each[0])):
        while len(hull) > 1 and _turn(hull[-2], hull[-1], corner) >= 0:
            hull.pop()
        hull.append(corner)
    return joined([tuple((c - a, d - b) for (a, b), (c, d) in pairwise(hull))])


def _turn(a: Point, b: Point, c: Point) -> Fraction:
    """A number > 0 iff c lies to the left of the line from a through b, with q as first axis."""
    return (b[1] - a[1]) * (c[0] - b[0]) - (b[0] - a[0]) * (c[1] - b[1])


def garbling(source: Dichotomy, targets: Sequence[Point]) -> list[list[Fraction]]:
    """For each point of ``source``, the probabilities with which it is mapped to each of
    ``targets``, so that each target receives its masses (p, q).

    Each target in turn takes its *shadow* (Beiglböck and Juillet 2016): of what the earlier ones
    leave of the source, the stretch between two p/q that has the target's masses. Raises:
    CompositionError where the source does not dominate the targets, so that there is none.
    """
    left = [Fraction(1)] * len(source)
    laws = [[Fraction(0)] * len(targets) for _ in source]
    for place, target in enumerate(targets):
        sizes = [share * (p + q) for share, (p, q) in zip(left, source, strict=True)]
        start, end = _stretch(source, left, sizes, target)
        at = Fraction(0)
        for point, size in enumerate(sizes):
            taken = max(Fraction(0), min(end, at + size) - max(start, at))
            at += size
            if taken:
                share = left[point] * taken / size
                laws[point][place] += share
                left[point] -= share
    return laws


def _stretch(
    source: Dichotomy, left: list[Fraction], sizes: list[Fraction], target: Point
) -> tuple[Fraction, Fraction]:
    """The two ends of the stretch of ``source`` that has the masses (p, q) of ``target``. They are
    places on a line, on which each point takes the length ``sizes``: its mass p + q, times its
    entry of ``left``, the share of it that no earlier target took."""
    length, ends = sum(target), [Fraction(0), *accumulate(sizes)]
    heights = [Fraction(0), *accumulate(s * p for s, (p, _) in zip(left, source, strict=True))]

    def before(at: Fraction) -> Fraction:
        """The mass p, before the place ``at`` on that line, of what earlier targets left."""
        place = next(i for i in range(1, len(ends)) if at <= ends[i])
        low, high = ends[place - 1], ends[place]
        share = (at - low) / (high - low) if high > low else Fraction(0)
        return heights[place - 1] + share * (heights[place] - heights[place - 1])

    last = ends[-1] - length
    starts = sorted({at for each in ends for at in (each, each - length) if 0 <= at <= last})
    gains = [before(at + length) - before(at) - target[0] for at in starts]
    if not starts or gains[0] < 0 or gains[-1] > 0:
        raise CompositionError("the pair does not dominate the mechanism: its claim is false")
    place = next(i for i, gain in enumerate(gains) if gain <= 0)
    start = starts[place]
    if place and gains[place] < 0:
        slope = (gains[place] - gains[place - 1]) / (starts[place] - starts[place - 1])
        start -= gains[place] / slope
    return start, start + length


@attrs.frozen(eq=False)
class PairSimulator(Simulator):
    """The simulator T of Theorem F (docs/fdp.md) for at most ``rounds`` messages. At the first
    message it asks for its sample, the number of a point of ``pair``."""

    pair: Dichotomy = attrs.field(kw_only=True)
    rounds: int = attrs.field(kw_only=True)
    _best: dict[WeighedHistory, Dichotomy] = attrs.field(
        init=False, repr=False, factory=dict[WeighedHistory, Dichotomy]
    )

    def dichotomy(self, history: WeighedHistory) -> Dichotomy:
        """The dichotomy D(h) of a history h: the points (p, q) of the best tests between the two
        worlds, over all continuations of h."""
        if history not in self._best:
            found = [joined([(history.masses,)])]
            if history.length < self.rounds and not (history.ended or history.spent):
                asked = messages_to_try(self.mechanism)
                for zero, one in product(asked, repeat=2):
                    after = self.respond(history, zero, one)
                    if after is not None:
                        found.append(joined(self.dichotomy(each) for _, each in after))
            self._best[history] = best_of(found)
        return self._best[history]

    def shares(self, state: Simulated, found: Found) -> Continuations:
        """The possible continuations after a message: (answer, history after it, share of
        a point in that history's dichotomy): one for each answer and point."""
        if state.history.length >= self.rounds:
            raise InvalidArgument(
                f"this simulator was built for {self.rounds} rounds; build a longer one"
            )
        return tuple(
            (answer, history, self.share(point))
            for answer, history in found
            for point in self.dichotomy(history)
        )

    def weights(self, state: Simulated, found: Continuations) -> list[Fraction] | None:
        if state.sample is None:
            return None
        targets = [share.point for _, _, share in found]
        if not state.history.length:
            return garbling(self.pair, targets)[cast("int", state.sample)]
        source = self.dichotomy(state.history)
        return garbling(source, targets)[source.index(state.share.point)]


def pair_simulator(
    mechanism: ContinualMechanism,
    verification: Verification,
    *,
    rounds: int,
    pair: Iterable[Point] | None = None,
    within: bool = False,
) -> PairSimulator:
    """The simulator T with T ∘* N(b) ≡ V[f] ∘* I(b) ∘* M, where N(b) draws a point of ``pair`` by
    its masses in world b (docs/fdp.md, Theorem F).

    It holds for ``rounds`` messages. N(b) tells which point of ``pair`` was drawn under b, numbered
    by falling p/q; by default ``pair`` is that of M's own best tests, ``T.pair``. ``within``: M is
    part of a composition, which goes on after M halts. Raises: CompositionError as it runs, where
    the pair does not dominate M.
    """
    horizon(rounds)
    given = ((Fraction(1), Fraction(1)),) if pair is None else joined([tuple(pair)])
    made = PairSimulator(
        mechanism, verification, Fraction(1), within=within, pair=given, rounds=rounds
    )
    if pair is not None:
        return made
    return attrs.evolve(made, pair=made.dichotomy(made.initial_state.history))
