"""Discrete Gaussian noise with a large standard deviation: exact, at a few nanoseconds per draw.

|x| is drawn from cells of σ/128 integers. A cell k is chosen with probability ∝
E_k = e^(-(k/128)²/2) by inversion (``inversion``), a place in it uniformly, and x is accepted
with probability e^(-x²/(2σ²))/E_k, which is nearly 1. The law is exactly P(x) ∝ e^(-x²/(2σ²)),
since more bits are drawn wherever the first ones leave a comparison open. One word of 64 bits is
enough for 99 of 100 draws: 16 bits of the cell's uniform number, the sign, 25 bits of the place and
22 of the acceptance (for σ = 2^32).
"""

from bisect import bisect_left, bisect_right
from fractions import Fraction
from functools import lru_cache
from typing import Final, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from antiphon.numbers import exact
from antiphon.protocol.coins import inversion
from antiphon.protocol.coins.inversion import Integers, Uniform, Word, Words, one_by_one

Real = TypeVar("Real", float, NDArray[np.float64])
Places: TypeAlias = NDArray[np.intp]
"""An array of indices into an array of draws."""

_CELLS: Final = 128
"""The number of cells (intervals of absolute values |x|) in a width of one standard deviation."""
_FIRST: Final = 16
"""The number of bits at the beginning of the first random word that choose a cell (an interval of
absolute values |x|); more bits are tossed where these leave it open."""
_GUARD: Final = 64
_BITS: Final = 96
_NEAR: Final = 4 * _CELLS
"""The number of cells (intervals of absolute values |x|), counted from 0, whose draws are first
compared with one acceptance threshold, the lowest of theirs."""
_MOST: Final = 1 << 12
"""The number of cells (intervals of absolute values |x|) with an acceptance threshold: no draw
exceeds 32 σ (probability below 2^-700)."""
_BLOCK: Final = 1 << 14
"""The number of draws made together, small enough for the processor's cache."""
_U64: Final = [np.uint64(n) for n in range(64)]
CERTAIN: Final = 2.0**-44
"""A bound above the rounding errors of probabilities and of uniform numbers in doubles."""


