"""Claims indexed by distance: neighbours further apart, or nearer, than those of the claim.

A mechanism with ``claims_at(distance)`` says what its very noise, or weights, promise neighbours
so far apart: for smooth Rényi DP, but in any measure. Figure: that claim's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from antiphon.composition.guarantees.inclusion import about, includes
from antiphon.composition.guarantees.leaves import BY_DISTANCE, of_claims
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import identical
from antiphon.protocol.provenance import claims_of, doubt, plain_claims
from antiphon.verifiers.models import NeighbouringStart
from antiphon.verifiers.spread import distance_of


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
