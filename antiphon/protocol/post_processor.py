"""Post-processors without a state, and post-processors made of one plain function."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias

import attrs

from antiphon.numbers.errors import check_arity, written_as
from antiphon.protocol.chain import PostProcessor
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.cursor import LEFT, RIGHT, Side
from antiphon.protocol.display import DrawnAs
from antiphon.protocol.forwarding import Forwarding
from antiphon.protocol.mechanism import State
from antiphon.protocol.messages import MessageT
from antiphon.protocol.registry import Named, column_safe, register
from antiphon.protocol.spaces import Signature

Stepping: TypeAlias = "Callable[[State, Side, Any, Coins], tuple[State, Side, object]]"
"""The type of a step function (state, from, message, coins) -> (state, to, message)."""


@register("antiphon.IdentityPostProcessor/1")
@column_safe
@attrs.frozen
class IdentityPostProcessor(PostProcessor[None]):
    """The identity of ∘*: a post-processor that forwards every message unchanged."""

    deterministic = True
    forwards_queries = True
    drawn_as = DrawnAs(forwards=True)

    @property
    def initial_state(self) -> None:
        return None

    def is_over(self, state: None) -> None:
        return None

    def step(
        self, state: None, side: Side, message: MessageT, coins: Coins
    ) -> tuple[None, Side, MessageT]:
        return None, RIGHT if side is LEFT else LEFT, message


class AnswerPostProcessor(PostProcessor[None]):
    """A post-processor without a state, which forwards every message to the mechanism on its right,
    and replaces each answer of that mechanism. Abstract."""

    __slots__ = ()
    forwards_queries: Any = True

    @property
    def initial_state(self) -> None:
        return None

    def is_over(self, state: None) -> None:
        return None

    def step(
        self, state: None, side: Side, message: object, coins: Coins
    ) -> tuple[None, Side, object]:
        if side is LEFT:
            return None, RIGHT, message
        return None, LEFT, self.replaced(message, coins)

    @abstractmethod
    def replaced(self, answer: Any, coins: Coins) -> object:
        """The answer sent to the left in place of ``answer`` from the right, which may be HALT."""


@column_safe(of="function")
@attrs.frozen(eq=False, repr=False)
class FunctionPostProcessor(Named, PostProcessor[State]):
    """A post-processor made of one plain function; see ``post_processor``."""

    function: Stepping[State]
    initial_state: Any = None
    deterministic: bool = False
    left: Callable[[Signature], Signature] | None = None
    lifting: object = None
    """The ``composition.Lifting`` with which ``ap.guarantee`` applies CM Thm 6.1, or None."""
    forwards_queries: bool | Forwarding = False

    def step(
        self, state: State, side: Side, message: object, coins: Coins
    ) -> tuple[State, Side, object]:
        return self.function(state, side, message, coins)

    def signature(self, right: Signature) -> Signature:
        return right if self.left is None else self.left(right)


@written_as("@ap.post_processor()")
def post_processor(
    *,
    initial_state: object = None,
    deterministic: bool = False,
    signature: Callable[[Signature], Signature] | None = None,
    lifting: object = None,
    forwards_queries: bool | Forwarding = False,
) -> Callable[[Stepping[State]], FunctionPostProcessor[State]]:
    """Decorator: a post-processor, from (state, from, message, coins) -> (state, to, message).

    Args: ``signature``, the message spaces (Q, A) on its left given those on its right, by default
    equal; ``lifting``, the ``ap.composition.Lifting`` that it declares, for ``ap.guarantee``;
    ``forwards_queries``, as a class declares it: True, or an ``ap.protocol.Forwarding``. Raises:
    InvalidArgument for a function of other arguments.
    """

    arguments = "state", "side", "message", "coins"
    return lambda function: FunctionPostProcessor(
        check_arity(function, "@ap.post_processor", *arguments),
        initial_state, deterministic, signature, lifting, forwards_queries,
    )  # fmt: skip
