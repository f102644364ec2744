"""The truncated geometric mechanism for finite computers (Balcer and Vadhan 2019)."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import attrs

from antiphon.numbers.exact import Log
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Integers, Signature
from antiphon.selfcheck.corpus.targets.stated import claimed, whole
from antiphon.verifiers.models import neighbouring_start
from antiphon.verifiers.relations import Within


@register("antiphon.corpus.TruncatedGeometric/1")
@column_safe
@attrs.frozen
class TruncatedGeometric(NoninteractiveMechanism[int, int]):
    """GeoSample: a count in 0..n plus two-sided geometric noise, clipped to 0..n, exactly.

    NIM: an int -> an int. Draws z with weight F(z) − F(z−1), which is what the paper's
    binary search for the least z with F(z) >= u does for a uniform u in 1..d.
    Privacy: ln(1 + 2^-k)-DP w.r.t. counts at most 1 apart; proved.
    Source: Balcer and Vadhan 2019, *Differential Privacy on Finite Computers*, Alg. 4.8.
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
        """F(z): d·Pr[Z <= z], with d = (2^(k+1) + 1)(2^k + 1)^(n−1)."""
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
