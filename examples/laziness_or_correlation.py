"""Laziness or correlation: what K fresh Gaussians cost, beside a counter's correlated noise.

A lazy leader draws its noisy sum of gradients anew now and then, each time with fresh noise; of a
counter's noise neighbouring sums share most. First the standard deviation of a sum, in units of
the largest gradient; then regret in one linear game with gap 0.1 in the ball of 20 dimensions.
Draws the first as a figure if its file is named.
"""

import math
import sys

import numpy as np

import antiphon as ap
from antiphon.learners.convex import Ball, LinearLoss
from antiphon.learners.oco import DPOCO, LazyGibbs, LazyLeader
from antiphon.learners.oco.oco_tuning import OCOTask, lazy_prefix
from antiphon.mechanisms import BufferedToeplitzCounter
from antiphon.protocol import SampledCoins

DELTA = 1e-6


def correlated(horizon, epsilon):
    """The root mean square of a counter's noise, for gradients of norm 1 that are replaced."""
    curve, low, high = ap.composition.accounting.from_concentrated, 1e-12, 1e3
    while high > low * 1.0001:
        rho = math.sqrt(low * high)
        low, high = (rho, high) if curve(rho).epsilon_at(DELTA) <= epsilon else (low, rho)
    counter = BufferedToeplitzCounter(horizon=horizon, rho=low, sensitivity=2)
    return math.sqrt(counter.mean_squared_error)


def lazy(horizon, epsilon, batch=None):  # the same of a lazy leader
    return float(lazy_prefix(horizon, 20, epsilon, DELTA, batch).sigma)


def regret(learner, gap=0.1):
    """Of one game."""
    draw, grid = np.random.default_rng(1), learner.loss.grid
    signs = np.where(draw.random((learner.horizon, 20)) < (1 + gap) / 2, 1, -1)
    data, coins, state = signs * math.isqrt(grid**2 // 20), SampledCoins(2), learner.initial_state
    lost = np.linalg.norm(data.sum(axis=0))
    for datum in data:
        state, point = learner.step(state, "advice", coins)
        state, _ = learner.step(state, datum, coins)
        lost += float(point @ datum)
    return lost / grid


def main(figure=None, horizon=2**14, epsilons=(0.03, 0.1, 0.3, 1, 4)):
    table = [(e, correlated(horizon, e), lazy(horizon, e, 1), lazy(horizon, e)) for e in epsilons]
    print("ε       counter   lazy, B = 1   lazy, tuned   times")
    for epsilon, counter, single, tuned in table:
        print(f"{epsilon:<7} {counter:<9.1f} {single:<13.1f} {tuned:<13.1f} {tuned / counter:.1f}")
    asked = {"horizon": horizon, "body": Ball(dimension=20), "loss": LinearLoss(dimension=20)}
    within = {**asked, "epsilon": 1, "delta": DELTA}
    learners = {
        "DP-OCO as printed (refused)": DPOCO(
            **asked, **OCOTask.of(**within).as_printed().parameters
        ),
        "DP-OCO corrected": DPOCO.corrected(**within),
        "DP-OCO, exact accounting": DPOCO.tuned(**within),
        "LazyGibbs": LazyGibbs.tuned(**within),
        "LazyLeader": LazyLeader.tuned(**within),
    }
    print(f"\nregret at ε = 1, T = {horizon}, where the origin has {0.1 * horizon:.0f}")
    for name, learner in learners.items():
        print(f"{name:<28} {regret(learner):.0f}")
    if figure:
        import matplotlib.pyplot as plt

        columns = np.array(table).T
        plt.loglog(columns[0], columns[1:].T, "o-")
        plt.legend(("counter", "lazy, B = 1", "lazy, tuned"))
        plt.gca().set(xlabel="ε", ylabel="standard deviation of a sum")
        plt.savefig(figure)


if __name__ == "__main__":
    main(*sys.argv[1:])
