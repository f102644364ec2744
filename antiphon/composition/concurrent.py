"""ConComp and ExtConComp (CM §4, Def. 4.1): many mechanisms behind one door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeAlias, Union

import attrs
from immutables import Map

from antiphon.composition.creation import CompositionMessages, Create
from antiphon.protocol.errors import AntiphonError, InvalidArgument
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import HALT, TOP, Ask
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Anything, Signature


class Child(NamedTuple):
    """A created mechanism and its state."""

    created: Create
    state: Any


@attrs.frozen(eq=False)
class Dead:
    """The state of a child that has halted or failed; it answers HALT for ever."""

    failure: BaseException | None = attrs.field(default=None, repr=False)


HALTED: Final = Dead()

Children: TypeAlias = "Map[int, Child]"
"""A persistent map: a step among a million children copies a few nodes, not all."""

ConcurrentState: TypeAlias = Union[Children, Dead]


def ask(children: Children, message: Ask[Any], coins: Any) -> tuple[ConcurrentState, Any]:
    """Step the i-th child on q and return its answer (CM Def. 4.1).

    An index that does not exist halts the whole composition; a child that halts
    or fails is dead, alone, and answers HALT from then on (law 1).
    """
    child = children.get(message.index)
    if child is None:
        return Dead(InvalidArgument(f"no mechanism {message.index}: {len(children)} exist")), HALT
    created, state = child
    if type(state) is Dead:
        return children, HALT
    if not created.accepts(message.query):
        raise InvalidArgument(
            f"a {type(message.query).__name__} outside the query space of mechanism "
            f"{message.index}, a {type(created.mechanism).__name__}; "
            f"it takes {created.mechanism.signature.queries}"
        )
    drawn = coins.draws
    try:
        after, answer = created.step(state, message.query, coins)
    except Exception as error:
        if isinstance(error, AntiphonError) and coins.draws == drawn:
            raise
        after, answer = Dead(error), HALT
    if answer is HALT and type(after) is not Dead:
        after = HALTED
    if after is state:
        return children, answer
    return children.set(message.index, Child(created, after)), answer


@register("antiphon.ExtConComp/1")
@attrs.frozen
class ExtConComp(ContinualMechanism[ConcurrentState, Any, Any]):
    """ExtConComp: the extended concurrent composition of CMs (CM Def. 4.1).

    ``Create(M)`` creates M and answers ⊤; ``Ask(q, i)`` gives q to the i-th created
    mechanism. State: a persistent map from index to child. O(log n) per message
    with n children. Claims nothing: its privacy is w.r.t. an f of ``composition``.
    """

    @property
    def initial_state(self) -> ConcurrentState:
        return Map()

    @property
    def signature(self) -> Signature:
        return _EXTENDED

    def step(self, state: ConcurrentState, message: Any, coins: Any) -> tuple[ConcurrentState, Any]:
        if type(state) is Dead:
            return state, HALT
        if type(message) is Ask:  # most messages
            return ask(state, message, coins)
        child = Child(message, message.mechanism.initial_state)
        return state.set(len(state), child), TOP

    def children(self, state: ConcurrentState) -> Mapping[int, Child]:
        """The created mechanisms and their states, by index."""
        return Map() if isinstance(state, Dead) else state

    def carries_data(self, state: ConcurrentState, message: Any) -> bool:
        return _carries_data(state, message)

    def why_halted(self, state: ConcurrentState) -> str | None:
        return str(state.failure) if isinstance(state, Dead) else None


@register("antiphon.ConComp/1")
@attrs.frozen
class ConComp(ContinualMechanism[ConcurrentState, Any, Any]):
    """ConComp[M₁, …, M_k]: the concurrent composition of fixed CMs (CM §4).

    As ExtConComp after k creations, and none later. An IM goes in as a CM
    (``InteractiveAsContinual``). State and cost as ExtConComp.
    """

    created: tuple[Create, ...] = attrs.field(
        converter=lambda items: tuple(i if type(i) is Create else Create(i) for i in items)
    )

    @property
    def initial_state(self) -> ConcurrentState:
        return Map(
            {
                i: Child(create, create.mechanism.initial_state)
                for i, create in enumerate(self.created)
            }
        )

    @property
    def signature(self) -> Signature:
        return _FIXED

    def step(self, state: ConcurrentState, message: Any, coins: Any) -> tuple[ConcurrentState, Any]:
        if type(state) is Dead:
            return state, HALT
        return ask(state, message, coins)

    children = ExtConComp.children
    why_halted = ExtConComp.why_halted

    def carries_data(self, state: ConcurrentState, message: Any) -> bool:
        return _carries_data(state, message)


def _carries_data(state: ConcurrentState, message: Any) -> bool:
    if type(message) is not Ask or isinstance(state, Dead):
        return type(message) is Ask
    child = state.get(message.index)
    if child is None or type(child.state) is Dead:
        return True
    return child.created.mechanism.carries_data(child.state, message.query)


_EXTENDED: Final = Signature(CompositionMessages(), Anything())
_FIXED: Final = Signature(CompositionMessages(creations=False), Anything())
