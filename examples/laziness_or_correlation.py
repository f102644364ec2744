"""Laziness or correlation: what K fresh Gaussians cost, beside a counter's correlated noise.

    python examples/laziness_or_correlation.py figure.svg

A lazy leader draws its sum of gradients anew now and then, each time with noise of its own; a
counter adds noise once, of which neighbouring sums share most. So the standard deviation of a sum,
in units of the largest gradient, and where the two cross; then learners at play: a linear game with
gap 0.1 in the unit ball of 20 dimensions, one game each.
"""

import math
import sys

import numpy as np

import antiphon as ap
from antiphon.mechanisms import DPOCO, BufferedToeplitzCounter, LazyGibbs, LazyLeader
from antiphon.mechanisms.learners.convex import Ball, LinearLoss
from antiphon.mechanisms.learners.oco.oco_presets import as_printed
from antiphon.mechanisms.learners.oco.oco_tuning import lazy_prefix
from antiphon.protocol import SampledCoins

DELTA = 1e-6


def correlated(horizon, epsilon):
    """The root mean square of a counter's noise, for gradients of norm 1 that are replaced."""
    cost = ap.composition.accounting.from_concentrated
    low, high = 1e-12, 1e3
    while high > low * 1.0001:
        rho = math.sqrt(low * high)
        low, high = (rho, high) if cost(rho).epsilon_at(DELTA) <= epsilon else (low, rho)
    counter = BufferedToeplitzCounter(horizon=horizon, rho=low, sensitivity=2)
    return math.sqrt(counter.mean_squared_error)


def lazy(horizon, epsilon, batch=None):
    """The same of a lazy leader."""
    return float(lazy_prefix(horizon, 20, epsilon, DELTA, batch).sigma)


def crossover(horizon):
    """The ε below which laziness without batches has less noise."""
    low, high = 1e-4, 1.0
    for _ in range(12):
        middle = math.sqrt(low * high)
        less = lazy(horizon, middle, 1) < correlated(horizon, middle)
        low, high = (middle, high) if less else (low, middle)
    return high


def regret(learner, gap=0.1):
    """Of one game."""
    draw, grid = np.random.default_rng(1), learner.loss.grid
    signs = np.where(draw.random((learner.horizon, 20)) < (1 + gap) / 2, 1, -1)
    data, coins, state = signs * math.isqrt(grid**2 // 20), SampledCoins(2), learner.initial_state
    lost = 0.0
    for datum in data:
        state, point = learner.step(state, "advice", coins)
        state, _ = learner.step(state, datum, coins)
        lost += float(point @ datum)
    return (lost + np.linalg.norm(data.sum(axis=0))) / grid


def main(figure=None, horizon=2**14, epsilons=(0.03, 0.1, 0.3, 1, 4)):
    table = [(e, correlated(horizon, e), lazy(horizon, e, 1), lazy(horizon, e)) for e in epsilons]
    print("ε       counter   lazy, B = 1   lazy, tuned   times")
    for epsilon, counter, single, tuned in table:
        print(f"{epsilon:<7} {counter:<9.1f} {single:<13.1f} {tuned:<13.1f} {tuned / counter:.1f}")
    asked = {"horizon": horizon, "body": Ball(dimension=20), "loss": LinearLoss(dimension=20)}
    within = {**asked, "epsilon": 1, "delta": DELTA}
    told = as_printed(**within)._asdict()
    chosen = {name: told[name] for name in ("rate", "beta", "regulariser", "fakes", "batch")}
    print(f"\nregret at ε = 1, T = {horizon}; of the origin {0.1 * horizon:.0f}")
    print(f"DP-OCO, as printed (refused)  {regret(DPOCO(**asked, **chosen)):.0f}")
    for name, made in (("corrected", DPOCO.corrected), ("exact accounting", DPOCO.tuned)):
        print(f"{'DP-OCO, ' + name:<29} {regret(made(**within)):.0f}")
    for kind in (LazyGibbs, LazyLeader):
        print(f"{kind.__name__:<29} {regret(kind.tuned(**within)):.0f}")
    if figure:
        import matplotlib.pyplot as plt

        columns = np.array(table).T
        for line, label in zip(columns[1:], ("counter", "lazy, B = 1", "lazy, tuned"), strict=True):
            plt.loglog(columns[0], line, "o-", label=label)
        plt.xlabel("ε")
        plt.ylabel("standard deviation of a sum")
        plt.legend()
        plt.savefig(figure)


if __name__ == "__main__":
    main(*sys.argv[1:])