class WideGaussian:
    """An exact sampler of P(x) ∝ e^(-x²/(2σ²)) on the integers, for σ = 2^exponent, 16 <=
    exponent <= 40."""

    def __init__(self, exponent: int) -> None:
        self.exponent: Final = exponent
        self._place = exponent - _CELLS.bit_length() + 1
        self._left = 64 - _FIRST - 1 - self._place
        """The number of lowest bits of a draw's first random word that decide on acceptance; the
        bits above them choose the place in the cell (an interval of absolute values)."""
        self._variance = Fraction(4) ** exponent
        self._scale = 0.5 * 0.25**exponent
        self._surely = [low >> _BITS - self._left for low in _lowest()]
        """For each cell (an interval of absolute values), the number below which the acceptance
        bits accept a draw at every place in the cell."""
        self._table = np.array(_table(), np.uint64)
        self._guide = np.array([cell if cell < _NEAR else -1 for cell in _guide()], np.int16)
        self._limits = np.array(self._surely, np.int64)

    def draw(self, word: Word) -> int:
        """Draw one discrete Gaussian integer; each call of ``word`` returns 64 random bits."""
        while True:
            first = word()
            cell = _guide()[first >> 64 - _FIRST]
            if cell < 0:
                cell = _settled(first >> 64 - _FIRST, word)
            rest = first & (1 << self._left) - 1
            size = cell << self._place | first >> self._left & (1 << self._place) - 1
            if rest < self._surely[cell] or self._accepts(size, cell, rest, word):
                if not first >> 63 - _FIRST & 1:
                    return size
                if size:  # A draw of "minus zero" is repeated.
                    return -size

    def _accepts(self, size: int, cell: int, rest: int, word: Word) -> bool:
        more = word()
        uniform, chance = self._compared(float(size), float(cell << self._place), rest, more)
        if abs(uniform - chance) < CERTAIN:
            return self._decides(size, cell, rest << 64 | more, word)
        return bool(uniform < chance)

    def _compared(self, size: Real, edge: Real, rest: Real, more: Real) -> tuple[Real, Real]:
        """The uniform number (from ``rest`` and ``more`` random bits) and the acceptance
        probability of ``size``, both as doubles; for numbers or arrays."""
        rate = (size - edge) * (size + edge) * self._scale
        chance = 1.0 - rate / 10
        for k in range(9, 0, -1):  # the Taylor series of e^-rate, exact to 2^-46 for rates up to ¼
            chance = 1.0 - rate * chance / k
        return (rest + more * 2.0**-64) * 2.0**-self._left, chance

    def _decides(self, size: int, cell: int, digits: int, word: Word) -> bool:
        edge = cell << self._place
        rate = (size - edge) * (size + edge) / (2 * self._variance)
        return Uniform(digits, self._left + 64, word).below(inversion.power(rate))

    def many(self, count: int, words: Words) -> Integers:
        """Draw ``count`` discrete Gaussian integers at once."""
        return inversion.accepted(count, lambda missing: self._some(min(missing, _BLOCK), words))

    def _some(self, count: int, words: Words) -> Integers:
        """At most ``count`` discrete Gaussian integers: those of ``count`` tries that are accepted;
        computed in place, for speed."""
        first = words(count)
        start = (first >> _U64[64 - _FIRST]).view(np.int64)
        # cells (intervals of |x|), or -1 if 16 bits do not tell
        size = self._guide.take(start).astype(np.int64)
        open_ = np.flatnonzero(size < 0)
        size[open_] = _settled_many(start[open_], self._table, words)
        size <<= self._place
        place = (first >> _U64[self._left]).view(np.int64)
        place &= (1 << self._place) - 1
        size |= place
        rest = first.view(np.int64) & (1 << self._left) - 1
        refused = self._refused(size, rest, open_, words)
        sign = (first << _U64[_FIRST]).view(np.int64)
        sign >>= 63  # for each draw, 0 for a plus sign and -1 for a minus sign;
        if np.count_nonzero(size) < count:  # a draw of "minus zero" is repeated
            refused = np.union1d(refused, np.flatnonzero((size == 0) & (sign < 0)))
        size ^= sign
        size -= sign
        return _without(size, refused)

    def _refused(self, size: Integers, rest: Integers, open_: Places, words: Words) -> Places:
        """The positions of the rejected draws, which the caller leaves out."""
        doubt = rest >= self._surely[_NEAR - 1]
        doubt[open_] = True
        doubtful: Places = np.flatnonzero(doubt)
        cell = size[doubtful] >> self._place
        still = rest[doubtful] >= self._limits[cell]
        doubtful, cell = doubtful[still], cell[still]
        if len(doubtful):
            doubtful = doubtful[~self._accepted(size[doubtful], cell, rest[doubtful], words)]
        return doubtful

    def _accepted(
        self, size: Integers, cell: Integers, rest: Integers, words: Words
    ) -> NDArray[np.bool_]:
        """For each draw of absolute value ``size``, whether it is accepted, decided by its ``rest``
        bits and as many more random bits as needed."""
        more = words(len(size))
        numbers = (size, cell << self._place, rest, more)
        uniform, chance = self._compared(*(each.astype(float) for each in numbers))
        taken = uniform < chance
        for i in np.flatnonzero(np.abs(uniform - chance) < CERTAIN).tolist():
            digits = int(rest[i]) << 64 | int(more[i])
            taken[i] = self._decides(int(size[i]), int(cell[i]), digits, one_by_one(words))
        return taken


# --- the choice of a cell (an interval of absolute values) ---------------------------------------


