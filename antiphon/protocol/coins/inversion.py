"""Exact inversion sampling: a random word is looked up in a table; if in doubt, it gets more bits.

A number D = 0, 1, … with bounds c_k = P(D < k) is drawn as D = #{k >= 1 : U >= c_k} for a uniform
real U of which only the first bits are tossed. The table has the integers ⌊2^bits·c_k⌋: a word
below an entry means U < c_k, a word above it means U > c_k, and a word *equal* to it (probability
2^-bits) is settled by more bits and finer bounds. So the law is exactly the one stated; integers
are compared and nothing is rounded. Source: Knuth and Yao 1976; Devroye, *Non-Uniform Random
Variate Generation* (1986), ch. XV.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from fractions import Fraction
from typing import Final, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.numbers import exact
from antiphon.protocol.registry import set_derived

Word: TypeAlias = Callable[[], int]
"""A source of coins: each call returns a uniform 64-bit word."""
Words: TypeAlias = "Callable[[int], NDArray[np.uint64]]"
"""A source of coins: a call with ``count`` returns an array of as many uniform 64-bit words."""
Integers: TypeAlias = "NDArray[np.int64]"
Bracket: TypeAlias = Callable[[int], tuple[int, int]]
"""Bounds on a real number c: a function from bits to close integers low <= 2^bits·c <= high."""

WORD: Final = 64
_GUARD: Final = 128
"""The number of guard bits: bits with which a table is computed, beyond those of its entries."""


@attrs.define
class Uniform:
    """A uniform real on [0, 1) whose first ``bits`` bits are ``digits``; more follow on demand."""

    digits: int
    bits: int
    word: Word

    def below(self, bracket: Bracket) -> bool:
        """Whether the uniform real is below the number that ``bracket`` encloses; more bits are
        tossed until that is certain."""
        while True:
            low, high = bracket(self.bits)
            if self.digits < low:
                return True
            if self.digits >= high:
                return False
            self.digits = self.digits << WORD | self.word()
            self.bits += WORD


def power(rate: Fraction) -> Bracket:
    """Integer bounds around 2^bits·e^(-rate), as a function of ``bits``."""
    return lambda bits: exact.exp_bracket(rate, bits)


def threshold(bracket: Bracket) -> int:
    """⌊2^64·c⌋ for the number c that ``bracket`` encloses; 2^64·c must not be an integer, unless
    the bracket is exact."""
    precision = WORD + 32
    while True:
        low, high = (end >> precision - WORD for end in bracket(precision))
        if low == high:
            return low
        precision *= 2


@attrs.frozen(eq=False)
class Geometric:
    """An exact sampler of a geometric number D with P(D = k) ∝ e^(-k·rate), for k = 0, …, size-1,
    or for all k >= 0 if ``size`` is None.

    ``table`` has ⌊2^bits·P(D < k)⌋ for k = 1, 2, … up to size-1, or until it is 2^bits - 1.
    """

    rate: Fraction
    size: int | None
    bits: int
    table: list[int] = attrs.field(init=False, repr=False)
    array: NDArray[np.uint64] = attrs.field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        precision, table = self.bits + _GUARD, None
        while table is None:
            table = self._computed(precision)
            precision *= 2
        set_derived(self, table=table, array=np.array(table, np.uint64))

    def _computed(self, precision: int) -> list[int] | None:
        """The table of a geometric sampler, from powers in fixed-point arithmetic with
        ``precision`` bits, rounded outward; None if the precision is too low."""
        one, most = 1 << precision, (1 << self.bits) - 1
        ratio = exact.exp_bracket(self.rate, precision)
        last = (0, 0) if self.size is None else power(self.rate * self.size)(precision)
        low, high = one, one  # Bounds around 2^precision·e^(-k·rate), for the k-th entry.
        table: list[int] = []
        while len(table) + 1 != self.size:
            low, high = low * ratio[0] >> precision, -(-high * ratio[1] >> precision)
            least = ((one - high) << self.bits) // (one - last[0])
            # The true P(D < k) is below 1, so a computed upper bound of 1 becomes the largest table
            # entry.
            if least != min(most, ((one - low) << self.bits) // (one - last[1])):
                return None
            table.append(least)
            if least == most:
                break
        return table

    def bound(self, k: int) -> Bracket:
        """Integer bounds around 2^bits·P(D < k), as a function of ``bits``; P(D < k) is (1 -
        e^(-k·rate)) / (1 - e^(-size·rate))."""

        def bracket(bits: int) -> tuple[int, int]:
            if self.size is not None and k >= self.size:
                return 1 << bits, 1 << bits
            fine = bits + _GUARD
            one = 1 << fine
            low, high = power(self.rate * k)(fine)
            last = (0, 0) if self.size is None else power(self.rate * self.size)(fine)
            least = ((one - high) << bits) // (one - last[0])
            return least, -(-((one - low) << bits) // (one - last[1]))

        return bracket

    def settle(self, digits: int, word: Word) -> int:
        """The geometric number for a uniform number whose first bits, ``digits``, equal a table
        entry, so that further random bits are needed."""
        uniform, k = Uniform(digits, self.bits, word), bisect_left(self.table, digits)
        while not uniform.below(self.bound(k + 1)):
            k += 1
        return k

    def draw(self, word: Word) -> int:
        """Draw one geometric number; the table must be of 64 bits."""
        digits = word()
        k = bisect_right(self.table, digits)
        return self.settle(digits, word) if k and self.table[k - 1] == digits else k

    def many(self, count: int, words: Words) -> Integers:
        """Draw ``count`` geometric numbers at once."""
        digits = words(count)
        drawn = np.searchsorted(self.array, digits, side="right")
        for place in ties(self.array, digits, drawn):
            drawn[place] = self.settle(int(digits[place]), one_by_one(words))
        return drawn


def ties(table: NDArray[np.uint64], digits: NDArray[np.uint64], found: Integers) -> list[int]:
    """The positions of the random words ``digits`` that equal a table entry and need more bits."""
    places: list[int] = np.flatnonzero((table[found - 1] == digits) & (found > 0)).tolist()
    return places


def one_by_one(words: Words) -> Word:
    """A source of single words from a source of many words."""
    return lambda: int(words(1)[0])


def accepted(count: int, attempt: Callable[[int], Integers]) -> Integers:
    """``count`` draws of a rejection sampler: ``attempt(missing)``, which makes about ``missing``
    proposals and returns the accepted ones, is called until ``count`` are accepted."""
    parts, missing = [np.empty(0, np.int64)], count
    while missing > 0:
        parts.append(attempt(missing))
        missing -= len(parts[-1])
    return np.concatenate(parts)[:count]
