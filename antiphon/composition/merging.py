"""When two pairs of runs go on alike, so that one of them need not be explored (CM §6.1).

What P does next is a function of its state, and what may be said to it of what it has sent.
Of what was created nothing matters but how it may be asked, what it may answer, and what it
claims: a mechanism's own parameters, such as the histogram that a sparse vector begins with,
are forgotten.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import attrs

from antiphon.composition.as_is import bare
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.validity import Suitable, SuitableState
from antiphon.numbers.interning import fingerprint
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.provenance import claims_of, own
from antiphon.protocol.verification import Verification


def extended(mechanism: ContinualMechanism) -> bool:
    """Whether it is an ExtConComp without a budget, certified or not."""
    inner = bare(mechanism)
    return type(inner) is ExtConComp and inner.budget is None


@attrs.frozen(eq=False)
class FromOutside:
    """Creations, numbered: those that nobody can tell apart from outside have one number."""

    _numbers: dict[Hashable, int] = attrs.field(factory=dict[Hashable, int])
    _met: dict[int, tuple[Create, int]] = attrs.field(factory=dict[int, tuple[Create, int]])
    """By ``id``, with the object, whose ``id`` no other has while it is kept."""

    def number(self, created: Create) -> int:
        """Of its spaces, its claims, and whether more is created in it."""
        met = self._met.get(id(created))
        if met is None:
            mechanism = created.mechanism
            known = mechanism.signature, claims_of(mechanism), created.claim, extended(mechanism)
            number = self._numbers.setdefault(fingerprint(known), len(self._numbers))
            met = self._met[id(created)] = created, number
        return met[1]

    def state(self, f: Verification, state: Any) -> Hashable:
        """A state of f', with numbers for its creations, if f' is known to read no more of them.

        Known are this library's functions of suitable sequences; others are told everything.
        """
        kind = type(f)
        if type(state) is not SuitableState or not (own(kind) and issubclass(kind, Suitable)):
            return fingerprint(state)
        children = [
            (self.number(created), self._inside(created, within), differed, asked)
            for created, within, differed, asked in state.children
        ]
        return tuple(children), fingerprint(state.purse)

    def _inside(self, created: Create, state: Any) -> Hashable:
        claim = created.claim
        return fingerprint(state) if claim is None else self.state(claim.verification, state)
