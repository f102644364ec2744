"""The sparse vector technique: it finds which of many queries lie above a threshold, and only those
cost privacy.

A query is sent as its value on the dataset, an int; a threshold of its own for each query is
subtracted from it. On two neighbouring datasets the values of every query are at most Δ =
``sensitivity`` apart, so the verification function is ``every_pair(Within(Δ))``: any number of
pairs, each of which may differ. Queries and updates of the dataset may depend on the answers.

With ρ ~ DLap(Δ/ε₁) drawn once and ν ~ DLap(2cΔ/ε₂) for each query, DLap(s) of P(x) ∝ e^(-|x|/s)
on the integers, q is answered ⊤ if q + ν >= T + ρ (a tie is ⊤), else ⊥; after c = ``tops``
times ⊤ the mechanism halts. It is (ε₁+ε₂)-DP:

*Proof.* Fix queries q_i on D and q'_i on D', answers, and a z; couple ρ = z on D with z + Δ on D'.
The law of ρ changes by e^(ε₁) at most. ⊥ is no less likely on D', as q'_i <= q_i + Δ and the
threshold rises by Δ. ⊤ requires ν >= T + z - q_i on D, and on D' ν >= T + z + Δ - q'_i, at most 2Δ
more: the tail of ν falls by e^(2Δ/s) = e^(ε₂/c) at most, c times. The sum over z, of products since
the ν are independent, keeps the factor e^(ε₁+ε₂). An adaptive query is a function of the answers
before it, so it is the same on both sides. The *gap* q + ν - T - ρ of a ⊤ has the same factor, as
P(ν = x), too, changes by e^(2Δ/s) at most where x moves by 2Δ: so it may be released at no cost.

*Monotone*: all q_i <= q'_i, or all q_i >= q'_i. Going up, the coupling moves the bound of
ν by Δ - (q'_i - q_i), between 0 and Δ; going down, couple ρ = z with itself: ⊥ is no less likely
again, and the bound moves by q_i - q'_i, between 0 and Δ. So ν of scale cΔ/ε₂ is enough.

Source: Dwork, Naor, Reingold, Rothblum, Vadhan 2009; Lyu, Su, Li, *Understanding the Sparse Vector
Technique* (2017), Algorithms 1 and 7, Thms 2-5; the gap: Wang, Ding, Zhang, Kifer, *Free Gap
Information* (2019).
"""

from abc import abstractmethod
from fractions import Fraction
from typing import ClassVar, Final, NamedTuple, TypeAlias, Union

import attrs

from antiphon.mechanisms import fields
from antiphon.mechanisms.noise.discrete import laplace_bound
from antiphon.numbers import exact
from antiphon.protocol import Claim, Coins, ContinualMechanism, Pure, proved
from antiphon.protocol.elsewhere import ABOVE_THRESHOLD, SPARSE_VECTOR
from antiphon.protocol.messages import BOTTOM, HALT, TOP, Signal
from antiphon.protocol.registry import column_safe, register, set_derived
from antiphon.protocol.spaces import Either, Finite, Integers, Signature, Space
from antiphon.verifiers.models import EveryPair, every_pair
from antiphon.verifiers.relations import Within

_TOPS: Final = fields.at_most(fields.MOST_UPDATES, "a budget is not divided further")

Told: TypeAlias = Union[Signal, int]
"""An answer of a sparse vector: ⊤, ⊥ or HALT; in some variants a number in place of ⊤."""


@register("antiphon.SparseState/1", state=True)
class SparseState(NamedTuple):
    """The state of a sparse vector: the noisy threshold, once it is drawn, and how often it may
    still answer ⊤."""

    threshold: int | None
    tops: int


