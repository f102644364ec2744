"""Private multiplicative weights (Hardt and Rothblum 2010): many linear queries on one histogram.

A public hypothesis W, a distribution learned from private answers only, answers queries; a sparse
vector detects which of its answers are far from the true ones. Only those cost privacy: they are
answered with Laplace noise, and the hypothesis learns from them.

**Accuracy.** Let all noise stay within its bounds, α for a test (the noise of its threshold and of
each query together) and α' for an answer, in steps; by union bounds this fails with probability at
most β. Write u for a query with values in [0, 1], D for the data as a distribution, n for the rows
and R = 1/``step``. Then

* an answer of the hypothesis errs by less than T + α steps, a noisy one by α' at most;
* at an update the hypothesis was off by T - α steps at least, so, being rounded to half a step
  and computed to ``slack`` steps, |u·D - u·W| >= μ = (T - α - slack)/(R n);
* with α' < T - α the noisy answer shows correctly whether u·W is too large or too small, and
  W_x ← W_x e^(±η u_x)/Z lowers KL(D‖W) = Σ D_x ln(D_x/W_x) by ±η u·D - ln Z >=
  η|u·D - u·W| - η²/8 (Hoeffding's lemma: ln Z <= ±η u·W + η²/8), so by ημ - η²/8 at least;
* KL(D‖W) is at most ln|X| for the uniform W at first, and never negative.

So there are at most ln|X|/(ημ - η²/8) updates: with η = 4μ, ln|X|/(2μ²). Hardt and Rothblum's
bound, 4 ln|X|/α² in Dwork and Roth 2014, Thm 4.12, is this one for μ = α/√8.
"""

import math
from fractions import Fraction
from typing import Final, NamedTuple

import attrs
import numpy as np

from antiphon.composition import Create, Lifting, fixed_parameters
from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.factors.rows import Array, row
from antiphon.mechanisms.multiplicative_weights import hypothesis
from antiphon.mechanisms.multiplicative_weights.hypothesis import Echo, Whole
from antiphon.mechanisms.noise.discrete import DiscreteLaplace, laplace_bound
from antiphon.mechanisms.sparse_vector import AboveThreshold
from antiphon.numbers import InvalidArgument, exact
from antiphon.protocol import BOTTOM, HALT, TOP, Ask, Signal, Status, register, set_derived
from antiphon.protocol.exchanges.processor import Exchanged, ExchangePostProcessor, in_turn
from antiphon.protocol.spaces import Arrays, Either, Finite, Multiples, Signature
from antiphon.verifiers import ReplacedRow, event_level, updates_and_queries

SHARE: Final = Fraction(3, 4)
"""The default share of an update's ε for its test, larger than half since the test has more
noise."""
_MOST: Final = 2.0**40
"""The largest number of equal rows of data in one message."""
_KINDS: Final = fields.at_most(fields.MOST_COORDINATES, "merge kinds of rows")
_CREATED: Final = fields.at_most(2**20, "each is created when needed")
"""The largest number of updates: a guarantee composes two mechanisms for each, which is slow."""
_WIDEST: Final = 2**62
"""A bound on a query's value, in multiples of ``step``; noisy answers are clipped to it, which is
post-processing."""
_SAFE: Final = 1 + 2.0**-40


@register("antiphon.WeightsState/1", state=True)
class WeightsState(NamedTuple):
    """The state of ``MultiplicativeWeights``: the data, the hypothesis, the numbers of updates
    and creations."""

    counts: Whole
    rows: int
    sums: Whole
    """The signed sum of all queries that the hypothesis has learned from, in steps."""
    weights: Whole
    updates: int
    created: int


@register("antiphon.Asked/1", state=True)
class Asked(NamedTuple):
    """A message from the left as the mechanism uses it: rows of data, or a query whose values are
    given as whole multiples of ``step``."""

    query: Whole | None
    """The query's values in steps; None if the message is rows of data."""
    value: int
    """The exact answer to the query, on the data."""
    guess: int
    """The answer to the query by the hypothesis."""


_ROWS: Final = Asked(None, 0, 0)


def _step(value: object) -> float:
    found = fields.check_positive(value, "step")
    if found.numerator != 1 or found.denominator & (found.denominator - 1):
        raise InvalidArgument("step must be 1, 1/2, 1/4, …: queries are multiples of it in [0, 1]")
    return float(found)


