"""Every exported mechanism and post-processor, with messages to try it with.

``tests/conformance`` checks that this table is complete.
"""

import math
import re
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from hypothesis import strategies as st
from strategies import adder, tosser

import antiphon as ap
from antiphon.composition import BasicFilter, WhitehouseFilter
from antiphon.mechanisms import (
    COUNT,
    HSS,
    AboveThreshold,
    BalancedTreeCounter,
    BufferedToeplitzCounter,
    ContinualHistogram,
    CountAbove,
    DiscreteGaussian,
    DiscreteLaplace,
    Echo,
    ExponentialMechanism,
    GapSparseVector,
    Gaussian,
    GaussianTreeCounter,
    GridGaussian,
    GridLaplace,
    HistogramMonitor,
    HistogramSVT,
    HSSWithoutTest,
    KaryResponse,
    KthLargest,
    Laplace,
    LeakyBit,
    MultiplicativeWeights,
    NumericSparseVector,
    PermuteAndFlip,
    RandomizedResponse,
    RefinedTreeCounter,
    ReportNoisyMax,
    Scaled,
    SparseVector,
    SquareRootCounter,
    Total,
    TreeCounter,
    UnboundedCounter,
)
from antiphon.mechanisms.histograms import AskEach
from antiphon.protocol import IdentityPostProcessor, Log, spaces

finite = st.floats(allow_nan=False, allow_infinity=False)


@attrs.frozen
class Entry:
    """A mechanism, a strategy for its queries, and values that are none of them."""

    name: str
    mechanism: Any
    queries: Any
    outside: tuple[Any, ...]
    noninteractive: bool = False
    enumerable: bool = True
    """Whether its draws are finite, so that ``outcomes`` works."""


def shown(part):
    """A short name of a part, the same in every process."""
    return re.sub(r" at 0x\w+", "", repr(part))[:60]


def counter_queries(largest):
    return st.integers(0, largest) | st.just(COUNT)


_BIT_ALIENS = (True, 2, 0.0, "0", None, (0,), ap.EMPTY, ap.same(0))
_REAL_ALIENS = (1, True, math.nan, math.inf, -math.inf, "1", None, Fraction(1))
_COUNT_ALIENS = (-1, 4, True, 0.0, "counts", b"count", None, (0,))
_ASK_ALIENS = (0, (0, 0), ap.Ask(0, -1), ap.Ask(0, True), ap.Ask(0, 0.0), ap.same(ap.Ask(0, 0)))

bits = st.integers(0, 1)
two = (LeakyBit(delta=Fraction(1, 3)), RandomizedResponse(epsilon=Log(2)))
asks = st.builds(ap.Ask, bits, bits)


def counter(kind, *, largest=1, **parameters):
    """A counter of ints."""
    made = kind(largest=largest, **parameters)
    aliens = (-1, largest + 1, True, 0.0, "counts", b"count", None, (0,))
    return Entry(kind.__name__, made, counter_queries(largest), aliens, enumerable=False)


def vectors(dimension, low, high):
    items = st.lists(st.integers(low, high), min_size=dimension, max_size=dimension)
    return items.map(np.array) | st.just(COUNT)


def vector_counter(kind, **parameters):
    """A counter of arrays of two coordinates."""
    made = kind(dimension=2, smallest=-1, largest=2, **parameters)
    aliens = (0, (0, 1), np.array([0]), np.array([0, 3]), np.array([-2, 0]), np.array([0.0, 1.0]),
              np.array([[0, 1]]), "counts")  # fmt: skip
    return Entry(kind.__name__, made, vectors(2, -1, 2), aliens, enumerable=False)


