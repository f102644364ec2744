"""Online logistic regression on a real table: what privacy costs, patient by patient.

    python examples/private_regression.py [--rounds 8192] [--plot regret.svg]

Breast cancer in Wisconsin (569 patients, 30 measurements; bundled with scikit-learn), told one
patient a day in a random order, again and again. Learners stand in the unit ball, and are compared
with the best point in hindsight. The scale of each measurement is taken as publicly known.
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from antiphon.learners import contest, games
from antiphon.learners.convex import Ball, GradientDescent, LogisticLoss, Origin, dp_ftrl
from antiphon.numbers.rounded_text import fixed_up, shown_up

BOUND = 12.0
"""A patient's standardised measurements are shortened to this norm."""
PRIVATE = partial(dp_ftrl, epsilon=1, delta=1e-6)
LEARNERS: dict[str, Callable[..., Any]] = {
    "the origin": Origin,
    "gradient descent, not private": GradientDescent,
    "DP-FTRL, convex, ε = 1": PRIVATE,
    "DP-FTRL, linear, ε = 1": partial(PRIVATE, preset="linear"),
}
"""What makes a learner from horizon, body and loss, by what it is called."""


def table(rounds: int) -> games.DataTable:
    """The patients, shuffled by the key of a game."""
    from sklearn.datasets import load_breast_cancer  # the extra "scores"

    found = load_breast_cancer()
    features = (found.data - found.data.mean(axis=0)) / found.data.std(axis=0)
    lengths = np.linalg.norm(features, axis=1)
    return games.DataTable.of(
        features / np.maximum(1, lengths / BOUND)[:, None], 2.0 * found.target - 1,
        loss=LogisticLoss, body=Ball(dimension=30), bound=BOUND, rounds=rounds,
    )  # fmt: skip


def main(rounds: int, plot: Path | None) -> None:
    """Play each learner ten times; print its regret and draw it."""
    game = table(rounds)
    size = {"horizon": rounds, "body": game.body, "loss": game.convex_loss}
    found = {
        name: contest(made(**size), game, repetitions=10, seed=1, progress=False)
        for name, made in LEARNERS.items()
    }
    print(f"{'learner':<32}{'regret':>9}{'±':>7}{'a patient':>11}{'T^':>7}")
    for name, each in found.items():
        last, around = each.mean[-1], fixed_up(each.band()[-1], 1)
        print(f"{name:<32}{last:>9.1f}{around:>7}{last / rounds:>11.5f}{each.slope:>7.2f}")
    gap = shown_up(max(each.gap for each in found.values()), 1)
    print(f"the best in hindsight is known to {gap}")
    if plot is not None:
        from antiphon.learners.regret_pictures import regrets

        lines = [each.trace(name) for name, each in found.items()]
        regrets(lines, title="Regret of logistic regression", paths=[plot])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1 << 13)
    parser.add_argument("--plot", type=Path)
    main(**vars(parser.parse_args()))
