"""Concurrent composition of Rényi DP: divergences of every order add up.

Source: Lyu 2022; Vadhan and Zhang 2023. An (ε, δ) claim counts as RR_{ε,0}, but for an event of
probability δ that does not depend on b (CM Lemma 4.6). Figure: of the sum, by conversion.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

from antiphon.composition.accounting.measures import divergence_of
from antiphon.composition.accounting.renyi import from_renyi
from antiphon.composition.concurrent import ConComp
from antiphon.composition.guarantees.curves import shifted
from antiphon.composition.guarantees.derivation import Derivation, NoGuarantee
from antiphon.composition.guarantees.leaves import Leaf, asserted
from antiphon.composition.guarantees.rulebook import Inquiry, rule
from antiphon.composition.guarantees.rules.compositions.fixed_mechanisms import (
    CLAIM_IT,
    given_and_discrete,
    its_own,
    leaves,
)
from antiphon.protocol.measures.kinds import Approximate
from antiphon.protocol.verification import Verification

THEOREM: Final = "concurrent composition of Rényi DP (Lyu 2022; Vadhan and Zhang 2023)"


@rule(THEOREM, ConComp, rank=1)
def fixed_measures(system: ConComp, f: Verification | None, inquiry: Inquiry) -> Leaf:
    """A ConComp with claims of several measures."""
    own = its_own(system, f)
    known = [each.claim for each in own.created if each.claim is not None and asserted(each)]
    if len(known) < len(own.created):
        raise NoGuarantee(
            THEOREM, "a claim of every mechanism", "one has none, or a refuted one", CLAIM_IT
        )
    premises = given_and_discrete(THEOREM, own.created)
    parts = yield from leaves(own.created)
    measures = [claim.measure for claim in known]
    divergences = [divergence_of(measure) for measure in measures]
    deltas = [m.delta for m in measures if isinstance(m, Approximate)]
    lost = 1 - math.prod((1 - delta for delta in deltas), start=Fraction(1))
    curve = from_renyi(lambda order: math.fsum(d(order) for d in divergences) * (1 + 2.0**-50))
    statement = "Rényi divergences of every order add up"
    return Derivation(THEOREM, statement, own, shifted(curve, lost), premises, parts)
