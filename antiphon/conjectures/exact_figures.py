"""Figures of which a conjecture, or a mechanism's claim, states a bound: exact divergences between
the two worlds of a privacy game.

A divergence is a sum over views of a loss: a convex function of the two probabilities (p, q) of a
view in the two worlds. A loss is homogeneous, so it is the largest of its tangents a·p + b·q. Its
sum never decreases as views grow longer, so adversaries stop as late as possible.
"""

import math
from fractions import Fraction
from typing import ClassVar, Final, NamedTuple, TypeAlias, Union

import attrs
import numpy as np

from antiphon.audit import Law, StrategyAdversary
from antiphon.audit.exact.divergence import rational_growth
from antiphon.audit.exact.question import Question
from antiphon.composition.accounting.renyi import whole_order
from antiphon.conjectures.law_trees import Doubles, Mask
from antiphon.numbers import ExactEpsilon, InvalidArgument, Log, exact, shown_up

_RATIOS: Final = 2.0 ** (np.arange(-32, 33) / 8)
"""The likelihood ratios p/q, from 1/16 to 16, at which a linear program uses the tangent of the
loss p^α q^(1-α)."""
WIDEST: Final = float(_RATIOS[-1])
WIDEST_SAID: Final = f"of likelihood ratios up to {shown_up(WIDEST)}"


@attrs.frozen
class HockeyStick:
    """The loss max{0, p - growth·q} of a view with probabilities p and q in the two worlds; its sum
    over views is δ(ε) for growth = e^ε (CM Def. 2.1)."""

    growth: float
    nothing: ClassVar = 0
    """The total loss of a mechanism whose answers reveal nothing."""
    widest: ClassVar[float | None] = None
    """The largest likelihood ratio between the two worlds that a law in a search may give a
    history; None for no limit."""

    @property
    def tangents(self) -> tuple[tuple[float, float], ...]:
        """The pairs (a, b) for which the linear programs use a·p + b·q as a lower bound on the loss
        of probabilities p and q; the largest one nearly equals the loss."""
        # The loss's other tangent is 0, which needs no inequality: all unknowns are at least 0.
        return ((1.0, -self.growth),)

    def of(self, own: Doubles, other: Doubles) -> Doubles:
        """The terms max(p - e^ε·q, 0) of the hockey-stick divergence, given arrays of the views'
        probabilities p and q in the two worlds."""
        return np.maximum(own - self.growth * other, 0.0)

    def slopes(self, own: Doubles, other: Doubles) -> tuple[Doubles, Doubles]:
        """The slopes (a, b) of the loss at each view, whose loss equals a·p + b·q."""
        event = (own > self.growth * other).astype(np.float64)
        return event, -self.growth * event


@attrs.frozen
class MomentLoss:
    """The loss p^α q^(1-α) of a view with probabilities p and q in the two worlds; its sum over
    views is e^((α-1)D) of the Rényi divergence D (Mironov 2017, Def. 3).

    The search is limited to laws in which no history is 16 times as likely in one world as in the
    other.
    """

    order: float
    nothing: ClassVar = 1
    widest: ClassVar[float | None] = WIDEST

    @property
    def tangents(self) -> tuple[tuple[float, float], ...]:
        return tuple(zip(*(each.tolist() for each in self._at(_RATIOS)), strict=True))

    def of(self, own: Doubles, other: Doubles) -> Doubles:
        first, second = self.slopes(own, other)
        return first * own + second * other

    def slopes(self, own: Doubles, other: Doubles) -> tuple[Doubles, Doubles]:
        least = 1e-12
        ratios = np.where(own > least, own, least) / np.where(other > least, other, least)
        return self._at(np.clip(ratios, _RATIOS[0] ** 3, _RATIOS[-1] ** 3))

    def _at(self, ratios: Doubles) -> tuple[Doubles, Doubles]:
        return self.order * ratios ** (self.order - 1), (1 - self.order) * ratios**self.order


Loss: TypeAlias = Union[HockeyStick, MomentLoss]
"""The loss of one view, a convex function of its probabilities in the two worlds."""
_BITS: Final = 160
"""The number of binary digits to which a moment is computed."""
_LARGEST: Final = 300
"""The largest ε of a search: the product of a few factors e^ε must not exceed the largest
double."""


class Attained(NamedTuple):
    """The largest loss of a game, and an adversary that attains it."""

    loss: Fraction
    adversary: StrategyAdversary


