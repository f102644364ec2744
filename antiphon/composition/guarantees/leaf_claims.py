"""The leaves of a derivation: the claims of a mechanism, and the claim that a creation asserts."""

from collections.abc import Generator, Sequence
from typing import Final, TypeAlias

from antiphon.composition.accounting.bounds import least_curve, of_measure
from antiphon.composition.creation import Create
from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.inclusion import verification_of
from antiphon.composition.guarantees.rulebook import Derived, Inquiry
from antiphon.protocol import Chain, Claim, Mechanism, Status, identical, message_label
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.claims import CERTAIN
from antiphon.protocol.elsewhere import elsewhere
from antiphon.protocol.provenance import claims_of, is_library_code, why_assumed, why_untrusted

CLAIM: Final = "the mechanism's claim"
BY_DISTANCE: Final = "the mechanism's claim, by distance"
Leaf: TypeAlias = Generator[Inquiry, Derivation, Derivation]
"""A generator that returns a derivation step; before, it may yield an inquiry (what does a part
guarantee?), and is sent its derivation."""


def believed_claims(mechanism: Mechanism) -> list[Claim]:
    """The mechanism's claims that are not refuted, proved ones first.

    Raises: NoGuarantee if there is none.
    """
    claims = claims_of(mechanism)
    if not claims:
        raise NoGuarantee(
            CLAIM, f"a claim of {message_label(mechanism)}", "it has none",
            "give its class a claims property, or pass claims=… to @mechanism",
        )  # fmt: skip
    known = [claim for claim in claims if claim.status is not Status.REFUTED]
    if not known:
        raise NoGuarantee(
            CLAIM, f"a true claim of {message_label(mechanism)}",
            f"it is refuted ({claims[0].source})",
            "use another mechanism",
        )  # fmt: skip
    return sorted(known, key=lambda claim: -claim.status.certainty)


def of_claims(mechanism: Mechanism, claims: Sequence[Claim], stated: str = "claims") -> Leaf:
    """The derivation step of some claims of one mechanism, w.r.t. one f and of one status.

    A claim that this library derived is derived again, as its parts may have changed since.
    ``stated``: the attribute of the mechanism that states the claims.
    """
    below: tuple[Derivation, ...] = ()
    reason: str | None = None
    basis = _basis(mechanism)
    if basis is None:
        reason = why_assumed(mechanism, stated)
    else:
        again = yield basis.inquiry
        implied = again.claims(basis.delta)
        if not all(any(map(claim.follows_from, implied)) for claim in claims):
            reason = "it no longer follows from what it was derived from"
        below = (again,)
    measures = tuple([claim.measure for claim in claims])
    return Derivation(
        CLAIM if stated == "claims" else BY_DISTANCE,
        lambda: _claims(mechanism, claims),
        verification_of(claims[0]),
        least_curve(list(map(of_measure, measures))),
        (_true(mechanism, claims, reason, below),),
        below,
        measures,
    )


def _claims(mechanism: Mechanism, claims: Sequence[Claim]) -> str:
    shown = ", ".join(message_label(claim.measure) for claim in claims)
    text = f"{message_label(mechanism)}: {shown}"
    if isinstance(mechanism, NoninteractiveMechanism):
        text += "; a NIM as a CM, whose dataset is the first message (CM §3.3)"
    return text


def _basis(mechanism: Mechanism) -> Derived | None:
    """The inquiry (system and f) from which a mechanism of this library derived its claims; None if
    it did not."""
    found = getattr(mechanism, "derived", None) if is_library_code(type(mechanism)) else None
    return found if type(found) is Derived else None


def _true(
    mechanism: Mechanism, claims: Sequence[Claim], reason: str | None, below: tuple[Derivation, ...]
) -> Premise:
    """The premise that claims are true, by their source; assumed if ``reason`` raises a doubt."""
    proved = reason is None and claims[0].status in CERTAIN

    def evidence() -> str:
        sources = dict.fromkeys(claim.source for claim in claims)
        text = "; ".join(filter(None, [*sources, reason, elsewhere(mechanism)]))
        alien = not below and why_untrusted(mechanism) is not None
        return f"{text}; a part that is not this library's: try ap.check on it" if alien else text

    return Premise("it is true", Mark.PROVED if proved else Mark.ASSUMED, evidence)


_TRUE: Final = "every creation asserts a true claim (CM Def. 4.4)"
_UNKNOWN: Final = (
    "V[f] refuses creations without a claim or with a refuted one, and can check no more; "
    "pass catalogue=… with all that may be created, and their claims are checked"
)


def has_asserted_claim(create: Create) -> bool:
    """Whether a creation asserts a claim that is not known to be false."""
    return create.claim is not None and create.claim.status is not Status.REFUTED


def created(create: Create, *, others: bool = False) -> Leaf:
    """The derivation step of one creation: that its asserted claim is true.

    With ``others``, also all claims of its mechanism w.r.t. the same f' that are as certain.

    A chain has the claims of its mechanism (CM Lemma 2.15), with their source in its derivation.
    That may be about another claim of the mechanism, so it never turns an assumed claim into a
    proved one.
    """
    mechanism, claim = create.mechanism, create.claim
    assert claim is not None
    if type(mechanism) is not Chain:
        return (yield from of_claims(mechanism, [claim, *(_others(create) if others else ())]))
    below = yield Inquiry(mechanism, verification_of(claim))
    said = claim.status in CERTAIN or below.status is Status.ASSUMED
    leaf = Premise(
        "it is true",
        Mark.PROVED if said else Mark.ASSUMED,
        "by the derivation below" if said else claim.source,
    )
    statement, curve = lambda: _claims(mechanism, [claim]), of_measure(claim.measure)
    measures = (claim.measure, *(below.measures if others else ()))
    return Derivation(CLAIM, statement, verification_of(claim), curve, (leaf,), (below,), measures)


def _others(create: Create) -> list[Claim]:
    """The mechanism's other claims w.r.t. the same f', as certain as the asserted one."""
    claim = create.claim
    assert claim is not None
    return [
        each
        for each in claims_of(create.mechanism)
        if each.status.certainty >= claim.status.certainty
        and not identical(each.measure, claim.measure)
        and identical(each.verification, claim.verification)
    ]


Leaves: TypeAlias = Generator[Inquiry, Derivation, "tuple[Derivation, ...]"]
Creations: TypeAlias = Generator[Inquiry, Derivation, "tuple[Premise, tuple[Derivation, ...]]"]


def creations(inquiry: Inquiry) -> Creations:
    """The premise that all creations assert true claims, and derivations of the known creations."""
    if inquiry.catalogue is not None:
        known = list(filter(has_asserted_claim, inquiry.catalogue))
        parts: list[Derivation] = []
        for each in known:
            parts.append((yield from created(each)))
        mark = Mark.CHECKED if inquiry.explored else Mark.GIVEN
        return Premise(_TRUE, mark, lambda: _only(known)), tuple(parts)
    if inquiry.truth:
        return Premise(_TRUE, Mark.PROVED, inquiry.truth), ()
    return Premise(_TRUE, Mark.ASSUMED, _UNKNOWN), ()


def _only(known: Sequence[Create]) -> str:
    names = ", ".join(message_label(each.mechanism, 40) for each in known[:6])
    return f"only these are created: {names or 'none'}{', …' if len(known) > 6 else ''}"
