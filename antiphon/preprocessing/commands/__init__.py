"""The command that computes the privacy cost (ε) of a preprocessing."""
