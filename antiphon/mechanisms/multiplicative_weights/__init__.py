"""Private multiplicative weights (Hardt and Rothblum 2010)."""
