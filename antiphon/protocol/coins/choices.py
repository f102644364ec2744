"""One of many candidates by its weight: exact, at a few nanoseconds a candidate.

Candidate i has 2^bits·w_i, rounded up to an integer, of the places on a line; a uniform place is
tossed, and i accepted if the real number there, of which more bits are tossed until that is sure,
is below 2^bits·w_i (``inversion``). So the law is P(i) ∝ w_i exactly, whatever the bounds: that
they are close is for speed alone. Source: Devroye, *Non-Uniform Random Variate Generation*
(1986), ch. II.3 (rejection); the weights e^(-rate·gap) are those of McSherry and Talwar 2007.
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
"""Bits of all places together."""
_CELLS: Final = 256
"""Entries of the table for each unit of rate·gap: 1 candidate of 256 is tossed again."""
_SLOW: Final = 0.25
"""At most so many cells for a unit, and those of every gap are counted in 63 bits."""
_GUARD: Final = 32
_SURE: Final = 2.0**-40
"""More than e^(-rate·gap) loses to rounding while it is no subnormal number."""
_BLOCK: Final = 1 << 14
"""Candidates that are weighed together: their numbers stay in the processor's cache."""


@attrs.frozen(eq=False)
class Candidates:
    """P(i) ∝ w_i, all w_i <= 1."""

    bits: int
    _tops: Integers
    """At least 2^bits·w_i, each; together below 2^63."""
    _weight: Callable[[int], Bracket]
    """Around w_i."""
    _near: Callable[[int], float] | None = None
    """w_i in doubles, to a part of 2^-40: that settles nearly all tosses."""

    def draw(self, word: Word) -> int:
        """One i."""
        ends = np.add.accumulate(self._tops)
        places = int(ends[-1])
        while True:
            place = below(places, word)
            i = int(ends.searchsorted(place, side="right"))
            place -= int(ends[i] - self._tops[i])
            if self._accepts(i, place, word):
                return i

    def _accepts(self, i: int, place: int, word: Word) -> bool:
        """Whether the real number that begins with these bits is below w_i."""
        if self._near is not None:
            weight = math.ldexp(self._near(i), self.bits)
            if place + 1 < weight * (1 - _SURE):
                return True
            if place > weight * (1 + _SURE) + 1:
                return False
        return Uniform(place, self.bits, word).below(self._weight(i))


def by_scores(rate: ExactEpsilon, scores: Integers, speeds: Speeds | None = None) -> Candidates:
    """w_i = e^(-rate·gap), for the gap between the best score and that of i.

    ``speeds`` are those of the rate, where they are known.
    """
    best, bits = int(scores[scores.argmax()]), _bits(scores)
    table, (speed, near) = _table(bits), speeds or speeds_of(rate)
    tops = np.empty(len(scores), np.int64)
    for start in range(0, len(scores), _BLOCK):
        block = slice(start, start + _BLOCK)
        # As unsigned integers, which a gap of more than 63 bits fits, too.
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
    """w_i ∝ weights[i], int64 or float64, which counts as the rational that it is."""
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
    """Around e^(-rate·gap)."""
    if not isinstance(rate, Log):
        return power(rate * gap)

    def bracket(bits: int) -> tuple[int, int]:
        slow, fast = exact.bracket(rate, bits // 3 + len(str(gap)) + 9)
        return exact.exp_bracket(fast * gap, bits)[0], exact.exp_bracket(slow * gap, bits)[1]

    return bracket


def speeds_of(rate: ExactEpsilon) -> Speeds:
    """``_speed``, and the rate in doubles."""
    return _speed(rate), nearest(rate)


def _speed(rate: ExactEpsilon) -> float:
    """Cells for each unit of the gap, rounded down so far that gap·speed is so, too.

    2^-50 is more than the four roundings of rate, speed, gap and their product make up for.
    """
    slow = min(exact.bracket(rate, 20)[0], Fraction(1 << 60))
    found = float(slow * _CELLS) * (1 - 2.0**-50)
    return found if found > 2.0**-500 else 0.0


@lru_cache(maxsize=1)
def _powers() -> Integers:
    """2^62·e^(-k/256), rounded up, for k = 0, 1, … until it is 1."""
    bits = _LARGEST + _GUARD
    factor = exact.exp_bracket(Fraction(1, _CELLS), bits)[1]
    high, found = 1 << bits, list[int]()
    while not found or found[-1] > 1:
        found.append(-(-high >> _GUARD))
        high = -(-high * factor >> bits)
    return np.array(found, np.int64)


@lru_cache(maxsize=_LARGEST)
def _table(bits: int) -> Integers:
    """2^bits·e^(-k/256), rounded up, for k = 0, 1, … until it is 1."""
    found = -(-_powers() >> _LARGEST - bits)
    return found[: int(np.argmax(found == 1)) + 1]
