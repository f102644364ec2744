"""CM Lemma 2.15: post-processing adds no loss. Figure: that of what is post-processed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from antiphon.composition.guarantees.derivation import Derivation, Mark, Premise
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.protocol.chain import AnyChain, Chain, chain
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.post_processor import PostProcessor
from antiphon.protocol.provenance import foreign
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.verification import Verification

THEOREM: Final = "CM Lemma 2.15 (post-processing)"


@rule(THEOREM, AnyChain, Chain, rank=1)
def post_processing(system: AnyChain, f: Verification | None, inquiry: Inquiry) -> Steps:
    """P ∘* M, P the leftmost links that touch answers only."""
    links = tuple(takewhile(lambda link: link.forwards_queries, system.links))
    if not links:
        return None
    inside = yield inquiry.of(rest_of(system, len(links)), f)
    return processed(links, inside, tuple(map(_forwards, links)))


def rest_of(system: AnyChain, place: int) -> Mechanism:
    """What stands on the right of the first links."""
    links = system.links[place:]
    return chain(links, system.mechanism) if links else system.mechanism


def processed(
    links: Sequence[PostProcessor], inside: Derivation, premises: tuple[Premise, ...]
) -> Derivation:
    """What is said of the right of the links, said of the whole."""
    f, curve = inside.verification, inside.curve
    return Derivation(
        THEOREM, lambda: f"{_names(links)} adds no loss", f, curve, premises, (inside,),
        inside.measures,
    )  # fmt: skip


def _names(links: Sequence[PostProcessor]) -> str:
    return " ∘* ".join(message_label(link, 40) for link in links)


def _forwards(link: PostProcessor) -> Premise:
    reason = foreign(link)
    return Premise(
        lambda: f"{message_label(link, 40)} sends queries on unchanged and remembers none",
        Mark.PROVED if reason is None else Mark.ASSUMED,
        "the conformance suite checks it" if reason is None else f"its class says so; {reason}",
    )
