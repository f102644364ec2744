"""ConComp and ExtConComp (CM §4, Def. 4.1): many mechanisms behind one door."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias, Union

import attrs

from antiphon.composition.creation import CompositionMessages, Create
from antiphon.protocol.errors import (
    AntiphonError,
    Intractable,
    InvalidArgument,
    ProtocolError,
    ReplayMismatch,
)
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import HALT, TOP, Ask
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Anything, Signature
from antiphon.protocol.vector import Vector


class Child(NamedTuple):
    """A created mechanism and its state."""

    created: Create
    state: Any


@attrs.frozen
class Dead:
    """The state of a child that has halted or failed; it answers HALT for ever.

    All are equal: states are compared by what they will answer.
    """

    failure: BaseException | None = attrs.field(default=None, eq=False, repr=False)


HALTED: Final = Dead()

Children: TypeAlias = "Vector[Child]"
"""Persistent: a step among a million children copies a few nodes, not all."""

ConcurrentState: TypeAlias = Union[Children, Dead]


class Concurrent(ContinualMechanism[ConcurrentState, Any, Any]):
    """What ConComp and ExtConComp share: (q, i) steps the i-th mechanism on q.

    An index that does not exist halts the whole composition. A child that halts or
    fails is dead, alone, and answers HALT from then on; ``failures`` has its
    exception (law 1). O(log n) per message with n children.
    """

    __slots__ = ()

    def step_many(self, state: ConcurrentState, message: Any, coins: Any) -> tuple[Any, Any]:
        return self.step(state, message, coins, True)

    def step(
        self, state: ConcurrentState, message: Any, coins: Any, many: bool = False
    ) -> tuple[ConcurrentState, Any]:
        if isinstance(state, Dead):
            return state, HALT
        if type(message) is not Ask:
            child = Child(message, message.mechanism.initial_state)
            return state.append(child), TOP
        index, query = message.index, message.query
        found = state.get(index)
        if found is None:
            return Dead(ProtocolError(f"no mechanism {index}: {len(state)} exist")), HALT
        created, before = found
        if type(before) is Dead:
            return state, HALT
        if not created.accepts(query):
            raise InvalidArgument(
                f"a {type(query).__name__} outside the query space of mechanism {index}, a "
                f"{type(created.mechanism).__name__}; it takes "
                f"{created.mechanism.signature.queries}"
            )
        drawn = coins.draws
        try:
            step = created.step_many if many else created.step
            after, answer = step(before, query, coins)
        except Exception as error:
            if isinstance(error, AntiphonError) and coins.draws == drawn:
                raise
            if isinstance(error, ReplayMismatch | Intractable):  # the coins failed, not the child
                raise
            after, answer = Dead(error), HALT
        if after is before and answer is not HALT:
            return state, answer
        if answer is HALT and type(after) is not Dead and created.mechanism.is_over(after):
            after = HALTED
        return state.set(index, Child(created, after)), answer

    def children(self, state: ConcurrentState) -> Vector[Child]:
        """The created mechanisms and their states, in order of creation."""
        return Vector() if isinstance(state, Dead) else state

    def carries_data(self, state: ConcurrentState, message: Any) -> bool:
        if type(message) is not Ask:
            return False
        child = self.children(state).get(message.index)
        if child is None or type(child.state) is Dead:
            return True  # nothing is known of it
        return child.created.mechanism.carries_data(child.state, message.query)

    def is_over(self, state: ConcurrentState) -> bool:
        return isinstance(state, Dead)

    def why_halted(self, state: ConcurrentState) -> str | None:
        return str(state.failure) if isinstance(state, Dead) else None

    def failures(self, state: ConcurrentState) -> tuple[BaseException, ...]:
        dead = (child.state for child in self.children(state))
        return tuple(each.failure for each in dead if type(each) is Dead and each.failure)


@register("antiphon.ExtConComp/1")
@attrs.frozen
class ExtConComp(Concurrent):
    """ExtConComp: the extended concurrent composition of CMs (CM Def. 4.1).

    ``Create(M)`` creates M and answers ⊤; ``Ask(q, i)`` gives q to the i-th created
    mechanism. State: a persistent vector of children, empty at first. Claims
    nothing: its privacy is w.r.t. a verification function of ``composition``.
    """

    @property
    def initial_state(self) -> ConcurrentState:
        return Vector()

    @property
    def signature(self) -> Signature:
        return _EXTENDED


def _creations(mechanisms: Any) -> tuple[Create, ...]:
    return tuple(each if type(each) is Create else Create(each) for each in mechanisms)


@register("antiphon.ConComp/1")
@attrs.frozen
class ConComp(Concurrent):
    """ConComp[M₁, …, M_k]: the concurrent composition of fixed CMs (CM §4).

    As ExtConComp after k creations, and none later. An IM goes in as a CM
    (``InteractiveAsContinual``).
    """

    created: tuple[Create, ...] = attrs.field(converter=_creations)

    @property
    def initial_state(self) -> ConcurrentState:
        made = (Child(create, create.mechanism.initial_state) for create in self.created)
        return Vector(made)

    @property
    def signature(self) -> Signature:
        return _FIXED


_EXTENDED: Final = Signature(CompositionMessages(), Anything())
_FIXED: Final = Signature(CompositionMessages(creations=False), Anything())
