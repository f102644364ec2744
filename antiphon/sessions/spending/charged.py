"""What every created mechanism was charged, counted again from the creations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import attrs

from antiphon.composition.concurrent import Child, Dead
from antiphon.composition.creation import Create
from antiphon.composition.filters.budget import Filter
from antiphon.composition.validity import Budgeted, FixedInAdvance, Measured, Paying, Sparse
from antiphon.protocol.in_sight import Charge, ChildShare, Slot, Standing
from antiphon.protocol.measures.kinds import Approximate, Measure, Pure
from antiphon.sessions.spending.finding import Found, Gatekeeper


class Shares(Sequence[ChildShare]):
    """The share of each child, made when it is asked for: O(log n)."""

    def __init__(self, found: Found) -> None:
        self._found, self._children = found, found.children

    def __len__(self) -> int:
        return len(self._children)

    def __iter__(self) -> Iterator[ChildShare]:
        return (_share(self._found, *each) for each in enumerate(self._children))

    @overload
    def __getitem__(self, index: int) -> ChildShare: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ChildShare, ...]: ...
    def __getitem__(self, index: int | slice) -> ChildShare | tuple[ChildShare, ...]:
        if isinstance(index, slice):
            places = range(*index.indices(len(self)))
            return tuple(self[at] for at in places)
        place = range(len(self))[index]
        child = self._children.get(place)
        assert child is not None
        return _share(self._found, place, child)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"<Shares: {len(self):,} created>"


def _share(found: Found, index: int, child: Child) -> ChildShare:
    create, standing = child.created, _standing(child)
    charge: Charge | Measure | None = None
    if standing != "refused":
        if isinstance(found.budget, Filter) and create.claim is not None:
            charge = found.budget.cost(create.claim.measure)
        elif found.guard is not None:
            charge = taken(found.guard, index, create)
    return ChildShare(index, create.mechanism, create.claim, charge, standing)


def counted(found: Found) -> list[Create]:
    """All creations but what was refused."""
    return [child.created for child in found.children if _standing(child) != "refused"]


def _standing(child: Child) -> Standing:
    if type(child.state) is not Dead:
        return "live"
    return "refused" if child.state.refused else "halted"


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
