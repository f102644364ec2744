"""Populations: a million independent runs (replicas) of one interaction, played at once with
columns of numbers."""
