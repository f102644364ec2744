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
from typing import Any

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


def errors(told: Table, daily: Table, totals: Table | None = None) -> tuple[float, float]:
    """The root mean squared errors of a day and of a total, from what was told of days."""
    totals = np.cumsum(told, axis=0) if totals is None else totals
    pairs = ((told, daily), (totals, np.cumsum(daily, axis=0)))
    return tuple(float(np.sqrt(np.mean((a - b) ** 2))) for a, b in pairs)  # type: ignore[return-value]


def ours(keys: tuple[str, ...], daily: Table, best: Any, delta: Fraction | None) -> Any:
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
    totals = np.array(answers)
    return errors(np.diff(totals, axis=0, prepend=0), daily, totals)


def opendp(keys: tuple[str, ...], daily: Table) -> Any:
    """OpenDP on each day by itself, as in ``beside/daily_with_opendp.py``."""
    from daily_with_opendp import told

    rows = [np.repeat(np.array(keys), day).tolist() for day in daily]
    return errors(np.array(told(rows, list(keys))[0]), daily)


def tumult(keys: tuple[str, ...], daily: Table) -> Any:
    """The formula of Tumult's counts: two-sided geometric noise of ε on each cell."""
    rng = np.random.default_rng(17)
    first, second = (rng.geometric(1 - np.exp(-EPSILON), daily.shape) for _ in range(2))
    return errors(daily + first - second, daily)


def jax_privacy(keys: tuple[str, ...], daily: Table) -> Any:
    """jax-privacy's Toeplitz mechanism of least largest error, at the σ of the exact Gaussian."""
    import jax
    from dp_accounting.gaussian_mechanism import get_sigma_gaussian
    from jax_privacy.matrix_factorization import toeplitz

    jax.config.update("jax_enable_x64", True)
    days = len(daily)
    strategy = toeplitz.optimal_max_error_strategy_coefs(days)
    noising = np.asarray(toeplitz.inverse_coef(strategy))
    scale = float(np.sqrt(toeplitz.sensitivity_squared(strategy, n=days)))
    drawn = np.random.default_rng(18).normal(size=daily.shape)
    moved = [np.convolve(noising, drawn[:, key])[:days] for key in range(daily.shape[1])]
    noise = get_sigma_gaussian(float(EPSILON), float(DELTA)) * scale * np.array(moved).T
    return errors(daily + noise, daily)


MECHANISMS = {
    "OpenDP, ε": opendp,
    "Tumult, ε (its formula, not run)": tumult,
    'ours, ε, best="window"': lambda keys, daily: ours(keys, daily, "window", None),
    'ours, ε, best="total"': lambda keys, daily: ours(keys, daily, "total", None),
    "jax-privacy, (ε, δ)": jax_privacy,
    "ours, (ε, δ)": lambda keys, daily: ours(keys, daily, "total", DELTA),
}


def table() -> Iterator[tuple[str, str, tuple[float, float] | None]]:
    """The stream, the mechanism and its errors; None where a peer is not installed."""
    for name, (keys, daily) in {"flights": flown(), "Zipf": skewed()}.items():
        for mechanism, told in MECHANISMS.items():
            try:
                yield name, mechanism, told(keys, daily)
            except ImportError:
                yield name, mechanism, None


if __name__ == "__main__":
    print(f"ε = {EPSILON}, δ = {float(DELTA):g}: root mean squared errors")
    for stream, mechanism, found in table():
        shown = "not installed" if found is None else f"{found[0]:8.2f} {found[1]:8.2f}"
        print(f"{stream:8} {mechanism:34} {shown}")
