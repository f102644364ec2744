"""Exact verification: tight δ, best adversaries, equivalence, laws of views."""
