"""CM Lemma 2.15: post-processing adds no loss. Figure: that of what is post-processed.

Also of a P that sends left messages on and asks of its own (``Forwarding.asks``). *Proof*: P's next
message follows from answers and coins, so whoever talks to M can play P themselves: for each
thing that it asks, q, they send the pair (q, q). What they send to M is then valid for f' if
what they would have sent to P ∘* M is valid for f, where f' reads no pair (q, q).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Final

from antiphon.composition.guarantees.derivation import Derivation, Mark, Premise
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.protocol.chain import AnyChain, Chain, PostProcessor, chain
from antiphon.protocol.claims import Status
from antiphon.protocol.forwarding import doubtful, forwarding
from antiphon.protocol.measures.kinds import BoundedRange, Measure
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import distinct
from antiphon.protocol.provenance import foreign
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.spaces import Finite, Space
from antiphon.protocol.verification import Verification
from antiphon.verifiers.models import UpdatesAndQueries

THEOREM: Final = "CM Lemma 2.15 (post-processing)"


@rule(THEOREM, AnyChain, Chain, rank=1)
def post_processing(system: AnyChain, f: Verification | None, inquiry: Inquiry) -> Steps:
    """P ∘* M, P the leftmost links that touch answers only, or ask M for more of them."""
    links = tuple(takewhile(lambda link: forwarding(link) is not None, system.links))
    if not links:
        return None
    rest, premises = rest_of(system, len(links)), tuple(map(_forwards, links))
    asks = distinct(ask for link in links for ask in _asks(link))
    if not asks:
        return processed(links, (yield inquiry.of(rest, f)), premises)
    inner = f if f is None or _unread(f, asks) else UpdatesAndQueries(f, Finite(asks))
    inside = yield inquiry.of(rest, inner)
    if not _unread(inside.verification, asks):
        return None
    premises += (_unread_premise(inside.verification, asks),)
    if f is inner:
        return processed(links, inside, premises)
    queries = system.signature.queries
    if any(map(queries.contains, asks)):
        return None
    return processed(links, inside, (*premises, _separate(queries, asks)), f)


def rest_of(system: AnyChain, place: int) -> Mechanism:
    """What stands on the right of the first links."""
    links = system.links[place:]
    return chain(links, system.mechanism) if links else system.mechanism


def processed(
    links: Sequence[PostProcessor],
    inside: Derivation,
    premises: tuple[Premise, ...],
    f: Verification | None = None,
) -> Derivation:
    """What is said of the right of the links, said of the whole: w.r.t. the same f, or another."""
    return Derivation(
        THEOREM,
        lambda: f"{_names(links)} adds no loss",
        inside.verification if f is None else f,
        inside.curve,
        premises,
        (inside,),
        tuple(each for each in inside.measures if _holds_behind(links, each)),
    )


def _holds_behind(links: Sequence[PostProcessor], measure: Measure) -> bool:
    """Whether a measure is that of the whole, too: a range is of one draw of the links' coins.

    Behind coins that nobody sees, the losses of two draws may be 2η apart; see ``BoundedRange``.
    """
    if not isinstance(measure, BoundedRange):
        return True
    return all(link.deterministic is True and foreign(link) is None for link in links)


def _names(links: Sequence[PostProcessor]) -> str:
    return " ∘* ".join(message_label(link, 40) for link in links)


def _asks(link: PostProcessor) -> tuple[object, ...]:
    said = forwarding(link)
    return () if said is None else said.asks


def _forwards(link: PostProcessor) -> Premise:
    said, reason, asks = forwarding(link), doubtful(link), _asks(link)
    assert said is not None
    besides = f", and asks only {_listed(asks)} besides" if asks else ""
    stated = said.status is Status.PROVED
    proof = said.source if stated else "the conformance suite checks it"
    return Premise(
        lambda: f"{message_label(link, 40)} sends queries on unchanged and remembers none{besides}",
        Mark.PROVED if reason is None else Mark.ASSUMED,
        proof if reason is None else reason if stated else f"{said.source}; {reason}",
    )


def _unread(f: Verification, asks: tuple[object, ...]) -> bool:
    """Whether (q, q) leaves f as it was, wherever it stands, for each q that is asked."""
    return type(f) is UpdatesAndQueries and all(map(f.queries.contains, asks))


def _unread_premise(f: Verification, asks: tuple[object, ...]) -> Premise:
    assert type(f) is UpdatesAndQueries
    return _about(f.queries, lambda: f"{_listed(asks)} is a query of {message_label(f)}")


def _separate(queries: Space, asks: tuple[object, ...]) -> Premise:
    return _about(queries, lambda: f"{_listed(asks)} cannot come from the left")


def _about(space: Space, text: Callable[[], str]) -> Premise:
    """What was asked of a space just now: a space of somebody else's may answer otherwise later."""
    reason = foreign(space)
    return Premise(text, Mark.CHECKED if reason is None else Mark.ASSUMED, reason or "")


def _listed(asks: tuple[object, ...]) -> str:
    return ", ".join(message_label(ask, 40) for ask in asks)
