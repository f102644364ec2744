"""What every created mechanism was charged, counted again from the creations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from antiphon.composition.concurrent import Child, Dead
from antiphon.composition.creation import Create
from antiphon.composition.filters.budget import Filter
from antiphon.composition.validity import FixedInAdvance, Paying, Sparse
from antiphon.protocol.in_sight import Charge, ChildShare, Slot, Standing
from antiphon.protocol.measures.kinds import Measure
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
    counts = zip(guard.f.held.values(), guard.state.purse, strict=True)
    stated = guard.f.unit.stated
    return tuple(Slot(stated(each.amount), each.number, left) for each, left in counts)


def used(guard: Gatekeeper) -> Paying | None:
    """The f of those parameters alone that were taken out of the purse; None: there are none."""
    if guard.state is None or not isinstance(guard.f, Paying):
        return None
    counts = zip(guard.f.held.values(), guard.state.purse, strict=True)
    gone = [each.amount for each, left in counts for _ in range(each.number - left)]
    return guard.f.of(gone) if gone else None
