"""The purse of f (its fixed privacy parameters still unused) and a budget's charges, numbered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Union

import attrs

from antiphon.audit.exact.kernel import Tables
from antiphon.composition import Budget, Create, Refusal
from antiphon.composition.concurrent import Concurrent
from antiphon.composition.filters.odometer import AnyOdometer
from antiphon.composition.suitable import Purse, Suitable
from antiphon.composition.validity import NOT_CONSISTENT
from antiphon.numbers.errors import InvalidArgument, PartError, of_kind
from antiphon.numbers.interning import Interner
from antiphon.protocol import ContinualMechanism, Measure, Refused, Status, message_label
from antiphon.protocol.messages import distinct
from antiphon.protocol.provenance import is_library_code
from antiphon.protocol.registry import name_of

REFUSED: Final = -1
"""The number that stands for a refusal: no unused parameter fits the creation."""
_NOT_TAKEN: Final = Refused("f does not accept it")
_OURS: Final = "antiphon.composition."


@attrs.define(eq=False)
class Purses:
    """The purses that f may have, and the charges of a budget, by number; results are cached."""

    verification: Suitable
    budget: Budget[Any] | None
    _creations: dict[int, Create] = attrs.field(factory=dict[int, Create])
    _purses: Interner = attrs.field(factory=Interner)
    _ledger: Interner = attrs.field(factory=Interner)
    _spent: dict[tuple[int, int], int] = attrs.field(factory=dict[tuple[int, int], int])
    _admitted: dict[tuple[int, int, int], int] = attrs.field(
        factory=dict[tuple[int, int, int], int]
    )
    _charges: dict[tuple[int, int], int | Refusal | None] = attrs.field(
        factory=dict[tuple[int, int], Union[int, Refusal, None]]
    )

    def add(self, part: int, create: Create) -> None:
        """Register the creation of the mechanism with the number ``part``."""
        self._creations[part] = create

    def tables(self) -> Tables:
        """All purses and charges found so far, as tables that can be saved."""
        return {"purses": [*self._purses.values], "ledger": [*self._ledger.values]}

    def refill(self, tables: Tables) -> None:
        """Load the ``tables`` that another object about the same game has saved."""
        self._purses.refill(tables["purses"])
        self._ledger.refill(tables["ledger"])

    def first(self) -> tuple[int, int]:
        """The numbers (of the full purse, of the budget's state before any charge)."""
        nothing = None if self.budget is None else self.budget.initial_state
        return self._purses(self.verification.purse), self._ledger(nothing)

    def spend(self, purse: int, part: int) -> int:
        """The number of the purse after a mechanism's first differing pair."""
        key = purse, part
        if key not in self._spent:
            before: Any = self._purses.values[purse]
            self._spent[key] = self._number(self.verification.differ(before, self._creations[part]))
        return self._spent[key]

    def admit(self, purse: int, created: int, part: int) -> int:
        """The number of the purse after a creation that follows ``created`` earlier ones."""
        key = purse, created, part
        if key not in self._admitted:
            before: Any = self._purses.values[purse]
            create = self._creations[part]
            taken = create.claim is not None and self.verification.takes(create)
            after = self.verification.admit(before, created, create) if taken else _NOT_TAKEN
            self._admitted[key] = self._number(after)
        return self._admitted[key]

    def charge(self, charged: int, part: int) -> int | Refusal | None:
        """The number of the charges after a creation, or a refusal; None if the budget cannot
        charge the claim."""
        claim = self._creations[part].claim
        if self.budget is None or claim is None:
            return charged
        key = charged, part
        if key not in self._charges:
            try:
                after = self._asked(self._ledger.values[charged], claim.measure)
            except InvalidArgument:
                self._charges[key] = None
            else:
                made = charged if adds_nothing_up(self.budget) else self._ledger(after)
                self._charges[key] = after if type(after) is Refusal else made
        return self._charges[key]

    def _asked(self, state: Any, measure: Measure) -> Any:
        """The budget's state after a charge. Raises: PartError if the same charge, repeated, gives
        another one."""
        assert self.budget is not None
        after, again = (self.budget.charge(state, measure) for _ in range(2))
        if after != again:
            raise PartError(
                f"{name_of(self.budget)} says that it reads claims only, but its charge for one "
                "claim is not always the same: does it look at a clock, at coins or at a global? "
                "Leave out reads_claims_only"
            )
        return after

    def _number(self, purse: Purse | Refused) -> int:
        return REFUSED if type(purse) is Refused else self._purses(purse)


def only_spends(kind: type[Suitable]) -> bool:
    """Whether f's class is wholly this library's: its purse (unused parameters) never grows."""
    methods = [getattr(kind, name, None) for name in ("judge", "admit", "differ", "spend")]
    return all(method.__module__.startswith(_OURS) for method in methods if method)


def charges_in_public(budget: Budget[Any] | None) -> bool:
    """Whether a budget's charges follow from the creations alone, equal in both worlds.

    True of this library's budgets, and of others that declare ``reads_claims_only`` (CM Def. 4.4).
    """
    return budget is None or budget.reads_claims_only or is_library_code(type(budget))


def adds_nothing_up(budget: Budget[Any] | None) -> bool:
    """Whether a budget refuses no creation because of earlier ones, as an odometer does not."""
    return budget is None or isinstance(budget, AnyOdometer)


def check_queries(
    system: ContinualMechanism, given: tuple[object, ...] | None, creations: Sequence[Create]
) -> None:
    """Check that some mechanism takes each of the ``given`` messages. Raises: InvalidArgument."""
    if given is not None and not given:
        raise InvalidArgument("queries is empty, so nothing can be asked: leave it out for all")
    takers, shape = [system], ""
    if isinstance(system, Concurrent):
        made = [child.created for child in system.children(system.initial_state)]
        takers = list(distinct(each.mechanism for each in (*made, *creations)))
        shape = "; queries holds the messages of the mechanisms themselves, q and not Ask(q, i)"
    for query in given or ():
        if not any(each.signature.queries.contains(query) for each in takers):
            told = (f"{name_of(each)}, which takes {each.signature.queries}" for each in takers)
            spaces = "; ".join(told)
            raise InvalidArgument(
                f"queries lists {of_kind(query)} outside the query space of {spaces}{shape}"
            )


def check_taken(f: Suitable, creations: Sequence[Create]) -> None:
    """Check that f accepts a creation and lets its pairs differ: else a tight figure would be 0.

    Raises: InvalidArgument, with the reason for each creation.
    """
    named: list[str] = []
    for create in creations:
        why = _never(f, create)
        if why is None:
            return
        named.append(f"{message_label(create.mechanism)}, which f never takes: {why.reason}")
    if named:
        raise InvalidArgument(
            f"catalogue lists {'; and '.join(named)}. Give f parameters that are asserted"
        )


def _never(f: Suitable, create: Create) -> Refused | None:
    """The reason why no pair of a creation may ever differ, even with all fixed parameters (the
    purse) unused; None if one may.

    In this library's f a purse only shrinks; a user's f may accept later. A refuted claim, or an f'
    that is not first-pair consistent, gives no reason: f's refusal is then the answer to the
    question.
    """
    if create.claim is not None and create.claim.status is Status.REFUTED:
        return None
    if create.claim is None or not f.takes(create):
        return Refused("it asserts no claim that f can read")
    if not only_spends(type(f)):
        return None
    admitted = f.admit(f.purse, 0, create)
    if admitted is NOT_CONSISTENT:
        return None
    paid = admitted if type(admitted) is Refused else f.differ(f.purse, create)
    return paid if type(paid) is Refused else None
