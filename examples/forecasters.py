"""Whom to believe about flights: forecasters as experts, on the flights that left New York in 2013.

    python examples/forecasters.py --plot forecasters.svg

A round is a flight, in the order of the schedule. A forecaster says with what chance it will be
late; its loss is the squared error. Forecasters know the schedule, and how many flights were late
in January, by airport, airline, …; they learn nothing from February on. So a loss is one flight's
data, and what is private, at (ε, 1e-6), is whether one flight was late.
"""

import argparse
from pathlib import Path

import numpy as np

from antiphon.cli.output import print_table
from antiphon.demo.data import CARRIERS, flights
from antiphon.learners import Hedge, LazyExperts, NoisyLeader, contest, games
from antiphon.learners.regret_pictures import regrets
from antiphon.numbers.rounded_text import fixed_up

PARTS, GRID = 8, 1 << 10


def losses(days):
    """The names of the forecasters, and their losses from February on, for so many days."""
    found = flights()
    late, slots = (np.frombuffer(each, np.uint8).astype(int) for each in (found.late, found.slots))
    day = (found.days - found.days[0]).astype(int)
    first, flown = np.searchsorted(day, day), np.bincount(day)[day]
    time = (np.arange(len(day)) - first) * PARTS // flown  # which eighth of the day's schedule
    airport, airline = divmod(slots, len(CARRIERS))
    known = {
        "nothing": 0 * day, "airport": airport, "airline": airline, "weekday": day % 7,
        "time": time, "airport, time": airport * PARTS + time,
        "airline, time": airline * PARTS + time, "airport, airline": slots,
    }  # fmt: skip
    past, told, table = day < 31, (day >= 31) & (day < 31 + days), {}
    for name, kind in known.items():
        counts, lates = (
            np.bincount(kind[past], each, kind.max() + 1) for each in (None, late[past])
        )
        chance = (lates + 20 * late[past].mean()) / (counts + 20)  # the mean is worth 20 flights
        for more in (-0.05, 0, 0.05):
            table[f"{name} {more:+.0%}"] = (np.clip(chance[kind] + more, 0, 1) - late)[told] ** 2
    return list(table), np.array(list(table.values())).T


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--days", type=int, default=334)
    parser.add_argument("--repeat", type=int, default=4)
    given = parser.parse_args()
    names, table = losses(given.days)
    game = games.LossTable.of(table, grid=GRID)
    size = {"horizon": game.rounds, "experts": game.experts, "grid": GRID}
    learners = {"Hedge, not private": Hedge.tuned(**size)}
    for kind in (LazyExperts, NoisyLeader):
        for epsilon in (1, 0.1):
            learner = kind.tuned(**size, epsilon=epsilon, delta=1e-6)
            learners[f"{kind.__name__}, ε = {epsilon}"] = learner
    found = {
        name: contest(each, game, repetitions=given.repeat, seed=1)
        for name, each in learners.items()
    }
    lost, rounds = table.sum(axis=0), len(table)
    print(f"{rounds:,} flights, {game.experts} forecasters. Best: {names[lost.argmin()]}, "
          f"{lost.min() / rounds:.4f} a flight; one at random: {lost.mean() / rounds:.4f}, regret "
          f"{lost.mean() - lost.min():,.0f}")  # fmt: skip
    print_table(["learner", "regret", "±", "a flight"], [
        [name, f"{each.mean[-1]:,.0f}", fixed_up(each.band()[-1], 0),
         f"{(lost.min() + each.mean[-1]) / rounds:.4f}"]
        for name, each in found.items()], numbers=["regret", "±", "a flight"])  # fmt: skip
    if given.plot is not None:
        lines = [each.trace(name) for name, each in found.items()]
        regrets(lines, title="Regret against the best forecaster", paths=[given.plot])
