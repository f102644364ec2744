"""The composition inside a mechanism, the parts on its left, and its mechanisms' charges."""

import enum
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import attrs

from antiphon.composition import Budget, Create, Filter
from antiphon.composition.complex_mechanism import Delegating
from antiphon.composition.concurrent import Child, Concurrent, Dead, Ledger
from antiphon.composition.suitable import Suitable, SuitableState
from antiphon.composition.validity import FixedInAdvance, Paying, Sparse
from antiphon.numbers.errors import ProtocolError
from antiphon.numbers.persistent_vector import OnAccess, Vector
from antiphon.protocol import AnyChain, Measure, Mechanism, PostProcessor, Refused
from antiphon.protocol.adapters import InteractiveAsContinual
from antiphon.protocol.budget_view import Charge, ChildShare, Slot, Standing
from antiphon.protocol.provenance import is_library_code
from antiphon.protocol.registry import name_of
from antiphon.verifiers.models import Bounded
from antiphon.verifiers.verifier import Identifier, Verifier


class Gatekeeper(NamedTuple):
    """A verifier in front of a composition: its verification function f, and its state, which is
    None once it has refused a message."""

    f: Suitable
    state: SuitableState | None


class Way(enum.Enum):
    """The form in which a message that creates a mechanism reaches the composition."""

    SINGLE = "as it is"
    PAIRED = "as a pair, by V[f] and I"
    OTHERS = "not at all: a post-processor decides what is created"


@attrs.frozen(repr=False)
class Found:
    """The outermost composition inside a mechanism, in one of its states."""

    whole: Mechanism
    composition: Concurrent
    state: Vector[Child] | Ledger
    guard: Gatekeeper | None
    way: Way
    ours: bool
    """Whether all code that decides on charges or reports them belongs to this library."""
    unknown: bool = False
    """Whether a step has failed in which a post-processor may have created unknown mechanisms."""

    @property
    def suitable(self) -> bool:
        """Whether both worlds create the same mechanisms, as far as known: false only behind a
        verifier whose f is not suitable (CM Def. 4.4)."""
        return self.way is not Way.PAIRED or self.guard is not None

    @property
    def children(self) -> Vector[Child]:
        """The mechanisms created in the composition, in order."""
        return self.composition.children(self.state)

    @property
    def budget(self) -> Budget | None:
        """The filter or odometer to which created mechanisms are charged."""
        return self.composition.budget

    @property
    def charged(self) -> Any:
        """The state of the filter or odometer; None if there is none."""
        return self.state.spent if isinstance(self.state, Ledger) else None


def find(whole: Mechanism, state: Any, *, failed: bool = False) -> Found:
    """The outermost composition inside a mechanism. Raises: ProtocolError if there is none.

    ``failed``: whether the last step failed; the state is then the one before that step.
    """
    mechanism, guard, way = whole, None, Way.SINGLE
    heard: list[object] = []  # All parts whose code has a say in the charges, for ``Found.ours``.
    while not isinstance(mechanism, Concurrent):
        heard.append(mechanism)
        if isinstance(mechanism, AnyChain):
            stands = len(mechanism.links) == 2 and guarding(mechanism.links)
            guard = _guard(mechanism.links[0], state[0]) if stands else None
            way = Way.PAIRED if stands and way is Way.SINGLE else Way.OTHERS
        elif not _as_is(mechanism):
            guard, way = None, Way.OTHERS
        inner = mechanism.inside(state)
        if inner is None:
            raise ProtocolError(
                f"no composition runs in {name_of(whole)}, so nothing is charged to a budget: what "
                "it claims (print(ap.guarantee(mechanism))) is spent at the start, and asking "
                "costs nothing more; a mechanism with a composition inside says so by inside(state)"
            )
        mechanism, state = inner
    if isinstance(state, Dead):
        state = state.before
    if state is None:
        raise ProtocolError("the composition had halted before it was resumed; see its transcript")
    heard += [mechanism, *([] if guard is None else [guard.f])]
    if mechanism.budget is not None:
        heard.append(mechanism.budget)
    ours = all(is_library_code(type(each)) for each in heard)
    return Found(whole, mechanism, state, guard, way, ours, failed and way is Way.OTHERS)


def guarding(links: Sequence[PostProcessor]) -> bool:
    """Whether a chain begins with a verifier and an identifier, which create no mechanisms."""
    return len(links) > 1 and type(links[0]) is Verifier and type(links[1]) is Identifier


def _guard(verifier: PostProcessor, state: Any) -> Gatekeeper | None:
    """A verifier's state and verification function f, if f is about compositions; else None."""
    f: Any = verifier.verification if isinstance(verifier, Verifier) else None
    while type(f) is Bounded:
        bound: Any = f
        f, state = bound.verification, state if type(state) is Refused else state[1]
    if not isinstance(f, Suitable):
        return None
    return Gatekeeper(f, state if type(state) is SuitableState else None)


def _as_is(mechanism: Mechanism) -> bool:
    return isinstance(mechanism, Delegating | InteractiveAsContinual) and is_library_code(
        type(mechanism)
    )


class Shares(OnAccess[ChildShare]):
    """The budget shares of all n created mechanisms; each is computed on access, in O(log n)."""

    def __init__(self, found: Found) -> None:
        self._found, self._children = found, found.children

    def __len__(self) -> int:
        return len(self._children)

    def __iter__(self) -> Iterator[ChildShare]:
        return (_share(self._found, *each) for each in enumerate(self._children))

    def _at(self, places: range) -> Iterator[ChildShare]:
        for place in places:
            child = self._children.get(place)
            assert child is not None
            yield _share(self._found, place, child)

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
    """The creation messages of all mechanisms but those that the budget refused."""
    return [child.created for child in found.children if _standing(child) != "refused"]


def _standing(child: Child) -> Standing:
    if type(child.state) is not Dead:
        return "live"
    return "refused" if child.state.refused else "halted"


def taken(guard: Gatekeeper, index: int, create: Create) -> Measure | None:
    """The privacy parameter that a created mechanism has taken out of the purse of the verification
    function; None if it has taken none."""
    child = None if guard.state is None else guard.state.children.get(index)
    differed = child is not None and child.differed
    pays = isinstance(guard.f, FixedInAdvance) or (isinstance(guard.f, Sparse) and differed)
    return create.claim.measure if pays and create.claim is not None else None


def slots(guard: Gatekeeper | None) -> tuple[Slot, ...]:
    """The purse of the verification function (``guard.f``): its privacy parameters, with how many
    of each are left."""
    if guard is None or guard.state is None or not isinstance(guard.f, Paying):
        return ()
    counts = zip(guard.f.held.values(), guard.state.purse, strict=True)
    stated = guard.f.unit.stated
    return tuple(Slot(stated(each.amount), each.number, left) for each, left in counts)


def used(guard: Gatekeeper) -> Paying | None:
    """The verification function with only the taken parameters of its purse; None if none is
    taken."""
    if guard.state is None or not isinstance(guard.f, Paying):
        return None
    counts = zip(guard.f.held.values(), guard.state.purse, strict=True)
    gone = [each.amount for each, left in counts for _ in range(each.number - left)]
    return guard.f.of(gone) if gone else None
