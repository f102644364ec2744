"""Specimens of online learners, and of learners of functions."""
