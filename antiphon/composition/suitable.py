"""Suitable sequences (CM Def. 4.4): what all verification functions of composition read.

Every message is a pair of identical creation queries that assert a claim, or a pair
((q₀, ℓ), (q₁, ℓ)) with the mechanism ℓ created before and q₀, q₁ in its query space.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeAlias, TypeGuard, TypeVar, Union

from antiphon.composition.accounting.parameters import GivenPair
from antiphon.composition.creation import CompositionMessages, Create
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.vector import Vector
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.measures.kinds import (
    MEASURES,
    Approximate,
    BoundedRange,
    Dominated,
    GaussianDP,
    Measure,
    Pure,
    Renyi,
    ZeroConcentrated,
)
from antiphon.protocol.messages import Ask, identical
from antiphon.protocol.registry import register
from antiphon.protocol.verification import Refused, Verification

Purse: TypeAlias = "Vector[int]"
"""How many of each distinct fixed parameter are still unused: a sub-multiset."""


@register("antiphon.Checked/1", state=True)
class Checked(NamedTuple):
    """What f knows of a created mechanism: f' so far, and whether a pair differed."""

    created: Create
    state: Any
    differed: bool = False
    asked: bool = False
    """Whether any pair has come; kept only where the first pair matters (f_{∞,FPC})."""


@register("antiphon.SuitableState/1", state=True)
class SuitableState(NamedTuple):
    """The created mechanisms in order, and the parameters left to use."""

    children: Vector[Checked]
    purse: Purse


@column_safe  # a creation sees to its own f', which may not be
class Suitable(Verification[SuitableState]):
    """Suitable sequences (CM Def. 4.4); subclasses add their own conditions."""

    __slots__ = ()
    checked_space = CompositionMessages()

    @property
    def purse(self) -> Purse:
        """The fixed parameters, as a multiset."""
        return Vector()

    @property
    def initial_state(self) -> SuitableState:
        return SuitableState(Vector(), self.purse)

    def step(self, state: SuitableState, zero: object, one: Any, /) -> SuitableState | Refused:
        if type(zero) is not Ask:
            return self._create(state, zero, one)
        index = zero.index
        if one is not zero and not (type(one) is Ask and identical(one.index, index)):
            return Refused("the two sides ask different mechanisms")
        children, purse = state
        child = children.get(index) if type(index) is int else None
        if child is None:
            return Refused(f"the index asked for is not one of the {len(children)} created")
        after = self.judge(child, zero.query, one.query)
        if after is child:
            return state
        if type(after) is Refused:
            return after
        if after.differed and not child.differed:
            left = self.differ(purse, child.created)
            if type(left) is Refused:
                return left
            purse = left
        return SuitableState(children.set(index, after), purse)

    def judge(self, child: Checked, query0: object, query1: object) -> Checked | Refused:
        """One created mechanism after a pair of queries to it, if f allows the pair.

        f' is stepped also while no pair differs: should one differ later, the whole
        sequence must have been f'-valid. A dead f' stays dead.
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
        if after is before and differs is differed:
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
        """Whether a creation asserts a claim that f can read: an (ε, δ), unless said otherwise."""
        return create.asserts

    @property
    @abstractmethod
    def checks_all(self) -> bool:
        """Whether f' must hold for every created mechanism, or only for those in J."""

    @abstractmethod
    def admit(self, purse: Purse, count: int, created: Create) -> Purse | Refused:
        """What a creation leaves of the purse after ``count`` others, or why it is refused."""

    @property
    def prescribed(self) -> int:
        """How many creations must come before the first question."""
        return 0

    def differ(self, purse: Purse, created: Create) -> Purse | Refused:
        """What the first differing pair of a mechanism leaves of the purse."""
        return purse


Parameters: TypeAlias = "tuple[exact.ExactEpsilon, Fraction]"
GivenPairs: TypeAlias = Iterable[Union[GivenPair, Pure, Approximate]]
GivenMeasures: TypeAlias = Iterable[
    Union[BoundedRange, ZeroConcentrated, GaussianDP, Renyi, Dominated]
]

Given = TypeVar("Given")

_MEASURES: Final = tuple(each for each in MEASURES if each is not Pure and each is not Approximate)
_NAMES: Final = (
    ", ".join(each.__name__ for each in _MEASURES[:-1]) + f" or {_MEASURES[-1].__name__}"
)


def pairs(parameters: Any) -> tuple[Parameters, ...]:
    """Exact parameters, however f is made: 0.1 and ``Fraction(0.1)`` are equal in Python."""
    if any(type(parameters) is each for each in MEASURES):
        raise InvalidArgument(f"give a list of measures: [{type(parameters).__name__}(…)]")
    found: dict[int, tuple[Any, ...]]
    try:
        given = list(parameters)
        found = {id(each): _pair(each) for each in given}  # a million alike are read once
    except TypeError:
        given, found = [], {0: ()}
    if any(len(pair) != 2 for pair in found.values()):
        raise InvalidArgument(
            "parameters are pairs (epsilon, delta), or measures of one kind: Pure and "
            f"Approximate, or one of {_NAMES}"
        )
    exactly = {at: (exact.epsilon(e), exact.probability(d)) for at, (e, d) in found.items()}
    return tuple(exactly[id(each)] for each in given)


def _pair(value: Any) -> tuple[Any, ...]:
    if type(value) is Pure:
        return value.epsilon, 0
    return (value.epsilon, value.delta) if type(value) is Approximate else tuple(value)


def of_one_kind(given: Any) -> tuple[Measure, ...]:
    """Measures of one kind that is not (ε, δ). Raises: InvalidArgument."""
    found = tuple(given)
    if not found or not all(type(each) is type(found[0]) for each in found) or not _known(found[0]):
        kinds = ", ".join(dict.fromkeys(type(each).__name__ for each in found)) or "none"
        raise InvalidArgument(
            f"a purse holds measures of one kind, one of {_NAMES} (or pairs (epsilon, delta), "
            f"as which Pure and Approximate count); here they are {kinds}"
        )
    return found


def _known(value: object) -> bool:
    return any(type(value) is kind for kind in _MEASURES)


def opened(given: Given) -> Given:
    """What is given as a tuple, so that it can be looked at; what is no iterable as it is."""
    return tuple(given) if isinstance(given, Iterable) else given  # type: ignore[return-value]


def is_measured(given: GivenPairs | GivenMeasures) -> TypeGuard[GivenMeasures]:
    """Whether any of them is a measure that is no (ε, δ)."""
    return isinstance(given, tuple) and any(map(_known, given))
