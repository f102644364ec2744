"""An estimate of the values of all beliefs, each a position and a ratio of the two worlds' masses,
in floats: it tells which messages are surely not optimal.

The ratio ρ of a belief is its mass "behind" (in the other world) over its mass "ahead" (in the
world that counts for the adversary). Per unit of mass ahead its value is u(ρ) = max over messages
of Σ p u(ρ q/p) over the answers, of probabilities p and q, and max(0, 1 − ρ) where it ends: it
falls as ρ grows. Beliefs of one position whose ratios agree in 40 bits are taken for one. So after
T messages a ratio is off by less than a share η = T 2⁻³⁹, all roundings included; and the value of
a belief lies between those that come out if all ratios at the ends are taken (1 + η) and (1 − η)
times, up to the rounding of sums of numbers >= 0, and of the difference in a closed form
(``ClosedForm``). (By induction from the ends: the same messages lead to the same positions. A
belief is looked up by its exact ratio, which may be off as much again: so η is taken twice.) No
number below 2⁻⁵⁰⁰ is relied on.

A message whose upper bound is below another's lower bound is surely not optimal, and the exact
solver leaves it out. No figure is taken from the estimate: all other messages are valued in whole
numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final, TypeAlias, TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.audit.exact.arena import AdversaryChoice, Arena
from antiphon.audit.exact.beliefs import OVER
from antiphon.audit.exact.cost import Report, passed
from antiphon.audit.exact.outlines import (
    NOWHERE_TO_GO,
    TINY,
    Coded,
    Floats,
    Ints,
    Outline,
    coded,
)
from antiphon.numbers.errors import AntiphonError, Intractable

Said = TypeVar("Said", bound=AdversaryChoice)
Bounds: TypeAlias = tuple[Floats, Floats]
"""Lower and upper bounds on the values of all beliefs with the same number of rounds left."""
Both: TypeAlias = tuple[float, float]
"""A lower and an upper bound on the value of one belief."""

_DROPPED: Final = 12
"""The number of low bits of a ratio that are rounded away, so that near ratios become equal."""
_ROUNDING: Final = 2.0**-39
_FARTHEST: Final = 2.0**600
"""The largest ratio: above it, a product of ratios and probabilities may overflow a float."""
_GROWTHS: Final = 2.0**100
"""The largest factor (such as e^ε) of ratios: above it, a product may overflow a float."""
_ROWS: Final = 1 << 22
"""The limit on the number of answers to all beliefs of one round, together."""
_LEAST: Final = 500
_WORTH: Final = 8
"""The number of estimated beliefs per belief that the exact solver may value, after the first
_LEAST ones, before estimates are dropped: by then they rule out too few messages."""
_KEPT: Final = 3
"""The number of estimates, for different rounds, that are kept."""
_WHAT: Final = "a rough look at beliefs"


class _Unknown(Exception):
    """Raised for a belief that the estimate does not have, or that is too unlikely for floats."""


@attrs.define(eq=False)
class _Layer:
    """All beliefs with the same number of rounds left, by position (``codes``), with the messages
    that may be sent and the answers to them (``outline``: arrays with a row for each answer)."""

    codes: Ints
    """The codes (numbers) of all positions in this layer, sorted."""
    outline: Outline
    which: Ints
    """For each belief, the index in ``codes`` of its position. A position in which no message is
    useful has no beliefs."""
    ratios: Floats
    following: Ints = attrs.field(factory=lambda: _NONE)
    """For each answer, the index of the belief after it in the next layer; -1 if there is none."""
    first: Ints = attrs.field(init=False)
    """For each position in ``codes``, the index of its first belief; the last entry is the number
    of all beliefs."""
    _once: bool = attrs.field(init=False)
    """Whether no position has two beliefs; the rows of ``outline`` are then sorted by belief."""

    def __attrs_post_init__(self) -> None:
        self.first = self.which.searchsorted(np.arange(len(self.codes) + 1))
        self._once = bool((self.which[1:] > self.which[:-1]).all())

    def done(self) -> None:
        """Drop the next positions' codes from ``outline``: they served to find the next layer."""
        self.outline = self.outline._replace(to=_NONE)

    def answers(self) -> tuple[Ints, Ints | slice]:
        """Two arrays, with an entry for each answer that may follow a belief: the index of the
        belief, and the row of the answer in ``outline``."""
        sizes = self.outline.answers
        return np.arange(len(self.which)).repeat(sizes[self.which]), self._members(sizes)

    def _members(self, sizes: Ints) -> Ints | slice:
        """For each belief in turn, the indices of its entries in an array that is sorted by
        position; ``sizes`` has the number of entries of each position."""
        if self._once:
            return slice(None)
        own = sizes[self.which]
        before = _starts(sizes)[self.which] - _starts(own)
        found: Ints = np.arange(int(own.sum())) + before.repeat(own)
        return found

    def values(self, after: list[Floats], multiples: Sequence[float]) -> list[Floats]:
        """Bounds on the beliefs' values (lower and upper in turn), from those of the next layer.

        ``multiples``: factors of the ratios, one for each bound; ``after``: the next layer's
        bounds.
        """
        (belief, row), choice = self.answers(), self._members(self.outline.choices)
        last = np.flatnonzero(self.following == NOWHERE_TO_GO)
        zero, one = (chance[row] for chance in self.outline.chances)
        one, sure = one[last] * self.ratios[belief[last]], zero[last]
        choices, sizes = _starts(self.outline.rows[choice]), self.outline.choices[self.which]
        spoken = np.flatnonzero(sizes)
        first = _starts(sizes[spoken])
        found = list[Floats]()
        for place, (multiple, following) in enumerate(zip(multiples, after, strict=True)):
            most = self.ratios * multiple
            values = np.maximum(0.0, 1.0 - most)
            if len(spoken):
                gains = following.take(self.following, mode="clip") * zero
                gains[last] = np.maximum(0.0, sure - one * multiple)
                best = np.maximum.reduceat(np.add.reduceat(gains, choices), first)
                values[spoken] = np.maximum(values[spoken], best)
            for index, closed in self.outline.settled.items():
                own = slice(*self.first[index : index + 2])
                values[own] = closed.bound(most[own], upper=bool(place % 2))
            found.append(values)
        return found


