"""HSS (CM §7, Algorithm 4): answering a monotone histogram query at every step.

*Accuracy.* Let A(j), B(t), L(j), γ_H(j) be bounds that |τ_j|, |ν_t|, the noise of the j-th test and
the errors of H's j-th answer exceed w.p. at most p_j, p_t, p_j, p_j, where p_n = 3β/(2π²n²), γ_H is
nondecreasing and γ_H(0) = 0. With probability 1 - β none is ever exceeded; assume this. Put

    α(t,j) = A(j) + B(t),   ξ(t,j) = α(t,j) + L(j),   γ(t,j) = 2α(t,j) + 2γ_H(j) + 2.

Write q_t for the true value, t_j for the end of interval j (the step of its ⊤) and S_j for the sum
of γ(t_i, i) over i <= j. H's answer h is rounded to ints >= 0, like the truth, and q is
1-sensitive, so in interval j |q(c+h) - q_t| <= γ_H(j-1).

1. Every ⊤ passes its test: q(c+h) + ν > Thresh + τ gives q(c+h) + Lap > Thresh - ξ. So in
   interval j Thresh is γ(t,j) + S_(j-1), and at its end S_j.
2. At the end t_j: q_(t_j) > S_j - α(t_j,j) - γ_H(j-1), and |out - q_(t_j)| <= γ_H(j).
3. At a later t without ⊤, in interval j+1: q_t <= γ(t,j+1) + S_j + α(t,j+1) + γ_H(j), while
   out >= q_(t_j) - γ_H(j); and out <= q_(t_j) + γ_H(j) <= q_t + γ_H(j), as q is monotone.
   So |out - q_t| <= γ(t,j+1) + 2α(t,j+1) + 3γ_H(j). In interval 1, q(0) = out <= q_t <= γ + α.
4. n ends require q_(t_n) > S_(n-1) + γ(t_n,n) - α(t_n,n) - γ_H(n-1) > (n-1)γ(1,1), so there are
   fewer than q*/γ(1,1) + 2 intervals while q_t <= q*.

*Without the test* (``HSSWithoutTest``): p_n = 2β/(π²n²), Γ(t,j) = α(t,j) + 2γ_H(j) + 1 and Thresh =
q(h) + Γ(t,j), where q(h) = out.

1. In interval j without ⊤: q_t <= q(h) + Γ(t,j) + α(t,j) + γ_H(j-1), and out <= q_t + γ_H(j-1).
   At an end |out - q_t| <= γ_H(j). So for the j of the answer
   |out - q_t| <= Γ(t,j) + α(t,j) + γ_H(j-1).
2. ⊤ requires q(c+h) > q(h) + Γ - α, so from one end to the next q grows by more than
   Γ - α - 2γ_H(j-1) >= 1: n ends require q* - q(0) >= 2n, so there are at most 1 + (q* - q(0))/2.
"""

from abc import abstractmethod
from functools import cached_property
from operator import add
from typing import ClassVar

import attrs

from antiphon.composition.creation import Create
from antiphon.mechanisms import fields
from antiphon.mechanisms.histograms import intervals
from antiphon.mechanisms.noise.discrete import DiscreteLaplace
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol import BOTTOM, Ask, Exchanged, in_turn, register


