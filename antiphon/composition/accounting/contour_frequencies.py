"""The frequencies that matter in a Fourier inversion, and the characteristic function Φ there."""

import math
from collections.abc import Callable
from typing import Final, NamedTuple

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.composition.accounting.composed_loss import Product
from antiphon.composition.accounting.laws.loss import Complexes, Logs
from antiphon.numbers import Floats, Intractable

NATS: Final = 36.0
"""The nats below the largest term of the inversion sum at which terms are dropped."""
_DENSITY_NATS: Final = 23.0
"""The nats below the largest at which terms of the sum for the noisy loss's density are dropped."""
_BLOCK: Final = 1 << 12
"""The largest number of ranges of frequencies whose characteristic function is bounded together."""
_BATCH: Final = 1 << 17
"""The approximate number of frequencies that are evaluated together."""
_FEW: Final = 64
"""The approximate number of factors of the characteristic function by which a range of frequencies
is shown to be negligible."""
LIMIT: Final = 1 << 32
"""The largest number of evaluated factors of characteristic functions: about half a minute."""
MOST: Final = 1 << 22
"""The largest number of frequencies kept: 200 MB."""
_CURE: Final = "(ask for a larger `width`, or account for fewer distinct pairs)"

Indices = npt.NDArray[np.int64]
Kernel = Callable[[Floats], Floats]
"""A decreasing bound on the kernel of the inversion, as a function of the frequency."""


class SiftedFrequencies(NamedTuple):
    """The kept frequencies with ln Φ, Φ the characteristic function, and bounds on dropped
    terms."""

    indices: Floats
    logs: Logs
    kernel: float
    plain: float


def sift(
    product: Product, order: float, step: float, end: int, kernel: Kernel, *, density: bool
) -> SiftedFrequencies:
    """Select the frequencies 0, step, …, below end·step, that matter in an inversion along the line
    Re s = ``order``.

    Raises: Intractable for too many frequencies, or too much work.
    """
    if end > LIMIT:
        raise Intractable(f"frequencies of a certified interval {_CURE}", end, LIMIT)
    least = float(np.log(kernel(np.zeros(1)))[0]) - NATS
    sieve = _Sieve(product, order, step, kernel, least, -_DENSITY_NATS if density else math.inf)
    edges = [0, *(1 << i for i in range(end.bit_length()) if 1 << i < end), end]
    sieve.go(np.array(edges[:-1]), np.array(edges[1:]))
    return sieve.result()


