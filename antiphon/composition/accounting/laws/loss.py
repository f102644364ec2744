"""The interface of the law of a privacy loss L: its moments E[e^(sL)], and bounds on them."""

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
"""For each frequency, the value of ln |Φ| below which Φ, the characteristic function, is
negligible; None if no such value is given."""

SLACK: Final = 16 * UNIT
"""A bound on the relative rounding error of a few operations."""
_KEPT: Final = 24


def cached(
    known: dict[Key, Value], key: Key, make: Callable[[], Value], most: int = _KEPT
) -> Value:
    """The value for a key, made once; only the last ``most`` values are kept."""
    if key in known:
        return known[key]
    value = make()
    if len(known) >= most:
        del known[next(iter(known))]
    known[key] = value
    return value


class Moment(NamedTuple):
    """A number with a bound on its error."""

    value: float
    error: float


class Logs(NamedTuple):
    """The logarithms ln Φ of a characteristic function; Φ has a relative error up to e^slack - 1.

    Where ``slack`` is infinite, the real part is only a bound on ln |Φ|, found to be negligible.
    """

    value: Complexes
    slack: Floats


class Lattice(NamedTuple):
    """A lattice of privacy losses: offset + n·spacing, for whole n."""

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
        """An upper bound on the loss L; None if L is unbounded."""

    @property
    @abstractmethod
    def lattice(self) -> Lattice | None:
        """The lattice of rational numbers that L lies on; None if it lies on none."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of factors of the characteristic function, one for each independent loss."""

    @abstractmethod
    def log_moment(self, order: float) -> Moment:
        """The logarithm ln E[e^(cL)], c = ``order``, with an error bound."""

    @abstractmethod
    def guide(self, order: float) -> tuple[float, float]:
        """The approximate mean and variance of the loss tilted at ``order``; not certified."""

    @abstractmethod
    def characteristic(self, order: float, frequencies: Floats, enough: Enough = None) -> Logs:
        """The ln Φ(θ), Φ the characteristic function of the tilted loss, at all ``frequencies``;
        where it is negligible (``enough``), only a bound."""

    @abstractmethod
    def ceiling(self, order: float, low: Floats, high: Floats, enough: Enough = None) -> Floats:
        """Upper bounds on ln |Φ|, Φ the tilted loss's characteristic function, in frequency ranges.

        A bound below ``enough`` need not be made tighter.
        """


@attrs.frozen(eq=False)
class GroupedLosses(LossLaw):
    """Privacy losses in groups of equal parameters; a group's last entry is its size."""

    given: tuple[tuple[Any, ...], ...]

    @cached_property
    def counts(self) -> Floats:
        """The number of losses in each group."""
        return np.array([float(kind[-1]) for kind in self.given])

    @property
    def size(self) -> int:
        return len(self.given)


def powers(factors: Complexes, wrong: Floats, counts: Floats) -> Logs:
    """The logarithm of a product of powers of characteristic functions: ``factors`` have errors up
    to ``wrong``, and ``counts`` are the powers.

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
    """An upper bound on the sum of n_i ln |φ_i|, from bounds ``squared`` on |φ_i|²: φ_i is the
    characteristic function of a loss of group i, and n_i = ``counts`` its losses."""
    logs = np.log(np.minimum(squared + SLACK, 1.0))
    total: Floats = np.sum(counts[:, None] * logs, axis=0) * 0.5
    return total * (1 - 1e-9)


def off_grid(low: Floats, high: Floats, period: Floats) -> Floats:
    """The least distance of each frequency range (column) from the multiples of a period (row)."""
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