COUNTERS = [
    counter(BalancedTreeCounter, horizon=13, epsilon=1, arity=3),
    counter(BalancedTreeCounter, horizon=1000, epsilon=1, events=2),
    counter(BufferedToeplitzCounter, horizon=1000, rho=0.5),
    counter(BufferedToeplitzCounter, horizon=64, rho=0.01, normalised=True, largest=3),
    counter(GaussianTreeCounter, horizon=64, rho=0.5),
    counter(RefinedTreeCounter, horizon=64, rho=0.5, largest=3),
    counter(SquareRootCounter, horizon=64, rho=0.5),
    counter(SquareRootCounter, horizon=64, rho=0.5, normalised=True, events=3),
    vector_counter(BalancedTreeCounter, horizon=8, epsilon=1),
    vector_counter(BufferedToeplitzCounter, horizon=8, rho=1, normalised=True),
    vector_counter(RefinedTreeCounter, horizon=8, rho=1, sensitivity=1),
    vector_counter(SquareRootCounter, horizon=8, rho=1),
    vector_counter(TreeCounter, horizon=8, epsilon=1, sensitivity=2),
    *(
        attrs.evolve(
            entry, name="UnboundedCounter", mechanism=UnboundedCounter(counter=entry.mechanism)
        )
        for entry in (
            counter(TreeCounter, horizon=2, epsilon=1, events=2),
            counter(BufferedToeplitzCounter, horizon=2, rho=1),
            vector_counter(TreeCounter, horizon=2, epsilon=1),
            vector_counter(BufferedToeplitzCounter, horizon=2, rho=1),
        )
    ),
]

_INT_ALIENS = (True, 0.0, "1", None, (0,), Fraction(1), np.array([1, 2]))
_ROW_ALIENS = (0, (0, 1), np.array([0]), np.array([0.0, 1.0]), np.array([[0, 1]]), "12")
_SCORE_ALIENS = (0, (0, 1), (0, 1, 2, 3), (0, 1, True), (0, 1, 2.0), np.array([0, 1, 2]), [0, 1, 2])
_GROWTH_ALIENS = (0, (1, 0), ((1, 0), 0.5), ((2, 0), 1), ((1, 0, 0), 1), ((True, 0), 1))

ints = st.integers(-(10**30), 10**30) | st.integers(-3, 3)
rows = st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=2).map(np.array)
scores = st.tuples(*[st.integers(-9, 9) | st.integers(-(10**20), 10**20)] * 3)
growths = st.tuples(st.tuples(bits, bits), st.integers(-3, 12))


def noise(mechanism, queries, aliens, *, enumerable=False):
    """A NIM of ``mechanisms.noise``."""
    name = type(mechanism).__name__
    return Entry(name, mechanism, queries, aliens, noninteractive=True, enumerable=enumerable)


NOISE = [
    noise(Gaussian(rho=0.5), finite, _REAL_ALIENS),
    noise(DiscreteLaplace(epsilon=0.5), ints, _INT_ALIENS),
    noise(DiscreteLaplace(epsilon=Fraction(1, 10**300)), ints, _INT_ALIENS),
    noise(DiscreteLaplace(epsilon=3, sensitivity=2, dimension=2), rows, _ROW_ALIENS),
    noise(DiscreteGaussian(rho=0.5), ints, _INT_ALIENS),
    noise(DiscreteGaussian(rho=Fraction(1, 10**30), dimension=2), rows, _ROW_ALIENS),
    noise(GridLaplace(epsilon=1, step_size=0.1), finite, _REAL_ALIENS),
    noise(GridLaplace(epsilon=1, step_size=1e300), finite, _REAL_ALIENS),
    noise(GridLaplace(epsilon=Fraction(1, 10**300), step_size=1e300), finite, _REAL_ALIENS),
    noise(GridGaussian(rho=0.5, sensitivity=3, step_size=1e-300), finite, _REAL_ALIENS),
    noise(
        KaryResponse(epsilon=Log(3), values=4),
        st.integers(0, 3),
        (4, -1, True, 0.0, None),
        enumerable=True,
    ),
    noise(KaryResponse(epsilon=0.1, values=2), bits, _BIT_ALIENS, enumerable=True),
    noise(KaryResponse(epsilon=0.1, values=1000), st.integers(0, 999), (1000, -1, True, 0.0)),
    noise(
        ExponentialMechanism(epsilon=Log(9), candidates=3), scores, _SCORE_ALIENS, enumerable=True
    ),
    noise(ExponentialMechanism(epsilon=0.5, candidates=3), scores, _SCORE_ALIENS),
    noise(PermuteAndFlip(epsilon=Log(9), candidates=3), scores, _SCORE_ALIENS, enumerable=True),
    noise(PermuteAndFlip(epsilon=0.5, candidates=3, sensitivity=4), scores, _SCORE_ALIENS),
    noise(ReportNoisyMax(epsilon=0.5, candidates=3), scores, _SCORE_ALIENS),
]
SPARSE = [
    Entry(type(mechanism).__name__, mechanism, ints, _INT_ALIENS, enumerable=False)
    for mechanism in (
        AboveThreshold(epsilon=1),
        AboveThreshold(epsilon=Fraction(1, 3), threshold=-2, monotone=True),
        SparseVector(epsilon=1, tops=3, share=Fraction(1, 5)),
        GapSparseVector(epsilon=1, tops=2, sensitivity=3),
        NumericSparseVector(epsilon=1, tops=2, threshold=1),
    )
]

