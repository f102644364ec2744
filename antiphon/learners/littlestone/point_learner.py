"""A private learner of functions that are 1 at one of N points, from a sparse vector and a noisy
argmax: it waits for a large count, then finds the point that has it."""

import math
from fractions import Fraction
from typing import Final, NamedTuple

import attrs
import numpy as np

from antiphon.composition import ComplexMechanism, Create, Lifting, fixed_mechanisms
from antiphon.composition.guarantees.inclusion import require
from antiphon.learners.littlestone import mistake_learner
from antiphon.learners.littlestone.counting_learners import Crossing, least_threshold
from antiphon.learners.littlestone.mistake_learner import POINTS, Sample
from antiphon.mechanisms import AboveThreshold, PermuteAndFlip, fields
from antiphon.numbers import InvalidArgument, exact
from antiphon.protocol import TOP, Ask, Signature, Status, column_safe, register, set_derived
from antiphon.protocol.exchanges.processor import Exchanged, ExchangePostProcessor, in_turn
from antiphon.protocol.provenance import CREATED
from antiphon.verifiers import EachWithin, Within, event_level, every_pair, neighbouring_start

_SHARE: Final = Fraction(7, 20)
"""The part of the sparse vector's ε that is spent on the noise of its threshold."""
_SPLIT: Final = Fraction(11, 20)
"""The part of ε that the sparse vector gets; the argmax gets the rest."""
_FAR: Final = 25
"""The number of noise scales above the threshold at which the probability that a count is not
answered ⊤ is about e^(-25), and neglected."""


@register("antiphon.Seen/1", state=True)
class Seen(NamedTuple):
    """The state of ``PointLearner``: for each point x the number of samples (x, 1), the learned
    point, and whether its two mechanisms are created."""

    counts: tuple[int, ...]
    learned: int | None
    """The learned point: None before the sparse vector's ⊤, and 0 if the argmax fails to answer."""
    created: bool


@register("antiphon.PointLearner/1")
@column_safe
@attrs.frozen(kw_only=True)
class PointLearner(ExchangePostProcessor[Seen]):
    """A learner (post-processor) that answers f⁽⁰⁾ (0 everywhere) until the largest count is above
    a threshold; then f⁽ˣ⁾ (1 at x only), x a noisy argmax.

    For each point x, the samples (x, 1) are counted. After each sample ``above`` tests the largest
    count; after its ⊤ ``argmax`` is applied once to all counts. Stands on the left of ExtConComp,
    where it creates both mechanisms: ``ComplexMechanism(PointLearner(…))``. It learns once: a wrong
    x is final. Privacy: that of both w.r.t. event level, by CM Thm 6.1 and 4.10: ``ap.guarantee``
    derives it. Its queries' destinations and its answers depend on the answers from the right only
    (destination, response). Two samples that differ change two counts by 1 at most, so each count,
    and the largest, by 1 at most from then on, and not all in one direction (f→f'). Source: the
    sparse vector and noisy max of Dwork and Roth 2014, §3. Raises: InvalidArgument for parts whose
    claims cover fewer pairs of counts.

    >>> above = AboveThreshold(epsilon=99, threshold=2)
    >>> learner = PointLearner(above=above, argmax=PermuteAndFlip(epsilon=99, candidates=5))
    >>> session = ComplexMechanism(learner).start(seed=1)
    >>> [session.send(sample) for sample in ((3, 1), (4, 0), (3, 1), (0, 0))]
    [0, 0, 3, 3]
    """

    above: AboveThreshold = attrs.field(
        validator=attrs.validators.instance_of(AboveThreshold), metadata=CREATED
    )
    argmax: PermuteAndFlip = attrs.field(
        validator=attrs.validators.instance_of(PermuteAndFlip), metadata=CREATED
    )
    created: tuple[Create, Create] = attrs.field(init=False, eq=False, repr=False)
    """The messages that create the sparse vector and the argmax, in this order."""

    def __attrs_post_init__(self) -> None:
        fields.check_size(self.points, "candidates", POINTS)
        created = Create(self.above), Create(self.argmax)
        require(created[0], every_pair(Within(1)), "a PointLearner")
        require(created[1], neighbouring_start(EachWithin(1)), "a PointLearner")
        set_derived(self, created=created)

    @property
    def points(self) -> int:
        """The number N of points."""
        return self.argmax.candidates

    @property
    def initial_state(self) -> Seen:
        return Seen((0,) * self.points, None, False)

    @property
    def lifting(self) -> Lifting:
        """The verification functions of CM Thm 6.1: f allows one sample to differ, and f' the pairs
        for which the two created mechanisms claim privacy."""
        return Lifting(
            event_level(), fixed_mechanisms(self.created), Status.PROVED, "see PointLearner"
        )

    def signature(self, right: Signature) -> Signature:
        return mistake_learner.signature(self.points)

    def exchange(self, state: Seen, message: Sample) -> Exchanged[Seen]:
        """Handles a sample: counts it, and asks the sparse vector about the largest count; after ⊤
        it asks the argmax for the point."""
        counts, learned, created = state
        if learned is not None:
            return state, learned
        if not created:
            yield from in_turn(self.created)
        x, positive = message
        if positive:
            counts = (*counts[: x - 1], counts[x - 1] + 1, *counts[x:])
        if (yield Ask(max(counts), 0)) is TOP:
            place: object = yield Ask(counts, 1)
            learned = place + 1 if type(place) is int else 0
        return Seen(counts, learned, True), learned or 0

    def settled(self, state: Seen) -> bool:
        """Whether a point was learned, so that the learner keeps its hypothesis for good."""
        return state.learned is not None

    def wrong(self, count: int) -> float:
        """The probability that the argmax finds a wrong point, where one point has ``count``
        samples and the others have none.

        The argmax goes through the n points in random order, and stops at a wrong one with
        probability h = e^(-rate·count), at the right one surely: behind j others it is reached with
        probability (1-h)^j, averaged over j.
        """
        log_heads = -float(self.argmax.rate) * count
        n, heads = self.points, math.exp(log_heads)
        if n == 1 or not heads:
            return 0.0
        reached = -math.expm1(n * math.log1p(-heads)) / (n * heads) if heads < 1 else 1 / n
        return max(0.0, 1 - reached)


