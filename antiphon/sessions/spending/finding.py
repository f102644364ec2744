"""Where in a mechanism the composition is, and what stands on its left."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, NamedTuple

import attrs

from antiphon.composition.as_is import AsIs
from antiphon.composition.concurrent import Child, Concurrent, Dead, ExtConComp, Ledger
from antiphon.composition.filters.budget import Budget
from antiphon.composition.suitable import Suitable, SuitableState
from antiphon.numbers.errors import ProtocolError
from antiphon.numbers.vector import Vector
from antiphon.protocol.adapters import InteractiveAsContinual
from antiphon.protocol.chain import AnyChain, PostProcessor
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.provenance import own
from antiphon.protocol.registry import name_of
from antiphon.protocol.verification import Refused
from antiphon.verifiers.identifier import Identifier
from antiphon.verifiers.models import Bounded
from antiphon.verifiers.verifier import Verifier


class Gatekeeper(NamedTuple):
    """The f of V[f] ∘* I ∘* ExtConComp, and what it has read; None once it has refused."""

    f: Suitable
    state: SuitableState | None


class Way(enum.Enum):
    """How a creation that is sent to the whole comes to the composition."""

    SINGLE = "as it is"
    PAIRED = "as a pair, by V[f] and I"
    OTHERS = "not at all: a post-processor decides what is created"


@attrs.frozen(repr=False)
class Found:
    """The outermost composition of a mechanism, in one state of it."""

    whole: Mechanism
    composition: Concurrent
    state: Vector[Child] | Ledger
    guard: Gatekeeper | None
    way: Way
    ours: bool
    """Whether all that decides what is charged, and says so, is this library's own."""
    unknown: bool = False
    """Whether a step failed in which a post-processor may have had more created than is known."""

    @property
    def suitable(self) -> bool:
        """Whether creations are pairs of two identical ones, or no pairs at all (CM Def. 4.4)."""
        return self.way is not Way.PAIRED or self.guard is not None

    @property
    def children(self) -> Vector[Child]:
        """The created mechanisms, in order."""
        return self.composition.children(self.state)

    @property
    def budget(self) -> Budget | None:
        """The filter or odometer that creations are charged to."""
        return self.composition.budget if isinstance(self.composition, ExtConComp) else None

    @property
    def charged(self) -> Any:
        """The state of the budget."""
        return self.state.spent if isinstance(self.state, Ledger) else None


def find(whole: Mechanism, state: Any, *, failed: bool = False) -> Found:
    """The composition in a mechanism. Raises: ProtocolError if there is none.

    ``failed``: its last step failed, and the state is that from before it.
    """
    mechanism, guard, way = whole, None, Way.SINGLE
    heard: list[object] = []  # who has a say in what is found
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
                f"no composition runs in {name_of(whole)}, so nothing is charged to a budget; a "
                "mechanism that has one inside says so by inside(state)"
            )
        mechanism, state = inner
    if isinstance(state, Dead):
        state = state.before
    if state is None:
        raise ProtocolError("the composition had halted before it was resumed; see its transcript")
    heard += [mechanism, *([] if guard is None else [guard.f])]
    if isinstance(mechanism, ExtConComp) and mechanism.budget is not None:
        heard.append(mechanism.budget)
    ours = all(own(type(each)) for each in heard)
    return Found(whole, mechanism, state, guard, way, ours, failed and way is Way.OTHERS)


def guarding(links: Sequence[PostProcessor]) -> bool:
    """Whether they begin with V[f] and I, which create nothing of their own."""
    return len(links) > 1 and type(links[0]) is Verifier and type(links[1]) is Identifier


def _guard(verifier: PostProcessor, state: Any) -> Gatekeeper | None:
    """What V[f] knows, if its f is one of composition, or bounds the messages of one."""
    f: Any = verifier.verification if isinstance(verifier, Verifier) else None
    while type(f) is Bounded:
        bound: Any = f
        f, state = bound.verification, state if type(state) is Refused else state[1]
    if not isinstance(f, Suitable):
        return None
    return Gatekeeper(f, state if type(state) is SuitableState else None)


def _as_is(mechanism: Mechanism) -> bool:
    return isinstance(mechanism, AsIs | InteractiveAsContinual) and own(type(mechanism))
