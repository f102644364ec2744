"""Buffered linear Toeplitz matrices C, and B = A·C⁻¹ for a matrix A of sums: coefficients, inverses
and norms (Dvijotham et al. 2024).

C is lower-triangular Toeplitz with C(x) = Π(1 - λ_i x)/Π(1 - θ_i x): its coefficients are
c_0 = 1, c_k = Σ ω_i θ_i^(k-1), so that Cx is kept up with one number for each θ_i, a
*buffer*. A is the matrix of ones that sums prefixes, or that of a decayed sum, A(x) = 1/(1 - λx),
and B = A·C⁻¹.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import TypeAlias

import attrs
import numpy as np
import numpy.typing as npt

Vector: TypeAlias = npt.NDArray[np.float64]


def _from_one(gaps: Iterable[float]) -> tuple[float, ...]:
    """The gaps, distances from 1, each rounded so that 1 - gap is exactly a double."""
    return tuple(1.0 - (1.0 - gap) for gap in gaps)


@attrs.frozen(slots=False)
class Buffers:
    """The factor C with the generating function Π(1 - λ_i x)/Π(1 - θ_i x): poles θ_i and zeros λ_i,
    1 - θ_1 < 1 - λ_1 < 1 - θ_2 < … in (0, 1).

    Kept as their distances from 1, in which nothing cancels.
    """

    poles: tuple[float, ...] = attrs.field(converter=_from_one)
    zeros: tuple[float, ...] = attrs.field(converter=_from_one)
    loss: float = 0.0
    """For decayed sums, A(x) = 1/(1 - λx), the gap 1 - λ (below 1 - θ_1); for plain sums 0."""

    def __len__(self) -> int:
        return len(self.poles)

    @cached_property
    def weights(self) -> Vector:
        """The weights ω_i > 0 in C's coefficients c_k = Σ ω_i θ_i^(k-1) for k >= 1."""
        return _residues(np.array(self.poles), np.array(self.zeros))

    @cached_property
    def inverse_weights(self) -> Vector:
        """The weights α_i > 0 for which C⁻¹ has the coefficients 1 and -Σ α_i λ_i^(k-1)."""
        return -_residues(np.array(self.zeros), np.array(self.poles))

    @cached_property
    def _row(self) -> tuple[Vector, Vector]:
        """The weights β_i and gaps 1 - μ_i in the coefficients b_k = Σ β_i μ_i^k of B = A·C⁻¹: μ_0
        is the factor by which A's sums decay (1 without decay), the others are C's zeros."""
        gaps = np.array((self.loss, *self.zeros))
        return _residues(gaps, np.array(self.poles)), gaps

    def squared_norm(self, length: int, events: int = 1) -> float:
        """The squared ℓ₂ norm of the sum of C's first ``events`` columns: Σ_{t<length}
        (Σ_{j<events} c_{t-j})².

        With one event, the squared ℓ₂ norm of a column of C.
        """
        events = min(events, length)
        poles, head = np.array(self.poles), np.ones(events)
        powers = np.exp(np.arange(events - 1)[:, None] * np.log1p(-poles))
        head[1:] += np.cumsum(powers @ self.weights)
        tail = self.weights * geometric(poles, np.zeros(1), events)[:, 0]
        rest = tail @ geometric(poles, poles, length - events) @ tail
        return float(head @ head + rest)

    def squared_norms(self, lengths: Vector) -> Vector:
        """The squared ℓ₂ norm c_0² + … + c_{n-1}² of a column of C, for each n >= 1 of an array."""
        poles, weights = np.array(self.poles), self.weights
        every = weights[:, None] * weights / -np.expm1(_logs(poles, poles))
        left = np.exp(np.log1p(-poles)[:, None] * (lengths - 1))
        cross = np.einsum("ij,it,jt->t", every, left, left)
        return np.asarray(1 + every.sum() - cross)

    def squared_row(self, length: int, since: int = 0) -> float:
        """The squared ℓ₂ norm of a difference of rows of B: the row of length ``length`` less the
        row of length ``since``, Σ_{k<length} (b_k - b_{k-length+since})².

        With ``since`` = 0 it is b_0² + … + b_{length-1}².
        """
        weights, gaps = self._row
        window = length - since
        found = float(weights @ geometric(gaps, gaps, window) @ weights)
        if since:
            # The difference b_{k+window} - b_k of coefficients of B is computed term by term: the
            # term with μ = 1 is then exactly 0, and no large numbers cancel.
            falls = weights * np.expm1(window * np.log1p(-gaps))
            found += float(falls @ geometric(gaps, gaps, since) @ falls)
        return found

    def mean_squared_row(self, length: int) -> float:
        """The mean of ``squared_row`` over the lengths 1, …, length: Σ_k (1 - k/length) b_k², for
        the coefficients b_k of B."""
        weights, gaps = self._row
        whole = geometric(gaps, gaps, length) - _weighted(gaps, gaps, length) / length
        return float(weights @ whole @ weights)


def _residues(at: Vector, other: Vector) -> Vector:
    """The residues Π_j (x_i - y_j)/Π_{j≠i} (x_i - x_j), for x = 1 - at and y = 1 - other."""
    own = at[None, :] - at[:, None]
    np.fill_diagonal(own, 1.0)
    return np.asarray((other[None, :] - at[:, None]).prod(axis=1) / own.prod(axis=1))


def _logs(left: Vector, right: Vector) -> Vector:
    """The matrix of ln(x_i y_j) for x = 1 - left, y = 1 - right."""
    return np.log1p(-left)[:, None] + np.log1p(-right)[None, :]


def geometric(left: Vector, right: Vector, length: int | None) -> Vector:
    """The matrix of sums Σ_{k<length} (x_i y_j)^k for x = 1 - left, y = 1 - right; of infinite
    series if ``length`` is None."""
    logs = _logs(left, right)
    if length is None:
        return np.asarray(1 / -np.expm1(logs))
    safe = np.where(logs == 0, -1.0, logs)
    return np.where(logs == 0, float(length), np.expm1(length * safe) / np.expm1(safe))


def _weighted(left: Vector, right: Vector, length: int) -> Vector:
    """The matrix of Σ_{k<length} k (x_i y_j)^k for x = 1 - left, y = 1 - right."""
    logs = _logs(left, right)
    safe = np.where(logs == 0, -1.0, logs)
    one, last = -np.expm1(safe), np.exp(length * safe)
    found = np.exp(safe) * -np.expm1(length * safe) / one**2 - length * last / one
    return np.where(logs == 0, length * (length - 1) / 2, found)
