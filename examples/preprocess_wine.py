"""Wine, preprocessed and then averaged privately: what scikit-learn's preprocessors cost.

    python examples/preprocess_wine.py

178 wines, three features, put into the unit ball by public bounds; noise for a naive ε = 1 at
δ = 1e-6. Neighbours of the data are tried as well: none moves records further than is declared,
but for the coordinates that ``PCA.transform`` gives, which change sign.
"""

from fractions import Fraction
from functools import partial

import numpy as np
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA

import antiphon as ap
from antiphon.mechanisms import NoisyDescent
from antiphon.numbers.rounded_text import fixed_down, fixed_up
from antiphon.preprocessing import Preprocessed, check_preprocessing
from antiphon.preprocessing.tables import (
    BinCentres,
    ClusterCentres,
    MeanImputation,
    PrincipalProjection,
    StandardScaling,
    Transformed,
    into_ball,
)

RHO, DELTA = Fraction("0.0243559"), 1e-6  # ε = 1 at δ = 1e-6
LOW, HIGH = np.array([11.0, 0, 0]), np.array([15.0, 6, 14])  # alcohol, flavanoids, colour
wines = load_wine().data[:, [0, 6, 9]]
wines = into_ball((2 * wines - LOW - HIGH) / (HIGH - LOW) / np.sqrt(3))
shape = {"size": len(wines), "dimension": 3}
incomplete = wines.copy()
incomplete[::20, 1] = np.nan  # nine values are lost

projection = PrincipalProjection(**shape, components=1, gap=Fraction(1, 40))
coordinates = Transformed(
    **shape, make=partial(PCA, 1), furthest=projection.furthest, within=projection.datasets
)
CASES = {
    "nine values imputed": (MeanImputation(**shape, missing=9), incomplete, 1),
    "scaled, σ >= 1/6": (StandardScaling(**shape, sigma=Fraction(1, 6)), wines, 6),
    "projected, gap >= 1/40": (projection, wines, 1),
    "in 30 bins": (BinCentres(**shape, bins=30), wines, 1),
    "towards 12 centres, η = 1/10": (
        ClusterCentres(**shape, clusters=12, eta=Fraction(1, 10)), wines, 1,
    ),
}  # fmt: skip


def main(tries: int = 60) -> None:
    """A row for each: ε derived and by groups; how far a record moved, and may move."""
    print(f"{'':29} derived ε   by groups   furthest seen   declared")
    for name, (preprocessing, data, reach) in CASES.items():
        noise = NoisyDescent(points=len(data), dimension=3, steps=1, rho=RHO, clip=reach)
        promise = ap.guarantee(Preprocessed(noise, preprocessing))
        groups = promise.derivation.parts[-1].curve.epsilon_at(Fraction(DELTA))
        report = check_preprocessing(preprocessing, data, tries=tries)
        assert report, report
        derived, groups = fixed_up(promise.epsilon_at(DELTA), 2), fixed_up(groups, 2)
        seen = fixed_down(report.furthest.furthest, 4)
        declared = fixed_up(preprocessing.furthest, 4)
        print(f"{name:29} {derived:>9} {groups:>11} {seen:>15} {declared:>10}")
    report = check_preprocessing(coordinates, wines, tries=tries)
    print(f"PCA.transform: {report.findings[0].what}")


if __name__ == "__main__":
    main()
