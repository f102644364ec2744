"""What every created mechanism was charged, counted again from the creations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from antiphon.composition.concurrent import Child, Dead
from antiphon.composition.creation import Create
from antiphon.composition.filters.budget import Filter, Refusal
from antiphon.composition.spending.finding import Found, Gatekeeper
from antiphon.composition.validity import Budgeted, FixedInAdvance, Measured, Paying, Sparse
from antiphon.protocol.in_sight import Charge, ChildShare, Slot, Standing
from antiphon.protocol.measures.kinds import Approximate, Measure, Pure


def shares(found: Found) -> Iterator[ChildShare]:
    """A share of each child. A budget is a pure function of the claims: so it says again what it
    took, and what it refused.
    """
    budget, guard = found.budget, found.guard
    state: Any = None if budget is None else budget.initial_state
    for index, child in enumerate(found.children):
        create = child.created
        charge: Charge | Measure | None = None
        refused = False
        if budget is not None and create.claim is not None:
            after = budget.charge(state, create.claim.measure)
            refused = type(after) is Refusal
            state = state if refused else after
            if isinstance(budget, Filter) and not refused:
                charge = budget.cost(create.claim.measure)
        if charge is None and not refused and guard is not None:
            charge = taken(guard, index, create)
        standing: Standing = "refused" if refused else "halted" if _dead(child) else "live"
        yield ChildShare(index, create.mechanism, create.claim, charge, standing)


def counted(found: Found) -> list[Create]:
    """All creations but what was refused."""
    if not any(map(_dead, found.children)):  # as what was refused would be
        return [child.created for child in found.children]
    each = zip(found.children, shares(found), strict=True)
    return [child.created for child, share in each if share.standing != "refused"]


def _dead(child: Child) -> bool:
    return type(child.state) is Dead


def taken(guard: Gatekeeper, index: int, create: Create) -> Measure | None:
    """What a creation took out of the purse of f: at once, or with its first differing pair."""
    child = None if guard.state is None else guard.state.children.get(index)
    differed = child is not None and child.differed
    pays = isinstance(guard.f, FixedInAdvance) or (isinstance(guard.f, Sparse) and differed)
    return create.claim.measure if pays and create.claim is not None else None


def slots(guard: Gatekeeper | None) -> tuple[Slot, ...]:
    """The purse of f: each of the fixed parameters, how many there were, and how many are left."""
    if guard is None or guard.state is None or not isinstance(guard.f, Paying):
        return ()
    stated = dict(zip(guard.f.fixed, _stated(guard.f), strict=True))
    counts = zip(guard.f.places, guard.f.purse, guard.state.purse, strict=True)
    return tuple(Slot(stated[key], fixed, left) for key, fixed, left in counts)


def _stated(f: Paying) -> list[Measure]:
    """The fixed parameters, as they were given."""
    if isinstance(f, Measured):
        return [*f.measures]
    assert isinstance(f, Budgeted)
    return [Approximate(e, d) if d else Pure(e) for e, d in f.parameters]


def used(guard: Gatekeeper) -> Paying | None:
    """The f of those parameters alone that were taken out of the purse; None: there are none."""
    gone = [slot.measure for slot in slots(guard) for _ in range(slot.fixed - slot.left)]
    if not gone:
        return None
    if isinstance(guard.f, Measured):
        return attrs.evolve(guard.f, measures=gone)
    assert isinstance(guard.f, Budgeted)
    return attrs.evolve(guard.f, parameters=gone)
