"""What a derivation may ask about: other systems, and what may be created."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from antiphon.composition.creation import Create
from antiphon.composition.guarantees.curves import of_measure
from antiphon.composition.guarantees.derivation import Derivation, Mark, Premise
from antiphon.composition.guarantees.leaves import CLAIM, of_claims
from antiphon.protocol.chain import Chain
from antiphon.protocol.claims import Status
from antiphon.protocol.records.labels import message_label

_TRUE = "every creation asserts a true claim (CM Def. 4.4)"
_UNKNOWN = (
    "V[f] refuses creations without a claim or with a refuted one, and can know no more; "
    "pass catalogue=… to have the claims of what may be created looked at"
)


@attrs.frozen
class Context:
    """The user's further word on a question, and the way to ask about a part."""

    derive: Callable[[Any, Any, Context], Derivation]
    catalogue: tuple[Create, ...] | None = None
    """The only creations that are made; None: any that f allows."""
    explored: bool = False
    """Whether the catalogue was found by exploring who creates, not given."""
    max_creations: int | None = None
    """How many mechanisms are created, or at least asked anything, at most."""
    bounded: bool = False
    """Whether f bounds that number, so that it need not be given."""
    inner: Any = None
    """f' of a complex mechanism (CM §6)."""
    truth: str = ""
    """Where it is proved that what is created asserts true claims."""

    def part(self, system: Any, verification: Any, **changes: Any) -> Derivation:
        """The derivation for a part of the system."""
        return self.derive(system, verification, attrs.evolve(self, inner=None, **changes))

    def creations(self) -> tuple[Premise, tuple[Derivation, ...]]:
        """The premise that creations assert true claims, with those that are known."""
        if self.catalogue is not None:
            known = [each for each in self.catalogue if asserted(each)]
            names = ", ".join(message_label(each.mechanism, 40) for each in known[:6])
            shown = f"only these are created: {names or 'none'}{', …' if len(known) > 6 else ''}"
            mark = Mark.CHECKED if self.explored else Mark.GIVEN
            return Premise(_TRUE, mark, shown), tuple(created(each, self) for each in known)
        if self.truth:
            return Premise(_TRUE, Mark.PROVED, self.truth), ()
        return Premise(_TRUE, Mark.ASSUMED, _UNKNOWN), ()


def asserted(create: Create) -> bool:
    """Whether a creation has a claim that is not known to be false: no V[f] lets others pass."""
    return create.claim is not None and create.claim.status is not Status.REFUTED


def created(create: Create, context: Context) -> Derivation:
    """What one creation asserts: a claim of its mechanism, or less (``Create`` sees to that).

    A chain claims what its mechanism does (CM Lemma 2.15): whose word that is, its derivation says.
    """
    assert create.claim is not None
    mechanism = create.mechanism
    if type(mechanism) is not Chain:
        return of_claims(mechanism, [create.claim])
    below = context.part(mechanism, create.claim.verification, catalogue=None)
    leaf = Premise("it is true", Mark.PROVED, "by the derivation below")
    text = f"{message_label(mechanism)}: {message_label(create.claim.measure)}"
    curve = of_measure(create.claim.measure)
    return Derivation(CLAIM, text, create.claim.verification, curve, (leaf,), (below,))
