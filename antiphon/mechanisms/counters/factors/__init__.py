"""Factorisations of the matrix of prefix sums, their errors, and rows of numbers."""
