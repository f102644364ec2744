"""An IM as the CM that takes its initial state as its first message (CM §3.3).

Figure: that of the IM, w.r.t. f_∼ of its initial states.
"""

from __future__ import annotations

from typing import Final

from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.inclusion import includes
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.protocol.adapters import InteractiveAsContinual
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import identical
from antiphon.protocol.provenance import own
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.verification import Verification
from antiphon.verifiers.models import Bounded, NeighbouringStart, neighbouring_start

THEOREM: Final = "IM as a CM (CM §3.3)"


@rule(THEOREM, InteractiveAsContinual)
def adapted(system: InteractiveAsContinual, f: Verification | None, inquiry: Inquiry) -> Steps:
    """InteractiveAsContinual(M), by what is known of the IM M."""
    mechanism = system.mechanism
    inside = yield inquiry.of(mechanism, f)
    if not includes(neighbouring_start(), inside.verification):
        raise NoGuarantee(
            THEOREM,
            "a guarantee of the IM w.r.t. neighbouring_start(relation of its initial states)",
            f"it is w.r.t. {message_label(inside.verification)}",
            "state the IM's claim w.r.t. neighbouring_start(…)",
        )
    starts = _from_initial_states(mechanism, inside.verification)
    if f is not None and not includes(starts, f):
        raise NoGuarantee(
            THEOREM, "an f that lets initial states through first",
            f"{message_label(f)} lets a first pair through of which a side is a query, "
            "which one world acknowledges and the other refuses",
            "leave f out, or give neighbouring_start(relation, initial=mechanism.initial_states)",
        )  # fmt: skip
    premise = Premise("the first message is the IM's initial state, answered ⊤", Mark.ENFORCED,
                      "by V[f], and the adapter")  # fmt: skip
    return Derivation(
        THEOREM, "w.r.t. f_∼ the CM is as private as the IM",
        starts if f is None else f, inside.curve, (premise,), (inside,),
        inside.measures,
    )  # fmt: skip


def _from_initial_states(mechanism: Mechanism, f: Verification) -> Verification:
    """f_∼ whose first pair is one of S^init: V[f] knows only that it is in (S^init ∪ Q)²."""
    if type(f) is Bounded:
        return Bounded(_from_initial_states(mechanism, f.verification), f.pairs)
    assert type(f) is NeighbouringStart
    starts = mechanism.initial_states
    known = own(type(starts))
    if known and starts.includes(mechanism.signature.queries):
        return f
    if f.initial is None:
        return neighbouring_start(f.relation, initial=starts)
    if identical(f.initial, starts) or (known and starts.includes(f.initial)):
        return f  # it may speak of some of them only: no more is promised
    raise NoGuarantee(
        THEOREM, "an f that lets initial states through first",
        f"the claim is w.r.t. {message_label(f)}, which is not known to",
        "state the IM's claim w.r.t. neighbouring_start(relation, initial=…) of initial states",
    )  # fmt: skip
