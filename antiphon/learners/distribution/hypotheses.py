"""Classes of hypotheses on the distribution of a label in every context; and the class for which a
lower bound on the risk of locally private learners is proved."""

import math
from typing import Any, Self

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.mechanisms import fields
from antiphon.numbers import InvalidArgument, exact
from antiphon.protocol import Integers, register, set_derived
from antiphon.protocol.coins.inversion import Words
from antiphon.protocol.coins.sampled import seeded_words

Doubles = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

_NEAR = 1e-9
"""The tolerance for rounding in the sum of a distribution, which should be 1."""
_MOST = 1 << 26
_BLOCK = 1 << 14


def same_array(zero: Any, one: Any) -> bool:
    """Whether two arrays are equal; an array is equal to itself without a comparison."""
    return zero is one or bool(np.array_equal(zero, one))


def _tables(value: Any) -> Doubles:
    try:
        found: Doubles = np.array(value, np.float64)
    except (TypeError, ValueError):
        raise InvalidArgument("tables are numbers: tables[x][j][y] = f_j(x)[y]") from None
    if found.ndim != 3 or not found.size:
        raise InvalidArgument(
            "tables have three indices, tables[x][j][y] = f_j(x)[y], and at least one context x, "
            "one hypothesis j (K >= 1) and one label y"
        )
    if found.size > _MOST:
        raise InvalidArgument(f"tables have at most {_MOST} entries: fewer contexts, or labels")
    if not np.all(found >= 0):
        raise InvalidArgument("a distribution has an entry that is negative, or NaN")
    if not np.all(abs(found.sum(axis=2) - 1) <= _NEAR):
        raise InvalidArgument("a distribution does not add up to 1: divide it by its sum")
    found.flags.writeable = False
    return found


@register("antiphon.Hypotheses/1")
@attrs.frozen
class Hypotheses:
    """Hypotheses f_1, …, f_K, which map a context x in {0, …, n-1} to a distribution on M labels:
    ``tables[x, j, y]`` = f_j(x)[y]. They are public.

    Raises: InvalidArgument for entries that are negative or do not add up to 1, and for K = 0.

    >>> Hypotheses([[[0.5, 0.3, 0.2, 0.0], [0.0, 0.0, 0.3, 0.7]]])
    Hypotheses(contexts=1, count=2, labels=4)
    """

    tables: Doubles = attrs.field(
        converter=_tables, eq=attrs.cmp_using(eq=same_array), hash=False, repr=False
    )
    contexts: int = attrs.field(init=False, eq=False)
    count: int = attrs.field(init=False, eq=False)
    """The number K of hypotheses."""
    labels: int = attrs.field(init=False, eq=False)
    """The number M of labels."""

    def __attrs_post_init__(self) -> None:
        contexts, count, labels = self.tables.shape
        set_derived(self, contexts=contexts, count=count, labels=labels)

    @classmethod
    def dirichlet(
        cls, *, contexts: int, count: int, labels: int, key: int, halves: int = 1
    ) -> Self:
        """Hypotheses whose laws f_j(x) are drawn from Dirichlet(a, …, a) with a = ``halves``/2 and
        the seed ``key``.

        Computed as sums of ``halves`` squared Gaussians, from the raw stream of a PCG64.
        """
        sizes = [fields.check_size(each, name, fields.COORDINATES) for each, name in (
            (contexts, "contexts"), (count, "count"), (labels, "labels"))]  # fmt: skip
        if np.prod([float(size) for size in sizes]) > _MOST:
            raise InvalidArgument(f"tables have at most {_MOST} entries: fewer contexts, or labels")
        words, found = seeded_words((key, 2)), np.full(sizes, np.finfo(float).tiny)
        for _ in range(fields.check_size(halves, "halves", fields.ITEMS)):
            first, second = (_uniforms(words, found.size).reshape(sizes) for _ in range(2))
            found -= np.log1p(-first) * np.cos(2 * np.pi * second) ** 2
        return cls(found / found.sum(axis=2, keepdims=True))

    @property
    def of_contexts(self) -> Integers:
        """The space X of contexts."""
        return Integers(0, self.contexts - 1)

    @property
    def of_labels(self) -> Integers:
        """The space [M] of labels, which are counted from 0."""
        return Integers(0, self.labels - 1)

    def users(self, key: int, count: int, *, truth: int = 0) -> tuple[Whole, Whole]:
        """The contexts and the labels of ``count`` random users: contexts are uniform, and labels
        have the law f_truth(x); ``key`` is the seed."""
        if type(truth) is not int or not 0 <= truth < self.count:
            raise InvalidArgument(f"truth is a hypothesis: an int below {self.count}")
        words = seeded_words((key, 1))
        floors = np.cumsum(self.tables[:, truth], axis=1)
        floors[:, -1] = 1
        contexts, labels = np.empty(count, np.int64), np.empty(count, np.int64)
        for start in range(0, count, _BLOCK):
            size = min(_BLOCK, count - start)
            drawn = _uniforms(words, 2 * size)
            xs = (drawn[:size] * self.contexts).astype(np.int64)
            contexts[start : start + size] = xs
            labels[start : start + size] = [
                np.searchsorted(floors[x], u, side="right")
                for x, u in zip(xs.tolist(), drawn[size:].tolist(), strict=True)
            ]
        return contexts, labels


def _uniforms(words: Words, count: int) -> Doubles:
    """Uniform random numbers in [0, 1), as many as ``count``, made from random 64-bit words."""
    return np.ldexp((words(count) >> np.uint64(11)).astype(np.float64), -53)


def tilt(count: int, *, horizon: int, epsilon: float) -> float:
    """The factor a = √(K/(9 T min{(e^ε - 1)², 1} e^ε)) of the difference of two hypotheses in
    ``hadamard``; K = ``count``, T = ``horizon``. Raises: InvalidArgument if a > 1.

    >>> round(tilt(8, horizon=1000, epsilon=1), 4)
    0.0181
    """
    small = min(math.expm1(float(exact.positive(epsilon, "epsilon"))) ** 2, 1)
    least = exact.whole(count, "count") / (9 * small * math.exp(epsilon))
    if exact.whole(horizon, "horizon") < least:
        raise InvalidArgument(f"the bound is for a horizon of at least {math.ceil(least)} users")
    return math.sqrt(least / horizon)


def hadamard(count: int, *, horizon: int, epsilon: float) -> Hypotheses:
    """The class of hypotheses that proves a lower bound for pure local privacy: 2K distributions on
    N labels, where K = ``count``, and N = 2^n is the least power of two above K.

    p_{i,1}[y] = (2/N)·1{H_{i+1,y} = -1}, and p_{i,2} = p_{i,1} + (a/N) H_{i+1,y}, in this order,
    with the Hadamard matrix H. Pure local privacy costs Ω(√(KT/(min{(e^ε - 1)², 1} e^ε))) in KL
    risk on one of them; for small ε only, this is of order √(KT)/ε.

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
