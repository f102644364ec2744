"""A mechanism's claim, by whoever proved it; and w.r.t. every f that allows no more.

Claims with the same f are taken together: each holds, so the least δ does. Every adversary w.r.t.
the narrower f is one w.r.t. the claim's.
"""

from __future__ import annotations

from typing import Final

from antiphon.composition.guarantees.derivation import Derivation, Mark, Premise
from antiphon.composition.guarantees.inclusion import about, includes
from antiphon.composition.guarantees.leaves import CLAIM, believed, of_claims
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.protocol.claims import Claim
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import identical
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.verification import Verification

FEWER: Final = "fewer sequences"


@rule(CLAIM)
def by_claim(system: Mechanism, f: Verification | None, inquiry: Inquiry) -> Steps:
    """What the mechanism claims w.r.t. f, or what follows from it for an f that allows less.

    Raises: NoGuarantee without a claim, or with refuted ones only.
    """
    claims = believed(system)
    f = about(claims[0]) if f is None else f
    direct = [claim for claim in claims if includes(about(claim), f)]
    if not direct:
        return None
    base = _narrowest(direct)
    alike = [claim for claim in direct if claim.status is base.status]
    alike = [claim for claim in alike if identical(claim.verification, base.verification)]
    leaf = yield from of_claims(system, alike)
    return leaf if identical(base.verification, f) else fewer(leaf, f)


def _narrowest(claims: list[Claim]) -> Claim:
    """Of those as sure as the first, the one about the fewest sequences, as far as is known."""
    best = claims[0]
    for each in claims[1:]:
        if each.status is best.status and not includes(about(each), about(best)):
            best = each if includes(about(best), about(each)) else best
    return best


def fewer(leaf: Derivation, f: Verification) -> Derivation:
    """What holds w.r.t. an f, said of one that allows less."""
    premise = Premise(lambda: _narrower(f, leaf.verification), Mark.CHECKED)
    statement = "the same, as every adversary w.r.t. this f is one w.r.t. that"
    return Derivation(FEWER, statement, f, leaf.curve, (premise,), (leaf,), leaf.measures)


def _narrower(f: Verification, wider: Verification) -> str:
    return f"every sequence valid for {message_label(f)} is valid for {message_label(wider)}"
