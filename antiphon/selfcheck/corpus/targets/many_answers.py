"""Noisy answers many times over: partial sums, and parallel copies."""

from __future__ import annotations

from fractions import Fraction

import attrs

from antiphon.numbers import named
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Integers, Reals, Signature, Tuples
from antiphon.selfcheck.corpus.targets.stated import TENTH, claimed, whole
from antiphon.verifiers.models import event_level, every_pair, neighbouring_start
from antiphon.verifiers.relations import Within


@register("antiphon.corpus.PrefixSum/1")
@column_safe
@attrs.frozen
class PrefixSum(ContinualMechanism[float, int, float]):
    """The running sum of q_i + Lap(1/ε).

    (s, q) -> (s', s') with s' = s + q + noise: each answer tells the noisy q_i apart.
    Privacy: ε-DP w.r.t. streams that differ in one q_i, by at most 1 (the Laplace
    mechanism and post-processing; in doubles only assumed). It also *claims* ε-DP where
    every q_i may differ, which is false: n of them cost nε.
    """

    epsilon: Fraction = attrs.field(default=TENTH, converter=named.positive, kw_only=True)
    _scale: float = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_scale", float(1 / self.epsilon))

    @property
    def initial_state(self) -> float:
        return 0.0

    @property
    def signature(self) -> Signature:
        return Signature(Integers(), Reals(), Integers())

    @property
    def claims(self) -> tuple[Claim, ...]:
        one, every = event_level(Within(1)), every_pair(Within(1))
        return (
            *claimed(one, Status.ASSUMED, "Dwork et al. 2006", epsilon=self.epsilon),
            *claimed(
                every,
                Status.REFUTED,
                "n answers cost nε",
                epsilon=self.epsilon,
            ),
        )

    def step(self, state: float, message: int, coins: Coins) -> tuple[float, float]:
        total = state + (message + coins.laplace(self._scale))
        return total, total


@register("antiphon.corpus.ParallelLaplace/1")
@column_safe
@attrs.frozen
class ParallelLaplace(NoninteractiveMechanism[int, "tuple[float, ...]"]):
    """q ↦ ``copies`` times q + Lap(copies/ε), each with noise of its own.

    NIM: an int -> that many floats. Privacy: ε-DP w.r.t. ints at most 1 apart, by basic
    composition (in doubles only assumed). Source: Bichsel et al. 2021 (DP-Sniper).
    """

    epsilon: Fraction = attrs.field(default=TENTH, converter=named.positive, kw_only=True)
    copies: int = attrs.field(default=20, validator=whole, kw_only=True)
    _scale: float = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_scale", float(self.copies / self.epsilon))

    @property
    def signature(self) -> Signature:
        return Signature(Integers(), Tuples((Reals(),) * self.copies), Integers())

    @property
    def claims(self) -> tuple[Claim, ...]:
        f = neighbouring_start(Within(1))
        return claimed(f, Status.ASSUMED, "basic composition", epsilon=self.epsilon)

    def respond(self, dataset: int, coins: Coins) -> tuple[float, ...]:
        return tuple(dataset + coins.laplace(self._scale) for _ in range(self.copies))
