"""A learner that is a table: for exact work on all there are."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar, Final, TypeAlias

import attrs

from antiphon.mechanisms.learners.littlestone.mistake_learner import MistakeLearner
from antiphon.mechanisms.learners.littlestone.samples import BLANK, FIRST, HIT, Sample
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.registry import register

Law: TypeAlias = "tuple[Fraction, ...]"
"""A probability for each state."""
SYMBOLS: Final[tuple[Sample, ...]] = (BLANK, (1, 0), HIT)
"""The samples, in the order of a row."""


def _law(given: Sequence[object], states: int) -> Law:
    law = tuple(exact.probability(each, "a probability of the table") for each in given)
    if len(law) != states or sum(law) != 1:
        raise InvalidArgument(
            f"a law of the table has {states} probabilities with the sum 1: one for each state"
        )
    return law


def _table(given: Sequence[Sequence[Sequence[object]]]) -> tuple[tuple[Law, ...], ...]:
    rows = tuple(tuple(_law(law, len(given)) for law in row) for row in given)
    if not rows or any(len(row) != len(SYMBOLS) for row in rows):
        raise InvalidArgument(
            "table has a row for each state, of three laws: after (0, 0), (1, 0) and (1, 1)"
        )
    return rows


def _labels(given: Sequence[object]) -> tuple[int, ...]:
    found = tuple(given)
    if not all(type(each) is int and each in (0, 1) for each in found):
        raise InvalidArgument("labels are 0 or 1, one for each state")
    return found  # type: ignore[return-value]


@register("antiphon.FiniteLearner/1")
@column_safe
@attrs.frozen(kw_only=True)
class FiniteLearner(MistakeLearner[int]):
    """A Markov chain: ``table[s][sample]`` is the law of the next state, whose label it answers.

    The samples of a row are ⊥, (1, 0) and (1, 1); state 0 is the first. Probabilities are exact,
    so what is asked of it is answered exactly: ``PrivacyGame.tight_delta`` has its privacy, of
    which it claims nothing itself.
    Raises: InvalidArgument for a law with another sum than 1, or a first label that is not 0: f̂₁
    is public, and labels are named so that it is f⁽⁰⁾.

    >>> stay, go = (1, 0), (0, 1)
    >>> FiniteLearner(labels=(0, 1), table=((stay, stay, go), (go, go, go))).start().send((1, 1))
    1
    """

    private: ClassVar[bool] = False

    table: tuple[tuple[Law, ...], ...] = attrs.field(converter=_table)
    labels: tuple[int, ...] = attrs.field(converter=_labels)
    points: int = attrs.field(default=1, init=False)  # pyright: ignore[reportIncompatibleVariableOverride]

    def __attrs_post_init__(self) -> None:
        if len(self.labels) != len(self.table) or self.labels[0] != FIRST:
            raise InvalidArgument(
                "labels has one label for each state, the first of which is 0: swap the labels if "
                "f̂₁ is 1"
            )

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state: int, message: Sample, coins: Coins) -> tuple[int, int]:
        then = coins.categorical(self.table[state][SYMBOLS.index(message)])
        return then, self.labels[then]
