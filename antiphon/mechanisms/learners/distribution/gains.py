"""What a learner makes of the users' answers: gains of the hypotheses, and how fast it learns.

A *channel* says which mechanism is created for a user, and what its answer is worth. Its gains are
unbiased for ln p̄_j[h(y)] (up to the rounding of scores, and to what is the same for all j), and the
rate of the weights w_j ∝ e^(η·Σ gains) is η = √(2 ln K/(T V)), with V the largest second moment of
a gain. No bound on the regret is claimed for it: the gains have tails.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from antiphon.mechanisms import fields
from antiphon.mechanisms.learners.distribution.clipping_map import ClippingMap
from antiphon.mechanisms.learners.distribution.hypotheses import Doubles, Whole
from antiphon.mechanisms.learners.distribution.label_response import (
    AllScores,
    OneScore,
    largest_each,
)
from antiphon.mechanisms.randomized_response import KaryResponse
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.coins import Coins
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.registry import register


@attrs.frozen(kw_only=True)
class Channel(ABC):
    """How labels are told, and what is learned of what is told. Abstract."""

    epsilon: Fraction = attrs.field(converter=fields.positive)

    @property
    def parameters(self) -> tuple[Fraction, Fraction]:
        """(ε, δ) of one user's answer."""
        return self.epsilon, Fraction(0)

    @abstractmethod
    def mechanism(self, clipping: ClippingMap, context: int) -> ContinualMechanism:
        """What is created for a user in that context, and asked about the label."""

    @abstractmethod
    def gains(self, clipping: ClippingMap, contexts: Whole, answers: Any) -> Doubles:
        """Of K hypotheses, a row for each user: from the contexts and a list of answers."""

    @abstractmethod
    def answers(
        self, clipping: ClippingMap, contexts: Whole, labels: Whole, coins: Coins
    ) -> list[Any]:
        """What many users say: each as their mechanism would, in law, with the noise of all at once."""

    @abstractmethod
    def rate(self, clipping: ClippingMap) -> float:
        """η."""


def _rate(clipping: ClippingMap, moment: float) -> float:
    """√(2 ln K/(T V)); 1 where all hypotheses are alike."""
    count, rounds = clipping.hypotheses.count, clipping.horizon
    return math.sqrt(2 * math.log(count) / (rounds * moment)) if moment and count > 1 else 1.0


def _fine(clipping: ClippingMap, contexts: Whole, labels: Whole, coins: Coins) -> list[int]:
    """h of each label."""
    pairs = zip(contexts.tolist(), labels.tolist(), strict=True)
    return [clipping.drawn(context, label, coins) for context, label in pairs]


def _middle(clipping: ClippingMap, contexts: Any, scores: Any) -> Doubles:
    """Scores as log-likelihoods, from the middle of their range."""
    found: Doubles = (scores / clipping.grid - 0.5) * clipping.widths[contexts]
    return found


@register("antiphon.OneCoordinate/1")
@attrs.frozen(kw_only=True)
class OneCoordinate(Channel):
    """ε-DP: one score of a user's label (``OneScore``), weighted by K, as J is uniform.

    V = max_x K max_j Λ_j(x)²(1/4 + 2/ε²).
    ``printed``: the constants of the LDP paper's Alg. 2 instead, which hardly learns: the loss
    Ỹ_J = -c(ln p̄_J + noise + ln M - c') of J alone, with c' = Λ(γ + ln K + ln T)/ε, γ = ln T,
    c = 1/(Λ + 2c'), η = √(2K ln K/T); Λ = ln((K+1)T) in place of ln(KT).
    """

    printed: bool = attrs.field(default=False, validator=fields.boolean)

    def mechanism(self, clipping: ClippingMap, context: int) -> OneScore:
        return OneScore(clipping=clipping, context=context, epsilon=self.epsilon)

    def gains(self, clipping: ClippingMap, contexts: Whole, answers: Any) -> Doubles:
        which, scores = np.array(answers, np.float64).reshape(-1, 2).T
        places = np.arange(len(contexts)), which.astype(np.int64)
        found = np.zeros((len(contexts), clipping.hypotheses.count))
        steps = scores / clipping.grid
        widths = clipping.widths[contexts, places[1]]
        if not self.printed:
            found[places] = found.shape[1] * (steps - 0.5) * widths
            return found
        scale, shift = self._printed(clipping)
        logs = clipping.lowest[contexts, places[1]] + steps * widths
        found[places] = scale * (logs + math.log(clipping.hypotheses.labels) - shift)
        return found

    def _printed(self, clipping: ClippingMap) -> tuple[float, float]:
        """c and c'."""
        count, rounds = clipping.hypotheses.count, clipping.horizon
        sensitivity = math.log((count + 1) * rounds)
        shift = sensitivity * (2 * math.log(rounds) + math.log(count)) / float(self.epsilon)
        return 1 / (sensitivity + 2 * shift), shift

    def answers(
        self, clipping: ClippingMap, contexts: Whole, labels: Whole, coins: Coins
    ) -> list[Any]:
        count, users = clipping.hypotheses.count, len(contexts)
        fine = _fine(clipping, contexts, labels, coins)
        which = [coins.uniform_integer(count) for _ in range(users)]
        noise = coins.laplace_array(clipping.grid / self.epsilon, users)
        scores = clipping.scores[contexts, fine, which] + noise
        return list(zip(which, scores.tolist(), strict=True))

    def rate(self, clipping: ClippingMap) -> float:
        count = clipping.hypotheses.count
        if self.printed:
            return math.sqrt(2 * count * math.log(count) / clipping.horizon) if count > 1 else 1.0
        return _rate(clipping, count * clipping.width**2 * (0.25 + 2 / float(self.epsilon) ** 2))


