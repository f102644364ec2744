"""Group privacy: a claim about one differing pair, for a number of them.

Source: Vadhan 2017, Lemma 2.2; for a CM the hybrids change the differing pairs in turn. Figure:
``GroupCurve``.
"""

from __future__ import annotations

from typing import Final

from antiphon.composition.guarantees.curves import GroupCurve
from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.inclusion import about, group
from antiphon.composition.guarantees.leaves import CLAIM, believed, of_claims
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.verification import Verification

THEOREM: Final = "group privacy (Vadhan 2017, Lemma 2.2)"


@rule(THEOREM, rank=1)
def by_group(system: Mechanism, f: Verification | None, inquiry: Inquiry) -> Steps:
    """By the first claim of whose pairs f has a known number.

    Raises: NoGuarantee: what the mechanism claims is about none of this.
    """
    claims = believed(system)
    f = about(claims[0]) if f is None else f
    for claim in claims:
        size = group(about(claim), f)
        if size is not None:
            leaf = yield from of_claims(system, [claim])
            premise = Premise(f"{size} groups of pairs, each as in the claim", Mark.CHECKED)
            statement = (
                f"{size} steps of what is claimed: hybrids change the differing pairs in turn"
            )
            return Derivation(
                THEOREM, statement, f, GroupCurve(leaf.curve, size), (premise,), (leaf,)
            )
    known = "; ".join(message_label(claim.verification) for claim in claims)
    raise NoGuarantee(
        CLAIM, f"a claim of {message_label(system)} w.r.t. {message_label(f)}",
        f"it claims w.r.t. {known}", "ask for a guarantee w.r.t. that",
    )  # fmt: skip
