"""The command that searches for a refutation."""