@register("antiphon.AllCoordinates/1")
@attrs.frozen(kw_only=True)
class AllCoordinates(Channel):
    """(ε, δ)-DP: all K scores of a user's label, with more noise (``AllScores``).

    V = max Λ_j(x)²(1/4 + 2/ε_0²).
    """

    delta: Fraction = attrs.field(converter=fields.probability)

    @property
    def parameters(self) -> tuple[Fraction, Fraction]:
        return self.epsilon, self.delta

    def mechanism(self, clipping: ClippingMap, context: int) -> AllScores:
        return AllScores(
            clipping=clipping, context=context, epsilon=self.epsilon, delta=self.delta
        )

    def gains(self, clipping: ClippingMap, contexts: Whole, answers: Any) -> Doubles:
        return _middle(clipping, contexts, np.array(answers, np.float64))

    def answers(
        self, clipping: ClippingMap, contexts: Whole, labels: Whole, coins: Coins
    ) -> list[Any]:
        scores = clipping.scores[contexts, _fine(clipping, contexts, labels, coins)]
        scale = clipping.grid / self._each(clipping)
        noise = coins.laplace_array(scale, scores.size).reshape(scores.shape)
        return list(scores + noise)

    def _each(self, clipping: ClippingMap) -> Fraction:
        return largest_each(clipping.hypotheses.count, self.epsilon, self.delta)

    def rate(self, clipping: ClippingMap) -> float:
        return _rate(clipping, clipping.width**2 * (0.25 + 2 / float(self._each(clipping)) ** 2))


@register("antiphon.WholeLabel/1")
@attrs.frozen(kw_only=True)
class WholeLabel(Channel):
    """ε-DP: the label itself by k-ary randomized response, of M values: to compare with.

    The gain is c_j(Ỹ) of centred scores c_j, Σ_y c_j(y) = 0, over p - q, where p and q are the
    probabilities of the truth and of each lie: unbiased, as E[c_j(Ỹ)] = (p - q) c_j(y).
    V = max (q Σ_y c_j(y)² + (p - q) max_y c_j(y)²)/(p - q)².
    """

    def mechanism(self, clipping: ClippingMap, context: int) -> KaryResponse:
        return KaryResponse(epsilon=self.epsilon, values=clipping.hypotheses.labels)

    def _odds(self, clipping: ClippingMap) -> tuple[float, float]:
        """p - q, and q."""
        labels = clipping.hypotheses.labels
        truth = KaryResponse(epsilon=self.epsilon, values=labels).truth
        lie = (1 - truth) / (labels - 1)
        return float(truth - lie), float(lie)

    def gains(self, clipping: ClippingMap, contexts: Whole, answers: Any) -> Doubles:
        scores = clipping.scores[contexts, np.array(answers, np.int64)]
        steps = (scores - clipping.means[contexts]) / clipping.grid
        found: Doubles = steps * clipping.widths[contexts] / self._odds(clipping)[0]
        return found

    def answers(
        self, clipping: ClippingMap, contexts: Whole, labels: Whole, coins: Coins
    ) -> list[Any]:
        response = self.mechanism(clipping, 0)
        return [response.respond(label, coins) for label in labels.tolist()]

    def rate(self, clipping: ClippingMap) -> float:
        gap, lie = self._odds(clipping)
        moments = 0.0
        for context in range(clipping.hypotheses.contexts):
            steps = (clipping.scores[context] - clipping.means[context]) / clipping.grid
            squares = (steps * clipping.widths[context]) ** 2
            found = (lie * squares.sum(axis=0) + gap * squares.max(axis=0)) / gap**2
            moments = max(moments, float(found.max()))
        return _rate(clipping, moments)


def checked(_: object, __: object, value: object) -> None:
    """A validator: a channel."""
    if not isinstance(value, Channel):
        raise InvalidArgument("channel must be OneCoordinate, AllCoordinates or WholeLabel")
