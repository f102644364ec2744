"""Exact sampling, by rejection, of one of many candidates with given weights; some ns for each.

Each candidate i, of weight w_i, is assigned an interval of at least 2^bits·w_i integers. A uniform
integer is drawn; if it is the p-th (from 0) of candidate i's interval, then i is accepted if p + U
< 2^bits·w_i for a uniform real U in [0, 1), of which bits are drawn until this is decided
(``inversion``). So the law is P(i) ∝ w_i exactly; how tight the intervals are matters for speed
only. Source: Devroye, *Non-Uniform Random Variate Generation* (1986), ch. II.3 (rejection); the
weights e^(-rate·gap) are those of McSherry and Talwar 2007.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.numbers import ExactEpsilon, Log, exact, nearest
from antiphon.protocol.coins.inversion import Bracket, Integers, Uniform, Word, power
from antiphon.protocol.coins.samplers import below

Speeds: TypeAlias = tuple[float, float]

_LARGEST: Final = 62
"""The largest number of bits of the sum of all scaled weights 2^bits·w_i, w_i being the weight of
candidate i."""
_CELLS: Final = 256
"""The number of entries per unit of x in ``_table``, a table of the weights e^(-x): with 256, at
most about one proposed candidate in 256 is rejected."""
_SLOW: Final = 0.25
"""A number of table entries per unit of score, so small that even scores 2^64 apart give a table
index that fits a signed 64-bit integer."""
_GUARD: Final = 32
_SURE: Final = 2.0**-40
"""A bound above the relative rounding error of a weight e^-x that is computed in doubles."""
_BLOCK: Final = 1 << 14
"""The number of candidates weighted together, so few that they fit the processor's cache."""


@attrs.frozen(eq=False)
class Candidates:
    """An exact sampler of the index i of a candidate, with probability ∝ its weight w_i <= 1."""

    bits: int
    _tops: Integers
    """Integer upper bounds for all scaled weights 2^bits·w_i; their sum is below 2^63."""
    _weight: Callable[[int], Bracket]
    """A function that gives, for a candidate i, a function from ``bits`` to integer bounds around
    the scaled weight 2^bits·w_i."""
    _near: Callable[[int], float] | None = None
    """A function from a candidate i to its weight w_i as a double, which nearly always decides
    whether the candidate is accepted; None if there is no such function."""

    def draw(self, word: Word) -> int:
        """Draw the index of one candidate, with probability proportional to its weight; ``word()``
        returns 64 random bits."""
        ends = np.add.accumulate(self._tops)
        places = int(ends[-1])
        while True:
            place = below(places, word)
            i = int(ends.searchsorted(place, side="right"))
            place -= int(ends[i] - self._tops[i])
            if self._accepts(i, place, word):
                return i

    def _accepts(self, i: int, place: int, word: Word) -> bool:
        """Whether candidate i is accepted: whether a uniform real number with the first bits
        ``place`` is below the weight w_i; more random bits are drawn while the comparison is
        undecided."""
        if self._near is not None:
            weight = math.ldexp(self._near(i), self.bits)
            if place + 1 < weight * (1 - _SURE):
                return True
            if place > weight * (1 + _SURE) + 1:
                return False
        return Uniform(place, self.bits, word).below(self._weight(i))


def by_scores(rate: ExactEpsilon, scores: Integers, speeds: Speeds | None = None) -> Candidates:
    """The exact sampler of the exponential mechanism: candidate i has weight e^(-rate·gap), where
    gap is the best score minus the score of i.

    ``speeds`` is ``speeds_of(rate)``, if it has been computed before.
    """
    best, bits = int(scores[scores.argmax()]), _bits(scores)
    table, (speed, near) = _table(bits), speeds or speeds_of(rate)
    tops = np.empty(len(scores), np.int64)
    for start in range(0, len(scores), _BLOCK):
        block = slice(start, start + _BLOCK)
        # The differences between the best score and the others may need 64 bits, so they are
        # unsigned.
        cells = np.multiply(np.subtract(best, scores[block]).view(np.uint64), speed)
        if speed > _SLOW:
            np.minimum(cells, len(table) - 1, out=cells)
        table.take(cells.astype(np.intp), out=tops[block], mode="clip")
    return Candidates(
        bits,
        tops,
        lambda i: _weight(rate, best - int(scores[i])),
        lambda i: math.exp(-near * (best - int(scores[i]))),
    )


def by_weights(weights: NDArray[Any]) -> Candidates:
    """The exact sampler of an index i with probability proportional to weights[i], for an int64 or
    float64 array of weights; a float counts as the rational that it equals."""
    bits, largest = _bits(weights), weights.max().item()
    if weights.dtype.kind == "f":
        scale = Fraction(2) ** math.frexp(largest)[1]
        tops = np.ldexp(weights, bits - math.frexp(largest)[1]).astype(np.int64)
        tops += weights > 0
    else:
        shift = max(0, largest.bit_length() - bits)
        scale = Fraction(1 << bits + shift)
        tops = weights >> shift
        if shift:
            tops += weights > 0

    def weight(i: int) -> Bracket:
        exactly = Fraction(weights[i].item()) / scale
        return lambda bits: (math.floor(exactly * (1 << bits)), math.ceil(exactly * (1 << bits)))

    return Candidates(bits, tops, weight)


def _bits(candidates: NDArray[Any]) -> int:
    return _LARGEST - len(candidates).bit_length()


def _weight(rate: ExactEpsilon, gap: int) -> Bracket:
    """Integer bounds around 2^bits·w, as a function of ``bits``, where w = e^(-rate·gap) is the
    weight of a candidate whose score is ``gap`` below the best score."""
    if not isinstance(rate, Log):
        return power(rate * gap)

    def bracket(bits: int) -> tuple[int, int]:
        slow, fast = exact.bracket(rate, bits // 3 + len(str(gap)) + 9)
        return exact.exp_bracket(fast * gap, bits)[0], exact.exp_bracket(slow * gap, bits)[1]

    return bracket


def speeds_of(rate: ExactEpsilon) -> Speeds:
    """Two doubles for ``by_scores``: the number of entries of ``_table`` per unit of score
    (``_speed``), and the rate."""
    return _speed(rate), nearest(rate)


def _speed(rate: ExactEpsilon) -> float:
    """The number of entries of ``_table`` per unit of score, rounded down so far that its product
    with a difference of scores, computed in doubles, never exceeds the exact product.

    The margin 2^-50 exceeds the four rounding errors (of rate, speed, gap and their product).
    """
    slow = min(exact.bracket(rate, 20)[0], Fraction(1 << 60))
    found = float(slow * _CELLS) * (1 - 2.0**-50)
    return found if found > 2.0**-500 else 0.0


@lru_cache(maxsize=1)
def _powers() -> Integers:
    """The weights e^(-k/256), k = 0, 1, …, as integers ⌈2^62·e^(-k/256)⌉, until one is 1."""
    bits = _LARGEST + _GUARD
    factor = exact.exp_bracket(Fraction(1, _CELLS), bits)[1]
    high, found = 1 << bits, list[int]()
    while not found or found[-1] > 1:
        found.append(-(-high >> _GUARD))
        high = -(-high * factor >> bits)
    return np.array(found, np.int64)


@lru_cache(maxsize=_LARGEST)
def _table(bits: int) -> Integers:
    """The weights e^(-k/256) for k = 0, 1, … as integers ⌈2^bits·e^(-k/256)⌉, until one is 1."""
    found = -(-_powers() >> _LARGEST - bits)
    return found[: int(np.argmax(found == 1)) + 1]
