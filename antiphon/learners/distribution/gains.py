"""Gains (estimated log-likelihoods) of hypotheses from private answers, and their learning rates.

A *channel* defines the mechanism that is created for a user, and the gains that its answer gives.
The gains are unbiased for ln p̄_j[h(y)], up to rounding and a term that is the same for all j;
their second moment is at most v Λ², with v = ``factor``. Weights are w_j ∝ e^(η·Σ gains).

The bound of exponential weights, √(2 ln K T v) Λ + T c, with Λ = ln((K+1)/c) and a KL divergence of
-ln(1-c), about c, for clipping, is least for c = √(2 ln K v/T): with a larger c than the paper's
1/T, the noise has to hide a smaller range. η = √(2 ln K/(T V)), where V is the mean of the second
moments over contexts and hypotheses. No regret bound is claimed: the gains have the tails of their
noise, and η assumes that contexts are equally frequent.
"""

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, ClassVar, Final

import attrs
import numpy as np

from antiphon.learners.distribution.clipping_map import (
    AllScores,
    ClippingMap,
    OneScore,
    largest_each,
)
from antiphon.learners.distribution.hypotheses import Doubles, Hypotheses, Whole
from antiphon.mechanisms import KaryResponse, fields
from antiphon.protocol import Coins, ContinualMechanism, register

_FINE: Final = 1 << 20


@attrs.frozen(kw_only=True)
class Channel(ABC):
    """A locally private channel for a label, with the rule that turns its answer into gains of the
    hypotheses. Abstract."""

    delta: ClassVar[Fraction] = Fraction(0)
    printed: ClassVar[bool] = False
    """Whether the learning rate and the clipping probability are those printed in the LDP paper
    (see ``ClippingMap``)."""

    epsilon: Fraction = attrs.field(converter=fields.positive)

    @property
    def parameters(self) -> tuple[Fraction, Fraction]:
        """The (ε, δ) of the mechanism that answers for a single user."""
        return self.epsilon, self.delta

    @abstractmethod
    def mechanism(self, clipping: ClippingMap, context: int) -> ContinualMechanism:
        """The mechanism that is created for a user in this context, and gets the user's label."""

    @abstractmethod
    def gains(self, clipping: ClippingMap, horizon: int, contexts: Whole, answers: Any) -> Doubles:
        """The gains (estimated log-likelihoods) of the K hypotheses, a row for each user, computed
        from contexts and answers."""

    @abstractmethod
    def answers(
        self, clipping: ClippingMap, contexts: Whole, labels: Whole, coins: Coins
    ) -> list[Any]:
        """The answers of many users at once, with the law of their mechanisms' answers."""

    @abstractmethod
    def factor(self, hypotheses: Hypotheses) -> float:
        """The factor v in the bound v·Λ² on a gain's second moment, Λ the log-likelihoods'
        range."""

    @abstractmethod
    def moment(self, clipping: ClippingMap) -> float:
        """The mean of the second moments of the gains, over contexts and hypotheses."""

    def rate(self, clipping: ClippingMap, horizon: int) -> float:
        """The learning rate η of the exponential weights; 1 if all hypotheses are equal."""
        count = clipping.hypotheses.count
        if self.printed:
            return math.sqrt(2 * count * math.log(count) / horizon)
        moment, many = self.moment(clipping), math.log(count)
        return math.sqrt(2 * many / (horizon * moment)) if moment * many else 1.0

    def clip(self, hypotheses: Hypotheses, horizon: int) -> Fraction:
        """The clipping probability c = √(2 ln K v/T), within [1/T, 1/2], as a multiple of 2^-20,
        for K hypotheses, v = ``factor`` and T = ``horizon``."""
        if self.printed:
            return Fraction(1, horizon)
        found = math.sqrt(2 * math.log(hypotheses.count) * self.factor(hypotheses) / horizon)
        rounded = Fraction(round(min(found, 0.5) * _FINE), _FINE)
        return max(rounded, Fraction(1, horizon))


@attrs.frozen(kw_only=True)
class ScoreChannel(Channel):
    """A channel whose users report noisy scores (rounded log-likelihoods). Abstract."""

    def moment(self, clipping: ClippingMap) -> float:
        return self.factor(clipping.hypotheses) * float((clipping.widths**2).mean())


def _fine(clipping: ClippingMap, contexts: Whole, labels: Whole, coins: Coins) -> list[int]:
    """Each user's label after random clipping: unchanged with probability 1 - c, else a random
    label, c = ``clipping.clip``."""
    pairs = zip(contexts.tolist(), labels.tolist(), strict=True)
    return [clipping.drawn(context, label, coins) for context, label in pairs]


