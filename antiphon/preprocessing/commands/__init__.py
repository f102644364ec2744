"""The command that prices a preprocessing."""
