# pyright: reportIncompatibleMethodOverride=false, reportAssignmentType=false
"""Targets that answer once, and a running sum: noisy histograms, one with far too little noise;
report noisy max; RAPPOR.

In report noisy max the index of the largest query is private, its value is not.

Ding, Wang, Wang, Zhang and Kifer, *Detecting Violations of Differential Privacy* (CCS 2018);
Dwork and Roth 2014, §3.3.
"""

from fractions import Fraction
from hashlib import blake2b

import attrs

from antiphon.numbers import Log, exact, named
from antiphon.protocol import Claim, Coins, ContinualMechanism, Status, column_safe, register
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.spaces import BITS, Integers, Reals, Signature, Tuples
from antiphon.selfcheck.corpus.targets.neighbours import TENTH, TotalWithin, claimed, whole
from antiphon.verifiers import EachWithin, Within, event_level, every_pair, neighbouring_start


@register("antiphon.corpus.NoisyHistogram/1")
@column_safe
@attrs.frozen
class NoisyHistogram(NoninteractiveMechanism["tuple[int, ...]", "tuple[float, ...]"]):
    """Laplace noise on each of n counts, x_i + Lap(1/ε); ``inverted``, a bug: with Lap(ε).

    Noninteractive: ``length`` counts -> as many floats. Privacy: claims ε-DP w.r.t. histograms at
    ℓ₁ distance 1: true with the correct scale (Dwork et al. 2006; in doubles only assumed); with
    the ``inverted`` scale it is 1/ε-DP (Ding et al. 2018).
    """

    inverted: bool = False
    epsilon: Fraction = attrs.field(default=TENTH, converter=named.positive, kw_only=True)
    length: int = attrs.field(default=5, validator=whole, kw_only=True)

    @property
    def signature(self) -> Signature:
        queries = Tuples((Integers(),) * self.length)
        return Signature(queries, Tuples((Reals(),) * self.length), queries)

    @property
    def claims(self) -> tuple[Claim, ...]:
        f = neighbouring_start(TotalWithin(1))
        if self.inverted:
            return claimed(f, Status.REFUTED, "Ding et al. 2018: 1/ε-DP", epsilon=self.epsilon)
        return claimed(f, Status.ASSUMED, "Dwork et al. 2006", epsilon=self.epsilon)

    def respond(self, dataset: tuple[int, ...], coins: Coins) -> tuple[float, ...]:
        scale = float(self.epsilon if self.inverted else 1 / self.epsilon)
        return tuple(count + coins.laplace(scale) for count in dataset)


@register("antiphon.corpus.NoisyMax/1")
@column_safe
@attrs.frozen
class NoisyMax(NoninteractiveMechanism["tuple[int, ...]", float]):
    """Report noisy max: the index of the largest answer plus noise of scale 2/ε.

    NIM: the answers of ``length`` queries, a tuple of ints -> an index; with ``tells_value``
    the largest noisy answer instead. ``exponential`` noise in place of Laplace noise.
    Privacy: claims ε-DP w.r.t. tuples whose entries differ by at most 1 each: true of the
    index (in real arithmetic, so assumed; Dwork and Roth 2014, §3.3, and for exponential
    noise McKenna and Sheldon 2020), false of the value (Ding et al. 2018), which is
    length·ε/2-DP with Laplace noise and ε-DP for no ε with exponential noise.
    """

    tells_value: bool = False
    exponential: bool = False
    epsilon: Fraction = attrs.field(default=TENTH, converter=named.positive, kw_only=True)
    length: int = attrs.field(default=5, validator=whole, kw_only=True)

    @property
    def signature(self) -> Signature:
        queries = Tuples((Integers(),) * self.length)
        answers = Reals() if self.tells_value else Integers(0, self.length - 1)
        return Signature(queries, answers, queries)

    @property
    def claims(self) -> tuple[Claim, ...]:
        f = neighbouring_start(EachWithin(1))
        if self.tells_value:
            return claimed(f, Status.REFUTED, "Ding et al. 2018", epsilon=self.epsilon)
        source = "McKenna and Sheldon 2020" if self.exponential else "Dwork and Roth 2014, §3.3"
        return claimed(f, Status.ASSUMED, source, epsilon=self.epsilon)

    def respond(self, dataset: tuple[int, ...], coins: Coins) -> float:
        best, place = self._noisy(dataset[0], coins), 0
        for index, each in enumerate(dataset[1:], start=1):
            noisy = self._noisy(each, coins)
            if noisy > best:
                best, place = noisy, index
        return best if self.tells_value else place

    def _noisy(self, answer: int, coins: Coins) -> float:
        noise = coins.laplace(float(2 / self.epsilon))
        # The absolute value of Laplace noise of scale b has the exponential law of scale b.
        return answer + (abs(noise) if self.exponential else noise)


