"""The common parts of HSS and its variant (CM §7.1): sparse vectors cut a stream into intervals,
and a histogram H is updated at the end of each.

P ∘* ExtConComp, where P creates, first of all and in this order, H; a composition of sparse
vectors; and, in HSS, one of Laplace mechanisms. Each composition is an ExtConComp w.r.t. f_∞ with
one fixed (ε_i, 0), created as one mechanism (``Certified``): f' is that of fixed mechanisms.

*P has the three properties of CM §6.1.* Every left message is an x ∈ {0,1}^d, which P first sends
right, in a query to the current SVT. All else (where P sends next, when and what it answers) is
computed from messages from the right: h, the thresholds, the number of the interval (destination,
response). Take two runs with the same messages from the right, whose left messages differ in one
step at most, in interval i, say. Then creations, thresholds and h are the same in both, so every
SVT but the i-th gets identical pairs, and the i-th ((x, Thresh), (x', Thresh)) once: event level.
H's inputs c are the same but for the i-th, which differ by a vector of {-1, 0, 1}^d. The i-th
Laplace mechanism gets q(c + h) and q(c' + h), at most 1 apart as q is 1-sensitive; the others get
identical pairs. So f' holds: at most one SVT and one Laplace mechanism see a difference (f→f').

The noise that HSS must allow for: α, γ_H and the shares of β.

One failure probability β is spread over families of events, one event for each step t or each
interval j: the n-th of each family of k gets p_n = 6β/(kπ²n²), since Σ 1/n² = π²/6. All figures are
ints: tail bounds of the discrete noise that is actually drawn, rounded up.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from functools import cached_property
from operator import add
from typing import ClassVar, Final, NamedTuple

import attrs

from antiphon.composition import Certified, Create, ExtConComp, Lifting
from antiphon.composition.validity import fixed_mechanisms, sparse_parallel
from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.tails import chernoff_bounds
from antiphon.mechanisms.histograms.continual import MOST, ContinualHistogram
from antiphon.mechanisms.histograms.queries import HistogramQuery, one_sensitive
from antiphon.mechanisms.histograms.svt import HistogramSVT
from antiphon.mechanisms.noise.discrete import laplace_bound
from antiphon.numbers import InvalidArgument, exact
from antiphon.protocol import Ask, ExchangePostProcessor, Status, register
from antiphon.protocol.provenance import CREATED, why_untrusted
from antiphon.protocol.spaces import BITS, Integers, Signature, Space, Tuples
from antiphon.verifiers.models import EventLevel, event_level

_DOWN: Final = 1 - 2.0**-40
"""A factor slightly below 1, by which failure probabilities p_n are rounded down."""


@attrs.frozen(kw_only=True)
class Slack:
    """Noise bounds for HSS; that for step or interval n fails w.p. at most p_n = ``share(n)``.

    ``threshold`` and ``query`` are the scales of the SVTs' noise τ and ν, ``test`` that of the
    Laplace tests; ``families`` is k.
    """

    beta: float
    families: int
    threshold: Fraction
    query: Fraction
    test: Fraction
    histogram: ContinualHistogram
    _gammas: list[int] = attrs.field(init=False, eq=False, repr=False, factory=lambda: [0])

    def share(self, n: int) -> float:
        """The failure probability p_n of the noise bound at step n, or in interval n. Raises:
        InvalidArgument unless n is an int >= 1."""
        n = exact.whole(n, "a step or an interval")
        return 6 * self.beta / (self.families * (math.pi * n) ** 2) * _DOWN

    def alpha(self, t: int, j: int) -> int:
        """The bound α(t, j) on |τ_j| + |ν_t|, the sparse vector's noise; it holds w.p. 1 - p_j -
        p_t."""
        return self.of_query(t) + laplace_bound(self.threshold, self.share(j))

    def of_query(self, t: int) -> int:
        """The part of α(t, j) that depends on t: a bound on the query noise |ν_t|."""
        return laplace_bound(self.query, self.share(t))

    def until(self, t: int) -> int:
        """The last of all possible steps that has the same noise bound ``of_query`` as step t."""
        value, low, high = self.of_query(t), t, 2 * t
        while self.of_query(min(high, MOST)) == value:
            if high >= MOST:
                return MOST
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.of_query(middle) == value else (low, middle)
        return low

    def of_test(self, j: int) -> int:
        """The bound α_Lap(j) on the noise of the j-th Laplace test; it holds w.p. 1 - p_j."""
        return laplace_bound(self.test, self.share(j))

    def of_histogram(self, j: int) -> int:
        """The bound γ_H(j) on the error of each entry of H's j-th answer, w.p. 1 - p_j;
        nondecreasing in j."""
        known = self._gammas
        for n in range(len(known), j + 1):
            with chernoff_bounds():
                bound = self.histogram.error_bound(n, beta=self.share(n))
            known[n : n + 1] = [max(known[n - 1], bound)]
        return known[j]


SVT: Final = "HistogramSVT(epsilon=ε_i) (CM Lemma 7.3)"
HISTOGRAM: Final = 0
VECTORS: Final = 1
TESTS: Final = 2
"""The indices, in the composition to which P sends, of the first mechanisms that P creates: the
histogram H, the composition of sparse vectors, and the composition of Laplace tests."""


@register("antiphon.StreamInterval/1", state=True)
class StreamInterval(NamedTuple):
    """An interval of a stream, which ends when the sparse vector answers ⊤: its estimate, its
    histogram and its threshold."""

    number: int
    """The number j of the interval, counted from 1."""
    answer: tuple[int, int]
    """The answer (out, j) throughout the interval: the estimate, and the number of the interval."""
    h: tuple[int, ...]
    """The last answer of the histogram H, rounded to ints; negative counts are set to 0."""
    raised: int
    """The amount by which all tests that were passed have raised the threshold Thresh."""
    threshold: int
    """The threshold Thresh that the sparse vector gets at the current step."""
    until: int
    """The last step for which ``threshold`` is valid."""


@register("antiphon.Running/1", state=True)
class Running(NamedTuple):
    """The state of the post-processor of HSS after step t."""

    t: int
    c: tuple[int, ...]
    """The sum of the inputs of the current interval."""
    interval: StreamInterval


def _pure(processor: Intervals) -> ContinualHistogram:
    one_sensitive(processor.query, processor.dimension)
    return ContinualHistogram.pure(dimension=processor.dimension, epsilon=processor.share)


def _suitable(processor: Intervals, _: object, value: object) -> None:
    if type(value) is not ContinualHistogram or value.dimension != processor.dimension:
        raise InvalidArgument(
            f"histogram must be a ContinualHistogram of {processor.dimension} counters"
        )
    if value.distance < 1 or value.bounds[0] > 0 or value.bounds[1] < MOST:
        raise InvalidArgument(
            "the counters of the histogram must take the sums of intervals: give them smallest=0, "
            "largest=MOST, sensitivity=1"
        )


_LEAST: Final = Fraction(1, 10**100)


def _epsilon(value: object) -> Fraction:
    found = fields.check_positive(value, "epsilon")
    if found < _LEAST:
        raise InvalidArgument("epsilon must be at least 1e-100: bounds of larger noise overflow")
    return found


def _beta(value: object) -> float:
    found = fields.beta(value)
    if found < _LEAST:
        raise InvalidArgument("beta must be at least 1e-100: shares of a smaller one underflow")
    return found


@attrs.frozen(kw_only=True)
class Intervals(ExchangePostProcessor[Running]):
    """The post-processor P of HSS and of its variant without tests. Abstract.

    x ∈ {0,1}^d, a tuple of ``dimension`` bits -> (out, j): an estimate of ``query`` on the sum of
    all x so far, and the number j of the interval: 1 plus the number of the sparse vectors' ⊤ so
    far. ``histogram`` is H, by default ``ContinualHistogram.pure``; ``beta`` is the failure
    probability of ``error_bound``.
    """

    epsilon: Fraction = attrs.field(converter=_epsilon)
    query: HistogramQuery
    dimension: int = attrs.field(converter=fields.size, metadata=fields.ITEMS)
    beta: float = attrs.field(default=0.05, converter=_beta)
    histogram: ContinualHistogram = attrs.field(
        metadata=CREATED, default=attrs.Factory(_pure, takes_self=True), validator=_suitable
    )
    passes_halt = True
    _shares: ClassVar[int]
    """The number of equal parts into which ε is divided: one for the histogram H, one for all
    sparse vectors and, in HSS with tests, one for all Laplace tests."""

    def __attrs_post_init__(self) -> None:
        one_sensitive(self.query, self.dimension)

    @property
    def share(self) -> Fraction:
        """The ε of each part: H, all sparse vectors, and all tests, if there are tests."""
        return self.epsilon / self._shares

    @abstractmethod
    def sparse_vector(self, h: tuple[int, ...]) -> Create:
        """The creation of an interval's sparse vector, SVT_{ε',q,h} with 2ε' = ``share``."""

    @property
    @abstractmethod
    def created(self) -> tuple[Create, ...]:
        """The mechanisms that P creates first, in order."""

    def histogram_svt(self, h: tuple[int, ...]) -> Create:
        """The creation of the sparse vector of CM Algorithm 3, which starts from the histogram
        h."""
        return Create(HistogramSVT(epsilon=self.share, query=self.query, histogram=h))

    def groups(self, *kinds: str) -> tuple[Create, ...]:
        """The messages that create the histogram H and, for each given kind, a composition of
        mechanisms of this kind, at most one of which sees a difference (CM Thm 5.2)."""
        known = why_untrusted(self, but_created=True) is None
        truths = (f"all that P creates here is {each}" if known else "" for each in kinds)
        inside = sparse_parallel([(self.share, 0)])
        many = (Create(Certified(ExtConComp(), inside, truth=truth)) for truth in truths)
        return (Create(self.histogram), *many)

    @property
    def verification(self) -> EventLevel:
        """The verification function f: streams that differ in at most one step."""
        return event_level()

    @property
    def lifting(self) -> Lifting:
        """The verification functions on P's left (f) and right (f' of ``created``, CM Def. 4.9)."""
        inner, source = fixed_mechanisms(self.created), "antiphon.mechanisms.histograms.intervals"
        return Lifting(self.verification, inner, Status.PROVED, source)

    def signature(self, right: Signature) -> Signature:
        queries: Space = Tuples((BITS,) * self.dimension)
        return Signature(queries, Tuples((Integers(), Integers(1))), queries)

    @cached_property
    def slack(self) -> Slack:
        """The bounds of all the noise, which hold together with probability 1 - beta."""
        zeros = (0,) * self.dimension
        vector = HistogramSVT(epsilon=self.share, query=self.query, histogram=zeros).above
        return Slack(
            beta=self.beta,
            families=self._shares + 1,
            threshold=vector.threshold_scale,
            query=vector.query_scale,
            test=1 / self.share,
            histogram=self.histogram,
        )

    @abstractmethod
    def threshold(self, interval: StreamInterval, t: int) -> int:
        """The threshold Thresh at step t."""

    @abstractmethod
    def error_bound(self, t: int, j: int) -> int:
        """A bound on the error of an answer (out, j) at step t. W.p. 1 - beta it holds for all t
        at once."""

    @abstractmethod
    def most_intervals(self, largest: int) -> int:
        """A bound on the number of intervals while the true value is <= ``largest``; it holds
        whenever ``error_bound`` does."""

    @property
    def initial_state(self) -> Running:
        zeros = (0,) * self.dimension
        return Running(0, zeros, StreamInterval(1, (self.query(zeros), 1), zeros, 0, 0, 0))

    def now(self, state: Running, x: tuple[int, ...]) -> Running:
        """The state after the input x: the step t grows by 1, x is added to the sum c of the
        interval's inputs, and the threshold is the new step's."""
        t, c, interval = state
        if t >= interval.until:
            interval = self._current(interval, t + 1)
        return Running(t + 1, tuple(map(add, c, x)), interval)

    def _current(self, interval: StreamInterval, t: int) -> StreamInterval:
        """The interval with the threshold for step t, and the last step for which this threshold is
        valid."""
        horizon = self.histogram.horizon
        if horizon is not None and interval.number > horizon:
            raise InvalidArgument(
                f"the histogram's horizon of {horizon} intervals is used up: give one with a "
                "larger horizon, or with an UnboundedCounter"
            )
        if t > MOST:
            raise InvalidArgument(f"after {MOST} steps a sum may be too large for the histogram")
        return interval._replace(threshold=self.threshold(interval, t), until=self.slack.until(t))

    def initialised(self) -> tuple[Create | Ask, ...]:
        """The messages to the right at the first step: create H and the compositions of sparse
        vectors and of tests, then the first sparse vector, on the histogram 0 (CM: H-init,
        SVT-init)."""
        return (*self.created, self.svt_init((0,) * self.dimension))

    def svt_init(self, h: tuple[int, ...]) -> Ask:
        """The message that creates the sparse vector of an interval that starts from the histogram
        h (CM: SVT-init)."""
        return Ask(self.sparse_vector(h), VECTORS)

    def renewed(self, ended: Running, h: tuple[int, ...], raised: int) -> Running:
        """The state at the start of the next interval, with the histogram h: the sum c is 0, the
        estimate is q(h), and the interval's number grows by 1."""
        j = ended.interval.number + 1
        interval = StreamInterval(j, (self.query(h), j), h, raised, 0, ended.t)
        return Running(ended.t, (0,) * self.dimension, interval)


def clipped(counts: tuple[int, ...]) -> tuple[int, ...]:
    """The counts with negative ones set to 0."""
    return tuple([each if each > 0 else 0 for each in counts])
