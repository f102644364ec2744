"""Events: sets of views, as data and in words."""

from __future__ import annotations

from collections.abc import Hashable

import attrs
import numpy as np

from antiphon.audit.statistical.events.half_lines import half_line
from antiphon.audit.statistical.events.reader import Path, as_float, is_number, item_label, items_of
from antiphon.audit.statistical.events.scorers import LikelihoodTable, Place, Scorer, Vector
from antiphon.audit.statistical.events.settling import settled
from antiphon.populations.sample import NO_NUMBERS, NUMBER, TRUTH, Sample
from antiphon.protocol.registry import register
from antiphon.protocol.shown.card import Card
from antiphon.protocol.shown.displayed import Shown


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
