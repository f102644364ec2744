"""Noise added to one answer, and choices made with noise."""