@column_safe
@attrs.frozen(kw_only=True)
class AnySparseVector(ContinualMechanism[SparseState, int, Told]):
    """A mechanism that answers for each query whether its noisy value is above the noisy
    ``threshold``, and halts after ``tops`` queries above. Abstract.

    (state, q) -> ⊥, or the answer of ``_above``, for an int q; parameters as of ``SparseVector``.
    """

    epsilon: Fraction = attrs.field(converter=fields.positive)
    threshold: int = attrs.field(default=0, validator=fields.integer)
    tops: int = attrs.field(default=1, converter=fields.size, metadata=_TOPS)
    sensitivity: int = attrs.field(default=1, converter=fields.size, metadata=fields.VALUES)
    monotone: bool = attrs.field(default=False, validator=fields.boolean)
    share: Fraction = attrs.field(default=Fraction(1, 2), converter=fields.share)
    threshold_scale: Fraction = attrs.field(init=False, eq=False, repr=False)
    """The scale of the threshold's noise ρ."""
    query_scale: Fraction = attrs.field(init=False, eq=False, repr=False)
    """The scale of the queries' noise ν."""

    def __attrs_post_init__(self) -> None:
        self._calibrate(self.epsilon)

    def _calibrate(self, budget: Fraction) -> None:
        """Set the noise scales of the threshold and of queries, which cost ε₁ and ε₂: ``budget``
        in all."""
        first, second = self.share * budget, (1 - self.share) * budget
        moves = self.tops * self.sensitivity * (1 if self.monotone else 2)
        set_derived(self, threshold_scale=self.sensitivity / first, query_scale=moves / second)

    @property
    def initial_state(self) -> SparseState:
        return SparseState(None, self.tops)

    @property
    def signature(self) -> Signature:
        return Signature(Integers(), self._answers, Integers())

    _answers: ClassVar[Space]
    _source: ClassVar[str]

    @property
    def verification(self) -> EveryPair:
        """The verification function f: the two values of a pair are at most the sensitivity
        apart."""
        return every_pair(Within(self.sensitivity), monotone=self.monotone)

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = f"{self._source}, with discrete noise: antiphon.mechanisms.sparse_vector"
        return proved(self, Pure(self.epsilon), self.verification, source)

    def step(self, state: SparseState, message: int, coins: Coins) -> tuple[SparseState, Told]:
        threshold, tops = state
        if not tops:
            return state, HALT
        if threshold is None:
            threshold = self.threshold + coins.discrete_laplace(self.threshold_scale)
            state = SparseState(threshold, tops)
        gap = message + coins.discrete_laplace(self.query_scale) - threshold
        if gap < 0:
            return state, BOTTOM
        return SparseState(threshold, tops - 1), self._above(message, gap, coins)

    @abstractmethod
    def _above(self, value: int, gap: int, coins: Coins) -> Told:
        """The answer to a query of this ``value`` that is above the threshold; ``gap`` is the noisy
        value minus the noisy threshold."""

    def error_bound(self, queries: int, *, beta: float) -> int:
        """A bound α on the error of the first ``queries`` answers, with probability at least 1 -
        beta.

        Every ⊤ was given for a q >= T - α and every ⊥ for a q <= T + α. A union bound over
        ρ (beta/2) and each ν (beta/2 in all).
        """
        failure = fields.beta(beta) / 2
        each = failure / exact.whole(queries, "queries")
        return laplace_bound(self.threshold_scale, failure) + laplace_bound(self.query_scale, each)


_TOLD: Final = Finite((TOP, BOTTOM, HALT))


@register("antiphon.SparseVector/1")
@column_safe
@attrs.frozen(kw_only=True)
class SparseVector(AnySparseVector):
    """The sparse vector technique: ⊤ for a query above the ``threshold``, ⊥ for one below; HALT
    after ``tops`` ⊤.

    (state, q) -> ⊥ or ⊤, for an int q; one draw of discrete Laplace noise a query, sampled
    exactly. ``share`` is the part ε₁/ε that the threshold gets; with many ``tops`` a smaller share
    is better. Privacy: ε-DP w.r.t. ``every_pair(Within(sensitivity), monotone=monotone)``, against
    adaptive adversaries; proved (see the module). This f is not first-pair consistent. Source: Lyu,
    Su, Li 2017, Algorithm 1 (with ``monotone``: Thm 5). Raises: InvalidArgument for epsilon or
    sensitivity not positive.

    >>> session = SparseVector(epsilon=100, threshold=10, tops=2).start(seed=1)
    >>> [session.send(value) for value in (3, 17, 4, 20, 30)]
    [BOTTOM, TOP, BOTTOM, TOP, HALT]
    """

    _answers: ClassVar[Space] = _TOLD
    checked_elsewhere = SPARSE_VECTOR
    _source: ClassVar[str] = "Lyu, Su, Li 2017, Alg. 1"

    def _above(self, value: int, gap: int, coins: Coins) -> Told:
        return TOP


