"""Bounds on regret of private learners: L2P's Table 1 and Figure 1, beside what is proved here.

    python examples/l2p_table.py --plot bounds.svg

Constants are 1, and factors ln T and ln 1/δ left out, as in the paper (Asi, Koren, Liu, Talwar);
but Thm 3.10 has its ln(T/δ), and ``LazyExperts`` all its constants.
"""

import argparse
from itertools import product
from math import log, sqrt
from pathlib import Path

import numpy as np

from antiphon.learners import LazyExperts
from antiphon.report import print_table
from antiphon.report.learning import Facet, Trace, facets

DELTA = 1e-6
EXPERTS = {
    "non-private": lambda t, d, e: sqrt(t * log(d)),
    "AS17, AFKT23": lambda t, d, e: sqrt(t * log(d)) + min(sqrt(d), t ** (1 / 3)) * log(d) / e,
    "L2P": lambda t, d, e: sqrt(t * log(d)) + t ** (1 / 3) * log(d) / e ** (2 / 3),
    "L2P, Thm 3.10": lambda t, d, e: (
        sqrt(t * log(d)) + t ** (1 / 3) * log(d) * log(t / DELTA) / e ** (2 / 3)
    ),
    "LazyExperts, proved": lambda t, d, e: (
        LazyExperts.tuned(horizon=t, experts=d, epsilon=e, delta=DELTA).regret_bound
    ),
}
CONVEX = {
    "non-private": lambda t, d, e: sqrt(t),
    "KMS+21": lambda t, d, e: d**0.25 * sqrt(t / e),
    "AKST23": lambda t, d, e: sqrt(t) + sqrt(d) * (t ** (1 / 3) / e + (t / e**2) ** (3 / 8)),
    "L2P": lambda t, d, e: sqrt(t) + t ** (1 / 3) * sqrt(d) / e ** (2 / 3),
}
AT = np.linspace(0, 1, 201)
"""α, where ε = T^-α."""


def figure():
    """Figure 1: β of the regret T^β; AFKT23's second algorithm, T^(2/5)/ε^(4/5), is in it."""
    third, known = 1 / 3 + AT, np.minimum(1 / 3 + AT, 2 / 5 + 4 * AT / 5)
    yield "experts, d = T", {
        "AFKT23": known, "L2P": 1 / 3 + 2 * AT / 3,
        "a valid bound, T^(2/5)/ε^(3/5)": np.minimum(third, 2 / 5 + 3 * AT / 5),
    }  # fmt: skip
    for size, name in (0, "d = polylog T"), (1 / 3, "d = T^(1/3)"):
        akst = size / 2 + np.maximum(third, 3 / 8 + 3 * AT / 4)
        l2p = size / 2 + 1 / 3 + 2 * AT / 3
        yield f"convex, {name}", {"KMS+21": size / 4 + (1 + AT) / 2, "AKST23": akst, "L2P": l2p}


def compared(title, bounds, horizons, sizes):
    """Print a line for each (T, d, ε): the bounds, and which private one of Table 1 is least."""
    lines = []
    for t, d, e in product(horizons, sizes, (1, 0.1, 0.01)):
        found = {name: bound(t, d, e) for name, bound in bounds.items()}
        least = min(list(found)[1:3] if bounds is EXPERTS else list(found)[1:], key=found.get)
        shown = [f"{each:,.0f}" if each < t else "≥ T" for each in found.values()]
        lines.append([f"2^{t.bit_length() - 1}", f"{d:,}", f"{e:g}", *shown, least])
    print(title)
    print_table(["T", "d", "ε", *bounds, "least"], lines, numbers=["d", "ε", *bounds])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--powers", type=int, nargs="+", default=[12, 16, 20], help="T, of 2")
    given = parser.parse_args()
    horizons = [2**power for power in given.powers]
    compared("Experts", EXPERTS, horizons, (10, 1000))
    compared("Convex losses, L = D = 1", CONVEX, horizons, (20, 1000))
    if given.plot is not None:
        panels = [Facet(title, [Trace("non-private", AT, 0 * AT + 0.5),
                  *(Trace(name, AT, np.clip(beta, 0.5, 1)) for name, beta in lines.items())])
                  for title, lines in figure()]  # fmt: skip
        facets([panels], title="L2P, Figure 1: regret T^β at ε = T^-α", least=None,
               axes=("α", "β"), paths=[given.plot])  # fmt: skip
