"""Private online learners of two functions, f⁽⁰⁾ (0 everywhere) and f⁽¹⁾ (1 at the point 1), which
count the samples (1, 1) by a private counter or sparse vector on their right.

*The highest noise* among the counts of a tree counter: its law, in doubles. The count after t
updates has the noise of one node for each 1 in the binary form of t. Let H_n be the highest over
t = 1, …, n, and 2^k the largest power of two that is at most n. For t < 2^k the nodes lie below the
first of size 2^k; from t = 2^k on that node is included, with noise L, and the rest is as in a tree
of n - 2^k updates. So H_n = max(H_{2^k - 1}, L + max(0, H'_{n - 2^k})), all three independent. Only
max(0, H_n) is needed, whose law is that of H_n above 0.

*The time of a sparse vector's first ⊤*, for known counts: its law, in doubles. Given the noise
ρ = z of the threshold, the answers are independent, and a count n is answered ⊥ with probability
P(ν < T + z - n). Runs of equal counts make it a power: so the cost depends on the number of samples
(1, 1), not of rounds.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache, cached_property
from typing import Final, NamedTuple, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.composition.complex_mechanism import Lifting
from antiphon.learners.littlestone import mistake_learner
from antiphon.learners.littlestone.mistake_learner import HIT, Sample
from antiphon.mechanisms import TreeCounter, fields
from antiphon.mechanisms.counters.counter import COUNT, QUERIES
from antiphon.mechanisms.sparse_vector import AboveThreshold, AnySparseVector
from antiphon.numbers import CompositionError, Epsilon, InvalidArgument, exact
from antiphon.protocol import BITS, BOTTOM, TOP, Chain, Signature, Status, column_safe, register
from antiphon.protocol.exchanges.processor import Exchanged, ExchangePostProcessor
from antiphon.verifiers import Within, event_level, every_pair, updates_and_queries

Figures: TypeAlias = "NDArray[np.float64]"
Run: TypeAlias = "tuple[int, int]"
"""The type of a run, that is consecutive rounds with the same count: (the count, which is the
number of samples (1, 1) so far; the number of rounds)."""

_FAR = 40
"""The number of noise scales beyond which the noise of a threshold is neglected: its probability is
e^(-40)."""
_NEVER = 1e-18
_LEAST = 2.0**-40
"""The least accepted failure probability β: noise beyond ``_FAR`` scales, neglected, is rarer."""


def log_below(bars: NDArray[np.int64], scale: Fraction) -> Figures:
    """The logarithms ln P(ν < b), b in ``bars``, for discrete Laplace noise ν ~ DLap(scale)."""
    step = 1 / float(scale)
    whole = math.log1p(math.exp(-step))
    low = (np.minimum(bars, 0) - 1) * step - whole
    high = np.log1p(-np.exp(-np.maximum(bars, 1) * step - whole))
    return np.where(bars <= 0, low, high)


@attrs.frozen
class Crossing:
    """The law of the time at which a sparse vector answers its first ⊤, for known counts."""

    above: AnySparseVector

    @cached_property
    def _noises(self) -> NDArray[np.int64]:
        most = math.ceil(_FAR * self.above.threshold_scale) + 1
        return np.arange(-most, most + 1)

    @cached_property
    def _law(self) -> Figures:
        weights = np.exp(-np.abs(self._noises) / float(self.above.threshold_scale))
        law: Figures = weights / weights.sum()
        return law

    def quiet(self, runs: Sequence[Run]) -> Figures:
        """The probability that the sparse vector has answered no ⊤ so far, after each run
        (consecutive rounds with the same count)."""
        found = np.zeros(len(runs))
        logs = np.zeros(len(self._noises))
        for place, (count, length) in enumerate(runs):
            bars = self.above.threshold + self._noises - count
            logs = logs + length * log_below(bars, self.above.query_scale)
            found[place] = self._law @ np.exp(logs)
            if found[place] < _NEVER:
                break
        return found

    def rising(self, last: int) -> Figures:
        """The probability that the sparse vector has answered no ⊤ so far, after each of the
        queries 1, …, ``last``, where query number i is about the count i."""
        bars = np.arange(self.above.threshold - last, self.above.threshold) + self._noises[0]
        bars = np.concatenate([bars, self.above.threshold + self._noises])
        sums = np.concatenate([[0.0], log_below(bars, self.above.query_scale).cumsum()])
        ends = np.arange(last, last + len(self._noises))
        found = np.zeros(last)
        for count in range(1, last + 1):
            found[count - 1] = self._law @ np.exp(sums[ends] - sums[ends - count])
            if found[count - 1] < _NEVER:
                break
        return found


def failing(beta: object) -> float:
    """The failure probability β, checked. Raises: InvalidArgument unless it lies in [2^-40, 1)."""
    found = fields.beta(beta)
    if found < _LEAST:
        raise InvalidArgument("beta is at least 2^-40: tails of noise are computed in doubles")
    return found


def least_threshold(above: AnySparseVector, rounds: int, beta: float) -> int:
    """The least threshold with which the sparse vector ``above`` answers no ⊤ with probability 1 -
    beta, if it is asked ``rounds`` times about the count 0.

    Raises: InvalidArgument for beta outside [2^-40, 1).
    """
    failure, zeros = failing(beta), [(0, exact.whole(rounds, "rounds"))]

    def false(threshold: int) -> float:
        return 1 - float(Crossing(attrs.evolve(above, threshold=threshold)).quiet(zeros)[0])

    low, high = 0, 1
    while false(high) > failure:
        low, high = high, 2 * high
    while low < high:
        half = (low + high) // 2
        low, high = (low, half) if false(half) <= failure else (half + 1, high)
    return low


_FARTHEST = 45
"""The number of noise scales beyond which the noise of a tree counter with one node is neglected:
its probability is about e^(-45)."""
_MORE = 3
"""The number of noise scales added to ``_FARTHEST`` for each further node in a count: the sum of n
noises has a tail of about e^-x x^(n-1)/(n-1)!."""


def highest_noise(updates: int, scale: Fraction) -> Figures:
    """The probabilities, for x = 0, 1, …, that the largest noise among the counts of a tree counter
    after 1, …, ``updates`` updates is at least x.

    Each node has discrete Laplace noise DLap(scale). The probability for x = 0 is set to 1.
    """
    ratio = math.exp(-1 / float(scale))
    nothing = np.zeros(math.ceil((_FARTHEST + _MORE * updates.bit_length()) * scale) + 1)
    nothing[0] = 1

    @cache
    def tails(most: int) -> Figures:
        if not most:
            return nothing
        first = 1 << most.bit_length() - 1
        before, later = tails(first - 1), _with_noise(tails(most - first), ratio)
        return before + later - before * later

    return tails(updates)


def _with_noise(tails: Figures, ratio: float) -> Figures:
    """The tail P(L + Z >= x) for x = 0, 1, …, of a sum of independent noises, given the ``tails``
    P(Z >= x) of Z >= 0; L is discrete Laplace noise with P(L = l) ∝ ratio^|l|."""
    up, down = tails.copy(), tails.copy()
    # The first entry is for all x <= 0, where the tail is 1: its weight is Σ ratio^i over i >= 0.
    up[0] = 1 / (1 - ratio)
    step = 1
    while step < len(tails):
        part = ratio**step
        up[step:] += part * up[:-step]
        down[:-step] += part * down[step:]
        step *= 2
    found: Figures = (1 - ratio) / (1 + ratio) * (up + down - tails)
    found[0] = 1
    return found


SHARE: Final = Fraction(3, 10)
"""The part of a sparse vector's ε for the noise of its threshold; ½ gives more mistakes."""