@lru_cache(maxsize=8)
def _sums(bits: int) -> tuple[list[tuple[int, int]], int, int]:
    """Integer bounds around 2^bits·(E_0 + … + E_{k-1}) for each k, and around the sum of all E_j,
    where E_j = e^(-(j/128)²/2) is the weight of cell j.

    E_j in fixed point, rounded outward: E_{j+1} = E_j·r_j, r_{j+1} = r_j·e^(-1/128²), until E_j is
    below one unit; the rest of the sum is less than 2^14 units.
    """
    one = 1 << bits
    factor = exact.exp_bracket(Fraction(1, _CELLS**2), bits)
    low, high = one, one
    ratio = exact.exp_bracket(Fraction(1, 2 * _CELLS**2), bits)
    found, below, above = [(0, 0)], 0, 0
    while high > 1:
        below, above = below + low, above + high
        found.append((below, above))
        low, high = low * ratio[0] >> bits, -(-high * ratio[1] >> bits)
        ratio = ratio[0] * factor[0] >> bits, -(-ratio[1] * factor[1] >> bits)
    return found, below, above + (1 << 14)


def _bound(k: int) -> inversion.Bracket:
    """Integer bounds around 2^bits·P(a draw's cell, an interval of |x|, is one of the first k), as
    a function of ``bits``."""

    def bracket(bits: int) -> tuple[int, int]:
        found, low, high = _sums(bits + _GUARD)
        if k >= len(found):
            return (1 << bits) - 1, 1 << bits
        return (found[k][0] << bits) // high, -(-(found[k][1] << bits) // low)

    return bracket


@lru_cache(maxsize=1)
def _lowest() -> list[int]:
    """For each cell (an interval of sizes), 2^96 times the least probability that a draw in the
    cell is accepted, rounded down."""
    low = exact.exp_bracket(Fraction(1, 2 * _CELLS**2), _BITS)[0]
    factor = exact.exp_bracket(Fraction(1, _CELLS**2), _BITS)[0]
    found: list[int] = []
    for _ in range(_MOST):
        found.append(low)
        low = low * factor >> _BITS
    return found


@lru_cache(maxsize=1)
def _table() -> list[int]:
    """The probability that a draw's cell (an interval of |x|) is one of the first k, as the integer
    ⌊2^64·probability⌋, for k = 1, 2, …, up to the first that is 2^64 - 1."""
    table: list[int] = []
    while not table or table[-1] + 1 < 1 << 64:
        table.append(inversion.threshold(_bound(len(table) + 1)))
    return table


@lru_cache(maxsize=1)
def _guide() -> list[int]:
    """For each value of the first 16 random bits, the cell (an interval of |x|) that they choose;
    -1 where these bits do not determine the cell."""
    ends = [(g << 64 - _FIRST, (g + 1 << 64 - _FIRST) - 1) for g in range(1 << _FIRST)]
    table = _table()
    cells = [(bisect_left(table, low), bisect_right(table, high)) for low, high in ends]
    return [left if left == right else -1 for left, right in cells]


def _settled(start: int, word: Word) -> int:
    """The index of the cell (an interval of |x|) that is chosen by a uniform number with the first
    16 bits ``start``; more bits are tossed."""
    digits = start << 64 - _FIRST | word() >> _FIRST
    table = _table()
    cell = bisect_right(table, digits)
    return cell if not cell or table[cell - 1] != digits else _decided(digits, word)


def _decided(digits: int, word: Word) -> int:
    """The index of the cell (an interval of |x|) that is chosen by a uniform number whose first 64
    bits equal a table entry, so that more bits are tossed."""
    uniform, cell = Uniform(digits, 64, word), bisect_left(_table(), digits)
    while not uniform.below(_bound(cell + 1)):
        cell += 1
    return cell


def _settled_many(start: Integers, table: NDArray[np.uint64], words: Words) -> Integers:
    digits = start.view(np.uint64) << _U64[64 - _FIRST] | words(len(start)) >> _U64[_FIRST]
    cell = np.searchsorted(table, digits, side="right")
    for i in inversion.ties(table, digits, cell):
        cell[i] = _decided(int(digits[i]), one_by_one(words))
    return cell


def _without(values: Integers, places: Places) -> Integers:
    """The values except those at ``places``; their order changes, as the last ones fill gaps."""
    if not len(places):
        return values
    end = len(values) - len(places)
    tail = np.ones(len(places), bool)
    tail[places[places >= end] - end] = False
    values[places[places < end]] = values[end:][tail]
    return values[:end]