@attrs.frozen
class TightDelta:
    """The tight δ of a game at ε, one of the figures that a conjecture may bound (CM Def. 2.1)."""

    epsilon: ExactEpsilon

    @property
    def growth(self) -> Fraction:
        """The likelihood ratio e^ε above which a view is accused, rounded up.

        It is at least e^ε, so that the loss computed with it is at most the true one.
        """
        below, error = rational_growth(self.epsilon)
        return below * (1 + error)

    @property
    def loss(self) -> HockeyStick:
        """The loss of a view, in doubles; δ(ε) is its sum over views."""
        return HockeyStick(exp_epsilon(self.epsilon))

    def of(self, own: Law, other: Law) -> Fraction:
        """The δ at ε that an adversary attains, given the exact laws of its views in the two
        worlds; a lower bound on the tight δ."""
        return own.hockey_stick(other, self.growth)

    def tight(self, question: Question, rounds: int) -> Fraction:
        """The tight δ of a game, by the exact engine."""
        return question.solve(self.epsilon, rounds).delta

    def best(self, question: Question, rounds: int) -> Attained:
        """The tight δ of a game, with an adversary that attains it, by the exact engine."""
        adversary = question.best_adversary(self.epsilon, rounds)
        return Attained(adversary.advantage, adversary)

    def tangents(self, accused: Mask, own: Doubles, other: Doubles) -> tuple[Doubles, Doubles]:
        """For each view, the slopes (a, b) of a tangent of the loss: a·p + b·q is at most the loss
        of any probabilities p and q, and equals it at ``own`` and ``other``.

        ``accused``: whether the exact engine's adversary accuses the view.
        """
        event = accused.astype(np.float64)
        return event, -self.loss.growth * event

    def __str__(self) -> str:
        return f"δ({epsilon_text(self.epsilon)})"


@attrs.frozen
class TightMoment:
    """The moment Σ p^α q^(1-α) over views, at a whole order α: e^((α-1)D) of the Rényi divergence D
    of a game (Mironov 2017, Def. 3).

    The figure is infinite, given as None, if some view is possible in one world only.
    """

    order: int

    @property
    def growth(self) -> Fraction:
        """The likelihood ratio above which the adversary accuses a view when its play is replayed.
        The moment does not depend on it."""
        return Fraction(1)

    @property
    def loss(self) -> MomentLoss:
        return MomentLoss(self.order)

    def of(self, own: Law, other: Law) -> Fraction:
        return own.moment(other, self.order)

    def tight(self, question: Question, rounds: int) -> Fraction | None:
        return question.tight_renyi(self.order, rounds).moment

    def best(self, question: Question, rounds: int) -> Attained | None:
        found, adversary = question.best_of_order(self.order, rounds)
        if found.moment is None or adversary is None:
            return None
        return Attained(found.moment, adversary)

    def tangents(self, accused: Mask, own: Doubles, other: Doubles) -> tuple[Doubles, Doubles]:
        return self.loss.slopes(own, other)

    def __str__(self) -> str:
        return f"moment at α = {self.order}"


Figure: TypeAlias = Union[TightDelta, TightMoment]
"""The type of a figure that a conjecture bounds: the sum of the loss of all views, for the
adversary with the largest sum."""


def figure_of(order: int | None, epsilon: ExactEpsilon) -> Figure:
    """The figure δ(ε) if ``order`` is None, else the moment of this Rényi order. Raises:
    InvalidArgument for both an order and an ε."""
    if order is None:
        return TightDelta(epsilon)
    if epsilon != 0:
        raise InvalidArgument("a Rényi divergence has no ε: leave it 0")
    return TightMoment(order)


def maybe_order(_: object, __: object, value: int | None) -> None:
    """An attrs validator that accepts a Rényi order, or None. Raises: InvalidArgument."""
    if value is not None:
        whole_order(value)


def moment_above(divergence: Fraction | float, order: int) -> Fraction:
    """The moment e^((α-1)D) for a divergence of D = ``divergence`` >= 0 nats at the order α,
    slightly rounded up.

    >>> float(moment_above(Fraction(1, 10), 2))                       # ρ-zCDP: D = αρ
    1.1051709180756477
    """
    exponent = (whole_order(order) - 1) * exact.fraction(divergence, "the divergence")
    if exponent < 0:
        raise InvalidArgument("a divergence is at least 0")
    # In binary, e^-x begins with at most 1.45·x zeros after the point; so many more bits are
    # computed.
    bits = _BITS + math.ceil(2 * exponent)
    return Fraction(1 << bits, exact.exp_bracket(exponent, bits)[0])


def epsilon_text(epsilon: ExactEpsilon) -> str:
    """An ε as text: "ln 2", "1/10"."""
    return f"ln {epsilon.argument}" if isinstance(epsilon, Log) else str(epsilon)


def exp_epsilon(epsilon: ExactEpsilon) -> float:
    """The value of e^ε as a double. Raises: InvalidArgument for an ε too large for doubles."""
    if (float(epsilon) if isinstance(epsilon, Log) else epsilon) > _LARGEST:
        raise InvalidArgument(
            f"a search is made in doubles: ε is at most {_LARGEST}, beyond that nothing is private"
        )
    return float(epsilon.argument) if isinstance(epsilon, Log) else math.exp(epsilon)
