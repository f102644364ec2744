"""Regret against the best fixed point of a body."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms.learners.convex.bodies import Body, Point
from antiphon.mechanisms.learners.convex.convex_losses import ConvexLoss, Datum, Values
from antiphon.mechanisms.learners.convex.optimum import optimum
from antiphon.mechanisms.learners.games.meters import Meter, Scored


class ConvexMeter(Meter):
    """Σ ℓ(x_t; z_t) - min_x Σ ℓ(x; z_t), where for the minimum stands what was found of it.

    So regret may be larger by the gap of its certificate, which is told beside it.
    """

    def __init__(self, times: tuple[int, ...], loss: ConvexLoss, body: Body) -> None:
        super().__init__(times)
        self._loss, self._body = loss, body
        self._waiting = list[Datum]()
        self._table: Datum = np.empty((0, *loss.data.shape), np.int64)
        self._counts: Datum = np.empty(0, np.int64)
        self._point: Point | None = None
        self._gaps = list[float]()

    def _lost(self, losses: Datum, shown: NDArray[np.float64]) -> Values:
        return self._loss.values(shown, losses)

    def _note(self, losses: Datum) -> None:
        self._waiting.append(losses)

    def _least(self) -> float:
        fresh = sum(map(len, self._waiting))
        self._table, self._counts = self._loss.merged(
            np.concatenate([self._table, *self._waiting]),
            np.concatenate([self._counts, np.ones(fresh, np.int64)]),
        )
        self._waiting.clear()
        found = optimum(
            self._loss, self._body, self._table, self._counts, start=self._point
        )  # fmt: skip
        self._point = found.point
        self._gaps.append(found.gap)
        return found.value

    def scored(self) -> Scored:
        return Scored(self._beyond(self._own), None, np.array(self._gaps))
