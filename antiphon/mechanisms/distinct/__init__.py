"""Counts of distinct items, and the keys with the largest counts, over any counter."""
