"""A curve that is claimed, where it is tried; and the event that promises most against it."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Final, TypeAlias

import attrs
import numpy as np

from antiphon.audit.statistical.estimators import growth
from antiphon.audit.statistical.events.scorers import Vector
from antiphon.audit.statistical.events.thresholds import Goal
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.numbers.errors import InvalidArgument

Claimed: TypeAlias = tuple[tuple[float, float], ...]
"""(ε, δ(ε)) at rising ε, each δ rounded up."""

Bound: TypeAlias = Callable[[float], float]
"""ε ↦ a lower bound on δ(ε)."""

_NEAR: Final = 65
_FAR: Final = 16
_STEPS: Final = 48
_GOLDEN: Final = (math.sqrt(5) - 1) / 2


def tried(curve: PrivacyCurve, trials: int) -> Claimed:
    """The curve at the ε that so many views can say something of: up to ln(trials), or so.

    Most of them where it promises more than δ = 1/trials, the last of which is one of them.
    """
    last = math.log(trials) + 1
    reach = min(last, curve.epsilon_at(max(Fraction(1, trials), curve.least_delta)))
    near, far = np.linspace(0, reach, _NEAR), np.linspace(reach, last, _FAR)
    epsilons: list[float] = np.unique(np.concatenate([near, far])).tolist()
    return tuple((epsilon, promised(curve, epsilon)) for epsilon in epsilons)


def against(curve: PrivacyCurve, alpha: float, trials: int) -> AgainstCurve:
    """The goal to refute a curve. Raises: InvalidArgument for what is no privacy curve."""
    if not isinstance(curve, PrivacyCurve):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidArgument(
            f"a curve is a PrivacyCurve, as ap.guarantee(system).curve is, not a "
            f"{type(curve).__name__}"
        )
    return AgainstCurve("delta", 0.0, 0.0, alpha, trials, claimed=tried(curve, trials))


def promised(curve: PrivacyCurve, epsilon: float) -> float:
    """δ at exactly this ε, rounded up: a float that is near 1/10 is not taken for it."""
    return curve.delta_at(Fraction(epsilon))


@attrs.frozen
class AgainstCurve(Goal):
    """What an event is chosen for: to lie as far as can be beyond what a curve allows."""

    claimed: Claimed = ()

    def predicted(
        self, own: Vector, of: float, against: Vector, others: float, doubt: float
    ) -> Vector:
        """By how much fresh samples would exceed δ(ε), where that is most, relative to it."""
        low, high = self.rates(own, of, against, others, doubt)
        found = np.full_like(low, -np.inf)
        for epsilon, delta in self.claimed:
            beyond = self.excess(low - growth(epsilon) * high, delta)
            found = np.maximum(found, beyond)
        return found

    def excess(self, bound: Vector, delta: float) -> Vector:
        """δ's that are proved against the one that is claimed; positive where they refute it.

        Relative, or else a claim that holds would be tried where it promises next to nothing.
        """
        beyond = (bound - delta) / (delta + 1 / self.trials)
        return np.where(bound > 0, beyond, np.minimum(bound, 0) - 1)


def best_near(curve: PrivacyCurve, goal: AgainstCurve, bound: Bound, place: int) -> float:
    """The ε around a tried one at which a bound exceeds the curve most, by golden section."""

    def value(epsilon: float) -> float:
        return float(goal.excess(np.array(bound(epsilon)), promised(curve, epsilon)))

    epsilons = [epsilon for epsilon, _ in goal.claimed]
    seen = {epsilons[place]: value(epsilons[place])}
    low, high = epsilons[max(0, place - 1)], epsilons[min(len(epsilons) - 1, place + 1)]
    for _ in range(_STEPS):
        left, right = high - (high - low) * _GOLDEN, low + (high - low) * _GOLDEN
        for each in (left, right):
            if each not in seen:
                seen[each] = value(each)
        low, high = (low, right) if seen[left] >= seen[right] else (left, high)
        if high - low <= 1e-9 * high:
            break
    return max(seen, key=lambda epsilon: seen[epsilon])
