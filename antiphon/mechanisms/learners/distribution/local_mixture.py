"""A mixture of hypotheses, weighted by what users say under local privacy."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final, NamedTuple

import attrs
import numpy as np

from antiphon.composition.creation import Create
from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.factors.rows import row
from antiphon.mechanisms.learners.distribution.clipping_map import ClippingMap
from antiphon.mechanisms.learners.distribution.gains import Channel, checked
from antiphon.mechanisms.learners.distribution.hypotheses import Doubles, Hypotheses, Whole
from antiphon.mechanisms.learners.distribution.local_learner import LocalLearner
from antiphon.mechanisms.learners.learner import GRID
from antiphon.mechanisms.learners.online import ROUNDS
from antiphon.mechanisms.multiplicative_weights.hypothesis import powers
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import ExactEpsilon
from antiphon.protocol.coins import Coins
from antiphon.protocol.messages import HALT
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Arrays

_LEAST: Final = -700.0
_BLOCK: Final = 1 << 12


@register("antiphon.Mixing/1", state=True)
class Mixing(NamedTuple):
    """How many users have come, and the sums of their gains."""

    users: int
    gains: Doubles


@register("antiphon.LocalMixture/1")
@attrs.frozen(kw_only=True)
class LocalMixture(LocalLearner[Mixing]):
    """P of online distribution learning: ``ComplexMechanism(LocalMixture(…))``.

    p̂_t = Σ_j w_j f_j(x_t), but for the clipping map, with w_j ∝ e^(η·sum of gains), where the
    ``channel`` says how a user's label is told, and what the answer is worth: ``OneCoordinate``
    (pure ε), ``AllCoordinates`` (ε, δ), or ``WholeLabel`` (k-ary randomized response).
    Privacy: see ``LocalLearner``.
    Source: *Online Distribution Learning with Local Private Constraints*, Alg. 1 and 2, with
    weights as ``antiphon.mechanisms.learners.distribution.gains`` says.

    >>> from antiphon.composition import ComplexMechanism
    >>> from antiphon.mechanisms.learners.distribution import OneCoordinate
    >>> hypotheses = Hypotheses([[[0.75, 0.25], [0.25, 0.75]]])
    >>> channel = OneCoordinate(epsilon=1)
    >>> learner = LocalMixture(hypotheses=hypotheses, horizon=100, channel=channel)
    >>> session = ComplexMechanism(learner).start(seed=1)
    >>> session.send((0, 1)), session.send(("predict", 0)).round(2).tolist()
    (TOP, [0.49, 0.51])
    """

    hypotheses: Hypotheses
    horizon: int = attrs.field(converter=fields.size, metadata=ROUNDS)
    channel: Channel = attrs.field(validator=checked)
    grid: int = attrs.field(default=1 << 10, converter=fields.size, metadata=GRID)
    """Scores are rounded to this part of their range."""
    clip: Fraction | None = attrs.field(
        default=None, converter=attrs.converters.optional(fields.positive)
    )
    """c of the clipping map; None: what the channel says."""
    clipping: ClippingMap = attrs.field(init=False, eq=False, repr=False)
    rate: float = attrs.field(init=False, eq=False, repr=False)
    """η."""
    _creations: tuple[Create, ...] = attrs.field(init=False, eq=False, repr=False)
    """What is created for a user, by context."""

    def __attrs_post_init__(self) -> None:
        if self.hypotheses.labels == 1:
            raise InvalidArgument("with one label there is nothing to tell: labels must be > 1")
        clip = self.channel.clip(self.hypotheses, self.horizon) if self.clip is None else self.clip
        clipping = ClippingMap(self.hypotheses, clip, self.grid)
        object.__setattr__(self, "clipping", clipping)
        contexts = range(self.hypotheses.contexts)
        creations = tuple(Create(self.channel.mechanism(clipping, each)) for each in contexts)
        object.__setattr__(self, "_creations", creations)
        object.__setattr__(self, "rate", self.channel.rate(clipping, self.horizon))

    @property
    def parameters(self) -> tuple[ExactEpsilon, Any]:
        return self.channel.parameters

    @property
    def predictions(self) -> Arrays:
        return Arrays((self.hypotheses.labels,), "float64", 0.0, 1.0)

    @property
    def initial_state(self) -> Mixing:
        return Mixing(0, row(np.zeros(self.hypotheses.count), np.float64))

    def users(self, state: Mixing) -> int:
        return state.users

    def creation(self, state: Mixing, context: int) -> Create:
        return self._creations[context]

    def asked(self, state: Mixing, context: int, label: int) -> int:
        return label

    def learned(self, state: Mixing, context: int, answer: Any) -> Mixing:
        if answer is HALT:
            return state._replace(users=state.users + 1)
        (gains,) = self._gains(np.array([context]), [answer])
        return Mixing(state.users + 1, row(np.asarray(state.gains) + gains, np.float64))

    def _gains(self, contexts: Whole, answers: list[Any]) -> Doubles:
        return self.channel.gains(self.clipping, self.horizon, contexts, answers)

    def weights(self, gains: Doubles) -> Doubles:
        """w of the sums of gains, or of rows of them."""
        exponents = self.rate * (gains - gains.max(axis=-1, keepdims=True))
        heavy = powers(np.maximum(exponents, _LEAST))
        found: Doubles = heavy / heavy.sum(axis=-1, keepdims=True)
        return found

    def predicted(self, state: Mixing, context: int) -> Doubles:
        return self.clipping.predicted(context, self.weights(np.asarray(state.gains)))

    def follow(
        self, contexts: Whole, labels: Whole, coins: Coins, *, block: int = _BLOCK
    ) -> Iterator[tuple[slice, Doubles]]:
        """For users in a row, block by block: which they are, and the weights before each of them.

        What a session says, in law, many users at once: for contexts that do not depend on it.
        Raises: InvalidArgument for more users than the horizon, or for one that a session refuses.
        """
        if len(contexts) != len(labels) or len(labels) > self.horizon:
            raise InvalidArgument(f"a context and a label for each of at most {self.horizon} users")
        for each, most, name in (
            (contexts, self.hypotheses.contexts, "contexts"),
            (labels, self.hypotheses.labels, "labels"),
        ):
            if each.dtype.kind != "i" or (each.size and not 0 <= each.min() <= each.max() < most):
                raise InvalidArgument(f"{name} are an array of ints in 0..{most - 1}")
        sums = np.zeros(self.hypotheses.count)
        for start in range(0, len(labels), block):
            these = slice(start, min(start + block, len(labels)))
            told = self.channel.answers(self.clipping, contexts[these], labels[these], coins)
            gains = self._gains(contexts[these], told)
            before = np.vstack([sums, gains])
            np.cumsum(before, axis=0, out=before)
            sums = before[-1]
            yield these, self.weights(before[:-1])
