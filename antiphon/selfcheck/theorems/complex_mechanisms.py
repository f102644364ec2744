# pyright: reportIncompatibleMethodOverride=false, reportAssignmentType=false
"""Checks of Claims 6.3 and 6.4 and Theorem 6.1: complex mechanisms (CM §6)."""

import enum
from collections.abc import Iterable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import attrs

from antiphon.audit.game import PrivacyGame
from antiphon.composition import ComplexMechanism, Create, ExtConComp, TwoCopies, check_properties
from antiphon.composition.validity import Budgeted, sparse_parallel
from antiphon.protocol import LEFT, RIGHT, Coins, Mechanism, PostProcessor, Side, Verification
from antiphon.protocol.messages import BOTTOM, HALT, TOP, Ask, Pair
from antiphon.protocol.spaces import BITS, Anything, Finite, Signature
from antiphon.selfcheck.theorems import theorem
from antiphon.selfcheck.theorems.components import CURVE, PURE_RESPONSE, RESPONSE
from antiphon.selfcheck.theorems.finite import WALK, promised
from antiphon.verifiers import Identifier, Verifier, bounded, event_level, updates_and_queries


class Leak(enum.Enum):
    """The property of CM §6.1 that a post-processor lacks, with the fault that breaks it."""

    DESTINATION = "it creates a mechanism when the bit it received is 1"
    RESPONSE = "it repeats the third bit it received"
    VALIDITY = "it asks with the bit before as well"


class Routing(NamedTuple):
    """The state of ``Router``, a test post-processor."""

    phase: str
    """The name of the message that awaits an answer; "" while the router awaits the next bit."""
    bit: int
    """The last bit received from the left."""
    before: int
    """The bit received before the last one."""
    heard: object
    """The last answer of the first mechanism."""
    created: int
    lefts: int


@attrs.frozen
class Router(PostProcessor[Routing]):
    """A post-processor that asks one mechanism about each bit; after an answer 1 it creates
    another, and asks it, too.

    So creation is adaptive and queries interleave. A bit is answered by
    (first answer, second answer or ⊥).
    """

    steady: Create
    extra: Create
    leak: Leak | None = None
    deterministic = True
    initial_state = Routing("", 0, 0, None, 0, 0)

    def signature(self, right: Signature) -> Signature:
        return Signature(BITS, Anything(), BITS)

    def step(
        self, state: Routing, side: Side, message: Any, coins: Coins
    ) -> tuple[Routing, Side, object]:
        if side is LEFT:
            state = state._replace(bit=message, before=state.bit, lefts=state.lefts + 1)
            if not state.created:
                return state._replace(phase="steady made", created=1), RIGHT, self.steady
            return state._replace(phase="steady"), RIGHT, Ask(message, 0)
        if message is HALT:
            return state, LEFT, HALT
        if state.phase == "steady made":
            return state._replace(phase="steady"), RIGHT, Ask(state.bit, 0)
        if state.phase == "steady":
            return self._heard(state._replace(heard=message))
        if state.phase == "extra made":
            return state._replace(phase="extra"), RIGHT, self._question(state)
        return self._rest(state), LEFT, (state.heard, message)

    def _heard(self, state: Routing) -> tuple[Routing, Side, object]:
        if self.leak is Leak.RESPONSE and state.lefts == 3:
            return self._rest(state), LEFT, (state.heard, state.bit)
        if (state.bit if self.leak is Leak.DESTINATION else state.heard) == 1:
            after = state._replace(phase="extra made", created=state.created + 1)
            return after, RIGHT, self.extra
        return self._rest(state), LEFT, (state.heard, BOTTOM)

    def _question(self, state: Routing) -> Ask[int]:
        told = max(state.bit, state.before) if self.leak is Leak.VALIDITY else state.bit
        return Ask(told, state.created - 1)

    def _rest(self, state: Routing) -> Routing:
        """The router's state between two bits, reset so that equal futures have equal states."""
        keeps = self.leak is Leak.VALIDITY
        return Routing("", state.bit if keeps else 0, 0, None, state.created, state.lefts)