_NONE: Final[Ints] = np.zeros(0, np.int64)


def _changes(values: Ints) -> NDArray[np.bool_]:
    """Whether each value differs from the one before it."""
    found = np.ones(len(values), np.bool_)
    found[1:] = values[1:] != values[:-1]
    return found


def _starts(sizes: Ints) -> Ints:
    return sizes.cumsum() - sizes


@attrs.define(eq=False)
class _Beliefs:
    """All beliefs that are reachable from the first position, whose masses in both worlds count as
    equal."""

    coded: Coded
    rounds: int
    first: int
    layers: list[_Layer] = attrs.field(factory=list[_Layer])
    size: int = 0
    bounds: dict[float, list[Bounds]] = attrs.field(factory=dict[float, "list[Bounds]"])
    """For each factor by which the ratios are multiplied: lower and upper bounds on the values of
    the beliefs of each layer."""
    error: float = math.inf
    """An upper bound on the relative error of a ratio of masses, or of a sum."""

    def grow(self, limit: int, report: Report | None) -> None:
        """Find all beliefs, layer by layer; continues after an interrupt. Raises: Intractable."""
        if not self.layers:
            codes, start = np.array([self.coded.code(self.first)]), np.zeros(1, np.int64)
            outline = self.coded.outline(codes, self.rounds)
            self.layers.append(_Layer(codes, outline, start, np.ones(1)))
        while len(self.layers) < self.rounds and len(self.layers[-1].which):
            made = self._next(self.layers[-1], self.rounds - len(self.layers))
            before, self.size = self.size, self.size + len(made.which)
            self.layers.append(made)
            self.layers[-2].done()
            if self.size > limit:
                raise Intractable(_WHAT, self.size, limit)
            passed(before, self.size, report, _WHAT)
        longest = max(int(layer.outline.rows.max(initial=1)) for layer in self.layers)
        self.error = 2 * (self.rounds + 1) * (_ROUNDING + longest * 2.0**-51)
        last = self.layers[-1]
        if not len(last.following):
            last.following = np.full(len(last.answers()[0]), NOWHERE_TO_GO, np.int32)
            last.done()

    def _next(self, layer: _Layer, rounds: int) -> _Layer:
        """The layer of beliefs after ``layer``; also fills in ``layer.following``."""
        belief, row = layer.answers()
        if len(belief) > _ROWS:
            raise Intractable(_WHAT, len(belief), _ROWS)
        zero, one = (chance[row] for chance in layer.outline.chances)
        to = layer.outline.to[row]
        alive = np.flatnonzero((to != NOWHERE_TO_GO) & (zero > 0) & (one > 0))
        ratios = layer.ratios[belief[alive]] * (one[alive] / zero[alive])
        if len(ratios) and not 1 / _FARTHEST < ratios.min() <= ratios.max() < _FARTHEST:
            raise Intractable(_WHAT, "ratios", "what floats hold")
        half = 1 << _DROPPED - 1
        bits = (ratios.view(np.int64) + half) >> _DROPPED << _DROPPED
        to = to[alive]
        order = np.lexsort((bits, to))
        to, bits, ratios = to[order], bits[order], ratios[order]
        fresh = _changes(to)
        codes, index = to[fresh], fresh.cumsum() - 1
        outline = self.coded.outline(codes, rounds)
        going_on = outline.choices > 0
        going_on[[*outline.settled]] = True
        kept = going_on[index]
        new = (fresh | _changes(bits)) & kept
        following = np.full(len(belief), NOWHERE_TO_GO)
        following[alive[order]] = np.where(kept, new.cumsum() - 1, NOWHERE_TO_GO)
        layer.following = following.astype(np.int32)
        return _Layer(codes, outline, index[new].astype(np.int32), ratios[new])

    def value(self, multiples: Iterable[float]) -> None:
        """Compute bounds on the values of all beliefs (an adversary's largest gain from there on),
        for several multiples of the likelihood ratios."""
        new = [each for each in dict.fromkeys(multiples) if each not in self.bounds]
        if new:
            by = [(1 + sign * self.error) * each for each in new for sign in (1, -1)]
            after, found = [np.zeros(1)] * len(by), list[list[Bounds]]()
            for layer in reversed(self.layers):
                values = layer.values(after, by)
                for low, high in (bounds := [*zip(values[::2], values[1::2], strict=True)]):
                    low[low < TINY] = 0.0
                    high[(high > 0) & (high < TINY)] = TINY
                after = values if len(layer.which) else after
                found.append(bounds)
            for place, each in enumerate(new):
                self.bounds[each] = [layer[place] for layer in reversed(found)]

    def bounded(self, multiple: float, rounds: int, position: int, ratio: float) -> Both:
        """Bounds on a belief's value, per unit of its mass in the world that counts for the
        adversary (the world ahead). Raises: _Unknown for a belief without an estimate."""
        depth = self.rounds - rounds
        if not 0 <= depth < len(self.layers):
            raise _Unknown
        layer, code = self.layers[depth], self.coded.code(position)
        index = int(layer.codes.searchsorted(code))
        if index == len(layer.codes) or layer.codes[index] != code:
            raise _Unknown
        first, end = layer.first[index : index + 2].tolist()
        if first == end:  # No message is useful here.
            return max(0.0, 1 - ratio * (1 + self.error)), max(0.0, 1 - ratio * (1 - self.error))
        own = ratio / multiple
        place = first + (int(layer.ratios[first:end].searchsorted(own)) if end > first + 1 else 0)
        for near in range(max(first, place - 1), min(end, place + 1)):
            if 2 * abs(float(layer.ratios[near]) - own) <= self.error * own:
                low, high = self.bounds[multiple][depth]
                return float(low[near]), float(high[near])
        raise _Unknown


