"""Concurrent composition w.r.t. any other f: no theorem of CM §4-5 speaks of it."""

from __future__ import annotations

from typing import Final

from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.guarantees.derivation import NoGuarantee
from antiphon.composition.guarantees.rulebook import Answer, Inquiry, rule
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.verification import Verification

THEOREM: Final = "a concurrent composition theorem (CM §4-5)"


@rule(THEOREM, ExtConComp, rank=9)
def no_theorem(system: ExtConComp, f: Verification | None, inquiry: Inquiry) -> Answer:
    """The last to be asked about an ExtConComp: says what would have an answer."""
    raise NoGuarantee(
        THEOREM,
        "an f of composition: fixed_mechanisms, fixed_parameters, sparse_parallel or, with a "
        "budget, adaptive_parameters",
        "none was given" if f is None else f"it is {message_label(f)}",
        "pass one: guarantee(system, f); --f NAME on the command line",
    )