@attrs.frozen
class EachBit(PostProcessor):
    """A post-processor for the local model: it creates a mechanism for each bit and asks it once.

    State: (mechanisms so far, the bit that waits for its own).
    """

    kind: Create
    deterministic = True
    initial_state = 0, None

    def signature(self, right: Signature) -> Signature:
        return Signature(BITS, Anything(), BITS)

    def step(
        self, state: tuple[int, int | None], side: Side, message: Any, coins: Coins
    ) -> tuple[tuple[int, int | None], Side, object]:
        made, waiting = state
        if side is LEFT:
            return (made, message), RIGHT, self.kind
        if waiting is not None and message is not HALT:
            return (made + 1, None), RIGHT, Ask(waiting, made)
        return (made, None), LEFT, message


ASK, HUSH = "ask", "hush"
REQUESTS = Finite((ASK, HUSH))
"""The public queries to ``OnRequest``, which keeps a bit: to ask a mechanism about it, or to forget
it. In an f-valid pair both sides are the same query."""


class Told(NamedTuple):
    """The state of ``OnRequest``, a test post-processor."""

    bit: int
    """The bit of the last update; 0 if it was forgotten."""
    made: int
    asking: bool


@attrs.frozen
class OnRequest(PostProcessor[Told]):
    """A post-processor that stores a bit; on request it creates a mechanism to answer about it.

    The query decides where it sends: "ask" goes right, "hush" is answered ⊥ and forgets the bit. So
    it lacks the destination property as printed, but has it in f-valid runs.
    """

    kind: Create
    leak: Leak | None = None
    deterministic = True
    initial_state = Told(0, 0, asking=False)

    def signature(self, right: Signature) -> Signature:
        return Signature(Finite((0, 1, ASK, HUSH)), Anything(), BITS)

    def step(
        self, state: Told, side: Side, message: Any, coins: Coins
    ) -> tuple[Told, Side, object]:
        bit, made, asking = state
        if side is RIGHT and asking:
            return Told(bit, made + 1, asking=False), RIGHT, Ask(bit, made)
        if side is RIGHT:
            return state._replace(bit=bit if self.leak is Leak.VALIDITY else 0), LEFT, message
        if message == ASK and (bit or self.leak is not Leak.DESTINATION):
            return state._replace(asking=True), RIGHT, self.kind
        if message in (ASK, HUSH):
            told = bit if self.leak is Leak.RESPONSE else BOTTOM
            return state._replace(bit=0), LEFT, told
        return state._replace(bit=message), LEFT, TOP


ROUNDS = 3
EVENT = bounded(event_level(), ROUNDS)
BIT_PAIRS = tuple(Pair(zero, one) for zero in (0, 1) for one in (0, 1))
REQUESTED = bounded(updates_and_queries(event_level(), REQUESTS), ROUNDS + 1)
ALL = bounded(event_level(), ROUNDS + 1)
"""The f of a broken twin: queries count as updates, so a pair of two different ones is allowed."""
LEAKS = {
    Leak.DESTINATION: "P asks on request only where the bit is 1",
    Leak.RESPONSE: "P reveals the bit where it is to forget it",
    Leak.VALIDITY: "P asks about one bit again and again",
}
ONE = sparse_parallel([RESPONSE.parameters], first_pair_consistent=True)
"""The function f' of the local model: one mechanism may see a difference, in its first pair."""
HOPS = 6 * ROUNDS
"""An upper bound on the number of messages that a router gets in one check, from both sides."""

SECTION = (6, 1)


def checks() -> Iterable[theorem.Check]:
    """The checks of Claims 6.3 and 6.4 and Theorem 6.1, with broken twins."""
    router = "walk for all bits, RR(ln 3, 0) after each 1"
    swapped = theorem.Check("Claim 6.3", f"I∘*P∘*Ext ≡ P²∘*I∘*Ext: {router}", _swapped)
    yield swapped
    for leak in (Leak.DESTINATION, Leak.RESPONSE):
        yield swapped.twin(f"P with a {leak.name.lower()} leak: {leak.value}", leak=leak)
    inserted = theorem.Check("Claim 6.4", f"V[f'] inserted before I: {router}", _inserted)
    yield inserted
    yield inserted.twin("an f' without room for the RR that is created", room=False)
    lifted_router = theorem.Check("Thm 6.1", router, _lifted)
    yield lifted_router
    yield theorem.Check("Thm 6.1", "the local model: RR(ln 2, 1/10) for each of 4 bits", _local)
    for leak in Leak:
        yield lifted_router.twin(f"P lacks {leak.name.lower()}: {leak.value}", leak=leak)
    asked = theorem.Check(
        "Thm 6.1", "in f-valid runs only: a query decides where P sends", _on_request
    )
    yield asked
    for leak, what in LEAKS.items():
        yield asked.twin(f"nor in f-valid runs: {what}", leak=leak)
    yield asked.twin("no f at all: two queries may differ", under=ALL)


