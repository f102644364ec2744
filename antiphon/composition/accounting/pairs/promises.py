"""The dominating pairs that stand for what is claimed: (ε, δ), or a bounded range."""

from __future__ import annotations

from fractions import Fraction

import attrs

from antiphon.composition.accounting.pairs.laws.loss import LossLaw
from antiphon.composition.accounting.pairs.laws.ranges import Ranges
from antiphon.composition.accounting.pairs.laws.responses import Responses
from antiphon.composition.accounting.pairs.noise import LARGEST, sized
from antiphon.composition.accounting.pairs.pair import LossPair
from antiphon.numbers import exact, named
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.registry import register


@register("antiphon.ResponsePair/1")
@attrs.frozen
class ResponsePair(LossPair):
    """RR_{ε,δ}(0) against RR_{ε,δ}(1): what (ε, δ)-DP means (CM Def. 2.3, Thm 2.5).

    Raises: InvalidArgument for ε < 0 or past 10^9, or δ outside [0, 1].
    """

    epsilon: exact.ExactEpsilon = attrs.field(converter=exact.epsilon)
    delta: Fraction = attrs.field(default=Fraction(0), converter=exact.probability)

    def __attrs_post_init__(self) -> None:
        if not exact.at_most(self.epsilon, LARGEST):
            raise InvalidArgument("an epsilon past 1e9 promises nothing; give a smaller one")

    @property
    def infinite(self) -> Fraction:
        return self.delta

    def losses(self, count: int) -> LossLaw:
        return Responses(((self.epsilon, count),))

    @property
    def atoms(self) -> tuple[tuple[Fraction, Fraction], ...] | None:
        growth, none = exact.exp(self.epsilon), Fraction(0)
        if not isinstance(growth, Fraction):
            return None
        right, wrong = ((1 - self.delta) * share / (1 + growth) for share in (growth, 1))
        return (self.delta, none), (right, wrong), (wrong, right), (none, self.delta)


@register("antiphon.BoundedRangePair/1")
@attrs.frozen
class BoundedRangePair(LossPair):
    """What an η-bounded-range mechanism loses at most in one use, at every ε at once.

    δ(ε) = (1-e^((ε-η)/2))²/(1-e^(-η)) for |ε| <= η; 0 above, 1-e^ε below. As P has the density
    δ'' - δ' at a loss of ε, that is e^((ε-η)/2)/(2(1-e^(-η))), without atoms. It dominates
    every η-bounded-range mechanism, so that products of it dominate adaptive compositions of
    them; those can lose less (theory §4: for many uses η²/8-zCDP is the sharper). One use:
    Dong, Durfee and Rogers 2020, Lemma 3.2 at t = (ε+η)/2.
    Raises: InvalidArgument for eta <= 0.
    """

    eta: Fraction = attrs.field(converter=named.positive)

    def __attrs_post_init__(self) -> None:
        sized("eta", self.eta)

    def losses(self, count: int) -> LossLaw:
        return Ranges(((self.eta, count),))
