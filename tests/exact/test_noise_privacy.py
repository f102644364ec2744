"""The noise mechanisms and sparse vector in the exact engine: tight δ against the claim.

No proof here knows that e is e, so noise is drawn *in base two*: P(x) ∝ 2^(-|x|/scale), whose
weights are integers, and an ε-DP mechanism must be ε·ln 2 = Log(2^ε)-DP. Noise is truncated
to -R..R; where that could be seen, δ is allowed what truncation can add.
"""

import math
from fractions import Fraction
from itertools import product

import attrs
import numpy as np
import pytest
from trying import sized

import antiphon as ap
from antiphon import Log
from antiphon.mechanisms import (
    AboveThreshold,
    DiscreteLaplace,
    ExponentialMechanism,
    GapSparseVector,
    HistogramSVT,
    KaryResponse,
    KthLargest,
    NumericSparseVector,
    PermuteAndFlip,
    RandomizedResponse,
    ReportNoisyMax,
    SparseVector,
)
from antiphon.protocol.spaces import BITS, Either, Finite, Integers, Tuples
from antiphon.verifiers import EachWithin, Within, every_pair

HALF = Fraction(1, 2)


def weights(scale, radius):
    """2^(-|x|/scale) for x in -R..R, as integers; 1/scale must be an integer."""
    assert scale.numerator == 1
    return [2 ** (scale.denominator * (radius - abs(x))) for x in range(-radius, radius + 1)]


class BaseTwo(ap.Coins):
    """Discrete Laplace noise in base two, truncated, from finite draws."""

    def __init__(self, coins, radius):
        super().__init__()
        self.coins, self.radius = coins, radius

    def draw(self, kind, parameter):
        if kind == "discrete_laplaces":
            return tuple(self.draw("discrete_laplace", parameter[0]) for _ in range(parameter[1]))
        if kind == "discrete_laplace":
            return self.coins.categorical(weights(parameter, self.radius)) - self.radius
        return self.coins.draw(kind, parameter)


@attrs.frozen
class InBaseTwo(ap.ContinualMechanism):
    """The mechanism itself, its noise in base two, on finitely many queries."""

    mechanism: object
    radius: int
    queries: object

    @property
    def initial_state(self):
        return self.mechanism.initial_state

    @property
    def signature(self):
        answers = Either((Finite((ap.TOP, ap.BOTTOM, ap.HALT)), Integers()))
        return ap.Signature(self.queries, answers)

    def step(self, state, message, coins):
        return self.mechanism.step(state, message, BaseTwo(coins, self.radius))


def tight(mechanism, epsilon, *, queries, radius=8, rounds=1, f=None):
    game = ap.PrivacyGame(InBaseTwo(mechanism, radius, queries), f or mechanism.verification)
    return game.tight_delta(epsilon=epsilon, rounds=rounds)


def claimed(mechanism):
    """Log(2^ε)."""
    return Log(2**mechanism.epsilon)


def lost(*scales, radius):
    """An upper bound for how far truncating draws of these scales moves the law."""
    ratios = [Fraction(1, 2 ** int(1 / scale)) for scale in scales]
    return sum(2 * r ** (radius + 1) / (1 + r) for r in ratios)


NEAR = Integers(-3, 3)


# --- one answer -----------------------------------------------------------------------------


@pytest.mark.parametrize("radius", [3, 10, 20])
def test_discrete_laplace_with_the_delta_of_truncation(radius):
    """δ(ε) is exactly the mass of the end that the other world cannot reach."""
    mechanism = DiscreteLaplace(epsilon=1)
    edge = Fraction(1, sum(weights(Fraction(1), radius)))
    assert tight(mechanism, claimed(mechanism), queries=BITS, radius=radius) == edge
    assert tight(mechanism, Log(Fraction(9, 5)), queries=BITS, radius=radius) > 0.03  # 85 % of ε


