"""Learners that get one locally private answer from each user: their base class, a mixture of
hypotheses, and its risk."""

from abc import abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final, Generic, NamedTuple, TypeVar

import attrs
import numpy as np

from antiphon.composition import Create, Lifting, sparse_parallel
from antiphon.learners.distribution.clipping_map import ClippingMap
from antiphon.learners.distribution.gains import Channel
from antiphon.learners.distribution.hypotheses import Doubles, Hypotheses, Whole
from antiphon.learners.learner import GRID, ROUNDS, of_kind
from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.factors.rows import row
from antiphon.mechanisms.multiplicative_weights.hypothesis import powers
from antiphon.numbers import ExactEpsilon, InvalidArgument
from antiphon.protocol import HALT, TOP, Ask, Coins, SampledCoins, Status, register, set_derived
from antiphon.protocol.exchanges.processor import Exchanged, ExchangePostProcessor
from antiphon.protocol.spaces import Arrays, Either, Finite, Signature, Space, Tuples
from antiphon.verifiers import OnlyEntry, event_level, updates_and_queries

PREDICT: Final = "predict"
"""The first entry of the query ("predict", x), which requests the prediction p̂ in context x."""

State = TypeVar("State")


class LocalLearner(ExchangePostProcessor[State], Generic[State]):
    """A locally private learner as a post-processor: it answers a user's (context x, label y) by ⊤,
    and ("predict", x) by p̂, its prediction of the label's law. Abstract.

    Stands on the left of ExtConComp, where it creates a mechanism for each user, and asks it once:
    ``ComplexMechanism(…)``. A user past the ``horizon`` is answered by HALT. Privacy: that of one
    user's mechanism, (ε, δ), w.r.t. streams in which one user has another label, the contexts and
    all queries being the same (f), against adversaries that adapt: ``ap.guarantee`` derives it. *P
    has the three properties of CM §6.1 from f to 1-sparse parallel composition*: it is
    deterministic; the mechanisms that it creates, the index that it asks and its predictions are
    computed from contexts, queries, the number of users and answers from the right, all of which
    are the same in two f-valid runs (destination, response); only the query to a user's mechanism
    depends on y, and differs for one user at most, whose mechanism gets no other query (f→f'). Each
    created mechanism answers a first message, then HALT: f'_j = f_∼, which is first-pair
    consistent. So CM Thm 5.2 for δ = 0, else Thm 5.5, and Thm 6.1.
    """

    __slots__ = ()
    hypotheses: Hypotheses
    horizon: int

    @property
    @abstractmethod
    def parameters(self) -> tuple[ExactEpsilon, Any]:
        """The (ε, δ) of the mechanism that is created for each user."""

    @abstractmethod
    def users(self, state: State) -> int:
        """The number of users so far."""

    @abstractmethod
    def creation(self, state: State, context: int) -> Create:
        """The message that creates the next user's mechanism."""

    @abstractmethod
    def asked(self, state: State, context: int, label: int) -> int:
        """The query to the user's mechanism, the only place where the label is used."""

    @abstractmethod
    def learned(self, state: State, context: int, answer: Any) -> State:
        """The state after a user's private answer; HALT if the user's mechanism failed."""

    @abstractmethod
    def predicted(self, state: State, context: int) -> Any:
        """The prediction p̂ in this context, which answers ("predict", x)."""

    @property
    @abstractmethod
    def predictions(self) -> Space:
        """The space of the answers to ("predict", x)."""

    @property
    def questions(self) -> Space:
        """The space of the queries ("predict", x)."""
        return Tuples((Finite((PREDICT,)), self.hypotheses.of_contexts))

    @property
    def lifting(self) -> Lifting:
        """The verification functions f (one user's label differs) and f' (the pair of one created
        mechanism differs) of CM Thm 6.1."""
        outer = updates_and_queries(event_level(OnlyEntry(1)), self.questions)
        inner = sparse_parallel([self.parameters], first_pair_consistent=self.parameters[1] > 0)
        return Lifting(outer, inner, Status.PROVED, "see LocalLearner")

    def signature(self, right: Signature) -> Signature:
        users = Tuples((self.hypotheses.of_contexts, self.hypotheses.of_labels))
        answers = Either((Finite((TOP, HALT)), self.predictions))
        return Signature(Either((users, self.questions)), answers, users)

    def is_over(self, state: Any) -> None:
        return None

    def why_halted(self, state: State) -> str | None:
        over = self.users(state) >= self.horizon
        return (
            f"the horizon of {self.horizon} users is reached: build it with more" if over else None
        )

    def exchange(self, state: State, message: tuple[Any, int]) -> Exchanged[State]:
        """Handles a message: creates and asks a new user's mechanism, or answers ("predict", x)."""
        context, label = message
        if type(context) is str:
            return state, self.predicted(state, label)
        users = self.users(state)
        if users >= self.horizon:
            return state, HALT
        yield self.creation(state, context)
        answer = yield Ask(self.asked(state, context, label), users)
        return self.learned(state, context, answer), TOP


