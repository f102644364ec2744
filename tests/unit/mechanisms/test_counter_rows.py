"""Numbers and rows of a counter, each held between its limits."""

import numpy as np

from antiphon.mechanisms.counters.factors.rows import clamped


def test_numbers_and_rows_have_limits_on_both_sides():
    assert [clamped(value, 2.0) for value in (-5, -2, 0.5, 2, 7)] == [-2, -2, 0.5, 2, 2]
    assert clamped(np.array([-5.0, -2.0, 0.5, 7.0]), 2.0).tolist() == [-2, -2, 0.5, 2]
