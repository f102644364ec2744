"""Noisy histograms: every count with its own noise, and one whose noise is far too small."""

from __future__ import annotations

from fractions import Fraction

import attrs

from antiphon.numbers import named
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Integers, Reals, Signature, Tuples
from antiphon.selfcheck.corpus.targets.neighbours import TotalWithin
from antiphon.selfcheck.corpus.targets.stated import TENTH, claimed, whole
from antiphon.verifiers.models import neighbouring_start


@register("antiphon.corpus.NoisyHistogram/1")
@column_safe
@attrs.frozen
class NoisyHistogram(NoninteractiveMechanism["tuple[int, ...]", "tuple[float, ...]"]):
    """(x₁, …, x_n) ↦ (x₁ + Lap(1/ε), …, x_n + Lap(1/ε)); ``inverted``: with Lap(ε).

    NIM: ``length`` counts -> as many floats.
    Privacy: claims ε-DP w.r.t. histograms that differ by 1 in all. True as it should be
    (Dwork et al. 2006; in doubles only assumed); ``inverted``, a scale that was meant to
    be its inverse, it is 1/ε-DP (Ding et al. 2018).
    """

    inverted: bool = False
    epsilon: Fraction = attrs.field(default=TENTH, converter=named.positive, kw_only=True)
    length: int = attrs.field(default=5, validator=whole, kw_only=True)
    _scale: float = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        scale = self.epsilon if self.inverted else 1 / self.epsilon
        object.__setattr__(self, "_scale", float(scale))

    @property
    def signature(self) -> Signature:
        queries = Tuples((Integers(),) * self.length)
        return Signature(queries, Tuples((Reals(),) * self.length), queries)

    @property
    def claims(self) -> tuple[Claim, ...]:
        f = neighbouring_start(TotalWithin(1))
        if self.inverted:
            return claimed(f, Status.REFUTED, "Ding et al. 2018: 1/ε-DP", epsilon=self.epsilon)
        return claimed(f, Status.ASSUMED, "Dwork et al. 2006", epsilon=self.epsilon)

    def respond(self, dataset: tuple[int, ...], coins: Coins) -> tuple[float, ...]:
        return tuple(count + coins.laplace(self._scale) for count in dataset)
