"""Losses of a prediction ⟨a, x⟩ for a label y: squared, logistic, absolute."""

from __future__ import annotations

from abc import abstractmethod

import attrs
import numpy as np

from antiphon.mechanisms.learners.convex.bodies import Body, Point
from antiphon.mechanisms.learners.convex.convex_losses import ConvexLoss, Datum, Rows, Sum, Values
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Arrays


@attrs.frozen(kw_only=True)
class RegressionLoss(ConvexLoss):
    """φ(⟨a, x⟩, y) of a datum (a, y): the d features, with ‖a‖₂ <= 1, then the label in [-1, 1].

    Abstract. So ∇ℓ = φ'·a, and ``lipschitz`` is the largest |φ'|.
    """

    @property
    def data(self) -> Arrays:
        return Arrays((self.dimension + 1,), "int64", -self.grid, self.grid)

    @abstractmethod
    def cost(self, scores: Values, labels: Values) -> Values:
        """φ, of numbers or of arrays."""

    @abstractmethod
    def slope(self, scores: Values, labels: Values) -> Values:
        """φ' in the score: a subgradient at a kink."""

    def value(self, point: Point, datum: Datum) -> float:
        scaled = datum / self.grid
        return float(self.cost(point @ scaled[:-1], scaled[-1]))

    def gradient(self, point: Point, datum: Datum) -> Point:
        scaled = datum / self.grid
        found: Point = self.slope(point @ scaled[:-1], scaled[-1]) * scaled[:-1]
        return found

    def values(self, points: Values, table: Rows) -> Values:
        features = table[:, :-1]
        scores = np.einsum("ti,ti->t", np.broadcast_to(points, features.shape), features)
        return self.cost(scores / self.grid, table[:, -1] / self.grid)

    def total(self, point: Point, table: Rows, counts: Rows) -> Sum:
        scores, labels = self._read(point, table)
        slope = (counts * self.slope(scores, labels)) @ table[:, :-1] / self.grid
        return float(counts @ self.cost(scores, labels)), slope

    def _read(self, point: Point, table: Rows) -> tuple[Values, Values]:
        return table[:, :-1] @ point / self.grid, table[:, -1] / self.grid


@register("antiphon.SquaredLoss/1")
@attrs.frozen(kw_only=True)
class SquaredLoss(RegressionLoss):
    """½(⟨a, x⟩ - y)²."""

    def lipschitz(self, body: Body) -> float:
        """A residual is at most the body's reach, and 1 for the label."""
        return body.reach + 1

    def cost(self, scores: Values, labels: Values) -> Values:
        return (scores - labels) ** 2 / 2

    def slope(self, scores: Values, labels: Values) -> Values:
        return scores - labels


@register("antiphon.LogisticLoss/1")
@attrs.frozen(kw_only=True)
class LogisticLoss(RegressionLoss):
    """ln(1 + e^(-y⟨a, x⟩)), for labels -1 and 1."""

    def lipschitz(self, body: Body) -> float:
        """|y|/(1 + e^(y·score)) < 1."""
        return 1.0

    def cost(self, scores: Values, labels: Values) -> Values:
        found: Values = np.logaddexp(0.0, -labels * scores)
        return found

    def slope(self, scores: Values, labels: Values) -> Values:
        # 1/(1 + e^m) = (1 - tanh(m/2))/2, which does not overflow.
        found: Values = labels * (np.tanh(labels * scores / 2) - 1) / 2
        return found


@register("antiphon.AbsoluteLoss/1")
@attrs.frozen(kw_only=True)
class AbsoluteLoss(RegressionLoss):
    """|⟨a, x⟩ - y|."""

    def lipschitz(self, body: Body) -> float:
        """1, the slope beside the kink."""
        return 1.0

    def cost(self, scores: Values, labels: Values) -> Values:
        return abs(scores - labels)

    def slope(self, scores: Values, labels: Values) -> Values:
        found: Values = np.sign(scores - labels)
        return found

    def smoothed(self, width: float) -> ConvexLoss:
        return _Huber(dimension=self.dimension, grid=self.grid, width=width)

    def line(self, point: Point, table: Rows, counts: Rows, width: float) -> Sum:
        """Σ count·u·(⟨a, x⟩ - y), u the residual in [-1, 1] after division by the width.

        |r| >= u·r for each |u| <= 1: what Huber's loss has for a slope touches |r| itself, but for
        the data that are nearer than the width.
        """
        scores, labels = self._read(point, table)
        weights = counts * np.clip((scores - labels) / width, -1, 1)
        return float(weights @ (scores - labels)), weights @ table[:, :-1] / self.grid


@attrs.frozen(kw_only=True)
class _Huber(RegressionLoss):
    """r²/2w for residuals |r| <= w, the ``width``, and |r| - w/2 for others (Huber 1964)."""

    width: float

    def lipschitz(self, body: Body) -> float:
        return 1.0

    def cost(self, scores: Values, labels: Values) -> Values:
        size = abs(scores - labels)
        found: Values = np.where(size <= self.width, size**2 / (2 * self.width),
                                 size - self.width / 2)  # fmt: skip
        return found

    def slope(self, scores: Values, labels: Values) -> Values:
        found: Values = np.clip((scores - labels) / self.width, -1, 1)
        return found
