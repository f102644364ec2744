"""Verification functions as automata (CM Def. 3.3).

f maps a finite sequence of pairs to ⊤ or ⊥. Here f is an automaton that reads
one pair at a time in O(1) and *dies* at the first refusal, so every f is
prefix-closed by construction: the plain f of a paper is replaced by its
conjunction over non-empty prefixes, which is also what a verifier enforces
message by message. (Without prefix closure Theorem 5.2 is false.)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, final

import attrs
from typing_extensions import TypeVar

from antiphon.protocol.messages import BOTTOM, TOP, Pair, Symbol
from antiphon.protocol.spaces import Space

State = TypeVar("State", default=Any)


@final
@attrs.frozen
class Refused:
    """The dead state: f is ⊥ from here on. ``reason`` names no message content."""

    reason: str


class Verification(ABC, Generic[State]):
    """f: the sequences of pairs under which a mechanism promises something.

    Membership in Q × Q (CM Remark 3.6) is the verifier's part: ``step`` is given
    the two sides of a pair whose sides are known to lie in Q.
    """

    __slots__ = ()
    checked_space: Space | None = None
    """The Q for which ``step`` itself refuses what lies outside Q × Q, so a verifier need not."""

    @property
    def column_safe(self) -> bool:
        """Whether ``step`` works on columns as on numbers; if not, replicas are taken apart."""
        return False

    @property
    @abstractmethod
    def initial_state(self) -> State:
        """The state before any message; the empty sequence is valid."""

    @abstractmethod
    def step(self, state: State, zero: Any, one: Any, /) -> State | Refused:
        """The state after the pair (zero, one), or ``Refused`` if f becomes ⊥."""

    @property
    def first_pair_consistent(self) -> bool:
        """f = ⊥ once the first pair is identical and a later one is not (CM Def. 5.3)."""
        return False

    def __call__(self, messages: Iterable[Any]) -> Symbol:
        """f(m₁, …, m_t): TOP or BOTTOM.

        A message that is no pair makes it BOTTOM, and an identical pair is a
        ``same(m)`` as much as a ``Pair(m, m)``.
        """
        state: Any = self.initial_state
        for message in messages:
            if type(message) is not Pair:
                return BOTTOM
            state = self.step(state, message.zero, message.one)
            if type(state) is Refused:
                return BOTTOM
        return TOP
