"""A composition w.r.t. an f that bounds the messages of another, or that no theorem speaks of.

*Fewer messages*, bounded(f, n): the figure is that of f. For an ExtConComp no more than n/2
mechanisms are created and asked, and what is never asked costs nothing.
"""

from __future__ import annotations

from typing import Final

import attrs

from antiphon.composition.concurrent import ConComp, ExtConComp
from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.rulebook import Answer, Inquiry, Steps, rule
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.verification import Verification
from antiphon.verifiers.models import Bounded

FEWER: Final = "fewer sequences"
NONE: Final = "a concurrent composition theorem (CM §4-5)"


@rule(FEWER, ConComp, about=Bounded)
def of_fixed(system: ConComp, f: Bounded, inquiry: Inquiry) -> Steps:
    """As w.r.t. the f that is bounded."""
    return _fewer(f, inquiry)


@rule(FEWER, ExtConComp, about=Bounded)
def of_created(system: ExtConComp, f: Bounded, inquiry: Inquiry) -> Steps:
    """The same, with what f says of the number of creations."""
    most = f.pairs // 2  # what is never asked costs nothing
    if inquiry.max_creations is None or most <= inquiry.max_creations:
        inquiry = attrs.evolve(inquiry, max_creations=most, bounded=True)
    return _fewer(f, inquiry)


def _fewer(f: Bounded, inquiry: Inquiry) -> Steps:
    inside = yield inquiry.of(inquiry.system, f.verification)
    premise = Premise(f"at most {f.pairs:,} messages", Mark.ENFORCED, "by V[f]")
    statement = "the same, as f is as before with fewer messages"
    return Derivation(FEWER, statement, f, inside.curve, (premise,), (inside,), inside.measures)


@rule(NONE, ExtConComp, rank=9)
def no_theorem(system: ExtConComp, f: Verification | None, inquiry: Inquiry) -> Answer:
    """The last to be asked about an ExtConComp: says what would have an answer."""
    raise NoGuarantee(
        NONE,
        "an f of composition: fixed_mechanisms, fixed_parameters, sparse_parallel or, with a "
        "budget, adaptive_parameters",
        "none was given" if f is None else f"it is {message_label(f)}",
        "pass one: guarantee(system, f); --f NAME on the command line",
    )
