"""Randomized response RR_{ε,δ} (CM Def. 2.3)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import attrs

from antiphon.protocol import exact
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.claims import Approximate, Claim, Status
from antiphon.protocol.messages import BOTTOM, TOP
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import BITS, Finite, Signature
from antiphon.verifiers.functions import neighbouring_start

_LARGE = Fraction(1000)
"""An ε past which e^(-ε) is 0 in doubles; the truth is then told w.p. 1 - 2^-50."""
_ANSWERS = Finite(tuple((bit, flag) for bit in (0, 1) for flag in (TOP, BOTTOM)))


@register("antiphon.RandomizedResponse/1")
@attrs.frozen
class RandomizedResponse(NoninteractiveMechanism[int, Any]):
    """RR_{ε,δ}: b ↦ (b,⊤) w.p. δ; (b,⊥) w.p. (1-δ)e^ε/(1+e^ε); (1-b,⊥) otherwise.

    The universal (ε, δ)-DP NIM on a pair of neighbours: every other one is a
    post-processing of it (CM Thm 2.5). NIM: bit -> (bit, ⊤ or ⊥), then HALT.
    Privacy: (ε, δ)-DP w.r.t. f_∼ on bits; proved. Exact for ``epsilon=Log(q)``; for
    another ε, e^ε/(1+e^ε) is rounded towards 1/2, so the claim still holds.
    Source: CM Def. 2.3.
    Raises: InvalidArgument for epsilon < 0 or NaN, delta outside [0, 1].

    >>> RandomizedResponse(epsilon=0, delta=1).start().send(1)
    (1, TOP)
    """

    epsilon: exact.ExactEpsilon = attrs.field(converter=exact.epsilon, kw_only=True)
    delta: Fraction = attrs.field(default=Fraction(0), converter=exact.probability, kw_only=True)

    @property
    def signature(self) -> Signature:
        return Signature(BITS, _ANSWERS, BITS)

    @property
    def claims(self) -> tuple[Claim, ...]:
        measure = Approximate(self.epsilon, self.delta)
        return (Claim(measure, neighbouring_start(), Status.PROVED, "CM Def. 2.3"),)

    @property
    def truth(self) -> Fraction | float:
        """The probability of the true bit, given ⊥: e^ε/(1+e^ε), never rounded up."""
        if isinstance(self.epsilon, exact.Log):
            return self.epsilon.argument / (1 + self.epsilon.argument)
        if self.epsilon == 0:
            return Fraction(1, 2)
        return max(0.5, (1 - 2**-50) / (1 + math.exp(-float(min(self.epsilon, _LARGE)))))

    def respond(self, dataset: int, coins: Any) -> tuple[int, Any]:
        if coins.bernoulli(self.delta):
            return dataset, TOP
        return (dataset if coins.bernoulli(self.truth) else 1 - dataset), BOTTOM

    respond_many = respond
