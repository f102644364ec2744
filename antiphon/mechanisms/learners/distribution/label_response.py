"""What a user says of a label: log-likelihoods with noise (LDP paper, Alg. 1 and 2)."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import lru_cache
from typing import Any

import attrs

from antiphon.composition.accounting import optimal
from antiphon.mechanisms import fields
from antiphon.mechanisms.learners.distribution.clipping_map import ClippingMap
from antiphon.mechanisms.learners.distribution.hypotheses import Whole
from antiphon.numbers.errors import InvalidArgument
from antiphon.populations.array_columns import int64s
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins import Coins
from antiphon.protocol.measures.kinds import Approximate, Pure
from antiphon.protocol.provenance import proved
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Arrays, Integers, Signature, Space, Tuples
from antiphon.verifiers.models import NeighbouringStart, neighbouring_start

_PARTS = 1 << 16
"""To what part of itself ε_0 is found."""


def _clipping(_: object, __: object, value: Any) -> None:
    if not isinstance(value, ClippingMap):
        raise InvalidArgument("clipping must be ClippingMap(hypotheses, clip=…)")


@attrs.frozen(kw_only=True)
class LabelResponse(NoninteractiveMechanism[int, Any]):
    """A label in [M] ↦ noisy log-likelihoods of h(label), in a public ``context``. Abstract. NIM.

    Scores are those of ``clipping``: integers in 0, …, ``grid``.
    """

    clipping: ClippingMap = attrs.field(validator=_clipping)
    context: int = attrs.field(validator=fields.integer)
    epsilon: Fraction = attrs.field(converter=fields.positive)
    signature: Signature = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]

    def __attrs_post_init__(self) -> None:
        hypotheses = self.clipping.hypotheses
        if not 0 <= self.context < hypotheses.contexts:
            raise InvalidArgument(f"context must be below {hypotheses.contexts}")
        labels = hypotheses.of_labels
        object.__setattr__(self, "signature", Signature(labels, self._answers(), labels))

    @abstractmethod
    def _answers(self) -> Space:
        """What it may say."""

    @property
    def verification(self) -> NeighbouringStart:
        """f: any two labels. The context is the same: it is the mechanism's own."""
        return neighbouring_start()


@register("antiphon.OneScore/1")
@attrs.frozen(kw_only=True)
class OneScore(LabelResponse):
    """A label y ↦ (J, the J-th score of h(y) + DLap(grid/ε)), J uniform: LDP paper, Alg. 2.

    Privacy: ε-DP w.r.t. f_∼ on any two labels; proved. *Proof*: J, and where h(y) falls if it
    falls anywhere, are drawn without a look at y. Given both, and that h does not, the answer is
    (J, s + noise) with an integer s in 0, …, grid that y decides, so two labels' laws differ by e^ε
    at most, for every J; given that h does, they are the same. A mixture with the same weights
    keeps to it.
    Source: there, with the noise of ln(KT)/ε, which is too little, and in reals. Here the scores
    of each hypothesis fill the range of the noise, in its own Λ_j(x) (``ClippingMap``).

    >>> from antiphon.mechanisms.learners.distribution import Hypotheses
    >>> clipping = ClippingMap(Hypotheses([[[0.5, 0.5, 0.0]]]), clip=0.1)
    >>> OneScore(clipping=clipping, context=0, epsilon=10**5).start(seed=1).send(0)
    (0, 1024)
    """

    scale: Fraction = attrs.field(init=False, eq=False, repr=False)
    """Of the noise: grid/ε."""

    def __attrs_post_init__(self) -> None:
        LabelResponse.__attrs_post_init__(self)
        object.__setattr__(self, "scale", self.clipping.grid / self.epsilon)

    def _answers(self) -> Space:
        return Tuples((Integers(0, self.clipping.hypotheses.count - 1), Integers()))

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "LDP paper, Alg. 2, with the range of the rounded scores"
        return proved(self, Pure(self.epsilon), self.verification, source)

    def respond(self, dataset: int, coins: Coins) -> tuple[int, int]:
        clipping, context = self.clipping, self.context
        fine = clipping.drawn(context, dataset, coins)
        which = coins.uniform_integer(clipping.hypotheses.count)
        score = int(clipping.scores[context, fine, which])
        return which, score + coins.discrete_laplace(self.scale)


@register("antiphon.AllScores/1")
@attrs.frozen(kw_only=True)
class AllScores(LabelResponse):
    """A label y ↦ all K scores of h(y), each + DLap(grid/ε_0): LDP paper, Alg. 1.

    ε_0 = ``each`` is the largest, to a part of 2^16, for which K mechanisms of ε_0 are (ε, δ)-DP
    (Kairouz, Oh, Viswanath 2015, with directed rounding); it is ε/K at least.
    Privacy: (ε, δ)-DP w.r.t. f_∼ on any two labels; proved. *Proof*: as of ``OneScore``, given
    where h(y) falls; the score of each hypothesis is then ε_0-DP, with noise of its own; what
    leaves 64 bits is clipped, which is post-processing.
    Source: there, with a scale by advanced composition of ln(KT).
    Raises: InvalidArgument for δ = 0: use ``OneScore``.
    """

    delta: Fraction = attrs.field(converter=fields.probability)
    each: Fraction = attrs.field(init=False, eq=False, repr=False)
    scale: Fraction = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        LabelResponse.__attrs_post_init__(self)
        each = largest_each(self.clipping.hypotheses.count, self.epsilon, self.delta)
        object.__setattr__(self, "each", each)
        object.__setattr__(self, "scale", self.clipping.grid / each)

    def _answers(self) -> Space:
        return Arrays((self.clipping.hypotheses.count,), "int64")

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "LDP paper, Alg. 1, by the optimal composition of K rounded scores"
        return proved(self, Approximate(self.epsilon, self.delta), self.verification, source)

    def respond(self, dataset: int, coins: Coins) -> Whole:
        clipping = self.clipping
        fine = clipping.drawn(self.context, dataset, coins)
        scores = clipping.scores[self.context, fine].tolist()
        noises = coins.discrete_laplaces(self.scale, len(scores))
        found: Whole = int64s([score + noise for score, noise in zip(scores, noises, strict=True)])
        return found


@lru_cache(maxsize=64)
def largest_each(count: int, epsilon: Fraction, delta: Fraction) -> Fraction:
    """About the largest ε_0 for which ``count`` mechanisms that are ε_0-DP are (ε, δ)-DP.

    >>> float(largest_each(1, Fraction(1), Fraction(1, 10**6)))
    1.0
    """
    if not 0 < delta < 1:
        raise InvalidArgument("delta lies strictly between 0 and 1; for 0 ask for one score only")
    low, high = _PARTS // count, _PARTS  # in parts of ε; at most ε/count needs no look
    while low < high:
        middle = (low + high + 1) // 2
        curve = optimal([(epsilon * middle / _PARTS, 0)], times=count)
        low, high = (middle, high) if curve.delta_at(epsilon) <= delta else (low, middle - 1)
    return epsilon * low / _PARTS if low else epsilon / count
