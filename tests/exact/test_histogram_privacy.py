"""H and HSS themselves in the exact engine: tight δ against the claim, noise in base two.

As in ``test_noise_privacy``: noise of P(x) ∝ 2^(-|x|/scale), truncated to -R..R, so that what is
ε-DP must be Log(2^ε)-DP, up to the δ that truncation can add.
"""

from fractions import Fraction
from operator import add

import attrs
import pytest
from test_noise_privacy import tight, weights

import antiphon as ap
from antiphon import Log
from antiphon.composition import ComplexMechanism
from antiphon.composition.properties import check_properties
from antiphon.mechanisms import (
    HSS,
    ContinualHistogram,
    DiscreteLaplace,
    HistogramQuery,
    HSSWithoutTest,
    TreeCounter,
)
from antiphon.mechanisms.histograms.continual import MOST
from antiphon.protocol.spaces import BITS, Finite, Integers, Tuples
from antiphon.selfcheck.theorems.histogram import EVENT, ROUNDS, Capped, SmallHSS
from antiphon.verifiers import EachWithin


def counted(epsilon, dimension=1, **parameters):
    counter = TreeCounter(horizon=3, epsilon=epsilon, largest=MOST, sensitivity=1, **parameters)
    return ContinualHistogram(counter=counter, dimension=dimension)


@pytest.mark.slow
def test_a_continual_histogram_keeps_its_claim_and_uses_it_up():
    """Two counters at ε = 2, so 4, and two entries that differ: e^ε = 16, one input, R = 8.

    Truncation adds the mass of the ends that the other world cannot reach, of either entry.
    """
    histogram, radius = counted(2, dimension=2), 8
    search = {"queries": Tuples((BITS, BITS)), "radius": radius, "rounds": 1}
    search["f"] = histogram.verification
    edge = Fraction(1, sum(weights(Fraction(1), radius)))
    assert 0 < tight(histogram, Log(4), **search) <= 1 - (1 - edge) ** 2
    assert tight(histogram, Log(Fraction(7, 2)), **search) > 0.03  # 90 % of ε (one level: ε/2)
    two = ap.verifiers.event_level(EachWithin(2))
    wide = {**search, "queries": Tuples((Integers(0, 2),) * 2), "f": two}
    assert tight(histogram, Log(4), **wide) > 0.3


@attrs.frozen
class Shifted(HistogramQuery):
    """x_1 + shift: so large at once that the first steps may end an interval."""

    shift: int

    def __call__(self, counts):
        return counts[0] + self.shift

    def sensitivity(self, dimension):
        return 1


@attrs.frozen(kw_only=True)
class Eager(HSSWithoutTest):
    """With Γ = 1 the first steps may end an interval. No proof of privacy asks what Γ is."""

    def big_gamma(self, t, j):
        return 1


@attrs.frozen(kw_only=True)
class Tells(HSS):
    """A broken twin: after an interval, h is the exact sum."""

    def renewed(self, ended, h, raised):
        return HSS.renewed(self, ended, tuple(map(add, ended.c, ended.interval.h)), raised)


def of_the_parts(hss, radius):
    """The δ of HSS at its ε, by CM Thms 4.10, 5.2, 6.1 from the tight δ of its truncated parts."""
    share = hss.share
    growth, h = Log(2**share), hss.histogram
    svt = hss.sparse_vector((0,)).mechanism
    asked = Finite(tuple(((x,), threshold) for x in (0, 1) for threshold in (-1, 0, 1, 2)))
    search = {"radius": radius, "rounds": 2}
    assert tight(svt, growth, queries=asked, **search) == 0  # which Thm 5.2 needs
    sums = Tuples((Integers(0, 2),))
    counter = tight(h, growth, queries=sums, f=h.verification, **search)
    test = tight(DiscreteLaplace(epsilon=share), growth, queries=BITS, radius=radius)
    return 1 - (1 - counter) * (1 - test if isinstance(hss, HSS) else 1)


def made(kind, epsilon, **parameters):
    share = Fraction(epsilon, 2 if kind is Eager else 3)
    hss = kind(epsilon=epsilon, query=Shifted(0), dimension=1, beta=0.9, histogram=counted(share),
               **parameters)  # fmt: skip
    return hss if kind is Eager else attrs.evolve(hss, query=Shifted(hss.gamma(1, 1)))


SEARCH = {"queries": Tuples((BITS,)), "radius": 2, "f": ap.verifiers.event_level()}


@pytest.mark.every(3)
@pytest.mark.parametrize(
    "hss", [made(HSS, 12), made(HSS, 12, printed=True), made(Eager, 8)], ids=["HSS", "printed", "Γ"]
)
def test_hss_keeps_its_claim(hss):
    """Two steps: δ <= that of the parts at the claim, and far above it at half of ε."""
    bound, system = of_the_parts(hss, 2), ComplexMechanism(hss)
    assert 0 < bound < 0.08
    assert tight(system, Log(2**hss.epsilon), rounds=2, **SEARCH) <= bound
    assert tight(system, Log(4), rounds=2, **SEARCH) > 0.25


@pytest.mark.slow
def test_a_twin_that_tells_the_sum_does_not():
    twin = made(Tells, 12)
    assert tight(ComplexMechanism(twin), Log(2**12), rounds=2, **SEARCH) > 0.3


@pytest.mark.slow
def test_the_printed_reading_has_another_law():
    """The finite HSS of the theorem checks: how far apart an adversary sees the two readings."""
    first, printed = (
        ComplexMechanism(SmallHSS(epsilon=1, query=Capped(), dimension=1, printed=each))
        for each in (False, True)
    )
    assert ap.equivalent(first, printed, rounds=2).distance == Fraction(10915, 527076)
    assert ap.equivalent(first, first, rounds=2)


@attrs.frozen(kw_only=True)
class KeepsC(SmallHSS):
    """Wrong: c is not set to 0 after a firing."""

    def renewed(self, ended, h, raised):
        return SmallHSS.renewed(self, ended, h, raised)._replace(c=ended.c)


@pytest.mark.parametrize(
    ("kind", "parts", "reason"),
    [(KeepsC, 3, "more than 1 pair(s) differ"), (SmallHSS, 2, "not the next of the fixed ones")],
    ids=["c is kept", "nobody pays for the tests"],
)
def test_it_lacks_a_property(kind, parts, reason):
    hss = kind(epsilon=1, query=Capped(), dimension=1)
    found = check_properties(
        hss, EVENT, ap.composition.fixed_mechanisms(hss.created[:parts]),
        queries=((0,), (1,)), rounds=9 * ROUNDS, questions=ROUNDS,
    )  # fmt: skip
    assert reason in found.reason
