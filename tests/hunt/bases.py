"""Discrete Laplace noise that can be enumerated: in base two and truncated.

No proof of pure DP here knows that e is e: with noise P(x) ∝ B^(-|x|/scale) an ε-DP mechanism
must be (ε ln B)-DP. With B a power of two the weights are rational. Truncating a draw to -R..R
moves its law by the mass beyond R, so δ is allowed (1 + B^ε) times that for each draw.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs

import antiphon as ap
from antiphon.numbers.errors import Intractable

FAINTEST = 14
"""The least weight of a draw is about 2^-14 of the largest."""


class Read:
    """How many draws one step made at most, and the most that truncation took from one."""

    def __init__(self) -> None:
        self.draws, self.tail = 0, Fraction(0)


class BaseCoins(ap.Coins):
    def __init__(self, coins: ap.Coins, base: int, read: Read) -> None:
        super().__init__()
        self.coins, self.base, self.read = coins, base, read

    def draw(self, kind: str, parameter: Any) -> Any:
        if kind == "discrete_laplaces":
            return tuple(self.draw("discrete_laplace", parameter[0]) for _ in range(parameter[1]))
        if kind != "discrete_laplace":
            raise Intractable(f"reading a {kind} draw in base two", "another law", "Laplace")
        power = self.base / Fraction(parameter)
        if power.denominator != 1 or power > 2 * FAINTEST:
            raise Intractable("reading Laplace noise in base two", str(power), "a small integer")
        fall = int(power)
        radius = max(2, -(-FAINTEST // fall))
        self.draws += 1
        self.read.draws = max(self.read.draws, self.draws)
        ratio = Fraction(1, 2**fall)
        self.read.tail = max(self.read.tail, 2 * ratio ** (radius + 1) / (1 + ratio))
        weights = [2 ** (fall * (radius - abs(x))) for x in range(-radius, radius + 1)]
        return self.coins.categorical(weights) - radius


@attrs.frozen
class InBase(ap.ContinualMechanism):
    """A mechanism with its noise in base 2^base."""

    mechanism: Any
    base: int
    read: Read = attrs.field(factory=Read, eq=False)

    @property
    def initial_state(self) -> Any:
        return self.mechanism.initial_state

    @property
    def signature(self) -> ap.Signature:
        return self.mechanism.signature

    def is_over(self, state: Any) -> bool:
        return self.mechanism.is_over(state)

    def step(self, state: Any, message: Any, coins: Any) -> Any:
        return self.mechanism.step(state, message, BaseCoins(coins, self.base, self.read))
