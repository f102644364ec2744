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
        """Whether the distances of the entries sum to no more than ``distance``."""
        if not (type(zero) is type(one) is tuple) or len(zero) != len(one):
            return False
        try:
            gaps = [abs(fraction(a) - fraction(b)) for a, b in zip(zero, one, strict=True)]
        except InvalidArgument:  # An entry of one of the tuples is not a number.
            return False
        return bool(sum(gaps) <= self.distance)


@register("antiphon.corpus.SameHead/1")
@attrs.frozen
class SameHead:
    """A relation on pairs (a, b): the public first entries are equal, the second ones are free."""

    def holds(self, zero: Any, one: Any) -> bool:
        """Whether both are tuples of two with the same first entry."""
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
    """One claim of ε-DP or (ε, δ)-DP, as the tuple that a mechanism's ``claims`` returns."""
    measure = Approximate(epsilon, delta) if delta else Pure(epsilon)
    return (Claim(measure, verification, status, source),)
