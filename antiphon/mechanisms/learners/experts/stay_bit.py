"""One decision of lazy experts, to stay or to draw anew, as a mechanism of its own."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs

from antiphon.mechanisms.learners.experts.lazy import LazyExperts
from antiphon.mechanisms.learners.experts.lazy_curve import LazyCurve
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins import Coins
from antiphon.protocol.measures.kinds import Renyi
from antiphon.protocol.provenance import proved
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import BITS, Integers, Signature
from antiphon.verifiers.models import NeighbouringStart, neighbouring_start
from antiphon.verifiers.relations import Within


def of_lazy_experts(_: object, field: attrs.Attribute[Any], value: object) -> None:
    """A validator: ``LazyExperts`` themselves, as a subclass may decide otherwise."""
    if type(value) is not LazyExperts:
        raise InvalidArgument(f"{field.name} is a LazyExperts, not a {type(value).__name__}")


@register("antiphon.StayBit/1")
@attrs.frozen
class StayBit(NoninteractiveMechanism[int, int]):
    """L ↦ 1, stay, with probability e^(-η(c + L)), else 0, draw anew; of ``learner``.

    L is the loss of whom it follows, in a batch, in steps of 1/grid: an int of 0, …, B·grid.
    Privacy: e^((α-1)D_α) is at most the largest s₀^α s₁^(1-α) + (1-s₀)^α (1-s₁)^(1-α) over
    s₀ = e^(-η(c+L)) and s₁ = e^(-η(c+L')), L and L' in [0, B] and at most 1 apart, w.r.t. f_∼ with
    such losses; proved. Jointly convex in (s₀, s₁), on a hexagon, it is largest at a corner, where
    s₀ = s₁, and it is 1, or {L, L'} is {0, 1} or {B-1, B} (``LazyCurve`` without draws).
    A 0 tells little, as c > 0 makes it leave now and then for nothing.
    Source: Asi, Koren, Liu and Talwar, Alg. 1; the divergence is computed here.

    >>> StayBit(LazyExperts(horizon=9, experts=2, rate=50, cost=1)).start(seed=1).send(0)
    0
    """

    learner: LazyExperts = attrs.field(validator=of_lazy_experts)

    @property
    def signature(self) -> Signature:
        losses = Integers(0, self.learner.batch * self.learner.grid)
        return Signature(losses, BITS, losses)

    @property
    def verification(self) -> NeighbouringStart:
        """f: the losses of a batch in which one loss differs."""
        return neighbouring_start(Within(Fraction(self.learner.grid)))

    @property
    def claims(self) -> tuple[Claim, ...]:
        rate, cost, batch = self.learner.rate, self.learner.cost, self.learner.batch
        curve = LazyCurve(rate, cost, batch, decisions=1, draws=False)
        return proved(self, Renyi(curve), self.verification, "see StayBit")

    def respond(self, dataset: int, coins: Coins) -> int:
        return int(coins.bernoulli_exp(self.learner.exponent(dataset)))
