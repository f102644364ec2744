"""Noise that can be released."""