@register("antiphon.Counted/1", state=True)
class Counted(NamedTuple):
    """The state of ``OnceAbove``: the number of samples (1, 1) so far, and whether ⊤ was
    answered."""

    hits: int
    found: bool


@register("antiphon.OnceAbove/1")
@column_safe
@attrs.frozen
class OnceAbove(ExchangePostProcessor[Counted]):
    """A learner (post-processor) that asks a sparse vector on its right whether the number of
    samples (1, 1) is above a threshold: it answers hypothesis 0 until the answer is ⊤, and then 1.

    On its right stands an ``AboveThreshold``, which is ``monotone`` for less noise. Privacy: that
    of the sparse vector w.r.t. event level (CM Thm 6.1). It asks until ⊤ is answered, and its
    answers depend on these answers only (destination, response). Of streams that differ in one
    sample the counts are the same before it, and from it on all differ by the same one of -1, 0, 1
    (f→f'). Source: the sparse vector of Dwork, Naor, Reingold, Rothblum, Vadhan 2009, as a learner.
    Raises: CompositionError for a mechanism on the right that is no sparse vector.

    >>> above = AboveThreshold(epsilon=100, threshold=2, monotone=True)
    >>> session = (OnceAbove() @ above).start(seed=1)
    >>> [session.send(sample) for sample in ((1, 1), (0, 0), (1, 1), (0, 0))]
    [0, 0, 1, 1]
    """

    @property
    def initial_state(self) -> Counted:
        return Counted(0, False)

    @property
    def lifting(self) -> Lifting:
        """The verification functions of CM Thm 6.1: f allows one sample to differ, and f' counts
        that differ by at most 1, all in one direction."""
        inner = every_pair(Within(1), monotone=True)
        return Lifting(event_level(), inner, Status.PROVED, "see OnceAbove")

    def signature(self, right: Signature) -> Signature:
        answers = right.answers
        if not (right.queries.contains(0) and answers.contains(TOP) and answers.contains(BOTTOM)):
            raise CompositionError(
                "OnceAbove asks of counts whether they are above a threshold: put an "
                f"AboveThreshold on its right, which answers ⊤ or ⊥, not {answers}"
            )
        return mistake_learner.signature()

    def exchange(self, state: Counted, message: Sample) -> Exchanged[Counted]:
        """Handles a sample: asks the sparse vector about the count, until it has answered ⊤."""
        hits, found = state
        if found:
            return state, 1
        hits += message == HIT
        found = (yield hits) is TOP
        return Counted(hits, found), int(found)

    def settled(self, state: Counted) -> bool:
        """Whether ⊤ was answered, so that the learner keeps its hypothesis for good."""
        return state.found


