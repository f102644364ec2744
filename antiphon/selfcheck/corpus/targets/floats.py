# pyright: reportIncompatibleMethodOverride=false, reportAssignmentType=false
"""Laplace noise in doubles, whose last bits leak the input, and the snapping mechanism, which
prevents that.

Mironov, *On Significance of the Least Significant Bits for Differential Privacy* (CCS 2012).
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import attrs
import numpy as np

from antiphon.numbers import Log, named
from antiphon.protocol import Claim, Coins, NoninteractiveMechanism, Status, column_safe, register
from antiphon.protocol.registry import set_derived
from antiphon.protocol.spaces import Either, Finite, Integers, Multiples, Reals, Signature
from antiphon.selfcheck.corpus.targets.neighbours import TENTH, claimed, whole
from antiphon.verifiers import Within, neighbouring_start


def sign_and_logarithm(coins: Coins) -> tuple[int, float]:
    """A random sign ±1, and ln u for a uniform u from the 2^52 multiples of 2^-52 in (0, 1]."""
    ticket = coins.uniform_integer(2**53)
    # This u is a double without rounding, as float generators draw it.
    return 1 - 2 * (ticket % 2), _log((ticket // 2 + 1) * 2.0**-52)


def _log(u: float) -> float:
    """The logarithm ln u of a double or, bit by bit the same, of each entry of a column."""
    found = np.log(u)
    return float(found) if type(found) is np.float64 else found


@register("antiphon.corpus.TextbookLaplace/1")
@column_safe
@attrs.frozen
class TextbookLaplace(NoninteractiveMechanism[int, float]):
    """Laplace noise as in textbooks, by the inverse CDF in doubles: q ↦ q ± (1/ε)·ln u,
    u uniform on (0, 1]. Not private.

    Noninteractive: an int -> a float with all its 64 bits. Privacy: *claims* ε-DP w.r.t. ints at
    most 1 apart; refuted. The doubles that q + noise can take depend on q: near 0 a sum 1 + noise
    is a multiple of 2^-53, noise alone is not, so the trailing bits reveal q (Mironov 2012).
    """

    epsilon: Fraction = attrs.field(default=TENTH, converter=named.positive, kw_only=True)
    signature = Signature(Integers(), Reals(), Integers())

    @property
    def claims(self) -> tuple[Claim, ...]:
        f = neighbouring_start(Within(1))
        return claimed(f, Status.REFUTED, "Mironov 2012", epsilon=self.epsilon)

    def respond(self, dataset: int, coins: Coins) -> float:
        sign, size = sign_and_logarithm(coins)
        return dataset + sign * float(1 / self.epsilon) * size


@column_safe
def trailing_bits(answers: Sequence[float]) -> tuple[bool, bool]:
    """The last bits of the first answer: whether it is a multiple of 2^-52, and one of 2^-53."""
    y = answers[0]
    return y * 2.0**52 % 1 == 0, y * 2.0**53 % 1 == 0


@register("antiphon.corpus.Snapping/1")
@column_safe
@attrs.frozen
class Snapping(NoninteractiveMechanism[int, float]):
    """The snapping mechanism: Laplace noise of scale λ, clamped to ±B and rounded to multiples of
    Λ: clamp_B(⌊clamp_B(q) ± λ·ln u⌉_Λ), u uniform on (0, 1].

    NIM: an int -> a float: a multiple of Λ, or ±B. λ = (1 + B·2^-49)/ε, and Λ is the least
    power of two >= λ; a value halfway between two multiples goes up.
    Privacy: ε-DP w.r.t. ints at most 1 apart; assumed: Mironov's Theorem 1 takes a
    correctly rounded logarithm, and a u that reaches the smallest doubles.
    Source: Mironov 2012 (the snapping mechanism, Theorem 1).
    """

    bound: Fraction = attrs.field(default=Fraction(100), converter=named.positive, kw_only=True)
    epsilon: Fraction = attrs.field(default=TENTH, converter=named.positive, kw_only=True)
    scale: float = attrs.field(init=False, eq=False, repr=False)
    """The scale λ of the Laplace noise."""
    grid: float = attrs.field(init=False, eq=False, repr=False)
    """The step Λ of the grid to which answers are rounded."""

    def __attrs_post_init__(self) -> None:
        scale = (1 + self.bound / 2**49) / self.epsilon
        grid = Fraction(1)
        while grid < scale:
            grid *= 2
        while grid / 2 >= scale:
            grid /= 2
        set_derived(self, scale=float(scale), grid=float(grid))

    @property
    def signature(self) -> Signature:
        ends = Finite((-float(self.bound), float(self.bound)))
        return Signature(Integers(), Either((Multiples(self.grid), ends)), Integers())

    @property
    def claims(self) -> tuple[Claim, ...]:
        f = neighbouring_start(Within(1))
        return claimed(f, Status.ASSUMED, "Mironov 2012, Thm 1", epsilon=self.epsilon)

    def respond(self, dataset: int, coins: Coins) -> float:
        sign, size = sign_and_logarithm(coins)
        noisy = self._clamped(dataset * 1.0) + sign * self.scale * size
        return self._clamped((noisy / self.grid + 0.5) // 1 * self.grid)

    def _clamped(self, value: float) -> float:
        bound = float(self.bound)
        if value > bound:
            return bound
        return -bound if value < -bound else value


@register("antiphon.corpus.TruncatedGeometric/1")
@column_safe
@attrs.frozen
class TruncatedGeometric(NoninteractiveMechanism[int, int]):
    """The mechanism GeoSample: a count in 0..n plus exact geometric noise, clipped to 0..n.

    NIM: an int -> an int. It draws z with weight F(z) − F(z−1), F its ``distribution``, like the
    paper's binary search for the least z with F(z) >= u for a uniform u in 1..F(n). Privacy: ln(1 +
    2^-k)-DP w.r.t. counts at most 1 apart; proved. Source: Balcer and Vadhan 2019, *Differential
    Privacy on Finite Computers*, Alg. 4.8.
    """

    k: int = attrs.field(default=3, validator=whole)
    n: int = attrs.field(default=5, validator=whole)

    @property
    def signature(self) -> Signature:
        counts = Integers(0, self.n)
        return Signature(counts, counts, counts)

    @property
    def claims(self) -> tuple[Claim, ...]:
        f = neighbouring_start(Within(1))
        source = "Balcer and Vadhan 2019, Alg. 4.8"
        epsilon = Log(1 + Fraction(1, 2**self.k))
        return claimed(f, Status.PROVED, source, epsilon=epsilon)

    def respond(self, dataset: int, coins: Coins) -> int:
        ends = [self.distribution(dataset, z) for z in range(-1, self.n + 1)]
        z: int = coins.categorical(tuple(b - a for a, b in pairwise(ends)))
        return z

    def distribution(self, count: int, z: int) -> int:
        """The probability that the answer to this count is at most z, as a multiple of 1/d, where
        d = (2^(k+1) + 1)(2^k + 1)^(n−1) and ε = ln(1 + 2^-k)."""
        n, power, base = self.n, 2**self.k, 2**self.k + 1
        whole: int = (2 * power + 1) * base ** (n - 1)
        if z < 0:
            return 0
        if z >= n:
            return whole
        if z < count:
            below: int = power ** (count - z) * base ** (n - (count - z))
            return below
        beyond: int = power ** (z - count + 1) * base ** (n - 1 - (z - count))
        return whole - beyond