def test_discrete_laplace_of_another_sensitivity_leaks():
    mechanism = DiscreteLaplace(epsilon=1)
    f = ap.verifiers.neighbouring_start(Within(2))
    assert tight(mechanism, Log(2), queries=Integers(0, 2), radius=20, f=f) > 0.3


def test_randomized_responses_are_tight():
    for mechanism in (
        RandomizedResponse(epsilon=Log(3), delta=Fraction(1, 7)),
        KaryResponse(epsilon=Log(3), values=2),
        KaryResponse(epsilon=Log(3), values=4),
    ):
        game = ap.PrivacyGame(mechanism, mechanism.claims[0].verification)
        delta = mechanism.claims[0].parameters[1]
        assert game.tight_delta(epsilon=Log(3), rounds=1) == delta
        assert game.tight_delta(epsilon=Log(Fraction(29, 10)), rounds=1) > delta  # 97 % of ε


@pytest.mark.parametrize(
    ("kind", "below"), [(ExponentialMechanism, Fraction(5)), (PermuteAndFlip, Fraction(4))]
)
def test_choices_keep_their_claim(kind, below):
    """e^ε = 9, three candidates; δ > 0 at e^ε = ``below``."""
    mechanism = kind(epsilon=Log(9), candidates=3)
    scores = Tuples((Integers(0, 2),) * 3)
    assert tight(mechanism, Log(9), queries=scores) == 0
    assert tight(mechanism, Log(below), queries=scores) > 0.01


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("kind", "below"), [(ExponentialMechanism, Fraction(2)), (PermuteAndFlip, Fraction(2))]
)
@pytest.mark.parametrize("arrays", [False, True])
def test_choices_among_monotone_scores_keep_their_claim(kind, below, arrays):
    """e^ε = 3 with the weights of e^ε = 9: δ > 0 at ``below``, and where scores go both ways."""
    mechanism = kind(epsilon=Log(3), candidates=3, monotone=True, arrays=arrays)
    queries = [*product(range(3), repeat=3)]
    queries = [*map(np.array, queries)] if arrays else queries
    game = ap.PrivacyGame(mechanism, mechanism.verification)
    assert game.tight_delta(epsilon=Log(3), rounds=1, queries=queries) == 0
    assert game.tight_delta(epsilon=Log(below), rounds=1, queries=queries) > 0.01
    wider = kind(epsilon=Log(9), candidates=3, arrays=arrays).verification
    game = ap.PrivacyGame(mechanism, wider)
    assert game.tight_delta(epsilon=Log(3), rounds=1, queries=queries) > 0.01
    assert game.tight_delta(epsilon=Log(9), rounds=1, queries=queries) == 0


@pytest.mark.slow
def test_report_noisy_max_keeps_its_claim_where_scores_are_monotone():
    mechanism = ReportNoisyMax(epsilon=1, candidates=2, monotone=True)
    search = {"queries": Tuples((Integers(-2, 2),) * 2), "radius": 20}
    edge = lost(Fraction(1), Fraction(1), radius=18)
    assert tight(mechanism, claimed(mechanism), **search) <= edge < 1e-4
    assert tight(mechanism, Log(Fraction(3, 2)), **search) > 0.01
    f = ap.verifiers.neighbouring_start(EachWithin(1))
    assert tight(mechanism, claimed(mechanism), f=f, **search) > 0.01


def test_report_noisy_max_keeps_its_claim():
    mechanism = ReportNoisyMax(epsilon=2, candidates=2)
    search = {"queries": Tuples((sized(Integers(-1, 1), Integers(-2, 2)),) * 2)}
    search |= {"radius": sized(8, 12)}
    assert tight(mechanism, claimed(mechanism), **search) == 0
    assert tight(mechanism, Log(Fraction(5, 2)), **search) > 0
    f = ap.verifiers.neighbouring_start(EachWithin(2))
    assert tight(mechanism, claimed(mechanism), f=f, **search) > 0.01


# --- sparse vector -------------------------------------------------------------------------------

