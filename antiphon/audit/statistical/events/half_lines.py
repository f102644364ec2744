"""An event of a model that looks at one number, in words: "answer 4 − answer 2 ≥ 1"."""

from __future__ import annotations

import math
from collections.abc import Sequence

from antiphon.audit.statistical.events.reader import Path, Reader
from antiphon.audit.statistical.events.scorers import Additive, Learned, Scorer


def half_line(scorer: Scorer, threshold: float, above: bool) -> str | None:
    """The event as a half-line of one number or of one difference; None: it is not one.

    Of whole numbers, by its first or last one. Of views that have the number.
    """
    if not isinstance(scorer, Learned) or not isinstance(scorer.model, Additive):
        return None
    reader, model = scorer.reader, scorer.model
    used = [feature for feature in range(reader.width) if model.uses(feature)]
    if len(used) != 1 or used[0] >= len(model.curves):
        return None
    flat = [curve for place, curve in enumerate(model.curves) if place != used[0]]
    others = [heights[0] for knots, heights in flat if len(knots)]
    knots, heights = (each.tolist() for each in model.curves[used[0]])
    end = crossing(knots, heights, threshold - model.intercept - float(sum(others)), above)
    return None if end is None else f"{_named(reader, used[0])} {end}"


def crossing(
    knots: Sequence[float], heights: Sequence[float], level: float, above: bool
) -> str | None:
    """Where a piecewise-linear curve is beyond a level: "> 1.5"; None unless it is a half-line.

    >>> crossing([0, 1, 3], [-1, -1, 1], 0, above=True), crossing([0, 1], [1, 0], 0.25, above=True)
    ('≥ 3', '≤ 0')
    >>> crossing([0.5, 1], [0, 1], 0.5, above=False), crossing([0, 1, 2], [0, 1, 0], 0, above=True)
    ('< 0.75', None)
    """
    inside = [height > level if above else height < level for height in heights]
    turns = [i for i in range(len(inside) - 1) if inside[i] != inside[i + 1]]
    if len(turns) != 1:
        return None
    (i,) = turns
    share = (level - heights[i]) / (heights[i + 1] - heights[i])
    end = knots[i] + share * (knots[i + 1] - knots[i])
    rising = inside[i + 1]
    if not all(float(knot).is_integer() for knot in knots):
        return f"{'>' if rising else '<'} {end:.6g}"
    whole = math.floor(end) + 1 if rising else math.ceil(end) - 1
    return f"{'≥' if rising else '≤'} {whole}"


def _named(reader: Reader, feature: int) -> str:
    if feature < len(reader.numbers):
        return _answer(reader.numbers[feature])
    early, late = reader.changes[feature - len(reader.numbers)]
    return f"{_answer(late)} − {_answer(early)}"


def _answer(path: Path) -> str:
    """As in: part 2 of answer 3."""
    where = f"answer {path[0] + 1}" if path else "the feature"
    for part in path[1:]:
        where = f"part {part + 1} of {where}"
    return where
