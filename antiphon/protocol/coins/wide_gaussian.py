"""Discrete Gaussian noise x of large σ: a cell (an interval of |x|) is drawn, then x in the cell.

The cells are intervals of σ/128 integers. Cell k is chosen with probability ∝ E_k = e^(-(k/128)²/2)
by inversion (``inversion``), a place in it uniformly, and x is accepted with probability
e^(-x²/(2σ²))/E_k, which is nearly 1. The law is exactly P(x) ∝ e^(-x²/(2σ²)), since more bits are
drawn wherever the first ones leave a comparison open. One word of 64 bits is enough for 99 of 100
draws, which take some nanoseconds: 16 bits of the cell's uniform number, the sign, 25 bits of the
place and 22 of the acceptance (for σ = 2^32).
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
"""The indices of some draws in an array of draws."""

_CELLS: Final = 128
"""The number of cells (intervals of |x|) in an interval of one standard deviation."""
_FIRST: Final = 16
"""The number of leading bits of a draw's first random word that choose its cell (an interval of
|x|); where they leave several cells possible, more bits are drawn."""
_GUARD: Final = 64
_BITS: Final = 96
_NEAR: Final = 4 * _CELLS
"""The number of cells, those up to 4 σ, whose draws are first compared with a common acceptance
threshold: the least of the thresholds of these cells."""
_MOST: Final = 1 << 12
"""The number of cells that have an acceptance threshold, those up to 32 σ: a draw exceeds 32 σ with
probability below 2^-700."""
_BLOCK: Final = 1 << 14
"""The number of draws made together, small enough for the processor's cache."""
_U64: Final = [np.uint64(n) for n in range(64)]
CERTAIN: Final = 2.0**-44
"""A bound above the rounding error with which a uniform number and an acceptance probability are
compared in doubles; where they are closer, exact numbers decide."""


class WideGaussian:
    """An exact sampler of P(x) ∝ e^(-x²/(2σ²)) on the integers; σ = 2^exponent is 2^16 to 2^40."""

    def __init__(self, exponent: int) -> None:
        self.exponent: Final = exponent
        self._place = exponent - _CELLS.bit_length() + 1
        self._left = 64 - _FIRST - 1 - self._place
        """The number of acceptance bits: the lowest bits of a draw's first random word, which
        decide whether it is accepted. The bits above them choose the place in the cell."""
        self._variance = Fraction(4) ** exponent
        self._scale = 0.5 * 0.25**exponent
        self._surely = [low >> _BITS - self._left for low in _lowest()]
        """For each cell, an acceptance threshold: a draw with smaller acceptance bits is accepted
        at every place in the cell."""
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
                if size:  # The value -0 is drawn again; else 0 would be twice as likely.
                    return -size

    def _accepts(self, size: int, cell: int, rest: int, word: Word) -> bool:
        more = word()
        uniform, chance = self._compared(float(size), float(cell << self._place), rest, more)
        if abs(uniform - chance) < CERTAIN:
            return self._decides(size, cell, rest << 64 | more, word)
        return bool(uniform < chance)

    def _compared(self, size: Real, edge: Real, rest: Real, more: Real) -> tuple[Real, Real]:
        """The two numbers of an acceptance test as doubles (or arrays): a uniform number with the
        bits ``rest`` and ``more``, and the acceptance probability of |x| = ``size``, in the cell
        that begins at ``edge``."""
        rate = (size - edge) * (size + edge) * self._scale
        chance = 1.0 - rate / 10
        # The Taylor series of e^-rate, with an error below 2^-46 for rates up to ¼.
        for k in range(9, 0, -1):
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
        """The accepted ones among ``count`` proposed discrete Gaussian integers; computed in place,
        for speed."""
        first = words(count)
        start = (first >> _U64[64 - _FIRST]).view(np.int64)
        # At first ``size`` holds the index of each draw's cell, or -1 where more than 16 bits are
        # needed.
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
        sign >>= 63  # -1 for a minus sign, 0 for a plus sign.
        if np.count_nonzero(size) < count:  # The value -0 is drawn again.
            refused = np.union1d(refused, np.flatnonzero((size == 0) & (sign < 0)))
        size ^= sign
        size -= sign
        return _without(size, refused)

    def _refused(self, size: Integers, rest: Integers, open_: Places, words: Words) -> Places:
        """The indices of the draws that are rejected, given their absolute values ``size``, their
        acceptance bits ``rest``, and the indices ``open_`` of draws whose cell needed more than 16
        bits."""
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
        """For each draw of absolute value ``size``, whether it is accepted: its acceptance bits
        ``rest`` and more random bits are compared with its acceptance probability."""
        more = words(len(size))
        numbers = (size, cell << self._place, rest, more)
        uniform, chance = self._compared(*(each.astype(float) for each in numbers))
        taken = uniform < chance
        for i in np.flatnonzero(np.abs(uniform - chance) < CERTAIN).tolist():
            digits = int(rest[i]) << 64 | int(more[i])
            taken[i] = self._decides(int(size[i]), int(cell[i]), digits, one_by_one(words))
        return taken


