"""Regret of all learners of experts in all games that do not listen, over T, d and ε; and slopes.

    python examples/measured_regret.py --plot regret.svg
    python examples/measured_regret.py --powers 8 10 12 --experts 10

Expected regret where a learner's law is known and d <= 100, else what was measured; δ = 1e-6. All
learners meet the same losses. A learner more is a line more of ``MAKERS``.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np

from antiphon import learners
from antiphon.learners import games
from antiphon.learners.contests import contest, slope
from antiphon.protocol import SampledCoins
from antiphon.report import print_table
from antiphon.report.learning import Facet, Trace, facets

MAKERS = {  # the first has the expected regret of Hedge
    "not private": lambda epsilon, delta, **size: learners.ShrinkingDartboard.tuned(**size),
    "lazy": learners.LazyExperts.tuned, "L2P": learners.LazyToPrivate.tuned,
    "L2P, printed": partial(learners.LazyToPrivate.tuned, accounting="printed"),
    "dartboard": learners.PrivateDartboard.tuned, "noisy leader": learners.NoisyLeader.tuned,
    "tree": learners.tree_ftrl,
}  # fmt: skip
GAMES = {
    "gap 0.1": games.StochasticGap, "random": games.RandomLosses, "shifting": games.ShiftingBest,
    "batches of 16": games.BatchConstant,
    "epochs": lambda **size: games.LowerBoundEpochs(epsilon=0.01, **size),
}  # fmt: skip
EPSILONS = (1, 0.1, 0.01)
made = cache(lambda name, epsilon, **size: MAKERS[name](epsilon=epsilon, delta=1e-6, **size))


def cell(rounds, d, name):
    """The mean regret of each learner, for each ε, in one game, whose losses are made once."""
    game, found = GAMES[name](rounds=rounds, experts=d), {}
    coins = map(SampledCoins, range(max(1, min(4, 2**14 // rounds))))
    tables = [games.LossTable.tossed_by(game, each) for each in coins]
    for maker, e in product(MAKERS, EPSILONS):
        if maker != "tree" or rounds * d <= 2**22:  # it takes a millisecond a round at d = 1000
            learner = made(maker, e, horizon=rounds, experts=d)
            known = d <= 100 and getattr(learner, "law_known", False)
            runs = [contest(learner, table, repetitions=1, at=[rounds], expected=known, seed=number,
                            executor="serial", progress=False)
                    for number, table in enumerate(tables)]  # fmt: skip
            found[maker, e] = np.mean([run.expected if known else run.regrets for run in runs])
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--experts", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--powers", type=int, nargs="+", default=[10, 12, 14, 16, 18], help="of 2")
    given = parser.parse_args()
    Ts, pictures = [2**k for k in given.powers], []
    cases = sorted(product(Ts, given.experts, GAMES), key=lambda case: -case[0] * case[1])
    with ProcessPoolExecutor() as pool:
        regret = dict(zip(cases, pool.map(cell, *zip(*cases, strict=True)), strict=True))
    for d in given.experts:
        lines = []
        for game, e in product(GAMES, EPSILONS):
            ys = [[regret[T, d, game].get((name, e), np.nan) for T in Ts] for name in MAKERS]
            told = (f"{y[-1]:,.0f} T^{slope(Ts, y):.2f}" for y in ys)
            lines.append([game, f"{e:g}", *("-" if each[:3] == "nan" else each for each in told)])
            traces = [Trace(name, Ts, y) for name, y in zip(MAKERS, ys, strict=True)]
            pictures.append(Facet(f"{game}, d = {d:,}, ε = {e:g}", traces))
        print(f"Regret after {Ts[-1]:,} rounds, {d:,} experts, and its slopes in T")
        print_table(["game", "ε", *MAKERS], lines, numbers=list(MAKERS))
    rows = [pictures[place : place + 3] for place in range(0, len(pictures), 3)]
    facets(rows, title="Regret", axes=("T", "regret"), paths=[given.plot] if given.plot else [])