@cache
def _walk() -> Create:
    return Create(promised(WALK, EVENT, ROUNDS))


def _router(leak: Leak | None = None) -> Router:
    return Router(_walk(), PURE_RESPONSE, leak)


def _twofold(router: Router, b: int) -> Mechanism:
    """The system V[f] ∘* P² ∘* I(b) ∘* ExtConComp of Claim 6.3; P² runs two copies of the router P,
    one for each world."""
    return Verifier(EVENT) @ TwoCopies(router) @ Identifier(b) @ ExtConComp()


def _inner() -> Budgeted:
    """A router's f': one stateful mechanism and one RR may see a difference (CM Thm 5.2)."""
    return sparse_parallel([_walk().parameters, PURE_RESPONSE.parameters])


def _swapped(leak: Leak | None = None) -> theorem.Evidence:
    router = _router(leak)
    systems = theorem.in_both_worlds(
        PrivacyGame(ComplexMechanism(router), EVENT).mechanism, partial(_twofold, router)
    )
    return theorem.same_views(systems, ROUNDS, BIT_PAIRS)


def _inserted(*, room: bool = True) -> theorem.Evidence:
    router = _router()
    inner = _inner() if room else sparse_parallel([_walk().parameters])
    systems = theorem.in_both_worlds(
        partial(_twofold, router),
        lambda b: (
            Verifier(EVENT) @ TwoCopies(router) @ Verifier(inner) @ Identifier(b) @ ExtConComp()
        ),
    )
    return theorem.same_views(systems, ROUNDS, BIT_PAIRS)


def _lifted(leak: Leak | None = None) -> theorem.Evidence:
    inner = _inner()
    return lifted(_router(leak), EVENT, inner, inner.parameters, ROUNDS, HOPS)


def _local() -> theorem.Evidence:
    return lifted(EachBit(RESPONSE), event_level(), ONE, ONE.parameters, 4, 16)


def _on_request(leak: Leak | None = None, under: Verification = REQUESTED) -> theorem.Evidence:
    """Evidence on ``OnRequest``, which keeps a bit: its properties if both worlds have the same
    queries, and its privacy w.r.t. ``under``.

    As printed (``strict``) P lacks the destination property even without a leak.
    """
    processor, queries, rounds = OnRequest(RESPONSE, leak), (0, 1, ASK, HUSH), ROUNDS + 1
    found = lifted(processor, REQUESTED, ONE, ONE.parameters, rounds, HOPS, queries, under=under)
    printed = check_properties(processor, REQUESTED, ONE, queries=queries, rounds=HOPS, strict=True)
    if printed is None:
        return attrs.evolve(found, lacking="a case of interest: P has the properties as printed")
    return attrs.evolve(found, note=f"as printed P lacks the {printed.property.value} property")


def lifted(
    post_processor: PostProcessor,
    outer: Verification,
    inner: Verification,
    parameters: Sequence[theorem.Parameters],
    rounds: int,
    hops: int,
    queries: Sequence[object] = (0, 1),
    *,
    under: Verification | None = None,
) -> theorem.Evidence:
    """Evidence for Thm 6.1: P has its three properties, and P ∘* ExtConComp the privacy of f'.

    f' promises Comp[RR…] of its ``parameters`` (Thms 4.10, 4.12, 5.2, 5.5). P ∘* ExtConComp has it
    w.r.t. ``outer``; with ``under``, another f that the properties do not cover, it may fail.
    """
    violation = check_properties(
        post_processor, outer, inner, queries=queries, rounds=hops, questions=rounds
    )
    claimed = theorem.composed(parameters, CURVE)
    found = theorem.private(ComplexMechanism(post_processor), under or outer, claimed, rounds)
    if violation is None:
        return found
    shown = "\n".join(filter(None, (theorem.runs_of(violation), found.adversary)))
    lacking = f"{violation.property.value}: {violation.reason}"
    return attrs.evolve(found, adversary=shown, lacking=lacking)
