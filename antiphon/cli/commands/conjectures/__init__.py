"""Searches for what breaks a bound, printed."""
