"""Halving: the learner without privacy, to compare with."""

from __future__ import annotations

from typing import ClassVar

import attrs

from antiphon.mechanisms.learners.littlestone.mistake_learner import MistakeLearner
from antiphon.mechanisms.learners.littlestone.samples import Sample
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.registry import register


@register("antiphon.Halving/1")
@column_safe
@attrs.frozen(kw_only=True)
class Halving(MistakeLearner[int]):
    """The majority, at each point, of the functions that no sample has contradicted; a tie is 0.

    Of Points(N) only f⁽ˣ⁾ is 1 at x, and f⁽⁰⁾ is not contradicted before an (x, 1) comes: so the
    majority is f⁽⁰⁾ until then, and f⁽ˣ⁾ after it. State: that x, or 0. At most one mistake on
    samples of one function, for any T. Where samples contradict each other, the last (x, 1) counts.
    Privacy: none; it claims nothing.
    Source: Littlestone 1988.

    >>> session = Halving(points=5).start()
    >>> session.send((3, 0)), session.send((2, 1)), session.send((0, 0))
    (0, 2, 2)
    """

    private: ClassVar[bool] = False

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state: int, message: Sample, coins: Coins) -> tuple[int, int]:
        found = message[0] if message[1] else state
        return found, found