def _probability(value: object) -> Fraction:
    return exact.probability(value, "f, p and q")


WIDE = 2**32
"""A factor that makes a draw's outcomes too many to list, so that a column of draws is sampled."""


@register("antiphon.corpus.Rappor/1")
@column_safe
@attrs.frozen
class Rappor(NoninteractiveMechanism[int, "tuple[int, ...]"]):
    """A RAPPOR report on a value: its Bloom filter, with each bit randomized once for all reports
    and again for each report.

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
        """The probability Pr[report 1 | B = bit], where B is a bit of the Bloom filter."""
        kept = self.f / 2 + (1 - self.f) * bit
        return kept * self.q + (1 - kept) * self.p

    def bloom(self, value: int) -> frozenset[int]:
        """The indices of the Bloom filter's bits that a value sets to 1."""
        digests = (
            blake2b(f"{which}:{value}".encode(), digest_size=8).digest()
            for which in range(self.hashes)
        )
        return frozenset(int.from_bytes(each, "big") % self.bits for each in digests)

    def respond(self, dataset: int, coins: Coins) -> tuple[int, ...]:
        chosen = self.bloom(dataset)
        return tuple(self._report(int(place in chosen), coins) for place in range(self.bits))

    def _report(self, bit: int, coins: Coins) -> int:
        """A randomized bit of a report; computed without branches, so that it works on columns."""
        flip, rest = self.f / 2, 1 - self.f / 2
        permanent = _below(coins, rest if bit else flip)
        if self.p == 0 and self.q == 1:
            return permanent
        zero, one = _below(coins, self.p), _below(coins, self.q)
        return permanent * one + (1 - permanent) * zero


def _below(coins: Coins, p: Fraction) -> int:
    """A Bernoulli draw as an int: 1 with probability p, else 0."""
    n = p.denominator * WIDE
    return (coins.uniform_integer(n) < p.numerator * WIDE) * 1


@register("antiphon.corpus.PrefixSum/1")
@column_safe
@attrs.frozen
class PrefixSum(ContinualMechanism[float, int, float]):
    """A running sum with independent noise on each query: the sum of all q_i + Lap(1/ε) so far.

    (s, q) -> (s', s') with s' = s + q + noise: differences of answers give the noisy q_i.
    Privacy: ε-DP w.r.t. streams that differ in one q_i, by at most 1 (the Laplace
    mechanism and post-processing; in doubles only assumed). It also *claims* ε-DP if every q_i may
    differ, which is false: n of them cost nε.
    """

    epsilon: Fraction = attrs.field(default=TENTH, converter=named.positive, kw_only=True)
    initial_state = 0.0
    signature = Signature(Integers(), Reals(), Integers())

    @property
    def claims(self) -> tuple[Claim, ...]:
        one, every = event_level(Within(1)), every_pair(Within(1))
        return (
            *claimed(one, Status.ASSUMED, "Dwork et al. 2006", epsilon=self.epsilon),
            *claimed(every, Status.REFUTED, "n answers cost nε", epsilon=self.epsilon),
        )

    def step(self, state: float, message: int, coins: Coins) -> tuple[float, float]:
        total = state + (message + coins.laplace(float(1 / self.epsilon)))
        return total, total


@register("antiphon.corpus.ParallelLaplace/1")
@column_safe
@attrs.frozen
class ParallelLaplace(NoninteractiveMechanism[int, "tuple[float, ...]"]):
    """The answer q repeated ``copies`` times, each with independent noise Lap(copies/ε).

    NIM: an int -> that many floats. Privacy: ε-DP w.r.t. ints at most 1 apart, by basic
    composition (in doubles only assumed). Source: Bichsel et al. 2021 (DP-Sniper).
    """

    epsilon: Fraction = attrs.field(default=TENTH, converter=named.positive, kw_only=True)
    copies: int = attrs.field(default=20, validator=whole, kw_only=True)

    @property
    def signature(self) -> Signature:
        return Signature(Integers(), Tuples((Reals(),) * self.copies), Integers())

    @property
    def claims(self) -> tuple[Claim, ...]:
        f = neighbouring_start(Within(1))
        return claimed(f, Status.ASSUMED, "basic composition", epsilon=self.epsilon)

    def respond(self, dataset: int, coins: Coins) -> tuple[float, ...]:
        scale = float(self.copies / self.epsilon)
        return tuple(dataset + coins.laplace(scale) for _ in range(self.copies))
