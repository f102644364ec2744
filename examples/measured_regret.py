"""Regret of all learners of experts in all games that do not listen, over T, d and ε; and slopes.

    python examples/measured_regret.py --plot regret.svg
    python examples/measured_regret.py --powers 8 10 12 --experts 10

Expected regret where the law of a learner is known, else what was measured; δ = 1e-6. All learners
meet the same losses. A learner more is a line more of ``MAKERS``.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path

from antiphon.audit.contests import contest, slope
from antiphon.mechanisms import learners
from antiphon.mechanisms.learners import games
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


def cell(rounds, d, name, epsilon):
    """The mean regret of a learner in each game."""
    learner = MAKERS[name](horizon=rounds, experts=d, epsilon=epsilon, delta=1e-6)
    known, times = getattr(learner, "law_known", False), 2**22 // (rounds * max(d, 64))
    found = [contest(learner, game(rounds=rounds, experts=d), repetitions=min(16, max(1, times)),
                     at=[rounds], expected=known, seed=1, executor="serial", progress=False)
             for game in GAMES.values()]  # fmt: skip
    return [float((each.expected if known else each.regrets).mean()) for each in found]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--experts", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--powers", type=int, nargs="+", default=[10, 12, 14, 16, 18], help="of 2")
    given = parser.parse_args()
    horizons, pictures = [2**k for k in given.powers], []
    cases = list(product(reversed(horizons), given.experts, MAKERS, EPSILONS))  # the longest first
    with ProcessPoolExecutor() as pool:
        regret = dict(zip(cases, pool.map(cell, *zip(*cases, strict=True)), strict=True))
    for d in given.experts:
        lines = []
        for k, game in enumerate(GAMES):
            ys = {(name, e): [regret[T, d, name, e][k] for T in horizons]
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
