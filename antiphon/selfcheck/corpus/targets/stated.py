"""The claims of the corpus: true ones, and false ones that are marked as refuted."""

from __future__ import annotations

from fractions import Fraction

import attrs

from antiphon.numbers import exact
from antiphon.numbers.exact import Epsilon
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.measures.kinds import Approximate, Pure
from antiphon.protocol.verification import Verification

TENTH = Fraction(1, 10)
"""ε₀ of the corpus: what the standard targets claim."""


def whole(instance: object, field: attrs.Attribute[int], value: object) -> None:
    """Validator of an int >= 1."""
    exact.whole(value, field.name)


def claimed(
    verification: Verification,
    status: Status,
    source: str,
    *,
    epsilon: Epsilon,
    delta: object = 0,
) -> tuple[Claim, ...]:
    """One claim of ε- or (ε, δ)-DP, as a mechanism's ``claims`` wants it."""
    measure = Approximate(epsilon, delta) if delta else Pure(epsilon)
    return (Claim(measure, verification, status, source),)