def point_learner(
    *, points: int, horizon: int, epsilon: exact.Epsilon, beta: float = 0.1
) -> ComplexMechanism:
    """The ε-DP learner PointLearner ∘* ExtConComp, with a threshold for which the expected mistakes
    are nearly the fewest.

    The learner is ε-DP, as ``guarantee`` derives. If all samples are ⊥, it answers f⁽⁰⁾ (0
    everywhere) with probability 1 - ``beta`` (computed in doubles). The threshold has the least
    ``expected_mistakes``, within 2 %; after a wrong point all remaining rounds count as mistakes.
    It uses no data. Raises: InvalidArgument for an epsilon that is not positive, or one point, for
    which ``sparse_vector_learner`` has less noise.
    """
    budget = fields.check_positive(epsilon, "epsilon")
    if fields.check_size(points, "points", POINTS) == 1:
        raise InvalidArgument("points must be at least 2; of one, use sparse_vector_learner")
    above = AboveThreshold(epsilon=budget * _SPLIT, share=_SHARE)
    argmax = PermuteAndFlip(epsilon=budget * (1 - _SPLIT), candidates=points)

    def learner(threshold: int) -> PointLearner:
        return PointLearner(above=attrs.evolve(above, threshold=threshold), argmax=argmax)

    low = least_threshold(above, horizon, beta)
    high = 3 * low + 3
    # This search finds the minimum, since the expected mistakes first fall and then rise as the
    # threshold grows.
    while high > low + max(1, low >> 6):
        near, far = (low + high) // 2, (low + high) // 2 + 1
        if expected_mistakes(learner(near), horizon) <= expected_mistakes(learner(far), horizon):
            high = near
        else:
            low = far
    return ComplexMechanism(learner(high))


def expected_mistakes(learner: PointLearner, rounds: int) -> float:
    """The expected number of mistakes if each sample is (1, 1), in doubles: those before the sparse
    vector's ⊤, and all remaining rounds if the argmax is wrong."""
    above = learner.above
    scales = above.threshold_scale + above.query_scale
    last = min(rounds, max(0, above.threshold) + math.ceil(_FAR * scales))
    counts = np.arange(1, last + 1)
    after = Crossing(above).rising(last)
    before = np.concatenate([[1.0], after[:-1]])
    wrong = np.array(list(map(learner.wrong, counts.tolist())))
    return float((before + (before - after) * wrong * (rounds - counts)).sum())
