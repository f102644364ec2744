"""M_δ of the counterexample (CM §5.2, Thm 1.4)."""

from __future__ import annotations

from fractions import Fraction

import attrs

from antiphon.mechanisms import fields
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.measures.kinds import Approximate
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import BOTTOM, TOP, Symbol
from antiphon.protocol.provenance import proved
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import BITS, Finite, Signature
from antiphon.verifiers.models import bounded, event_level

_ANSWERS = Finite((TOP, BOTTOM, 0, 1))
TWO_BITS = bounded(event_level(), 2)
"""g of CM §5.2: at most two pairs of bits, at most one of which differs."""


@register("antiphon.LeakyBit/1")
@column_safe
@attrs.frozen
class LeakyBit(ContinualMechanism[Symbol, int, int | Symbol]):
    """M_δ: until it breaks it answers ⊤; it breaks w.p. δ (answer ⊥), and then echoes bits.

    State: ⊤ (whole) or ⊥ (broken). (⊤, bit) -> ⊤ w.p. 1-δ, ⊥ w.p. δ; (⊥, bit) -> the bit.
    Privacy: (0, δ)-DP w.r.t. g (``TWO_BITS``), which is not first-pair consistent; proved.
    Source: CM §5.2, the counterexample of Thm 1.4.
    Raises: InvalidArgument for delta outside [0, 1].
    """

    delta: Fraction = attrs.field(converter=fields.probability, kw_only=True)

    @property
    def initial_state(self) -> Symbol:
        return TOP

    @property
    def signature(self) -> Signature:
        return Signature(BITS, _ANSWERS, BITS)

    @property
    def claims(self) -> tuple[Claim, ...]:
        return proved(self, Approximate(0, self.delta), TWO_BITS, "CM §5.2")

    def step(self, state: Symbol, message: int, coins: Coins) -> tuple[Symbol, int | Symbol]:
        if state is BOTTOM:
            return state, message
        return (BOTTOM, BOTTOM) if coins.bernoulli(self.delta) else (TOP, TOP)
