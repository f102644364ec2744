"""Mechanisms built from another: complex mechanisms P ∘* ExtConComp (CM §6), and plain wrappers."""

from abc import abstractmethod
from typing import Any, TypeAlias

import attrs

from antiphon.composition.concurrent import ExtConComp
from antiphon.numbers.errors import CompositionError, InvalidArgument, of_kind
from antiphon.protocol import LEFT, RIGHT, Coins, Pair, Side, Status, Verification, identical
from antiphon.protocol.chain import Chain, PostProcessor
from antiphon.protocol.mechanism import Answer, ContinualMechanism, Query, State
from antiphon.protocol.provenance import is_library_code
from antiphon.protocol.registry import column_safe, register, set_derived
from antiphon.protocol.spaces import Anything, Pairs, Signature


@register("antiphon.Lifting/1")
@attrs.frozen
class Lifting:
    """A declaration that a post-processor P has the destination, response and f→f' properties (CM
    §6.1), f = ``outer`` and f' = ``inner``.

    CM Thm 6.1 needs the properties in f-valid runs only (``antiphon.composition.properties``).

    The value of a post-processor's attribute ``lifting``. ``outer`` is f, for the messages from its
    left, ``inner`` is f', for the messages that it sends right. The status PROVED, with the source,
    also says that P's creations assert true claims.
    """

    outer: Verification
    inner: Verification
    status: Status = Status.ASSUMED
    source: str = "its class says so"


States: TypeAlias = tuple[object, ...]
"""The states of the parts of a chain of post-processors and a mechanism, from left to right."""


class Through(ContinualMechanism[State, Query, Answer]):
    """A wrapper with the states and answers of another mechanism. Abstract."""

    __slots__ = ()

    @property
    @abstractmethod
    def within(self) -> ContinualMechanism[State, Query, Answer]:
        """The wrapped mechanism, which gives the answers."""

    @property
    def signature(self) -> Signature:
        return self.within.signature

    @property
    def initial_state(self) -> State:
        return self.within.initial_state

    def step(self, state: State, message: Query, coins: Coins) -> tuple[State, Answer]:
        return self.within.step(state, message, coins)

    def carries_data(self, state: State, message: Query) -> bool:
        return self.within.carries_data(state, message)

    def is_over(self, state: State) -> bool:
        return self.within.is_over(state)

    def inside(self, state: State) -> tuple[ContinualMechanism[State, Query, Answer], State]:
        return self.within, state

    def why_halted(self, state: State) -> str | None:
        return self.within.why_halted(state)


def _is_processor(_: object, __: object, value: object) -> None:
    if not isinstance(value, PostProcessor):
        raise InvalidArgument(
            f"ComplexMechanism(P) takes a post-processor, not {of_kind(value)}: make one with "
            "@ap.exchange or @ap.post_processor"
        )


@register("antiphon.ComplexMechanism/1")
@column_safe(of="chain")
@attrs.frozen
class ComplexMechanism(Through[States, object, object]):
    """P ∘* ExtConComp: a mechanism that creates and asks sub-mechanisms (CM §6).

    P is deterministic and has one initial state; randomness of its own is a 0-DP
    sub-mechanism. If P has the destination, response and f→f' properties
    (``composition.check_properties``) and ExtConComp is (ε, δ)-DP w.r.t. f', then this
    is (ε, δ)-DP w.r.t. f (CM Thm 6.1). A P with ``lifting = Lifting(f, f', …)`` declares f and f',
    so that ``ap.guarantee`` can apply the theorem. State: (P's state, ExtConComp's state).
    """

    post_processor: PostProcessor = attrs.field(validator=_is_processor)
    chain: Chain = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        set_derived(self, chain=self.post_processor @ ExtConComp())

    @property
    def within(self) -> Chain:
        return self.chain


@register("antiphon.TwoCopies/1")
@column_safe(of="post_processor")
@attrs.frozen
class TwoCopies(PostProcessor[tuple[object, object]]):
    """P²: two copies of P in lockstep (CM Def. 6.2, corrected for pairs on its left).

    A left pair (m₀, m₁) goes m_b to copy b; an answer from the right goes to both. To
    the right it sends the pair of the copies' messages, to the left their common one.
    State: the states of the copies.
    Raises: CompositionError if the copies behave differently, so that P lacks the destination or
    the response property; behind V[f], in f-valid runs.
    """

    post_processor: PostProcessor

    @property
    def deterministic(self) -> bool:  # type: ignore[override]
        return self.post_processor.deterministic

    @property
    def initial_state(self) -> tuple[object, object]:
        return (self.post_processor.initial_state,) * 2

    def signature(self, right: Signature) -> Signature:
        single = right.queries.space if isinstance(right.queries, Pairs) else Anything()
        own = self.post_processor.signature(Signature(single, right.answers))
        return Signature(Pairs(own.queries), own.answers, Pairs(own.queries))

    def is_over(self, state: tuple[object, object]) -> bool | None:
        over, other = map(self.post_processor.is_over, state)
        if over is not other:
            raise CompositionError("P lacks the response property: one of its copies is over")
        return over

    def step(
        self, state: tuple[object, object], side: Side, message: Any, coins: Coins
    ) -> tuple[tuple[object, object], Side, object]:
        step = self.post_processor.step
        zero, one = (message.zero, message.one) if side is LEFT else (message, message)
        state0, to, out0 = step(state[0], side, zero, coins)
        state1, to1, out1 = step(state[1], side, one, coins)
        if to is not to1:
            raise CompositionError("P lacks the destination property: its copies send to two sides")
        if to is RIGHT:
            return (state0, state1), RIGHT, Pair(out0, out1)
        if not identical(out0, out1):
            raise CompositionError("P lacks the response property: its copies answer differently")
        return (state0, state1), LEFT, out0


@attrs.frozen
class Delegating(Through[State, Query, Answer]):
    """A wrapper that behaves exactly as ``mechanism``; subclasses add claims, and no behaviour."""

    mechanism: ContinualMechanism[State, Query, Answer]

    @property
    def within(self) -> ContinualMechanism[State, Query, Answer]:
        return self.mechanism


def unwrapped(mechanism: ContinualMechanism) -> ContinualMechanism:
    """The mechanism inside all wrappers of this library (``Delegating``) around it."""
    while isinstance(mechanism, Delegating) and is_library_code(type(mechanism)):
        mechanism = mechanism.mechanism
    return mechanism
