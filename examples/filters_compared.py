"""How many charges each filter admits within (2, 10⁻⁶), in five workloads: a table, a picture.

Every filter keeps the same promise. For claims with δ > 0, half of its δ is for the claims' own.

    python examples/filters_compared.py [PICTURE.svg]

Some 20 s: a ResidueFilter takes 10 ms for each charge that it has not seen before.
"""

import math
import sys
from fractions import Fraction

from antiphon.composition import (
    BasicFilter,
    ConcentratedFilter,
    GaussianFilter,
    NaturalFilter,
    Refusal,
    ResidueFilter,
    WhitehouseFilter,
)
from antiphon.composition.accounting.calibration import largest_rho
from antiphon.protocol import Approximate, GaussianDP, Pure

EPSILON, DELTA = Fraction(2), Fraction(1, 10**6)
WORKLOADS = {
    "ε = .1": [Pure(0.1)],
    "ε = .01": [Pure(0.01)],
    "(.1, 10⁻⁹)": [Approximate(0.1, 1e-9)],
    "μ = .05": [GaussianDP(0.05)],
    "ε = .1, then μ = .05 ten times": [Pure(0.1), *[GaussianDP(0.05)] * 10],
}


def filters(workload):
    """The filters that promise (2, 10⁻⁶), by name, made for the claims of a workload."""
    spare = DELTA / 2 if type(workload[0]) is Approximate else Fraction(0)
    kept = DELTA - spare
    squares = NaturalFilter(epsilon=EPSILON, delta=kept, claim=GaussianDP(1)).limits[0]
    mu = Fraction(math.floor(math.sqrt(squares) * 10**9), 10**9)
    yield "Basic", BasicFilter(epsilon=EPSILON, delta=DELTA)
    yield "Whitehouse", WhitehouseFilter(epsilon=EPSILON, delta=DELTA, slack=kept)
    yield "Concentrated", ConcentratedFilter(rho=largest_rho(EPSILON, kept), delta=spare)
    yield "Gaussian", GaussianFilter(mu=mu, delta=spare)
    yield "Residue", ResidueFilter(mu=mu, delta=spare)
    yield "Natural", NaturalFilter(epsilon=EPSILON, delta=DELTA, claim=workload[0])


def admitted(budget, workload):
    """How many charges of a workload, repeated, fit; None: the filter does not take its claims."""
    if not all(map(budget.takes, workload)):
        return None
    state, number = budget.initial_state, 0
    while type(after := budget.charge(state, workload[number % len(workload)])) is not Refusal:
        state, number = after, number + 1
    return number


def table():
    """The number that each filter admits, by workload and the filter's name."""
    return {
        name: {kind: admitted(budget, workload) for kind, budget in filters(workload)}
        for name, workload in WORKLOADS.items()
    }


def draw(axes, found):
    """Bars: what each filter admits, in units of what the best of a workload does."""
    kinds = list(next(iter(found.values())))
    for place, kind in enumerate(kinds):
        shares = [
            (row[kind] or 0) / max(each or 0 for each in row.values()) for row in found.values()
        ]
        at = [number + place / (len(kinds) + 1) for number in range(len(found))]
        axes.barh(at, shares, height=0.9 / (len(kinds) + 1), label=kind)
    axes.set_yticks([number + 0.36 for number in range(len(found))], list(found))
    axes.invert_yaxis()
    axes.set(xlabel="charges that fit, as a share of the most")
    axes.legend(frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.4, 1.2))


def main():
    found = table()
    kinds = list(next(iter(found.values())))
    print(f"{'':32}" + "".join(f"{kind:>13}" for kind in kinds))
    for name, row in found.items():
        print(
            f"{name:32}"
            + "".join(f"{row[kind] if row[kind] is not None else '–':>13}" for kind in kinds)
        )
    if len(sys.argv) > 1:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
        draw(axes, found)
        figure.savefig(sys.argv[1])


if __name__ == "__main__":
    main()
