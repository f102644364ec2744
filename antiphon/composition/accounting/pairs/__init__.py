"""Dominating pairs, and what they promise together."""
