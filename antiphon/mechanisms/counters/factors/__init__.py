"""Factorisations of the matrix of prefix sums, their errors, and arrays for many coordinates."""