@attrs.frozen(kw_only=True)
class TestedIntervals(intervals.Intervals):
    """The post-processor P of CM Algorithm 4 (HSS); a subclass chooses the Laplace mechanism of the
    tests and the bounds γ and ξ on the noise. Abstract."""

    printed: bool = attrs.field(default=False, validator=fields.boolean)
    _shares: ClassVar[int] = 3

    @abstractmethod
    def laplace(self) -> Create:
        """The creation of a test's Laplace mechanism, for inputs that are at most 1 apart."""

    @abstractmethod
    def gamma(self, t: int, j: int) -> int:
        """The amount γ(t, j) by which a test that is passed at step t of interval j raises the
        threshold: 2α(t, j) + 2γ_H(j) + 2, where α bounds the sparse vector's noise and γ_H the
        error of H."""

    @abstractmethod
    def xi(self, t: int, j: int) -> int:
        """The slack ξ(t, j) of the test at step t of interval j, a bound on all its noise: a noisy
        value above threshold - ξ(t, j) passes."""

    def algorithm_4(
        self, state: intervals.Running, x: tuple[int, ...]
    ) -> Exchanged[intervals.Running]:
        """Step t of CM Algorithm 4 (HSS), on the input x."""
        # CM Algorithm 4: c ← c + x, the sum of this interval's inputs.
        t, c, interval = now = self.now(state, x)
        j, thresh = interval.number, interval.threshold
        if t == 1:
            yield from in_turn(self.initialised())
        # CM Algorithm 4: SVT-call(x, Thresh) asks the interval's sparse vector.
        if (yield Ask(Ask((x, thresh), j - 1), intervals.VECTORS)) is BOTTOM:
            return now, interval.answer
        # CM Algorithm 4: h ← H-add(c), the new answer of the histogram H.
        h = intervals.clipped((yield Ask(c, intervals.HISTOGRAM)))
        tested = h if self.printed else tuple(map(add, c, interval.h))
        yield Ask(self.laplace(), intervals.TESTS)
        # CM Algorithm 4: the interval ends with a test of the noisy value q(c + h) + Lap(3/ε).
        noisy = yield Ask(Ask(self.query(tested), j - 1), intervals.TESTS)
        raised = interval.raised
        if noisy > thresh - self.xi(t, j):
            raised += self.gamma(t, j)
        # CM Algorithm 4: c ← 0, out ← q(h), j ← j + 1, a new interval.
        state = self.renewed(now, h, raised)
        yield self.svt_init(state.interval.h)
        return state, state.interval.answer


