"""What batches cost: learners that learn of B rounds at once, on losses that hold for B rounds.

    python examples/batch_constant.py --plot batches.svg

Each batch has one loss, of fair coins. Regret is exact, in expectation over learner and game:
such losses are sums of n = T/B coins, and what a learner by weights follows is a function of them.
"""

import argparse
from math import lgamma, log, pi, sqrt
from pathlib import Path

import numpy as np

from antiphon.cli.output import print_table
from antiphon.learners.regret_pictures import Facet, Trace, facets

BATCHES, RATE = (1, 4, 16, 64, 256), 2.0**-12


def frozen(rounds, batch, experts):
    """The regret of every learner that is told of a batch when it is over: B·E max_i (n/2 - L_i).

    It loses T/2, whatever it does; L_i ~ Bin(n, 1/2) are the batches that expert i loses.
    """
    n = rounds // batch
    logs = [lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2) for k in range(n + 1)]
    below = np.minimum(np.exp(logs).cumsum(), 1.0)  # P[n - L_i <= k]
    return batch * (n / 2 - float((below[:-1] ** experts).sum()))


def excess(rounds, batch, rate):
    """Two experts: how much more a frozen learner loses than Hedge, which knows of the batch.

    Where their losses differ, after j rounds of it Hedge follows the loser with 1/(1 + e^(η(j+D))),
    if that was behind by D before, and so gains tanh(η(j+D)/2)/2; D/B is of coins, too.
    """
    law, ahead, gained, told = np.ones(1), np.zeros(1), 0.0, np.arange(batch)[:, None]
    for _ in range(rounds // batch):
        gained += float(law @ np.tanh(rate / 2 * (told + batch * ahead)).sum(axis=0)) / 4
        law = np.convolve(law, [0.25, 0.5, 0.25])
        ahead = np.arange(ahead[0] - 1, ahead[-1] + 2)
        law, ahead = law[law > 1e-18], ahead[law > 1e-18]
    return gained


def passed(logs):
    """From which T on √(BT/π)/2 > √(T ln 2) + T^(1/3) ln 2·logs/ε^(2/3), if B = 1/ε = T^(1/4)."""
    sizes = (2 ** (k / 8) for k in range(800))
    return next(T for T in sizes if T**0.125 / sqrt(4 * pi) > sqrt(log(2)) + log(2) * logs(T))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--rounds", type=int, default=2**16)
    given = parser.parse_args()
    T, B = given.rounds, np.array(BATCHES)
    regret = {f"d = {d}": np.array([frozen(T, b, d) for b in BATCHES]) for d in (2, 10, 100)}
    print_table(["B", *regret, *(f"{name}: /√(BT)" for name in regret)], [
        [str(b), *(f"{each[k]:,.1f}" for each in regret.values()),
         *(f"{each[k] / sqrt(b * T):.4f}" for each in regret.values())]
        for k, b in enumerate(BATCHES)])  # fmt: skip
    found, leading, claim = (np.array([excess(T, b, RATE) for b in BATCHES]),
                             RATE * T * (B - 1) / 16, RATE**2 * T * B**2)  # fmt: skip
    print_table(["B", "excess, d = 2", "ηT(B-1)/16", "TB²η²", "excess/(TB²η²)", "1/(16Bη)"], [
        [str(b), *(f"{each[k]:.2f}" for each in (found, leading, claim, found / claim)),
         f"{1 / (16 * b * RATE):.2f}"] for k, b in enumerate(BATCHES)])  # fmt: skip
    print(f"Thm 3.10's rate with constant 1 is passed at T = {passed(lambda _: 1):.0e} without its "
          f"ln(T/δ), at T = {passed(lambda size: log(size * 1e6)):.0e} with it.")  # fmt: skip
    if given.plot is not None:
        lines = [Trace(name, B, each) for name, each in regret.items()]
        more = [Trace("excess", B[1:], found[1:]), Trace("TB²η²", B[1:], claim[1:])]
        facets([[Facet(f"regret after {T:,} rounds", lines), Facet("over Hedge, d = 2", more)]],
               title=f"What a batch costs (η = {RATE:g})", axes=("B", "losses"), least=0.05,
               paths=[given.plot])  # fmt: skip
