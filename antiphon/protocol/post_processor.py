"""Interactive post-processing mechanisms (CM Def. 2.13)."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, overload

import attrs

from antiphon.numbers.arity import check_arity
from antiphon.protocol.claims import Status
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.display import DrawnAs
from antiphon.protocol.mechanism import ONLY, ContinualMechanism, Mechanism, State
from antiphon.protocol.messages import SAME, MessageT, freeze
from antiphon.protocol.provenance import doubt, foreign
from antiphon.protocol.registry import Named, register
from antiphon.protocol.spaces import Signature, Space

if TYPE_CHECKING:
    from antiphon.protocol.chain import AnyChain, Chain, Links
    from antiphon.protocol.coins import Coins


class Side(enum.Enum):
    """Where a message comes from, or goes to."""

    LEFT = "L"
    RIGHT = "R"


Stepping: TypeAlias = "Callable[[State, Side, Any, Coins], tuple[State, Side, object]]"
"""(state, from, message, coins) -> (state, to, message)."""

LEFT: Final = Side.LEFT
RIGHT: Final = Side.RIGHT


def _messages(asks: Iterable[object]) -> tuple[object, ...]:
    return tuple(map(freeze, asks))


@register("antiphon.Forwarding/1")
@attrs.frozen
class Forwarding:
    """P sends every left message on to the right, once and as it is, and forgets it, it says.

    An attribute ``forwards_queries`` of a post-processor. So what P does next follows from the
    answers, from its coins, and from how many messages have come. ``asks``: besides these it sends
    to the right only such messages of its own; (): nothing. Its left messages are messages of
    the right, too.
    """

    status: Status = Status.ASSUMED
    source: str = "its class says so"
    asks: tuple[object, ...] = attrs.field(default=(), converter=_messages, eq=SAME)


class PostProcessor(ABC, Generic[State]):
    """IPM: stands between a left and a right party (CM Def. 2.13).

    ``step`` takes a message from one side and sends the next to either. Two
    declarations, checked by the conformance suite, let claims pass through:
    ``deterministic`` (draws no coins) and ``forwards_queries`` (sends every left
    message on unchanged and touches answers only, keeping no memory of queries). The latter is
    True, or a ``Forwarding`` that says where it is proved.
    """

    __slots__ = ()

    __immutable__ = True
    deterministic: bool = False
    forwards_queries: bool | Forwarding = False

    @property
    @abstractmethod
    def initial_state(self) -> State:
        """The initial state; raises CompositionError if there are several."""

    @property
    def initial_states(self) -> Space:
        """What may be chosen at ``start``: one element, unless there are several."""
        return ONLY

    def enter(self, initial: Any) -> State:
        """The state for an element of ``initial_states``."""
        return self.initial_state

    @abstractmethod
    def step(
        self, state: State, side: Side, message: Any, coins: Coins
    ) -> tuple[State, Side, object]:
        """(state, from, message) -> (state', to, message')."""

    def wired(self, right: Signature) -> PostProcessor:
        """This IPM, told what stands on its right.

        Raises: CompositionError if it cannot stand there.
        """
        return self

    def signature(self, right: Signature) -> Signature:
        """The signature on its left, given the one on its right."""
        return right

    def is_over(self, state: State) -> bool | None:
        """Whether a HALT sent left with this state ends the interaction.

        True, the default, so that an IPM's own HALT is final. One that only passes answers
        on returns None: whoever sent the HALT decides.
        """
        return True

    def refused(self, state: State, reason: str) -> State | None:
        """The state after the right refused a message; None: nobody stands guard here.

        Only a verifier stands guard: it answers HALT, so that no exception leaves the game.
        """
        return None

    def why_halted(self, state: State) -> str | None:
        """Why this state sends HALT, if it does."""
        return None

    @overload
    def __matmul__(self, other: PostProcessor) -> Links: ...
    @overload
    def __matmul__(self, other: ContinualMechanism) -> Chain: ...
    @overload
    def __matmul__(self, other: Mechanism) -> AnyChain: ...
    def __matmul__(self, other: object) -> Links | AnyChain:
        from antiphon.protocol.chain import join

        return join(self, other) if isinstance(other, PostProcessor | Mechanism) else NotImplemented  # pyright: ignore[reportUnknownArgumentType]


_SAID: Final = Forwarding()


def forwarding(link: object) -> Forwarding | None:
    """What a post-processor, or a class of such, says of how it forwards queries; None: it doesn't.

    True says it without a proof.
    """
    said: object = getattr(link, "forwards_queries", False)
    if said is True:
        return _SAID
    return said if type(said) is Forwarding else None


def only_forwards(link: object) -> bool:
    """Whether it says that left messages are all that it sends to the right."""
    said = forwarding(link)
    return said is not None and not said.asks


def doubtful(link: PostProcessor) -> str | None:
    """Why it is no proof that a link forwards queries, as it says; None: it is one.

    Of this library's own links the conformance suite checks it.
    """
    said = forwarding(link)
    if said is None or said.status is not Status.PROVED:
        return foreign(link)
    return doubt(link, "forwards_queries")


@register("antiphon.IdentityPostProcessor/1")
@column_safe
@attrs.frozen
class IdentityPostProcessor(PostProcessor[None]):
    """The unit of ∘*: forwards everything."""

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


@column_safe(of="function")
@attrs.frozen(eq=False, repr=False)
class FunctionPostProcessor(Named, PostProcessor[State]):
    """An IPM made of one plain function; see ``post_processor``."""

    function: Stepping[State]
    initial_state: Any = None
    deterministic: bool = False
    left: Callable[[Signature], Signature] | None = None
    lifting: object = None
    """A ``composition.Lifting``, as a class may declare one; None if nothing is declared."""
    forwards_queries: bool | Forwarding = False

    def step(
        self, state: State, side: Side, message: object, coins: Coins
    ) -> tuple[State, Side, object]:
        return self.function(state, side, message, coins)

    def signature(self, right: Signature) -> Signature:
        return right if self.left is None else self.left(right)


def post_processor(
    *,
    initial_state: object = None,
    deterministic: bool = False,
    signature: Callable[[Signature], Signature] | None = None,
    lifting: object = None,
    forwards_queries: bool | Forwarding = False,
) -> Callable[[Stepping[State]], FunctionPostProcessor[State]]:
    """Decorator: an IPM from a function (state, from, message, coins) -> (state, to, message).

    Args: ``signature``, (Q, A) on its left given that on its right, by default the same;
    ``lifting``, the ``ap.composition.Lifting`` that it declares, for ``ap.guarantee``;
    ``forwards_queries``, as a class declares it: True, or an ``ap.protocol.Forwarding``.
    Raises: InvalidArgument for a function of other arguments.
    """

    def decorate(
        function: Stepping[State],
    ) -> FunctionPostProcessor[State]:
        check_arity(function, "@ap.post_processor", "state", "side", "message", "coins")
        return FunctionPostProcessor(
            function, initial_state, deterministic, signature, lifting, forwards_queries
        )

    return decorate