_Rough: TypeAlias = tuple[_Beliefs, float]
"""An estimate: (its beliefs, the factor by which their ratios were multiplied for its bounds)."""


@attrs.define(eq=False)
class Guide:
    """Tells the exact solver which messages are surely not optimal."""

    arena: Arena
    expected: tuple[float, ...] = ()
    """Further factors of the ratios for which bounds will be needed; they are computed with the
    first bounds."""
    unsuited: bool = False
    """Whether an estimate failed: too many beliefs for arrays, or too unlikely ones for floats."""
    _beliefs: dict[int, _Beliefs] = attrs.field(factory=dict[int, _Beliefs])
    """The estimates, by number of rounds."""
    ready: list[_Rough] = attrs.field(factory=list[_Rough])
    """The estimates for which bounds were computed, the latest first."""
    _left: int = 0
    """The number of beliefs that may still be valued before the estimates are dropped. If all
    messages tie, estimates rule none out."""

    def knows(self, rounds: int) -> bool:
        """Whether the beliefs of a game of ``rounds`` messages have been estimated before."""
        return rounds in self._beliefs

    def look(self, rounds: int, ahead: int, behind: int, limit: int, report: Report | None) -> int:
        """Estimate the values of all beliefs of a game, and return the number of new beliefs.

        ``ahead``, ``behind``: the weights of the two worlds at the game's start.
        """
        beliefs = self._beliefs.get(rounds)
        if beliefs is None:
            start = self.arena.start()
            beliefs = self._beliefs[rounds] = _Beliefs(coded(self.arena), rounds, start)
            for old in [*self._beliefs][:-_KEPT]:
                del self._beliefs[old]
        before = beliefs.size
        try:
            ratio = behind / ahead
            if not 1 / _GROWTHS < ratio < _GROWTHS:
                raise Intractable(_WHAT, "ratios", "what floats hold")
            beliefs.grow(limit, report)
            beliefs.value((ratio, *self.expected))
        except (
            AntiphonError,
            MemoryError,
            OverflowError,
        ):  # The exact solver goes on without an estimate, or meets and raises the error itself.
            self.unsuited = True
            del self._beliefs[rounds]
            return 0
        self.ready = [(beliefs, ratio), *self.ready[: _KEPT - 1]]
        self._left = beliefs.size // _WORTH + _LEAST
        return beliefs.size - before

    def worth_trying(
        self, choices: Sequence[Said], rounds: int, position: int, ahead: int, behind: int
    ) -> Sequence[Said]:
        """The messages (choices) in a belief that may be optimal; none where it is best to stop."""
        self._left -= 1
        if self._left < 0:
            self.ready = []
        for rough in self.ready:
            with suppress(OverflowError, _Unknown):
                found = [
                    self._worth(rough, each, rounds, position, ahead, behind) for each in choices
                ]
                least = max(low for low, _ in found)
                return [
                    choice
                    for choice, (_, high) in zip(choices, found, strict=True)
                    if high >= least and high
                ]
        return choices

    def _worth(
        self, rough: _Rough, choice: AdversaryChoice, rounds: int, position: int,
        ahead: int, behind: int,
    ) -> Both:  # fmt: skip
        """Bounds on the value of sending one message (``choice``), per unit of the belief's mass in
        the world that counts for the adversary. Raises: _Unknown."""
        (beliefs, multiple), (zero, one) = rough, self.arena.totals
        whole, least, most = choice.denominator * ahead * zero[position], 0.0, 0.0
        for factor0, factor1, to in choice.branches:
            own, other = ahead * factor0 * zero[to], behind * factor1 * one[to]
            if own and other and to != OVER and rounds > 1:
                share = own / whole
                low, high = beliefs.bounded(multiple, rounds - 1, to, other / own)
                if share < TINY:
                    raise _Unknown
                least, most = least + share * low, most + share * high
            elif own > other:
                gain = (own - other) / whole
                least, most = least + gain, most + (gain or TINY)
        error = beliefs.error
        return least * (1 - error), most * (1 + error)
