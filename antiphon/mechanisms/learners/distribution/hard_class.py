"""The hard class of the lower bound (LDP paper, App. A): rows of a Hadamard matrix."""

from __future__ import annotations

import math

import numpy as np

from antiphon.mechanisms.learners.distribution.hypotheses import Hypotheses
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument


def tilt(count: int, *, horizon: int, epsilon: float) -> float:
    """a = √(K/(9 T min{(e^ε - 1)², 1} e^ε)). Raises: InvalidArgument if that is above 1.

    >>> round(tilt(8, horizon=1000, epsilon=1), 4)
    0.0181
    """
    small = min(math.expm1(float(exact.positive(epsilon, "epsilon"))) ** 2, 1)
    least = exact.whole(count, "count") / (9 * small * math.exp(epsilon))
    if exact.whole(horizon, "horizon") < least:
        raise InvalidArgument(f"the bound is for a horizon of at least {math.ceil(least)} users")
    return math.sqrt(least / horizon)


def hadamard(count: int, *, horizon: int, epsilon: float) -> Hypotheses:
    """2K distributions on N labels, N = 2^n the least with K <= N - 1; K = ``count``.

    p_{i,1}[y] = (2/N)·1{H_{i+1,y} = -1}, and p_{i,2} = p_{i,1} + (a/N) H_{i+1,y}, first those, then
    these. Pure local privacy costs Ω(√(KT/(min{(e^ε - 1)², 1} e^ε))) in KL-risk on one of them: of
    order √(KT)/ε for small ε only.

    >>> hadamard(3, horizon=1000, epsilon=1).tables[0, :3].tolist()[0]
    [0.0, 0.5, 0.0, 0.5]
    """
    lean = tilt(count, horizon=horizon, epsilon=epsilon)
    size = 1 << count.bit_length()
    matrix = np.ones((1, 1))
    while len(matrix) < size:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    rows = matrix[1 : count + 1]
    first = 2 / size * (rows < 0)
    return Hypotheses(np.concatenate([first, first + lean / size * rows])[None])
