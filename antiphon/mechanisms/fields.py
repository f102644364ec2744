"""Converters and validators for parameters that many mechanisms have in common.

``positive``, ``double`` and ``size`` are converters that know the name of their field; ``check_…``
are the same as functions of a value and a name.

All raise InvalidArgument with the parameter's name: for values that are no finite numbers, out of
range, …, and for values that would exhaust memory or time: sizes past a bound, and fractions of
more than 2^13 bits (2,466 digits).
"""

import sys
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeAlias

import attrs

from antiphon.numbers import ExactEpsilon, InvalidArgument, Log, exact
from antiphon.numbers.errors import shown
from antiphon.numbers.named import by_name
from antiphon.numbers.symbolic import Symbolic

_LONGEST: Final = 1 << 13
"""The largest number of bits of a numerator or a denominator."""
_SMALLEST: Final = 5e-324
_LARGEST: Final = sys.float_info.max

Bound: TypeAlias = Mapping[str, tuple[int, str]]
"""Metadata of a field: the largest value that memory and time allow, and advice for larger ones."""


def at_most(most: int, cure: str) -> Bound:
    """The metadata of a field that the converter ``size`` checks: its bound, and advice if it is
    exceeded."""
    return {"most": (most, cure)}


MOST_COORDINATES: Final = 1 << 20
"""The largest size of an array, a tuple of scores or a histogram: a state holds some numbers for
each entry."""
MOST_UPDATES: Final = 1 << 200
"""The length of the longest stream. Trees stay small, as their height is its logarithm."""
COORDINATES: Final = at_most(MOST_COORDINATES, "split the coordinates among mechanisms")
ITEMS: Final = at_most(1 << 12, "merge items, or split them among histograms")
"""The largest number of items, where each item gets a mechanism of its own."""
STREAM: Final = at_most(MOST_UPDATES, "no stream is longer")
COUNTS: Final = at_most(MOST_UPDATES, "counts are smaller")
VALUES: Final = at_most(MOST_UPDATES, "scale the values down")
"""The bound on the sensitivity of integer values."""


def check_positive(value: object, name: str) -> Fraction:
    """A value as a rational > 0. Raises: InvalidArgument if it is not, or too long to compute
    with."""
    if type(value) is Log:
        raise InvalidArgument(
            f"{name} must be rational, as noise is drawn for it exactly: write "
            f"{name}=float(ap.Log({shown(value.argument)})), and that number is what is claimed"
        )
    return _short(exact.positive(value, name), name)


def check_double(value: object, name: str) -> float:
    """A value as a double > 0. Raises: InvalidArgument if a double cannot hold it."""
    found = check_positive(value, name)
    if not _SMALLEST <= found <= _LARGEST:
        raise InvalidArgument(f"{name} must be a number that a double can hold")
    return float(found)


def check_size(value: object, name: str, bound: Bound) -> int:
    """A value as an int between 1 and the bound. Raises: InvalidArgument if it is not."""
    found = exact.whole(value, name)
    most, cure = bound["most"]
    if found > most:
        raise InvalidArgument(f"{name} must be at most {most}: {cure}")
    return found


def _size(value: object, field: "attrs.Attribute[int]") -> int:
    return check_size(value, field.name, field.metadata)


if TYPE_CHECKING:  # Type checkers infer a constructor's types only from plain functions.

    def positive(value: object) -> Fraction:
        """A converter for a rational > 0 of at most 2^13 bits."""
        ...

    def double(value: object) -> float:
        """A converter for a number > 0 that a double can hold."""
        ...

    def size(value: object) -> int:
        """A converter for an int between 1 and the field's bound."""
        ...


else:
    positive, double = by_name(check_positive), by_name(check_double)
    size = attrs.Converter(_size, takes_field=True)


def probability(value: object) -> Fraction:
    """A converter for δ in [0, 1]."""
    return _short(exact.probability(value), "delta")


def _short(found: Fraction, name: str) -> Fraction:
    if isinstance(found, Symbolic):
        return found
    if max(found.numerator.bit_length(), found.denominator.bit_length()) > _LONGEST:
        raise InvalidArgument(
            f"{name} has more than {_LONGEST} bits: round it to a fraction of fewer digits"
        )
    return found


def distance(value: object) -> Fraction:
    """A converter for the distance of neighbours: a rational >= 0."""
    found = _short(exact.fraction(value, "distance"), "distance")
    if found < 0:
        raise InvalidArgument("distance must be >= 0")
    return found


def log_epsilon(value: object) -> ExactEpsilon:
    """A converter for ε > 0, rational or a ``Log``."""
    found = any_epsilon(value)
    if found == 0:
        raise InvalidArgument("epsilon must be positive, not 0")
    return found


def rate(value: object) -> ExactEpsilon:
    """A converter for a learning rate η > 0, rational or a ``Log``."""
    found = exact.epsilon(value, "rate")
    if not (isinstance(found, Log) or found):
        raise InvalidArgument("rate must be positive: at rate 0 nothing is learned")
    _short(found.argument if isinstance(found, Log) else found, "rate")
    return found


def any_epsilon(value: object) -> ExactEpsilon:
    """A converter for ε >= 0, rational or a ``Log``."""
    found = exact.epsilon(value)
    _short(found.argument if isinstance(found, Log) else found, "epsilon")
    return found


def share(value: object) -> Fraction:
    """A converter for a share of ε, strictly between 0 and 1."""
    found = check_positive(value, "a share of epsilon")
    if found >= 1:
        raise InvalidArgument("a share of epsilon lies strictly between 0 and 1")
    return found


def beta(value: object) -> float:
    """A converter for a probability of failure, strictly between 0 and 1."""
    # Error bounds are computed in doubles, in which beta must not be 0 or 1.
    found = float(exact.probability(value, "beta"))
    if not 0 < found < 1:
        raise InvalidArgument("beta is a probability of failure: strictly between 0 and 1")
    return found


def integer(_: object, field: "attrs.Attribute[int]", value: object) -> None:
    """A validator of an int of bounded length."""
    if type(value) is not int or value.bit_length() > _LONGEST:
        raise InvalidArgument(f"{field.name} must be an int of at most {_LONGEST} bits")


def boolean(_: object, field: "attrs.Attribute[bool]", value: object) -> None:
    """A validator of True or False."""
    if type(value) is not bool:
        raise InvalidArgument(f"{field.name} must be True or False")
