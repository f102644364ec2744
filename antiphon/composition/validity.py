"""The verification functions of concurrent composition (CM §4-5).

All four read *suitable* sequences (Def. 4.4): every message is a pair of
identical creation queries that assert a claim, or a pair ((q₀, ℓ), (q₁, ℓ)) with
the mechanism ℓ created before and q₀, q₁ in its query space. They differ in what
they ask of creations and of pairs that differ. Each is O(log n) a message.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import attrs

from antiphon.composition.accounting.parameters import Given
from antiphon.composition.concurrent import ConComp, Fixed
from antiphon.composition.creation import CompositionMessages, Create
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.vector import Vector
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.messages import Ask, identical
from antiphon.protocol.registry import register
from antiphon.protocol.verification import Refused, Verification, swap_symmetric

Parameters: TypeAlias = "tuple[exact.ExactEpsilon, Fraction]"
Purse: TypeAlias = "Vector[int]"
"""How many of each distinct fixed parameter are still unused: a sub-multiset."""


class Checked(NamedTuple):
    """What f knows of a created mechanism: f' so far, and whether a pair differed."""

    created: Create
    state: Any
    differed: bool = False
    asked: bool = False
    """Whether any pair has come; kept only where the first pair matters (f_{∞,FPC})."""


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


def _creations(_: object, __: object, value: object) -> None:
    if type(value) is not tuple or not all(type(each) is Create for each in value):  # pyright: ignore
        raise InvalidArgument("created is a tuple of Create: use fixed_mechanisms([…])")


@register("antiphon.FixedMechanisms/1")
@attrs.frozen
class FixedMechanisms(Suitable):
    """f^{α₁…α_k}: exactly the k given creations, in order, first (CM Def. 4.9)."""

    created: tuple[Create, ...] = attrs.field(validator=_creations)

    @property
    def checks_all(self) -> bool:
        return True

    @property
    def swap_symmetric(self) -> bool:
        return _swap_symmetric(self.created)

    @property
    def prescribed(self) -> int:
        return len(self.created)

    def step(self, state: SuitableState, zero: object, one: object, /) -> SuitableState | Refused:
        if type(zero) is Ask and len(state.children) < self.prescribed:
            return Refused(f"the first {self.prescribed} messages are the fixed creations")
        return Suitable.step(self, state, zero, one)

    def admit(self, purse: Purse, count: int, created: Create) -> Purse | Refused:
        if count == self.prescribed or not identical(created, self.created[count]):
            return Refused("a creation is not the next of the fixed ones")
        return purse


def _swap_symmetric(created: Iterable[Create]) -> bool:
    """Whether every f' is: suitable sequences themselves are. (What may be created is not known
    to an f of parameters, nor is its f', so such an f says nothing of itself.)
    """
    return all(each.claim and swap_symmetric(each.claim.verification) for each in created)


@register("antiphon.EachValid/1")
@attrs.frozen
class EachValid(FixedMechanisms):
    """f of ConComp[M₁, …, M_k]: f^{α₁…α_k} after its k creations (CM Def. 4.9)."""

    @property
    def swap_symmetric(self) -> bool:
        return _swap_symmetric(self.created)

    @property
    def initial_state(self) -> SuitableState:
        claims = ((each, each.claim) for each in self.created)
        checked = (Checked(each, claim and claim.verification.initial_state, False)
                   for each, claim in claims)  # fmt: skip
        return SuitableState(Vector(checked), self.purse)


NOT_DISCRETE = Refused("a created mechanism does not have discrete answers (RoundToGrid() @ M has)")


def _normalised(parameters: Given) -> tuple[Parameters, ...]:
    """Exact parameters, however f is made: 0.1 and ``Fraction(0.1)`` are equal in Python."""
    pairs: dict[int, tuple[Any, ...]]
    try:
        given = list(parameters)
        pairs = {id(each): tuple(each) for each in given}  # a million alike are read once
    except TypeError:
        given, pairs = [], {0: ()}
    if any(len(pair) != 2 for pair in pairs.values()):
        raise InvalidArgument("parameters are pairs (epsilon, delta)")
    exactly = {at: (exact.epsilon(e), exact.probability(d)) for at, (e, d) in pairs.items()}
    return tuple(exactly[id(each)] for each in given)


