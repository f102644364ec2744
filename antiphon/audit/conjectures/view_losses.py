"""What two worlds are told apart by: sums over views of a convex function of their laws.

A loss f of (p, q), the probabilities of a view in the two worlds, is convex and homogeneous, and so
the largest of its tangents a·p + b·q. Its sum only grows with what is seen: adversaries stop last.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

import attrs
import numpy as np

from antiphon.audit.conjectures.law_trees import Doubles
from antiphon.numbers.printed import shown_up

_RATIOS: Final = 2.0 ** (np.arange(-32, 33) / 8)
"""Where p^α q^(1-α) has its tangents: likelihood ratios from 1/16 to 16."""
WIDEST: Final = float(_RATIOS[-1])
WIDEST_SAID: Final = f"of likelihood ratios up to {shown_up(WIDEST)}"


class Loss(ABC):
    """Of one view, by its probabilities in the two worlds."""

    nothing: int = 0
    """What is lost where nothing is told."""
    widest: float | None = None
    """A likelihood ratio past which no mechanism is sought; None: any is."""

    @property
    @abstractmethod
    def tangents(self) -> tuple[tuple[float, float], ...]:
        """(a, b): the loss is at least a·p + b·q, and the largest of these, or nearly."""

    @abstractmethod
    def of(self, own: Doubles, other: Doubles) -> Doubles:
        """The loss of each view."""

    @abstractmethod
    def slopes(self, own: Doubles, other: Doubles) -> tuple[Doubles, Doubles]:
        """(a, b) of the tangent at each view, where the loss is a·p + b·q."""


@attrs.frozen
class HockeyStick(Loss):
    """max{0, p - growth·q}, whose sum is δ(ε) (CM Def. 2.1); growth is e^ε."""

    growth: float

    @property
    def tangents(self) -> tuple[tuple[float, float], ...]:
        return ((1.0, -self.growth),)  # the other one is 0: what is summed is no less

    def of(self, own: Doubles, other: Doubles) -> Doubles:
        return np.maximum(own - self.growth * other, 0.0)

    def slopes(self, own: Doubles, other: Doubles) -> tuple[Doubles, Doubles]:
        event = (own > self.growth * other).astype(np.float64)
        return event, -self.growth * event


@attrs.frozen
class MomentLoss(Loss):
    """p^α q^(1-α), whose sum is e^((α-1)D) of the Rényi divergence D (Mironov 2017, Def. 3).

    Sought are laws of which no history is 16 times as likely in one world as in the other.
    """

    order: float
    nothing: int = attrs.field(default=1, init=False)
    widest: float | None = attrs.field(default=WIDEST, init=False)

    @property
    def tangents(self) -> tuple[tuple[float, float], ...]:
        return tuple(zip(*(each.tolist() for each in self._at(_RATIOS)), strict=True))

    def of(self, own: Doubles, other: Doubles) -> Doubles:
        first, second = self.slopes(own, other)
        found: Doubles = first * own + second * other
        return found

    def slopes(self, own: Doubles, other: Doubles) -> tuple[Doubles, Doubles]:
        least = 1e-12
        ratios = np.where(own > least, own, least) / np.where(other > least, other, least)
        return self._at(np.clip(ratios, _RATIOS[0] ** 3, _RATIOS[-1] ** 3))

    def _at(self, ratios: Doubles) -> tuple[Doubles, Doubles]:
        return self.order * ratios ** (self.order - 1), (1 - self.order) * ratios**self.order
