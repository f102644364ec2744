"""Learners of functions with a simple state: a Markov chain from a table, ``Halving`` (not
private), and ``NameAndShame``."""

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar, Final, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.learners.littlestone.mistake_learner import BLANK, FIRST, HIT, MistakeLearner, Sample
from antiphon.mechanisms import fields
from antiphon.numbers import InvalidArgument, exact
from antiphon.protocol import Approximate, Claim, Coins, column_safe, proved, register

Law: TypeAlias = "tuple[Fraction, ...]"
"""The type of a probability distribution on states: one probability for each state."""
SYMBOLS: Final[tuple[Sample, ...]] = (BLANK, (1, 0), HIT)
"""The three possible samples, in the order in which a table has a law for each of them."""


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
    """A learner given as a Markov chain: ``table[s]`` has for each sample the law of the next state
    after state s, and ``labels`` has for each state the label that is answered.

    The samples of a row are ⊥, (1, 0) and (1, 1); state 0 is the first. Probabilities are exact, so
    all figures about it are exact: ``PrivacyGame.tight_delta`` computes its privacy; it makes no
    claim itself. Raises: InvalidArgument for a law whose sum is not 1, or a first label that is not
    0: labels are named so that the public f̂₁ is f⁽⁰⁾.

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


@register("antiphon.Halving/1")
@column_safe
@attrs.frozen(kw_only=True)
class Halving(MistakeLearner[int]):
    """The halving algorithm, not private: the answer is the majority, at each point, of the
    functions that no sample has contradicted; a tie is 0.

    Of Points(N) only f⁽ˣ⁾ is 1 at x, and f⁽⁰⁾ (0 everywhere) is not contradicted before an (x, 1)
    comes: so the majority is f⁽⁰⁾ until then, and f⁽ˣ⁾ after it. State: that x, or 0. At most one
    mistake on samples of one function, for any T. Where samples contradict each other, the last (x,
    1) counts. Privacy: none; it claims nothing. Source: Littlestone 1988.

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


def _delta(value: object) -> Fraction:
    found = fields.probability(value)
    if not found:
        raise InvalidArgument("delta must be positive: at 0 nothing is ever learned")
    return found


@register("antiphon.NameAndShame/1")
@column_safe
@attrs.frozen(kw_only=True)
class NameAndShame(MistakeLearner[int]):
    """A (0, δ)-DP learner: each sample joins a set S with probability δ; the answer is the function
    f⁽ˣ⁾ that is 1 at x only, once S has an (x, 1), else f⁽⁰⁾ = 0.

    The throw-away algorithm. State: the x of the first (x, 1) of S; 0 if there is none.
    Against (1, 1) in every round it makes (1 - (1-δ)^T)/δ mistakes, 1/δ as T grows.
    Privacy: (0, δ)-DP w.r.t. event level, against adaptive adversaries; proved: let the coins of
    both worlds be the same. Unless the differing sample joins S, which has probability δ and is
    decided when it comes, states and answers are the same in both. It is tight: for ⊥ against (1,
    1), the answer f⁽¹⁾ reveals the sample, with probability δ. Source: Dmitriev, Szabó, Sanyal
    2024; the talk's "throw away" and "name & shame". Raises: InvalidArgument for delta outside (0,
    1].

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
        source = "a sample is used with probability δ: see NameAndShame"
        return proved(self, Approximate(0, self.delta), self.verification, source)

    def step(self, state: int, message: Sample, coins: Coins) -> tuple[int, int]:
        joins = coins.bernoulli(self.delta)
        named = message[0] if not state and joins and message[1] else state
        return named, named

    def settled(self, state: int) -> bool:
        """Whether the learner has named a point, so that it keeps its hypothesis for good."""
        return bool(state)

    def expected_mistakes(self, rounds: int) -> float:
        """The expected number of mistakes if all samples are (1, 1): (1 - (1-δ)^T)/δ."""
        delta = float(self.delta)
        return float(-np.expm1(rounds * np.log1p(-delta)) / delta) if delta < 1 else 1.0

    def quiet(self, runs: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
        """The probability that the answer is still the first hypothesis f⁽⁰⁾ after each run (number
        of samples (1, 1) so far, number of samples in the run).

        A run is a sample (1, 1) (hit) and the ⊥ (blanks) after it, or the blanks at the beginning.
        """
        return self._power(np.array([count for count, _ in runs], np.float64))

    def rising(self, last: int) -> NDArray[np.float64]:
        """The probabilities that the answer is still the first hypothesis f⁽⁰⁾ after n samples (1,
        1), for n = 1, …, ``last``."""
        return self._power(np.arange(1, last + 1, dtype=np.float64))

    def _power(self, hits: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.power(1 - float(self.delta), hits)
