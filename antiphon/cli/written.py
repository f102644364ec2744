"""Counts and names as users write them, and exact numbers as they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TypeVar

from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.printed import shown_up

Found = TypeVar("Found")


def one_of(known: Mapping[str, Found], name: str, what: str) -> Found:
    """What has that name. Raises: InvalidArgument, with all names, for another."""
    if name not in known:
        raise InvalidArgument(f"there is no {what} {name[:40]!r}; there are {', '.join(known)}")
    return known[name]


def several(texts: Iterable[str]) -> tuple[str, ...]:
    """What stands between commas, or in an option that is repeated; each once.

    >>> several(["1024, 4096", "1024", "1"])
    ('1024', '4096', '1')
    """
    return tuple(dict.fromkeys(each.strip() for text in texts for each in text.split(",")))


def count(text: str, name: str, most: int) -> int:
    """The whole number from 1 to the most that a text stands for. Raises: InvalidArgument.

    >>> count("4096", "rounds", 1 << 24)
    4096
    """
    found = int(text) if text.isascii() and text.isdecimal() and len(text) < 40 else 0
    if not 1 <= found <= most:
        raise InvalidArgument(f"{name} is a whole number from 1 to {most:,}, not {text[:40]!r}")
    return found


def shown(value: Fraction) -> str:
    """An exact number for people: 1/10 is 0.1, 1/3 stays 1/3; long ones are rounded up.

    >>> shown(Fraction(1, 10)), shown(Fraction(1, 3)), shown(Fraction(2, 3) ** 40)
    ('0.1', '1/3', '≈9.043772684e-08')
    """
    decimal = shown_up(value, 10)
    if Fraction(decimal) == value:
        return decimal
    text = f"{value.numerator}/{value.denominator}" if value.denominator < 10**12 else ""
    return text if text and len(text) <= 26 else f"≈{decimal}"
