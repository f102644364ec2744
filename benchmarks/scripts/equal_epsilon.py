"""Daily counts by key at equal ε: root mean squared errors of ours and of peers, in one run.

    python benchmarks/scripts/equal_epsilon.py

One row is added or removed. Streams: the flights of 2013 by carrier, and 10⁶ rows of 100 keys by
Zipf's law, from seeded coins. OpenDP runs where it is installed, and so does jax-privacy (``pip
install jax-privacy``, whose pin of attrs is another); Tumult needs Java and Spark: its line is its
mechanism's formula, two-sided geometric noise on each cell of a day, drawn here.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import antiphon as ap
from antiphon.demo.data import CARRIERS, flights
from antiphon.protocol import SampledCoins

sys.path.insert(0, str(Path(__file__).parents[1] / "beside"))

ROWS, KEYS, DAYS = 10**6, 100, 365
EPSILON, DELTA = 1, Fraction(1, 10**6)
Table = Any
"""An array of a row for each day and a column for each key."""


def flown() -> tuple[tuple[str, ...], Table]:
    """The carriers, and their flights by day."""
    known = flights()
    days = {day: number for number, day in enumerate(np.unique(known.days).tolist())}
    found = np.zeros((len(days), len(CARRIERS)), np.int64)
    for day, slot in zip(known.days.tolist(), known.slots, strict=True):
        found[days[day], slot % 16] += 1
    return CARRIERS, found


def skewed(seed: int = 2029) -> tuple[tuple[str, ...], Table]:
    """Rows whose key is k with probability ∝ 1/k, on days that are equally likely."""
    coins, bounds = SampledCoins(seed), list(accumulate(ROWS // k for k in range(1, KEYS + 1)))
    found = np.zeros((DAYS, KEYS), np.int64)
    for _ in range(ROWS):
        key = bisect_right(bounds, coins.uniform_integer(bounds[-1]))
        found[coins.uniform_integer(DAYS), key] += 1
    return tuple(f"key {k}" for k in range(1, KEYS + 1)), found


class Errors(NamedTuple):
    """Root mean squared errors: measured of a day and of a total; expected of a total over all
    days, and of the worst day's total."""

    day: float
    total: float
    expected: float
    worst: float


def errors(told: Table, daily: Table, variances: Table, totals: Table | None = None) -> Errors:
    """The errors of what was told of days; ``variances``: those of the total, day by day."""
    totals = np.cumsum(told, axis=0) if totals is None else totals
    pairs = ((told, daily), (totals, np.cumsum(daily, axis=0)))
    measured = [float(np.sqrt(np.mean((a - b) ** 2))) for a, b in pairs]
    return Errors(*measured, *np.sqrt([np.mean(variances), np.max(variances)]).tolist())


def fresh(days: int) -> Table:
    """The variances of totals of days with discrete Laplace noise of scale 1/ε each."""
    ratio = np.exp(-EPSILON)
    return 2 * ratio / (1 - ratio) ** 2 * np.arange(1, days + 1)


def ours(keys: tuple[str, ...], daily: Table, best: Any, delta: Fraction | None) -> Errors:
    """A board that is fed all rows, day by day, in memory."""
    board = ap.boards.counts(
        by="key", keys=keys, start="2013-01-01", horizon=len(daily), unit="row", user=None,
        per_user=None, epsilon=EPSILON, best=best, delta=delta,
    )  # fmt: skip
    session = board.mechanism.start()
    answers = []
    for day in daily:
        batch = [(f"{key}", key, 1) for key, n in zip(keys, day, strict=True) for _ in range(n)]
        answers.append([int(each) for each in session.send(tuple(batch))])
    totals, counter = np.array(answers), board.gaussian or board.counter
    variances = [counter.squared_error(day) for day in range(1, len(daily) + 1)]
    return errors(np.diff(totals, axis=0, prepend=0), daily, variances, totals)


def opendp(keys: tuple[str, ...], daily: Table) -> Errors:
    """OpenDP on each day by itself, as in ``beside/daily_with_opendp.py``."""
    from daily_with_opendp import told

    rows = [np.repeat(np.array(keys), day).tolist() for day in daily]
    return errors(np.array(told(rows, list(keys))[0]), daily, fresh(len(daily)))


def tumult(keys: tuple[str, ...], daily: Table) -> Errors:
    """The formula of Tumult's counts: two-sided geometric noise of ε on each cell."""
    rng = np.random.default_rng(17)
    first, second = (rng.geometric(1 - np.exp(-EPSILON), daily.shape) for _ in range(2))
    return errors(daily + first - second, daily, fresh(len(daily)))


def jax_privacy(keys: tuple[str, ...], daily: Table) -> Errors:
    """jax-privacy's Toeplitz mechanism of least largest error, at the σ of the exact Gaussian."""
    import jax
    from dp_accounting.gaussian_mechanism import get_sigma_gaussian
    from jax_privacy.matrix_factorization import toeplitz

    jax.config.update("jax_enable_x64", True)
    days = len(daily)
    strategy = toeplitz.optimal_max_error_strategy_coefs(days)
    noising = np.asarray(toeplitz.inverse_coef(strategy))
    scale = float(np.sqrt(toeplitz.sensitivity_squared(strategy, n=days)))
    sigma = get_sigma_gaussian(float(EPSILON), float(DELTA)) * scale
    drawn = np.random.default_rng(18).normal(size=daily.shape)
    moved = [np.convolve(noising, drawn[:, key])[:days] for key in range(daily.shape[1])]
    variances = sigma**2 * np.asarray(toeplitz.per_query_error(strategy_coef=strategy, n=days))
    return errors(daily + sigma * np.array(moved).T, daily, variances)


MECHANISMS = {
    "OpenDP, ε": opendp,
    "Tumult, ε (its formula, not run)": tumult,
    'ours, ε, best="window"': lambda keys, daily: ours(keys, daily, "window", None),
    'ours, ε, best="total"': lambda keys, daily: ours(keys, daily, "total", None),
    "jax-privacy, (ε, δ)": jax_privacy,
    "ours, (ε, δ)": lambda keys, daily: ours(keys, daily, "total", DELTA),
}


def table() -> Iterator[tuple[str, str, Errors | None]]:
    """The stream, the mechanism and its errors; None where a peer is not installed."""
    for name, (keys, daily) in {"flights": flown(), "Zipf": skewed()}.items():
        for mechanism, told in MECHANISMS.items():
            try:
                yield name, mechanism, told(keys, daily)
            except ImportError:
                yield name, mechanism, None


if __name__ == "__main__":
    print(f"ε = {EPSILON}, δ = {float(DELTA):g}: root mean squared errors, measured of a day")
    print("and of a total; expected of a total, and of the total of the worst day")
    for stream, mechanism, found in table():
        shown = "not installed" if found is None else "".join(f"{each:9.2f}" for each in found)
        print(f"{stream:8} {mechanism:34} {shown}")
