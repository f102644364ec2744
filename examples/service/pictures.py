"""A counter's released counts as a drawing: the noisy series, and the band around it."""

from __future__ import annotations

from collections.abc import Sequence

from .memory import Point

WIDE, HIGH = 480, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 10, 14, 28


def drawing(points: Sequence[Point], label: str) -> str:
    """An SVG, in the colours of the page's style. ``label`` is escaped already."""
    low = min(point.flights for point in points)
    high = max(max(point.flights for point in points), low + 1)
    top = _round_up(max(max(point.count + point.within for point in points), 1))

    def x(flights: float) -> str:
        return f"{_LEFT + (flights - low) / (high - low) * (WIDE - _LEFT - _RIGHT):.1f}"

    def y(count: float) -> str:
        share = min(max(count, 0), top) / top
        return f"{HIGH - _BOTTOM - share * (HIGH - _TOP - _BOTTOM):.1f}"

    upper = [f"{x(each.flights)},{y(each.count + each.within)}" for each in points]
    lower = [f"{x(each.flights)},{y(each.count - each.within)}" for each in points]
    line = " ".join(f"{x(each.flights)},{y(each.count)}" for each in points)
    last = points[-1]
    grid = "".join(
        f'<line class="grid" x1="{_LEFT}" x2="{WIDE - _RIGHT}" y1="{y(at)}" y2="{y(at)}"/>'
        f'<text x="{_LEFT - 8}" y="{y(at)}" dy="0.32em" text-anchor="end">{_short(at)}</text>'
        for at in (0, top // 2, top)
    )
    return (
        f'<svg viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{label}">{grid}'
        f'<polygon class="band" points="{" ".join([*upper, *reversed(lower)])}"/>'
        f'<polyline class="series" points="{line}"/>'
        f'<circle class="now" cx="{x(last.flights)}" cy="{y(last.count)}" r="4"/>'
        f'<text x="{_LEFT}" y="{HIGH - 8}">{low:,} flights</text>'
        f'<text x="{WIDE - _RIGHT}" y="{HIGH - 8}" text-anchor="end">{high:,} flights</text></svg>'
    )


def _short(value: int) -> str:
    """A number on an axis, which has room for five characters: 400k."""
    for unit, sign in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= 10 * unit or (value >= unit and not value % (unit // 10)):
            return f"{value / unit:.6g}{sign}"
    return str(value)


def _round_up(value: int) -> int:
    """The next of 2, 4, 6, 10, 20, …: an axis ends there, and its half is whole."""
    unit = 1
    while True:
        for step in (2, 4, 6, 10):
            if value <= step * unit:
                return step * unit
        unit *= 10
