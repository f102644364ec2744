"""The square-root factorisation A = √A·√A (Fichtenberger, Henzinger, Upadhyay 2023)."""

import math
from functools import lru_cache
from typing import ClassVar, Final

import attrs
import numpy as np

from antiphon.mechanisms.counters.correlated import FAR, MORE, CorrelatedCounter, CorrelatedState
from antiphon.mechanisms.counters.factors.buffers import Vector
from antiphon.mechanisms.counters.factors.rows import Amount, Array, Row, clamped
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol import Coins, register

_BLOCK: Final = 64
_STEP: Final = 0.5
_LONGEST: Final = 1 << 22
"""The largest horizon: a state stores a number for each update."""


@register("antiphon.SquareRootCounter/1")
@attrs.frozen(kw_only=True, repr=False)
class SquareRootCounter(CorrelatedCounter[Array]):
    """A counter by the factorisation A = √A·√A of the matrix A that sums prefixes: √A has the
    coefficients c_0 = 1, c_k = c_{k-1}(1 - 1/(2k)). The best known Toeplitz factorisation.

    State: one number for each update so far. O(t) work an update: for study and for short
    streams, of 2^22 updates at most; ``BufferedToeplitzCounter`` is within 1 % of it with a few
    numbers. Sums are taken in blocks, in an order that NumPy's kernels do not change.
    Privacy: ρ-zCDP w.r.t. ``verification``, against adaptive adversaries (see
    ``correlated``); proved.
    Source: Fichtenberger, Henzinger, Upadhyay 2023; Henzinger, Upadhyay, Upadhyay 2023;
    normalised columns: Henzinger and Upadhyay 2025.

    >>> counter = SquareRootCounter(horizon=256, rho=10**9).start(seed=1)
    >>> counter.send(1), counter.send(1), round(counter.send("count"), 3)
    (TOP, TOP, 2.0)
    """

    _source: ClassVar[str] = "Henzinger, Upadhyay, Upadhyay 2023"

    @property
    def initial_state(self) -> CorrelatedState[Array]:
        shape = (0,) if self.dimension is None else (0, self.dimension)
        return CorrelatedState(0, 0.0, 0.0, np.empty(shape).view(Row))

    def _factorise(self) -> None:
        if self.horizon > _LONGEST:
            raise InvalidArgument(
                f"a SquareRootCounter has a horizon of at most {_LONGEST}, as it remembers every "
                "update; use a BufferedToeplitzCounter, or an UnboundedCounter"
            )

    # This counter is not column-safe: its memory is already an array, and cannot hold another one
    # for each of many replicas.
    def _update(
        self, state: CorrelatedState[Array], x: Amount, coins: Coins
    ) -> CorrelatedState[Array]:
        return self.stepped(state, x, coins)

    @property
    def state_size(self) -> int:
        return self.horizon + 2

    def _norms(self, lengths: Vector) -> Vector:
        found = _squares(self.horizon)[lengths.astype(np.int64) - 1]
        return np.asarray(np.sqrt(found))

    def _group_norm(self, events: int, length: int) -> float:
        sums = np.cumsum(coefficients(self.horizon)[:length])
        sums[events:] -= sums[:-events].copy()
        return float(sums @ sums)

    def _feedback_error(self) -> float:
        """A bound, in grid steps, on the rounding error of ``feedback``, a weighted sum of earlier
        noise: each product and each sum rounds by at most 2^-53 of its largest size.

        |p_t| is at most twice the largest drift. In the pairwise summation a term is in one sum of
        each depth.
        """
        size = 2 * FAR * self.resolution * 2.0**-53 * MORE
        depth = 1 + math.ceil(math.log(self.horizon + 1, _BLOCK))
        sums = _BLOCK * depth + 2
        return float(size * sums * coefficients(self.horizon).sum())

    def feedback(self, memory: Array) -> Amount:
        length = len(memory)
        weights = coefficients(self.horizon)[length:0:-1]
        products = np.asarray(memory) * (weights if memory.ndim == 1 else weights[:, None])
        while len(products) > _BLOCK:
            whole = len(products) - len(products) % _BLOCK
            blocks = products[:whole].reshape(-1, _BLOCK, *products.shape[1:])
            products = np.concatenate([blocks.sum(axis=1), products[whole:]])
        total = products.sum(axis=0) + 0.5
        return float(total) if memory.ndim == 1 else total.view(Row)

    def remember(self, memory: Array, push: Amount) -> Array:
        return np.concatenate([memory, np.asarray(push)[None]]).view(Row)

    def limited(self, memory: Array) -> Array:
        return clamped(memory, self.farthest)

    def _squared_row(self, length: int, since: int = 0) -> float:
        if not since:
            return float(_squares(self.horizon)[length - 1])
        row = coefficients(self.horizon)[:length].copy()
        row[length - since :] -= coefficients(self.horizon)[:since]
        return float(row @ row)

    def _mean_squared_row(self, length: int) -> float:
        return float(_squares(self.horizon)[:length].mean())

    def inverse(self) -> tuple[Vector, Vector]:
        return mixture(self.horizon)


@lru_cache(maxsize=4)
def coefficients(horizon: int) -> Vector:
    """The coefficients c_0, …, c_{horizon-1} of √A, which are those of (1 - x)^(-1/2)."""
    found = np.cumprod(np.concatenate([[1.0], 1 - 1 / (2 * np.arange(1.0, horizon))]))
    found.flags.writeable = False
    return np.asarray(found, np.float64)


@lru_cache(maxsize=4)
def _squares(horizon: int) -> Vector:
    """The running sums c_0² + … + c_t² of the squared coefficients of √A, for t < horizon."""
    return np.asarray(np.cumsum(coefficients(horizon) ** 2), np.float64)


def mixture(horizon: int) -> tuple[Vector, Vector]:
    """The numbers α_i and 1 - λ_i for which the inverse factor, (1 - x)^(1/2), has the coefficients
    -Σ α_i λ_i^(k-1), to 1e-6.

    They are -∫ λ^(k-1) dμ(λ) with dμ = √((1-λ)/λ) dλ/π, of mass ½; the trapezoid rule in the
    logit of 1 - λ. The part near λ = 0 matters for k = 1 only, and is replaced by one λ close to 0.
    """
    logit = np.arange(-np.log(horizon) - 12, 10, _STEP)
    below, gap = 1 / (1 + np.exp(logit)), 1 / (1 + np.exp(-logit))
    weight = _STEP * np.sqrt(below) * gap**1.5 / np.pi
    return np.append(weight, 0.5 - weight.sum()), np.append(gap, 1 - 1e-12)
