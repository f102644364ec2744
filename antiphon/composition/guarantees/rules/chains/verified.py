"""CM Cor. 3.8: V[f] ∘* I ∘* M is as private for 0 ∼ 1 as M is w.r.t. f. Figure: that of M.

Links on its left with one initial state each are post-processing of it (Lemma 2.15).
"""

from __future__ import annotations

from typing import Final

from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.inclusion import includes
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.composition.guarantees.rules.chains import post_processing
from antiphon.composition.guarantees.rules.chains.post_processing import processed, rest_of
from antiphon.protocol.chain import AnyChain, Chain, PostProcessor, chain
from antiphon.protocol.mechanism import ONLY, ContinualMechanism
from antiphon.protocol.messages import identical
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.verification import Verification
from antiphon.verifiers.identifier import Identifier
from antiphon.verifiers.models import neighbouring_start
from antiphon.verifiers.verifier import Verifier

THEOREM: Final = "CM Cor. 3.8"


@rule(THEOREM, AnyChain, Chain)
def game(system: AnyChain, f: Verification | None, inquiry: Inquiry) -> Steps:
    """… ∘* V[f] ∘* I ∘* M, an IM with the neighbouring initial states 0 and 1."""
    links = system.links
    place = next((at for at, link in enumerate(links) if isinstance(link, Identifier)), None)
    if place is None:
        return None
    verifier, starts = _verifier(links, place), _starts(f)
    rest = rest_of(system, place + 1)
    if not isinstance(rest, ContinualMechanism):
        raise NoGuarantee(
            THEOREM, "a continual mechanism on the right of the identifier",
            f"{message_label(rest, 60)} has several initial states",
            "wrap it: InteractiveAsContinual(M)",
        )  # fmt: skip
    inside = yield inquiry.of(rest, verifier.verification)
    wired = chain(links[place - 1 :], system.mechanism).links[0]
    if not identical(verifier, wired):
        raise NoGuarantee(
            THEOREM, "a verifier that refuses what is outside the queries of this M",
            "it was wired to another, or to none", "chain the parts by @",
        )  # fmt: skip
    premise = Premise(
        lambda: f"M is private w.r.t. {message_label(verifier.verification)}",
        Mark.PROVED,
        "by the derivation below",
    )
    statement = "V[f] ∘* I ∘* M is as private for 0 ∼ 1 as M is w.r.t. f"
    found = Derivation(
        THEOREM, statement, starts, inside.curve, (premise,), (inside,), inside.measures
    )
    outer = links[: place - 1]
    return processed(outer, found, tuple(map(_one_state, outer))) if outer else found


def _verifier(links: tuple[PostProcessor, ...], place: int) -> Verifier:
    """The verifier that guards the identifier. Raises: NoGuarantee if they make no game."""
    identifier, verifier = links[place], links[place - 1] if place else None
    if type(verifier) is not Verifier:
        raise NoGuarantee(
            THEOREM, "a verifier right before the identifier",
            "there is none, so any pair may pass", "chain Verifier(f) @ Identifier() @ M",
        )  # fmt: skip
    if type(identifier) is not Identifier or identifier.bit is not None:
        raise NoGuarantee(
            THEOREM, "an identifier with both initial states",
            "its bit is fixed, so there are no neighbours", "use Identifier()",
        )  # fmt: skip
    return verifier


def _starts(f: Verification | None) -> Verification:
    """f_∼ with 0 ∼ 1, or the narrower f that was asked about."""
    starts = neighbouring_start()
    if f is not None and not includes(starts, f):
        raise NoGuarantee(
            THEOREM, "0 and 1 as the neighbouring initial states",
            f"f is {message_label(f)}", "leave f out",
        )  # fmt: skip
    return starts if f is None else f


def _one_state(link: PostProcessor) -> Premise:
    text = f"{message_label(link, 40)} has one initial state"
    if not identical(link.initial_states, ONLY):
        raise NoGuarantee(
            post_processing.THEOREM, f"that {text}",
            "it has several: its choice may depend on b", "fix it",
        )  # fmt: skip
    return Premise(text, Mark.CHECKED)