steps = st.tuples(bits, bits)
_STEP_ALIENS = (0, (0,), (0, 1, 0), (0, True), (0, 2), (0, -1), (0, 1.0), [0, 1], np.array([0, 1]))
COUNTED = ContinualHistogram(counter=TreeCounter(horizon=16, epsilon=1), dimension=2)
hss = [
    HSS(epsilon=1000, query=KthLargest(2), dimension=2),
    HSS(epsilon=1, query=CountAbove(1, width=2), dimension=2, printed=True),
    HSSWithoutTest(epsilon=1000, query=Scaled(Total(), 2), dimension=2),
]
HISTOGRAMS = [
    Entry("ContinualHistogram", COUNTED, steps, _STEP_ALIENS, enumerable=False),
    Entry("ContinualHistogram", ContinualHistogram.pure(dimension=2, epsilon=1),
          st.tuples(st.integers(0, 9), st.integers(0, 9)), ((0, -1), *_STEP_ALIENS[:4]),
          enumerable=False),
    Entry("ContinualHistogram", ContinualHistogram(
        counter=SquareRootCounter(horizon=4, rho=1), dimension=2, delta=0.001), steps,
        _STEP_ALIENS, enumerable=False),
    *(Entry("ComplexMechanism", ap.composition.ComplexMechanism(each), steps, _STEP_ALIENS,
            enumerable=False) for each in hss),
]  # fmt: skip

MECHANISMS = [
    *NOISE,
    *SPARSE,
    Entry("HistogramSVT", HistogramSVT(epsilon=1, query=KthLargest(2), histogram=(0, 3)), growths,
          _GROWTH_ALIENS, enumerable=False),
    *HISTOGRAMS,
    Entry("Echo", Echo(), ints | st.sampled_from((ap.TOP, ap.BOTTOM)), (True, 0.5, "1", ap.HALT)),
    Entry("RandomizedResponse", RandomizedResponse(epsilon=Log(3), delta=Fraction(1, 7)), bits,
          _BIT_ALIENS, noninteractive=True),
    Entry("RandomizedResponse", RandomizedResponse(epsilon=0.5), bits, _BIT_ALIENS,
          noninteractive=True),
    Entry("LeakyBit", LeakyBit(delta=Fraction(1, 3)), bits, _BIT_ALIENS),
    Entry("LeakyBit", LeakyBit(delta=1), bits, _BIT_ALIENS),
    Entry("Laplace", Laplace(epsilon=1), finite, _REAL_ALIENS, noninteractive=True,
          enumerable=False),
    Entry("Laplace", Laplace(epsilon=Fraction(1, 10**300)), finite, _REAL_ALIENS,
          noninteractive=True, enumerable=False),
    Entry("TreeCounter", TreeCounter(horizon=64, epsilon=1), counter_queries(1), _COUNT_ALIENS,
          enumerable=False),
    Entry("TreeCounter", TreeCounter(horizon=100, epsilon=Fraction(1, 3), largest=3),
          counter_queries(3), _COUNT_ALIENS, enumerable=False),
    *COUNTERS,
    Entry("ConComp", ap.ConComp(two), asks, (*_ASK_ALIENS, ap.Create(two[0]))),
    Entry("ExtConComp", ap.ExtConComp(), st.just(ap.Create(two[0])) | asks, _ASK_ALIENS),
    Entry("ExtConComp", ap.ExtConComp(budget=BasicFilter(epsilon=Log(3), delta=1)),
          st.just(ap.Create(two[0])) | st.just(ap.Create(two[1])) | asks, _ASK_ALIENS),
    Entry("ExtConComp", ap.ExtConComp(budget=WhitehouseFilter(epsilon=2, delta=0.5)),
          st.just(ap.Create(two[0])) | st.just(ap.Create(two[1])) | asks, _ASK_ALIENS),
    Entry("Certified", ap.composition.Certified(
        ap.ExtConComp(), ap.composition.fixed_mechanisms(two)),
        st.just(ap.Create(two[0])) | asks, _ASK_ALIENS),
    Entry("ComplexMechanism", ap.composition.ComplexMechanism(IdentityPostProcessor()),
          st.just(ap.Create(two[0])) | asks, _ASK_ALIENS),
    Entry("InteractiveAsContinual", ap.InteractiveAsContinual(
        ap.PrivacyGame(two[1], two[1].claims[0].verification).interactive), bits, ()),
    Entry("mechanism", adder, st.integers(-9, 9), (0.0, True, "1", None)),
    Entry("mechanism", tosser, bits, _BIT_ALIENS),
]  # fmt: skip
"""Mechanisms: those of ``antiphon.mechanisms``, of ``composition``, and adapters."""


