"""By construction: a mechanism that says by a ``chain`` of what parts it is made.

It is as private as that chain. Figure: the chain's.
"""

from __future__ import annotations

from typing import Final

from antiphon.composition.guarantees.derivation import Derivation, Mark, Premise
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.protocol.chain import AnyChain
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.provenance import foreign
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.verification import Verification

THEOREM: Final = "by construction"


@rule(THEOREM, rank=-1)
def by_construction(system: Mechanism, f: Verification | None, inquiry: Inquiry) -> Steps:
    """Before its claims are asked for: the chain is known in more detail."""
    chain: object = getattr(system, "chain", None)
    if not isinstance(chain, AnyChain):
        return None
    inside = yield inquiry.of(chain, f)
    reason = foreign(system, but_created=True)  # its parts are looked at below
    premise = Premise(
        lambda: f"{message_label(system, 40)} is its chain of parts",
        Mark.PROVED if reason is None else Mark.ASSUMED,
        "its class says so" if reason is None else f"its class says so; {reason}",
    )
    statement = "it is as private as the chain it is made of"
    f, curve = inside.verification, inside.curve
    return Derivation(THEOREM, statement, f, curve, (premise,), (inside,), inside.measures)
