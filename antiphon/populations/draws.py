"""Draws for all replicas of a block at once, as arrays with one number for each."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.populations.arithmetic import Values
from antiphon.populations.columns import Column
from antiphon.protocol.coins import discrete_noise
from antiphon.protocol.coins.coins import Number


def power(exponent: ExactEpsilon) -> Number:
    """e^(-exponent), as a double; for a ``Log``, as an exact fraction."""
    if isinstance(exponent, Log):
        return 1 / exponent.argument
    # The limit 1000 changes no result: e^-x underflows to 0 from x = 746 on.
    return math.exp(-min(exponent, Fraction(1000)))


def powers(rate: ExactEpsilon, scores: NDArray[np.int64]) -> tuple[float, ...]:
    """The weights e^(rate·score), up to a common factor, in doubles."""
    # The difference of two int64 scores may need 64 bits, so it is read as unsigned.
    gaps = np.subtract(scores.max(), scores).view(np.uint64).astype(float)
    weights: list[float] = np.exp(-min(float(rate), 1000.0) * gaps).tolist()
    return tuple(weights)


def choices(
    generator: np.random.Generator, rate: ExactEpsilon, scores: NDArray[np.int64]
) -> NDArray[np.int64]:
    """For each row of scores (one row per replica), an index drawn with probability ∝
    e^(rate·score), in doubles.

    Rows are taken in pieces whose weights fit the processor's cache.
    """
    speed, width = min(float(rate), 1000.0), scores.shape[1]
    found = np.empty(len(scores), np.int64)
    some = max(1, PIECE // width)
    for start in range(0, len(scores), some):
        piece = scores[start : start + some]
        gaps = np.subtract(piece.max(axis=1, keepdims=True), piece).view(np.uint64)
        ends = np.cumsum(np.exp(-speed * gaps.astype(float)), axis=1)
        tossed = generator.random((len(piece), 1)) * ends[:, -1:]
        found[start : start + some] = (ends[:, :-1] <= tossed).sum(axis=1)
    return found


def numbers(kind: str, parameter: Any, generator: np.random.Generator, size: int) -> Values | None:
    """One draw for each replica, as an array: exact for discrete noise, else in doubles, for
    simulation. None: not supported.

    Draws that are not supported are made for one replica at a time.
    """
    if kind in ("laplace", "gaussian"):
        scale = parameter.now() if type(parameter) is Column else float(parameter)
        drawn = _laplaces(generator, size) if kind == "laplace" else generator.standard_normal(size)
        drawn *= scale
        return drawn
    if kind == "uniform_integer" and parameter <= 2**62:
        return generator.integers(parameter, size=size)
    if kind == "categorical":
        weights = np.asarray([float(weight) for weight in parameter])
        ends = np.cumsum(weights / weights.sum())
        return np.searchsorted(ends[:-1], generator.random(size), side="right").astype(np.int64)
    if kind in discrete_noise.SAMPLERS:  # Discrete noise is drawn exactly, not in doubles.
        return discrete_noise.many(kind, parameter, size, generator.bit_generator.random_raw)
    return None


@cache
def reuse_memory() -> None:
    """Allocate and free one large array: afterwards glibc keeps freed memory for the next columns,
    instead of returning it to the system.

    Without this call, glibc maps each array anew, page by page, which takes longer than filling it.
    """
    np.empty(31 << 20, np.uint8)


PIECE: Final = 1 << 14
"""The number of draws that are made together, small enough for the processor's cache."""


def _laplaces(generator: np.random.Generator, size: int) -> Values:
    """Standard Laplace draws: exponential draws by NumPy's ziggurat, with a random sign; thrice
    as fast as NumPy's Laplace draws."""
    drawn = np.empty(size)
    for start in range(0, size, PIECE):
        piece = drawn[start : start + PIECE]
        count = len(piece)
        generator.standard_exponential(out=piece)
        bits = np.unpackbits(np.frombuffer(generator.bytes(-(-count // 8)), np.uint8), count=count)
        piece *= 1.0 - 2.0 * bits
    return drawn


def multinomial(
    generator: np.random.Generator, count: int, probabilities: Sequence[Number]
) -> list[int]:
    """The numbers of ``count`` independent trials that have each outcome.

    The probabilities are rounded to doubles, by 1e-15 in all.
    """
    values = [float(Fraction(p)) for p in probabilities]
    largest = values.index(max(values))
    # NumPy refuses probabilities whose sum exceeds 1.
    values[largest] -= max(0.0, sum(values) - 1) + 2.0**-51
    shares: list[int] = generator.multinomial(count, values).tolist()
    return shares