@attrs.frozen
class ProcessorEntry:
    """A post-processor, and a mechanism to stand on its right."""

    name: str
    processor: Any
    right: Any
    left: Any
    """A strategy for messages from the left."""
    answers: Any
    """A strategy for messages from the right."""
    hops: int = 3
    """How many messages it sends to the right, at most, before it answers."""


f = two[0].claims[0].verification
pairs = st.builds(ap.Pair, bits, bits)

monitor = HistogramMonitor(mechanism=SPARSE[2].mechanism, queries=(KthLargest(2),), dimension=2)

learner = MultiplicativeWeights(size=2, epsilon_each=1, updates=2, threshold=3, rate=0.5, step=0.5)
halves = st.lists(st.sampled_from((0.0, 0.5, 1.0)), min_size=2, max_size=2).map(np.array)
tables = st.lists(st.integers(0, 9), min_size=2, max_size=2).map(np.array)

PROCESSORS = [
    ProcessorEntry("RoundToGrid", ap.mechanisms.RoundToGrid(), Laplace(epsilon=1), finite, finite),
    ProcessorEntry("RoundToGrid", ap.mechanisms.RoundToGrid(0.1), Laplace(epsilon=1), finite,
                   finite),
    ProcessorEntry("RoundToGrid", ap.mechanisms.RoundToGrid(1e300), Laplace(epsilon=1), finite,
                   finite),
    ProcessorEntry("RoundToGrid", ap.mechanisms.RoundToGrid(1e-300), Laplace(epsilon=1), finite,
                   finite),
    ProcessorEntry("HistogramMonitor", monitor, ap.ExtConComp(),
                   growths.map(lambda growth: growth[0]) | st.tuples(st.just(KthLargest(2)), ints),
                   st.sampled_from((ap.TOP, ap.BOTTOM))),
    *(ProcessorEntry(type(each).__name__, each, ap.ExtConComp(), steps, st.just(ap.BOTTOM), 5)
      for each in hss),
    ProcessorEntry("AskEach", AskEach(counter=COUNTED.counter, dimension=2),
                   ap.ConComp((COUNTED.counter,) * 2), steps, st.integers(-9, 9), 4),
    ProcessorEntry("MultiplicativeWeights", learner, ap.ExtConComp(), halves | tables,
                   st.sampled_from((ap.TOP, ap.BOTTOM)) | st.integers(-9, 9), 6),
    ProcessorEntry("IdentityPostProcessor", IdentityPostProcessor(), two[0], bits, bits),
    ProcessorEntry("Identifier", ap.Identifier(0), two[0], pairs, bits),
    ProcessorEntry("Identifier", ap.Identifier(1), two[0], pairs, bits),
    ProcessorEntry("TwoCopies", ap.composition.TwoCopies(IdentityPostProcessor()),
                   ap.Identifier(0) @ two[0], pairs, bits),
    ProcessorEntry("Verifier", ap.Verifier(f), ap.Identifier(0) @ two[0], pairs, bits),
]  # fmt: skip

SPACES = [
    spaces.Anything(), spaces.Finite((0, 1.0, "a", ap.TOP)), spaces.Finite(()), spaces.Integers(),
    spaces.Integers(-2, 2), spaces.Integers(3), spaces.Reals(), spaces.Reals(-1.0, 1.0),
    spaces.Multiples(0.1), spaces.Multiples(2.0), spaces.Texts(), spaces.Texts(2),
    spaces.Arrays((2,)), spaces.Arrays((), "int64", 0, 1),
    spaces.Tuples((spaces.BITS, spaces.Texts(1))), spaces.Tuples(()),
    spaces.Either((spaces.Integers(0, 3), spaces.Integers(2, 5), spaces.Finite((ap.HALT,)))),
    spaces.Either(()), spaces.Pairs(spaces.BITS), spaces.Pairs(spaces.Reals()),
]  # fmt: skip