# --- the choice of a cell (an interval of |x|) ---------------------------------------


@lru_cache(maxsize=8)
def _sums(bits: int) -> tuple[list[tuple[int, int]], int, int]:
    """Integer bounds around 2^bits times the sum of the first k cells' weights, for each k, and
    around 2^bits times the sum of all; cell j has the weight E_j = e^(-(j/128)²/2).

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
    """Integer bounds around 2^bits·P(cell < k), as a function of ``bits``: the probability that the
    index of a draw's cell is below k."""

    def bracket(bits: int) -> tuple[int, int]:
        found, low, high = _sums(bits + _GUARD)
        if k >= len(found):
            return (1 << bits) - 1, 1 << bits
        return (found[k][0] << bits) // high, -(-(found[k][1] << bits) // low)

    return bracket


@lru_cache(maxsize=1)
def _lowest() -> list[int]:
    """For each cell k, 2^96·e^(-(2k+1)/(2·128²)) rounded down: every draw in the cell is accepted
    with at least this probability (times 2^-96)."""
    low = exact.exp_bracket(Fraction(1, 2 * _CELLS**2), _BITS)[0]
    factor = exact.exp_bracket(Fraction(1, _CELLS**2), _BITS)[0]
    found: list[int] = []
    for _ in range(_MOST):
        found.append(low)
        low = low * factor >> _BITS
    return found


@lru_cache(maxsize=1)
def _table() -> list[int]:
    """The cumulative probabilities of the cells: the integers ⌊2^64·P(cell < k)⌋ for k = 1, 2, …,
    up to the first that is 2^64 - 1."""
    table: list[int] = []
    while not table or table[-1] + 1 < 1 << 64:
        table.append(inversion.threshold(_bound(len(table) + 1)))
    return table


@lru_cache(maxsize=1)
def _guide() -> list[int]:
    """For each value of a draw's first 16 random bits, the index of the cell that they choose; -1
    if they leave several cells possible."""
    ends = [(g << 64 - _FIRST, (g + 1 << 64 - _FIRST) - 1) for g in range(1 << _FIRST)]
    table = _table()
    cells = [(bisect_left(table, low), bisect_right(table, high)) for low, high in ends]
    return [left if left == right else -1 for left, right in cells]


def _settled(start: int, word: Word) -> int:
    """The index of a draw's cell, when the first 16 bits of its uniform number (``start``) leave
    several cells possible; more bits are drawn."""
    digits = start << 64 - _FIRST | word() >> _FIRST
    table = _table()
    cell = bisect_right(table, digits)
    return cell if not cell or table[cell - 1] != digits else _decided(digits, word)


def _decided(digits: int, word: Word) -> int:
    """The index of a draw's cell, when the first 64 bits of its uniform number (``digits``) equal a
    table entry and so leave several cells possible; more bits are drawn."""
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
    """The values without those at the indices ``places``, where the last values are put."""
    if not len(places):
        return values
    end = len(values) - len(places)
    tail = np.ones(len(places), bool)
    tail[places[places >= end] - end] = False
    values[places[places < end]] = values[end:][tail]
    return values[:end]