@register("antiphon.MultiplicativeWeights/1")
@attrs.frozen(kw_only=True)
class MultiplicativeWeights(ExchangePostProcessor[WeightsState]):
    """A post-processor (IPM) that answers linear queries from a hypothesis that it learns
    privately.

    From the left: rows of data, an int64 array with the number of rows of each of ``size`` kinds,
    answered ⊤ (all at once, or as they come); or a query u, a float64 array of multiples of
    ``step`` in [0, 1], answered by about Σ u_x count_x. Counting queries have ``step`` 1. HALT
    after ``updates`` updates. Stands on the left of ExtConComp:
    ``ComplexMechanism(MultiplicativeWeights(…))``; ``learned_weights`` chooses the parameters.

    An answer of the hypothesis that tests as less than ``threshold`` steps from the true answer is
    released. Otherwise an update: the true answer is released with Laplace noise, and weights go
    up, or down, by e^(``rate``·u_x). Each update is an ``AboveThreshold``, with ``share`` of
    ``epsilon_each``, and a ``DiscreteLaplace`` with the rest, both created when needed. Privacy:
    that of ``updates`` such pairs w.r.t. data in which one row is replaced by another:
    ``ap.guarantee`` derives it (CM Thm 6.1 and 4.12), (updates·epsilon_each, 0) or an ε(δ). P's
    destinations and its answers to the left depend on answers from the right only: even public
    values go through a sub-mechanism, ``Echo``, since they depend on the query (destination,
    response). In steps a query is a vector of 0, …, R = 1/step, so its values on neighbours, and
    their distances from a public number, are at most R apart, exactly: nothing is rounded after
    that (f→f'). Source: Hardt and Rothblum 2010; Dwork and Roth 2014, §4.2; accuracy: see the
    module. Raises: InvalidArgument for queries too fine for 62 bits, and for rows past them.

    >>> import numpy as np
    >>> from antiphon.composition import ComplexMechanism
    >>> learner = MultiplicativeWeights(size=4, epsilon_each=9, updates=5, threshold=30, rate=0.5)
    >>> session = ComplexMechanism(learner).start(seed=1)
    >>> session.send(np.array([400, 0, 0, 0]))
    TOP
    >>> [session.send(np.array([1.0, 0.0, 1.0, 0.0])) for _ in range(3)]
    [401.0, 400.0, 400.0]
    """

    size: int = attrs.field(converter=fields.size, metadata=_KINDS)
    epsilon_each: Fraction = attrs.field(converter=fields.positive)
    updates: int = attrs.field(converter=fields.size, metadata=_CREATED)
    threshold: int = attrs.field(validator=fields.integer)
    rate: float = attrs.field(converter=fields.double)
    step_size: float = attrs.field(default=1.0, converter=_step, alias="step")
    share: Fraction = attrs.field(default=SHARE, converter=fields.share)
    steps: int = attrs.field(init=False, eq=False, repr=False)
    """The number R = 1/step of steps that make 1: queries and answers are measured in steps."""
    test: AboveThreshold = attrs.field(init=False, eq=False, repr=False)
    value: DiscreteLaplace = attrs.field(init=False, eq=False, repr=False)
    _creations: tuple[Create, ...] = attrs.field(init=False, eq=False, repr=False)
    _bits: int = attrs.field(init=False, eq=False, repr=False)
    passes_halt = True

    def __attrs_post_init__(self) -> None:
        steps = round(1 / self.step_size)
        fineness = hypothesis.bits(self.size, steps)
        if fineness < 16:
            raise InvalidArgument("size/step must be below 2^44: give a larger step")
        test = AboveThreshold(
            epsilon=self.share * self.epsilon_each, threshold=self.threshold, sensitivity=steps
        )
        value = DiscreteLaplace(epsilon=(1 - self.share) * self.epsilon_each, sensitivity=steps)
        made = Create(Echo()), Create(test), Create(value)
        set_derived(self, steps=steps, test=test, value=value, _creations=made, _bits=fineness)

    @property
    def initial_state(self) -> WeightsState:
        nothing, even = (row([each] * self.size, np.int64) for each in (0, 1 << self._bits))
        return WeightsState(nothing, 0, nothing, even, 0, 0)

    @property
    def histograms(self) -> Arrays:
        """The space of messages of data: the number of rows of each kind."""
        return Arrays((self.size,), "int64", low=0.0, high=_MOST)

    @property
    def questions(self) -> Arrays:
        """The space of linear queries: vectors of values in [0, 1]."""
        return Arrays((self.size,), "float64", low=0.0, high=1.0, step=self.step_size)

    @property
    def lifting(self) -> Lifting:
        """The verification functions on the left of this post-processor (one row may be replaced)
        and on its right (tests and answers)."""
        outer = updates_and_queries(event_level(ReplacedRow()), self.questions)
        each = (self.test.epsilon, 0), (self.value.epsilon, 0)
        inner = fixed_parameters([(0, 0), *(each * self.updates)])
        return Lifting(outer, inner, Status.PROVED, "see MultiplicativeWeights")

    def signature(self, right: Signature) -> Signature:
        answers = Either((Multiples(self.step_size), Finite((TOP, HALT))))
        return Signature(Either((self.histograms, self.questions)), answers, self.histograms)

    def why_halted(self, state: WeightsState) -> str | None:
        over = state.updates == self.updates
        return f"all {self.updates} updates are used up" if over else None

    def exchange(self, state: WeightsState, message: Array) -> Exchanged[WeightsState]:
        """The answer to one message, by the algorithm of Hardt and Rothblum 2010."""
        if state.updates == self.updates:
            return state, HALT
        state, asked = self._heard(state, message)
        query, value, guess = asked
        # Each earlier update has created two mechanisms: one for its test, one for its noisy
        # answer.
        before = 2 * state.updates
        yield from in_turn(self._creations[state.created - before : 2])
        test, state = before + 1, state._replace(created=before + 2)
        far = yield Ask(BOTTOM, 0) if query is None else Ask(abs(value - guess), test)
        if far is not TOP:
            told = yield Ask(TOP if query is None else guess, 0)
            return state, self._in_rows(told)
        yield self._creations[2]
        noisy = yield Ask(value, test + 1)
        if type(noisy) is not int:
            return state, noisy
        return self._learned(state, asked, noisy), self._in_rows(noisy)

    def _heard(self, state: WeightsState, message: Array) -> tuple[WeightsState, Asked]:
        """The state after a message from the left, and the message in the form ``Asked``: rows are
        added to the data, a query is evaluated on the data and on the hypothesis."""
        if message.dtype != np.int64:
            query = row(message * self.steps, np.int64)
            guess = hypothesis.expected(query, state.weights, state.rows)
            return state, Asked(query, int(query @ state.counts), guess)
        rows = state.rows + sum(message.tolist())
        if rows * self.steps >= 2**62:
            raise InvalidArgument("more rows than 62 bits can count in steps: give a larger step")
        return state._replace(counts=state.counts + message, rows=rows), _ROWS

    def _learned(self, state: WeightsState, asked: Asked, noisy: int) -> WeightsState:
        """The state after an update: the query ``asked`` is added to the exponents of the
        hypothesis if the noisy answer is at least the hypothesis's answer, and else subtracted."""
        state = state._replace(updates=state.updates + 1, created=state.created + 1)
        if asked.query is None:
            return state
        sums = state.sums + (asked.query if noisy >= asked.guess else -asked.query)
        heavy = hypothesis.weights(sums, self.rate / self.steps, self._bits)
        return state._replace(sums=sums, weights=heavy)

    def _in_rows(self, answer: int | Signal) -> float | Signal:
        """The answer to a query, converted from steps to rows of data; ⊤ is unchanged."""
        if type(answer) is not int:
            return answer
        return min(max(answer, -_WIDEST), _WIDEST) * self.step_size

    def noise(self, queries: int, *, beta: float) -> tuple[int, int]:
        """The bounds α and α', in steps, on the noise of tests and of answers to ``queries``
        queries."""
        third = fields.beta(beta) / 3
        once, each = third / self.updates, third / exact.whole(queries, "queries")
        alpha = laplace_bound(self.test.threshold_scale, once)
        alpha += laplace_bound(self.test.query_scale, each)
        return alpha, laplace_bound(self.value.scale, once)

    def slack(self, rows: int) -> float:
        """A bound, in steps, on the rounding error of the hypothesis's answer to a query, for data
        of ``rows`` rows."""
        return (0.5 + 2 * rows * self.steps * self.size / 2.0**self._bits) * _SAFE

    def error_bound(self, queries: int, *, beta: float) -> float:
        """A bound, in rows, on the errors of the first ``queries`` answers, with probability at
        least 1 - beta.

        It covers the answers that are given: see ``most_updates`` for whether the mechanism halts
        earlier.
        """
        alpha, of_value = self.noise(queries, beta=beta)
        return _up(max(self.threshold + alpha - 1, of_value)) * self.step_size

    def most_updates(self, queries: int, *, rows: int, beta: float) -> int | None:
        """A bound on the updates made by the first ``queries`` queries. It holds whenever
        ``error_bound`` does.

        If it is less than ``updates``, all of them are answered. All rows must come before the
        first query. None where the noise is too large for a bound.
        """
        alpha, of_value = self.noise(queries, beta=beta)
        rows, clear = exact.whole(rows, "rows"), self.threshold - alpha
        if of_value >= clear:
            return None
        mu = (clear - self.slack(rows)) / (self.steps * rows) / _SAFE
        gain = self.rate * mu - self.rate**2 / 8 * _SAFE
        return math.floor(math.log(self.size) / gain * _SAFE) if gain > 0 else None


def _up(steps: int) -> float:
    """The least double that is no less than ``steps``; infinite past the largest double."""
    try:
        nearest = float(steps)
    except OverflowError:
        return math.inf
    return nearest if nearest >= steps else math.nextafter(nearest, math.inf)
