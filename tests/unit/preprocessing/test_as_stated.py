"""The talk's table beside its theorem: exactly two cells differ, and by which factor."""

import random

import pytest
from trying import over

from antiphon.preprocessing.printed_bounds import (
    PRINTED,
    TAU,
    THEOREM,
    Circumstances,
    by_theorem,
    wrong_cells,
)


def settings(count):
    source = random.Random(7)
    for _ in range(count):
        size = source.randrange(100, 10_000)
        yield Circumstances(
            alpha=source.uniform(11, 99), epsilon=source.uniform(0.1, 2), size=size,
            moved=source.randrange(1, size // 2), step=source.uniform(0.01, 1),
            gap=source.uniform(0.05, 1), sigma=source.uniform(0.1, 0.9),
        )  # fmt: skip


def test_exactly_two_cells_differ():
    assert len(PRINTED) == 16
    for setting in settings(200):
        assert wrong_cells(setting) == [("Gaussian", "scaling"), ("GD", "scaling")]


@over("setting", list(settings(20)), at_least=18)
def test_what_the_two_should_say(setting):
    """16/σ⁶ for 4/σ³; in the GD row, beside its 4.2, 4/σ⁶ for 1/σ³."""
    gaussian = 1.05 * setting.square * (1 + 16 / setting.sigma**6)
    descent = 4.2 * setting.square * (1 + 4 / setting.sigma**6)
    assert by_theorem("Gaussian", "scaling", setting) == pytest.approx(gaussian, rel=1e-12)
    assert by_theorem("GD", "scaling", setting) == pytest.approx(descent, rel=1e-12)
    for cell in wrong_cells(setting):
        assert PRINTED[cell][1](setting) < by_theorem(*cell, setting)


@pytest.mark.parametrize(("row", "least", "own", "far"), [
    ("Gaussian", 11, lambda a: a / 2, lambda a, t: a * t**2 / 2),
    ("GD", 11, lambda a: 2 * a, lambda a, t: a * t**2 / 2),
    ("SGD, sampled", 11, lambda a: a**2 / 2, lambda a, t: a * t**2 / 2),
])  # fmt: skip
def test_the_rows_are_the_talks_theorem_for_large_orders(row, least, own, far):
    """(2α-1)/(2(α-1))·(ε̃(2α) + ε(2α)), with ε = 1: the constant is least at the smallest α."""
    for setting in settings(20):
        for name, tau in TAU.items():
            tau_of = tau(setting)
            for alpha in (least, 40, 300):
                factor = (2 * alpha - 1) / (2 * (alpha - 1))
                exact = factor * (own(2 * alpha) + far(2 * alpha, tau_of))
                at = Circumstances(
                    alpha=alpha, epsilon=1, size=setting.size, moved=setting.moved,
                    step=setting.step, gap=setting.gap, sigma=setting.sigma,
                )  # fmt: skip
                assert exact <= THEOREM[row](at, tau_of) * (1 + 1e-12), name
        assert factor <= 1.05
