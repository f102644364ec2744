"""Dominating pairs, and the privacy curves and divergences of their products."""
