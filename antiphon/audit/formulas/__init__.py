"""Formulas: a tight δ as a piecewise function of a symbol, with its certificate."""
