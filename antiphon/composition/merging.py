"""When two pairs of runs go on alike, so that one of them need not be explored (CM §6.1).

What P does next is a function of its state, and what may be said to it of what it has sent.
Of what was created long ago nothing matters but how it may be asked, what it may answer, and
what it claims: a mechanism's own parameters, such as the histogram that a sparse vector begins
with, are forgotten.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from antiphon.composition.as_is import bare
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.validity import Suitable, SuitableState
from antiphon.numbers.interning import fingerprint
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.provenance import own
from antiphon.protocol.verification import Verification


def from_outside(created: Create) -> Hashable:
    """What others know of a creation: its spaces and claims, and whether more is created in it."""
    return created.from_outside, extended(created.mechanism)


def state_of(f: Verification, state: Any) -> Hashable:
    """A state of f', with its creations seen from outside, if f' is known to see no more of them.

    Known are this library's functions of suitable sequences; others are told everything.
    """
    kind = type(f)
    if type(state) is not SuitableState or not (own(kind) and issubclass(kind, Suitable)):
        return fingerprint(state)
    children = (
        (from_outside(created), _inside(created, within), differed, asked)
        for created, within, differed, asked in state.children
    )
    return tuple(children), fingerprint(state.purse)


def _inside(created: Create, state: Any) -> Hashable:
    claim = created.claim
    return fingerprint(state) if claim is None else state_of(claim.verification, state)


def extended(mechanism: ContinualMechanism) -> bool:
    """Whether it is an ExtConComp without a budget, certified or not."""
    inner = bare(mechanism)
    return type(inner) is ExtConComp and inner.budget is None
