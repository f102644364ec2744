# pyright: reportUnknownMemberType=false
"""Pictures of an audit: what its samples prove, against what was claimed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from antiphon.audit.statistical.audit_report import AuditReport
from antiphon.audit.statistical.estimators import Rates
from antiphon.audit.statistical.report_card import claimed, title
from antiphon.audit.statistical.trade_offs.trade_off import TradeOff, claimed_errors
from antiphon.numbers.interval import Floats
from antiphon.numbers.printed import shown_down
from antiphon.report.canvas import COLOURS, INK, SOFT, picture, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_POINTS: Final = 400


def plot(report: AuditReport, paths: Iterable[Path]) -> None:
    """Draw two panels: the lower bound on δ over ε, and the bound against samples.

    Of a whole curve: its trade-off function and its δ(ε), each beside what is proved. Else,
    left: every (ε, δ) below the curve is refuted; so is the claim if its mark lies below.
    Right: the bound at the claimed ε after more and more test samples, each bound on its own.
    One file for each path. Raises: MissingExtra without matplotlib; InvalidArgument for an
    audit by another method than "clopper-pearson", which bounds no curve.
    """
    if report.trade_off is not None:
        _plot_curve(report, report.trade_off, paths)
        return
    rates = report.rates
    with picture(paths, width=11, height=4.6) as figure:
        left, right = figure.subplots(1, 2)
        _curve(left, report, rates)
        _samples(right, report)
        figure.suptitle(
            title(report), x=0.075, ha="left", fontweight="bold", color=INK,
        )  # fmt: skip
        figure.subplots_adjust(left=0.075, right=0.97, top=0.84, bottom=0.13, wspace=0.24)


def draw_bounds(axes: Axes, report: AuditReport) -> None:
    """What is proved of δ(ε), and what was claimed. Raises: InvalidArgument as ``plot``."""
    if report.trade_off is None:
        _curve(axes, report, report.rates)
    else:
        _deltas(axes, report, report.trade_off)


def _plot_curve(report: AuditReport, trade_off: TradeOff, paths: Iterable[Path]) -> None:
    with picture(paths, width=11, height=4.6) as figure:
        left, right = figure.subplots(1, 2)
        _errors(left, report, trade_off)
        _deltas(right, report, trade_off)
        figure.suptitle(
            title(report), x=0.075, ha="left", fontweight="bold", color=INK,
        )  # fmt: skip
        figure.subplots_adjust(left=0.075, right=0.97, top=0.84, bottom=0.13, wspace=0.24)


def _errors(axes: Axes, report: AuditReport, trade_off: TradeOff) -> None:
    alphas = np.linspace(0, 1, _POINTS)
    axes.fill_between(
        alphas, trade_off.at(alphas), 1, color=COLOURS[0], alpha=0.13, linewidth=0,
        label="a test with such errors is proved to exist",
    )  # fmt: skip
    axes.plot(*zip(*(each.errors for each in trade_off.points), strict=True), "o",
              color=COLOURS[0], markersize=3, label="events that were tested")  # fmt: skip
    axes.plot(
        alphas, claimed_errors(alphas, report.claimed), color=COLOURS[1], linewidth=1.2,
        label="claimed: no test is below",
    )  # fmt: skip
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_xlabel("type I error, of b = 0 against b = 1")
    axes.set_ylabel("type II error")
    axes.legend(frameon=False, fontsize=9, labelcolor=INK)
    plain(axes)


def _deltas(axes: Axes, report: AuditReport, trade_off: TradeOff) -> None:
    end = 1.25 * max(report.epsilon, trade_off.epsilon_at(0.0), 0.1)
    epsilons, shown = np.linspace(0, end, _POINTS), np.array(report.claimed)
    proved = [trade_off.delta_at(float(each)) for each in epsilons]
    axes.plot(epsilons, proved, color=COLOURS[0], label="δ(ε) is at least this")
    axes.plot(*shown[shown[:, 0] <= end].T, color=COLOURS[1], linewidth=1.2, label="claimed")
    if report.refuted:
        axes.plot([report.epsilon], [report.delta], "x", color=COLOURS[1], markersize=7)
    axes.set_xlim(0, end)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("ε (nats)")
    axes.set_ylabel("δ")
    axes.legend(frameon=False, fontsize=9, labelcolor=INK)
    plain(axes)


def _curve(axes: Axes, report: AuditReport, rates: Rates) -> None:
    end = 1.25 * max(report.epsilon, report.epsilon_at(0.0), 0.1)
    epsilons = np.linspace(0, end, _POINTS)
    axes.plot(
        epsilons, [rates.delta_at(float(each)) for each in epsilons], color=COLOURS[0],
        label="δ(ε) is at least this",
    )  # fmt: skip
    shown, marker = f"claimed: {claimed(report)}", "x" if report.refuted else "o"
    axes.plot([report.epsilon], [report.delta], marker, color=COLOURS[1], markersize=7, label=shown)
    allowed = claimed_curve(epsilons, report.epsilon, report.delta)
    axes.plot(
        epsilons, allowed, color=COLOURS[1], linewidth=0.9, linestyle=(0, (4, 3)),
        label="what that claim allows at other ε",
    )  # fmt: skip
    axes.set_xlim(0, end)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("ε (nats)")
    axes.set_ylabel("δ")
    axes.legend(frameon=False, fontsize=9, labelcolor=INK)
    plain(axes)


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


def _samples(axes: Axes, report: AuditReport) -> None:
    counts, bounds = zip(*report.progress(), strict=True)
    axes.plot(counts, bounds, "o-", color=COLOURS[0], markersize=3.5, linewidth=1.2)
    axes.axhline(report.delta, color=COLOURS[1], linewidth=0.9, linestyle=(0, (4, 3)))
    axes.annotate(
        "claimed δ", (0.99, report.delta), xycoords=("axes fraction", "data"), ha="right",
        va="bottom", fontsize=9, color=SOFT,
    )  # fmt: skip
    if len(counts) > 1:
        axes.set_xscale("log")
    else:
        axes.locator_params(axis="x", nbins=4)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("test views of each world")
    axes.set_ylabel(f"δ at ε = {shown_down(report.epsilon)} is at least")
    plain(axes)
