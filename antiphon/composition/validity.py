"""The verification functions of concurrent composition (CM §4-5).

All allow only *suitable* sequences (Def. 4.4), with different conditions on creations and on
differing pairs. Each takes O(log n) time a message. A *purse* is the multiset of fixed parameters
still unused.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, ClassVar, Final, NamedTuple, Self, overload

import attrs

from antiphon.composition import parameter_multisets
from antiphon.composition.accounting.summed_measures import told_apart
from antiphon.composition.concurrent import ConComp, Fixed
from antiphon.composition.creation import Create
from antiphon.composition.filters.budget import Budget
from antiphon.composition.suitable import Checked, Purse, Suitable, SuitableState, Unpaid
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument, listed, written_as
from antiphon.numbers.persistent_vector import Vector
from antiphon.protocol import Measure, column_safe, identical, message_label, register, set_derived
from antiphon.protocol.verification import Refused, swap_symmetric


def given_creations(value: object) -> tuple[Create, ...]:
    """Check that the value is a tuple of creations, and return it. Raises: InvalidArgument."""
    if type(value) is not tuple or not all(type(each) is Create for each in value):  # pyright: ignore
        raise InvalidArgument("created is a tuple of Create: use fixed_mechanisms([…])")
    return value  # pyright: ignore[reportUnknownVariableType]


@attrs.frozen
class OfCreations(Unpaid):
    """A suitable f (CM Def. 4.4) whose sequences create exactly k given mechanisms. Abstract."""

    created: tuple[Create, ...] = attrs.field(converter=given_creations)
    prescribed: int = attrs.field(
        default=attrs.Factory(lambda f: len(f.created), takes_self=True),
        init=False,
        eq=False,
        repr=False,
    )

    def reads(self, measure: Measure) -> bool:
        return True

    def admit(self, purse: Purse, count: int, created: Create) -> Purse | Refused:
        if count == self.prescribed or not identical(created, self.created[count]):
            return Refused("a creation is not the next of the fixed ones")
        return purse


@register("antiphon.FixedMechanisms/1")
@attrs.frozen
class FixedMechanisms(OfCreations):
    """The f^{α₁…α_k}: exactly k given creations α₁, …, α_k come first, in order (CM Def. 4.9)."""

    @property
    def swap_symmetric(self) -> bool:  # type: ignore[override]
        return swap_symmetric_claims(self.created)


def swap_symmetric_claims(created: Iterable[Create]) -> bool:
    """Whether the f' of all these creations are swap-symmetric; then so is a suitable f over
    them."""
    return all(each.claim and swap_symmetric(each.claim.verification) for each in created)


@register("antiphon.EachValid/1")
@attrs.frozen
class EachValid(OfCreations):
    """The f of ConComp[M₁, …, M_k]: f^{α₁…α_k} after its k creations (CM Def. 4.9)."""

    @property
    def swap_symmetric(self) -> bool:  # type: ignore[override]
        return swap_symmetric_claims(self.created)

    @property
    def initial_state(self) -> SuitableState:
        claims = ((each, each.claim) for each in self.created)
        checked = (Checked(each, claim and claim.verification.initial_state, False)
                   for each, claim in claims)  # fmt: skip
        return SuitableState(Vector(checked), self.purse)


NOT_CONSISTENT: Final = Refused("a created mechanism's f is not first-pair consistent")
NOT_DISCRETE = Refused("a created mechanism does not have discrete answers (RoundToGrid() @ M has)")


_MOST: Final = 4
"""The largest number of distinct parameters that a refusal lists."""


class InPurse(NamedTuple):
    """One distinct amount in a purse: its position, and its number of copies at the start."""

    place: int
    amount: parameter_multisets.Amount
    number: int


@attrs.frozen
class Paying(Suitable):
    """A suitable f (CM Def. 4.4) whose creations use up fixed amounts of one measure. Abstract."""

    holds: ClassVar[str]
    """The name of the field that holds the fixed amounts."""
    held: Mapping[Hashable, InPurse] = attrs.field(init=False, eq=False, repr=False)
    """The distinct fixed amounts, each with its number of copies, by a key that equal ones
    share."""

    def __attrs_post_init__(self) -> None:
        keys = list(map(self.unit.key, self.fixed))
        given = dict(zip(keys, self.fixed, strict=True))
        counts = enumerate(Counter(keys).items())
        held = {key: InPurse(place, given[key], count) for place, (key, count) in counts}
        set_derived(self, held=held)

    @property
    @abstractmethod
    def unit(self) -> parameter_multisets.Unit:
        """The unit of the fixed amounts: how they are read from claims and compared."""

    @property
    def fixed(self) -> tuple[Any, ...]:
        """All fixed amounts, as they were given."""
        given: tuple[Any, ...] = getattr(self, self.holds)
        return given

    def of(self, given: Iterable[Any]) -> Self:
        """The same verification function with these fixed amounts alone."""
        return attrs.evolve(self, **{self.holds: given})

    @property
    def purse(self) -> Purse:
        return Vector(each.number for each in self.held.values())

    def reads(self, measure: Measure) -> bool:
        return self.unit.read(measure) is not None

    def spend(self, purse: Purse, created: Create) -> Purse | Refused:
        """The purse less one copy of the amount that a creation asserts; a refusal if none is
        left."""
        amount = created.claim and self.unit.read(created.claim.measure)
        held = self.held.get(self.unit.key(amount))
        left = held and purse.get(held.place)
        if held is None or not left:
            known = held is not None or self.unit is parameter_multisets.PARAMETERS
            asked = message_label(amount) if known else "what is asserted"
            more = "; Create(M, measure) asserts a weaker measure" if any(purse) and known else ""
            return Refused(f"none of {asked} is left; left are {self._left(purse)}{more}")
        return purse.set(held.place, left - 1)

    def _left(self, purse: Purse) -> str:
        """A text of how many copies of each fixed amount are left in the purse."""
        each = zip(self.held.values(), purse, strict=True)
        told = [f"{left} of {held.number} {message_label(held.amount)}" for held, left in each]
        more = [f"{len(told) - _MOST} more kinds"] if len(told) > _MOST else []
        return ", ".join([*told[:_MOST], *more]) or "none of none"


@attrs.frozen
class Budgeted(Paying):
    """A verification function with fixed parameters (ε₁, δ₁), …, (ε_k, δ_k). Abstract."""

    holds = "parameters"
    parameters: tuple[parameter_multisets.Parameters, ...] = attrs.field(
        converter=parameter_multisets.pairs
    )

    @property
    def unit(self) -> parameter_multisets.Unit:
        return parameter_multisets.PARAMETERS


@attrs.frozen
class Measured(Paying):
    """A verification function with fixed measures of one kind other than (ε, δ). Abstract."""

    holds = "measures"
    measures: tuple[Measure, ...] = attrs.field(
        converter=parameter_multisets.of_one_kind,
        # The ``==`` of a user's measure may ignore a difference, so it is not used.
        eq=lambda measures: tuple(map(told_apart, measures)),
    )

    @property
    def unit(self) -> parameter_multisets.Unit:
        return parameter_multisets.UNITS[type(self.measures[0])]


class FixedInAdvance(Paying):
    """A suitable f (CM Def. 4.4): creations use up fixed amounts and have discrete answers.
    Abstract."""

    __slots__ = ()
    checks_all = True

    def admit(self, purse: Purse, count: int, created: Create) -> Purse | Refused:
        if not created.mechanism.signature.answers.discrete:
            return NOT_DISCRETE
        return self.spend(purse, created)

    def differ(self, purse: Purse, created: Create) -> Purse:
        return purse


class Sparse(Paying):
    """A suitable f (CM Def. 4.4): a mechanism's first differing pair uses up its amount.
    Abstract."""

    __slots__ = ()
    checks_all = False

    def admit(self, purse: Purse, count: int, created: Create) -> Purse | Refused:
        if not created.mechanism.signature.answers.discrete:
            return NOT_DISCRETE
        claim = created.claim
        consistent = claim is not None and claim.verification.first_pair_consistent
        if self.require_first_pair_consistent and not consistent:
            return NOT_CONSISTENT
        return purse

    def differ(self, purse: Purse, created: Create) -> Purse | Refused:
        return self.spend(purse, created)


@register("antiphon.AdaptiveParameters/1")
@column_safe
@attrs.frozen
class AdaptiveParameters(Unpaid):
    """A suitable f (CM Def. 4.4) for creations whose parameters and number are chosen adaptively.

    The f of ``ExtConComp(budget=…)``: the budget decides which creations are accepted, so a
    composition without one promises nothing w.r.t. it. As in CM Def. 4.11, every created mechanism
    has discrete answers. With the argument ``budget``, f accepts the claims which that budget can
    add up; without it, every claim that is not refuted, and the composition raises InvalidArgument
    for a claim that its budget cannot add up.
    """

    budget: Budget | None = attrs.field(default=None)

    def reads(self, measure: Measure) -> bool:
        return self.budget is None or self.budget.takes(measure)

    def admit(self, purse: Purse, count: int, created: Create) -> Purse | Refused:
        return purse if created.mechanism.signature.answers.discrete else NOT_DISCRETE


@register("antiphon.FixedParameters/1")
@column_safe
@attrs.frozen
class FixedParameters(FixedInAdvance, Budgeted):
    """The verification function f^{ε₁,δ₁…ε_k,δ_k}: created parameters form a sub-multiset of the
    fixed ones (CM Def. 4.11).

    Every created mechanism must have discrete answers.
    """


@register("antiphon.FixedMeasures/1")
@column_safe
@attrs.frozen
class FixedMeasures(FixedInAdvance, Measured):
    """The verification function f^{ρ₁…ρ_k}: asserted measures form a sub-multiset of the fixed
    ones, such as ρ₁, …, ρ_k."""


@register("antiphon.SparseParallel/1")
@column_safe
@attrs.frozen
class SparseParallel(Sparse, Budgeted):
    """The verification functions f_∞ and f_{∞,FPC} of k-sparse composition (CM Def. 5.1, 5.4).

    Any number of creations; the parameters of the mechanisms J that ever got a
    differing pair form a sub-multiset of the fixed ones, and f' must hold for J only.
    As in Def. 4.11, every created mechanism must have discrete answers: Thms 5.2 and
    5.5 need it.
    With ``require_first_pair_consistent`` every created f' must be first-pair
    consistent, which Thm 5.5 needs as soon as a fixed δ is positive (CM §5.2). The declaration of
    an f' is not trusted: pairs that first-pair consistency forbids are refused here, too.
    """

    require_first_pair_consistent: bool = False


@register("antiphon.SparseMeasures/1")
@column_safe
@attrs.frozen
class SparseMeasures(Sparse, Measured):
    """The verification function f_∞ with measures: mechanisms with a differing pair assert a
    sub-multiset of measures such as ρ₁, …, ρ_k."""

    require_first_pair_consistent: bool = False


def fixed_mechanisms(mechanisms: Iterable[Fixed]) -> FixedMechanisms:
    """The verification function f^{α₁…α_k} of the given mechanisms or creation queries (CM Def.
    4.9, Thm 4.10)."""
    given = listed(mechanisms, "mechanisms", "fixed_mechanisms([M1, M2])")
    return FixedMechanisms(tuple(m if type(m) is Create else Create(m) for m in given))


def each_valid(composition: ConComp) -> EachValid:
    """The verification function f of a ConComp: the pairs sent to each of its mechanisms are
    valid for it (CM Thm 4.10)."""
    return EachValid(composition.created)


def adaptive_parameters(budget: Budget | None = None) -> AdaptiveParameters:
    """The verification function f of a composition with a budget, for adaptively chosen parameters
    (Haney et al. 2023)."""
    return AdaptiveParameters(budget)


@overload
def fixed_parameters(parameters: parameter_multisets.GivenPairs) -> FixedParameters: ...
@overload
def fixed_parameters(parameters: parameter_multisets.GivenMeasures) -> FixedMeasures: ...
@written_as("fixed_parameters([(1, 0), (1, 0)])")
def fixed_parameters(
    parameters: parameter_multisets.GivenPairs | parameter_multisets.GivenMeasures,
) -> FixedParameters | FixedMeasures:
    """The verification function f^{ε₁,δ₁…}: at most these (ε, δ), mechanisms chosen adaptively (CM
    Def. 4.11, Thm 4.12).

    Measures of one other kind are accepted, too: ``fixed_parameters([ZeroConcentrated(0.1)] * 3)``.
    """
    given = parameter_multisets.as_tuple(parameters)
    return (
        FixedMeasures(given) if parameter_multisets.is_measured(given) else FixedParameters(given)
    )


@overload
def sparse_parallel(
    parameters: parameter_multisets.GivenPairs, *, first_pair_consistent: bool = False
) -> SparseParallel: ...
@overload
def sparse_parallel(
    parameters: parameter_multisets.GivenMeasures, *, first_pair_consistent: bool = False
) -> SparseMeasures: ...
@overload
def sparse_parallel(
    *, k: int, epsilon: object, delta: object = 0, first_pair_consistent: bool = False
) -> SparseParallel: ...
def sparse_parallel(
    parameters: parameter_multisets.GivenPairs | parameter_multisets.GivenMeasures | None = None,
    *,
    k: int | None = None,
    epsilon: object = None,
    delta: object = 0,
    first_pair_consistent: bool = False,
) -> SparseParallel | SparseMeasures:
    """The verification function f_∞ (CM Def. 5.1, Thm 5.2: needs every δ = 0), or f_{∞,FPC} (Def.
    5.4, Thm 5.5).

    Give pairs (ε, δ), or measures of one other kind (docs/sparse.md), or the number ``k`` of equal
    pairs: ``sparse_parallel(k=1, epsilon=1)``. Raises: InvalidArgument for both ways at once, or
    neither.
    """
    if (parameters is None) is (k is None) or (k is None) is not (epsilon is None):
        raise InvalidArgument(
            "give pairs (ε, δ), as [(1, 0)], or measures of one kind; or how many equal pairs, "
            "k=1, epsilon=1, delta=0"
        )
    equal: Any = () if k is None else [(epsilon, delta)] * exact.whole(k, "k")
    given = parameter_multisets.as_tuple(equal if parameters is None else parameters)
    if parameter_multisets.is_measured(given):
        return SparseMeasures(given, first_pair_consistent)
    return SparseParallel(given, first_pair_consistent)