@register("antiphon.AboveThreshold/1")
@column_safe
@attrs.frozen(kw_only=True)
class AboveThreshold(AnySparseVector):
    """The sparse vector that stops at the first query above the ``threshold``: ⊥ until then, ⊤, and
    HALT.

    ``SparseVector`` with one ⊤: ρ has scale 2Δ/ε and ν 4Δ/ε by default.
    Privacy: ε-DP as ``SparseVector``; proved.
    Source: Dwork and Roth 2014, Algorithm 1.

    >>> session = AboveThreshold(epsilon=100, threshold=10).start(seed=1)
    >>> [session.send(value) for value in (3, 4, 20, 30)]
    [BOTTOM, BOTTOM, TOP, HALT]
    """

    tops: int = attrs.field(default=1, init=False)  # pyright: ignore[reportIncompatibleVariableOverride]
    _answers: ClassVar[Space] = _TOLD
    checked_elsewhere = ABOVE_THRESHOLD
    _source: ClassVar[str] = "Dwork and Roth 2014, Alg. 1"

    def _above(self, value: int, gap: int, coins: Coins) -> Told:
        return TOP


@register("antiphon.GapSparseVector/1")
@column_safe
@attrs.frozen(kw_only=True)
class GapSparseVector(AnySparseVector):
    """The sparse vector that answers, in place of ⊤, by how much a query's noisy value is above the
    noisy threshold: the gap q + ν - (T + ρ) >= 0.

    T + gap estimates q with the noise ν - ρ. It costs nothing more.
    Privacy: ε-DP as ``SparseVector``; proved (see the module).
    Source: Wang, Ding, Zhang, Kifer 2019.

    >>> session = GapSparseVector(epsilon=100, threshold=10).start(seed=1)
    >>> [session.send(value) for value in (3, 17)]
    [BOTTOM, 7]
    """

    _answers: ClassVar[Space] = Either((Integers(0), Finite((BOTTOM, HALT))))
    _source: ClassVar[str] = "Wang, Ding, Zhang, Kifer 2019"

    def _above(self, value: int, gap: int, coins: Coins) -> Told:
        return gap


@register("antiphon.NumericSparseVector/1")
@column_safe
@attrs.frozen(kw_only=True)
class NumericSparseVector(AnySparseVector):
    """The sparse vector that answers the query's value q with fresh noise in place of ⊤.

    ε₃ = ``value_share``·ε pays for the values: noise of scale cΔ/ε₃ each, so ε₃/c; the rest is
    ε₁ + ε₂. (With c = 1 the value has less noise than the free estimate by the gap.)
    Privacy: ε-DP as ``SparseVector``: given that a query is above, its value is one more
    discrete Laplace answer, e^(Δ/scale), c times; proved.
    Source: Lyu, Su, Li 2017, Algorithm 7.

    >>> session = NumericSparseVector(epsilon=100, threshold=10).start(seed=1)
    >>> [session.send(value) for value in (3, 17)]
    [BOTTOM, 17]
    """

    value_share: Fraction = attrs.field(default=Fraction(1, 3), converter=fields.share)
    value_scale: Fraction = attrs.field(init=False, eq=False, repr=False)
    """The scale of the noise of a released value."""
    _answers: ClassVar[Space] = Either((Integers(), Finite((BOTTOM, HALT))))
    _source: ClassVar[str] = "Lyu, Su, Li 2017, Alg. 7"

    def __attrs_post_init__(self) -> None:
        self._calibrate((1 - self.value_share) * self.epsilon)
        scale = self.tops * self.sensitivity / (self.value_share * self.epsilon)
        set_derived(self, value_scale=scale)

    def _above(self, value: int, gap: int, coins: Coins) -> Told:
        return value + coins.discrete_laplace(self.value_scale)

    def value_error_bound(self, *, beta: float) -> int:
        """A bound on the error of all ``tops`` values, which holds with probability 1 - beta."""
        return laplace_bound(self.value_scale, fields.beta(beta) / self.tops)
