"""A mechanism's claim, by whoever proved it; and w.r.t. every f of which it says something.

Claims with the same f are taken together: each holds, so the least δ does. What they say of the f
that was asked about, ``derive`` says: fewer sequences, or group privacy.

*By distance*: neighbours further apart, or nearer, than those of the claim. A mechanism with
``claims_at(distance)`` says what its very noise, or weights, promise neighbours so far apart: for
smooth Rényi DP, but in any measure. Figure: that claim's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from antiphon.composition.guarantees.derivation import NoGuarantee
from antiphon.composition.guarantees.inclusion import about, includes, says
from antiphon.composition.guarantees.leaves import BY_DISTANCE, CLAIM, believed, of_claims
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import identical
from antiphon.protocol.provenance import claims_of, doubt, plain_claims
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.verification import Verification
from antiphon.verifiers.models import NeighbouringStart
from antiphon.verifiers.spread import distance_of


@rule(CLAIM)
def by_claim(system: Mechanism, f: Verification | None, inquiry: Inquiry) -> Steps:
    """What the mechanism claims w.r.t. f, or of what f follows from it.

    Raises: NoGuarantee without a claim, with refuted ones only, or where none says anything of f.
    """
    claims = believed(system)
    f = about(claims[0]) if f is None else f
    direct = [claim for claim in claims if includes(about(claim), f)]
    base = _narrowest(direct) if direct else _in_steps(system, claims, f)
    alike = [claim for claim in claims if claim.status is base.status]
    alike = [claim for claim in alike if identical(claim.verification, base.verification)]
    return (yield from of_claims(system, alike))


def _in_steps(system: Mechanism, claims: list[Claim], f: Verification) -> Claim:
    """The first claim of whose pairs f has a known number. Raises: NoGuarantee if there is none."""
    for claim in claims:
        if says(about(claim), f):
            return claim
    known = "; ".join(message_label(claim.verification) for claim in claims)
    raise NoGuarantee(
        CLAIM, f"a claim of {message_label(system)} w.r.t. {message_label(f)}",
        f"it claims w.r.t. {known}", "ask for a guarantee w.r.t. that",
    )  # fmt: skip


def _narrowest(claims: list[Claim]) -> Claim:
    """Of those as sure as the first, the one about the fewest sequences, as far as is known."""
    best = claims[0]
    for each in claims[1:]:
        if each.status is best.status and not includes(about(each), about(best)):
            best = each if includes(about(best), about(each)) else best
    return best


# --- by distance ----------------------------------------------------------------------------------


@rule(BY_DISTANCE, about=NeighbouringStart)
def by_distance(system: Mechanism, f: NeighbouringStart, inquiry: Inquiry) -> Steps:
    """What the mechanism says of neighbours as far apart as those of f; None where it does not.

    Its claims say themselves of which f they are: a relation of another form is not included.
    """
    said: Callable[[Any], Any] | None = getattr(system, "claims_at", None)
    distance = distance_of(f.relation)
    if said is None or distance is None or distance < 0:
        return None
    stated = claims_of(system)
    if any(identical(each.verification, f) for each in stated):
        return None
    if not all(map(_known, stated)) and doubt(system, "claims_at") is not None:
        return None  # what it inherits is no better than what it says itself
    claims = sorted(filter(_known, plain_claims(system, said(distance))), key=_certain)
    direct = [each for each in claims if includes(about(each), f)]
    if not direct:
        return None
    base = direct[0]
    alike = [each for each in direct if each.status is base.status]
    alike = [each for each in alike if identical(each.verification, base.verification)]
    return (yield from of_claims(system, alike, "claims_at"))


def _known(claim: Claim) -> bool:
    return claim.status is not Status.REFUTED


def _certain(claim: Claim) -> int:
    return -claim.status.certainty