SPARSE = [
    (AboveThreshold(epsilon=4), 12, 4, 13),
    (AboveThreshold(epsilon=2, monotone=True), 12, 4, Fraction(7, 2)),
    (SparseVector(epsilon=8, tops=2), 8, 4, None),
    (SparseVector(epsilon=4, tops=2, monotone=True), 8, 4, None),
    (SparseVector(epsilon=3, share=Fraction(1, 3), monotone=True), 14, 4, None),
]


@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "radius", "rounds", "below"), SPARSE, ids=repr)
def test_sparse_vector_keeps_its_claim_and_one_top_uses_it_up(mechanism, radius, rounds, below):
    """δ = 0 at the claim, and at 90 % of it (``below`` is e^that) already not."""
    search = {"queries": NEAR, "radius": radius, "rounds": rounds}
    assert tight(mechanism, claimed(mechanism), **search) == 0
    if below is not None:
        assert math.log2(below) > 0.9 * mechanism.epsilon
        assert tight(mechanism, Log(below), **search) > 0


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("mechanism", "reading"),
    [
        (AboveThreshold(epsilon=4, monotone=True), every_pair(Within(1))),  # queries go both ways
        (AboveThreshold(epsilon=4), every_pair(Within(2))),  # they are 2-sensitive
    ],
    ids=repr,
)
def test_sparse_vector_on_other_neighbours_leaks(mechanism, reading):
    search = {"queries": NEAR, "radius": 8, "rounds": 4, "f": reading}
    assert tight(mechanism, claimed(mechanism), **search) > 0.001


@attrs.frozen(kw_only=True)
class NeverHalts(SparseVector):
    """A twin that pays for one ⊤ and goes on."""

    def step(self, state, message, coins):
        return super().step(state._replace(tops=1), message, coins)


@pytest.mark.slow
def test_a_sparse_vector_that_does_not_halt_leaks():
    search = {"queries": Integers(-2, 2), "rounds": 5}
    twin, right = (kind(epsilon=4, monotone=True) for kind in (NeverHalts, SparseVector))
    assert tight(twin, claimed(twin), radius=8, **search) > 0.1
    assert tight(right, claimed(right), radius=12, **search) == 0


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("mechanism", "radius", "rounds", "draws"),
    [
        (GapSparseVector(epsilon=4), 14, 3, [HALF, 1, 1, 1]),
        (GapSparseVector(epsilon=2, monotone=True), 14, 3, [1, 1, 1, 1]),
        (NumericSparseVector(epsilon=6), 12, 2, [HALF, 1, 1, HALF]),
    ],
    ids=repr,
)
def test_told_numbers_keep_the_claim(mechanism, radius, rounds, draws):
    """Truncation shows in them: it adds at most (1 + e^ε)·(how far it moves the laws)."""
    allowed = (1 + claimed(mechanism).argument) * lost(*draws, radius=radius)
    assert allowed < 0.03
    search = {"queries": Integers(-1, 1), "radius": radius, "rounds": rounds}
    assert tight(mechanism, claimed(mechanism), **search) <= allowed
    assert tight(mechanism, Log(2 ** int(HALF * mechanism.epsilon)), **search) > 2 * allowed


@pytest.mark.slow
def test_the_histogram_svt_keeps_its_claim_at_event_level():
    """All streams of 3 bit vectors in two columns, thresholds -1 and 2; one vector differs."""
    mechanism = HistogramSVT(epsilon=4, query=KthLargest(), histogram=(0, 0))
    steps = Finite(tuple(((a, b), t) for a in (0, 1) for b in (0, 1) for t in (-1, 2)))
    search = {"queries": steps, "radius": 8, "rounds": 3}
    assert tight(mechanism, claimed(mechanism), **search) == 0
    assert tight(mechanism, Log(3), **search) > 0.01
    f = ap.verifiers.event_level(ap.verifiers.OnlyEntry(0), events=3)
    assert tight(mechanism, Log(12), f=f, **search) > tight(mechanism, Log(12), **search)
