"""A composition w.r.t. bounded(f, n): adversaries w.r.t. f who send at most n messages.

Figure: that of f. For an ExtConComp no more than n/2 mechanisms are created and asked, and what
is never asked costs nothing.
"""

from __future__ import annotations

from typing import Final

import attrs

from antiphon.composition.concurrent import ConComp, ExtConComp
from antiphon.composition.guarantees.derivation import Derivation, Mark, Premise
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.verifiers.models import Bounded

THEOREM: Final = "fewer sequences"


@rule(THEOREM, ConComp, about=Bounded)
def of_fixed(system: ConComp, f: Bounded, inquiry: Inquiry) -> Steps:
    """As w.r.t. the f that is bounded."""
    return _fewer(f, inquiry)


@rule(THEOREM, ExtConComp, about=Bounded)
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
    return Derivation(THEOREM, statement, f, inside.curve, (premise,), (inside,), inside.measures)
