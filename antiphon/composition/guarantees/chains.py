"""Chains: post-processing (CM Lemma 2.15), V[f] ∘* I ∘* M (Cor. 3.8), and IMs as CMs (§3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from antiphon.composition.guarantees.context import Context
from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.inclusion import includes
from antiphon.composition.guarantees.leaves import by_claim
from antiphon.composition.guarantees.lifting import lifted
from antiphon.protocol.adapters import InteractiveAsContinual
from antiphon.protocol.chain import AnyChain, chain
from antiphon.protocol.mechanism import ONLY, ContinualMechanism, Mechanism
from antiphon.protocol.messages import identical
from antiphon.protocol.post_processor import PostProcessor
from antiphon.protocol.provenance import foreign, own
from antiphon.protocol.records.labels import message_label
from antiphon.verifiers.identifier import Identifier
from antiphon.verifiers.models import Bounded, NeighbouringStart, neighbouring_start
from antiphon.verifiers.verifier import Verifier

LEMMA = "CM Lemma 2.15 (post-processing)"


def chained(system: AnyChain, verification: Any, context: Context) -> Derivation:
    """A chain P₁ ∘* … ∘* M, by the parts of it that are known.

    An identifier makes it the game of CM Def. 3.7. Without one, links that touch answers
    only are post-processing, and from the first other link on it is a complex mechanism.
    """
    links = system.links
    for place, link in enumerate(links):
        if isinstance(link, Identifier):
            return _game(system, place, verification, context)
    touching = 0
    while touching < len(links) and links[touching].forwards_queries:
        touching += 1
    if touching == 0:
        return lifted(links, system.mechanism, verification, context)
    rest = _rest(system, touching)
    inside = context.derive(rest, verification, context)
    premises = tuple(_forwards(link) for link in links[:touching])
    return _processed(links[:touching], inside, premises, inside.verification)


def _rest(system: AnyChain, place: int) -> Any:
    """What stands on the right of the first links."""
    links = system.links[place:]
    return chain(links, system.mechanism) if links else system.mechanism


def _processed(
    links: Sequence[PostProcessor],
    inside: Derivation,
    premises: tuple[Premise, ...],
    verification: Any,
) -> Derivation:
    names = " ∘* ".join(message_label(link, 40) for link in links)
    return Derivation(
        LEMMA, f"{names} adds no loss", verification, inside.curve, premises, (inside,)
    )


def _forwards(link: PostProcessor) -> Premise:
    reason = foreign(link)
    return Premise(
        f"{message_label(link, 40)} sends queries on unchanged and remembers none",
        Mark.PROVED if reason is None else Mark.ASSUMED,
        "the conformance suite checks it" if reason is None else f"its class says so; {reason}",
    )


# --- V[f] ∘* I ∘* M ----------------------------------------------------------------------------


def _game(system: AnyChain, place: int, verification: Any, context: Context) -> Derivation:
    """… ∘* V[f] ∘* I ∘* M, an IM with the neighbouring initial states 0 and 1 (CM Cor. 3.8)."""
    theorem, links = "CM Cor. 3.8", system.links
    identifier, verifier = links[place], links[place - 1] if place else None
    if type(verifier) is not Verifier:
        raise NoGuarantee(
            theorem, "a verifier right before the identifier",
            "there is none, so any pair may pass", "chain Verifier(f) @ Identifier() @ M",
        )  # fmt: skip
    if type(identifier) is not Identifier or identifier.bit is not None:
        raise NoGuarantee(
            theorem, "an identifier with both initial states",
            "its bit is fixed, so there are no neighbours", "use Identifier()",
        )  # fmt: skip
    starts = neighbouring_start()
    if verification is not None and not includes(starts, verification):
        raise NoGuarantee(
            theorem, "0 and 1 as the neighbouring initial states",
            f"f is {message_label(verification)}", "leave f out",
        )  # fmt: skip
    rest = _rest(system, place + 1)
    if not isinstance(rest, ContinualMechanism):
        raise NoGuarantee(
            theorem, "a continual mechanism on the right of the identifier",
            f"{message_label(rest, 60)} has several initial states",
            "wrap it: InteractiveAsContinual(M)",
        )  # fmt: skip
    inside = context.derive(rest, verifier.verification, context)
    wired = chain(links[place - 1 :], system.mechanism).links[0]
    if not identical(verifier, wired):
        raise NoGuarantee(
            theorem, "a verifier that refuses what is outside the queries of this M",
            "it was wired to another, or to none", "chain the parts by @",
        )  # fmt: skip
    premise = Premise(f"M is private w.r.t. {message_label(verifier.verification)}", Mark.PROVED,
                      "by the derivation below")  # fmt: skip
    game = Derivation(
        theorem, "V[f] ∘* I ∘* M is as private for 0 ∼ 1 as M is w.r.t. f",
        starts if verification is None else verification, inside.curve, (premise,), (inside,),
    )  # fmt: skip
    outer = links[: place - 1]
    if not outer:
        return game
    premises = tuple(_one_state(link) for link in outer)
    return _processed(outer, game, premises, game.verification)


def _one_state(link: PostProcessor) -> Premise:
    text = f"{message_label(link, 40)} has one initial state"
    if not identical(link.initial_states, ONLY):
        raise NoGuarantee(
            LEMMA, f"that {text}", "it has several: its choice may depend on b", "fix it"
        )
    return Premise(text, Mark.CHECKED)


# --- adapters -----------------------------------------------------------------------------------


def adapted(system: InteractiveAsContinual, verification: Any, context: Context) -> Derivation:
    """An IM as the CM that takes its initial state as its first message (CM §3.3)."""
    mechanism = system.mechanism
    if isinstance(mechanism, AnyChain):
        inside = context.derive(mechanism, verification, context)
    else:
        inside = by_claim(mechanism, verification)
    if not includes(neighbouring_start(), inside.verification):
        raise NoGuarantee(
            ADAPTER,
            "a guarantee of the IM w.r.t. neighbouring_start(relation of its initial states)",
            f"it is w.r.t. {message_label(inside.verification)}",
            "state the IM's claim w.r.t. neighbouring_start(…)",
        )
    starts = _from_initial_states(mechanism, inside.verification)
    if verification is not None and not includes(starts, verification):
        raise NoGuarantee(
            ADAPTER, "an f that lets initial states through first",
            f"{message_label(verification)} lets a first pair through of which a side is a query, "
            "which one world acknowledges and the other refuses",
            "leave f out, or give neighbouring_start(relation, initial=mechanism.initial_states)",
        )  # fmt: skip
    premise = Premise("the first message is the IM's initial state, answered ⊤", Mark.ENFORCED,
                      "by V[f], and the adapter")  # fmt: skip
    return Derivation(
        ADAPTER, "w.r.t. f_∼ the CM is as private as the IM",
        starts if verification is None else verification, inside.curve, (premise,), (inside,),
    )  # fmt: skip


ADAPTER = "IM as a CM (CM §3.3)"


def _from_initial_states(mechanism: Mechanism, f: Any) -> Any:
    """f_∼ whose first pair is one of S^init: V[f] knows only that it is in (S^init ∪ Q)²."""
    if type(f) is Bounded:
        return Bounded(_from_initial_states(mechanism, f.verification), f.pairs)
    assert type(f) is NeighbouringStart
    starts = mechanism.initial_states
    known = own(type(starts))
    if known and starts.includes(mechanism.signature.queries):
        return f
    if f.initial is None:
        return neighbouring_start(f.relation, initial=starts)
    if identical(f.initial, starts) or (known and starts.includes(f.initial)):
        return f  # it may speak of some of them only: no more is promised
    raise NoGuarantee(
        ADAPTER, "an f that lets initial states through first",
        f"the claim is w.r.t. {message_label(f)}, which is not known to",
        "state the IM's claim w.r.t. neighbouring_start(relation, initial=…) of initial states",
    )  # fmt: skip
