"""Thm 3.2 and Lemma 3.11 of the L2P paper: what they give, and what they ask for."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.interval import above
from antiphon.protocol.measures.divergences import SLACK

_CURE = "DPOCO.corrected and DPOCO.tuned find parameters that hold"


class Premises(NamedTuple):
    """η, T, B, p, δ₀ and δ₁ of the theorem; β, λ and L of the lemma."""

    rate: float
    horizon: int
    batch: int
    fakes: float
    loose: float
    tail: float
    beta: float
    regulariser: float
    lipschitz: float

    @property
    def batches(self) -> int:
        """⌈T/B⌉, for T/B; and where the theorem says T, this times B is meant."""
        return -(-self.horizon // self.batch)

    @property
    def length(self) -> float:
        """ℒ = ln(1/δ₁)."""
        return -math.log(self.tail)

    @property
    def closeness(self) -> float:
        """η of Lemma 3.11: 2βL²/λ + √(8βL² ln(2/δ₀)/λ)."""
        ratio = self.beta * self.lipschitz**2 / self.regulariser
        return 2 * ratio + math.sqrt(8 * ratio * math.log(2 / self.loose))

    def epsilon(self) -> float:
        """2η/p + η + 3Tη²pℒ/(2B) + √(6Tη²pℒ²/B), rounded up."""
        spread = self.batches * self.rate**2 * self.fakes * self.length
        found = 2 * self.rate / self.fakes + self.rate + 1.5 * spread
        return above((found + math.sqrt(6 * spread * self.length)) * (1 + SLACK))

    def delta(self) -> float:
        """2T(2/η + ℒ/p)eBδ₀ + 2Tδ₁, rounded up."""
        each = (2 / self.rate + self.length / self.fakes) * math.e * self.batch * self.loose
        return above(2 * self.batches * self.batch * (each + self.tail) * (1 + SLACK))

    def check(self) -> None:
        """Raises: InvalidArgument for premises that do not hold, with their numbers."""
        _none(self._violations())

    def check_within(self, epsilon: float, delta: float) -> None:
        """The same; and that the theorem gives (ε, δ)."""
        _none(itertools.chain(self._violations(), self._beyond(epsilon, delta)))

    def _beyond(self, epsilon: float, delta: float) -> Iterator[str]:
        for name, found, most in (("ε", self.epsilon(), epsilon), ("δ", self.delta(), delta)):
            if found > most:
                yield f"Thm 3.2 gives {name} = {found:.4g}, more than {most:.4g}"

    def _violations(self) -> Iterator[str]:
        if self.rate > 0.1:
            yield f"Assumption 3.1 asks for η <= 1/10, and here η = {self.rate:.4g}"
        if not 0 < self.fakes < 1:
            yield f"Thm 3.2 asks for p in (0, 1), and here p = {self.fakes:.4g}"
        if self.batches * self.fakes < 1:
            yield f"Thm 3.2 asks for Tp/B >= 1, and here it is {self.batches * self.fakes:.4g}"
        crowd = self.rate * self.batch * self.length / self.fakes
        if crowd > 1:
            yield f"Thm 3.2 asks for ηB ln(1/δ₁)/p <= 1, and here it is {crowd:.4g}"
        if self.closeness > self.rate:
            yield (
                f"Lemma 3.11 gives D_∞ <= {self.closeness:.4g} at δ₀ = {self.loose:.2g}, and "
                f"Assumption 3.1 asks for η = {self.rate:.4g}: {self.closeness / self.rate:.2f} "
                "times as much"
            )


def _none(violations: Iterable[str]) -> None:
    """Raises: InvalidArgument with all of them."""
    text = "; ".join(violations)
    if text:
        raise InvalidArgument(f"{text}. {_CURE}")
