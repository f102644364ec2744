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
"""Logarithms below which a value is negligible; None: no value is."""

SLACK: Final = 16 * UNIT
"""A bound on the rounding error of a few operations on numbers of size one."""
_KEPT: Final = 24


def cached(
    known: dict[Key, Value], key: Key, make: Callable[[], Value], most: int = _KEPT
) -> Value:
    """The value for a key, computed once; only the last few dozen, or ``most``, are kept."""
    if key in known:
        return known[key]
    value = make()
    if len(known) >= most:
        del known[next(iter(known))]
    known[key] = value
    return value


class Moment(NamedTuple):
    """A numerical value with a bound on its error."""

    value: float
    error: float


class Logs(NamedTuple):
    """The logarithms ln Φ at some frequencies; the relative error of Φ is at most e^slack - 1.

    Where ``slack`` is infinite, the real part is only a bound on ln |Φ|, found to be negligible.
    """

    value: Complexes
    slack: Floats


class Lattice(NamedTuple):
    """A lattice of losses: all lie at offset + n·spacing, for whole n."""

    offset: Fraction
    spacing: Fraction


class LossLaw(ABC):
    """The law of a sum of independent privacy losses L = ln dP/dQ under P, given that L is finite.

    For s = c + iθ, c > 0, and M(s) = E[e^(sL)], the *characteristic* Φ(θ) = M(c+iθ)/M(c) is that
    of L tilted by e^(cL), so |Φ| <= 1. Frequencies are doubles with a relative error of up to four
    units against the contour's exact ones; the error bounds include this.
    """

    @property
    @abstractmethod
    def most(self) -> Fraction | None:
        """An upper bound on L; None if there is none."""

    @property
    @abstractmethod
    def lattice(self) -> Lattice | None:
        """The lattice of rationals that all losses lie on; None if there is none."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of factors of the characteristic function Φ, one for each independent loss."""

    @abstractmethod
    def log_moment(self, order: float) -> Moment:
        """The log moment ln M(c), c = ``order``, with an error bound."""

    @abstractmethod
    def guide(self, order: float) -> tuple[float, float]:
        """Approximate mean and variance of the tilted L; they are not certified."""

    @abstractmethod
    def characteristic(self, order: float, frequencies: Floats, enough: Enough = None) -> Logs:
        """The logarithm ln Φ(θ) at all θ, except where ln |Φ| is found to be below ``enough``."""

    @abstractmethod
    def ceiling(self, order: float, low: Floats, high: Floats, enough: Enough = None) -> Floats:
        """A bound on ln |Φ| (Φ: the tilted law's characteristic function) over each range of
        frequencies from ``low`` to ``high``.

        A bound below ``enough`` need not be made tighter.
        """


@attrs.frozen(eq=False)
class GroupedLosses(LossLaw):
    """Losses grouped by kind: each group has the parameters of its kind and, last, their number."""

    given: tuple[tuple[Any, ...], ...]

    @cached_property
    def counts(self) -> Floats:
        """The number of losses in each group."""
        return np.array([float(kind[-1]) for kind in self.given])

    @property
    def size(self) -> int:
        return len(self.given)


def powers(factors: Complexes, wrong: Floats, counts: Floats) -> Logs:
    """The logarithm ln Π φ_i^n_i for rows φ_i, each within ``wrong`` <= 1 of its true value.

    A factor smaller than its error is replaced by that error: the true factor is then within twice
    of it, and always |true/taken - 1| <= 2·wrong/|taken|. Rows are added one by one.
    """
    modulus = np.maximum(np.abs(factors), wrong)
    logs = np.log(modulus) + 1j * np.angle(factors)
    many = counts[:, None]
    slack = np.sum(many * (2 * wrong / modulus + SLACK), axis=0)
    slack += (len(counts) + 8) * UNIT * np.sum(many * np.abs(logs), axis=0)
    return Logs(np.sum(many * logs, axis=0), slack * (1 + 1e-9))


def log_ceiling(squared: Floats, counts: Floats) -> Floats:
    """The bound Σ n_i ln |φ_i|, from rows of bounds on |φ_i|²."""
    logs = np.log(np.minimum(squared + SLACK, 1.0))
    total: Floats = np.sum(counts[:, None] * logs, axis=0) * 0.5
    return total * (1 - 1e-9)


def off_grid(low: Floats, high: Floats, period: Floats) -> Floats:
    """The least distance of each range (columns) from the multiples of each period (rows)."""
    middle, half = (low + high) / 2, (high - low) / 2
    each = period[:, None]
    distance = np.abs(middle - each * np.rint(middle / each))
    slack = 16 * UNIT * (middle + each)
    return np.maximum(distance - half - slack, 0.0)


def divisor(values: Iterable[Fraction]) -> Fraction:
    """The greatest common divisor of rationals: the largest number that all are multiples of."""
    listed = list(values)
    whole = math.lcm(*(each.denominator for each in listed))
    return Fraction(math.gcd(*(int(each * whole) for each in listed)), whole)
