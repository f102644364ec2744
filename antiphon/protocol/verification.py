"""Verification functions: automata that decide which pairs may be sent (CM Def. 3.3).

f maps a finite sequence of pairs to ⊤ or ⊥. Here f is an automaton that reads one pair at a time in
O(1) and *dies* at the first refusal, so every f is prefix-closed by construction: the plain f of a
paper is replaced by its conjunction over non-empty prefixes, which is also what a verifier enforces
message by message. (Without prefix closure Theorem 5.2 is false.)
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Final, Generic, final

import attrs
import numpy as np
from typing_extensions import TypeVar

from antiphon.numbers.errors import PartError, listed, of_kind
from antiphon.protocol.messages import BOTTOM, STAND_IN, TOP, Pair, Signal
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Space

State = TypeVar("State", default=Any)
Message = TypeVar("Message", contravariant=True, default=Any)


@register("antiphon.Refused/1", state=True)
@final
@attrs.frozen
class Refused:
    """The final state of a verification function, ⊥ for ever; ``reason`` reveals no message."""

    reason: str

    def __init_subclass__(cls) -> None:
        raise TypeError("Refused is final: an instance of a subclass would count as a state")


def swap_symmetric(thing: object) -> bool:
    """Whether exchanging the sides of all pairs changes no verdict of a function f or a relation.

    Only a declaration in the object's own class counts, since a subclass may override the step that
    its parent's declaration is about. False without a declaration.
    """
    declared = "swap_symmetric" in vars(type(thing))
    return declared and getattr(thing, "swap_symmetric", False) is True


def symmetric_as(field: str) -> Any:
    """A property ``swap_symmetric`` for a class that wraps a verification function or relation: the
    declaration of the wrapped object, which is in the attribute ``field``."""
    return property(
        lambda self: swap_symmetric(getattr(self, field)), doc=f"Whether its {field} is."
    )


class Verification(ABC, Generic[State, Message]):
    """A verification function f: it decides for which sequences of pairs privacy is promised.

    A verifier checks that both sides of a pair lie in the query space Q (CM Remark 3.6) before it
    calls ``step``.
    """

    __slots__ = ()
    checked_space: Space | None = None
    """The query space Q, if ``step`` itself refuses every pair outside Q × Q, so that a verifier
    need not test for it; None if ``step`` does not."""
    swap_symmetric: bool = False
    """Whether f(m₁, …, m_t) = f(m̄₁, …, m̄_t) always, where m̄ is m with its sides exchanged.

    A subclass does not inherit the declaration: without its own it counts as not symmetric."""
    first_pair_consistent: bool = False
    """Whether f refuses every sequence that has an identical first pair and a later pair that is
    not identical (CM Def. 5.3)."""
    narrower_than: "Verification | None" = None
    """A verification function f' of which f's author declares that it allows every sequence that f
    allows; None if none is declared. ``ap.guarantee`` then uses a promise w.r.t. f' as assumed.

    A subclass does not inherit the declaration."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "swap_symmetric" not in vars(cls):
            cls.swap_symmetric = False
        if "narrower_than" not in vars(cls):
            cls.narrower_than = None

    @property
    @abstractmethod
    def initial_state(self) -> State:
        """The state before any message; the empty sequence of pairs is valid."""

    @abstractmethod
    def step(self, state: State, zero: Message, one: Message, /) -> State | Refused:
        """The state after the pair (zero, one), or ``Refused`` if the sequence becomes invalid.

        A state is any value but False, None, a symbol such as ⊥, a class or an exception: these
        raise PartError, since a function that forgot to return ``Refused`` returns them.
        """

    def __call__(self, messages: Iterable[object]) -> Signal:
        """f(m₁, …, m_t): TOP if the sequence of pairs is valid, else BOTTOM.

        A message that is no pair makes the result BOTTOM. ``same(m)`` and ``Pair(m, m)`` are equal.
        """
        state = self.initial_state
        for message in listed(messages, "a sequence of pairs", "f([ap.Pair(0, 1)])"):
            if type(message) is not Pair:
                return BOTTOM
            after = read(self, state, message.zero, message.one)
            if type(after) is Refused:
                return BOTTOM
            state = after
        return TOP


_NONE: Final = (type(None), type(NotImplemented), type(...))
_SUSPECT: Final = frozenset((bool, np.bool_, *_NONE, Signal))
"""Types, such as bool, of which not every value is a state of an automaton: if a step of a
verification function returns such a value, it is tested more closely."""
_NEVER: Final = (type, BaseException)
"""Base types of values that no automaton has as a state: classes and exceptions."""


def read(
    f: Verification[State, Message], state: State, zero: Message, one: Message
) -> State | Refused:
    """One step of f (``f.step``) with its contract checked. Raises: PartError if f returns
    something that is no state.

    Without the check a wrong value would let the pair pass, as every value but ``Refused`` does.
    """
    after = f.step(state, zero, one)
    kind: type[object] = type(after)
    # This test is written inline for speed, as every message passes through it.
    stands = kind is STAND_IN.of or kind is STAND_IN.array
    odd = kind in _SUSPECT or stands or isinstance(after, _NEVER)
    if odd and not _is_state(after):
        raise PartError(
            f"{type(f).__name__}.step returned {_said(after)}, which is no state: "
            "return Refused('why') to refuse the pair, else the new state, such as 0 or ()"
        )
    return after


def _is_state(value: object) -> bool:
    kind = STAND_IN.number(value)
    if kind is bool or kind is np.bool_:
        return bool(value)
    return STAND_IN.stands(type(value))


def _said(value: object) -> str:
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, BaseException):
        return f"{of_kind(value)}"
    return repr(value) if isinstance(value, (*_NONE, Signal)) else str(bool(value))
