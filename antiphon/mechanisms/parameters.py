"""Parameters that many mechanisms have, each checked in one way.

All raise InvalidArgument with the parameter's name: what is no finite number, out of range, ….
"""

from __future__ import annotations

import math
from fractions import Fraction

import attrs

from antiphon.composition.accounting.interval import nearest
from antiphon.protocol import exact
from antiphon.protocol.errors import InvalidArgument
from antiphon.protocol.exact import ExactEpsilon


def epsilon(value: object) -> Fraction:
    """ε > 0, rational."""
    return exact.positive(value, "epsilon")


def log_epsilon(value: object) -> ExactEpsilon:
    """ε > 0, rational or a ``Log``."""
    found = exact.epsilon(value)
    if found == 0:
        raise InvalidArgument("epsilon must be positive, not 0")
    return found


def rho(value: object) -> Fraction:
    """ρ > 0 of zCDP."""
    return exact.positive(value, "rho")


def sensitivity(value: object) -> Fraction:
    """How far neighbours may be apart."""
    return exact.positive(value, "sensitivity")


def moves(value: object) -> int:
    """A sensitivity of integers."""
    return exact.whole(value, "sensitivity")


def coordinates(value: object) -> int:
    """How many coordinates."""
    return exact.whole(value, "dimension")


def dimension(value: object) -> int | None:
    """How many coordinates; None for a single number."""
    return None if value is None else coordinates(value)


def tops(value: object) -> int:
    """How many ⊤."""
    return exact.whole(value, "tops")


def candidates(value: object) -> int:
    """How many candidates."""
    return exact.whole(value, "candidates")


def share(value: object) -> Fraction:
    """A part of ε."""
    found = exact.positive(value, "a share of epsilon")
    if found >= 1:
        raise InvalidArgument("a share of epsilon lies strictly between 0 and 1")
    return found


def step_size(value: object) -> float:
    """The step of a grid: a positive double."""
    step = nearest(exact.positive(value, "step_size"))
    if 0 < step < math.inf:
        return step
    raise InvalidArgument(
        "step_size is a double: give one between 1e-323 and 1e308; a step this "
        f"{'large leaves nothing of a number' if step else 'small is no grid'}"
    )


def beta(value: object) -> float:
    """A probability of failure, strictly between 0 and 1."""
    found = exact.probability(value, "beta")
    if not 0 < found < 1:
        raise InvalidArgument("beta is a probability of failure: strictly between 0 and 1")
    return float(found)


def integer(_: object, field: attrs.Attribute[int], value: object) -> None:
    """A validator: an int."""
    if type(value) is not int:
        raise InvalidArgument(f"{field.name} must be an int")


def boolean(_: object, field: attrs.Attribute[bool], value: object) -> None:
    """A validator: True or False."""
    if type(value) is not bool:
        raise InvalidArgument(f"{field.name} must be True or False")
