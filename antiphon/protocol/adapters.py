"""Continual mechanisms from noninteractive and interactive ones (CM §3.3), and from functions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias, Union

import attrs

from antiphon.numbers.errors import InvalidArgument, check_arity, listed, of_kind, written_as
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.mechanism import Answer, ContinualMechanism, Mechanism, Query, State
from antiphon.protocol.messages import HALT, TOP, Halt
from antiphon.protocol.registry import Named, column_safe, register
from antiphon.protocol.spaces import Either, Finite, Signature, Space


class NoninteractiveMechanism(ContinualMechanism[bool, Query, Union[Answer, Halt]]):
    """A noninteractive mechanism as a continual one (CM §3.3): the first message is the dataset;
    after its answer the mechanism halts.

    A subclass gives ``respond``. State: whether the answer has been given.
    """

    __slots__ = ()

    @property
    def initial_state(self) -> bool:
        return False

    @abstractmethod
    def respond(self, dataset: Query, coins: Coins) -> Answer:
        """The answer to a dataset, randomised by ``coins``."""

    def step(self, state: bool, message: Query, coins: Coins) -> tuple[bool, Answer | Halt]:
        if state:
            return state, HALT
        return True, self.respond(message, coins)


def _is_mechanism(_: object, __: object, value: object) -> None:
    if not isinstance(value, Mechanism):
        raise InvalidArgument(f"InteractiveAsContinual takes a mechanism, not {of_kind(value)}")


@register("antiphon.InteractiveAsContinual/1")
@column_safe(of="mechanism")
@attrs.frozen
class InteractiveAsContinual(ContinualMechanism[tuple[object, ...]]):
    """An interactive mechanism as a continual one (CM §3.3): its first message is the initial
    state, and the answer to this message is ⊤.

    State: () before the first message, then (the interactive mechanism's state,).

    Raises: InvalidArgument for a first message outside the initial states S^init, or a later
    message outside the queries Q.
    """

    mechanism: Mechanism = attrs.field(validator=_is_mechanism)

    @property
    def initial_state(self) -> tuple[object, ...]:
        return ()

    @property
    def signature(self) -> Signature:
        inner, initial = self.mechanism.signature, self.mechanism.initial_states
        return Signature(
            Either((initial, inner.queries)),
            Either((Finite((TOP,)), inner.answers)),
            Either((initial, inner.updates)),
        )

    def step(
        self, state: tuple[object, ...], message: object, coins: Coins
    ) -> tuple[tuple[object, ...], object]:
        if not state:
            if not self.mechanism.initial_states.contains(message):
                raise InvalidArgument("the first message must be an initial state of the mechanism")
            return (self.mechanism.enter(message),), TOP
        if not self.mechanism.signature.queries.contains(message):
            raise InvalidArgument("after the initial state, messages must be queries")
        inner, answer = self.mechanism.step(state[0], message, coins)
        return (inner,), answer

    def carries_data(self, state: tuple[object, ...], message: object) -> bool:
        return not state or self.mechanism.carries_data(state[0], message)

    def is_over(self, state: tuple[object, ...]) -> bool:
        return not state or self.mechanism.is_over(state[0])

    def why_halted(self, state: tuple[object, ...]) -> str | None:
        return self.mechanism.why_halted(state[0]) if state else None

    def inside(self, state: tuple[object, ...]) -> tuple[Mechanism, object] | None:
        return (self.mechanism, state[0]) if state else None


Stepping: TypeAlias = "Callable[[State, Query, Coins], tuple[State, Answer]]"


@column_safe(of="function")
@attrs.frozen(eq=False, repr=False)
class FunctionMechanism(Named, ContinualMechanism[State, Query, Answer]):
    """A continual mechanism made of one plain function; see ``mechanism``."""

    function: Stepping[State, Query, Answer]
    signature: Signature  # pyright: ignore[reportIncompatibleMethodOverride]
    initial_state: Any = None
    claims: tuple[Claim, ...] = ()  # pyright: ignore[reportIncompatibleMethodOverride]

    def step(self, state: State, message: Query, coins: Coins) -> tuple[State, Answer]:
        return self.function(state, message, coins)


@written_as("@ap.mechanism(queries=spaces.BITS, answers=spaces.BITS, initial_state=0)")
def mechanism(
    *,
    queries: Space,
    answers: Space,
    initial_state: object = None,
    updates: Space | None = None,
    claims: tuple[Claim, ...] = (),
) -> Callable[[Stepping[State, Query, Answer]], FunctionMechanism[State, Query, Answer]]:
    """Decorator: a continual mechanism from a function (state, message, coins) -> (state, answer).

    Raises: InvalidArgument for queries or answers that are no space, or a function of other
    arguments.

    >>> from antiphon.protocol.spaces import BITS, Integers
    >>> @mechanism(queries=BITS, answers=Integers(0), initial_state=0)
    ... def count(state, bit, coins):
    ...     return state + bit, state + bit
    >>> session = count.start()
    >>> session.send(1), session.send(1)
    (1, 2)
    """
    for each in listed(claims, "claims", "claims=(ap.Claim(measure, f, status, source),)"):
        if not isinstance(each, Claim):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidArgument(
                f"claims lists claims, not {of_kind(each)}; write "
                "ap.Claim(measure, f, status=Status.ASSUMED, source='where it is shown')"
            )
    signature = Signature(queries, answers, queries if updates is None else updates)

    arguments = "state", "message", "coins"
    return lambda function: FunctionMechanism(
        check_arity(function, "@ap.mechanism", *arguments), signature, initial_state, claims
    )
