# pyright: reportUnknownMemberType=false
"""How counters show themselves: their claims, and the errors of their counts."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from typing import Final

import numpy as np

from antiphon.numbers.printed import shown_up
from antiphon.protocol.claims import Claim
from antiphon.protocol.display import Card, Displayed, Grid, Part
from antiphon.protocol.pictures import COLOURS, Axes, Plotted, legend, plain, titled
from antiphon.protocol.records.labels import message_label

_MOST: Final = 1 << 16
"""Updates up to which errors are computed that nobody asked for."""
_POINTS: Final = 64
_BETA: Final = 0.05


class ErrorsShown(Displayed, Plotted):
    """A counter whose errors are known before it counts."""

    __slots__ = ()

    @property
    @abstractmethod
    def claims(self) -> tuple[Claim, ...]:
        """What it promises."""

    @abstractmethod
    def squared_error(self, updates: int) -> float:
        """The expected squared error of an answer after so many updates."""

    @abstractmethod
    def error_bound(self, updates: int, *, beta: float) -> float:
        """With probability at least 1 - beta, no coordinate errs by more after ``updates``."""

    @property
    @abstractmethod
    def _last(self) -> int | None:
        """The horizon; None if there is none: then errors are shown after ``_MOST`` updates."""

    def _card(self) -> Card:
        return Card(message_label(self, 160), self._parts())

    def _parts(self) -> Iterator[Part]:
        yield Grid(list(self._rows()))
        if self._last is None or self._last <= _MOST:
            yield self._picture()

    def _rows(self) -> Iterator[tuple[str, str]]:
        for claim in self.claims:
            yield "claim", f"{message_label(claim.measure)}, {claim.status.value} ({claim.source})"
            yield "with respect to", message_label(claim.verification, 120)
        last = _MOST if self._last is None else self._last
        if last <= _MOST:
            deviation = math.sqrt(self.squared_error(last))
            yield f"standard deviation after {last:,}", shown_up(deviation, 4)
            bound = self.error_bound(last, beta=_BETA)
            yield "  with probability 95 %", f"an error of at most {shown_up(bound, 4)}"

    def _draw(self, axes: Axes) -> None:
        last = _MOST if self._last is None else self._last
        times = sorted({round(each) for each in np.geomspace(1, last, _POINTS).tolist()})
        times = list(range(1, last + 1)) if last <= _POINTS else times
        errors = np.sqrt([self.squared_error(each) for each in times])
        bounds = [self.error_bound(each, beta=_BETA) for each in times]
        plain(axes, "updates", "error of a count")
        axes.plot(times, errors, color=COLOURS[0], label="standard deviation")
        axes.plot(
            times, bounds, color=COLOURS[1], linewidth=1.2,
            label=f"not exceeded with probability {1 - _BETA:.0%}",
        )  # fmt: skip
        axes.set_xscale("log" if last > _POINTS else "linear")
        axes.set_ylim(bottom=0)
        legend(axes)
        titled(axes, type(self).__name__)
