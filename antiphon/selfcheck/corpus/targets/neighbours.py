"""Relations of neighbouring messages, for the targets of the corpus."""

from fractions import Fraction
from typing import Any

import attrs

from antiphon.numbers import InvalidArgument, exact, named
from antiphon.numbers.exact import Epsilon, fraction
from antiphon.protocol import Approximate, Claim, Pure, Status, Verification, identical, register


@register("antiphon.corpus.TotalWithin/1")
@attrs.frozen
class TotalWithin:
    """A relation on tuples of numbers of one length: the ℓ₁ distance is at most ``distance``."""

    distance: Fraction = attrs.field(default=Fraction(1), converter=named.fraction)

    def holds(self, zero: Any, one: Any) -> bool:
        """Whether the absolute differences of the entries add up to at most ``distance``."""
        if not (type(zero) is type(one) is tuple) or len(zero) != len(one):
            return False
        try:
            gaps = [abs(fraction(a) - fraction(b)) for a, b in zip(zero, one, strict=True)]
        except InvalidArgument:  # An entry that is no number makes the tuples no neighbours.
            return False
        return bool(sum(gaps) <= self.distance)


@register("antiphon.corpus.SameHead/1")
@attrs.frozen
class SameHead:
    """A relation on pairs (a, b): equal public first entries a, and any second entries b."""

    def holds(self, zero: Any, one: Any) -> bool:
        """Whether both are tuples of two entries, with the same first one."""
        if not (type(zero) is type(one) is tuple) or len(zero) != 2 or len(one) != 2:
            return False
        return identical(zero[0], one[0])


TENTH = Fraction(1, 10)
"""The ε₀ = 1/10 that the standard targets of the corpus claim."""


def whole(instance: object, field: "attrs.Attribute[int]", value: object) -> None:
    """A validator of an int >= 1."""
    exact.whole(value, field.name)


def claimed(
    verification: Verification, status: Status, source: str, *, epsilon: Epsilon, delta: object = 0
) -> tuple[Claim, ...]:
    """A tuple with one claim of ε-DP or (ε, δ)-DP, for a mechanism's ``claims``."""
    measure = Approximate(epsilon, delta) if delta else Pure(epsilon)
    return (Claim(measure, verification, status, source),)
