"""The interface of the law of a privacy loss: its moments along c + iθ, and bounds on them."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.numbers.interval import UNIT, Floats

Complexes: TypeAlias = npt.NDArray[np.complex128]
Key = TypeVar("Key")
Value = TypeVar("Value")

Enough: TypeAlias = Floats | None
"""Logarithms below which a number is negligible; None: none is."""

SLACK: Final = 16 * UNIT
"""The rounding error of a handful of operations on numbers of size one."""
_KEPT: Final = 24


def cached(known: dict[Key, Value], key: Key, make: Callable[[], Value]) -> Value:
    """The value for a key, made once; the last few dozen are kept."""
    if key not in known:
        if len(known) >= _KEPT:
            del known[next(iter(known))]
        known[key] = make()
    return known[key]


class Moment(NamedTuple):
    """A number, and a bound on its error."""

    value: float
    error: float


class Logs(NamedTuple):
    """ln Φ at some frequencies; the relative error of Φ is at most e^slack - 1.

    Where ``slack`` is infinite, the real part is only a bound on ln |Φ|, found to be negligible.
    """

    value: Complexes
    slack: Floats


class Lattice(NamedTuple):
    """All losses are at offset + n·spacing, for whole n."""

    offset: Fraction
    spacing: Fraction


class LossLaw(ABC):
    """Losses L of independent mechanisms, summed; L = ln dP/dQ under P, given that it is finite.

    For s = c + iθ, c > 0, and M(s) = E[e^(sL)], the *characteristic* Φ(θ) = M(c+iθ)/M(c) is that
    of L tilted by e^(cL), so |Φ| <= 1. Frequencies are doubles that may be relatively four units
    off what the contour means by them: errors say so.
    """

    @property
    @abstractmethod
    def most(self) -> Fraction | None:
        """A bound on L from above; None if there is none."""

    @property
    @abstractmethod
    def lattice(self) -> Lattice | None:
        """Where all losses are, if on a lattice of rationals."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many factors Φ has."""

    @abstractmethod
    def log_moment(self, order: float) -> Moment:
        """ln M(c)."""

    @abstractmethod
    def guide(self, order: float) -> tuple[float, float]:
        """About the mean and the variance of the tilted L; nothing is certified by them."""

    @abstractmethod
    def characteristic(self, order: float, frequencies: Floats, enough: Enough = None) -> Logs:
        """ln Φ(θ) for all θ, but for those at which it is seen that ln |Φ| < ``enough``."""

    @abstractmethod
    def ceiling(self, order: float, low: Floats, high: Floats, enough: Enough = None) -> Floats:
        """A bound on ln |Φ| over each range of frequencies from ``low`` to ``high``.

        Nothing is gained where it falls below ``enough`` further.
        """


@attrs.frozen(eq=False)
class GroupedLosses(LossLaw):
    """Losses that are given by kind: the parameters of a kind and, last, how many are of it."""

    given: tuple[tuple[Any, ...], ...]

    @cached_property
    def counts(self) -> Floats:
        """How many of each kind."""
        return np.array([float(kind[-1]) for kind in self.given])

    @property
    def size(self) -> int:
        return len(self.given)


def powers(factors: Complexes, wrong: Floats, counts: Floats) -> Logs:
    """ln Π φ_i^n_i for rows φ_i, each within ``wrong`` <= 1 of the truth.

    A factor smaller than its error is taken to be as large: the truth is then within twice that,
    and always |true/taken - 1| <= 2·wrong/|taken|. Rows are added one by one.
    """
    modulus = np.maximum(np.abs(factors), wrong)
    logs = np.log(modulus) + 1j * np.angle(factors)
    many = counts[:, None]
    slack = np.sum(many * (2 * wrong / modulus + SLACK), axis=0)
    slack += (len(counts) + 8) * UNIT * np.sum(many * np.abs(logs), axis=0)
    return Logs(np.sum(many * logs, axis=0), slack * (1 + 1e-9))


def log_ceiling(squared: Floats, counts: Floats) -> Floats:
    """Σ n_i ln |φ_i| from rows of bounds on |φ_i|²."""
    logs = np.log(np.minimum(squared + SLACK, 1.0))
    total: Floats = np.sum(counts[:, None] * logs, axis=0) * 0.5
    return total * (1 - 1e-9)


def off_grid(low: Floats, high: Floats, period: Floats) -> Floats:
    """For each period (rows), how far a range (columns) stays from its multiples, at least."""
    middle, half = (low + high) / 2, (high - low) / 2
    each = period[:, None]
    distance = np.abs(middle - each * np.rint(middle / each))
    slack = 16 * UNIT * (middle + each)
    return np.maximum(distance - half - slack, 0.0)


def divisor(values: Iterable[Fraction]) -> Fraction:
    """The largest number that all of these are multiples of."""
    listed = list(values)
    whole = math.lcm(*(each.denominator for each in listed))
    return Fraction(math.gcd(*(int(each * whole) for each in listed)), whole)