_LEAST: Final = -700.0
_BLOCK: Final = 1 << 12


@register("antiphon.Mixing/1", state=True)
class Mixing(NamedTuple):
    """The state of ``LocalMixture``: the number of users so far, and the sum of the gains of each
    hypothesis."""

    users: int
    gains: Doubles


@register("antiphon.LocalMixture/1")
@attrs.frozen(kw_only=True)
class LocalMixture(LocalLearner[Mixing]):
    """The post-processor P that predicts labels by a mixture of hypotheses, with weights learned
    from private answers; use it as ``ComplexMechanism(LocalMixture(…))``.

    p̂_t = Σ_j w_j f_j(x_t), up to the clipping map, with w_j ∝ e^(η·sum of gains), where the
    ``channel`` defines how a user's label is reported, and the gains from the answer:
    ``OneCoordinate`` (pure ε), ``AllCoordinates`` (ε, δ), or ``WholeLabel`` (k-ary randomized
    response). Privacy: see ``LocalLearner``. Source: *Online Distribution Learning with Local
    Private Constraints*, Alg. 1 and 2, with weights as ``antiphon.learners.distribution.gains``
    says.

    >>> from antiphon.composition import ComplexMechanism
    >>> from antiphon.learners.distribution import OneCoordinate
    >>> hypotheses = Hypotheses([[[0.75, 0.25], [0.25, 0.75]]])
    >>> channel = OneCoordinate(epsilon=1)
    >>> learner = LocalMixture(hypotheses=hypotheses, horizon=100, channel=channel)
    >>> session = ComplexMechanism(learner).start(seed=1)
    >>> session.send((0, 1)), session.send(("predict", 0)).round(2).tolist()
    (TOP, [0.49, 0.51])
    """

    hypotheses: Hypotheses
    horizon: int = attrs.field(converter=fields.size, metadata=ROUNDS)
    channel: Channel = attrs.field(
        validator=of_kind(Channel, "channel must be OneCoordinate, AllCoordinates or WholeLabel")
    )
    grid: int = attrs.field(default=1 << 10, converter=fields.size, metadata=GRID)
    """The number of steps into which the range of the scores (log-likelihoods) is divided."""
    clip: Fraction | None = attrs.field(
        default=None, converter=attrs.converters.optional(fields.positive)
    )
    """The clipping probability c; None for the channel's choice."""
    clipping: ClippingMap = attrs.field(init=False, eq=False, repr=False)
    rate: float = attrs.field(init=False, eq=False, repr=False)
    """The learning rate η of the exponential weights."""
    _creations: tuple[Create, ...] = attrs.field(init=False, eq=False, repr=False)
    """The message that creates a user's mechanism, for each context."""

    def __attrs_post_init__(self) -> None:
        if self.hypotheses.labels == 1:
            raise InvalidArgument("labels must be > 1: a single label has no information")
        clip = self.channel.clip(self.hypotheses, self.horizon) if self.clip is None else self.clip
        clipping = ClippingMap(self.hypotheses, clip, self.grid)
        contexts = range(self.hypotheses.contexts)
        creations = tuple(Create(self.channel.mechanism(clipping, each)) for each in contexts)
        rate = self.channel.rate(clipping, self.horizon)
        set_derived(self, clipping=clipping, rate=rate, _creations=creations)

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
        """The weights w ∝ e^(η·gains) of the hypotheses, for summed gains, or a table of such
        rows."""
        exponents = self.rate * (gains - gains.max(axis=-1, keepdims=True))
        heavy = powers(np.maximum(exponents, _LEAST))
        found: Doubles = heavy / heavy.sum(axis=-1, keepdims=True)
        return found

    def predicted(self, state: Mixing, context: int) -> Doubles:
        return self.clipping.predicted(context, self.weights(np.asarray(state.gains)))

    def follow(
        self, contexts: Whole, labels: Whole, coins: Coins, *, block: int = _BLOCK
    ) -> Iterator[tuple[slice, Doubles]]:
        """Yields, for one block of users after the other, the slice of these users, and a table
        with the weights of the hypotheses before each of them in its rows.

        The law is that of a session, but many users are computed at once, for contexts chosen in
        advance. Raises: InvalidArgument for more users than the horizon, or for one that a session
        refuses.
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


class LabelRisk(NamedTuple):
    """The risk of the predictions p̂_t against the true distributions f(x_t), over all users."""

    kl: float
    """The total KL risk Σ_t KL(f(x_t), p̂_t), in nats."""
    tv: float
    """The mean total variation (1/T) Σ_t TV(f(x_t), p̂_t)."""
    uniform: float
    """The total KL risk of the predictions with equal weights, which learn nothing."""
    average: Doubles
    """The mean over all users of the weights of the hypotheses; a learner in the batch setting
    predicts by the mixture with these weights."""


def risk_of(learner: LocalMixture, key: int, *, truth: int = 0) -> LabelRisk:
    """The risk of a learner on simulated users (contexts uniform, labels Y ~ f_truth(x), seed
    ``key``), computed exactly from the learner's weights.

    O(KM) a user, for the KL divergences.

    >>> from antiphon.learners.distribution import Hypotheses, OneCoordinate
    >>> hypotheses = Hypotheses([[[0.75, 0.25], [0.25, 0.75]]])
    >>> learner = LocalMixture(
    ...     hypotheses=hypotheses, horizon=4000, channel=OneCoordinate(epsilon=2))
    >>> found = risk_of(learner, 1)
    >>> found.kl < found.uniform / 3
    True
    """
    hypotheses = learner.hypotheses
    contexts, labels = hypotheses.users(key, learner.horizon, truth=truth)
    coins = SampledCoins(np.random.SeedSequence((key, 2)))
    kl = tv = uniform = 0.0
    average = np.zeros(hypotheses.count)
    flat = np.full(hypotheses.count, 1 / hypotheses.count)
    block = max(1, min(4096, (1 << 21) // hypotheses.labels))
    for these, weights in learner.follow(contexts, labels, coins, block=block):
        average += weights.sum(axis=0)
        here = contexts[these]
        for context in np.unique(here).tolist():
            rows = weights[here == context]
            kl_here, tv_here = _costs(learner, context, rows, truth)
            kl, tv = kl + kl_here, tv + tv_here
            uniform += len(rows) * _costs(learner, context, flat[None], truth)[0]
    return LabelRisk(kl, tv / learner.horizon, uniform, average / learner.horizon)


def _costs(
    learner: LocalMixture, context: int, weights: Doubles, truth: int
) -> tuple[float, float]:
    """The KL divergence and the total variation of the predictions in one context, summed over its
    users; ``weights`` has a row for each user."""
    sizes, table = learner.clipping.sizes[context], learner.hypotheses.tables[context]
    part, told = float(learner.clipping.clip), table[truth]
    predicted = (1 - part) * (weights @ table) + part / sizes.sum() * sizes
    seen = told > 0
    entropy = told[seen] @ np.log(told[seen])
    kl = len(weights) * entropy - float((np.log(predicted[:, seen]) @ told[seen]).sum())
    return float(kl), float(abs(predicted - told).sum() / 2)
