"""The drawing of a series of released numbers, as a line with a band of their errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

Drawn: TypeAlias = "tuple[int, int | Fraction, int | Fraction]"
"""A drawn point: a position on the time axis, a released number, and a bound on its error."""
WIDE, HIGH = 480, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 10, 14, 28


def drawing(points: Sequence[Drawn], label: str, ends: tuple[str, str], *, signed: bool) -> str:
    """An SVG of these points, in the colours of the page. ``label`` and ``ends`` are escaped
    already.

    ``signed``: whether true numbers may be negative; if not, the axis begins at 0.
    """
    first, last = points[0][0], max(points[-1][0], points[0][0] + 1)
    top = _round_up(math.ceil(max(1, *(value + within for _, value, within in points))))
    depth = math.ceil(max(0, *(within - value for _, value, within in points))) if signed else 0
    low = -_round_up(depth) if depth else 0

    def x(place: float) -> str:
        return f"{_LEFT + (place - first) / (last - first) * (WIDE - _LEFT - _RIGHT):.1f}"

    def y(value: int | Fraction) -> str:
        share = (min(max(float(value), low), top) - low) / (top - low)
        return f"{HIGH - _BOTTOM - share * (HIGH - _TOP - _BOTTOM):.1f}"

    upper = [f"{x(place)},{y(value + within)}" for place, value, within in points]
    lower = [f"{x(place)},{y(value - within)}" for place, value, within in points]
    line = " ".join(f"{x(place)},{y(value)}" for place, value, _ in points)
    now, shown, _ = points[-1]
    grid = "".join(
        f'<line class="grid" x1="{_LEFT}" x2="{WIDE - _RIGHT}" y1="{y(at)}" y2="{y(at)}"/>'
        f'<text x="{_LEFT - 8}" y="{y(at)}" dy="0.32em" text-anchor="end">{_short(at)}</text>'
        for at in (low, 0 if low else top // 2, top)
    )
    return (
        f'<svg viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{label}">{grid}'
        f'<polygon class="band" points="{" ".join([*upper, *reversed(lower)])}"/>'
        f'<polyline class="series" points="{line}"/>'
        f'<circle class="now" cx="{x(now)}" cy="{y(shown)}" r="4"/>'
        f'<text x="{_LEFT}" y="{HIGH - 8}">{ends[0]}</text>'
        f'<text x="{WIDE - _RIGHT}" y="{HIGH - 8}" text-anchor="end">{ends[1]}</text></svg>'
    )


def _short(value: int) -> str:
    """A number in at most five characters for an axis, such as 400k."""
    for unit, sign in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if abs(value) >= 10 * unit or (abs(value) >= unit and not value % (unit // 10)):
            return f"{value / unit:.6g}{sign}"
    return str(value)


def _round_up(value: int) -> int:
    """The end of an axis: the least of 2, 4, 6, 10, 20, … that is not below the value."""
    unit = 1
    while True:
        for step in (2, 4, 6, 10):
            if value <= step * unit:
                return step * unit
        unit *= 10
