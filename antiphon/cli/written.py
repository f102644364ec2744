"""Numbers as users write them, kept exact."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from antiphon.numbers.errors import InvalidArgument

_NUMBER: Final = re.compile(r"[0-9]{0,40}(\.[0-9]{0,40})?([eE][+-]?[0-9]{1,2})?")
_RATIO: Final = re.compile(r"[0-9]{1,40}/[0-9]{1,40}")


def rational(text: str, name: str) -> Fraction:
    """The exact number that a text such as 0.1, 1e-6 or 1/3 stands for.

    Raises: InvalidArgument for anything else, also for inf and nan.

    >>> rational("0.1", "delta")
    Fraction(1, 10)
    """
    if _NUMBER.fullmatch(text) or _RATIO.fullmatch(text):
        try:
            return Fraction(text)
        except (ValueError, ZeroDivisionError):
            pass
    raise InvalidArgument(f"{name} is a number >= 0 such as 0.1, 1e-6 or 1/3, not {text[:40]!r}")


def shown(value: Fraction) -> str:
    """An exact number for people: 1/10 is 0.1, 1/3 stays 1/3; long ones are rounded.

    >>> shown(Fraction(1, 10)), shown(Fraction(1, 3))
    ('0.1', '1/3')
    """
    decimal = f"{float(value):.10g}"
    if Fraction(decimal) == value:
        return decimal
    text = f"{value.numerator}/{value.denominator}" if value.denominator < 10**12 else ""
    return text if text and len(text) <= 26 else f"≈{decimal}"
