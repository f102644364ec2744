"""A knockout of pairwise tests that finds which of K distributions generates the users' labels."""

from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import attrs

from antiphon.composition.creation import Create
from antiphon.learners.distribution.hypotheses import Doubles, Hypotheses
from antiphon.learners.distribution.local_mixture import LocalLearner
from antiphon.learners.learner import ROUNDS
from antiphon.mechanisms import KaryResponse, fields
from antiphon.numbers import ExactEpsilon, InvalidArgument
from antiphon.protocol import HALT, Arrays, register

Pairing = tuple[tuple[int, int], ...]


@register("antiphon.Knockout/1", state=True)
class Knockout(NamedTuple):
    """The state of ``ScheffeKnockout``: the number of users, the surviving hypotheses, and the
    results of this round's tests."""

    users: int
    alive: tuple[int, ...]
    asked: tuple[int, ...]
    """The number of users that have answered in this round, for each pair of hypotheses that is
    tested."""
    ones: tuple[int, ...]
    """The number of users in this round that answered 1 (label in A = {f_i > f_j}), for each pair
    (i, j) of hypotheses that is tested."""


def _one_context(_: object, __: object, value: Any) -> None:
    if not isinstance(value, Hypotheses) or value.contexts != 1:
        raise InvalidArgument("hypotheses must be Hypotheses with one context: labels are i.i.d.")


@register("antiphon.ScheffeKnockout/1")
@attrs.frozen(kw_only=True)
class ScheffeKnockout(LocalLearner[Knockout]):
    """The post-processor P that selects a hypothesis by a knockout of pairwise tests; use it as
    ``ComplexMechanism(ScheffeKnockout(…))``. At last it predicts by the winner.

    ⌈log₂ K⌉ rounds of the same number of users. In each the remaining hypotheses are paired; a user
    of the pair (i, j) reports by randomized response whether the label is in A = {f_i > f_j}, and
    the hypothesis whose f(A) is nearer to the unbiased estimate of P(A) goes on. Until there is a
    winner, the prediction is the mean of the remaining hypotheses. Privacy: ε-DP, see
    ``LocalLearner``: a user reports one bit only. Source: tests of Scheffé 1947 (Devroye and Lugosi
    2001), under local privacy as in Gopi et al. 2020. It is *not* the algorithm of Pour, Ashtiani
    and Asoodeh 2023 (arXiv 2312.05645), which needs fewer users. The winner of a plain knockout is
    not within a constant multiple of the least distance; but if one hypothesis is true, and the
    tests are right, it wins.

    >>> from antiphon.composition import ComplexMechanism
    >>> hypotheses = Hypotheses([[[0.9, 0.1], [0.1, 0.9]]])
    >>> session = ComplexMechanism(
    ...     ScheffeKnockout(hypotheses=hypotheses, horizon=99, epsilon=3)).start(seed=1)
    >>> said = [session.send((0, 1)) for _ in range(99)]
    >>> session.send(("predict", 0)).tolist()
    [0.1, 0.9]
    """

    hypotheses: Hypotheses = attrs.field(validator=_one_context)
    horizon: int = attrs.field(converter=fields.size, metadata=ROUNDS)
    epsilon: Fraction = attrs.field(converter=fields.positive)

    @cached_property
    def response(self) -> KaryResponse:
        """The randomized response by which a user reports one bit."""
        return KaryResponse(epsilon=self.epsilon, values=2)

    @cached_property
    def _created(self) -> Create:
        return Create(self.response)

    @property
    def each_round(self) -> int:
        """The number of users in each round of the knockout."""
        return max(1, self.horizon // max(1, (self.hypotheses.count - 1).bit_length()))

    @property
    def parameters(self) -> tuple[ExactEpsilon, Any]:
        return self.epsilon, Fraction(0)

    @property
    def predictions(self) -> Arrays:
        return Arrays((self.hypotheses.labels,), "float64", 0.0, 1.0 + 2.0**-20)

    @property
    def initial_state(self) -> Knockout:
        return _begun(0, tuple(range(self.hypotheses.count)))

    def users(self, state: Knockout) -> int:
        return state.users

    def creation(self, state: Knockout, context: int) -> Create:
        return self._created

    def asked(self, state: Knockout, context: int, label: int) -> int:
        pairs = _pairs(state.alive)
        if not pairs:
            return 0
        first, second = pairs[state.users % len(pairs)]
        table = self.hypotheses.tables[0]
        return int(table[first, label] > table[second, label])

    def learned(self, state: Knockout, context: int, answer: Any) -> Knockout:
        users, pairs = state.users + 1, _pairs(state.alive)
        if not pairs:
            return state._replace(users=users)
        place = state.users % len(pairs)
        said = (0, 0) if answer is HALT else (1, int(answer))
        asked, ones = (
            tuple(n + more * (each == place) for each, n in enumerate(counts))
            for counts, more in zip((state.asked, state.ones), said, strict=True)
        )
        if users % self.each_round:
            return Knockout(users, state.alive, asked, ones)
        left = tuple(
            self._winner(pair, yes, of) for pair, yes, of in zip(pairs, ones, asked, strict=True)
        )
        return _begun(users, left + state.alive[2 * len(pairs) :])

    def _winner(self, pair: tuple[int, int], ones: int, asked: int) -> int:
        """The hypothesis of the pair (i, j) whose probability of the set A = {f_i > f_j} is nearest
        to the estimate from the users' answers; i if no user answered."""
        first, second = self.hypotheses.tables[0, list(pair)]
        inside = first > second
        truth = float(self.response.truth)
        estimate = (ones / max(asked, 1) - (1 - truth)) / (2 * truth - 1)
        near, far = (abs(float(each[inside].sum()) - estimate) for each in (first, second))
        return pair[0] if not asked or near <= far else pair[1]

    def predicted(self, state: Knockout, context: int) -> Doubles:
        found: Doubles = self.hypotheses.tables[0, list(state.alive)].mean(axis=0)
        return found


def _pairs(alive: tuple[int, ...]) -> Pairing:
    """The pairs of hypotheses that are tested in a round: the first and second of those that
    survive, the third and fourth, and so on; of an odd number the last is not tested."""
    return tuple(zip(alive[::2], alive[1::2], strict=False))


def _begun(users: int, alive: tuple[int, ...]) -> Knockout:
    zeros = (0,) * (len(alive) // 2)
    return Knockout(users, alive, zeros, zeros)
