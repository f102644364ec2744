# pyright: reportIncompatibleMethodOverride=false, reportAssignmentType=false
"""Small finite mechanisms with state, whose claims are their exact, tight privacy parameters."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final, TypeAlias, TypeVar, Union

import attrs

from antiphon.audit.exact.question import Question
from antiphon.numbers import InvalidArgument, exact
from antiphon.protocol import Approximate, Claim, Coins, ContinualMechanism, Status, Verification
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.messages import BOTTOM, HALT, TOP, Halt, Signal
from antiphon.protocol.spaces import Finite, Integers, Signature, Tuples

Threshold: TypeAlias = Union[tuple[int, Union[int, None]], Halt]
Claiming = TypeVar("Claiming", bound=Any)
"""The type variable of a continual mechanism whose ``claims`` can be set."""


def promised(
    mechanism: Claiming,
    verification: Verification,
    rounds: int,
    *,
    epsilon: exact.Epsilon | None = None,
    queries: Iterable[object] | None = None,
) -> Claiming:
    """The mechanism with one claim, of its exact privacy parameters over ``rounds`` messages.

    With ``epsilon``: (ε, tight δ). Without: (tight ε, 0). ``verification`` must allow at most
    ``rounds`` messages, as otherwise the claim would be false.
    """
    question = Question(mechanism, verification, queries=queries, report=None)
    if epsilon is None:
        tight = question.tight_epsilon(0, rounds)
        if isinstance(tight, float):
            raise InvalidArgument("the mechanism is epsilon-DP for no epsilon")
        measure = Approximate(tight, 0)
    else:
        measure = Approximate(epsilon, question.solve(epsilon, rounds).delta)
    return claiming(mechanism, measure, verification)


def claiming(mechanism: Claiming, measure: Approximate, verification: Verification) -> Claiming:
    """The mechanism with one claim, of this measure w.r.t. ``verification``."""
    source = "computed exactly (antiphon.audit.exact)"
    claim = Claim(measure, verification, Status.PROVED, source)
    return attrs.evolve(mechanism, claims=(claim,))


@attrs.frozen
class Table(ContinualMechanism[int, int, object]):
    """A finite mechanism given by a table of weights; its hidden state persists between queries.

    ``rows[state][query]`` weighs the outcomes (next state, answer), in lexicographic order.
    """

    name: str
    rows: tuple[tuple[tuple[int, ...], ...], ...] = attrs.field(repr=False)
    answers: tuple[object, ...] = attrs.field(default=(0, 1), repr=False)
    claims: tuple[Claim, ...] = attrs.field(default=(), repr=False)
    initial_state = 0

    @property
    def signature(self) -> Signature:
        queries = Integers(0, len(self.rows[0]) - 1)
        return Signature(queries, Finite(self.answers), queries)

    def step(self, state: int, message: int, coins: Coins) -> tuple[int, object]:
        after, answer = divmod(coins.categorical(self.rows[state][message]), len(self.answers))
        return after, self.answers[answer]


WALK: Final = Table("walk", (((4, 2, 1, 1), (2, 3, 1, 2)), ((1, 2, 3, 2), (1, 1, 2, 4))))
"""A mechanism with two hidden states, which decide its answers; each bit leads towards one of
them."""

SECRET: Final = Table(
    "secret",
    (
        ((0, 0, 0, 0, 0, 1, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0, 0, 1)),
        ((0, 0, 0, 5, 1, 0, 2, 1, 0), (0, 0, 0, 2, 4, 0, 1, 2, 0)),
        ((0, 0, 0, 1, 2, 0, 4, 2, 0), (0, 0, 0, 2, 1, 0, 1, 5, 0)),
    ),
    (0, 1, TOP),
)
"""An IM as a continual mechanism: the first bit chooses its initial state; each later query, 0 or
1, gets a noisy answer that depends on the state."""


def geometric(reach: int) -> tuple[int, ...]:
    """Weights of two-sided geometric noise of ratio 1/2, truncated to -reach..reach."""
    return tuple(2 ** (reach - abs(z)) for z in range(-reach, reach + 1))


def clipped(value: int, largest: int) -> tuple[int, ...]:
    """Weights of value + geometric noise of ratio 1/2, clipped to 0..largest: (ln 2)-DP."""
    unit = 2 ** (largest + 1)
    return tuple(
        unit // 2 ** abs(y - value) * (2 if y in (0, largest) else 1) for y in range(largest + 1)
    )


@attrs.frozen
class FiniteAboveThreshold(ContinualMechanism[Threshold, Any, Signal]):
    """AboveThreshold on a stream of bits, or the sparse vector SVT_{q,base} (CM Alg. 3) for d = 1,
    with noise truncated to -``reach``..``reach``.

    (x, Thresh) -> ⊤ and then HALT, or ⊥: h ← h + x; ⊤ iff q(h) + ν >= Thresh + τ, where
    q(h) = min(h, cap). State: (h, τ), τ drawn at the first message; then ``HALT``.
    """

    reach: int
    base: int = 0
    cap: int = 9
    thresholds: tuple[int, ...] = attrs.field(default=(1,), repr=False)
    inputs: tuple[Any, Any] = attrs.field(default=(0, 1), repr=False)
    """The messages for x = 0 and x = 1: bits, or histograms of one count."""
    claims: tuple[Claim, ...] = attrs.field(default=(), repr=False)

    @property
    def initial_state(self) -> Threshold:
        return self.base, None

    @property
    def signature(self) -> Signature:
        queries = Finite(tuple((x, each) for x in self.inputs for each in self.thresholds))
        return Signature(queries, Finite((TOP, BOTTOM, HALT)), queries)

    def step(
        self, state: Threshold, message: tuple[Any, int], coins: Coins
    ) -> tuple[Threshold, Signal]:
        if state is HALT:
            return state, HALT
        (h, offset), (x, threshold), weights = state, message, geometric(self.reach)
        if offset is None:
            offset = coins.categorical(weights) - self.reach
        h = min(h + self.inputs.index(x), self.cap)
        enough = sum(w for z, w in enumerate(weights) if h + z - self.reach >= threshold + offset)
        above = coins.bernoulli(Fraction(enough, sum(weights)))
        return (HALT, TOP) if above else ((h, offset), BOTTOM)


@attrs.frozen
class OneCount(ContinualMechanism[int, Any, Any]):
    """A running count of updates 0 to ``largest``; each adds clipped noise, drawn once.

    On a histogram of one count: (c,) -> (the noisy sum,). State: that sum, so the noise persists.
    """

    largest: int
    total: int
    """The largest count that is answered."""
    claims: tuple[Claim, ...] = attrs.field(default=(), repr=False)
    initial_state = 0

    @property
    def signature(self) -> Signature:
        queries = Tuples((Integers(0, self.largest),))
        return Signature(queries, Tuples((Integers(0, self.total),)), queries)

    def step(self, state: int, message: Any, coins: Coins) -> tuple[int, Any]:
        noisy = coins.categorical(clipped(message[0], self.largest))
        count = min(state + noisy, self.total)
        return count, (count,)


@attrs.frozen
class FiniteResponse(NoninteractiveMechanism[int, int]):
    """A NIM on 0, 1, …, as a table: ``weights[x]`` are the weights of its answers to x."""

    weights: tuple[tuple[int, ...], ...] = attrs.field(repr=False)
    claims: tuple[Claim, ...] = attrs.field(default=(), repr=False)
    name: str = attrs.field(default="", kw_only=True)

    @property
    def signature(self) -> Signature:
        queries = Integers(0, len(self.weights) - 1)
        return Signature(queries, Integers(0, len(self.weights[0]) - 1), queries)

    def respond(self, dataset: int, coins: Coins) -> int:
        answer: int = coins.categorical(self.weights[dataset])
        return answer


def finite_laplace(largest: int) -> FiniteResponse:
    """A finite Laplace mechanism: a number in 0..largest plus clipped geometric noise."""
    weights = tuple(clipped(x, largest) for x in range(largest + 1))
    return FiniteResponse(weights, name="Laplace")
