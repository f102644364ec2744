"""Discrete Laplace and Gaussian noise, exact and fast: drawn singly or in bulk.

Source: Canonne, Kamath and Steinke, *The Discrete Gaussian for Differential Privacy* (2020) (CKS);
their Algorithm 2 is replaced by exact inversion (``inversion``).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Final, TypeAlias, Union

import numpy as np
from numpy.typing import NDArray

from antiphon.protocol.coins import inversion, samplers
from antiphon.protocol.coins.inversion import WORD, Geometric, Integers, Word, Words, one_by_one
from antiphon.protocol.coins.wide_gaussian import CERTAIN, WideGaussian

LARGEST_SCALE: Final = 2**40
"""The largest noise scale for which a sampler uses tables; beyond it, ``Series`` is used."""
_NARROW: Final = 4
"""The largest scale at which discrete Laplace noise is drawn as a whole, from one table of about 44
entries per unit of scale. For a larger scale, the digits of the noise are drawn one by one, and the
topmost digit has at most this scale."""
_DIGIT: Final = 6
"""The number of bits of a digit of discrete Laplace noise, except for the topmost digit."""


class LaplaceDraws:
    """An exact sampler of the discrete Laplace law P(x) ∝ e^(-|x|/scale) on the integers.

    x is a sign times a geometric size; the pair (-, 0) is drawn again, as in CKS Algorithm 2. The
    digits of a geometric number are independent in any base, so the size is 2^shift·V plus lower
    digits, where V is geometric and each lower digit truncated geometric. One 64-bit word gives the
    sign and V, and one word each of the other digits. Made by ``discrete_laplace``.
    """

    __slots__ = ("_digits", "_sizes", "_top", "answers", "array", "half", "sizes", "table")

    def __init__(self, scale: Fraction) -> None:
        shift = (math.ceil(scale / _NARROW) - 1).bit_length()
        self._top = top = Geometric(2**shift / scale, None, WORD - 1)
        starts = range(0, shift, _DIGIT)
        self._digits = [
            (start, Geometric(2**start / scale, 2 ** min(_DIGIT, shift - start), WORD))
            for start in starts
        ]
        self.half: int = len(top.table) + 1
        # Each entry stands twice: the top bit of a random word is the sign (0 for plus), and its
        # other bits choose the topmost digit.
        self.table = [*top.table, 1 << 63, *(entry | 1 << 63 for entry in top.table)]
        self.array = np.array(self.table, np.uint64)
        self._sizes = sizes = [k << shift for k in range(self.half)] * 2
        self.sizes = np.array(sizes, np.int64)
        signed = [*sizes[: self.half], None, *(-size for size in sizes[self.half + 1 :])]
        self.answers: list[int | None] = [] if shift else signed
        """The drawn integer for each index into ``table``; None for "minus zero", which is drawn
        again. Empty if the noise has several digits."""

    def draw(self, word: Word) -> int:
        """Draw one discrete Laplace integer; each call of ``word`` returns 64 random bits."""
        while True:
            x = self.begun(word(), word)
            if x is not None:
                return x

    def begun(self, first: int, word: Word) -> int | None:
        """The integer whose sampling begins with the 64-bit word ``first``; None for "minus zero",
        which must be drawn again."""
        place = bisect_right(self.table, first)
        size = self._size(first, place, word)
        for start, digit in self._digits:
            size += digit.draw(word) << start
        if place < self.half:
            return size
        return -size if size else None

    def _size(self, first: int, place: int, word: Word) -> int:
        """The topmost digit of the noise's absolute value, times its place value, as the first
        64-bit random word determines it; ``place`` is the index of this word in ``table``."""
        if self.table[place - 1] != first:
            return self._sizes[place]
        return self._sizes[1] * self._top.settle(first & (1 << 63) - 1, word)

    def many(self, count: int, words: Words) -> Integers:
        """Draw ``count`` discrete Laplace integers at once. Raises: OverflowError beyond 64 bits
        (with probability below e^(-2^22))."""
        return inversion.accepted(count, lambda missing: self._some(missing, words))

    def _some(self, count: int, words: Words) -> Integers:
        """At most ``count`` discrete Laplace integers: draws of "minus zero", which must be
        repeated, are left out."""
        first = words(count)
        place = np.searchsorted(self.array, first, side="right")
        size = self.sizes[place]
        for tie in inversion.ties(self.array, first, place):
            size[tie] = self._size(int(first[tie]), int(place[tie]), one_by_one(words))
        for start, digit in self._digits:
            size += digit.many(count, words) << start
        negative = place >= self.half
        np.negative(size, out=size, where=negative)
        kept: Integers = size[~negative | (size != 0)]
        return kept


class Series:
    """An exact discrete Laplace sampler for any scale: Canonne, Kamath and Steinke 2020, Alg. 2."""

    __slots__ = ("_scale",)
    answers: Final[list[int | None]] = []

    def __init__(self, scale: Fraction) -> None:
        self._scale = scale

    def draw(self, word: Word) -> int:
        """Draw one discrete Laplace integer; each call of ``word`` returns 64 random bits."""
        return samplers.discrete_laplace(self._scale, lambda n: samplers.below(n, word))


@lru_cache(maxsize=256)
def discrete_laplace(scale: Fraction) -> LaplaceDraws | Series:
    """The discrete Laplace sampler for a scale; samplers are cached."""
    return Series(scale) if scale > LARGEST_SCALE else LaplaceDraws(scale)


WIDE: Final = {Fraction(1 << exponent): exponent for exponent in range(16, 41)}
"""The standard deviations 2^k for which ``WideGaussian`` is used, each with its exponent k."""
_KEPT: Final = 1 << 14
"""The number of acceptance thresholds that a discrete Gaussian sampler caches."""


class GaussianDraws:
    """An exact sampler of the discrete Gaussian law P(x) ∝ e^(-x²/(2 sigma²)) on the integers
    (Canonne, Kamath and Steinke 2020, Algorithm 3).

    A discrete Laplace x of scale t = ⌊sigma⌋ + 1 is accepted with probability e^(-(|x| -
    sigma²/t)²/(2 sigma²)): if a 64-bit word is below 2^64 times that.
    """

    __slots__ = ("_centre", "_in_doubles", "_thresholds", "_variance", "proposal")

    def __init__(self, sigma: Fraction) -> None:
        self._variance = sigma * sigma
        t = math.floor(sigma) + 1
        self._centre = self._variance / t
        # The factor 1/(2 sigma²) is capped at 2^500, so that it fits a double. Accuracy does not
        # matter for so small a sigma.
        rate = min(1 / (2 * self._variance), Fraction(2) ** 500)
        self._in_doubles = float(rate), float(self._centre)
        self.proposal = discrete_laplace(Fraction(t))
        self._thresholds: dict[int, int] = {}

    def draw(self, word: Word) -> int:
        """Draw one discrete Gaussian integer; each call of ``word`` returns 64 random bits."""
        while True:
            x = self.proposal.draw(word)
            if self._accepts(abs(x), word(), word):
                return x

    def many(self, count: int, words: Words) -> Integers:
        """Draw ``count`` discrete Gaussian integers; for a scale up to ``LARGEST_SCALE``."""
        return inversion.accepted(count, lambda missing: self._some(missing, words))

    def _some(self, missing: int, words: Words) -> Integers:
        """The accepted integers among somewhat more than ``missing`` proposed ones."""
        assert isinstance(self.proposal, LaplaceDraws)
        x = self.proposal.many(missing + missing // 2 + 8, words)
        return x[self._taken(np.abs(x), words(len(x)), words)]

    def _taken(self, sizes: Integers, first: NDArray[np.uint64], words: Words) -> NDArray[np.bool_]:
        """For each proposed absolute value, whether it is accepted: an acceptance probability is
        compared with a uniform number, in doubles where these are accurate enough, and exactly
        elsewhere."""
        rate, centre = self._in_doubles
        gaps = np.minimum(rate * (sizes - centre) ** 2, 700.0)
        uniform, chance = first * 2.0**-64, np.exp(-gaps)
        taken: NDArray[np.bool_] = uniform < chance
        for doubt in np.flatnonzero(np.abs(uniform - chance) < CERTAIN).tolist():
            word = one_by_one(words)
            taken[doubt] = self._accepts(int(sizes[doubt]), int(first[doubt]), word)
        return taken

    def _accepts(self, size: int, first: int, word: Word) -> bool:
        limit = self._threshold(size)
        if first != limit:
            return first < limit
        return inversion.Uniform(first, WORD, word).below(inversion.power(self._gap(size)))

    def _gap(self, size: int) -> Fraction:
        return (size - self._centre) ** 2 / (2 * self._variance)

    def _threshold(self, size: int) -> int:
        found = self._thresholds.get(size)
        if found is None:
            found = inversion.threshold(inversion.power(self._gap(size)))
            if len(self._thresholds) < _KEPT:
                self._thresholds[size] = found
        return found


Gaussian: TypeAlias = Union[GaussianDraws, WideGaussian]


@lru_cache(maxsize=256)
def discrete_gaussian(sigma: Fraction) -> Gaussian:
    """The discrete Gaussian sampler for a standard deviation; samplers are cached."""
    if sigma in WIDE:
        return WideGaussian(WIDE[sigma])
    return GaussianDraws(sigma)


def many(kind: str, parameter: Fraction, count: int, words: Words) -> Integers | None:
    """``count`` draws of discrete Laplace or Gaussian noise with this parameter (scale or standard
    deviation); None if the parameter is too large."""
    if parameter >= LARGEST_SCALE:
        return None
    sampler = SAMPLERS[kind](parameter)
    assert not isinstance(sampler, Series)  # The sampler ``Series`` is for larger parameters only.
    return sampler.many(count, words)


Sampler: TypeAlias = Union[LaplaceDraws, Series, Gaussian]
SAMPLERS: Final[dict[str, Callable[[Fraction], Sampler]]] = {
    "discrete_laplace": discrete_laplace,
    "discrete_gaussian": discrete_gaussian,
}
