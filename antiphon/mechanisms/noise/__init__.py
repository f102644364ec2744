"""Noise added to one answer, and noisy selection of a candidate."""
