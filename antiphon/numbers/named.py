"""Converters for attrs classes that know the name of their field, for error messages.

``rho: Fraction = attrs.field(converter=named.positive)`` raises "rho must be positive, …", as
``exact.positive(value, "rho")`` does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs

from antiphon.numbers import exact


def by_name(check: Callable[[Any, str], Any]) -> attrs.Converter[Any, Any]:
    """An attrs converter from a function ``check(value, name)``, called with the field's name."""

    def convert(value: Any, field: attrs.Attribute[Any]) -> Any:
        return check(value, field.name)

    return attrs.Converter(convert, takes_field=True)


# Type checkers infer a constructor's types only from plain functions, so they see these in place of
# the converters.
if TYPE_CHECKING:
    from fractions import Fraction

    def fraction(value: object) -> Fraction:
        """Converter for an attrs field: a rational, as an exact Fraction."""
        ...

    def positive(value: object) -> Fraction:
        """Converter for an attrs field: a rational > 0."""
        ...

    def whole(value: object) -> int:
        """Converter for an attrs field: an int >= 1."""
        ...

    def epsilon(value: object) -> exact.ExactEpsilon:
        """Converter for an attrs field: an ε >= 0, in nats, exact or a ``Log``."""
        ...


else:
    fraction, positive, whole, epsilon = map(
        by_name, (exact.fraction, exact.positive, exact.whole, exact.epsilon)
    )
