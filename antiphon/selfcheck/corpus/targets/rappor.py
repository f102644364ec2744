"""RAPPOR: randomized response on a Bloom filter (Erlingsson, Pihur and Korolova 2014)."""

from __future__ import annotations

from fractions import Fraction
from hashlib import blake2b

import attrs

from antiphon.numbers import exact
from antiphon.numbers.exact import Log
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import BITS, Integers, Signature, Tuples
from antiphon.selfcheck.corpus.targets.stated import claimed, whole
from antiphon.verifiers.models import neighbouring_start


def _probability(value: object) -> Fraction:
    return exact.probability(value, "f, p and q")


WIDE = 2**32
"""Makes a Bernoulli draw so wide that a population keeps it as numbers and does not split."""


@register("antiphon.corpus.Rappor/1")
@column_safe
@attrs.frozen
class Rappor(NoninteractiveMechanism[int, "tuple[int, ...]"]):
    """One report on a value: its Bloom filter, every bit randomized for ever, and then again.

    NIM: an int -> ``bits`` bits. ``hashes`` public hash functions set bits of the filter.
    A bit B becomes B' = 1 w.p. f/2, 0 w.p. f/2, else B (the permanent response); then 1
    is reported w.p. q if B' = 1, else w.p. p. *One-time* RAPPOR is p = 0, q = 1.
    Privacy: 2h·ln(a/(1−a))-DP w.r.t. any two values, where a = Pr[report 1 | B = 1] if
    p + q = 1; proved: at most 2h bits of two filters differ.
    Source: Erlingsson et al. 2014, Theorems 1 and 2.
    """

    f: Fraction = attrs.field(converter=_probability)
    p: Fraction = attrs.field(default=Fraction(0), converter=_probability)
    q: Fraction = attrs.field(default=Fraction(1), converter=_probability)
    hashes: int = attrs.field(default=4, validator=whole)
    bits: int = attrs.field(default=20, validator=whole)

    @property
    def signature(self) -> Signature:
        return Signature(Integers(), Tuples((BITS,) * self.bits), Integers())

    @property
    def claims(self) -> tuple[Claim, ...]:
        ones = [self.reported(bit) for bit in (0, 1)]
        ratio = max(ones[1] / ones[0], (1 - ones[0]) / (1 - ones[1]))
        epsilon = Log(ratio ** (2 * self.hashes))
        source = "Erlingsson et al. 2014, Theorems 1 and 2"
        return claimed(neighbouring_start(), Status.PROVED, source, epsilon=epsilon)

    def reported(self, bit: int) -> Fraction:
        """Pr[report 1 | B = bit]."""
        kept = self.f / 2 + (1 - self.f) * bit
        return kept * self.q + (1 - kept) * self.p

    def bloom(self, value: int) -> frozenset[int]:
        """The bits that the hash functions set for a value."""
        digests = (
            blake2b(f"{which}:{value}".encode(), digest_size=8).digest()
            for which in range(self.hashes)
        )
        return frozenset(int.from_bytes(each, "big") % self.bits for each in digests)

    def respond(self, dataset: int, coins: Coins) -> tuple[int, ...]:
        chosen = self.bloom(dataset)
        return tuple(self._report(int(place in chosen), coins) for place in range(self.bits))

    def _report(self, bit: int, coins: Coins) -> int:
        """A bit of the report, by comparisons alone: to branch would split 2^bits ways."""
        flip, rest = self.f / 2, 1 - self.f / 2
        permanent = _below(coins, rest if bit else flip)
        if self.p == 0 and self.q == 1:
            return permanent
        zero, one = _below(coins, self.p), _below(coins, self.q)
        return permanent * one + (1 - permanent) * zero


def _below(coins: Coins, p: Fraction) -> int:
    """1 with probability p, else 0."""
    n = p.denominator * WIDE
    return (coins.uniform_integer(n) < p.numerator * WIDE) * 1
