"""Figures that a conjecture bounds, or a mechanism claims: exact distances between two worlds.

What two worlds are told apart by: sums over views of a convex function of their laws.

A loss f of (p, q), the probabilities of a view in the two worlds, is convex and homogeneous, and so
the largest of its tangents a·p + b·q. Its sum only grows with what is seen: adversaries stop last.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar, Final, NamedTuple, TypeAlias, Union

import attrs
import numpy as np

from antiphon.audit import Law, StrategyAdversary
from antiphon.audit.exact.question import Question, rational_growth
from antiphon.composition.accounting.renyi import whole_order
from antiphon.conjectures.law_trees import Doubles, Mask
from antiphon.numbers import ExactEpsilon, InvalidArgument, Log, exact, shown_up

_RATIOS: Final = 2.0 ** (np.arange(-32, 33) / 8)
"""Where p^α q^(1-α) has its tangents: likelihood ratios from 1/16 to 16."""
WIDEST: Final = float(_RATIOS[-1])
WIDEST_SAID: Final = f"of likelihood ratios up to {shown_up(WIDEST)}"


@attrs.frozen
class HockeyStick:
    """max{0, p - growth·q}, whose sum is δ(ε) (CM Def. 2.1); growth is e^ε."""

    growth: float
    nothing: ClassVar = 0
    """The loss where nothing is told."""
    widest: ClassVar[float | None] = None
    """A likelihood ratio past which no mechanism is sought; None: any is."""

    @property
    def tangents(self) -> tuple[tuple[float, float], ...]:
        """(a, b): the loss is at least a·p + b·q, and the largest of these, or nearly."""
        return ((1.0, -self.growth),)  # the other one is 0: what is summed is no less

    def of(self, own: Doubles, other: Doubles) -> Doubles:
        """The loss of each view."""
        return np.maximum(own - self.growth * other, 0.0)

    def slopes(self, own: Doubles, other: Doubles) -> tuple[Doubles, Doubles]:
        """(a, b) of the tangent at each view, where the loss is a·p + b·q."""
        event = (own > self.growth * other).astype(np.float64)
        return event, -self.growth * event


@attrs.frozen
class MomentLoss:
    """p^α q^(1-α), whose sum is e^((α-1)D) of the Rényi divergence D (Mironov 2017, Def. 3).

    Sought are laws of which no history is 16 times as likely in one world as in the other.
    """

    order: float
    nothing: ClassVar = 1
    widest: ClassVar[float | None] = WIDEST

    @property
    def tangents(self) -> tuple[tuple[float, float], ...]:
        return tuple(zip(*(each.tolist() for each in self._at(_RATIOS)), strict=True))

    def of(self, own: Doubles, other: Doubles) -> Doubles:
        first, second = self.slopes(own, other)
        found: Doubles = first * own + second * other
        return found

    def slopes(self, own: Doubles, other: Doubles) -> tuple[Doubles, Doubles]:
        least = 1e-12
        ratios = np.where(own > least, own, least) / np.where(other > least, other, least)
        return self._at(np.clip(ratios, _RATIOS[0] ** 3, _RATIOS[-1] ** 3))

    def _at(self, ratios: Doubles) -> tuple[Doubles, Doubles]:
        return self.order * ratios ** (self.order - 1), (1 - self.order) * ratios**self.order


Loss: TypeAlias = Union[HockeyStick, MomentLoss]
"""The contribution of one view, by its probabilities in the two worlds."""
_BITS: Final = 160
"""To how many bits a moment is known."""
_LARGEST: Final = 300
"""An ε: products of a few e^ε are doubles."""


class Attained(NamedTuple):
    """The most that a game loses, and an adversary that makes it."""

    loss: Fraction
    adversary: StrategyAdversary


@attrs.frozen
class TightDelta:
    """The tight δ at ε (CM Def. 2.1)."""

    epsilon: ExactEpsilon

    @property
    def growth(self) -> Fraction:
        """How many times as likely a view is in one world as in the other where it is accused.

        Not below e^ε: with it a loss is not above the truth.
        """
        below, error = rational_growth(self.epsilon)
        return below * (1 + error)

    @property
    def loss(self) -> HockeyStick:
        """The contribution of one view, in doubles."""
        return HockeyStick(exp_epsilon(self.epsilon))

    def of(self, own: Law, other: Law) -> Fraction:
        """The δ that one adversary attains, from the exact laws of its views: a lower bound."""
        return own.hockey_stick(other, self.growth)

    def tight(self, question: Question, rounds: int) -> Fraction:
        """The tight δ of a game, by the exact engine."""
        return question.solve(self.epsilon, rounds).delta

    def best(self, question: Question, rounds: int) -> Attained:
        """With an adversary that attains it."""
        adversary = question.best_adversary(self.epsilon, rounds)
        return Attained(adversary.advantage, adversary)

    def tangents(self, accused: Mask, own: Doubles, other: Doubles) -> tuple[Doubles, Doubles]:
        """(a, b) of each view: its loss is a·p + b·q at these p and q, and no less at others.

        ``accused``: what the exact engine says of it.
        """
        event = accused.astype(np.float64)
        return event, -self.loss.growth * event

    def __str__(self) -> str:
        return f"δ({epsilon_text(self.epsilon)})"


@attrs.frozen
class TightMoment:
    """Σ p^α q^(1-α) at a whole order α: e^((α-1)D) of the Rényi divergence (Mironov 2017, Def. 3).

    Of two worlds of which one alone has some view it is infinite, which is None.
    """

    order: int

    @property
    def growth(self) -> Fraction:
        """Where one world makes a view likelier: no measure of the loss, but to be replayed."""
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
"""A loss, summed over the views of the adversary that is worst for it."""


def figure_of(order: int | None, epsilon: ExactEpsilon) -> Figure:
    """δ(ε); or the moment of an order, if there is one. Raises: InvalidArgument for an ε then."""
    if order is None:
        return TightDelta(epsilon)
    if epsilon != 0:
        raise InvalidArgument("of a Rényi divergence there is no ε: leave it 0")
    return TightMoment(order)


def maybe_order(_: object, __: object, value: int | None) -> None:
    """An attrs validator: an order, or None. Raises: InvalidArgument."""
    if value is not None:
        whole_order(value)


def moment_above(divergence: Fraction | float, order: int) -> Fraction:
    """At least e^((α-1)D), and nearly: the moment of a divergence D >= 0 in nats, as a bound is.

    >>> float(moment_above(Fraction(1, 10), 2))                       # ρ-zCDP: D = αρ
    1.1051709180756477
    """
    exponent = (whole_order(order) - 1) * exact.fraction(divergence, "the divergence")
    if exponent < 0:
        raise InvalidArgument("a divergence is at least 0")
    bits = _BITS + math.ceil(2 * exponent)  # e^-x takes 1.45·x bits before its first digit
    return Fraction(1 << bits, exact.exp_bracket(exponent, bits)[0])


def epsilon_text(epsilon: ExactEpsilon) -> str:
    """ε in words."""
    return f"ln {epsilon.argument}" if isinstance(epsilon, Log) else str(epsilon)


def exp_epsilon(epsilon: ExactEpsilon) -> float:
    """e^ε as a double. Raises: InvalidArgument where it is past what doubles can do."""
    if (float(epsilon) if isinstance(epsilon, Log) else epsilon) > _LARGEST:
        raise InvalidArgument(
            f"a search is made in doubles: ε is at most {_LARGEST}, at which all is lost as it is"
        )
    return float(epsilon.argument) if isinstance(epsilon, Log) else math.exp(epsilon)