@attrs.frozen
class Budgeted(Suitable):
    """A suitable f with a multiset of fixed parameters (ε₁, δ₁), …, (ε_k, δ_k) to use up."""

    parameters: tuple[Parameters, ...] = attrs.field(converter=_normalised)
    _places: dict[Parameters, int] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        distinct = dict.fromkeys(self.parameters)
        object.__setattr__(self, "_places", {each: i for i, each in enumerate(distinct)})

    @property
    def purse(self) -> Purse:
        counts = Counter(self.parameters)
        return Vector(counts[each] for each in self._places)

    def spend(self, purse: Purse, parameters: Parameters) -> Purse | Refused:
        """The purse without one copy of the parameters, if there is one left."""
        place = self._places.get(parameters)
        left = None if place is None else purse.get(place)
        if place is None or not left:
            return Refused("the parameters are not among the fixed ones that are left")
        return purse.set(place, left - 1)


@register("antiphon.FixedParameters/1")
@attrs.frozen
class FixedParameters(Budgeted):
    """f^{ε₁,δ₁…ε_k,δ_k}: created parameters form a sub-multiset of the fixed (CM Def. 4.11).

    Every created mechanism must have discrete answers.
    """

    @property
    def checks_all(self) -> bool:
        return True

    def admit(self, purse: Purse, count: int, created: Create) -> Purse | Refused:
        if not created.mechanism.signature.answers.discrete:
            return NOT_DISCRETE
        return self.spend(purse, created.parameters)


@register("antiphon.SparseParallel/1")
@attrs.frozen
class SparseParallel(Budgeted):
    """f_∞ and f_{∞,FPC}: k-sparse parallel composition (CM Def. 5.1 and 5.4).

    Any number of creations; the parameters of the mechanisms J that ever got a
    differing pair form a sub-multiset of the fixed ones, and f' must hold for J only.
    As in Def. 4.11, every created mechanism must have discrete answers: Thms 5.2 and
    5.5 need it.
    With ``require_first_pair_consistent`` every created f' must be first-pair
    consistent, which Thm 5.5 needs as soon as a fixed δ is positive (CM §5.2). That an
    f' says so is not trusted: what first-pair consistency forbids is refused here too.
    """

    require_first_pair_consistent: bool = False

    @property
    def checks_all(self) -> bool:
        return False

    def admit(self, purse: Purse, count: int, created: Create) -> Purse | Refused:
        if not created.mechanism.signature.answers.discrete:
            return NOT_DISCRETE
        claim = created.claim
        consistent = claim is not None and claim.verification.first_pair_consistent
        if self.require_first_pair_consistent and not consistent:
            return Refused("a created mechanism's f is not first-pair consistent")
        return purse

    def judge(self, child: Checked, query0: object, query1: object) -> Checked | Refused:
        after = Suitable.judge(self, child, query0, query1)
        if not self.require_first_pair_consistent or type(after) is Refused:
            return after
        if child.asked and after.differed and not child.differed:
            return Refused("the first pair of a mechanism is identical, and a later one is not")
        return after if child.asked else after._replace(asked=True)

    def differ(self, purse: Purse, created: Create) -> Purse | Refused:
        return self.spend(purse, created.parameters)


def fixed_mechanisms(mechanisms: Iterable[Fixed]) -> FixedMechanisms:
    """f^{α₁…α_k} of the given mechanisms or creation queries (CM Def. 4.9, Thm 4.10)."""
    return FixedMechanisms(tuple(m if type(m) is Create else Create(m) for m in mechanisms))


def each_valid(composition: ConComp) -> EachValid:
    """f of a ConComp: the pairs sent to each of its mechanisms are valid for it (CM Thm 4.10)."""
    return EachValid(composition.created)


def fixed_parameters(parameters: Given) -> FixedParameters:
    """f^{ε₁,δ₁…}: at most these (ε, δ), mechanisms chosen adaptively (CM Def. 4.11, Thm 4.12)."""
    return FixedParameters(parameters)


def sparse_parallel(parameters: Given, *, first_pair_consistent: bool = False) -> SparseParallel:
    """f_∞ (CM Def. 5.1, Thm 5.2: needs every δ = 0), or f_{∞,FPC} (Def. 5.4, Thm 5.5)."""
    return SparseParallel(parameters, first_pair_consistent)
