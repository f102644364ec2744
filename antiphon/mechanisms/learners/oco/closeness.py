"""What DP-OCO must satisfy for Thm 3.2 of the L2P paper: its premises, and Lemma 3.11."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain
from typing import Any, Final, NamedTuple

from antiphon.mechanisms.learners.l2p.accountings import L2PSetting, Printed
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.printed import fixed_up, shown_down, shown_up
from antiphon.protocol.measures.kinds import Approximate

_CURE: Final = "DPOCO.corrected and DPOCO.tuned find parameters that hold"


class Premises(NamedTuple):
    """η, T, B, p and δ₀ of the theorem, and its ε and δ; β, λ and L of the lemma."""

    setting: L2PSetting
    theorem: Printed
    beta: float
    regulariser: float
    lipschitz: float

    @property
    def closeness(self) -> float:
        """η of Lemma 3.11: 2βL²/λ + √(8βL² ln(2/δ₀)/λ)."""
        ratio = self.beta * self.lipschitz**2 / self.regulariser
        return 2 * ratio + math.sqrt(8 * ratio * math.log(2 / self.setting.loose))

    @property
    def parameters(self) -> dict[str, Any]:
        """Of ``DPOCO``, as doubles."""
        found = self.setting
        return {
            "rate": float(found.rate), "fakes": float(found.fakes), "batch": found.batch,
            "loose": float(found.loose), "tail": float(self.theorem.tail), "beta": self.beta,
            "regulariser": self.regulariser,
        }  # fmt: skip

    @property
    def measure(self) -> Approximate:
        """(ε, δ) of the theorem, rounded up."""
        return self.theorem.measure(self.setting)

    def check(self) -> None:
        """Raises: InvalidArgument for premises that do not hold, with their numbers."""
        _none(self._violations())

    def check_within(self, epsilon: Fraction, delta: Fraction) -> None:
        """The same; and that the theorem gives (ε, δ)."""
        _none(chain(self._violations(), self._beyond(epsilon, delta)))

    def _beyond(self, epsilon: Fraction, delta: Fraction) -> Iterator[str]:
        told = self.measure
        for name, found, most in (("ε", told.epsilon, epsilon), ("δ", told.delta, delta)):
            if not exact.at_most(found, most):
                yield f"Thm 3.2 gives {name} = {shown_up(found)}, more than {shown_down(most)}"

    def _violations(self) -> Iterator[str]:
        yield from self.theorem.violations(self.setting)
        rate = float(self.setting.rate)
        if self.closeness > rate:
            yield (
                f"Lemma 3.11 gives D_∞ <= {shown_up(self.closeness)} at δ₀ = "
                f"{shown_up(self.setting.loose)}, and Assumption 3.1 asks for η = "
                f"{shown_down(rate)}: {fixed_up(self.closeness / rate, 2)} times as much"
            )


def _none(violations: Iterable[str]) -> None:
    """Raises: InvalidArgument with all of them."""
    text = "; ".join(violations)
    if text:
        raise InvalidArgument(f"{text}. {_CURE}")
