"""Figures behind a preprocessing, by the weak triangle inequality: one ε at δ = 1e-6 each."""

from __future__ import annotations

from fractions import Fraction

import pytest

from antiphon import Log
from antiphon.composition.accounting.bounds import of_measure
from antiphon.preprocessing import Hoelder
from antiphon.protocol import Pure, Renyi, ZeroConcentrated

LEGS = {
    "two straight": ((ZeroConcentrated(Fraction(1, 40)),), (ZeroConcentrated(Fraction(1, 160)),)),
    "two pure": ((Pure(Log(3)),), (Pure(Fraction(1, 3)),)),
    "two of two": (
        (Pure(1), ZeroConcentrated(Fraction(1, 40))),
        (Pure(2), ZeroConcentrated(Fraction(1, 160))),
    ),
    "two of a user's": (
        (Renyi(lambda order: order / 10),),
        (Renyi(lambda order: order**1.2 / 50),),
    ),
}


@pytest.mark.benchmark(group="ε at δ = 1e-6 behind a preprocessing")
class TestFigure:
    @pytest.mark.parametrize("legs", LEGS)
    def test_figure(self, benchmark, legs):
        curve = of_measure(Renyi(Hoelder(*LEGS[legs])))
        benchmark(curve.epsilon_at, 1e-6)
