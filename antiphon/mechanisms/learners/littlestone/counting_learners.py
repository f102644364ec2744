"""Learners of two functions that count the samples (1, 1), on the left of what counts privately."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple

import attrs
import numpy as np

from antiphon.composition.complex_mechanism import Lifting
from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.counter import COUNT, QUERIES
from antiphon.mechanisms.counters.tree_counter import TreeCounter
from antiphon.mechanisms.learners.littlestone import samples
from antiphon.mechanisms.learners.littlestone.crossing import failing, least_threshold
from antiphon.mechanisms.learners.littlestone.highest_noise import highest_noise
from antiphon.mechanisms.learners.littlestone.samples import HIT, Sample
from antiphon.mechanisms.sparse_vector import AboveThreshold
from antiphon.numbers.errors import CompositionError
from antiphon.numbers.exact import Epsilon
from antiphon.protocol.chain import Chain
from antiphon.protocol.claims import Status
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.exchanges import Exchanged, ExchangePostProcessor
from antiphon.protocol.messages import BOTTOM, TOP
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import BITS, Signature
from antiphon.verifiers.models import event_level, every_pair, updates_and_queries
from antiphon.verifiers.relations import Within

SHARE: Final = Fraction(3, 10)
"""The part of ε that the noise of the threshold gets: with it fewer mistakes than with half."""


@register("antiphon.Counted/1", state=True)
class Counted(NamedTuple):
    """How many samples were (1, 1), and whether ⊤ was said."""

    hits: int
    found: bool


@register("antiphon.OnceAbove/1")
@column_safe
@attrs.frozen
class OnceAbove(ExchangePostProcessor[Counted]):
    """IPM: asks after each sample if the number of (1, 1) is above; f⁽¹⁾ once it was, else f⁽⁰⁾.

    The sparse-vector learner: on its right an ``AboveThreshold``, ``monotone`` for less noise.
    Privacy: that of the right w.r.t. event level (CM Thm 6.1). It asks until it hears ⊤, and what
    it answers is what it heard (destination, response). Of streams that differ in one sample the
    counts are the same before it, and from it on all differ by the same one of -1, 0, 1 (f→f').
    Source: the sparse vector of Dwork, Naor, Reingold, Rothblum, Vadhan 2009, as a learner.
    Raises: CompositionError for a right that is no sparse vector.

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
        """f: one sample differs; f': counts that differ by 1 at most, all in one direction."""
        inner = every_pair(Within(1), monotone=True)
        return Lifting(event_level(), inner, Status.PROVED, "see OnceAbove")

    def signature(self, right: Signature) -> Signature:
        answers = right.answers
        if not (right.queries.contains(0) and answers.contains(TOP) and answers.contains(BOTTOM)):
            raise CompositionError(
                "OnceAbove asks of counts whether they are above a threshold: put an "
                f"AboveThreshold on its right, which answers ⊤ or ⊥, not {answers}"
            )
        return samples.signature()

    def exchange(self, state: Counted, message: Sample) -> Exchanged[Counted]:
        """The count is asked about, until it is above."""
        hits, found = state
        if found:
            return state, 1
        hits += message == HIT
        found = (yield hits) is TOP
        return Counted(hits, found), int(found)

    def settled(self, state: Counted) -> bool:
        """Whether ⊤ was said."""
        return state.found


@register("antiphon.CountIsAbove/1")
@attrs.frozen
class CountIsAbove(ExchangePostProcessor[None]):
    """IPM: counts the samples (1, 1) on its right; f⁽¹⁾ where the count is at least ``threshold``.

    The tree-counter learner, with a ``TreeCounter`` on its right. It may change its mind again.
    Privacy: that of the counter w.r.t. event level (CM Thm 6.1). To every sample it says a bit
    and COUNT, and its answer is a function of the count (destination, response); samples that
    differ give bits that may differ (f→f').
    Raises: CompositionError for a right that is no counter of bits.
    """

    threshold: int = attrs.field(validator=fields.integer)

    @property
    def initial_state(self) -> None:
        return None

    @property
    def lifting(self) -> Lifting:
        """f: one sample differs; f': one bit does."""
        inner = updates_and_queries(event_level(), QUERIES)
        return Lifting(event_level(), inner, Status.PROVED, "see CountIsAbove")

    def signature(self, right: Signature) -> Signature:
        if not (right.queries.contains(COUNT) and right.updates.includes(BITS)):
            raise CompositionError(
                "CountIsAbove counts bits: put a TreeCounter on its right, which takes 0, 1 and "
                f"COUNT, not {right.queries}"
            )
        return samples.signature()

    def exchange(self, state: None, message: Sample) -> Exchanged[None]:
        """The bit is counted, and the count compared."""
        yield int(message == HIT)
        count = yield COUNT
        return None, int(type(count) is int and count >= self.threshold)


def sparse_vector_learner(
    *, horizon: int, epsilon: Epsilon, beta: float = 0.1, share: Fraction = SHARE
) -> Chain:
    """OnceAbove ∘* AboveThreshold, with the least threshold that is β-concentrated for T rounds.

    ε-DP, derived. Where all samples are ⊥ it says f⁽⁰⁾ throughout with probability 1 - ``beta``
    (reckoned in doubles). On samples of f⁽⁰⁾ a false ⊤ is for good: with ``beta`` = 1/T that costs
    one mistake at most.

    >>> sparse_vector_learner(horizon=1 << 20, epsilon=1).mechanism.threshold
    26
    """
    silent = AboveThreshold(epsilon=epsilon, monotone=True, share=share)
    threshold = least_threshold(silent, horizon, beta)
    return OnceAbove() @ attrs.evolve(silent, threshold=threshold)


def tree_counter_learner(*, horizon: int, epsilon: Epsilon, beta: float = 0.1) -> Chain:
    """CountIsAbove ∘* TreeCounter, with the least threshold that is β-concentrated for T rounds.

    ε-DP, derived. The law of the highest noise of T counts is reckoned in doubles.

    >>> tree_counter_learner(horizon=1 << 10, epsilon=1).links[0]
    CountIsAbove(threshold=148)
    """
    counter = TreeCounter(horizon=horizon, epsilon=epsilon)
    return CountIsAbove(_quiet_threshold(counter, failing(beta))) @ counter


def _quiet_threshold(counter: TreeCounter, beta: float) -> int:
    """The least x that no count's noise reaches, with probability 1 - beta."""
    return int(np.count_nonzero(highest_noise(counter.horizon, counter.scale) > beta))
