# pyright: reportUnknownMemberType=false
"""Pictures of what samples prove, against what was claimed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np

from antiphon.audit.statistical.trade_offs.trade_off import TradeOff, claimed_errors
from antiphon.numbers.interval import Floats
from antiphon.numbers.printed import shown_down
from antiphon.protocol.pictures import COLOURS, DASHED, SOFT, Axes, legend, plain

_POINTS: Final = 400

Claimed: TypeAlias = tuple[tuple[float, float], ...]
"""(ε, δ), …"""


def draw_bounds(
    axes: Axes, proved: TradeOff, claim: tuple[float, float], refuted: bool,
    *, curve: Claimed, said: str,
) -> None:  # fmt: skip
    """The lower bound on δ over ε; beside the claimed curve, or else the claim, which is marked.

    Every (ε, δ) below the bound is refuted; so is the claim if its mark lies below.
    """
    epsilon, delta = claim
    end = 1.25 * max(epsilon, proved.epsilon_at(0.0), 0.1)
    epsilons = np.linspace(0, end, _POINTS)
    bound = [proved.delta_at(float(each)) for each in epsilons]
    axes.plot(epsilons, bound, color=COLOURS[0], label="δ(ε) is at least this")
    if curve:
        shown = np.array(curve)
        axes.plot(*shown[shown[:, 0] <= end].T, color=COLOURS[1], linewidth=1.2, label="claimed")
    if refuted or not curve:
        label = None if curve else f"claimed: {said}"
        marker = "x" if refuted else "o"
        axes.plot([epsilon], [delta], marker, color=COLOURS[1], markersize=7, label=label)
    if not curve:
        axes.plot(
            epsilons, claimed_curve(epsilons, epsilon, delta), color=COLOURS[1], linewidth=0.9,
            linestyle=DASHED, label="what that claim allows at other ε",
        )  # fmt: skip
    axes.set_xlim(0, end)
    axes.set_ylim(bottom=0)
    plain(axes, "ε (nats)", "δ")
    legend(axes)


def draw_errors(axes: Axes, proved: TradeOff, curve: Claimed) -> None:
    """The trade-off function of what is proved, beside the claimed one."""
    alphas = np.linspace(0, 1, _POINTS)
    axes.fill_between(
        alphas, proved.at(alphas), 1, color=COLOURS[0], alpha=0.13, linewidth=0,
        label="a test with such errors is proved to exist",
    )  # fmt: skip
    axes.plot(*zip(*(each.errors for each in proved.points), strict=True), "o",
              color=COLOURS[0], markersize=3, label="events that were tested")  # fmt: skip
    axes.plot(
        alphas, claimed_errors(alphas, curve), color=COLOURS[1], linewidth=1.2,
        label="claimed: no test is below",
    )  # fmt: skip
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    plain(axes, "type I error, of b = 0 against b = 1", "type II error")
    legend(axes)


def draw_progress(
    axes: Axes, progress: Sequence[tuple[int, float]], claim: tuple[float, float]
) -> None:
    """The bound at the claimed ε after more and more test samples, each bound on its own."""
    (counts, bounds), (epsilon, delta) = zip(*progress, strict=True), claim
    axes.plot(counts, bounds, "o-", color=COLOURS[0], markersize=3.5, linewidth=1.2)
    axes.axhline(delta, color=COLOURS[1], linewidth=0.9, linestyle=DASHED)
    axes.annotate(
        "claimed δ", (0.99, delta), xycoords=("axes fraction", "data"), ha="right",
        va="bottom", fontsize=9, color=SOFT,
    )  # fmt: skip
    if len(counts) > 1:
        axes.set_xscale("log")
    else:
        axes.locator_params(axis="x", nbins=4)
    axes.set_ylim(bottom=0)
    plain(axes, "test views of each world", f"δ at ε = {shown_down(epsilon)} is at least")


def claimed_curve(epsilons: Floats, epsilon: float, delta: float) -> Floats:
    """δ at each ε that (ε₀, δ₀)-DP allows: its trade-off curve in (ε, δ) form.

    For ε >= ε₀ it is δ₀. Below, max of Pr₁[S] − e^ε Pr₀[S] over pairs with
    Pr₁ <= e^ε₀ Pr₀ + δ₀ and 1 − Pr₀ <= e^ε₀ (1 − Pr₁) + δ₀: where both are tight
    (Dong, Roth and Su 2022, Prop. 2.5), 1 − (1 + e^ε)(1 − δ₀)/(1 + e^ε₀).

    >>> [float(round(each, 4)) for each in claimed_curve(np.array([0.0, 1.0, 2.0]), 1.0, 0.1)]
    [0.5159, 0.1, 0.1]
    """
    below = 1 - (1 + np.exp(epsilons)) * (1 - delta) / (1 + np.exp(epsilon))
    return np.where(epsilons < epsilon, np.maximum(below, delta), delta)
