"""Parameters that many mechanisms have, each checked in one way.

All raise InvalidArgument with the parameter's name: what is no finite number, out of range, …;
and what would exhaust memory or time, before it does: sizes past a bound, and fractions of more
than 2^13 bits (2,466 digits), which take ever longer to compute with.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Final

import attrs

from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import ExactEpsilon, Log

_LONGEST: Final = 1 << 13
"""Bits of a numerator or a denominator."""
_SMALLEST: Final = 5e-324
_LARGEST: Final = sys.float_info.max
MOST_COORDINATES: Final = 1 << 20
"""Of an array, a tuple of scores or a histogram: a state holds some numbers for each."""
MOST_ITEMS: Final = 1 << 12
"""Of a composition that has a mechanism for each, or a query a bound for each."""
MOST_UPDATES: Final = 1 << 200
"""Of a stream: levels of a tree grow with its logarithm."""


def positive(value: object, name: str) -> Fraction:
    """A rational > 0 that is not too long to compute with."""
    return _short(exact.positive(value, name), name)


def double(value: object, name: str) -> float:
    """A number > 0 that a double can hold."""
    found = positive(value, name)
    if not _SMALLEST <= found <= _LARGEST:
        raise InvalidArgument(f"{name} must be a number that a double can hold")
    return float(found)


def probability(value: object) -> Fraction:
    """δ in [0, 1]."""
    return _short(exact.probability(value), "delta")


def _short(found: Fraction, name: str) -> Fraction:
    if max(found.numerator.bit_length(), found.denominator.bit_length()) > _LONGEST:
        raise InvalidArgument(
            f"{name} has more than {_LONGEST} bits: round it to a fraction of fewer digits"
        )
    return found


def size(value: object, name: str, most: int, cure: str) -> int:
    """An int between 1 and the most that memory and time allow."""
    found = exact.whole(value, name)
    if found > most:
        raise InvalidArgument(f"{name} must be at most {most}: {cure}")
    return found


def epsilon(value: object) -> Fraction:
    """ε > 0, rational."""
    return positive(value, "epsilon")


def log_epsilon(value: object) -> ExactEpsilon:
    """ε > 0, rational or a ``Log``."""
    found = any_epsilon(value)
    if found == 0:
        raise InvalidArgument("epsilon must be positive, not 0")
    return found


def any_epsilon(value: object) -> ExactEpsilon:
    """ε >= 0, rational or a ``Log``."""
    found = exact.epsilon(value)
    _short(found.argument if isinstance(found, Log) else found, "epsilon")
    return found


def rho(value: object) -> Fraction:
    """ρ > 0 of zCDP."""
    return positive(value, "rho")


def sensitivity(value: object) -> Fraction:
    """How far neighbours may be apart."""
    return positive(value, "sensitivity")


def moves(value: object) -> int:
    """A sensitivity of integers."""
    return size(value, "sensitivity", MOST_UPDATES, "scale the values down")


def coordinates(value: object) -> int:
    """How many coordinates."""
    return size(value, "dimension", MOST_COORDINATES, "split the coordinates among mechanisms")


def items(value: object) -> int:
    """How many items of a histogram, each with parts of its own."""
    return size(value, "dimension", MOST_ITEMS, "merge items, or split them among histograms")


def dimension(value: object) -> int | None:
    """How many coordinates; None for a single number."""
    return None if value is None else coordinates(value)


def tops(value: object) -> int:
    """How many ⊤."""
    return size(value, "tops", MOST_UPDATES, "a budget is not divided further")


def candidates(value: object) -> int:
    """How many candidates."""
    return size(value, "candidates", MOST_COORDINATES, "choose in rounds, among groups first")


def share(value: object) -> Fraction:
    """A part of ε."""
    found = positive(value, "a share of epsilon")
    if found >= 1:
        raise InvalidArgument("a share of epsilon lies strictly between 0 and 1")
    return found


def step_size(value: object) -> float:
    """The step of a grid: a double."""
    return double(value, "step_size")


def beta(value: object) -> float:
    """A probability of failure, strictly between 0 and 1."""
    found = exact.probability(value, "beta")
    if not 0 < found < 1:
        raise InvalidArgument("beta is a probability of failure: strictly between 0 and 1")
    return float(found)


def integer(_: object, field: attrs.Attribute[int], value: object) -> None:
    """A validator: an int."""
    if type(value) is not int or value.bit_length() > _LONGEST:
        raise InvalidArgument(f"{field.name} must be an int of at most {_LONGEST} bits")


def boolean(_: object, field: attrs.Attribute[bool], value: object) -> None:
    """A validator: True or False."""
    if type(value) is not bool:
        raise InvalidArgument(f"{field.name} must be True or False")