@attrs.define(eq=False)
class _Sieve:
    product: Product
    order: float
    step: float
    kernel: Kernel
    least: float
    """The ln |ΦK| below which a term is negligible; Φ: characteristic function, K: the kernel."""
    plain: float
    """The ln |Φ| below which a term of the sum for the noisy loss's density is negligible."""
    dropped: Floats = attrs.field(factory=lambda: np.zeros(2))
    waiting: list[Indices] = attrs.field(factory=list[Indices])
    found: list[tuple[Indices, Logs]] = attrs.field(factory=list[tuple[Indices, Logs]])
    work: int = 0
    held: int = 0
    """The number of frequencies kept; ``queued`` is the number still to be evaluated."""
    queued: int = 0

    def go(self, low: Indices, high: Indices) -> None:
        """Split ranges of frequencies and drop negligible parts, until each one left is worth an
        evaluation."""
        cell, stack = self.product.cell(self.order), [(low, high)]
        while stack:
            low, high = stack.pop()
            if len(low) > _BLOCK:
                stack += [(low[half], high[half]) for half in (slice(_BLOCK), slice(_BLOCK, None))]
                continue
            if cell:
                single = high - low == 1
                self._queue(low[single], high[single])
                low, high = low[~single], high[~single]
            low, high = self._judged(low, high)
            short = (high - low == 1) | ((high - 1 - low) * self.step <= cell)
            self._queue(low[short], high[short])
            if not short.all():
                stack.append(_split(low[~short], high[~short]))
        self._evaluate()

    def _judged(self, low: Indices, high: Indices) -> tuple[Indices, Indices]:
        """The ranges of frequencies that may matter; the bounds of all other ranges are added
        up."""
        start, stop = self._theta(low), self._theta(high - 1)
        enough, logs = self._enough(start)
        bound = self.product.ceiling(self.order, start, stop, enough)
        gone = bound < enough
        self._drop((high - low)[gone], bound[gone], logs[gone])
        self._count(min(self.product.size, _FEW) * len(gone))
        return low[~gone], high[~gone]

    def _queue(self, low: Indices, high: Indices) -> None:
        """Queue all frequencies of the ranges for an evaluation of the characteristic function."""
        sizes: list[int] = np.unique(high - low).tolist()
        for size in sizes:
            first = low[high - low == size]
            self.waiting.append(np.add.outer(first, np.arange(size)).ravel())
            self.queued += len(self.waiting[-1])
        if self.queued >= _BATCH:
            self._evaluate()

    def _evaluate(self) -> None:
        """Evaluate the characteristic function at the queued frequencies; drop negligible ones."""
        indices = np.sort(np.concatenate([np.zeros(0, np.int64), *self.waiting]))
        self.waiting, self.queued = [], 0
        theta = self._theta(indices)
        enough, kernels = self._enough(theta)
        logs = self.product.characteristic(self.order, theta, enough)
        gone = np.isinf(logs.slack)
        self._drop(np.ones(int(np.sum(gone))), logs.value.real[gone], kernels[gone])
        kept = indices[~gone]
        self.found.append((kept, Logs(logs.value[~gone], logs.slack[~gone])))
        self.held += len(kept)
        if self.held > MOST:
            raise Intractable(f"frequencies of a certified interval {_CURE}", self.held, MOST)
        self._count(
            4 * (min(self.product.size, _FEW) * len(indices) + self.product.size * len(kept))
        )

    def _theta(self, indices: Indices) -> Floats:
        theta: Floats = indices.astype(np.float64) * self.step
        return theta

    def _enough(self, theta: Floats) -> tuple[Floats, Floats]:
        """For each frequency, the largest ln |Φ| that is negligible, and ln |K|; Φ is the
        characteristic function, K the kernel."""
        logs = np.log(self.kernel(theta))
        return np.minimum(self.least - logs, self.plain), logs

    def _drop(self, many: Floats | Indices, bounds: Floats, logs: Floats) -> None:
        each = many * np.exp(np.maximum(bounds, -300.0))
        self.dropped += [float(np.sum(each * np.exp(logs))), float(np.sum(each))]

    def _count(self, factors: int) -> None:
        self.work += factors
        if self.work > LIMIT:
            raise Intractable(f"factors of a certified interval {_CURE}", self.work, LIMIT)

    def result(self) -> SiftedFrequencies:
        """The kept frequencies, in increasing order, with ln Φ there."""
        indices = np.concatenate([each for each, _ in self.found])
        value = np.concatenate([logs.value for _, logs in self.found])
        slack = np.concatenate([logs.slack for _, logs in self.found])
        place, (kernel, plain) = np.argsort(indices), 1.01 * self.dropped
        logs = Logs(value[place], slack[place])
        return SiftedFrequencies(
            indices[place].astype(np.float64), logs, float(kernel), float(plain)
        )


def _split(low: Indices, high: Indices) -> tuple[Indices, Indices]:
    middle = (low + high) // 2
    return np.concatenate([low, middle]), np.concatenate([middle, high])


def on_the_line(c: float, theta: Floats) -> Complexes:
    """The kernel's denominator s(s+1) at s = c + iθ, without cancellation for small c."""
    result = np.empty(len(theta), dtype=np.complex128)
    result.real, result.imag = c * (c + 1) - theta**2, (2 * c + 1) * theta
    return result


def on_a_lattice(c: float, h: float, theta: Floats) -> Complexes:
    """The kernel's denominator (1-e^(-sh))(1-e^(-(s+1)h)), h the lattice's spacing, at s = c +
    iθ."""
    return _less(c * h, theta * h) * _less((c + 1) * h, theta * h)


def _less(x: float, y: Floats) -> Complexes:
    """The complex number 1 - e^(-x-iy), without cancellation."""
    result = np.empty(len(y), dtype=np.complex128)
    result.real = -math.expm1(-x) + math.exp(-x) * 2 * np.sin(y / 2) ** 2
    result.imag = math.exp(-x) * np.sin(y)
    return result
