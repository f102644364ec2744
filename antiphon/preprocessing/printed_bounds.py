"""A table of Rényi bounds that was printed in a talk, for mechanisms behind a preprocessing, and
the values that the talk's own theorem gives.

The talk (COR, "Visualising the advantage") bounds ε̂(α) of a mechanism (a row) behind a
preprocessing (a column) for α >= 11, 6 in the last row, by its theorem with p = 2, whose factor
(2α-1)/(2(α-1)) multiplies both legs and is at most 1.05, or 1.1. All are at the talk's L/Δ_f = μ/L
= γ = 1. This is data for ``docs/preprocessing.md`` and its test: no guarantee uses it.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Final, TypeAlias

import attrs

from antiphon.protocol.measures.kinds import Renyi


@attrs.frozen(kw_only=True)
class Circumstances:
    """The parameters at which the printed table of bounds is evaluated."""

    alpha: float
    epsilon: float
    size: int
    """The number n of records in the dataset."""
    moved: int
    """The number p of missing values, or of points that move."""
    step: float
    """The step η of a quantisation."""
    gap: float
    """The eigengap δ of PCA."""
    sigma: float
    """The least standard deviation of a column, for the preprocessing by scaling."""

    @property
    def square(self) -> float:
        """The product αε²."""
        return self.alpha * self.epsilon**2

    @property
    def slow(self) -> float:
        """The factor (n/ln n)/((n-p)/ln(n-p)) in the bounds of SGD with amplification by iteration,
        for n records of which p move or lack a value."""
        rest = self.size - self.moved
        return self.size / math.log(self.size) / (rest / math.log(rest))


Figure: TypeAlias = Callable[[Circumstances], float]

TAU: Final[dict[str, Figure]] = {
    "quantization": lambda s: s.step * s.moved,
    "imputation": lambda s: 2 * s.moved / (s.size - s.moved),
    "PCA": lambda s: 12.2 / s.gap,
    "scaling": lambda s: 4 / s.sigma**3,
}
"""For each preprocessing (a column of the printed table) its bound by the talk: τ = Δ₂·Δ_∞, the
largest move of a record times the number of records that move."""

THEOREM: Final[dict[str, Callable[[Circumstances, float], float]]] = {
    "Gaussian": lambda s, tau: 1.05 * s.square * (1 + tau**2),
    "GD": lambda s, tau: 1.05 * s.square * (4 + tau**2),
    "Laplace, exponential": lambda s, tau: s.epsilon * (1 + tau),
    "SGD, sampled": lambda s, tau: 1.05 * s.square * (2 * s.alpha + tau**2),
    "SGD, by iteration": lambda s, tau: 1.1 * s.square * (1 + tau**2 * s.slow),
}
"""For each mechanism (a row of the printed table) its Rényi bound by the talk's theorem, as a
function of the parameters and of τ."""

PRINTED: Final[dict[tuple[str, str], tuple[str, Figure]]] = {
    ("Gaussian", "quantization"): (
        "1.05αε²(1 + η²p²)", lambda s: 1.05 * s.square * (1 + s.step**2 * s.moved**2)),
    ("Gaussian", "imputation"): (
        "1.05αε²(1 + 4p²/(n-p)²)",
        lambda s: 1.05 * s.square * (1 + 4 * s.moved**2 / (s.size - s.moved) ** 2)),
    ("Gaussian", "PCA"): (
        "1.05αε²(1 + 12.2²/δ²)", lambda s: 1.05 * s.square * (1 + 12.2**2 / s.gap**2)),
    ("Gaussian", "scaling"): (
        "1.05αε²(1 + 4/σ³)", lambda s: 1.05 * s.square * (1 + 4 / s.sigma**3)),
    ("GD", "quantization"): (
        "1.05αε²(4 + η²p²)", lambda s: 1.05 * s.square * (4 + s.step**2 * s.moved**2)),
    ("GD", "imputation"): (
        "4.2αε²(1 + p²/(n-p)²)",
        lambda s: 4.2 * s.square * (1 + s.moved**2 / (s.size - s.moved) ** 2)),
    ("GD", "PCA"): (
        "1.05αε²(4 + 12.2²/δ²)", lambda s: 1.05 * s.square * (4 + 12.2**2 / s.gap**2)),
    ("GD", "scaling"): (
        "4.2αε²(1 + 1/σ³)", lambda s: 4.2 * s.square * (1 + 1 / s.sigma**3)),
    ("Laplace, exponential", "quantization"): (
        "ε(1 + ηp)", lambda s: s.epsilon * (1 + s.step * s.moved)),
    ("Laplace, exponential", "imputation"): (
        "ε(1 + 2p/(n-p))", lambda s: s.epsilon * (1 + 2 * s.moved / (s.size - s.moved))),
    ("Laplace, exponential", "PCA"): ("ε(1 + 12.2/δ)", lambda s: s.epsilon * (1 + 12.2 / s.gap)),
    ("Laplace, exponential", "scaling"): (
        "ε(1 + 4/σ³)", lambda s: s.epsilon * (1 + 4 / s.sigma**3)),
    ("SGD, sampled", "PCA"): (
        "1.05αε²(2α + 12.2²/δ²)",
        lambda s: 1.05 * s.square * (2 * s.alpha + 12.2**2 / s.gap**2)),
    ("SGD, sampled", "scaling"): (
        "2.1αε²(α + 8/σ⁶)", lambda s: 2.1 * s.square * (s.alpha + 8 / s.sigma**6)),
    ("SGD, by iteration", "quantization"): (
        "1.1αε²(1 + η²p²(n/ln n)/((n-p)/ln(n-p)))",
        lambda s: 1.1 * s.square * (1 + s.step**2 * s.moved**2 * s.slow)),
    ("SGD, by iteration", "imputation"): (
        "1.1αε²(1 + 4p²(n/ln n)/((n-p)³/ln(n-p)))",
        lambda s: 1.1 * s.square * (
            1 + 4 * s.moved**2 * (s.size / math.log(s.size))
            / ((s.size - s.moved) ** 3 / math.log(s.size - s.moved)))),
}  # fmt: skip
"""The printed bounds, by (mechanism, preprocessing): each as text and as a function."""


def as_printed(rho: Fraction, shift: Fraction) -> Renyi:
    """The printed Rényi bound for Gaussian noise of ρ-zCDP behind a preprocessing whose τ is
    ``shift`` times the sensitivity, by Hölder's inequality with exponent p = 2.

    The talk's factor multiplies both legs, so the bound is too large, but valid.
    """
    slope = 2 * float(rho) * (1 + float(shift) ** 2)
    return Renyi(lambda order: (2 * order - 1) / (2 * (order - 1)) * slope * order)


def by_theorem(row: str, column: str, setting: Circumstances) -> float:
    """The bound in a cell of the printed table (a mechanism's row, a preprocessing's column),
    computed by the talk's theorem."""
    return THEOREM[row](setting, TAU[column](setting))


def wrong_cells(setting: Circumstances) -> list[tuple[str, str]]:
    """The cells of the printed table in which the bound differs from that of the talk's theorem.

    >>> some = dict(alpha=16, epsilon=1, size=999, moved=9, step=0.1, gap=0.3, sigma=0.2)
    >>> wrong_cells(Circumstances(**some))
    [('Gaussian', 'scaling'), ('GD', 'scaling')]
    """
    return [
        cell
        for cell, (_, figure) in PRINTED.items()
        if not math.isclose(figure(setting), by_theorem(*cell, setting), rel_tol=1e-12)
    ]
