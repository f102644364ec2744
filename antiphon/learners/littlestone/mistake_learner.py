"""Learners of functions f⁽ⁱ⁾ (1 at the point i only; f⁽⁰⁾ is 0 everywhere), which answer each
sample (x, label) by a hypothesis, and whose mistakes are counted; and a lower bound for private
ones.

The class is Points(N) = {f⁽⁰⁾, …, f⁽ᴺ⁾} on the domain {0, …, N}: f⁽ⁱ⁾ is 1 at the point i and 0
elsewhere, and f⁽⁰⁾ is 0 everywhere, so every function is 0 at 0. A hypothesis is given by its
index. N = 1 is the class {f⁽⁰⁾, f⁽¹⁾} of two functions, whose index is the label of the point 1; N
> 1 is Point_N, where index 0 means none of the points.

Source: Dmitriev, Szabó, Sanyal, *On the Growth of Mistakes in Differentially Private Online
Learning: A Lower Bound Perspective* (2024), where the sample (0, 0) is ⊥.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeVar

from antiphon.composition.complex_mechanism import ComplexMechanism
from antiphon.mechanisms import fields
from antiphon.numbers import ExactEpsilon, InvalidArgument, Log, exact, up
from antiphon.protocol import AnyChain, ContinualMechanism, View
from antiphon.protocol.spaces import BITS, Either, Finite, Integers, Signature, Space, Tuples
from antiphon.verifiers.models import EventLevel, event_level

Sample: TypeAlias = "tuple[int, int]"
"""The type of a sample (x, label) of a point x."""

BLANK: Final[Sample] = (0, 0)
"""The sample ⊥ = (0, 0), point 0 with label 0, on which every hypothesis is right."""
HIT: Final[Sample] = (1, 1)
"""The sample (1, 1), on which the first hypothesis f⁽⁰⁾ (0 everywhere) is wrong."""
FIRST: Final = 0
"""The index 0 of the public first hypothesis f̂₁ = f⁽⁰⁾, the function that is 0 everywhere."""
MOST_POINTS: Final = 1 << 12


def samples(points: int = 1) -> Space:
    """The space of samples (x, label) with x = 1, …, N = ``points``, and of ⊥ = (0, 0)."""
    if points == 1:
        return Finite((BLANK, (1, 0), HIT))
    return Either((Finite((BLANK,)), Tuples((Integers(1, points), BITS))))


def signature(points: int = 1) -> Signature:
    """The spaces of queries and answers of a learner, for N = ``points``: it answers a sample by
    the index of a hypothesis, 0, …, N."""
    asked = samples(points)
    return Signature(asked, Integers(0, points), asked)


def label(hypothesis: int, point: int) -> int:
    """The label, 0 or 1, of the point under the function f⁽ʰ⁾ with index h = ``hypothesis``: 1 if
    the point is h and not 0."""
    return int(hypothesis == point != 0)


def mistaken(hypothesis: int, sample: Sample) -> bool:
    """Whether the hypothesis with this index gives the point of the sample another label."""
    return label(hypothesis, sample[0]) != sample[1]


POINTS: Final = fields.at_most(MOST_POINTS, "merge points: a state has a count for each")

State = TypeVar("State", default=Any)


@attrs.frozen(kw_only=True)
class MistakeLearner(ContinualMechanism[State, Sample, int], Generic[State]):
    """A learner whose mistakes are counted: it answers sample number t, (x_t, label), by the index
    of its hypothesis f̂_{t+1} for the next round. Abstract.

    The first hypothesis f̂₁ = f⁽⁰⁾ (0 everywhere) is public. Neighbouring streams differ in one
    sample, replaced by any other (event level).
    """

    private: ClassVar[bool] = True
    """Whether the learner claims privacy."""

    points: int = attrs.field(default=1, converter=fields.size, metadata=POINTS)

    @property
    def signature(self) -> Signature:
        return signature(self.points)

    @property
    def verification(self) -> EventLevel:
        """The verification function f: one sample differs, replaced by any other."""
        return event_level()


def settled(learner: ContinualMechanism[Any], state: Any) -> bool:
    """Whether a learner in this state is known to keep its hypothesis for good.

    A learner that knows this has a method ``settled`` of the state; in a chain, the leftmost
    post-processor has it.
    """
    part: object = learner.chain if isinstance(learner, ComplexMechanism) else learner
    if isinstance(part, AnyChain):
        part, state = part.links[0], state[0]
    says = getattr(part, "settled", None)
    return says is not None and bool(says(state))


_SAMPLES: Final = Tuples((Integers(0), Integers(0, 1)))


@attrs.frozen(eq=False)
class Mistakes:
    """The mistakes of a learner in one play, round by round: whether its hypothesis was wrong on
    the sample."""

    wrong: NDArray[np.bool_] = attrs.field(repr=False)
    hypotheses: tuple[int, ...] = attrs.field(repr=False)
    """The hypotheses f̂₁, …, f̂_T, one for each of the T rounds."""

    @property
    def total(self) -> int:
        """The number M of mistakes."""
        return int(self.wrong.sum())

    @property
    def curve(self) -> NDArray[np.int64]:
        """The number of mistakes so far, after each round."""
        return np.cumsum(self.wrong, dtype=np.int64)


def mistakes_of(view: View) -> Mistakes:
    """The mistakes of the learner in a view: the first hypothesis is compared with the first
    sample, and the answer to each sample with the next one.

    Raises: InvalidArgument unless the view is of samples and hypotheses.

    >>> import antiphon as ap
    >>> from antiphon.learners.littlestone import Halving
    >>> view = ap.interact(ap.scripted([(0, 0), (1, 1), (1, 1)]), Halving(), seed=1)
    >>> mistakes_of(view).total, mistakes_of(view).curve.tolist()
    (1, [0, 1, 1])
    """
    hypothesis, told, wrong = FIRST, list[int](), list[bool]()
    for message, answer in zip(view.messages, view.answers, strict=True):
        if type(answer) is not int:
            raise InvalidArgument("these are mistakes of learners, which answer samples by indices")
        told.append(hypothesis)
        wrong.append(mistaken(hypothesis, _sample(message)))
        hypothesis = answer
    return Mistakes(np.array(wrong, np.bool_), tuple(told))


def _sample(message: object) -> Sample:
    if not _SAMPLES.contains(message):
        raise InvalidArgument("a sample is (x, label), two ints")
    found: Any = message
    return found[0], found[1]


_MOST_COPIES: Final = 1 << 8
"""The largest number g of samples (1, 1) in a block up to which a search tries every g, and bounds
the mistake at each of the g samples separately; beyond it some are skipped."""


class HardShape(NamedTuple):
    """The shape of the stream of samples (hard sequence) that proves the lower bound on mistakes:
    three numbers g, b and k, and the bound as a fraction."""

    bound: Fraction
    """The lower bound on the expected number E[M] of mistakes; 0 if none is proved."""
    copies: int = 1
    """The number g of samples (1, 1) in a block."""
    parts: int = 2
    """The number b of parts into which the rounds of a block after its samples (1, 1) are split."""
    blocks: int = 0
    """The number k of blocks, each nested in a part of the one before."""


def mistakes_lower_bound(
    rounds: int, *, epsilon: exact.Epsilon, delta: object, beta: object
) -> float:
    """A lower bound, rounded down, on the expected mistakes of every (ε, δ)-DP learner on its worst
    stream of T = ``rounds`` samples, if with probability 1 - β it keeps f⁽⁰⁾ for T samples ⊥ (is
    β-concentrated).

    E[M] >= max over g, b, k of Σ_{i<k} Σ_{r<=g} max(0, 1 - c_i β - d_i), with g(b^k-1)/(b-1) <= T =
    ``rounds``; for each r, c_0 = e^((r-1)ε), d_0 = δ(c_0-1)/(e^ε-1), and with E = e^(gε),
    δ_g = δ(E-1)/(e^ε-1) and w = 1 + (c_i-1)/b: c_{i+1} = E·w, d_{i+1} = d_i + δ_g·w. The term of
    i = 0 and r = 1 is 1.

    It holds for learners of {f⁽⁰⁾, f⁽¹⁾} whose first hypothesis is f⁽⁰⁾ for certain, that are
    (ε, δ)-DP w.r.t. event level, and answer f⁽⁰⁾ in all rounds 1, …, T with probability at least
    1 - β if all samples are ⊥. The stream is fixed beforehand, and consistent with f⁽¹⁾.
    *Proof*. Let τ be the first round whose hypothesis is not f⁽⁰⁾. Start with the block B_0 of all
    rounds and s⁰ = all ⊥. Given sⁱ, which is ⊥ in B_i and after it, let sⁱ⁺¹ have (1, 1) in the
    first g rounds of B_i, split the rest of B_i into b parts as even as can be, and let B_{i+1} be
    the one with the least P(τ ∈ part) under sⁱ⁺¹. Let l_i = P(τ < min B_i) and q_i = P(τ ∈ B_i)
    under sⁱ, so that l_0 = 0 and q_0 <= β, and m_i = P(τ ∈ B_i) under sⁱ⁺¹. The hypothesis at the
    r-th (1, 1) of B_i has seen r-1 of them, so by group privacy it came after τ with probability at
    most l_i + c_0 q_i + d_0; else it is a mistake. If that is at most l_{i+1} + c·q_{i+1} + d for
    a (1, 1) of a later block, with c >= 1, it is at most l_i + cʹ·q_i + dʹ one block earlier: the
    lightest part has q_{i+1} <= m_i/b, leaving in a skipped part counts as lost, so
    l_{i+1} <= l_i + m_i - q_{i+1}, and m_i <= E·q_i + δ_g. Hence l_{i+1} + c·q_{i+1} + d
    <= l_i + m_i·w + d <= l_i + E·w·q_i + δ_g·w + d. There are k blocks if g(1 + … + b^(k-1)) <= T.

    Source: Dmitriev, Szabó, Sanyal 2024, with leaving in skipped parts counted (the talk's Σ q_i
    omits it: docs/mistakes.md has a learner that refutes that). Raises: InvalidArgument for rounds
    < 1, epsilon <= 0, delta outside [0, 1], beta outside [0, 1].

    >>> mistakes_lower_bound(1 << 20, epsilon=Log(Fraction(3, 2)), delta=1e-6, beta=0.1) >= 14.896
    True
    """
    return floor(hard_shape(rounds, epsilon=epsilon, delta=delta, beta=beta).bound)


def floor(value: Fraction) -> float:
    """The largest double that is at most ``value``: a lower bound is rounded down."""
    near = float(value)
    return near if Fraction(near) <= value else math.nextafter(near, -math.inf)


def hard_shape(rounds: int, *, epsilon: exact.Epsilon, delta: object, beta: object) -> HardShape:
    """Finds the stream of samples (hard sequence) for which the lower bound on mistakes is largest:
    k nested blocks, each with g samples (1, 1) and its rest in b parts; see
    ``mistakes_lower_bound``.

    The parameters are searched for in doubles; the bound for them is exact, or smaller by 2^-80 for
    each term.
    """
    most, rate, leaks, failure = _premises(rounds, epsilon, delta, beta)
    found, best = (1, 1, 2), 0.0
    for copies in _copies(most, rate):
        ends, numbers = zip(*_ends(copies), strict=True)
        for blocks, parts in _shapes(most, copies):
            if copies * blocks > best:
                shape = copies, blocks, parts
                lost = _roughly(shape, ends, float(rate), float(leaks)) @ [float(failure), 1.0]
                bound = float(np.maximum(0, 1 - lost).sum(axis=0) @ numbers)
                if bound > best:
                    found, best = shape, bound
    copies, blocks, parts = found
    proved = Fraction(0)
    for end, number in _ends(copies):
        for chance in _chances(found, end, rate, failure, leaks):
            proved += number * (1 - min(chance, Fraction(1)))
    return HardShape(proved, copies, parts, blocks)


def few_mistakes_upper_bound(
    mistakes: int, rounds: int, *, epsilon: exact.Epsilon, delta: object, beta: object
) -> float:
    """An upper bound, rounded up, on the probability of fewer than ``mistakes`` mistakes of any (ε,
    δ)-DP learner on a stream that is hard for it, if with probability 1 - β it keeps f⁽⁰⁾ for T =
    ``rounds`` samples ⊥ (is β-concentrated).

    The learners, the stream and the proof are those of ``mistakes_lower_bound``: fewer mistakes
    were made only if τ came no later than the last of as many (1, 1). The least over g, b and k.
    Raises: as ``mistakes_lower_bound``, and InvalidArgument for mistakes < 1.

    >>> few_mistakes_upper_bound(5, 1 << 20, epsilon=Log(Fraction(3, 2)), delta=1e-6, beta=0.1) < .3
    True
    """
    asked = exact.whole(mistakes, "mistakes")
    most, rate, leaks, failure = _premises(rounds, epsilon, delta, beta)
    least = Fraction(1)
    for copies in _copies(most, rate):
        block, place = divmod(asked - 1, copies)
        for blocks, parts in _shapes(most, copies):
            if blocks == block + 1:
                shape = copies, blocks, parts
                *_, found = _chances(shape, place + 1, rate, failure, leaks)
                least = min(least, found)
    return up(least)


def _premises(
    rounds: int, epsilon: exact.Epsilon, delta: object, beta: object
) -> tuple[int, ExactEpsilon, Fraction, Fraction]:
    """The arguments T, ε, δ, β of a bound, checked, as exact numbers. Raises: InvalidArgument."""
    most = fields.check_size(rounds, "rounds", fields.STREAM)
    rate = fields.log_epsilon(epsilon)
    failure, leaks = exact.probability(beta, "beta"), exact.probability(delta)
    return most, rate, leaks, failure


def _ends(copies: int) -> list[tuple[int, int]]:
    """Pairs (r, n) for a block with ``copies`` samples (1, 1): a position r among them at which the
    bound is computed, and the number n of positions for which it is used. n is 1 unless there are
    many."""
    step = -(-copies // _MOST_COPIES)
    ends = [*range(step, copies, step), copies]
    return [(end, end - before) for before, end in pairwise([0, *ends])]


def _roughly(
    shape: tuple[int, int, int], ends: tuple[int, ...], rate: float, delta: float
) -> NDArray[np.float64]:
    """The coefficients c_i and d_i of ``mistakes_lower_bound`` in doubles, as an array: for each
    block i and each position among its samples (1, 1) in ``ends`` the pair (c_i, d_i); ``shape``
    holds the numbers of these samples, of blocks, and of parts of a block."""
    copies, blocks, parts = shape
    each = (np.array(ends) - 1) * rate
    with np.errstate(over="ignore"):
        large, c = np.exp(copies * rate), np.exp(each)
        one = math.expm1(rate)
        d = delta * np.expm1(each) / one
    rows = list[NDArray[np.float64]]()
    for _ in range(blocks):
        rows.append(np.stack([c, d], axis=-1))
        w = 1 + (c - 1) / parts
        c, d = large * w, d + delta * (large - 1) / one * w
    if ends[0] == 1:
        rows[0][0] = 0.0
    return np.array(rows)


def _chances(
    shape: tuple[int, int, int], end: int, rate: ExactEpsilon, beta: Fraction, delta: Fraction
) -> Iterator[Fraction]:
    """Yields for each block i the bound c_i·β + d_i of ``mistakes_lower_bound`` on the probability
    of no mistake at sample (1, 1) number ``end`` of the block; ``shape`` holds the numbers of these
    samples, of blocks, and of parts of a block."""
    copies, blocks, parts = shape
    (large, group), (c, d) = _group(rate, copies, delta), _group(rate, end - 1, delta)
    for block in range(blocks):
        yield Fraction(0) if block == 0 and end == 1 else c * beta + d
        w = 1 + (c - 1) / parts
        c, d = _short(large * w), _short(d + group * w)


def _short(value: Fraction) -> Fraction:
    """The value rounded up to a multiple of 2^-96, so that no fraction gets too long."""
    return Fraction(-((-value.numerator << 96) // value.denominator), 1 << 96)


def _copies(rounds: int, rate: ExactEpsilon) -> Iterator[int]:
    """Yields the numbers g of samples (1, 1) in a block that a search tries: up to about ln(T)/ε, T
    = ``rounds`` and ε = ``rate``, since a larger g gives no better bound."""
    last = min(rounds, int(math.log(rounds + 1) / float(rate)) + 1)
    yield from range(1, min(last, _MOST_COPIES) + 1)
    g = _MOST_COPIES
    while g < last:
        g = g * 9 // 8
        yield min(g, last)


def _group(rate: ExactEpsilon, copies: int, delta: Fraction) -> tuple[Fraction, Fraction]:
    """Upper bounds on the factor e^(gε) and the term δ_g of group privacy, for streams that differ
    in g = ``copies`` samples; ε = ``rate``."""
    if not copies:
        return Fraction(1), Fraction(0)
    if isinstance(rate, Log):
        one, large = rate.argument, _short(rate.argument**copies)
    else:
        one = _exp(rate)[0]
        large = _short(_exp(rate * copies)[1])
    return large, delta * (large - 1) / (one - 1)


def _exp(exponent: Fraction) -> tuple[Fraction, Fraction]:
    """A lower and an upper bound on e^exponent, as fractions."""
    small = exponent.denominator.bit_length() - exponent.numerator.bit_length()
    bits = 64 + 2 * int(exponent) + max(0, small)
    (below, above), unit = exact.exp_bracket(exponent, bits), 1 << bits
    return Fraction(unit, above), Fraction(unit, below)


def _shapes(rounds: int, copies: int) -> Iterator[tuple[int, int]]:
    """Yields pairs (k, b): each number k of nested blocks that fits into T = ``rounds`` rounds,
    with the largest number b of parts; ``copies`` is the number of samples (1, 1) in a block. For k
    = 1 no block is split, and b = 2."""
    yield 1, 2
    blocks, allowed = 2, rounds // copies
    while True:
        parts = _parts(allowed, blocks)
        if parts < 2:
            return
        yield blocks, parts
        blocks += 1


def _parts(allowed: int, blocks: int) -> int:
    """The largest b, parts of a block, with 1 + b + … + b^(k-1) <= ``allowed``, k = ``blocks``."""
    low, high = 1, 1 << (-(-allowed.bit_length() // (blocks - 1)))
    while low < high:
        half = (low + high + 1) // 2
        fits = sum(half**power for power in range(blocks)) <= allowed
        low, high = (half, high) if fits else (low, half - 1)
    return low
