"""Events: sets of views, as data and in words."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import attrs
import numpy as np

from antiphon.audit.statistical.events.reader import (
    Path,
    Reader,
    as_float,
    is_number,
    item_label,
    items_of,
    settled,
)
from antiphon.audit.statistical.events.scorers import (
    Additive,
    Learned,
    LikelihoodTable,
    Place,
    Scorer,
    Vector,
)
from antiphon.populations.sample import NO_NUMBERS, NUMBER, TRUTH, Sample
from antiphon.protocol.display import Card, Shown
from antiphon.protocol.registry import register


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


@register("antiphon.Event/1")
@attrs.frozen(repr=False)
class Event(Shown):
    """S: the views whose score lies beyond a threshold; ``bit`` is the world it favours."""

    scorer: Scorer
    threshold: float
    above: bool
    """S = {score > threshold}; else {score < threshold}."""
    bit: int
    wide: tuple[Path, ...] = attrs.field(default=(), repr=False)
    """Where the views had numbers in the training samples. What looks at symbols takes a
    number at any other place for one of them, so that each different one is a kind of view:
    an event made by hand names the places of its continuous answers here."""

    def hits(self, sample: Sample) -> int:
        """How many replicas fall into S."""
        scorer = self.scorer
        cells = (settled(sample, self.wide) if scorer.symbolic else sample).cells
        return sum(
            self._hits(skeleton, cell.count, cell.columns) for skeleton, cell in cells.items()
        )

    def _hits(self, skeleton: Hashable, count: int, columns: Vector) -> int:
        scorer = self.scorer
        score = scorer.score(skeleton, columns)
        inside = score > self.threshold if self.above else score < self.threshold
        if isinstance(score, float):
            return count if inside else 0
        return int(np.count_nonzero(inside))

    def __contains__(self, feature: Hashable) -> bool:
        """Whether a single view, given by its feature, lies in S."""
        skeleton, numbers = self._parted(feature)
        columns = np.array([numbers]) if numbers else NO_NUMBERS
        return self._hits(skeleton, 1, columns) > 0

    def _parted(self, feature: object) -> tuple[object, list[float]]:
        """A view as samples have it: numbers where they had them, arrays taken apart."""
        numbers: list[float] = []

        def part(value: object, path: Path) -> object:
            items = tuple(value.ravel().tolist()) if type(value) is np.ndarray else items_of(value)
            if items is not None:
                return tuple([part(item, (*path, i)) for i, item in enumerate(items)])
            if path in self.wide and is_number(value):
                numbers.append(as_float(value))
                return NUMBER
            return TRUTH[bool(value)] if type(value) in (bool, np.bool_) else value

        return part(feature, ()), numbers

    def _card(self) -> Card:
        return Card(f"{self.words()}; favours b = {self.bit}")

    def words(self) -> str:
        """S in words: "the answer to message 3 is > 1.73", "answer 4 − answer 2 ≥ 1"."""
        scorer = self.scorer
        if isinstance(scorer, LikelihoodTable):
            examples = ", ".join(kind_label(kind) for kind in scorer.kinds[:2])
            many = len(scorer.kinds)
            shown = f"the transcript {examples}" if many == 1 else "no transcript"
            return f"one of {many} transcripts, such as {examples}" if many > 1 else shown
        plainly = half_line(scorer, self.threshold, self.above)
        if plainly is not None:
            return plainly
        above, below = ("is >", "is <") if isinstance(scorer, Place) else ("exceeds", "is below")
        return f"{scorer.words()} {above if self.above else below} {self.threshold:.6g}"


def kind_label(kind: object) -> str:
    """A transcript in words: "⊤ ⊥ 1"."""
    items = items_of(kind)
    if items is None:
        return item_label(kind, 40)
    shown = " ".join(item_label(item, 12) for item in items[:12])
    return (shown + " …" if len(items) > 12 else shown) or "the empty one"
