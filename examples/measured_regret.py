"""Regret of all learners of experts in all games that do not listen, over T, d and ε; and slopes.

    python examples/measured_regret.py --plot regret.svg
    python examples/measured_regret.py --powers 8 10 12 --experts 10

Expected regret where the law of a learner is known, else what was measured; δ = 1e-6. All learners
meet the same losses. A learner more is a line more of ``MAKERS``.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np

from antiphon.audit.contests import contest, slope
from antiphon.mechanisms import learners
from antiphon.mechanisms.learners import games
from antiphon.protocol.coins import SampledCoins
from antiphon.report import print_table
from antiphon.report.learning import Facet, Trace, facets

MAKERS = {  # the first has the expected regret of Hedge
    "not private": lambda epsilon, delta, **size: learners.ShrinkingDartboard.tuned(**size),
    "lazy": learners.LazyExperts.tuned,
    "L2P": learners.LazyToPrivate.tuned,
    "L2P, printed": partial(learners.LazyToPrivate.tuned, accounting="printed"),
    "dartboard": learners.PrivateDartboard.tuned,
    "noisy leader": learners.NoisyLeader.tuned,
    "tree": learners.tree_ftrl,
}
GAMES = {
    "gap 0.1": games.StochasticGap, "random": games.RandomLosses, "shifting": games.ShiftingBest,
    "batches of 16": games.BatchConstant,
    "epochs": lambda **size: games.LowerBoundEpochs(epsilon=0.01, **size),
}  # fmt: skip
EPSILONS = (1, 0.1, 0.01)


def cell(rounds, d, name):
    """The mean regret of each learner, for each ε, in one game: all meet the same losses."""
    tables = [as_table(GAMES[name](rounds=rounds, experts=d), SampledCoins(seed))
              for seed in range(max(1, min(4, 2**20 // (rounds * max(d, 64)))))]  # fmt: skip
    found = {}
    for maker, epsilon in product(MAKERS, EPSILONS):
        if maker == "tree" and rounds * d > 2**22:  # a millisecond a round at d = 1000
            found[maker, epsilon] = float("nan")
            continue
        learner = made(maker, horizon=rounds, experts=d, epsilon=epsilon, delta=1e-6)
        known = d <= 100 and getattr(learner, "law_known", False)  # d numbers a round
        each = [
            contest(
                learner,
                table,
                repetitions=1,
                at=[rounds],
                expected=known,
                seed=seed,
                executor="serial",
                progress=False,
            )
            for seed, table in enumerate(tables)
        ]
        regrets = [(one.expected if known else one.regrets).mean() for one in each]
        found[maker, epsilon] = float(np.mean(regrets))
    return found


@cache
def made(maker, **asked):
    """A learner, whose parameters take some seconds to find."""
    return MAKERS[maker](**asked)


def as_table(game, coins):
    """The losses of a game, made once."""
    key, table = game.key(coins), np.empty((game.rounds, game.experts), np.int64)
    for block in range(-(-game.rounds // game.block)):
        table[game.times(block)] = game.losses(key, block)
    table.flags.writeable = False  # two gigabytes at the largest size: nothing is copied
    return games.LossTable(table=table, rounds=game.rounds, experts=game.experts, grid=game.grid)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--experts", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--powers", type=int, nargs="+", default=[10, 12, 14, 16, 18], help="of 2")
    given = parser.parse_args()
    horizons, pictures = [2**k for k in given.powers], []
    cases = sorted(product(horizons, given.experts, GAMES), key=lambda c: -c[0] * c[1])
    with ProcessPoolExecutor() as pool:  # the longest first
        regret = dict(zip(cases, pool.map(cell, *zip(*cases, strict=True)), strict=True))
    for d in given.experts:
        lines = []
        for game in GAMES:
            ys = {(name, e): [regret[T, d, game][name, e] for T in horizons]
                  for name, e in product(MAKERS, EPSILONS)}  # fmt: skip
            for e in EPSILONS:
                each = {name: ys[name, e] for name in MAKERS}
                shown = (f"{y[-1]:,.0f} T^{slope(horizons, y):.2f}" for y in each.values())
                lines.append([game, f"{e:g}", *shown])
                traces = [Trace(name, horizons, y) for name, y in each.items()]
                pictures.append(Facet(f"{game}, d = {d:,}, ε = {e:g}", traces))
            last = ([ys[name, e][-1] for e in EPSILONS] for name in MAKERS)
            lines.append(["", "", *(f"ε^{slope(EPSILONS, y):.2f}" for y in last)])
        print(f"Regret after {horizons[-1]:,} rounds, {d:,} experts, and its slopes")
        print_table(["game", "ε", *MAKERS], lines, numbers=list(MAKERS))
    if given.plot is not None:
        rows = [pictures[place : place + 3] for place in range(0, len(pictures), 3)]
        facets(rows, title="Regret", axes=("T", "regret"), paths=[given.plot])
