"""A mechanism's claim, by whoever proved it; and w.r.t. every f of which it says something.

Claims with the same f are taken together: each holds, so the least δ does. What they say of the f
that was asked about, ``derive`` says: fewer sequences, or group privacy.
"""

from __future__ import annotations

from antiphon.composition.guarantees.derivation import NoGuarantee
from antiphon.composition.guarantees.inclusion import about, includes, says
from antiphon.composition.guarantees.leaves import CLAIM, believed, of_claims
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.protocol.claims import Claim
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import identical
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.verification import Verification


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
