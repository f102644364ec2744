"""Parameters of private multiplicative weights for the least provable error."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Final, Protocol

from antiphon.composition.accounting import PrivacyCurve, advanced, optimal
from antiphon.composition.accounting.parameters import Given
from antiphon.mechanisms import fields
from antiphon.mechanisms.multiplicative_weights.mechanism import SHARE, MultiplicativeWeights
from antiphon.numbers import InvalidArgument, exact


class Accountant(Protocol):
    """A function that returns the privacy curve of a composition: mechanisms with the parameters
    ``given``, repeated ``times`` times."""

    def __call__(self, given: Given, *, times: int) -> PrivacyCurve: ...


_MOST: Final = 1 << 16
"""The largest number of updates that is tried."""
_FINE: Final = 1 << 40
_MORE: Final = 1 + 1e-6


def learned_weights(
    *,
    size: int,
    rows: int,
    queries: int,
    epsilon: float | Fraction,
    delta: float | Fraction = 0,
    beta: float = 0.05,
    step: float = 1.0,
) -> MultiplicativeWeights:
    """The multiplicative weights mechanism with parameters that minimise ``error_bound`` for this
    number of queries and this budget.

    The ``rows`` must be known before the queries. Composed, it is (epsilon, delta)-DP; with
    probability at least 1 - beta it answers all queries within the bound before it halts. The
    number of updates c is searched in steps of a fifth: more updates allow a threshold nearer to
    the noise, but the noise grows by c, or √c with delta > 0. Raises: InvalidArgument for
    parameters out of range, and where the noise would be larger than the data.

    >>> learner = learned_weights(size=100, rows=10**6, queries=1000, epsilon=1)
    >>> learner.updates, learner.error_bound(1000, beta=0.05)
    (264, 137989.0)
    >>> learner = learned_weights(size=100, rows=10**6, queries=1000, epsilon=1, delta=1e-6)
    >>> learner.updates, learner.error_bound(1000, beta=0.05)
    (1959, 60842.0)
    """
    budget, chance = fields.check_positive(epsilon, "epsilon"), exact.probability(delta, "delta")
    exact.whole(rows, "rows")
    if chance == 1:
        raise InvalidArgument("delta must be less than 1")

    def tuned(count: int, curve: Accountant) -> MultiplicativeWeights | None:
        each = _each(count, budget, chance, curve)
        return _tuned(size, rows, queries, count, each, beta, step)

    counts = _counts(exact.whole(size, "size"))
    tried = [each for count in counts if (each := tuned(count, advanced))]
    if not tried:
        raise InvalidArgument(
            "the noise is larger than the data: give more rows, a larger epsilon or fewer queries"
        )
    best = min(tried, key=lambda each: each.error_bound(queries, beta=beta))
    tighter = tuned(best.updates, optimal) if chance else None
    return tighter or best


def updates_for(size: int, distance: float) -> int:
    """A bound on the number of updates, if each is made for a query on which the hypothesis errs by
    at least ``distance``, a share of all rows.

    ⌊ln(size)/(2·distance²)⌋ + 1, with the rate 4·distance: see ``mechanism``.

    >>> updates_for(100, 0.05)
    922
    """
    return math.floor(math.log(exact.whole(size, "size")) / (2 * distance**2) * _MORE) + 1


def _counts(size: int) -> Iterator[int]:
    count = max(1.0, math.log(size) / 2)
    while count <= _MOST:
        yield math.ceil(count)
        count *= 1.2


def _each(count: int, epsilon: Fraction, delta: Fraction, curve: Accountant) -> Fraction:
    """The largest ε of one update, found by bisection, for which ``count`` updates together are
    (epsilon, delta)-DP by ``curve``, the privacy curve of their composition."""
    least = epsilon / count
    if not delta:
        return least
    low, high = least, epsilon
    while high - low > low / 500:
        middle = Fraction(round((low + high) / 2 * _FINE), _FINE)
        pair = (SHARE * middle, 0), ((1 - SHARE) * middle, 0)
        enough = curve(pair, times=count).delta_at(epsilon) <= delta
        low, high = (middle, high) if enough else (low, middle)
    return low


def _tuned(
    size: int, rows: int, queries: int, count: int, each: Fraction, beta: float, step: float
) -> MultiplicativeWeights | None:
    """The mechanism with ``count`` updates, each of ε = ``each``, and the least threshold for which
    these are enough; None if the threshold would exceed every answer."""

    def made(threshold: int, rate: float) -> MultiplicativeWeights:
        return MultiplicativeWeights(
            size=size, epsilon_each=each, updates=count, threshold=threshold, rate=rate, step=step
        )

    plain = made(0, 1.0)
    alpha, of_value = plain.noise(queries, beta=beta)
    distance = math.sqrt(math.log(size) / (2 * count)) * _MORE
    clear = max(math.ceil(plain.slack(rows) + distance * rows * plain.steps), of_value + 1)
    if clear > rows * plain.steps:
        return None
    gap = (clear - plain.slack(rows)) / (rows * plain.steps)
    return made(alpha + clear, 4 * gap)
