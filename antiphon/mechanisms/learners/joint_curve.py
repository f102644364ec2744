"""The joint Rényi bound of a learner that decides after each batch, by the corners it is given."""

from __future__ import annotations

import math
from fractions import Fraction

import attrs

from antiphon.mechanisms.learners.decisions import HexagonCorner, above_one, contribution
from antiphon.numbers.interval import up
from antiphon.protocol.measures.divergences import SLACK
from antiphon.protocol.registry import register

Corners = tuple[HexagonCorner, ...]


@register("antiphon.JointCurve/1", state=True)
@attrs.frozen
class JointCurve:
    """order α ↦ (F + (k-1)·F')/(α-1) nats, k = ``batches`` that are decided upon; 0 if none.

    F is the sum of the largest contributions of the decisions after the batch with the loss that
    differs (``first``), F' of those after a later one, each given by the corners where it may be
    largest (``decisions``); what is drawn is ``rho``-zCDP, so ln R = α(α-1)ρ.
    """

    first: tuple[Corners, ...]
    later: tuple[Corners, ...]
    batches: int
    rho: Fraction

    def __call__(self, order: float) -> float:
        if not self.batches:
            return 0.0
        less = above_one(order)
        if less == math.inf:
            return math.inf
        drawn = less * (1 + less) * up(self.rho) * (1 + SLACK)
        differs, after = (
            sum(contribution(each, less, drawn) for each in decisions)
            for decisions in (self.first, self.later)
        )
        total = max(differs, after) + (self.batches - 1) * after
        return total / less * (1 + SLACK) + 5e-324
