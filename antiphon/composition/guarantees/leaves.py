"""Guarantees of a single mechanism: its claims, fewer sequences, and groups."""

from __future__ import annotations

from typing import Any

from antiphon.composition.guarantees.curves import GroupCurve, least, of_measure
from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.inclusion import group, includes
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.messages import identical
from antiphon.protocol.provenance import claims_of, doubt, foreign, own
from antiphon.protocol.records.labels import message_label

CLAIM = "the mechanism's claim"


def by_claim(mechanism: Any, verification: Any) -> Derivation:
    """What the mechanism claims w.r.t. f, or what follows from it for an f that allows less.

    Claims with the same f are taken together: each holds, so the least δ does.
    Raises: NoGuarantee without a claim, with refuted ones only, or with none about f.
    """
    claims = _believed(mechanism)
    if verification is None:
        verification = claims[0].verification
    direct = [claim for claim in claims if includes(claim.verification, verification)]
    if not direct:
        return _by_group(mechanism, verification, claims)
    base = direct[0]
    alike = [claim for claim in direct if claim.status is base.status]
    alike = [claim for claim in alike if identical(claim.verification, base.verification)]
    leaf = of_claims(mechanism, alike)
    return leaf if identical(base.verification, verification) else _fewer(leaf, verification)


def _believed(mechanism: Any) -> list[Claim]:
    """Its claims that are not refuted, the proved ones first."""
    label, claims = message_label(mechanism), claims_of(mechanism)
    if not claims:
        raise NoGuarantee(
            CLAIM, f"a claim of {label}", "it has none",
            "give its class a claims property, or pass claims=… to @mechanism",
        )  # fmt: skip
    believed = [claim for claim in claims if claim.status is not Status.REFUTED]
    if not believed:
        raise NoGuarantee(
            CLAIM, f"a true claim of {label}", f"it is refuted ({claims[0].source})",
            "use another mechanism",
        )  # fmt: skip
    return sorted(believed, key=lambda claim: -claim.status.certainty)


def of_claims(mechanism: Any, claims: list[Claim]) -> Derivation:
    """Claims of one status w.r.t. one f, as a leaf."""
    shown = ", ".join(message_label(claim.measure) for claim in claims)
    text = f"{message_label(mechanism)}: {shown}"
    if isinstance(mechanism, NoninteractiveMechanism):
        text += "; a NIM as a CM, whose dataset is the first message (CM §3.3)"
    curve = least([of_measure(claim.measure) for claim in claims])
    below = derived(mechanism)
    return Derivation(
        CLAIM, text, claims[0].verification, curve, (_true(mechanism, claims, below),),
        () if below is None else (below,),
    )  # fmt: skip


def _true(mechanism: Any, claims: list[Claim], below: Derivation | None) -> Premise:
    """That the claims are true: by their source, unless it is not about this very object."""
    text, source = "it is true", "; ".join(dict.fromkeys(claim.source for claim in claims))
    reason = None if below is not None else doubt(mechanism, "claims")
    proved = all(claim.status is Status.PROVED for claim in claims) and reason is None
    evidence = source if reason is None else f"{source}; {reason}"
    if foreign(mechanism) is not None:
        evidence += "; a part that is not this library's: try ap.check on it"
    return Premise(text, Mark.PROVED if proved else Mark.ASSUMED, evidence)


def derived(mechanism: Any) -> Derivation | None:
    """Whence the claims of a mechanism of this library that were derived; None of another."""
    kind: Any = type(mechanism)  # pyright: ignore[reportUnknownVariableType]
    found = getattr(mechanism, "derived", None) if own(kind) else None
    return found if type(found) is Derivation else None


def _fewer(leaf: Derivation, verification: Any) -> Derivation:
    premise = Premise(
        f"every sequence valid for {message_label(verification)} is valid for "
        f"{message_label(leaf.verification)}",
        Mark.CHECKED,
    )
    return Derivation(
        "fewer sequences", "the same, as every adversary w.r.t. this f is one w.r.t. that",
        verification, leaf.curve, (premise,), (leaf,),
    )  # fmt: skip


def _by_group(mechanism: Any, verification: Any, claims: list[Claim]) -> Derivation:
    for claim in claims:
        size = group(claim.verification, verification)
        if size is not None:
            leaf = of_claims(mechanism, [claim])
            return Derivation(
                "group privacy (Vadhan 2017, Lemma 2.2)",
                f"{size} steps of what is claimed: hybrids change the differing pairs in turn",
                verification,
                GroupCurve(leaf.curve, size),
                (Premise(f"{size} groups of pairs, each as in the claim", Mark.CHECKED),),
                (leaf,),
            )
    known = "; ".join(message_label(claim.verification) for claim in claims)
    raise NoGuarantee(
        CLAIM, f"a claim of {message_label(mechanism)} w.r.t. {message_label(verification)}",
        f"it claims w.r.t. {known}", "ask for a guarantee w.r.t. that",
    )  # fmt: skip
