"""Suitable sequences (CM Def. 4.4): the common part of all verification functions of composition.

Every message is a pair of identical creation queries that assert a claim, or a pair
((q₀, ℓ), (q₁, ℓ)) with the mechanism ℓ created before and q₀, q₁ in its query space.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple, TypeAlias

from antiphon.composition.creation import CompositionMessages, Create
from antiphon.numbers.persistent_vector import Vector
from antiphon.protocol import Ask, Measure, Status, column_safe, identical, register
from antiphon.protocol.verification import Refused, Verification

Purse: TypeAlias = "Vector[int]"
"""The *purse*: for each distinct fixed parameter, the number of copies that are not used up."""


@register("antiphon.Checked/1", state=True)
class Checked(NamedTuple):
    """The state of f for one created mechanism: the state of its f', and whether a pair
    differed."""

    created: Create
    state: Any
    differed: bool = False
    asked: bool = False
    """Whether the mechanism was asked anything; kept only by f_{∞,FPC}, which compares first
    pairs."""


@register("antiphon.SuitableState/1", state=True)
class SuitableState(NamedTuple):
    """The state of a suitable f (CM Def. 4.4): created mechanisms, and unused parameters."""

    children: Vector[Checked]
    purse: Purse


# Column-safe, although an f' may not be: a suitable f steps each mechanism's f' by itself.
@column_safe
class Suitable(Verification[SuitableState]):
    """A verification function of suitable sequences (CM Def. 4.4) under further conditions.
    Abstract."""

    __slots__ = ()
    checked_space = CompositionMessages()
    checks_all: ClassVar[bool]
    """Whether all pairs sent to a created mechanism must be f'-valid, or only those of a mechanism
    that sees a difference."""
    prescribed: int = 0
    """The number of creations that must come before the first question."""
    require_first_pair_consistent: bool = False
    """Whether a mechanism whose first pair was identical may get no differing pair."""

    @property
    @abstractmethod
    def purse(self) -> Purse:
        """The purse (multiset of unused fixed parameters) at the start."""

    @property
    def initial_state(self) -> SuitableState:
        return SuitableState(Vector(), self.purse)

    def step(self, state: SuitableState, zero: object, one: Any, /) -> SuitableState | Refused:
        if type(zero) is not Ask:
            return self._create(state, zero, one)
        child = asked_child(state.children, self.prescribed, zero, one)
        if type(child) is Refused:
            return child
        after = self.judge(child, zero.query, one.query)
        if after is child:
            return state
        if type(after) is Refused:
            return after
        purse = state.purse
        if after.differed and not child.differed:
            left = self.differ(purse, child.created)
            if type(left) is Refused:
                return left
            purse = left
        return SuitableState(state.children.set(zero.index, after), purse)

    def judge(self, child: Checked, query0: object, query1: object) -> Checked | Refused:
        """The state of one created mechanism after a pair of queries, or f's refusal of the pair.

        f' is stepped also while no pair differs: should one differ later, the whole
        sequence must have been f'-valid. An f' that has refused a pair stays refused.
        """
        created, before, differed, asked = child
        alike = query0 is query1 or identical(query0, query1)
        if not created.accepts(query0) or not (alike or created.accepts(query1)):
            return Refused("a query is outside the space of the mechanism asked")
        after = before
        if type(before) is not Refused:
            after = created.verify(before, query0, query1)
        differs = differed or not alike
        if type(after) is Refused and (differs or self.checks_all):
            return Refused(f"the pairs of a mechanism are not valid for it: {after.reason}")
        if self.require_first_pair_consistent:
            if asked and differs and not differed:
                return Refused("the first pair of a mechanism is identical, and a later one is not")
            asked = True
        if after is before and differs is differed and asked is child.asked:
            return child
        return Checked(created, after, differs, asked)

    def _create(self, state: SuitableState, zero: object, one: object) -> SuitableState | Refused:
        if type(zero) is not Create or not (one is zero or identical(zero, one)):
            return Refused("the two sides are not the same creation, nor questions to one index")
        if zero.claim is None or not self.takes(zero):
            return Refused("a creation asserts no claim that f can read, or a refuted one")
        purse = self.admit(state.purse, len(state.children), zero)
        if type(purse) is Refused:
            return purse
        child = Checked(zero, zero.claim.verification.initial_state)
        return SuitableState(state.children.append(child), purse)

    def takes(self, create: Create) -> bool:
        """Whether a creation asserts a claim that f can read, and that is not known to be false."""
        claim = create.claim
        return bool(claim and claim.status is not Status.REFUTED and self.reads(claim.measure))

    @abstractmethod
    def reads(self, measure: Measure) -> bool:
        """Whether f can read an amount from a claim of this measure."""

    @abstractmethod
    def admit(self, purse: Purse, count: int, created: Create) -> Purse | Refused:
        """The purse (unused parameters) after the creation number ``count``, or f's refusal."""

    @abstractmethod
    def differ(self, purse: Purse, created: Create) -> Purse | Refused:
        """The purse (unused parameters) after a mechanism's first differing pair, or a refusal."""


class Unpaid(Suitable):
    """A suitable f (CM Def. 4.4) without fixed parameters: the pairs sent to every created
    mechanism must be f'-valid. Abstract."""

    __slots__ = ()
    checks_all = True

    @property
    def purse(self) -> Purse:
        return Vector()

    def differ(self, purse: Purse, created: Create) -> Purse:
        return purse


def asked_child(
    children: Vector[Checked], prescribed: int, zero: Ask[Any], one: Any
) -> Checked | Refused:
    """The created mechanism that both sides of a pair ask, or a refusal.

    A function and not a method, so that no subclass can change it: the exact engine relies on
    ``step``.
    """
    if len(children) < prescribed:
        return Refused(f"the first {prescribed} messages are the fixed creations")
    index = zero.index
    if one is not zero and not (type(one) is Ask and identical(one.index, index)):
        return Refused("the two sides ask different mechanisms")
    child = children.get(index) if type(index) is int else None
    return child or Refused(f"the index asked for is not one of the {len(children)} created")
