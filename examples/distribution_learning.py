"""Locally private distribution learning: what predictions of labels cost, by how labels are told.

KL-risk Σ KL(f(x_t), p̂_t) of a mixture of K hypotheses on M labels, drawn from Dirichlet(½) in
each of 200 contexts, after T users: one score in K (pure ε), all scores (ε, δ = 1e-6), the label by
k-ary randomized response (pure ε), the constants as printed, and nothing learned at all. Then the
class of the lower bound, of which it draws a figure if a file is named.
"""

import sys

import numpy as np

from antiphon.learners.distribution import (
    AllCoordinates,
    Hypotheses,
    LocalMixture,
    OneCoordinate,
    WholeLabel,
    hadamard,
    risk_of,
)

WAYS = ("one score", "all scores", "k-ary", "printed", "uniform")


def channels(epsilon):
    return (
        OneCoordinate(epsilon=epsilon),
        AllCoordinates(epsilon=epsilon, delta=1e-6),
        WholeLabel(epsilon=epsilon),
        OneCoordinate(epsilon=epsilon, printed=True),
    )


def row(users, count, labels, epsilon):
    """KL-risks of all WAYS."""
    drawn = Hypotheses.dirichlet(contexts=200, count=count, labels=labels, key=1)
    found = [
        risk_of(LocalMixture(hypotheses=drawn, horizon=users, channel=each), 1)
        for each in channels(epsilon)
    ]
    return [each.kl for each in found] + [found[0].uniform]


def hard(users, count, keys=(1, 2, 3)):
    """Mean KL-risk on the hard class: of the first and of the tilted kind, ε = 1."""
    given = {"hypotheses": hadamard(count, horizon=users, epsilon=1), "horizon": users}
    learner = LocalMixture(channel=OneCoordinate(epsilon=1), **given)
    return np.mean([risk_of(learner, key, truth=each).kl for key in keys for each in (0, count)])


def slope(places, values):
    return np.polyfit(np.log(places), np.log(values), 1)[0]


def main(figure=None, users=10**5, ladder=(2**10, 2**12, 2**14, 2**16), sizes=(4, 8, 16, 32)):
    print(f"{'T':<8}{'K':<4}{'M':<6}{'ε':<5}" + "".join(f"{name:>12}" for name in WAYS))
    for asked in ((users, 4, 50, 1), (users, 32, 50, 1), (users // 10, 4, 50, 1),
                  (users, 4, 50, 4), (users, 4, 50, 0.5), (users // 10, 4, 1000, 1)):  # fmt: skip
        told = "".join(f"{risk:>12.0f}" for risk in row(*asked))
        print("{:<8}{:<4}{:<6}{:<5}".format(*asked) + told)
    by_users, by_size = [hard(n, 8) for n in ladder], [hard(ladder[-1], k) for k in sizes]
    print(f"hard class: slope in T {slope(ladder, by_users):.2f}, in K {slope(sizes, by_size):.2f}")
    if figure:
        import matplotlib.pyplot as plt

        _, (left, right) = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
        left.loglog(ladder, by_users, "o-")
        right.loglog(sizes, by_size, "o-")
        left.set(xlabel="T (K = 8)", ylabel="KL-risk on the hard class, ε = 1")
        right.set(xlabel=f"K (T = {ladder[-1]})")
        plt.savefig(figure)


if __name__ == "__main__":
    main(*sys.argv[1:])