@register("antiphon.HSS/1")
@attrs.frozen(kw_only=True)
class HSS(TestedIntervals):
    """The post-processor P of HSS: ``ComplexMechanism(HSS(…))`` = P ∘* ExtConComp estimates the
    query q at every step.

    x ∈ {0,1}^d -> (out, j), see ``Intervals``. A sparse vector answers ⊤ once q has grown past
    Thresh; only then H receives the sum of the interval, and ``out`` changes. ε/3 each go to H, to
    all sparse vectors (ε' = ε/6) and to all Laplace tests (scale 3/ε). Privacy: ε-DP w.r.t. event
    level, streams that differ in one step, against adaptive adversaries; with an (ε/3, δ)-DP
    ``histogram`` (ε, δ)-DP. ``ap.guarantee`` derives it by CM Thms 5.2, 4.10 and 6.1; the SVTs' f
    is not first-pair consistent, so their δ must be 0, as it is. Proved for queries of this
    library. Source: CM Algorithm 4 (Henzinger, Sricharan, Steiner 2023). As printed, the test
    compares q(c + h) after h was replaced by H's new answer and c by 0, so it reads nothing
    private; here it uses the h and c of the interval that has ended. ``printed=True`` is the
    printed version. Raises: InvalidArgument for a query that is not 1-sensitive, for an x that is
    no vector of d bits, and past the horizon of ``histogram``, if it has one; the state is
    unchanged.

    >>> from antiphon.composition import ComplexMechanism
    >>> from antiphon.mechanisms import KthLargest
    >>> hss = HSS(epsilon=1000, query=KthLargest(1), dimension=2)
    >>> session = ComplexMechanism(hss).start(seed=1)
    >>> [session.send((1, t % 2)) for t in range(5)]
    [(0, 1), (0, 1), (3, 2), (3, 2), (5, 3)]
    """

    @cached_property
    def created(self) -> tuple[Create, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.groups(intervals.SVT, "DiscreteLaplace(epsilon=ε_i)")

    def sparse_vector(self, h: tuple[int, ...]) -> Create:
        return self.histogram_svt(h)

    def laplace(self) -> Create:
        return Create(DiscreteLaplace(epsilon=self.share))

    def gamma(self, t: int, j: int) -> int:
        return 2 * self.slack.alpha(t, j) + 2 * self.slack.of_histogram(j) + 2

    def xi(self, t: int, j: int) -> int:
        return self.slack.alpha(t, j) + self.slack.of_test(j)

    def threshold(self, interval: intervals.StreamInterval, t: int) -> int:
        return interval.raised + self.gamma(t, interval.number)

    def exchange(
        self, state: intervals.Running, x: tuple[int, ...]
    ) -> Exchanged[intervals.Running]:
        return self.algorithm_4(state, x)

    def error_bound(self, t: int, j: int) -> int:
        """A bound on the error of the estimate at step t, in interval j: γ(t, j) + 2α(t, j) +
        3γ_H(j - 1) in the module's letters. Raises: InvalidArgument for Algorithm 4 as printed."""
        if self.printed:
            raise InvalidArgument("no bound is proved for the printed version: use printed=False")
        alpha, before = self.slack.alpha(t, j), self.slack.of_histogram(j - 1)
        return self.gamma(t, j) + 2 * alpha + 3 * before

    def most_intervals(self, largest: int) -> int:
        return max(1, -(-largest // self.gamma(1, 1)) + 1)


@attrs.frozen(kw_only=True)
class UntestedIntervals(intervals.Intervals):
    """The post-processor P of HSS without Laplace tests; a subclass defines how an answer of the
    histogram H is used. Abstract."""

    _shares: ClassVar[int] = 2

    @cached_property
    def created(self) -> tuple[Create, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.groups(intervals.SVT)

    def sparse_vector(self, h: tuple[int, ...]) -> Create:
        return self.histogram_svt(h)

    def big_gamma(self, t: int, j: int) -> int:
        """The distance Γ(t, j) of the threshold above the last answer, at step t of interval j:
        α(t, j) + 2γ_H(j) + 1, where α bounds the sparse vector's noise and γ_H the error of H."""
        return self.slack.alpha(t, j) + 2 * self.slack.of_histogram(j) + 1

    def threshold(self, interval: intervals.StreamInterval, t: int) -> int:
        return interval.answer[0] + self.big_gamma(t, interval.number)

    @abstractmethod
    def answered(self, ended: intervals.Running, h: tuple[int, ...]) -> tuple[int, ...]:
        """The histogram that the next interval starts from, given H's answer h."""

    def exchange(
        self, state: intervals.Running, x: tuple[int, ...]
    ) -> Exchanged[intervals.Running]:
        """Step t of CM Algorithm 4, on the input x, without its Laplace test."""
        t, c, interval = now = self.now(state, x)
        if t == 1:
            yield from in_turn(self.initialised())
        question = Ask((x, interval.threshold), interval.number - 1)
        if (yield Ask(question, intervals.VECTORS)) is BOTTOM:
            return now, interval.answer
        h = intervals.clipped((yield Ask(c, intervals.HISTOGRAM)))
        state = self.renewed(now, self.answered(now, h), 0)
        yield self.svt_init(state.interval.h)
        return state, state.interval.answer

    def error_bound(self, t: int, j: int) -> int:
        """A bound on the error of the estimate at step t, in interval j: Γ(t, j) + α(t, j) + γ_H(j
        - 1) in the module's letters."""
        return self.big_gamma(t, j) + self.slack.alpha(t, j) + self.slack.of_histogram(j - 1)

    def most_intervals(self, largest: int) -> int:
        return 1 + max(0, largest - self.query((0,) * self.dimension)) // 2


@register("antiphon.HSSWithoutTest/1")
@attrs.frozen(kw_only=True)
class HSSWithoutTest(UntestedIntervals):
    """The post-processor P of HSS without Laplace tests: the threshold is the query's value on H's
    latest answer, plus a margin Γ(t, j) for the noise.

    Like ``HSS``, with ε/2 each for H and for all sparse vectors (ε' = ε/4). Privacy: as ``HSS``.
    Source: theory of CM §7 with Γ(t,j) = α(t,j) + 2γ_H(j) + 1 in place of Thresh's own sum.

    >>> from antiphon.composition import ComplexMechanism
    >>> from antiphon.mechanisms import KthLargest
    >>> session = ComplexMechanism(
    ...     HSSWithoutTest(epsilon=1000, query=KthLargest(1), dimension=2)).start(seed=1)
    >>> [session.send((1, t % 2)) for t in range(5)]
    [(0, 1), (2, 2), (2, 2), (4, 3), (4, 3)]
    """

    def answered(self, ended: intervals.Running, h: tuple[int, ...]) -> tuple[int, ...]:
        return h
