"""Name and shame: private by the letter, at the price of whoever is named."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms import fields
from antiphon.mechanisms.learners.littlestone.mistake_learner import MistakeLearner
from antiphon.mechanisms.learners.littlestone.samples import Sample
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.measures.kinds import Approximate
from antiphon.protocol.provenance import proved
from antiphon.protocol.registry import register


def _delta(value: object) -> Fraction:
    found = fields.probability(value)
    if not found:
        raise InvalidArgument(
            "delta must be positive: at 0 nothing is ever learned, and its 1/delta mistakes are all"
        )
    return found


@register("antiphon.NameAndShame/1")
@column_safe
@attrs.frozen(kw_only=True)
class NameAndShame(MistakeLearner[int]):
    """Each sample joins S with probability δ; f⁽ˣ⁾ once S has an (x, 1), else f⁽⁰⁾.

    The throw-away algorithm. State: the x of the first (x, 1) of S; 0 while there is none.
    Against (1, 1) in every round it makes (1 - (1-δ)^T)/δ mistakes, 1/δ as T grows.
    Privacy: (0, δ)-DP w.r.t. event level, against adaptive adversaries; proved: let the coins of
    both worlds be the same. Unless the sample that differs joins S, which has probability δ and
    is decided when it comes, states and answers are the same in both. It is tight: where ⊥
    stands against (1, 1), the answer f⁽¹⁾ names the sample, with probability δ.
    Source: Dmitriev, Szabó, Sanyal 2024; the talk's "throw away" and "name & shame".
    Raises: InvalidArgument for delta outside (0, 1].

    >>> session = NameAndShame(delta=1).start()
    >>> session.send((0, 0)), session.send((1, 1)), session.send((0, 0))
    (0, 1, 1)
    """

    delta: Fraction = attrs.field(converter=_delta)

    @property
    def initial_state(self) -> int:
        return 0

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "a sample is looked at with probability δ: see NameAndShame"
        return proved(self, Approximate(0, self.delta), self.verification, source)

    def step(self, state: int, message: Sample, coins: Coins) -> tuple[int, int]:
        joins = coins.bernoulli(self.delta)
        named = message[0] if not state and joins and message[1] else state
        return named, named

    def settled(self, state: int) -> bool:
        return bool(state)

    def expected_mistakes(self, rounds: int) -> float:
        """Against (1, 1) in every round: (1 - (1-δ)^T)/δ."""
        delta = float(self.delta)
        return float(-np.expm1(rounds * np.log1p(-delta)) / delta) if delta < 1 else 1.0

    def quiet(self, runs: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
        """P(it still says f⁽⁰⁾) after each of some runs of samples: (hits so far, length).

        A run is a hit and the blanks after it, or blanks that nothing comes before.
        """
        return self._power(np.array([count for count, _ in runs], np.float64))

    def rising(self, last: int) -> NDArray[np.float64]:
        """P(it still says f⁽⁰⁾) after each of so many samples (1, 1)."""
        return self._power(np.arange(1, last + 1, dtype=np.float64))

    def _power(self, hits: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.power(1 - float(self.delta), hits)
