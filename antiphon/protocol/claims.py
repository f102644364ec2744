"""Claims: the privacy that a mechanism promises, as data (law 10 in CONTRIBUTING.md)."""

from __future__ import annotations

import enum
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import attrs

from antiphon.numbers import exact
from antiphon.numbers.errors import CompositionError, InvalidArgument, of_kind
from antiphon.protocol.measures.conversions import at_delta, implies
from antiphon.protocol.measures.kinds import MEASURES, Measure, parameters_of
from antiphon.protocol.messages import identical
from antiphon.protocol.registry import EXAMPLE, register
from antiphon.protocol.verification import Verification


@register("antiphon.Status/1")
class Status(enum.Enum):
    """How far a claim can be relied on."""

    MACHINE_CHECKED = "machine-checked"
    """A checked certificate proves the privacy figure of this very system (``MachineChecked``)."""
    PROVED = "proved"
    """The cited source contains a proof of the claim."""
    ASSUMED = "assumed"
    """It is not known whether the claim is true."""
    REFUTED = "refuted"
    """The claim is known to be false."""

    @property
    def certainty(self) -> int:
        """The certainty as a number: refuted 0, assumed 1, proved 2, machine-checked 3."""
        return ("refuted", "assumed", "proved", "machine-checked").index(self.value)


CERTAIN: Final = (Status.PROVED, Status.MACHINE_CHECKED)
"""The statuses of a claim that counts as true."""


def _plain(*kinds: type) -> Callable[[object, attrs.Attribute[Any], object], None]:
    """An attrs validator: the value's exact type is one of the given types; no subclass counts."""

    def check(_: object, field: attrs.Attribute[Any], value: object) -> None:
        if type(value) not in kinds:
            names = " or ".join(kind.__name__ for kind in kinds)
            raise InvalidArgument(
                f"the {field.name} of a claim is a plain {names}, not {of_kind(value)}"
            )

    return check


@register("antiphon.Claim/1")
@attrs.frozen
class Claim:
    """The claim that a mechanism has the privacy ``measure`` w.r.t. the verification function f (CM
    Def. 3.7).

    Raises: InvalidArgument for a measure, status or source of another type, subclasses included.
    """

    measure: Measure = attrs.field(validator=_plain(*MEASURES))
    verification: Verification
    status: Status = attrs.field(validator=_plain(Status), metadata={EXAMPLE: "Status.ASSUMED"})
    source: str = attrs.field(validator=_plain(str), metadata={EXAMPLE: "'where it is shown'"})

    @property
    def parameters(self) -> tuple[exact.ExactEpsilon, Fraction]:
        """The claim's ε and δ as exact numbers, in the form in which a message ``Create`` states
        them.

        Raises: CompositionError for a measure without a single (ε, δ).
        """
        stated = parameters_of(self.measure)
        if stated is None:
            raise CompositionError(
                f"{of_kind(self.measure)} claim has no single (epsilon, delta); "
                "pass Create(mechanism, claim.at(delta))"
            )
        return stated

    def at(self, delta: object) -> Claim:
        """The claim of (ε, δ)-DP at this δ that this claim implies; ε is rounded up
        (``approximate``).

        Raises: CompositionError if this claim implies no (ε, δ) with this δ.
        """
        given = exact.probability(delta)
        stated = parameters_of(self.measure)
        if stated is not None and stated[1] <= given:
            return self
        found = at_delta(self.measure, given)
        if found is None:
            least = "" if stated is None else f"with δ = {stated[1]} "
            raise CompositionError(
                f"{of_kind(self.measure)} claim {least}implies none for δ = {given}: give "
                "a larger delta, or pass the system to ap.guarantee, whose curve has every point"
            )
        return attrs.evolve(self, measure=found, source=f"{self.source}; as (ε, δ)")

    def follows_from(self, other: Claim) -> bool:
        """Whether the claim ``other`` implies this claim: it has the same verification function, a
        measure that implies this measure, and no lower status.

        No claim is implied with more certainty than its premise has: an assumed claim implies no
        proved one, and a refuted claim implies refuted ones only.
        """
        if self is other:
            return True
        if self.status.certainty > other.status.certainty:
            return False
        if not identical(self.verification, other.verification):
            return False
        return implies(other.measure, self.measure)