@register("antiphon.CountIsAbove/1")
@attrs.frozen
class CountIsAbove(ExchangePostProcessor[None]):
    """A learner (post-processor) that counts the samples (1, 1) by a private counter, and answers
    hypothesis 1 while the count is at least ``threshold``, else 0.

    The tree-counter learner, with a ``TreeCounter`` on its right. Its hypothesis may change several
    times. Privacy: that of the counter w.r.t. event level (CM Thm 6.1). For every sample it sends a
    bit and COUNT, and its answer is a function of the count (destination, response); samples that
    differ give bits that may differ (f→f'). Raises: CompositionError for a mechanism on the right
    that is no counter of bits.
    """

    threshold: int = attrs.field(validator=fields.integer)

    @property
    def initial_state(self) -> None:
        return None

    @property
    def lifting(self) -> Lifting:
        """The verification functions of CM Thm 6.1: f allows one sample to differ, and f' one
        bit."""
        inner = updates_and_queries(event_level(), QUERIES)
        return Lifting(event_level(), inner, Status.PROVED, "see CountIsAbove")

    def signature(self, right: Signature) -> Signature:
        if not (right.queries.contains(COUNT) and right.updates.includes(BITS)):
            raise CompositionError(
                "CountIsAbove counts bits: put a TreeCounter on its right, which takes 0, 1 and "
                f"COUNT, not {right.queries}"
            )
        return mistake_learner.signature()

    def exchange(self, state: None, message: Sample) -> Exchanged[None]:
        """Handles a sample: sends its bit (1 for (1, 1), else 0) to the counter, and compares the
        count with the threshold."""
        yield int(message == HIT)
        count = yield COUNT
        return None, int(type(count) is int and count >= self.threshold)


def sparse_vector_learner(
    *, horizon: int, epsilon: Epsilon, beta: float = 0.1, share: Fraction = SHARE
) -> Chain:
    """The learner OnceAbove ∘* AboveThreshold, with the least threshold for which it keeps f⁽⁰⁾ for
    T = ``horizon`` samples ⊥ with probability 1 - β (is β-concentrated).

    The learner is ε-DP, as ``guarantee`` derives. If all samples are ⊥ it answers f⁽⁰⁾ (0
    everywhere) throughout with probability 1 - ``beta`` (computed in doubles). On samples of f⁽⁰⁾ a
    false ⊤ is final: with ``beta`` = 1/T that costs one mistake at most.

    >>> sparse_vector_learner(horizon=1 << 20, epsilon=1).mechanism.threshold
    26
    """
    silent = AboveThreshold(epsilon=epsilon, monotone=True, share=share)
    threshold = least_threshold(silent, horizon, beta)
    return OnceAbove() @ attrs.evolve(silent, threshold=threshold)


def tree_counter_learner(*, horizon: int, epsilon: Epsilon, beta: float = 0.1) -> Chain:
    """The learner CountIsAbove ∘* TreeCounter, with the least threshold for which it keeps f⁽⁰⁾ for
    T = ``horizon`` samples ⊥ with probability 1 - β (is β-concentrated).

    The learner is ε-DP, as ``guarantee`` derives. The law of the highest noise of T counts is
    computed in doubles.

    >>> tree_counter_learner(horizon=1 << 10, epsilon=1).links[0]
    CountIsAbove(threshold=148)
    """
    counter = TreeCounter(horizon=horizon, epsilon=epsilon)
    return CountIsAbove(_quiet_threshold(counter, failing(beta))) @ counter


def _quiet_threshold(counter: TreeCounter, beta: float) -> int:
    """The least x such that with probability 1 - beta the noise of all counts of the tree counter
    is below x."""
    return int(np.count_nonzero(highest_noise(counter.horizon, counter.scale) > beta))
