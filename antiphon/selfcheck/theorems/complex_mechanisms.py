"""Claims 6.3 and 6.4 and Theorem 6.1: complex mechanisms (CM §6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import attrs

from antiphon.audit.game import PrivacyGame
from antiphon.composition.complex_mechanism import ComplexMechanism, TwoCopies
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.properties import check_properties
from antiphon.composition.validity import Budgeted, sparse_parallel
from antiphon.protocol.messages import Pair
from antiphon.protocol.post_processor import PostProcessor
from antiphon.protocol.verification import Verification
from antiphon.selfcheck.theorems.parts.components import CURVE, PURE_RESPONSE, RESPONSE
from antiphon.selfcheck.theorems.parts.finite import WALK, promised
from antiphon.selfcheck.theorems.parts.routers import (
    ASK,
    HUSH,
    REQUESTS,
    EachBit,
    Leak,
    OnRequest,
    Router,
)
from antiphon.selfcheck.theorems.statements import (
    Parameters,
    composed,
    in_both_worlds,
    private,
    runs_of,
    same_views,
)
from antiphon.selfcheck.theorems.theorem import Check, Evidence
from antiphon.verifiers.identifier import Identifier
from antiphon.verifiers.models import bounded, event_level, updates_and_queries
from antiphon.verifiers.verifier import Verifier

ROUNDS = 3
EVENT = bounded(event_level(), ROUNDS)
BIT_PAIRS = tuple(Pair(zero, one) for zero in (0, 1) for one in (0, 1))
REQUESTED = bounded(updates_and_queries(event_level(), REQUESTS), ROUNDS + 1)
ALL = bounded(event_level(), ROUNDS + 1)
"""A larger f: pairs of queries may differ too."""
LEAKS = {
    Leak.DESTINATION: "P asks on request only where the bit is 1",
    Leak.RESPONSE: "P tells the bit where it is to forget it",
    Leak.VALIDITY: "P asks about one bit again and again",
}
HOPS = 6 * ROUNDS
"""More messages than a router receives in ``ROUNDS`` rounds."""

SECTION = (6, 1)


def checks() -> Iterable[Check]:
    """The rows."""
    router = "walk for all bits, RR(ln 3, 0) after each 1"
    swapped = Check("Claim 6.3", f"I∘*P∘*Ext ≡ P²∘*I∘*Ext: {router}", _swapped)
    yield swapped
    for leak in (Leak.DESTINATION, Leak.RESPONSE):
        yield swapped.twin(f"P with a {leak.name.lower()} leak: {leak.value}", leak=leak)
    inserted = Check("Claim 6.4", f"V[f'] inserted before I: {router}", _inserted)
    yield inserted
    yield inserted.twin("an f' without room for the RR that is created", room=False)
    lifted_router = Check("Thm 6.1", router, _lifted)
    yield lifted_router
    yield Check("Thm 6.1", "the local model: RR(ln 2, 1/10) for each of 4 bits", _local)
    for leak in Leak:
        yield lifted_router.twin(f"P lacks {leak.name.lower()}: {leak.value}", leak=leak)
    asked = Check("Thm 6.1", "in f-valid runs only: a query decides where P sends", _on_request)
    yield asked
    for leak, what in LEAKS.items():
        yield asked.twin(f"nor in f-valid runs: {what}", leak=leak)
    yield asked.twin("no f at all: two queries may differ", under=ALL)


@cache
def _walk() -> Create:
    return Create(promised(WALK, EVENT, ROUNDS))


def _router(leak: Leak | None = None) -> Router:
    return Router(_walk(), PURE_RESPONSE, leak)


def _inner() -> Budgeted:
    """f': one walk and one RR may get a pair that differs (Thm 5.2)."""
    return sparse_parallel([_walk().parameters, PURE_RESPONSE.parameters])


def _swapped(leak: Leak | None = None) -> Evidence:
    router = _router(leak)
    systems = in_both_worlds(
        PrivacyGame(ComplexMechanism(router), EVENT).mechanism,
        lambda b: Verifier(EVENT) @ TwoCopies(router) @ Identifier(b) @ ExtConComp(),
    )
    return same_views(systems, ROUNDS, BIT_PAIRS)


def _inserted(*, room: bool = True) -> Evidence:
    router = _router()
    inner = _inner() if room else sparse_parallel([_walk().parameters])
    systems = in_both_worlds(
        lambda b: Verifier(EVENT) @ TwoCopies(router) @ Identifier(b) @ ExtConComp(),
        lambda b: (
            Verifier(EVENT) @ TwoCopies(router) @ Verifier(inner) @ Identifier(b) @ ExtConComp()
        ),
    )
    return same_views(systems, ROUNDS, BIT_PAIRS)


def _lifted(leak: Leak | None = None) -> Evidence:
    inner = _inner()
    return lifted(_router(leak), EVENT, inner, inner.parameters, ROUNDS, HOPS)


def _local() -> Evidence:
    inner = sparse_parallel([RESPONSE.parameters], first_pair_consistent=True)
    return lifted(EachBit(RESPONSE), event_level(), inner, inner.parameters, 4, 16)


def _on_request(leak: Leak | None = None, under: Verification = REQUESTED) -> Evidence:
    """P's properties w.r.t. f, and what that promises w.r.t. f, or under another one.

    As printed (``strict``) P lacks the destination property even without a leak.
    """
    inner = sparse_parallel([RESPONSE.parameters], first_pair_consistent=True)
    processor = OnRequest(RESPONSE, leak)
    queries = (0, 1, ASK, HUSH)
    found = lifted(
        processor, REQUESTED, inner, inner.parameters, ROUNDS + 1, HOPS, queries, under=under
    )
    printed = check_properties(
        processor, REQUESTED, inner, queries=queries, rounds=HOPS, strict=True
    )
    if printed is None:
        return attrs.evolve(found, lacking="a case of interest: P has the properties as printed")
    note = f"as printed P lacks the {printed.property.value} property"
    return attrs.evolve(found, note=note)


def lifted(
    post_processor: PostProcessor,
    outer: Verification,
    inner: Verification,
    parameters: Sequence[Parameters],
    rounds: int,
    hops: int,
    queries: Sequence[object] = (0, 1),
    *,
    under: Verification | None = None,
) -> Evidence:
    """Thm 6.1: P has the three properties, and P ∘* ExtConComp has what f' promises.

    What f' promises is Comp[RR…] of its ``parameters`` (Thms 4.10, 4.12, 5.2, 5.5). It does
    so w.r.t. ``outer``; ``under`` another f, of which nothing was asked, it may not.
    """
    violation = check_properties(
        post_processor, outer, inner, queries=queries, rounds=hops, questions=rounds
    )
    claimed = composed(parameters, CURVE)
    found = private(ComplexMechanism(post_processor), under or outer, claimed, rounds)
    if violation is None:
        return found
    shown = "\n".join(filter(None, (runs_of(violation), found.adversary)))
    lacking = f"{violation.property.value}: {violation.reason}"
    return attrs.evolve(found, adversary=shown, lacking=lacking)
