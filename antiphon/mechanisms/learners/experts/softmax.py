"""Softmax: an expert by noisy sums of losses, as post-processing of a private counter."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms import fields
from antiphon.numbers.errors import CompositionError
from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.populations.each_replica import for_each
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.messages import HALT
from antiphon.protocol.post_processor import LEFT, RIGHT, PostProcessor, Side
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Arrays, Integers, Signature

STEPS: Final = 1 << 8
"""Sums in doubles are rounded to so many parts of 1."""
_FARTHEST: Final = 1 << 52
"""Sums past it are moved there: post-processing."""


@register("antiphon.Softmax/1")
@column_safe
@attrs.frozen(kw_only=True)
class Softmax(PostProcessor[None]):
    """IPM: answers a loss by an expert x ∝ e^(-η·sum_x), the noisy sums being the right's answer.

    (LEFT, loss) -> (RIGHT, loss); (RIGHT, sums) -> (LEFT, the expert to follow in the next round).
    η = ``rate`` for one unit of a sum. On its right: what answers each update by an array of sums,
    such as ``CountAfter`` of a counter with a ``dimension``: follow the regularised leader, on
    noisy sums. HALT goes left as it is. Sums in doubles are rounded to 1/256.
    Privacy: that of the right, w.r.t. the same f (CM Lemma 2.15): it looks at answers only.
    Source: Agarwal and Singh 2017 (on a tree).
    Raises: CompositionError for a right that answers anything but arrays of one axis.
    """

    forwards_queries = True

    rate: ExactEpsilon = attrs.field(converter=fields.rate)
    _fine: Fraction | None = attrs.field(init=False, eq=False, repr=False)
    """The rate for one of those parts of 1."""

    def __attrs_post_init__(self) -> None:
        fine = None if isinstance(self.rate, Log) else self.rate / STEPS
        object.__setattr__(self, "_fine", fine)

    @property
    def initial_state(self) -> None:
        return None

    def signature(self, right: Signature) -> Signature:
        sums = right.answers
        if not isinstance(sums, Arrays) or len(sums.shape) != 1:
            raise CompositionError(
                "Softmax reads arrays of sums, one for each expert; the right answers "
                f"{sums}: put CountAfter() between it and a counter with a dimension"
            )
        if isinstance(self.rate, Log) and sums.dtype != "int64":
            raise CompositionError("rate=Log(q) is for sums of whole numbers: give it as a number")
        return Signature(right.queries, Integers(0, sums.shape[0] - 1), right.updates)

    def is_over(self, state: None) -> None:
        return None

    def step(
        self, state: None, side: Side, message: Any, coins: Coins
    ) -> tuple[None, Side, object]:
        if side is LEFT:
            return None, RIGHT, message
        if message is HALT:
            return None, LEFT, HALT
        return None, LEFT, self.drawn(message, coins)

    def drawn(self, sums: NDArray[np.generic], coins: Coins) -> int:
        """The expert to follow, by its sum."""
        rate = self.rate if sums.dtype == np.int64 else self._fine
        assert rate is not None  # as the signature saw to
        return coins.categorical_exp(rate, for_each(_scores, sums))


def _scores(sums: NDArray[Any]) -> NDArray[np.int64]:
    """What the rate is multiplied with: minus the sums, in whole numbers."""
    scores: NDArray[np.int64]
    if sums.dtype == np.int64:
        scores = -np.clip(sums.astype(np.int64, copy=False), -_FARTHEST, _FARTHEST)
        return scores
    steps = np.multiply(sums, -float(STEPS), dtype=np.float64)
    np.rint(steps, out=steps)
    # NumPy finds where the ends are several times as fast as it moves all between two bounds.
    if not -_FARTHEST <= steps[steps.argmin()] <= steps[steps.argmax()] <= _FARTHEST:
        np.clip(steps, -_FARTHEST, _FARTHEST, out=steps)
    scores = steps.astype(np.int64)
    return scores
