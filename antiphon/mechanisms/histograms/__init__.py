"""Histograms that grow: monotone queries of them, and what answers those (CM §7)."""

from antiphon.mechanisms.histograms.continual import MOST, AskEach, ContinualHistogram
from antiphon.mechanisms.histograms.hss import HSS, HSSWithoutTest
from antiphon.mechanisms.histograms.monitor import HistogramMonitor
from antiphon.mechanisms.histograms.queries import (
    CountAbove,
    HistogramQuery,
    KthLargest,
    QueryViolation,
    Scaled,
    TopSum,
    Total,
    check_query,
    quantile,
)
from antiphon.mechanisms.histograms.svt import HistogramSVT
from antiphon.numbers.public import shows

__all__ = [
    "HSS",
    "MOST",
    "AskEach",
    "ContinualHistogram",
    "CountAbove",
    "HSSWithoutTest",
    "HistogramMonitor",
    "HistogramQuery",
    "HistogramSVT",
    "KthLargest",
    "QueryViolation",
    "Scaled",
    "TopSum",
    "Total",
    "check_query",
    "quantile",
]
__dir__ = shows(__all__)