@register("antiphon.OneCoordinate/1")
@attrs.frozen(kw_only=True)
class OneCoordinate(ScoreChannel):
    """The ε-DP channel by which a user reports a randomly chosen one of the K scores
    (``OneScore``); it is multiplied by K for an unbiased gain.

    v = K(1/4 + 2/ε²).
    ``printed``: the constants of the LDP paper's Alg. 2 instead, with which it hardly learns: the
    loss Ỹ_J = -c(ln p̄_J + noise + ln M - c') of J only, with c' = Λ(γ + ln K + ln T)/ε, γ = ln T,
    c = 1/(Λ + 2c'), η = √(2K ln K/T); Λ = ln((K+1)T) in place of ln(KT).
    """

    printed: bool = attrs.field(default=False, validator=fields.boolean)  # type: ignore[misc]  # pyright: ignore[reportIncompatibleVariableOverride]

    def mechanism(self, clipping: ClippingMap, context: int) -> OneScore:
        return OneScore(clipping=clipping, context=context, epsilon=self.epsilon)

    def gains(self, clipping: ClippingMap, horizon: int, contexts: Whole, answers: Any) -> Doubles:
        which, scores = np.array(answers, np.float64).reshape(-1, 2).T
        places = np.arange(len(contexts)), which.astype(np.int64)
        found = np.zeros((len(contexts), clipping.hypotheses.count))
        steps = scores / clipping.grid
        widths = clipping.widths[contexts, places[1]]
        if not self.printed:
            found[places] = found.shape[1] * (steps - 0.5) * widths
            return found
        scale, shift = self._printed(clipping, horizon)
        logs = clipping.lowest[contexts, places[1]] + steps * widths
        found[places] = scale * (logs + math.log(clipping.hypotheses.labels) - shift)
        return found

    def _printed(self, clipping: ClippingMap, horizon: int) -> tuple[float, float]:
        """The constants c and c' of the loss in Alg. 2 of the LDP paper (see ``ClippingMap``)."""
        count = clipping.hypotheses.count
        sensitivity = math.log((count + 1) / clipping.clip)
        shift = sensitivity * (2 * math.log(horizon) + math.log(count)) / float(self.epsilon)
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

    def factor(self, hypotheses: Hypotheses) -> float:
        return hypotheses.count * (0.25 + 2 / float(self.epsilon) ** 2)


@register("antiphon.AllCoordinates/1")
@attrs.frozen(kw_only=True)
class AllCoordinates(ScoreChannel):
    """The (ε, δ)-DP channel that reports all K scores of a label, with more noise (``AllScores``).

    v = 1/4 + 2/ε_0². For δ below about 1/e it is never better than ``OneCoordinate``: K mechanisms
    with noise for (ε, δ) have about ln(1/δ) times the second moment of its one with noise for ε.
    """

    delta: Fraction = attrs.field(converter=fields.probability)  # type: ignore[misc]  # pyright: ignore[reportIncompatibleVariableOverride]

    def mechanism(self, clipping: ClippingMap, context: int) -> AllScores:
        return AllScores(clipping=clipping, context=context, epsilon=self.epsilon, delta=self.delta)

    def gains(self, clipping: ClippingMap, horizon: int, contexts: Whole, answers: Any) -> Doubles:
        steps = np.array(answers, np.float64) / clipping.grid
        # A score in the middle of the range counts as a gain of 0; a shift of all gains has no
        # effect.
        return (steps - 0.5) * clipping.widths[contexts]

    def answers(
        self, clipping: ClippingMap, contexts: Whole, labels: Whole, coins: Coins
    ) -> list[Any]:
        scores = clipping.scores[contexts, _fine(clipping, contexts, labels, coins)]
        scale = clipping.grid / self._each(clipping.hypotheses)
        noise = coins.laplace_array(scale, scores.size).reshape(scores.shape)
        return list(scores + noise)

    def _each(self, hypotheses: Hypotheses) -> Fraction:
        return largest_each(hypotheses.count, self.epsilon, self.delta)

    def factor(self, hypotheses: Hypotheses) -> float:
        return 0.25 + 2 / float(self._each(hypotheses)) ** 2


@register("antiphon.WholeLabel/1")
@attrs.frozen(kw_only=True)
class WholeLabel(Channel):
    """The ε-DP channel that reports the label itself, by k-ary randomized response on M values; a
    baseline.

    The gain is c_j(Ỹ)/(p - q), with centred scores c_j, Σ_y c_j(y) = 0, where p and q are the
    probabilities of the truth and of each lie: unbiased, as E[c_j(Ỹ)] = (p - q) c_j(y).
    The moment V uses the mean of c_j²: V = mean (q Σ_y c_j(y)² + (p - q) max_y c_j(y)²)/(p - q)².
    """

    def mechanism(self, clipping: ClippingMap, context: int) -> KaryResponse:
        return KaryResponse(epsilon=self.epsilon, values=clipping.hypotheses.labels)

    def _odds(self, labels: int) -> tuple[float, float]:
        """The pair (p - q, q): p is the probability that randomized response reports the true
        label, and q the probability of each other label."""
        truth = KaryResponse(epsilon=self.epsilon, values=labels).truth
        lie = (1 - truth) / (labels - 1)
        return float(truth - lie), float(lie)

    def gains(self, clipping: ClippingMap, horizon: int, contexts: Whole, answers: Any) -> Doubles:
        scores = clipping.scores[contexts, np.array(answers, np.int64)]
        steps = (scores - clipping.means[contexts]) / clipping.grid
        found: Doubles = (
            steps * clipping.widths[contexts] / self._odds(clipping.hypotheses.labels)[0]
        )
        return found

    def answers(
        self, clipping: ClippingMap, contexts: Whole, labels: Whole, coins: Coins
    ) -> list[Any]:
        response = self.mechanism(clipping, 0)
        return [response.respond(label, coins) for label in labels.tolist()]

    def factor(self, hypotheses: Hypotheses) -> float:
        gap, lie = self._odds(hypotheses.labels)
        return (lie * hypotheses.labels / 4 + gap) / gap**2

    def moment(self, clipping: ClippingMap) -> float:
        gap, lie = self._odds(clipping.hypotheses.labels)
        total = 0.0
        for scores, means, widths in zip(
            clipping.scores, clipping.means, clipping.widths, strict=True
        ):
            squares = ((scores - means) / clipping.grid * widths) ** 2
            total += float((lie * squares.sum(axis=0) + gap * squares.max(axis=0)).mean())
        return total / clipping.hypotheses.contexts / gap**2
